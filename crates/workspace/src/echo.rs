//! Answers that add nothing: bare acknowledgements and repetitions.
//!
//! Among agents they keep a conversation going that has nothing left to say,
//! so they are dropped, with the reason on record. A person's own question is
//! always answered, even with "yes".

use std::collections::HashSet;

/// Share of common character trigrams above which two texts say the same.
const SAME: f64 = 0.85;

const ACKNOWLEDGEMENTS: &[&str] = &[
    "ok",
    "okay",
    "k",
    "yes",
    "yep",
    "sure",
    "agreed",
    "i agree",
    "got it",
    "understood",
    "noted",
    "thanks",
    "thank you",
    "great",
    "sounds good",
    "makes sense",
    "will do",
    "done",
    "right",
    "exactly",
    "good point",
    "same",
    "me too",
    "fine",
    "perfect",
    "youre welcome",
    "好",
    "好的",
    "好吧",
    "行",
    "可以",
    "收到",
    "明白",
    "明白了",
    "知道了",
    "同意",
    "没问题",
    "谢谢",
    "谢谢你",
    "是的",
    "对",
    "嗯",
    "嗯嗯",
    "不客气",
    "了解",
    "赞同",
];

/// Whether a text only says that it was heard.
pub(crate) fn is_bare_acknowledgement(text: &str) -> bool {
    let bare = normal(text);
    let without_name = bare
        .split_once(' ')
        .map(|(_, rest)| rest.to_owned())
        .filter(|_| text.trim_start().starts_with('@'));
    ACKNOWLEDGEMENTS.contains(&bare.as_str())
        || without_name.is_some_and(|rest| ACKNOWLEDGEMENTS.contains(&rest.as_str()))
        || (bare.is_empty() && !text.trim().is_empty())
}

/// Whether two texts say the same in nearly the same characters (Jaccard
/// index of their character trigrams).
pub(crate) fn is_near_duplicate(one: &str, other: &str) -> bool {
    let (one, other) = (normal(one), normal(other));
    if one == other {
        return true;
    }
    let (one, other) = (trigrams(&one), trigrams(&other));
    let common = one.intersection(&other).count();
    let either = one.len() + other.len() - common;
    either > 0 && common as f64 / either as f64 >= SAME
}

/// Lower case, without punctuation and pictures, single spaces.
fn normal(text: &str) -> String {
    let kept: String = text
        .to_lowercase()
        .chars()
        .filter(|c| !matches!(c, '\'' | '’'))
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn trigrams(text: &str) -> HashSet<[char; 3]> {
    let characters: Vec<char> = text.chars().collect();
    characters.windows(3).map(|window| [window[0], window[1], window[2]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledgements_are_known_in_both_languages() {
        for text in ["OK.", "Got it!", "@Bo thanks", "👍", "好的。", "收到！", "I agree"] {
            assert!(is_bare_acknowledgement(text), "{text}");
        }
        for text in ["OK, but the deadline is Friday", "好的，但是周五才行", "No.", "42", ""]
        {
            assert!(!is_bare_acknowledgement(text), "{text}");
        }
    }

    #[test]
    fn repetitions_are_known() {
        assert!(is_near_duplicate("The answer is 42.", "the answer is 42"));
        assert!(is_near_duplicate(
            "We should first measure the baseline before changing anything at all.",
            "We should first measure the baseline, before changing anything at all!"
        ));
        assert!(!is_near_duplicate("The answer is 42.", "The answer is 17, I think."));
        assert!(!is_near_duplicate("yes", "no"));
    }
}
