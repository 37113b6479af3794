//! The question in Anthropic's words.

use super::messages::{self, Message};
use super::quirks;
use super::schema;
use crate::{Grammar, ModelRequest, Turn, accepted};
use domain::ToolSpec;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The body of a question. A seed and a GBNF grammar are not taken and left
/// out; the caller has to check what comes back.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Value>,
    messages: Vec<Message>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop_sequences: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    /// Said only to forbid calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
}

impl<'a> Body<'a> {
    /// `turns` are those of the request as they are sent (`crate::history`).
    pub(super) fn new(request: &'a ModelRequest, turns: &[Turn]) -> Self {
        let model = &request.model;
        let quirks = quirks::of(model);
        let (prompt, conversation) = messages::divided(turns);
        let (tools, forbidden) = tools(request, turns);
        let schema = match &request.grammar {
            Some(Grammar::JsonSchema(schema)) => Some(schema),
            Some(Grammar::Gbnf(_)) | None => None,
        };
        let (held, told) = if quirks.schema { (schema, None) } else { (None, schema) };
        let temperature = quirks.temperature.then_some(request.temperature.clamp(0.0, 1.0));
        Body {
            model,
            max_tokens: request.max_tokens,
            system: system(prompt, told),
            messages: messages::messages(conversation, model),
            stream: true,
            temperature,
            stop_sequences: stops(&request.stop),
            thinking: quirks.thinks.then(|| json!({"type": "adaptive", "display": "summarized"})),
            tools,
            tool_choice: forbidden.then(|| json!({"type": "none"})),
            output_config: held.map(|schema| {
                json!({"format": {"type": "json_schema", "schema": schema::strict(schema)}})
            }),
        }
    }
}

/// The prompt, which the server is to keep together with the tools before it,
/// and behind it what holds for this question alone.
fn system(prompt: &[Turn], schema: Option<&Value>) -> Vec<Value> {
    let said = prompt.iter().filter(|turn| !turn.content.trim().is_empty());
    let mut blocks: Vec<Value> =
        said.map(|turn| json!({"type": "text", "text": turn.content})).collect();
    messages::remember(blocks.last_mut());
    blocks.extend(schema.map(|schema| json!({"type": "text", "text": accepted::told(schema)})));
    blocks
}

/// One without a letter in it is refused.
fn stops(stops: &[String]) -> Vec<&str> {
    stops.iter().map(String::as_str).filter(|stop| !stop.trim().is_empty()).collect()
}

/// The tools, and whether the model is forbidden to call them. A history with
/// calls is refused when there are no tools beside it.
fn tools(request: &ModelRequest, turns: &[Turn]) -> (Vec<Value>, bool) {
    if !request.tools.is_empty() {
        return (request.tools.iter().map(offered).collect(), request.grammar.is_some());
    }
    let called: BTreeSet<_> =
        turns.iter().flat_map(|turn| &turn.calls).map(|call| accepted::name(&call.name)).collect();
    let forbidden = !called.is_empty();
    let gone = |name| json!({"name": name, "description": accepted::GONE, "input_schema": {"type": "object"}});
    (called.into_iter().map(gone).collect(), forbidden)
}

fn offered(spec: &ToolSpec) -> Value {
    let mut input = spec.input.clone();
    if let Value::Object(schema) = &mut input {
        schema.insert("type".into(), "object".into());
        // At the top these are refused.
        for keyword in ["anyOf", "oneOf", "allOf"] {
            schema.remove(keyword);
        }
    } else {
        input = json!({"type": "object"});
    }
    json!({"name": spec.name, "description": spec.description, "input_schema": input})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Called, Role};
    use domain::{Effects, Risk};

    fn request(model: &str) -> ModelRequest {
        ModelRequest {
            model: model.into(),
            turns: vec![Turn::new(Role::System, "Be brief."), Turn::new(Role::User, "Hi")],
            temperature: 1.5,
            max_tokens: 4096,
            stop: vec!["\nA:".into(), "\n".into()],
            seed: Some(7),
            grammar: None,
            tools: domain::ToolSpecs::default(),
        }
    }

    fn sent(request: &ModelRequest) -> Value {
        serde_json::to_value(Body::new(request, &request.turns)).expect("plain data")
    }

    #[test]
    fn the_question_is_put_in_the_fields_of_the_interface() {
        let kept = json!({"type": "ephemeral"});
        let expected = json!({
            "model": "claude-opus-4-5", "max_tokens": 4096, "stream": true, "temperature": 1.0,
            "system": [{"type": "text", "text": "Be brief.", "cache_control": kept}],
            "messages": [{"role": "user", "content": [
                {"type": "text", "text": "Hi", "cache_control": kept}]}],
            "stop_sequences": ["\nA:"],
        });
        assert_eq!(sent(&request("claude-opus-4-5")), expected);
    }

    #[test]
    fn models_of_each_age_are_asked_as_they_take_it() {
        let adaptive = json!({"type": "adaptive", "display": "summarized"});
        let check = |model: &str, thinking: &Value, temperature: bool| {
            let sent = sent(&request(model));
            let found = (sent["thinking"].clone(), sent["temperature"].is_number());
            assert_eq!(found, (thinking.clone(), temperature), "{model}");
        };
        check("claude-3-5-haiku-latest", &Value::Null, true);
        check("claude-sonnet-4-20250514", &Value::Null, true);
        check("claude-haiku-4-5-20251001", &Value::Null, true);
        check("claude-opus-4-6", &Value::Null, true);
        check("claude-opus-4-8", &Value::Null, false);
        check("claude-opus-5-5", &adaptive, false);
        check("claude-haiku-5-5", &adaptive, false);
        check("MiniMax-M2", &Value::Null, true);
    }

    #[test]
    fn an_answer_is_held_to_a_schema_or_asked_to_fit_it() {
        let grammar = Some(Grammar::JsonSchema(json!({"type": "object"})));
        let asked =
            |model: &str| sent(&ModelRequest { grammar: grammar.clone(), ..request(model) });
        let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
        let newer = asked("claude-opus-5");
        let format = json!({"format": {"type": "json_schema", "schema": schema}});
        assert_eq!(newer["output_config"], format);
        assert_eq!(newer["system"].as_array().map(Vec::len), Some(1));
        let older = asked("claude-3-5-haiku-latest");
        assert_eq!(older["output_config"], Value::Null);
        let told = accepted::told(&json!({"type": "object"}));
        assert_eq!(older["system"][1], json!({"type": "text", "text": told}));
        let gbnf = Some(Grammar::Gbnf("root ::= \"a\"".into()));
        let left_out = sent(&ModelRequest { grammar: gbnf, ..request("claude-opus-5") });
        assert_eq!(left_out["output_config"], Value::Null);
    }

    #[test]
    fn tools_are_offered_forbidden_or_remembered() {
        let spec = |name: &str, input: Value| ToolSpec {
            name: name.into(),
            description: format!("Does {name}."),
            input,
            effects: Effects::None,
            risk: Risk::Low,
        };
        let mut offering = request("claude-opus-5");
        let city = json!({"type": "object", "properties": {"city": {"type": "string"}}});
        offering.tools =
            vec![spec("clock", json!({"anyOf": [], "x": 1})), spec("weather", city.clone())].into();
        let offered = json!([
            {"name": "clock", "description": "Does clock.",
                "input_schema": {"type": "object", "x": 1}},
            {"name": "weather", "description": "Does weather.", "input_schema": city},
        ]);
        let sent_with = sent(&offering);
        assert_eq!((&sent_with["tools"], &sent_with["tool_choice"]), (&offered, &Value::Null));
        offering.grammar = Some(Grammar::JsonSchema(json!({"type": "object"})));
        assert_eq!(sent(&offering)["tool_choice"], json!({"type": "none"}));
        let mut before = request("claude-opus-5");
        before.turns.push(Turn::calling("", vec![Called::new("a", "look around", "{}")]));
        before.turns.push(Turn::answering("a", "dark"));
        let gone = json!([{"name": "look_around", "description": "Not available any more.",
            "input_schema": {"type": "object"}}]);
        let sent_with = sent(&before);
        assert_eq!(sent_with["tools"], gone);
        assert_eq!(sent_with["tool_choice"], json!({"type": "none"}));
    }
}
