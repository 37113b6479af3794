//! What a model wants back with its answers: noted while an answer comes, and
//! laid out again when it is sent back.
//!
//! A model is given back its own, byte for byte and in the order in which it
//! wrote it. Another model cannot read it, so it is told only what was said
//! and called. Should the words have changed since, they stand where words
//! stood, and the rest stays as it was.

use crate::{Called, Turn};
use domain::{Kept, KeptPart, ProviderKind};

/// An answer's pieces in their order, as they come.
#[derive(Debug, Default)]
pub(crate) struct Keeping {
    parts: Vec<KeptPart>,
}

impl Keeping {
    /// A piece of the answer's text. What comes with a seal is a part of its own.
    pub(crate) fn text(&mut self, piece: &str, seal: Option<&str>) {
        let more = u32::try_from(piece.len()).unwrap_or(u32::MAX);
        match (self.parts.last_mut(), seal) {
            (Some(KeptPart::Text { bytes, seal: None }), None) => {
                *bytes = bytes.saturating_add(more);
            }
            (_, None) if more == 0 => {}
            _ => {
                let seal = seal.map(str::to_owned);
                self.parts.push(KeptPart::Text { bytes: more, seal });
            }
        }
    }

    pub(crate) fn call(&mut self, id: &str, seal: Option<&str>) {
        let seal = seal.map(str::to_owned);
        self.parts.push(KeptPart::Call { id: id.to_owned(), seal });
    }

    pub(crate) fn own(&mut self, json: String) {
        self.parts.push(KeptPart::Own { json });
    }

    /// Nothing, when there was nothing but words and calls.
    pub(crate) fn finish(self, by: ProviderKind, model: &str) -> Option<Kept> {
        let matters = |part: &KeptPart| match part {
            KeptPart::Text { seal, .. } | KeptPart::Call { seal, .. } => seal.is_some(),
            KeptPart::Own { .. } => true,
        };
        let kept = Kept { by, model: model.to_owned(), parts: self.parts };
        kept.parts.iter().any(matters).then_some(kept)
    }
}

/// One piece of an answer that is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Text {
        text: &'a str,
        seal: Option<&'a str>,
    },
    Call {
        called: &'a Called,
        seal: Option<&'a str>,
    },
    /// JSON as it came.
    Own(&'a str),
}

/// What an assistant's turn consists of, for this model of this interface.
/// Every word and every call of the turn is in it once.
pub(crate) fn pieces<'a>(turn: &'a Turn, by: ProviderKind, model: &str) -> Vec<Piece<'a>> {
    let mine = turn.kept.as_ref().filter(|kept| kept.by == by && kept.model == model);
    let parts = mine.map_or(&[][..], |kept| &kept.parts);
    let mut texts = texts(&turn.content, parts).into_iter();
    let mut calls: Vec<Option<&Called>> = turn.calls.iter().map(Some).collect();
    let mut pieces = Vec::new();
    for part in parts {
        match part {
            KeptPart::Text { seal, .. } => {
                let text = texts.next().unwrap_or_default();
                pieces.push(Piece::Text { text, seal: seal.as_deref() });
            }
            KeptPart::Call { id, seal } => {
                let mut left = calls.iter_mut();
                let called = left.find(|call| call.is_some_and(|call| call.id == *id));
                if let Some(called) = called.and_then(Option::take) {
                    pieces.push(Piece::Call { called, seal: seal.as_deref() });
                }
            }
            KeptPart::Own { json } => pieces.push(Piece::Own(json)),
        }
    }
    // Words that had no place are said before the first call.
    let rest: Vec<_> = texts.map(|text| Piece::Text { text, seal: None }).collect();
    let first_call = pieces.iter().position(|piece| matches!(piece, Piece::Call { .. }));
    let at = first_call.unwrap_or(pieces.len());
    pieces.splice(at..at, rest);
    pieces.extend(calls.into_iter().flatten().map(|called| Piece::Call { called, seal: None }));
    let says = |piece: &Piece| !matches!(piece, Piece::Text { text: "", seal: None });
    pieces.retain(says);
    pieces
}

/// The content divided as it was written; in one piece if it is not what was
/// written any more.
fn texts<'a>(content: &'a str, parts: &[KeptPart]) -> Vec<&'a str> {
    let mut rest = content;
    let mut texts = Vec::new();
    for part in parts {
        let KeptPart::Text { bytes, .. } = part else { continue };
        let Some((text, after)) = rest.split_at_checked(*bytes as usize) else {
            return vec![content];
        };
        texts.push(text);
        rest = after;
    }
    if rest.is_empty() { texts } else { vec![content] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BY: ProviderKind = ProviderKind::Anthropic;

    fn own(json: &str) -> KeptPart {
        KeptPart::Own { json: json.into() }
    }

    fn text(bytes: u32, seal: Option<&str>) -> KeptPart {
        KeptPart::Text { bytes, seal: seal.map(str::to_owned) }
    }

    fn call(id: &str, seal: Option<&str>) -> KeptPart {
        KeptPart::Call { id: id.into(), seal: seal.map(str::to_owned) }
    }

    #[test]
    fn what_was_written_is_noted_in_its_order_and_only_if_there_is_something() {
        let mut keeping = Keeping::default();
        keeping.text("", None);
        keeping.text("Hi ", None);
        keeping.text("字", None);
        keeping.call("a", None);
        assert_eq!(keeping.finish(BY, "m1"), None);
        let mut keeping = Keeping::default();
        keeping.own("{}".into());
        keeping.text("Hi ", None);
        keeping.text("字", Some("s"));
        keeping.text("!", None);
        keeping.call("a", Some("t"));
        let words = [text(3, None), text(3, Some("s")), text(1, None)];
        let parts = [vec![own("{}")], words.to_vec(), vec![call("a", Some("t"))]].concat();
        let expected = Kept { by: BY, model: "m1".into(), parts };
        assert_eq!(keeping.finish(BY, "m1"), Some(expected));
    }

    #[test]
    fn only_the_model_that_wrote_it_gets_it_back_and_in_its_order() {
        let calls = vec![Called::new("a", "look", "{}"), Called::new("b", "look", "{}")];
        let parts =
            vec![own("1"), text(3, None), own("2"), text(3, Some("s")), call("b", Some("t"))];
        let kept = Kept { by: BY, model: "m1".into(), parts };
        let turn =
            |content: &str| Turn::calling(content, calls.clone()).keeping(Some(kept.clone()));
        let words = |text, seal| Piece::Text { text, seal };
        let used = |called, seal| Piece::Call { called, seal };
        let whole = turn("one字");
        let expected = [
            Piece::Own("1"),
            words("one", None),
            Piece::Own("2"),
            words("字", Some("s")),
            used(&calls[1], Some("t")),
            used(&calls[0], None),
        ];
        assert_eq!(pieces(&whole, BY, "m1"), expected);
        let told = [words("one字", None), used(&calls[0], None), used(&calls[1], None)];
        assert_eq!(pieces(&whole, BY, "m2"), told);
        assert_eq!(pieces(&whole, ProviderKind::Gemini, "m1"), told);
        // Changed words: the whole text stands where text stood first.
        let changed = turn("something else");
        let expected = [
            Piece::Own("1"),
            words("something else", None),
            Piece::Own("2"),
            words("", Some("s")),
            used(&calls[1], Some("t")),
            used(&calls[0], None),
        ];
        assert_eq!(pieces(&changed, BY, "m1"), expected);
    }

    #[test]
    fn what_is_kept_comes_back_from_the_store_byte_for_byte() {
        let parts =
            vec![own("{\"signature\":\"a+/=\\u0000\"}"), text(1, Some("é\n")), call("a", None)];
        let kept = Kept { by: BY, model: "m1".into(), parts };
        let stored = serde_json::to_string(&kept).expect("plain data");
        assert_eq!(serde_json::from_str::<Kept>(&stored).expect("as it was"), kept);
    }

    fn any_part() -> impl Strategy<Value = KeptPart> {
        let seal = proptest::option::of("[a-z]{1,3}");
        prop_oneof![
            (0..6_u32, seal.clone()).prop_map(|(bytes, seal)| KeptPart::Text { bytes, seal }),
            ("[a-d]", seal).prop_map(|(id, seal)| KeptPart::Call { id, seal }),
            "[a-z]{0,3}".prop_map(|json| KeptPart::Own { json }),
        ]
    }

    proptest! {
        #[test]
        fn no_word_and_no_call_is_lost_or_said_twice_whatever_was_kept(
            content in "[a-z字]{0,8}",
            ids in proptest::sample::subsequence(vec!["a", "b", "c"], 0..3),
            parts in proptest::collection::vec(any_part(), 0..8),
        ) {
            let calls: Vec<_> = ids.iter().map(|id| Called::new(*id, "look", "{}")).collect();
            let kept = Kept { by: BY, model: "m1".into(), parts };
            let turn = Turn::calling(&*content, calls).keeping(Some(kept));
            let (mut said, mut called) = (String::new(), Vec::new());
            for piece in pieces(&turn, BY, "m1") {
                match piece {
                    Piece::Text { text, .. } => said += text,
                    Piece::Call { called: call, .. } => called.push(call.id.as_str()),
                    Piece::Own(_) => {}
                }
            }
            called.sort_unstable();
            prop_assert_eq!((said, called), (content, ids));
        }
    }
}
