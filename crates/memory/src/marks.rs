//! Which marks of a text carry its meaning, and which only divide it.
//!
//! Case, width and most punctuation say nothing of what is meant. But `1.5` is not
//! `15`, `-18` not `18`, and `C++` not `C`.

use unicode_normalization::UnicodeNormalization;

/// The text in small letters of one width, with one space where something divides it.
pub(crate) fn folded(text: &str) -> String {
    let all: Vec<char> = text.nfkc().flat_map(char::to_lowercase).map(one_minus).collect();
    let mut folded = String::with_capacity(text.len());
    for (at, &c) in all.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| all[at]);
        if c.is_alphanumeric() || carries(before, c, all.get(at + 1).copied()) {
            folded.push(c);
        } else if !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.trim().to_owned()
}

/// The same without what divides it, except two numbers.
pub(crate) fn closed_up(text: &str) -> String {
    let folded = folded(text);
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut closed = String::with_capacity(folded.len());
    let mut rest = folded.chars().peekable();
    while let Some(c) = rest.next() {
        let divides = c == ' ' && digit(closed.chars().last()) && digit(rest.peek().copied());
        if divides || !matches!(c, ' ' | '\'') {
            closed.push(c);
        }
    }
    closed
}

fn carries(before: Option<char>, mark: char, after: Option<char>) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match mark {
        '\'' => letter(before) && letter(after),
        // A sign, or a range; `F-16` is written in many ways.
        '-' => digit(after) && (digit(before) || !before.is_some_and(|c| c.is_ascii_alphabetic())),
        '.' => digit(after) && (digit(before) || !letter(before)),
        ',' | ':' => digit(before) && digit(after),
        _ => SIGNS.contains(mark),
    }
}

const SIGNS: &str = "+#%&/=<>@$€£¥₩₹^°§±×÷√≤≥≠\\";

fn one_minus(c: char) -> char {
    if matches!(c, '\u{2212}' | '\u{2010}'..='\u{2013}') { '-' } else { c }
}
