//! What servers want back of a model's thinking, beside an answer in the history:
//! the list `reasoning_details`, or the text `reasoning_content`.
//!
//! Details come in pieces and go back as the list that they make, in their
//! order: signed and sealed words must stay what they were to the last letter.

use crate::Turn;
use domain::{Kept, KeptPart, ProviderKind};
use serde_json::Value;

#[derive(Default)]
pub(super) struct Details {
    all: Vec<Value>,
    thought: String,
}

/// What goes back beside one answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Back {
    pub(super) details: Option<Value>,
    pub(super) thought: Option<String>,
}

/// What comes in pieces. Everything else comes whole.
const GROWING: [&str; 2] = ["text", "summary"];

impl Details {
    /// Takes the next piece: more of the last detail, or one of its own.
    pub(super) fn take(&mut self, piece: &Value) {
        match self.all.last_mut() {
            Some(last) if continues(last, piece) => grow(last, piece),
            _ => self.all.push(piece.clone()),
        }
    }

    /// The next words of what is to go back as text.
    pub(super) fn think(&mut self, words: &str) {
        self.thought.push_str(words);
    }

    /// Everything, for the model that wrote it.
    pub(super) fn kept(&mut self, model: &str) -> Option<Kept> {
        let Details { all, thought } = std::mem::take(self);
        let own = match (all.is_empty(), thought.is_empty()) {
            (false, _) => Value::Array(all),
            (true, false) => Value::String(thought),
            (true, true) => return None,
        };
        let parts = vec![KeptPart::Own { json: own.to_string() }];
        Some(Kept { by: ProviderKind::Openai, model: model.to_owned(), parts })
    }
}

/// What belongs to this turn, if it is this model that it goes back to.
pub(super) fn back(turn: &Turn, model: &str) -> Back {
    let mine = |kept: &&Kept| kept.by == ProviderKind::Openai && kept.model == model;
    let parts = turn.kept.as_ref().filter(mine).map_or(&[][..], |kept| &kept.parts);
    let own = parts.iter().find_map(|part| match part {
        KeptPart::Own { json } => serde_json::from_str(json).ok(),
        KeptPart::Text { .. } | KeptPart::Call { .. } => None,
    });
    match own {
        Some(Value::String(thought)) => Back { details: None, thought: Some(thought) },
        details => Back { details, thought: None },
    }
}

/// Of the same kind and place, and with nothing in it that the last one has
/// already: what is signed is whole.
fn continues(last: &Value, piece: &Value) -> bool {
    let same = |field: &str| last[field] == piece[field];
    let grows = GROWING.iter().any(|field| last[field].is_string() && piece[field].is_string());
    let ends = piece["signature"].is_string() && piece["type"] == "reasoning.text";
    let is_signed = last["signature"].is_string();
    let has_id = |detail: &Value| detail["id"].is_string();
    same("type")
        && same("index")
        && (same("id") || !has_id(last) || !has_id(piece))
        && !is_signed
        && (grows || ends)
}

fn grow(last: &mut Value, piece: &Value) {
    for (field, value) in piece.as_object().into_iter().flatten().filter(|it| !it.1.is_null()) {
        match (&mut last[field], value) {
            (Value::String(text), Value::String(more)) if GROWING.contains(&&**field) => {
                text.push_str(more);
            }
            (known, value) => *known = value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(pieces: &[Value], expected: &Value) {
        let mut details = Details::default();
        pieces.iter().for_each(|piece| details.take(piece));
        let turn = Turn::new(crate::Role::Assistant, "").keeping(details.kept("m1"));
        assert_eq!(back(&turn, "m1").details.as_ref(), Some(expected));
        assert_eq!(back(&turn, "m2"), Back::default());
    }

    #[test]
    fn pieces_make_the_details_that_they_are_pieces_of() {
        let text = |text: &str, index: u32| json!({"type": "reasoning.text", "text": text, "index": index, "signature": null});
        let signed = json!({"type": "reasoning.text", "index": 0, "signature": "Eq+/=="});
        let sealed = |data: &str| json!({"type": "reasoning.encrypted", "data": data, "id": "rs_1", "index": 1});
        let whole = json!({"type": "reasoning.text", "text": "Let me think.", "index": 0, "signature": "Eq+/=="});
        check(
            &[text("Let me ", 0), text("think.", 0), signed, sealed("gA=="), sealed("gB==")],
            &json!([whole, sealed("gA=="), sealed("gB==")]),
        );
        check(&[text("a", 0), text("b", 1)], &json!([text("a", 0), text("b", 1)]));
        // What is signed is whole, with or without an index.
        let signed = |text: &str, signature: &str| json!({"type": "reasoning.text", "text": text, "signature": signature});
        check(&[signed("a", "s"), signed("b", "t")], &json!([signed("a", "s"), signed("b", "t")]));
        let summary = |text: &str| json!({"type": "reasoning.summary", "summary": text});
        check(&[summary("Let "), summary("me.")], &json!([summary("Let me.")]));
    }

    #[test]
    fn what_is_no_detail_is_sent_back_as_it_came() {
        check(&[json!("?"), json!(7)], &json!(["?", 7]));
        assert_eq!(Details::default().kept("m1"), None);
    }

    #[test]
    fn what_was_thought_goes_back_as_text_where_there_are_no_details() {
        let mut details = Details::default();
        ["Let me ", "\"think\"."].iter().for_each(|words| details.think(words));
        let turn = Turn::new(crate::Role::Assistant, "").keeping(details.kept("m1"));
        let thought = Some("Let me \"think\".".to_owned());
        assert_eq!(back(&turn, "m1"), Back { details: None, thought });
        assert_eq!(back(&turn, "m2"), Back::default());
    }
}
