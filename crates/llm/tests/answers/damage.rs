//! What line noise, a bad proxy or another server could make of an answer.

use crate::told::{dresses, fixtures, read, tell};
use llm::http::Reads;
use proptest::prelude::*;
use proptest::sample::Index;

/// Any bytes end in one end, and the same one however they are cut.
pub(crate) fn check_cuts<R: Reads>(reading: impl Fn() -> R, bytes: &[u8], cuts: &[usize]) {
    let whole = tell(&read(reading(), [bytes.to_vec()]));
    let mut chunks = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (chunk, after) = rest.split_at((*cut).min(rest.len()));
        chunks.push(chunk.to_vec());
        rest = after;
    }
    chunks.push(rest.to_vec());
    assert_eq!(tell(&read(reading(), chunks)), whole, "{:?}", String::from_utf8_lossy(bytes));
}

pub(crate) fn any_fixture(folders: &[&str]) -> impl Strategy<Value = Vec<u8>> + use<> {
    let all: Vec<Vec<u8>> = folders
        .iter()
        .flat_map(|folder| fixtures(folder))
        .flat_map(|(name, bytes)| dresses(&name, &bytes).into_iter().map(|(_, bytes)| bytes))
        .collect();
    proptest::sample::select(all)
}

#[derive(Debug, Clone)]
pub(crate) enum Damage {
    Byte(u8),
    Without(usize),
    Twice(usize),
    Word(&'static str),
}

pub(crate) fn damages() -> impl Strategy<Value = Vec<(Index, Damage)>> {
    let words = prop::sample::select(vec![
        "\n",
        "\r",
        "\n\n",
        "data:",
        ":",
        "[DONE]",
        "null",
        "{}",
        "[]",
        "\"",
        "\\u0000",
        "-1",
        "1e999",
        "\u{feff}",
        "\"error\":",
        "\"index\":",
        "\"id\":\"call_a\"",
        "\"type\":\"content_block_start\"",
        "\"done\":true",
        "<",
    ]);
    let damage = prop_oneof![
        any::<u8>().prop_map(Damage::Byte),
        (1..60_usize).prop_map(Damage::Without),
        (1..60_usize).prop_map(Damage::Twice),
        words.prop_map(Damage::Word),
    ];
    prop::collection::vec((any::<Index>(), damage), 1..6)
}

pub(crate) fn damaged(mut bytes: Vec<u8>, damages: &[(Index, Damage)]) -> Vec<u8> {
    for (at, damage) in damages {
        let at = at.index(bytes.len() + 1);
        let after = |length: usize| at..(at + length).min(bytes.len());
        match damage {
            Damage::Byte(byte) => bytes.splice(after(1), [*byte]).for_each(drop),
            Damage::Without(length) => bytes.splice(after(*length), []).for_each(drop),
            Damage::Twice(length) => {
                let piece = bytes[after(*length)].to_vec();
                bytes.splice(at..at, piece).for_each(drop);
            }
            Damage::Word(word) => bytes.splice(at..at, word.bytes()).for_each(drop),
        }
    }
    bytes
}

/// These cases cost little, so there are forty for each one that is asked for.
pub(crate) fn many() -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig { cases: asked.cases.saturating_mul(40), ..asked }
}

/// The three properties that every provider's reading has.
macro_rules! holds_whatever_comes {
    ($reading:expr, $folders:expr) => {
        proptest::proptest! {
            #[test]
            fn any_cut_of_any_answer_gives_the_same_deltas(
                bytes in crate::damage::any_fixture($folders),
                cuts in proptest::collection::vec(0..200_usize, 0..40),
            ) {
                crate::damage::check_cuts($reading, &bytes, &cuts);
            }
        }

        proptest::proptest! {
            #![proptest_config(crate::damage::many())]

            #[test]
            fn no_damage_causes_a_panic_or_an_answer_without_end(
                bytes in crate::damage::any_fixture($folders),
                damages in crate::damage::damages(),
                cuts in proptest::collection::vec(0..200_usize, 0..40),
            ) {
                crate::damage::check_cuts($reading, &crate::damage::damaged(bytes, &damages), &cuts);
            }

            #[test]
            fn no_bytes_at_all_cause_a_panic(
                bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400),
                cuts in proptest::collection::vec(0..50_usize, 0..10),
            ) {
                crate::damage::check_cuts($reading, &bytes, &cuts);
            }
        }
    };
}
pub(crate) use holds_whatever_comes;
