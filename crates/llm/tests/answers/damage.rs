//! What line noise, a bad proxy or another server could make of an answer.
//!
//! `COTERIE_FUZZ_CASES` says how many cases each property is tried on.

use crate::random::holds;
use crate::told::{dresses, fixtures, read, tell};
use llm::http::Reads;
use proptest::prelude::*;
use proptest::sample::Index;

/// Any bytes end in one end, and the same one however they are cut.
pub(crate) fn check_cuts<R: Reads>(reading: impl Fn() -> R, bytes: &[u8], cuts: &[usize]) {
    let whole = tell(&read(reading(), [bytes.to_vec()]));
    let told = tell(&read(reading(), cut(bytes, cuts)));
    assert_eq!(told, whole, "{:?}", String::from_utf8_lossy(bytes));
}

/// The bytes in pieces of these sizes, and what is left.
pub(crate) fn cut(bytes: &[u8], cuts: &[usize]) -> Vec<Vec<u8>> {
    let mut chunks = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (chunk, after) = rest.split_at((*cut).min(rest.len()));
        chunks.push(chunk.to_vec());
        rest = after;
    }
    chunks.push(rest.to_vec());
    chunks
}

pub(crate) fn any_cuts() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..200_usize, 0..40)
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

/// Somebody's fixtures, each in every dress.
pub(crate) fn any_cut_of_any_answer_gives_the_same<R: Reads>(reading: fn() -> R, folders: &[&str]) {
    holds((any_fixture(folders), any_cuts()), |(bytes, cuts)| check_cuts(reading, &bytes, &cuts));
}

/// The same with damages.
pub(crate) fn any_damage_leaves_one_end<R: Reads>(reading: fn() -> R, folders: &[&str]) {
    holds((any_fixture(folders), damages(), any_cuts()), |(bytes, damages, cuts)| {
        check_cuts(reading, &damaged(bytes, &damages), &cuts);
    });
}

pub(crate) fn any_bytes_have_one_end<R: Reads>(reading: fn() -> R) {
    let bytes = prop::collection::vec(any::<u8>(), 0..400);
    let cuts = prop::collection::vec(0..50_usize, 0..10);
    holds((bytes, cuts), |(bytes, cuts)| check_cuts(reading, &bytes, &cuts));
}

/// The three properties that every provider's reading has.
macro_rules! holds_whatever_comes {
    ($reading:expr, $folders:expr) => {
        // Seen in xberg-io/liter-llm#152, astrid#171, Intendant#411.
        #[test]
        fn any_cut_of_any_answer_gives_the_same_deltas() {
            crate::damage::any_cut_of_any_answer_gives_the_same($reading, $folders);
        }

        #[test]
        fn no_damage_causes_a_panic_or_an_answer_without_end() {
            crate::damage::any_damage_leaves_one_end($reading, $folders);
        }

        #[test]
        fn no_bytes_at_all_cause_a_panic() {
            crate::damage::any_bytes_have_one_end($reading);
        }
    };
}
pub(crate) use holds_whatever_comes;
