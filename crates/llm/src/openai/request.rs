//! The question in the server's words.

use super::quirks::{LimitField, Quirks, SeedField};
use crate::{Grammar, ModelRequest, Role};
use serde::Serialize;
use serde_json::Value;

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
}

#[derive(Debug, Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Debug, Serialize)]
struct ResponseFormat<'a> {
    r#type: &'static str,
    json_schema: NamedSchema<'a>,
}

#[derive(Debug, Serialize)]
struct NamedSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a Value,
}

impl<'a> Body<'a> {
    pub(super) fn new(request: &'a ModelRequest, quirks: Quirks) -> Self {
        let (max_tokens, max_completion_tokens) = match quirks.limit {
            LimitField::MaxTokens => (Some(request.max_tokens), None),
            LimitField::MaxCompletionTokens => (None, Some(request.max_tokens)),
        };
        let (seed, random_seed) = match quirks.seed {
            SeedField::Seed => (request.seed, None),
            SeedField::RandomSeed => (None, request.seed),
        };
        let (response_format, grammar) = match &request.grammar {
            Some(Grammar::JsonSchema(schema)) => (Some(ResponseFormat::holding(schema)), None),
            Some(Grammar::Gbnf(text)) if quirks.gbnf => (None, Some(text.as_str())),
            Some(Grammar::Gbnf(_)) | None => (None, None),
        };
        Body {
            model: &request.model,
            messages: request
                .turns
                .iter()
                .map(|turn| Message { role: word(turn.role), content: &turn.content })
                .collect(),
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
        }
    }
}

impl<'a> ResponseFormat<'a> {
    fn holding(schema: &'a Value) -> Self {
        ResponseFormat {
            r#type: "json_schema",
            json_schema: NamedSchema { name: "answer", strict: true, schema },
        }
    }
}

/// `developer` is never used: most servers do not know it, and all know `system`.
fn word(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Turn;
    use crate::openai::quirks;
    use serde_json::json;

    fn check(provider: &str, host: &str, request: &ModelRequest, expected: Value) {
        let text =
            serde_json::to_string(&Body::new(request, quirks::of(provider, host, &request.model)));
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
        }
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
            &request("gpt-4.1", Some(Grammar::JsonSchema(json!({"type": "object"})))),
            json!({
                "model": "gpt-4.1", "messages": messages, "stream": true, "stream_options": usage,
                "temperature": 0.7, "max_completion_tokens": 64, "stop": ["\nA:", "\nB:", "\nC:", "\nD:"], "seed": 7,
                "response_format": {"type": "json_schema", "json_schema": {
                    "name": "answer", "strict": true, "schema": {"type": "object"}}}
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
}
