//! Tool calls put together from fragments, in every way in which servers send
//! them, and in none.

use crate::damage::{any_cuts, cut};
use crate::random::holds;
use crate::told::{asked, minting, read, tell};
use llm::openai::Reading;
use llm::{Delta, Finish};
use proptest::prelude::*;
use serde_json::{Value, json};

fn told(entries: &[Value], cuts: &[usize]) -> crate::told::Told {
    let mut body = String::new();
    for entry in entries {
        let chunk = json!({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]});
        body += &format!("data: {chunk}\n\n");
    }
    body += "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
    body += "data: [DONE]\n\n";
    let reading = || Reading::minting(asked(), minting());
    let whole = tell(&read(reading(), [body.clone().into_bytes()]));
    assert_eq!(tell(&read(reading(), cut(body.as_bytes(), cuts))), whole, "{body}");
    whole
}

/// How a server marks which call a fragment belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marks {
    /// By index; id and name on the first fragment.
    Index,
    /// By index, with the id on every fragment.
    IndexAndId,
    /// By index, with one id for all of them on every fragment.
    IndexUnderOneId,
    /// By id alone.
    Id,
    /// By id, and all under index 0.
    IdUnderOneIndex,
    /// By the id on the first fragment; the others follow it.
    FirstId,
    /// The same, all under index 0.
    FirstIdUnderOneIndex,
    /// Not at all: a name begins a call.
    Name,
}

const MARKS: [Marks; 8] = [
    Marks::Index,
    Marks::IndexAndId,
    Marks::IndexUnderOneId,
    Marks::Id,
    Marks::IdUnderOneIndex,
    Marks::FirstId,
    Marks::FirstIdUnderOneIndex,
    Marks::Name,
];

impl Marks {
    /// Whether fragments of several calls can come in any order.
    fn tell_apart(self) -> bool {
        match self {
            Marks::Index
            | Marks::IndexAndId
            | Marks::IndexUnderOneId
            | Marks::Id
            | Marks::IdUnderOneIndex => true,
            Marks::FirstId | Marks::FirstIdUnderOneIndex | Marks::Name => false,
        }
    }

    fn fragment(self, call: usize, is_first: bool, name: &str, arguments: &str) -> Value {
        let mut entry = json!({"function": {"arguments": arguments}});
        let has_id = match self {
            Marks::Index | Marks::FirstId | Marks::FirstIdUnderOneIndex => is_first,
            Marks::IndexAndId | Marks::IndexUnderOneId | Marks::Id | Marks::IdUnderOneIndex => true,
            Marks::Name => false,
        };
        if has_id {
            entry["id"] = match self {
                Marks::IndexUnderOneId => json!("call"),
                _ => json!(format!("call_{call}")),
            };
        }
        if is_first {
            entry["function"]["name"] = json!(name);
        }
        match self {
            Marks::Index | Marks::IndexAndId | Marks::IndexUnderOneId => {
                entry["index"] = json!(call);
            }
            Marks::IdUnderOneIndex | Marks::FirstIdUnderOneIndex => entry["index"] = json!(0),
            Marks::Id | Marks::FirstId | Marks::Name => {}
        }
        entry
    }
}

#[derive(Debug)]
struct AnyCall {
    name: &'static str,
    /// Its arguments as they are sent.
    pieces: Vec<String>,
}

fn any_calls() -> impl Strategy<Value = Vec<AnyCall>> {
    let bits = prop::sample::select(vec!["x", "\"", "\\", "{", "}", "[", "]", ", ", "北", "\n"]);
    let text = prop::collection::vec(bits, 0..8).prop_map(|bits| bits.concat());
    let arguments = prop_oneof![
        text.clone().prop_map(|text| json!({"city": text})),
        (text, any::<i32>()).prop_map(|(text, n)| json!({"a": {"b": [n, text]}, "c": null})),
    ];
    let name = prop::sample::select(vec!["weather", "look", "now"]);
    let pieces = |(arguments, cuts): (Value, Vec<usize>)| {
        let text = arguments.to_string();
        let letters: Vec<char> = text.chars().collect();
        let mut rest = &letters[..];
        let mut pieces = Vec::new();
        for cut in cuts {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece.iter().collect());
            rest = after;
        }
        pieces.push(rest.iter().collect());
        pieces
    };
    let arguments = (arguments, prop::collection::vec(0..9_usize, 0..4)).prop_map(pieces);
    let call = (name, arguments).prop_map(|(name, pieces)| AnyCall { name, pieces });
    prop::collection::vec(call, 1..4)
}

#[test]
fn calls_come_out_as_they_were_made_however_a_server_marks_their_fragments() {
    let order = prop::collection::vec(any::<prop::sample::Index>(), 40);
    let any = (any_calls(), prop::sample::select(&MARKS[..]), order, any_cuts());
    holds(any, |(calls, marks, order, cuts)| {
        // How much of each call was sent. One begins after those before it.
        let mut sent = vec![0; calls.len()];
        let mut entries = Vec::new();
        loop {
            let begun = sent.iter().take_while(|sent| **sent > 0).count();
            let open: Vec<usize> = (0..calls.len().min(begun + 1))
                .filter(|at| sent[*at] < calls[*at].pieces.len())
                .collect();
            if open.is_empty() {
                break;
            }
            let turn =
                if marks.tell_apart() { order[entries.len() % 40].get(&open) } else { &open[0] };
            let AnyCall { name, pieces } = &calls[*turn];
            entries.push(marks.fragment(*turn, sent[*turn] == 0, name, &pieces[sent[*turn]]));
            sent[*turn] += 1;
        }
        let told = told(&entries, &cuts);
        let expected: Vec<_> = (0..)
            .zip(&calls)
            .map(|(at, AnyCall { name, pieces })| {
                let id = match marks {
                    Marks::Name => format!("minted_{}", at + 1),
                    // No two calls have one id.
                    Marks::IndexUnderOneId if at > 0 => format!("minted_{at}"),
                    Marks::IndexUnderOneId => "call".into(),
                    _ => format!("call_{at}"),
                };
                [id, (*name).to_owned(), pieces.concat()]
            })
            .collect();
        assert_eq!(told.calls, expected, "{marks:?} {entries:?}");
        let by_calls = matches!(told.end, Some(Delta::Done { finish: Finish::ToolCalls, .. }));
        assert!(by_calls, "{:?}", told.end);
    });
}

#[test]
fn no_fragments_lose_an_argument_or_make_two_calls_of_one_id() {
    let index = prop::option::of(prop_oneof![(0..3_u64).prop_map(Value::from), Just(json!("0"))]);
    let id = prop::option::of(prop::sample::select(vec!["", "a", "b", "c"]));
    let name = prop::option::of(prop::sample::select(vec!["", "look", "now", "北"]));
    let arguments = prop::option::of(prop::sample::select(vec![
        json!(""),
        json!("{"),
        json!("}"),
        json!("{}"),
        json!("\"x"),
        json!("\\\""),
        json!("{\"a\":1}"),
        json!({"a": 1}),
        json!([1]),
        json!(null),
        json!(7),
    ]));
    let fragment = (index, id, name, arguments).prop_map(|(index, id, name, arguments)| {
        let mut entry = json!({"function": {}});
        let function = [("name", name.map(Value::from)), ("arguments", arguments)];
        for (field, value) in function.into_iter().filter_map(|(f, v)| Some((f, v?))) {
            entry["function"][field] = value;
        }
        for (field, value) in [("index", index), ("id", id.map(Value::from))] {
            if let Some(value) = value {
                entry[field] = value;
            }
        }
        entry
    });
    holds((prop::collection::vec(fragment, 0..12), any_cuts()), |(entries, cuts)| {
        // That a call has one id and one name is checked where it is told.
        let told = told(&entries, &cuts);
        let is_whole = matches!(told.end, Some(Delta::Done { .. }));
        for [id, name, arguments] in &told.calls {
            assert!(!id.is_empty() && !name.is_empty(), "{told:?}");
            assert!(!is_whole || !arguments.trim().is_empty(), "{told:?}");
        }
        let sent: usize = entries.iter().map(|entry| entry.to_string().len()).sum();
        let came: usize = told.calls.iter().map(|[_, _, arguments]| arguments.len()).sum();
        assert!(came <= sent + 2 * told.calls.len(), "{entries:?} became {told:?}");
    });
}
