//! The question in Ollama's words.

use super::messages::{self, Message};
use crate::{Grammar, ModelRequest, Turn};
use domain::ToolSpec;
use serde::Serialize;
use serde_json::{Value, json};

/// How long a model stays in memory after an answer. By itself Ollama waits
/// five minutes, which is how long a person has to allow the use of a tool.
const KEEP_ALIVE: &str = "15m";

/// The body of a question. A GBNF grammar is not taken and left out; the caller
/// has to check what comes back.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    stream: bool,
    options: Options<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a Value>,
    keep_alive: &'static str,
    /// What does not fit is refused, neither cut off before the answer nor
    /// forgotten while it is written. Older servers do not know these words.
    truncate: bool,
    shift: bool,
}

#[derive(Debug, Serialize)]
struct Options<'a> {
    num_ctx: u32,
    num_predict: u32,
    temperature: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u32>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop: &'a [String],
}

impl<'a> Body<'a> {
    /// `turns` are those of the request as they are sent (`crate::history`).
    pub(super) fn new(request: &'a ModelRequest, turns: &'a [Turn], window: u32) -> Self {
        let format = match &request.grammar {
            Some(Grammar::JsonSchema(schema)) => Some(schema),
            Some(Grammar::Gbnf(_)) | None => None,
        };
        // There is no way to forbid calls but not to offer any: Ollama takes an answer in
        // a form for a call where it names a tool, and means to refuse the two together.
        let offers = request.grammar.is_none();
        Body {
            model: &request.model,
            messages: messages::messages(turns, &request.model),
            stream: true,
            options: Options {
                num_ctx: window,
                num_predict: request.max_tokens,
                temperature: request.temperature,
                // It takes no larger ones.
                seed: request.seed.map(|seed| (seed & 0x7FFF_FFFF) as u32),
                stop: &request.stop,
            },
            tools: request.tools.iter().filter(|_| offers).map(offered).collect(),
            format,
            keep_alive: KEEP_ALIVE,
            truncate: false,
            shift: false,
        }
    }
}

fn offered(spec: &ToolSpec) -> Value {
    let mut parameters = spec.input.clone();
    if let Value::Object(schema) = &mut parameters {
        schema.entry("type").or_insert_with(|| "object".into());
        // Templates go through them.
        schema.entry("properties").or_insert_with(|| json!({}));
    }
    let ToolSpec { name, description, .. } = spec;
    let function = json!({"name": name, "description": description, "parameters": parameters});
    json!({"type": "function", "function": function})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;
    use domain::{Effects, Risk};

    #[test]
    fn every_question_says_how_much_may_be_read() {
        let spec = ToolSpec {
            name: "clock".into(),
            description: "Says the time.".into(),
            input: json!({"type": "object"}),
            effects: Effects::None,
            risk: Risk::Low,
        };
        let mut request = ModelRequest {
            model: "qwen3:4b".into(),
            turns: vec![Turn::new(Role::User, "Hi")],
            temperature: 0.5,
            max_tokens: 64,
            stop: vec!["\nA:".into()],
            seed: Some(1 << 40 | 7),
            grammar: None,
            tools: vec![spec].into(),
        };
        let sent = |request: &ModelRequest| {
            serde_json::to_value(Body::new(request, &request.turns, 16_384)).expect("plain data")
        };
        let clock = json!({"type": "function", "function": {
            "name": "clock", "description": "Says the time.",
            "parameters": {"type": "object", "properties": {}}}});
        let mut expected = json!({
            "model": "qwen3:4b", "messages": [{"role": "user", "content": "Hi"}], "stream": true,
            "options": {"num_ctx": 16_384, "num_predict": 64, "temperature": 0.5, "seed": 7,
                "stop": ["\nA:"]},
            "tools": [clock], "keep_alive": "15m", "truncate": false, "shift": false,
        });
        assert_eq!(sent(&request), expected);
        request.grammar = Some(Grammar::JsonSchema(json!({"type": "object"})));
        let fields = expected.as_object_mut().expect("an object");
        fields.remove("tools");
        fields.insert("format".into(), json!({"type": "object"}));
        assert_eq!(sent(&request), expected);
    }
}
