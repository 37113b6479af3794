//! The conversation as messages of blocks.
//!
//! Expects a history as it is sent (`crate::history`). The two speakers take
//! turns: what one says in a row is one message. Blocks without a word are
//! refused, so they are left out.

use crate::accepted::{IdForm, arguments_object, id, name};
use crate::kept::{Piece, pieces};
use crate::{Called, Image, Role, Turn};
use domain::ProviderKind;
use serde::Serialize;
use serde_json::{Value, json};

/// What an id of a call may look like.
const IDS: IdForm = IdForm::Word(64);

#[derive(Debug, Serialize)]
pub(super) struct Message {
    role: &'static str,
    content: Vec<Value>,
}

impl Message {
    /// Whether somebody said it, who is no tool.
    fn is_said(&self) -> bool {
        self.role == "user" && self.content.iter().any(|block| block["type"] != "tool_result")
    }
}

/// The system prompt, which stands apart, and the rest.
pub(super) fn divided(turns: &[Turn]) -> (&[Turn], &[Turn]) {
    let spoken = turns.iter().position(|turn| turn.role != Role::System);
    turns.split_at(spoken.unwrap_or(turns.len()))
}

/// `turns` without the system prompt. What `model` wrote itself, it is given
/// back as it was.
pub(super) fn messages(turns: &[Turn], model: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::with_capacity(turns.len());
    for turn in turns {
        match turn.role {
            Role::System | Role::User => add(&mut messages, "user", shown(turn)),
            Role::Assistant => add(&mut messages, "assistant", said(turn, model)),
            Role::Tool => add(&mut messages, "user", vec![result(turn)]),
        }
    }
    for end in ends_to_remember(&messages) {
        remember(messages[end].content.last_mut());
    }
    messages
}

/// After which messages the next question may go on the same way.
///
/// The next one of this turn begins with all of it. The next turn does not: what stands
/// behind the newest words only for this turn, as memories do, is gone then. So it is kept
/// up to those words, too, and up to those before, where the turn before asked for the same:
/// however many tools were used since, an entry is found there. With the system prompt that
/// is four marks, which is as many as a question may have
/// (<https://docs.claude.com/en/docs/build-with-claude/prompt-caching>).
fn ends_to_remember(messages: &[Message]) -> Vec<usize> {
    let said = (1..messages.len()).rev().filter(|at| messages[*at].is_said());
    let mut ends: Vec<usize> = said.take(2).map(|at| at - 1).collect();
    ends.extend(messages.len().checked_sub(1));
    ends
}

/// Asks the server to keep what it has read up to here. Thoughts take no mark.
pub(super) fn remember(block: Option<&mut Value>) {
    if let Some(block) = block
        && !matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
    {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
}

fn add(messages: &mut Vec<Message>, role: &'static str, blocks: Vec<Value>) {
    match messages.last_mut() {
        _ if blocks.is_empty() => {}
        Some(last) if last.role == role => last.content.extend(blocks),
        _ => messages.push(Message { role, content: blocks }),
    }
}

fn shown(turn: &Turn) -> Vec<Value> {
    turn.images.iter().map(image).chain(text(&turn.content)).collect()
}

fn image(image: &Image) -> Value {
    let source =
        json!({"type": "base64", "media_type": image.kind.media_type(), "data": &*image.base64});
    json!({"type": "image", "source": source})
}

fn text(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn said(turn: &Turn, model: &str) -> Vec<Value> {
    let block = |piece: Piece<'_>| match piece {
        Piece::Text { text: words, .. } => text(words),
        Piece::Call { called, .. } => Some(call(called)),
        Piece::Own(own) => serde_json::from_str(own).ok(),
    };
    pieces(turn, ProviderKind::Anthropic, model).into_iter().filter_map(block).collect()
}

fn call(called: &Called) -> Value {
    json!({"type": "tool_use", "id": id(&called.id, IDS), "name": name(&called.name),
        "input": arguments_object(&called.arguments)})
}

fn result(turn: &Turn) -> Value {
    let answered = turn.answers.as_deref().unwrap_or_default();
    let mut result = json!({"type": "tool_result", "tool_use_id": id(answered, IDS)});
    if let Some(text) = text(&turn.content) {
        result["content"] = json!([text]);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImageKind, history};
    use domain::{Kept, KeptPart};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn sent(turns: &[Turn]) -> Value {
        let turns = history::sent(turns);
        serde_json::to_value(messages(divided(&turns).1, "m1")).expect("plain data")
    }

    fn words(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    fn marked(text: &str) -> Value {
        json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}})
    }

    #[test]
    fn calls_results_and_pictures_stand_in_the_history() {
        let calls = vec![
            Called::new("toolu_a", "calculator", r#"{"expression": "2+2"}"#),
            Called::new("functions.look:0", "look around", ""),
        ];
        let picture =
            Image { name: "a picture".into(), kind: ImageKind::Png, base64: "iVBOR".into() };
        let turns = [
            Turn::new(Role::System, "You are Ada."),
            Turn::showing("2+2?", vec![picture]),
            Turn::new(Role::User, " "),
            Turn::calling("", calls),
            Turn::answering("toolu_a", "4"),
            Turn::answering("functions.look:0", ""),
            Turn::new(Role::User, "和？"),
            Turn::new(Role::Assistant, "4"),
            Turn::new(Role::Assistant, ""),
            Turn::new(Role::User, "Thanks"),
        ];
        let look = "call_db70920ce33b5e34802f962dda5e6495";
        let kept = json!({"type": "ephemeral"});
        let expected = json!([
            {"role": "user", "content": [
                {"type": "image",
                    "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR"}},
                words("2+2?"),
            ]},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_a", "name": "calculator",
                    "input": {"expression": "2+2"}},
                {"type": "tool_use", "id": look, "name": "look_around", "input": {},
                    "cache_control": kept},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_a", "content": [words("4")]},
                {"type": "tool_result", "tool_use_id": look},
                words("和？"),
            ]},
            {"role": "assistant", "content": [marked("4")]},
            {"role": "user", "content": [marked("Thanks")]},
        ]);
        assert_eq!(sent(&turns), expected);
    }

    #[test]
    fn a_person_has_the_first_word_and_the_last() {
        let filler = json!({"role": "user", "content": [words("…")]});
        let last = json!({"role": "user", "content": [marked("…")]});
        assert_eq!(sent(&[]), json!([last]));
        let answer = json!({"role": "assistant", "content": [marked("Hi")]});
        assert_eq!(sent(&[Turn::new(Role::Assistant, "Hi")]), json!([filler, answer, last]));
    }

    #[test]
    fn what_is_marked_is_the_end_and_what_stands_before_the_last_two_things_said() {
        let use_tool = |id: &str| {
            [Turn::calling("", vec![Called::new(id, "look", "{}")]), Turn::answering(id, "no")]
        };
        let [said, answer] = [Role::User, Role::Assistant].map(|role| Turn::new(role, "so"));
        let mut turns = vec![said.clone(), answer.clone(), said.clone(), answer.clone()];
        turns.extend([said.clone()].into_iter().chain(use_tool("a")).chain(use_tool("b")));
        let sent = sent(&turns);
        let is_marked = |message: &Value| message.to_string().contains("cache_control");
        let marked = (0..9).filter(|at| is_marked(&sent[at])).collect::<Vec<usize>>();
        assert_eq!(marked, [1, 3, 8]);
    }

    // Seen in anthropics/claude-code#12362, opencode#41738.
    #[test]
    fn thoughts_go_back_as_they_came_and_only_to_whom_they_came_from() {
        // As no serializer of ours would write it.
        let own = r#"{"type":"thinking","thinking":"\u00e9 \/","signature":"Eq+/=="}"#;
        let parts = vec![
            KeptPart::Own { json: own.into() },
            KeptPart::Text { bytes: 7, seal: None },
            KeptPart::Call { id: "toolu_a".into(), seal: None },
        ];
        let kept = Kept { by: ProviderKind::Anthropic, model: "m1".into(), parts };
        let turn = |kept: Kept| {
            let call = Called::new("toolu_a", "look", "{}");
            Turn::calling("I look.", vec![call]).keeping(Some(kept))
        };
        let thought = json!({"type": "thinking", "thinking": "é /", "signature": "Eq+/=="});
        let call = json!({"type": "tool_use", "id": "toolu_a", "name": "look", "input": {}});
        assert_eq!(
            sent(&[turn(kept.clone())])[1]["content"],
            json!([thought, words("I look."), call])
        );
        let without = json!([words("I look."), call]);
        let others = [
            Kept { model: "m2".into(), ..kept.clone() },
            Kept { by: ProviderKind::Gemini, ..kept.clone() },
        ];
        for other in others {
            assert_eq!(sent(&[turn(other)])[1]["content"], without);
        }
    }

    /// What the server checks.
    fn is_accepted(messages: &Value) -> Result<(), String> {
        let mut due: Vec<String> = Vec::new();
        let mut ids = HashSet::new();
        for (at, message) in (0..).zip(messages.as_array().expect("a list")) {
            let wrong = |what: &str| Err(format!("{what}: {message} in {messages}"));
            let expected = if at % 2 == 0 { "user" } else { "assistant" };
            let blocks = message["content"].as_array().expect("blocks");
            if message["role"] != expected || blocks.is_empty() {
                return wrong("whose turn it is");
            }
            for block in blocks {
                let id = |name: &str| block[name].as_str().expect("an id").to_owned();
                match block["type"].as_str() {
                    Some("tool_result") if due.first() == Some(&id("tool_use_id")) => {
                        due.remove(0);
                    }
                    Some("tool_result") => return wrong("a result"),
                    _ if !due.is_empty() && expected == "user" => return wrong("no result"),
                    Some("text") => {
                        if block["text"].as_str().is_none_or(|text| text.trim().is_empty()) {
                            return wrong("no words");
                        }
                    }
                    Some("tool_use") => {
                        if !block["input"].is_object() || !ids.insert(id("id")) {
                            return wrong("a call");
                        }
                        due.push(id("id"));
                    }
                    _ => return wrong("a block"),
                }
            }
        }
        let last = messages.as_array().and_then(|all| all.last()).expect("a last one");
        if last["role"] != "user" { Err(format!("the last word: {messages}")) } else { Ok(()) }
    }

    proptest! {
        #[test]
        fn every_history_is_one_that_the_server_accepts(
            turns in proptest::collection::vec(history::tests::any_turn(), 0..12)
        ) {
            prop_assert_eq!(is_accepted(&sent(&turns)), Ok(()));
        }
    }
}
