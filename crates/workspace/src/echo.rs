//! Answers that add nothing: bare acknowledgements and repetitions.
//!
//! Among agents they keep a conversation going that has nothing left to say,
//! so they are dropped, with the reason on record. A person's own question is
//! always answered, even with "yes".

/// Punctuation between words, wherever it stands.
const PAUSES: &str = "。，！？；：、…—《》「」『』（）【】“”‘";
/// What may stand before a word and is not of it; a sign is, as in -5.
const OPENING: &str = "\"'([{*_`~";
const CLOSING: &str = "\"')]}*_`~.,!?;:";

/// Words that may come or go, and leave a sentence saying what it said.
const SAYING_NOTHING: &[&str] = &[
    "a", "an", "the", "that", "so", "just", "really", "very", "quite", "also", "too", "then",
    "well", "and", "indeed", "again", "oh", "ok", "okay", "的", "吧", "呢", "啊", "嘛", "呀", "哦",
    "嗯", "也", "就", "很", "那",
];

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

/// The pictures that such a text is, where it has no words.
pub(crate) fn sign_in(text: &str) -> Option<&str> {
    let is_picture = |c: char| !c.is_ascii() && !PAUSES.contains(c);
    (normal(text).is_empty() && text.contains(is_picture)).then(|| text.trim())
}

/// Whether two texts differ in nothing but letters' case, punctuation and words that
/// say nothing. One word that says something is enough to tell them apart: what is
/// safe from what is not, option A from option B, 5 from -5. So does a question mark:
/// an answer may well have the words of its question.
pub(crate) fn is_near_duplicate(one: &str, other: &str) -> bool {
    asks(one) == asks(other) && words(one) == words(other)
}

fn asks(text: &str) -> bool {
    text.contains(['?', '？'])
}

/// The words that say something, in their order. A character of a script that is
/// written without spaces is a word.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len());
    for c in text.to_lowercase().chars() {
        match c {
            '’' => spaced.push('\''),
            c if is_written_without_spaces(c) => spaced.extend([' ', c, ' ']),
            c if PAUSES.contains(c) => spaced.push(' '),
            c => spaced.push(c),
        }
    }
    let bare = spaced.split_whitespace().map(|word| {
        let word = word.trim_start_matches(|c| OPENING.contains(c));
        word.trim_end_matches(|c| CLOSING.contains(c))
    });
    bare.filter(|word| !word.is_empty() && !SAYING_NOTHING.contains(word)).map(Into::into).collect()
}

fn is_written_without_spaces(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
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
        assert!(is_near_duplicate("**“你好”**，我们先测量吧。", "你好！我们先测量"));
        assert!(is_near_duplicate("It's done, and well tested", "it’s done: tested!"));
    }

    #[test]
    fn one_word_that_says_something_is_no_repetition() {
        let advice = "I read the whole contract twice and compared it with the last one, and I think that it is";
        for (one, other) in [
            ("The answer is 42.", "The answer is 17, I think."),
            ("yes", "no"),
            (&format!("{advice} safe to sign."), &format!("{advice} not safe to sign.")),
            (&format!("{advice} option A."), &format!("{advice} option B.")),
            ("x = 5", "x = -5"),
            ("write it in C", "write it in C++"),
            ("a < b", "a > b"),
            ("a = b", "a != b"),
            ("Ada beats Bo", "Bo beats Ada"),
            ("👍", "👎"),
            ("The build is green?", "The build is green."),
            ("12.5", "12,5"),
            ("我们明天可以签这份合同", "我们明天不可以签这份合同"),
        ] {
            assert!(!is_near_duplicate(one, other), "{one} | {other}");
        }
    }
}
