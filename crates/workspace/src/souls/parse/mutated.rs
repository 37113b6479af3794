//! Front matter broken in every way that chance finds.

use super::*;
use crate::souls::place::lines;
use proptest::prelude::*;

#[path = "../../../../../tests/harness/random.rs"]
mod random;
use random::holds;

/// The starting point of the mutations: everything that is allowed.
const SEED: &str = "\u{feff}---\nname: 林夏\nrole: \"Cook: good\"\ntemperature: 0.7\ntools: [a, 'b', c]\n\
    policy:\n  x: {y: [1, 2.5, ~]}\nheartbeat: |\n  a\n  b\nother: >-\n  folded\n---\n# You\n\n---\ntext\n";

const PIECES: &[&str] = &[
    "---\n",
    "---",
    "...\n",
    ":",
    ": ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "  ",
    "- ",
    "? ",
    "&a ",
    "*a",
    "<<: *a\n",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\"",
    "'",
    "|",
    ">-\n",
    "!",
    "!!int ",
    "!<x> ",
    "%TAG ! x\n",
    "#",
    " #",
    "@",
    "`",
    "\\",
    "\\u12",
    "\u{0}",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "💥",
    "e\u{301}",
    "temperature: 9\n",
    "name: x y\n",
    "0x1F",
    ".inf",
    "1e999",
    "-",
    "~",
];

#[derive(Debug, Clone)]
enum Mutation {
    Insert(usize, usize),
    Delete(usize, usize),
    Repeat(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        4 => (any::<usize>(), 0..PIECES.len()).prop_map(|(at, piece)| Mutation::Insert(at, piece)),
        2 => (any::<usize>(), 1..20usize).prop_map(|(at, length)| Mutation::Delete(at, length)),
        1 => (any::<usize>(), 1..40usize).prop_map(|(at, length)| Mutation::Repeat(at, length)),
    ]
}

fn mutated(mutations: &[Mutation]) -> String {
    let mut text: Vec<char> = SEED.chars().collect();
    for mutation in mutations {
        let place = |at: &usize| at % (text.len() + 1);
        match mutation {
            Mutation::Insert(at, piece) => {
                let at = place(at);
                text.splice(at..at, PIECES[*piece].chars());
            }
            Mutation::Delete(at, length) => {
                let at = place(at);
                text.drain(at..(at + length).min(text.len()));
            }
            Mutation::Repeat(at, length) => {
                let at = place(at);
                let copy = text[at..(at + length).min(text.len())].to_vec();
                text.splice(at..at, copy);
            }
        }
    }
    text.into_iter().collect()
}

#[test]
fn no_text_makes_it_panic_and_every_place_is_in_the_text() {
    holds(prop::collection::vec(mutation(), 0..8), |mutations| {
        let text = mutated(&mutations);
        let Checked { errors, warnings } = check("ada", &text);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for problem in errors.iter().chain(&warnings) {
            let line = lines(text).nth(problem.line as usize - 1).map_or("", |line| line.text);
            let is_there = problem.line as usize <= lines(text).count() + 1;
            assert!(is_there, "{problem:?} in {text:?}");
            let columns = 1..=line.chars().count() + 1;
            assert!(columns.contains(&(problem.column as usize)), "{problem:?} in {text:?}");
        }
    });
}

#[test]
fn a_text_is_a_soul_exactly_if_it_has_no_errors() {
    holds(prop::collection::vec(mutation(), 0..3), |mutations| {
        let text = mutated(&mutations);
        let checked = check("ada", &text);
        match parse("ada", &text) {
            Ok(soul) => {
                assert!(checked.errors.is_empty() && !soul.persona.is_empty());
                assert_eq!(checked.warnings, soul.warnings);
            }
            Err(errors) => assert!(!errors.is_empty() && errors == checked.errors),
        }
    });
}

#[test]
fn any_bytes_can_be_checked() {
    holds(prop::collection::vec(any::<u8>(), 0..200), |bytes| {
        let mut front = b"---\n".to_vec();
        front.extend(&bytes);
        check_bytes(OsStr::new("ada.md"), &bytes);
        check_bytes(OsStr::new("ada.md"), &front);
    });
}
