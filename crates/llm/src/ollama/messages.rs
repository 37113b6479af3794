//! The conversation in Ollama's words.
//!
//! Expects a history as it is sent (`crate::history`). Calls have no ids here:
//! results follow in the order of the calls, under the tool's name.

use crate::accepted::{arguments_object, name};
use crate::kept::{Piece, pieces};
use crate::{Called, Role, Turn};
use domain::ProviderKind;
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

#[derive(Debug, Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    content: &'a str,
    /// What the model thought before it called.
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<Cow<'a, str>>,
}

pub(super) fn messages<'a>(turns: &'a [Turn], model: &str) -> Vec<Message<'a>> {
    let mut calls: &[Called] = &[];
    let mut messages = Vec::with_capacity(turns.len());
    for turn in turns {
        let said = |role| Message {
            role,
            content: &turn.content,
            thinking: None,
            images: Vec::new(),
            tool_calls: Vec::new(),
            tool_name: None,
        };
        messages.push(match turn.role {
            Role::System => said("system"),
            Role::User => {
                let images = turn.images.iter().map(|image| &*image.base64).collect();
                Message { images, ..said("user") }
            }
            Role::Assistant => {
                calls = &turn.calls;
                let tool_calls = calls.iter().map(call).collect();
                Message { thinking: thought(turn, model), tool_calls, ..said("assistant") }
            }
            Role::Tool => {
                let called = calls.iter().find(|call| Some(&call.id) == turn.answers.as_ref());
                Message { tool_name: called.map(|called| name(&called.name)), ..said("tool") }
            }
        });
    }
    messages
}

fn call(called: &Called) -> Value {
    let arguments = arguments_object(&called.arguments);
    json!({"function": {"name": name(&called.name), "arguments": arguments}})
}

fn thought(turn: &Turn, model: &str) -> Option<String> {
    let own = |piece: Piece<'_>| match piece {
        Piece::Own(json) => serde_json::from_str(json).ok(),
        Piece::Text { .. } | Piece::Call { .. } => None,
    };
    pieces(turn, ProviderKind::Ollama, model).into_iter().find_map(own)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Image, ImageKind, history};
    use domain::{Kept, KeptPart};
    use proptest::prelude::*;

    #[test]
    fn calls_results_thoughts_and_pictures_stand_in_the_history() {
        let calls =
            vec![Called::new("a", "weather", r#"{"city": "Oslo"}"#), Called::new("b", "look", "")];
        let own = KeptPart::Own { json: "\"Let me\\nthink.\"".into() };
        let kept = Kept { by: ProviderKind::Ollama, model: "qwen3".into(), parts: vec![own] };
        let picture =
            Image { name: "a picture".into(), kind: ImageKind::Jpeg, base64: "/9j/".into() };
        let turns = [
            Turn::new(Role::System, "You are Ada."),
            Turn::showing("这是什么？", vec![picture]),
            Turn::calling("", calls).keeping(Some(kept)),
            Turn::answering("a", "rain"),
            Turn::answering("b", ""),
            Turn::new(Role::Assistant, "Rain."),
        ];
        let turns = history::sent(&turns);
        let sent = |model: &str| serde_json::to_value(messages(&turns, model)).expect("plain data");
        let calling = json!([
            {"function": {"name": "weather", "arguments": {"city": "Oslo"}}},
            {"function": {"name": "look", "arguments": {}}},
        ]);
        let expected = json!([
            {"role": "system", "content": "You are Ada."},
            {"role": "user", "content": "这是什么？", "images": ["/9j/"]},
            {"role": "assistant", "content": "", "thinking": "Let me\nthink.", "tool_calls": calling},
            {"role": "tool", "content": "rain", "tool_name": "weather"},
            {"role": "tool", "content": "", "tool_name": "look"},
            {"role": "assistant", "content": "Rain."},
            {"role": "user", "content": "…"},
        ]);
        assert_eq!(sent("qwen3"), expected);
        assert_eq!(sent("gemma4")[2].get("thinking"), None);
    }

    proptest! {
        #[test]
        fn every_history_ends_with_what_is_to_be_answered(
            turns in proptest::collection::vec(history::tests::any_turn(), 0..12)
        ) {
            let turns = history::sent(&turns);
            let last = messages(&turns, "qwen3").pop().expect("a last one");
            prop_assert!(matches!(last.role, "user" | "tool"), "{:?}", last);
        }
    }
}
