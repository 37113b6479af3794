//! Says of the person what they say of themselves: `my garden` is theirs.

use super::regex;
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What a person likes or has, in the words of somebody who tells of them. What is written with a
/// capital is a title: `My Fair Lady`.
pub(super) fn theirs(said: &str) -> String {
    static OF_ME: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"\b(?:(?P<am>(?:I am|I'm|we are|we're)\b)|(?P<was>I was\b)|(?P<i>(?:I|we)\b) (?P<next>\w)",
            r"|(?P<my>my|our)\b|(?P<mine>mine|ours)\b|(?P<me>me|us)\b|(?P<self>myself|ourselves)\b)",
        ))
    });
    const THEIRS: [(&str, &str); 6] = [
        ("am", "they are"),
        ("was", "they were"),
        ("my", "their"),
        ("mine", "theirs"),
        ("me", "them"),
        ("self", "themselves"),
    ];
    let told = |found: &Captures<'_>| {
        let theirs = THEIRS.iter().find(|(mine, _)| found.name(mine).is_some());
        match (theirs, found.name("next")) {
            (Some((_, theirs)), _) => (*theirs).to_owned(),
            (None, Some(next)) => format!("they {}", next.as_str()),
            (None, None) => found[0].to_owned(),
        }
    };
    OF_ME.replace_all(said, told).into_owned()
}

/// The same in Chinese.
pub(super) fn theirs_in_chinese(said: &str) -> String {
    said.replace("我们的", "自己的").replace("我的", "自己的").replace("我自己", "自己")
}
