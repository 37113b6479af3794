//! The conversation as contents of parts.
//!
//! Expects a history as it is sent (`crate::history`). The two speakers take
//! turns: what one says in a row is one content, and all results of an answer's
//! calls stand in one.

use super::quirks::Quirks;
use crate::accepted::{IdForm, arguments_object, id, name};
use crate::kept::{Piece, pieces};
use crate::{Called, Role, Turn};
use domain::ProviderKind;
use serde::Serialize;
use serde_json::{Value, json};

const IDS: IdForm = IdForm::Word(64);

/// Says that a call came from somewhere else, and has no seal to look at.
const UNSEALED: &str = "skip_thought_signature_validator";

#[derive(Debug, Serialize)]
pub(super) struct Content {
    role: &'static str,
    parts: Vec<Value>,
}

/// The system prompt, which stands apart, and the rest.
pub(super) fn divided(turns: &[Turn]) -> (&[Turn], &[Turn]) {
    let spoken = turns.iter().position(|turn| turn.role != Role::System);
    turns.split_at(spoken.unwrap_or(turns.len()))
}

/// `turns` without the system prompt. What `model` wrote itself, it is given
/// back as it was.
pub(super) fn contents(turns: &[Turn], model: &str, quirks: Quirks) -> Vec<Content> {
    let mut contents: Vec<Content> = Vec::with_capacity(turns.len());
    let mut calls: &[Called] = &[];
    for turn in turns {
        match turn.role {
            Role::System | Role::User => add(&mut contents, "user", shown(turn)),
            Role::Assistant => {
                calls = &turn.calls;
                add(&mut contents, "model", said(turn, model, quirks));
            }
            Role::Tool => add(&mut contents, "user", vec![result(turn, calls)]),
        }
    }
    contents
}

fn add(contents: &mut Vec<Content>, role: &'static str, parts: Vec<Value>) {
    match contents.last_mut() {
        _ if parts.is_empty() => {}
        Some(last) if last.role == role => last.parts.extend(parts),
        _ => contents.push(Content { role, parts }),
    }
}

fn shown(turn: &Turn) -> Vec<Value> {
    let images = turn.images.iter().map(|image| {
        json!({"inlineData": {"mimeType": image.kind.media_type(), "data": &*image.base64}})
    });
    let text = (!turn.content.is_empty()).then(|| json!({"text": turn.content}));
    images.chain(text).collect()
}

fn said(turn: &Turn, model: &str, quirks: Quirks) -> Vec<Value> {
    let mut unsealed = quirks.sealed_calls.then_some(UNSEALED);
    let part = |piece: Piece<'_>| match piece {
        Piece::Text { text, seal } => sealed(json!({"text": text}), seal),
        Piece::Call { called, seal } => {
            // Only the first of several calls is looked at.
            let otherwise = unsealed.take();
            sealed(call(called), seal.or(otherwise))
        }
        Piece::Own(own) => serde_json::from_str(own).unwrap_or_else(|_| json!({"text": ""})),
    };
    pieces(turn, ProviderKind::Gemini, model).into_iter().map(part).collect()
}

fn sealed(mut part: Value, seal: Option<&str>) -> Value {
    if let Some(seal) = seal {
        part["thoughtSignature"] = seal.into();
    }
    part
}

fn call(called: &Called) -> Value {
    let args = arguments_object(&called.arguments);
    json!({"functionCall": {"id": id(&called.id, IDS), "name": name(&called.name), "args": args}})
}

fn result(turn: &Turn, calls: &[Called]) -> Value {
    let answered = turn.answers.as_deref().unwrap_or_default();
    let called = calls.iter().find(|call| call.id == answered);
    let tool = called.map_or("tool".into(), |called| name(&called.name));
    // Only an object can be a response.
    let response = match serde_json::from_str(&turn.content) {
        Ok(object @ Value::Object(_)) => object,
        _ => json!({"result": turn.content}),
    };
    json!({"functionResponse": {"id": id(answered, IDS), "name": tool, "response": response}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gemini::quirks;
    use crate::{Image, ImageKind, history};
    use domain::{Kept, KeptPart};
    use proptest::prelude::*;

    fn sent(turns: &[Turn], model: &str) -> Value {
        let turns = history::sent(turns);
        let contents = contents(divided(&turns).1, model, quirks::of(model));
        serde_json::to_value(contents).expect("plain data")
    }

    #[test]
    fn calls_results_and_pictures_stand_in_the_history() {
        let calls = vec![
            Called::new("a", "weather", r#"{"city": "Oslo"}"#),
            Called::new("functions.look:0", "look around", ""),
        ];
        let picture =
            Image { name: "a picture".into(), kind: ImageKind::Webp, base64: "UklG".into() };
        let turns = [
            Turn::new(Role::System, "You are Ada."),
            Turn::showing("这是什么？", vec![picture]),
            Turn::calling("", calls),
            Turn::answering("a", r#"{"sky": "grey"}"#),
            Turn::answering("functions.look:0", "dark"),
            Turn::new(Role::User, "And?"),
            Turn::new(Role::Assistant, "Rain."),
            Turn::new(Role::User, "Thanks"),
        ];
        let look = "call_db70920ce33b5e34802f962dda5e6495";
        let expected = json!([
            {"role": "user", "parts": [
                {"inlineData": {"mimeType": "image/webp", "data": "UklG"}}, {"text": "这是什么？"}]},
            {"role": "model", "parts": [
                {"functionCall": {"id": "a", "name": "weather", "args": {"city": "Oslo"}}},
                {"functionCall": {"id": look, "name": "look_around", "args": {}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "a", "name": "weather", "response": {"sky": "grey"}}},
                {"functionResponse": {
                    "id": look, "name": "look_around", "response": {"result": "dark"}}},
                {"text": "And?"}]},
            {"role": "model", "parts": [{"text": "Rain."}]},
            {"role": "user", "parts": [{"text": "Thanks"}]},
        ]);
        assert_eq!(sent(&turns, "gemini-2.5-flash"), expected);
    }

    #[test]
    fn seals_go_back_on_the_parts_that_they_came_on() {
        let parts = vec![
            KeptPart::Text { bytes: 7, seal: None },
            KeptPart::Text { bytes: 0, seal: Some("s+/=".into()) },
            KeptPart::Call { id: "a".into(), seal: Some("t".into()) },
            KeptPart::Call { id: "b".into(), seal: None },
        ];
        let kept = Kept { by: ProviderKind::Gemini, model: "gemini-3-pro".into(), parts };
        let calls = vec![Called::new("a", "look", "{}"), Called::new("b", "look", "{}")];
        let turns = [Turn::calling("I look.", calls).keeping(Some(kept))];
        let call = |id: &str| json!({"id": id, "name": "look", "args": {}});
        let own = json!([
            {"text": "I look."},
            {"text": "", "thoughtSignature": "s+/="},
            {"functionCall": call("a"), "thoughtSignature": "t"},
            {"functionCall": call("b")},
        ]);
        assert_eq!(sent(&turns, "gemini-3-pro")[1]["parts"], own);
        let stranger = json!([
            {"text": "I look."},
            {"functionCall": call("a"), "thoughtSignature": UNSEALED},
            {"functionCall": call("b")},
        ]);
        assert_eq!(sent(&turns, "gemini-3.1-flash")[1]["parts"], stranger);
        let older = json!([
            {"text": "I look."}, {"functionCall": call("a")}, {"functionCall": call("b")}]);
        assert_eq!(sent(&turns, "gemini-2.5-flash")[1]["parts"], older);
    }

    /// What the server checks: the speakers take turns, and an answer's calls
    /// have as many results right after it.
    fn is_accepted(contents: &Value) -> Result<(), String> {
        let mut due = 0;
        for (at, content) in (0..).zip(contents.as_array().expect("a list")) {
            let wrong = || Err(format!("{content} in {contents}"));
            let expected = if at % 2 == 0 { "user" } else { "model" };
            let parts = content["parts"].as_array().expect("parts");
            let count = |kind: &str| parts.iter().filter(|part| part.get(kind).is_some()).count();
            if content["role"] != expected || parts.is_empty() || count("functionResponse") != due {
                return wrong();
            }
            due = count("functionCall");
        }
        let last = contents.as_array().and_then(|all| all.last()).expect("a last one");
        if last["role"] == "user" { Ok(()) } else { Err(format!("the last word: {contents}")) }
    }

    proptest! {
        #[test]
        fn every_history_is_one_that_the_server_accepts(
            turns in proptest::collection::vec(history::tests::any_turn(), 0..12)
        ) {
            prop_assert_eq!(is_accepted(&sent(&turns, "gemini-3-pro")), Ok(()));
        }
    }
}
