//! The conversation in the server's words, with what was called and what came
//! of it.
//!
//! Expects a history as it is sent (`crate::history`).

use super::details;
use super::quirks::Quirks;
use crate::accepted::{IdForm, arguments, id, name};
use crate::history::NOTHING_SAID;
use crate::{Called, Image, Role, Turn};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;

#[derive(Debug, Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    /// Null for a turn that only calls: an empty text is refused by some and
    /// confuses the templates of others.
    content: Option<Content<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    /// Words and pictures, for models that see.
    Parts(Vec<Value>),
}

#[derive(Debug, Serialize)]
struct Call<'a> {
    id: Cow<'a, str>,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Debug, Serialize)]
struct Function<'a> {
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
}

pub(super) fn messages<'a>(turns: &'a [Turn], model: &str, quirks: Quirks) -> Vec<Message<'a>> {
    let mut messages: Vec<Message> = Vec::with_capacity(turns.len());
    let mut calls: &[Called] = &[];
    for turn in turns {
        let after_result = messages.last().is_some_and(|last| last.tool_call_id.is_some());
        if turn.role == Role::User && after_result && !quirks.user_after_tool {
            // The model has to have answered in between.
            messages.push(said("assistant", NOTHING_SAID));
        }
        match turn.role {
            // `developer` is never used: most servers do not know it, and all know `system`.
            Role::System => messages.push(said("system", &turn.content)),
            Role::User => messages.push(shown(turn)),
            Role::Assistant => {
                calls = &turn.calls;
                messages.push(calling(turn, model, quirks));
            }
            Role::Tool => messages.push(result(turn, calls, quirks)),
        }
    }
    messages
}

fn said<'a>(role: &'static str, content: &'a str) -> Message<'a> {
    let content = Some(Content::Text(content));
    Message {
        role,
        content,
        tool_calls: vec![],
        tool_call_id: None,
        name: None,
        reasoning_details: None,
        reasoning_content: None,
    }
}

fn shown(turn: &Turn) -> Message<'_> {
    if turn.images.is_empty() {
        return said("user", &turn.content);
    }
    let picture = |image: &Image| {
        let url = format!("data:{};base64,{}", image.kind.media_type(), image.base64);
        json!({"type": "image_url", "image_url": {"url": url}})
    };
    let text = (!turn.content.is_empty()).then(|| json!({"type": "text", "text": turn.content}));
    let parts = text.into_iter().chain(turn.images.iter().map(picture)).collect();
    Message { content: Some(Content::Parts(parts)), ..said("user", "") }
}

fn calling<'a>(turn: &'a Turn, model: &str, quirks: Quirks) -> Message<'a> {
    let only_calls = turn.content.is_empty() && !turn.calls.is_empty();
    let details::Back { details, thought } = details::back(turn, model);
    Message {
        content: (!only_calls).then_some(Content::Text(&turn.content)),
        tool_calls: turn.calls.iter().map(|call| Call::of(call, quirks.ids)).collect(),
        reasoning_details: details,
        reasoning_content: quirks.thought.then(|| thought.unwrap_or_default()),
        ..said("assistant", "")
    }
}

impl<'a> Call<'a> {
    fn of(call: &'a Called, ids: IdForm) -> Self {
        let function = Function { name: name(&call.name), arguments: arguments(&call.arguments) };
        Call { id: id(&call.id, ids), r#type: "function", function }
    }
}

fn result<'a>(turn: &'a Turn, calls: &'a [Called], quirks: Quirks) -> Message<'a> {
    let answered = turn.answers.as_deref().unwrap_or_default();
    let call = calls.iter().find(|call| call.id == answered).filter(|_| quirks.tool_names);
    Message {
        tool_call_id: Some(id(answered, quirks.ids)),
        name: call.map(|call| name(&call.name)),
        ..said("tool", &turn.content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openai::quirks;
    use crate::{ImageKind, history};
    use domain::{Kept, KeptPart, ProviderKind};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn sent(host: &str, turns: &[Turn]) -> Value {
        let turns = history::sent(turns);
        let messages = messages(&turns, "m1", quirks::of("acme", host, "m1"));
        serde_json::to_value(messages).expect("plain data")
    }

    fn calls() -> Vec<Called> {
        vec![
            Called::new("call_a", "calculator", r#"{"expression": "2+2"}"#),
            Called::new("call_b", "look", ""),
        ]
    }

    #[test]
    fn calls_and_results_stand_in_the_history() {
        let turns = [
            Turn::new(Role::System, "You are Ada."),
            Turn::new(Role::User, "2+2?"),
            Turn::calling("", calls()),
            Turn::answering("call_a", "4"),
            Turn::answering("call_b", ""),
            Turn::calling("And:", vec![Called::new("call_c", "look", "{}")]),
            Turn::answering("call_c", "空"),
            Turn::new(Role::Assistant, "4"),
            Turn::new(Role::User, "Go on"),
        ];
        let function = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
        let expected = json!([
            {"role": "system", "content": "You are Ada."},
            {"role": "user", "content": "2+2?"},
            {"role": "assistant", "content": null, "tool_calls": [
                function("call_a", "calculator", r#"{"expression": "2+2"}"#),
                function("call_b", "look", "{}"),
            ]},
            {"role": "tool", "content": "4", "tool_call_id": "call_a"},
            {"role": "tool", "content": "", "tool_call_id": "call_b"},
            {"role": "assistant", "content": "And:", "tool_calls": [function("call_c", "look", "{}")]},
            {"role": "tool", "content": "空", "tool_call_id": "call_c"},
            {"role": "assistant", "content": "4"},
            {"role": "user", "content": "Go on"},
        ]);
        assert_eq!(sent("example.com", &turns), expected);
    }

    #[test]
    fn each_server_gets_calls_as_it_takes_them() {
        let turns = [
            Turn::new(Role::User, "2+2?"),
            Turn::calling("", calls()),
            Turn::answering("call_a", "4"),
            Turn::answering("call_b", ""),
            Turn::new(Role::User, "Thanks"),
        ];
        let mistral = sent("api.mistral.ai", &turns);
        let id = |at: &str| mistral.pointer(at).and_then(Value::as_str).expect("an id").to_owned();
        let (a, b) = (id("/1/tool_calls/0/id"), id("/1/tool_calls/1/id"));
        assert_eq!([&*a, &*b], ["t0PimZjDW", "rBVMFRhga"]);
        assert_eq!([id("/2/tool_call_id"), id("/3/tool_call_id")], [a, b]);
        assert_eq!(mistral[4], json!({"role": "assistant", "content": "…"}));
        assert_eq!(mistral[5], json!({"role": "user", "content": "Thanks"}));
        let gemini = sent("generativelanguage.googleapis.com", &turns);
        let named =
            json!({"role": "tool", "content": "4", "tool_call_id": "call_a", "name": "calculator"});
        assert_eq!(gemini[2], named);
    }

    #[test]
    fn a_model_gets_its_reasoning_back_to_the_last_letter_and_no_other_model_does() {
        let details = r#"[{"type":"reasoning.text","text":"Hm.","signature":"Eq+/==\u00e9"}]"#;
        let kept = Kept {
            by: ProviderKind::Openai,
            model: "m1".into(),
            parts: vec![KeptPart::Own { json: details.into() }],
        };
        let turn = |kept: Kept| [Turn::calling("", calls()).keeping(Some(kept))];
        let back = json!([{"type": "reasoning.text", "text": "Hm.", "signature": "Eq+/==é"}]);
        assert_eq!(sent("example.com", &turn(kept.clone()))[1]["reasoning_details"], back);
        let others = [
            Kept { model: "m2".into(), ..kept.clone() },
            Kept { by: ProviderKind::Anthropic, ..kept },
        ];
        for other in others {
            assert_eq!(sent("example.com", &turn(other))[1].get("reasoning_details"), None);
        }
    }

    #[test]
    fn a_server_that_wants_its_thinking_back_never_misses_the_field_for_it() {
        let kept = Kept {
            by: ProviderKind::Openai,
            model: "m1".into(),
            parts: vec![KeptPart::Own { json: "\"Hm.\"".into() }],
        };
        let turns = [
            Turn::calling("", calls()).keeping(Some(kept.clone())),
            Turn::answering("call_a", "4"),
            Turn::answering("call_b", ""),
            Turn::new(Role::Assistant, "4"),
        ];
        let thoughts = |host: &str| {
            let sent = sent(host, &turns);
            let thought = |at: usize| sent[at].get("reasoning_content").cloned();
            (thought(1), thought(2), thought(4))
        };
        let expected = (Some(json!("Hm.")), None, Some(json!("")));
        assert_eq!(thoughts("api.deepseek.com"), expected);
        assert_eq!(thoughts("api.moonshot.cn"), expected);
        assert_eq!(thoughts("example.com"), (None, None, None));
    }

    #[test]
    fn pictures_are_shown_beside_the_words() {
        let picture =
            Image { name: "a picture".into(), kind: ImageKind::Gif, base64: "R0lG".into() };
        let turns =
            [Turn::showing("这是什么？", vec![picture.clone()]), Turn::showing("", vec![picture])];
        let shown =
            json!({"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lG"}});
        let words = json!({"type": "text", "text": "这是什么？"});
        let expected = json!([
            {"role": "user", "content": [words, shown]},
            {"role": "user", "content": [shown]},
        ]);
        assert_eq!(sent("example.com", &turns), expected);
    }

    /// What a server checks: each call has exactly one result right after it,
    /// nobody answers themselves, and somebody waits for an answer.
    fn is_accepted(messages: &Value) -> Result<(), String> {
        let mut due: Vec<String> = Vec::new();
        let mut ids = HashSet::new();
        let mut last = "";
        for message in messages.as_array().expect("a list") {
            let wrong = || Err(format!("{message} in {messages}"));
            if message["role"] == "assistant" && last == "assistant" {
                return wrong();
            }
            last = message["role"].as_str().expect("a role");
            let id = |call: &Value| call["id"].as_str().expect("an id").to_owned();
            if message["role"] == "tool" {
                let answered = message["tool_call_id"].as_str().expect("an id");
                let Some(at) = due.iter().position(|id| id == answered) else { return wrong() };
                due.remove(at);
            } else if !due.is_empty() {
                return wrong();
            }
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                let object = call["function"]["arguments"].as_str().expect("text");
                let object: Value = serde_json::from_str(object).expect("JSON");
                if !object.is_object() || !ids.insert(id(call)) {
                    return wrong();
                }
                due.push(id(call));
            }
        }
        let is_asked = matches!(last, "user" | "tool");
        if due.is_empty() && is_asked { Ok(()) } else { Err(format!("{due:?} in {messages}")) }
    }

    proptest! {
        #[test]
        fn every_history_is_one_that_servers_accept(
            turns in proptest::collection::vec(history::tests::any_turn(), 0..12)
        ) {
            for host in ["example.com", "api.openai.com", "api.mistral.ai"] {
                prop_assert_eq!(is_accepted(&sent(host, &turns)), Ok(()));
            }
        }
    }
}
