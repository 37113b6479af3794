//! The question in Gemini's words.

use super::contents::{self, Content};
use super::{quirks, schema};
use crate::{Grammar, ModelRequest, Turn};
use domain::ToolSpec;
use serde::Serialize;
use serde_json::{Value, json};

/// It takes no more.
const MOST_STOPS: usize = 5;

/// The body of a question. A GBNF grammar is not taken and left out; the caller
/// has to check what comes back.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<Value>,
    contents: Vec<Content>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<Value>,
    generation_config: Config<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Config<'a> {
    temperature: f32,
    max_output_tokens: u32,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking_config: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_mime_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_schema: Option<Value>,
}

impl<'a> Body<'a> {
    /// `turns` are those of the request as they are sent (`crate::history`).
    pub(super) fn new(request: &'a ModelRequest, turns: &[Turn]) -> Self {
        let quirks = quirks::of(&request.model);
        let (prompt, conversation) = match quirks.system {
            true => contents::divided(turns),
            false => (&[][..], turns),
        };
        let schema = match &request.grammar {
            Some(Grammar::JsonSchema(schema)) => Some(schema::taken(schema)),
            Some(Grammar::Gbnf(_)) | None => None,
        };
        // An answer that must be JSON calls nothing. Where the tools may stand beside it
        // all the same, the question begins like those before and after it.
        let is_free = request.grammar.is_none();
        let offered = request.tools.iter().filter(|_| is_free || quirks.tools_beside_form);
        let declared: Vec<Value> = offered.map(declared).collect();
        let calls_none = !is_free && !declared.is_empty();
        Body {
            system_instruction: system(prompt),
            contents: contents::contents(conversation, &request.model, quirks),
            tools: match declared.is_empty() {
                true => Vec::new(),
                false => vec![json!({"functionDeclarations": declared})],
            },
            tool_config: calls_none.then(|| json!({"functionCallingConfig": {"mode": "NONE"}})),
            generation_config: Config {
                temperature: request.temperature,
                max_output_tokens: request.max_tokens,
                stop_sequences: &request.stop[..request.stop.len().min(MOST_STOPS)],
                // It takes no larger ones.
                seed: request.seed.map(|seed| (seed & 0x7FFF_FFFF) as u32),
                thinking_config: quirks.thoughts.then(|| json!({"includeThoughts": true})),
                response_mime_type: schema.as_ref().map(|_| "application/json"),
                response_schema: schema,
            },
        }
    }
}

fn system(prompt: &[Turn]) -> Option<Value> {
    let said = prompt.iter().filter(|turn| !turn.content.is_empty());
    let parts: Vec<Value> = said.map(|turn| json!({"text": turn.content})).collect();
    (!parts.is_empty()).then(|| json!({"parts": parts}))
}

/// Without parameters where there are none: an object without fields is refused.
fn declared(spec: &ToolSpec) -> Value {
    let mut declared = json!({"name": spec.name, "description": spec.description});
    let parameters = schema::taken(&spec.input);
    if parameters.get("properties").is_some() {
        declared["parameters"] = parameters;
    }
    declared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;
    use domain::{Effects, Risk};

    fn spec(name: &str, input: Value) -> ToolSpec {
        let description = format!("Does {name}.");
        ToolSpec { name: name.into(), description, input, effects: Effects::None, risk: Risk::Low }
    }

    #[test]
    fn the_question_is_put_in_the_fields_of_the_interface() {
        let input = json!({"type": "object", "properties": {"city": {"type": "string"}}});
        let mut request = ModelRequest {
            model: "gemini-2.5-flash".into(),
            turns: vec![Turn::new(Role::System, "Be brief."), Turn::new(Role::User, "Hi")],
            temperature: 0.5,
            max_tokens: 64,
            stop: ["a", "b", "c", "d", "e", "f"].map(String::from).to_vec(),
            seed: Some(7),
            grammar: None,
            tools: vec![spec("clock", json!({"type": "object"})), spec("weather", input)].into(),
        };
        let sent = |request: &ModelRequest| {
            serde_json::to_value(Body::new(request, &request.turns)).expect("plain data")
        };
        let taken = json!({"type": "OBJECT", "properties": {"city": {"type": "STRING"}}});
        let mut expected = json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "tools": [{"functionDeclarations": [
                {"name": "clock", "description": "Does clock."},
                {"name": "weather", "description": "Does weather.", "parameters": taken}]}],
            "generationConfig": {
                "temperature": 0.5, "maxOutputTokens": 64, "seed": 7,
                "stopSequences": ["a", "b", "c", "d", "e"],
                "thinkingConfig": {"includeThoughts": true}},
        });
        assert_eq!(sent(&request), expected);
        request.grammar = Some(Grammar::JsonSchema(json!({"type": "string"})));
        request.model = "gemini-3-flash".into();
        let planned = sent(&request);
        assert_eq!(planned["tools"], expected["tools"]);
        assert_eq!(planned["toolConfig"], json!({"functionCallingConfig": {"mode": "NONE"}}));
        request.model = "models/gemini-2.0-flash".into();
        expected.as_object_mut().expect("an object").remove("tools");
        let config = expected["generationConfig"].as_object_mut().expect("an object");
        config.remove("thinkingConfig");
        config.insert("responseMimeType".into(), "application/json".into());
        config.insert("responseSchema".into(), json!({"type": "STRING"}));
        assert_eq!(sent(&request), expected);
    }

    #[test]
    fn who_takes_no_system_prompt_is_told_it_first() {
        let turns = vec![Turn::new(Role::System, "Be brief."), Turn::new(Role::User, "Hi")];
        let request = ModelRequest {
            model: "gemma-3-27b-it".into(),
            turns: turns.clone(),
            temperature: 0.5,
            max_tokens: 64,
            stop: Vec::new(),
            seed: None,
            grammar: None,
            tools: domain::ToolSpecs::default(),
        };
        let body = serde_json::to_value(Body::new(&request, &turns)).expect("plain data");
        assert_eq!(body.get("systemInstruction"), None);
        let parts = json!([{"role": "user", "parts": [{"text": "Be brief."}, {"text": "Hi"}]}]);
        assert_eq!(body["contents"], parts);
    }
}
