//! The question in the server's words.

use super::messages::{self, Message};
use super::quirks::{LimitField, Quirks, SeedField};
use super::schema;
use crate::form::Form;
use crate::{Grammar, ModelRequest, Turn, accepted};
use domain::ToolSpec;
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The body of a chat completion, with the fields that this server knows.
///
/// A GBNF grammar goes only to servers known to take one; to the others it is
/// left out, and the caller has to check what comes back.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    random_seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grammar: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    /// Said only to forbid calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Debug, Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    description: &'a str,
    parameters: Cow<'a, Value>,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Debug, Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_schema: Option<NamedSchema<'a>>,
}

#[derive(Debug, Serialize)]
struct NamedSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: Cow<'a, Value>,
}

impl<'a> Body<'a> {
    /// `turns` are those of the request as they are sent (`crate::history`).
    pub(super) fn new(
        request: &'a ModelRequest,
        turns: &'a [Turn],
        quirks: Quirks,
        form: Form,
    ) -> Self {
        let (max_tokens, max_completion_tokens) = match quirks.limit {
            LimitField::MaxTokens => (Some(request.max_tokens), None),
            LimitField::MaxCompletionTokens => (None, Some(request.max_tokens)),
        };
        let (seed, random_seed) = match quirks.seed {
            SeedField::Seed => (request.seed, None),
            SeedField::RandomSeed => (None, request.seed),
        };
        let (response_format, grammar) = match &request.grammar {
            Some(Grammar::JsonSchema(schema)) => {
                (ResponseFormat::holding(schema, quirks, form), None)
            }
            Some(Grammar::Gbnf(text)) if quirks.gbnf => (None, Some(text.as_str())),
            Some(Grammar::Gbnf(_)) | None => (None, None),
        };
        // Servers that take a grammar take no tools beside it.
        let (tools, forbidden) =
            if grammar.is_some() { (Vec::new(), false) } else { tools(request, turns) };
        Body {
            model: &request.model,
            messages: messages::messages(turns, &request.model, quirks),
            stream: true,
            stream_options: quirks.stream_options.then_some(StreamOptions { include_usage: true }),
            temperature: quirks.temperature.then_some(request.temperature),
            max_tokens,
            max_completion_tokens,
            stop: &request.stop[..request.stop.len().min(quirks.stops)],
            seed,
            random_seed,
            response_format,
            grammar,
            tools,
            tool_choice: forbidden.then_some("none"),
        }
    }
}

/// The tools, and whether the model is forbidden to call them. Some servers
/// refuse a history with calls when there are no tools beside it.
fn tools<'a>(request: &'a ModelRequest, turns: &'a [Turn]) -> (Vec<Tool<'a>>, bool) {
    if !request.tools.is_empty() {
        return (request.tools.iter().map(Tool::offered).collect(), request.grammar.is_some());
    }
    let called: BTreeSet<_> =
        turns.iter().flat_map(|turn| &turn.calls).map(|call| accepted::name(&call.name)).collect();
    let forbidden = !called.is_empty();
    (called.into_iter().map(Tool::gone).collect(), forbidden)
}

impl<'a> Tool<'a> {
    fn offered(spec: &'a ToolSpec) -> Self {
        let mut parameters = Cow::Borrowed(&spec.input);
        // Some refuse an object that does not say which fields it has.
        if spec.input.is_object() && spec.input.get("properties").is_none() {
            parameters.to_mut()["properties"] = json!({});
        }
        let name = Cow::Borrowed(&*spec.name);
        let function = Function { name, description: &spec.description, parameters };
        Tool { r#type: "function", function }
    }

    /// One that was called, and is not there any more.
    fn gone(name: Cow<'a, str>) -> Self {
        let parameters = Cow::Owned(json!({"type": "object", "properties": {}}));
        let description = accepted::GONE;
        Tool { r#type: "function", function: Function { name, description, parameters } }
    }
}

impl<'a> ResponseFormat<'a> {
    /// A schema that cannot be said strictly is a hint.
    fn holding(schema: &'a Value, quirks: Quirks, form: Form) -> Option<Self> {
        let named = match form {
            Form::Words => return None,
            Form::Json => {
                return Some(ResponseFormat { r#type: "json_object", json_schema: None });
            }
            Form::Schema if quirks.whole_schema => (true, Cow::Borrowed(schema)),
            Form::Schema => match schema::strict(schema) {
                Some(strict) => (true, Cow::Owned(strict)),
                None => (false, Cow::Borrowed(schema)),
            },
        };
        let (strict, schema) = named;
        let json_schema = Some(NamedSchema { name: "answer", strict, schema });
        Some(ResponseFormat { r#type: "json_schema", json_schema })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openai::quirks;
    use crate::{Called, Role};
    use domain::{Effects, Risk};

    fn check(provider: &str, host: &str, request: &ModelRequest, expected: Value) {
        let quirks = quirks::of(provider, host, &request.model);
        let text = serde_json::to_string(&Body::new(request, &request.turns, quirks, Form::Schema));
        let sent: Value =
            serde_json::from_str(&text.expect("a body is plain data")).expect("is JSON");
        assert_eq!(sent, expected, "asked of {provider} at {host}");
    }

    fn request(model: &str, grammar: Option<Grammar>) -> ModelRequest {
        ModelRequest {
            model: model.into(),
            turns: vec![Turn::new(Role::System, "Be brief."), Turn::new(Role::User, "Hi")],
            temperature: 0.7,
            max_tokens: 64,
            stop: ["\nA:", "\nB:", "\nC:", "\nD:", "\nE:"].map(String::from).to_vec(),
            seed: Some(7),
            grammar,
            tools: domain::ToolSpecs::default(),
        }
    }

    fn told_loosely() -> Value {
        json!({"type": "object", "required": ["next"], "properties": {
            "next": {"type": "string"}, "why": {"type": "string", "maxLength": 9}}})
    }

    #[test]
    fn a_schema_goes_out_as_the_server_takes_it() {
        let check = |provider: &str, schema: Value, form: Form, expected: Value| {
            let request = request("m1", Some(Grammar::JsonSchema(schema)));
            let quirks = quirks::of(provider, "127.0.0.1", "m1");
            let body = serde_json::to_value(Body::new(&request, &request.turns, quirks, form));
            assert_eq!(body.expect("plain data")["response_format"], expected, "{provider}");
        };
        let named = |strict: bool, schema: Value| {
            json!({"type": "json_schema", "json_schema": {
                "name": "answer", "strict": strict, "schema": schema}})
        };
        // Their engines take every keyword, and small models need the limits.
        check("llamaserver", told_loosely(), Form::Schema, named(true, told_loosely()));
        let any = json!({"type": "object"});
        check("acme", any.clone(), Form::Schema, named(false, any.clone()));
        check("acme", any.clone(), Form::Json, json!({"type": "json_object"}));
        check("acme", any, Form::Words, Value::Null);
    }

    #[test]
    fn each_server_is_asked_in_the_fields_it_knows() {
        let messages =
            json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]);
        let usage = json!({"include_usage": true});
        check(
            "ollama",
            "127.0.0.1",
            &request("qwen3", Some(Grammar::Gbnf("root ::= \"a\"".into()))),
            json!({
                "model": "qwen3", "messages": messages, "stream": true, "stream_options": usage,
                "temperature": 0.7, "max_tokens": 64, "stop": ["\nA:", "\nB:", "\nC:", "\nD:", "\nE:"], "seed": 7
            }),
        );
        check(
            "llamaserver",
            "127.0.0.1",
            &request("any", Some(Grammar::Gbnf("root ::= \"a\"".into()))),
            json!({
                "model": "any", "messages": messages, "stream": true, "stream_options": usage, "temperature": 0.7,
                "max_tokens": 64, "stop": ["\nA:", "\nB:", "\nC:", "\nD:", "\nE:"], "seed": 7,
                "grammar": "root ::= \"a\""
            }),
        );
        check(
            "openai",
            "api.openai.com",
            &request("gpt-4.1", Some(Grammar::JsonSchema(told_loosely()))),
            json!({
                "model": "gpt-4.1", "messages": messages, "stream": true, "stream_options": usage,
                "temperature": 0.7, "max_completion_tokens": 64, "stop": ["\nA:", "\nB:", "\nC:", "\nD:"], "seed": 7,
                "response_format": {"type": "json_schema", "json_schema": {
                    "name": "answer", "strict": true, "schema": {
                        "type": "object", "required": ["next", "why"],
                        "additionalProperties": false, "properties": {
                            "next": {"type": "string"},
                            "why": {"type": ["string", "null"], "description": "(maxLength: 9)"}}}}}
            }),
        );
        check(
            "openai",
            "api.openai.com",
            &request("o3-mini", None),
            json!({
                "model": "o3-mini", "messages": messages, "stream": true, "stream_options": usage,
                "max_completion_tokens": 64, "seed": 7
            }),
        );
        check(
            "mistral",
            "api.mistral.ai",
            &request("mistral-small-latest", None),
            json!({
                "model": "mistral-small-latest", "messages": messages, "stream": true, "temperature": 0.7,
                "max_tokens": 64, "stop": ["\nA:", "\nB:", "\nC:", "\nD:", "\nE:"], "random_seed": 7
            }),
        );
    }
    fn offering(tools: Vec<ToolSpec>, grammar: Option<Grammar>) -> ModelRequest {
        let call = Called::new("call_a", "clock", "{}");
        let turns = vec![Turn::calling("", vec![call]), Turn::answering("call_a", "noon")];
        ModelRequest {
            turns,
            tools: tools.into(),
            grammar,
            stop: vec![],
            seed: None,
            ..request("m1", None)
        }
    }

    fn spec(name: &str, input: Value) -> ToolSpec {
        let description = format!("Does {name}.");
        ToolSpec { name: name.into(), description, input, effects: Effects::None, risk: Risk::Low }
    }

    fn fields(provider: &str, request: &ModelRequest) -> [Value; 2] {
        let quirks = quirks::of(provider, "example.com", "m1");
        let body = serde_json::to_value(Body::new(request, &request.turns, quirks, Form::Schema));
        let body = body.expect("a body is plain data");
        assert_eq!(body.get("parallel_tool_calls"), None);
        ["tools", "tool_choice"].map(|field| body[field].clone())
    }

    #[test]
    fn tools_are_offered_with_their_schemas() {
        let input = json!({"type": "object", "properties": {"city": {"type": "string"}}});
        let tools = vec![spec("clock", json!({"type": "object"})), spec("weather", input.clone())];
        let function = |name: &str, parameters: &Value| {
            json!({"type": "function", "function": {
                "name": name, "description": format!("Does {name}."), "parameters": parameters}})
        };
        let offered = json!([
            function("clock", &json!({"type": "object", "properties": {}})),
            function("weather", &input),
        ]);
        let check = |provider: &str, grammar: Option<Grammar>, expected: [Value; 2]| {
            assert_eq!(fields(provider, &offering(tools.clone(), grammar)), expected);
        };
        check("acme", None, [offered.clone(), Value::Null]);
        let schema = Grammar::JsonSchema(json!({"type": "object"}));
        check("acme", Some(schema), [offered.clone(), json!("none")]);
        let gbnf = Grammar::Gbnf("root ::= \"a\"".into());
        check("acme", Some(gbnf.clone()), [offered, json!("none")]);
        check("llamaserver", Some(gbnf), [Value::Null, Value::Null]);
    }

    #[test]
    fn what_was_called_before_is_known_when_nothing_is_offered_any_more() {
        let gone = json!([{"type": "function", "function": {
            "name": "clock", "description": "Not available any more.",
            "parameters": {"type": "object", "properties": {}}}}]);
        assert_eq!(fields("acme", &offering(vec![], None)), [gone, json!("none")]);
        assert_eq!(fields("acme", &request("m1", None)), [Value::Null, Value::Null]);
    }
}
