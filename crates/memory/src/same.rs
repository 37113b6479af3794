//! Whether two texts say the same thing in the same words.
//!
//! However near their vectors are, one other word may be all the difference:
//! *the older brother*, *the younger brother*. So nothing may differ but case,
//! punctuation, articles, and the order of phrases that each begin with a
//! preposition of their own: *on Friday at 10*, *at 10 on Friday*. What says the
//! same in other words stays twice, which does less harm than one of two gone.

use crate::marks;
use std::collections::HashSet;

/// Whether both have the same words, phrase by phrase.
pub fn same_words(one: &str, other: &str) -> bool {
    let (one, other) = (phrases(one), phrases(other));
    if one == other {
        return true;
    }
    if !may_be_moved(&one) {
        return false;
    }
    let sorted = |mut phrases: Vec<Vec<String>>| {
        phrases.sort();
        phrases
    };
    sorted(one) == sorted(other)
}

/// How much a text says that none of the others does, in words. Two characters of a
/// script without spaces count as one.
pub(crate) fn beyond<'a>(text: &str, others: impl IntoIterator<Item = &'a str>) -> usize {
    let known: HashSet<String> = others.into_iter().flat_map(matter).collect();
    let more: HashSet<String> = matter(text).filter(|word| !known.contains(word)).collect();
    let dense = more.iter().filter(|word| word.starts_with(is_dense)).count();
    more.len() - dense + dense.div_ceil(2)
}

/// The words that say what is so, and not of whom; characters that stand together each
/// by itself.
pub(crate) fn matter(text: &str) -> impl Iterator<Item = String> {
    let words = words(&text.replace("用户", " ")).into_iter();
    let words = words.filter(|word| !OF_WHOM.contains(&word.as_str()));
    words.flat_map(|word| match word.contains(is_dense) {
        true => word.chars().map(String::from).collect(),
        false => vec![word],
    })
}

/// Han, kana, hangul and their neighbours.
fn is_dense(c: char) -> bool {
    c >= '\u{2e80}'
}

/// The words of each phrase, in the order they stand.
fn phrases(text: &str) -> Vec<Vec<String>> {
    let mut phrases = vec![Vec::new()];
    for word in words(text) {
        if ARTICLES.contains(&word.as_str()) {
            continue;
        }
        let begins = BEGINNING.contains(&word.as_str());
        let stands_alone = COPULAS.contains(&word.as_str());
        if begins || stands_alone {
            phrases.push(Vec::new());
        }
        phrases.last_mut().expect("there is one from the start").push(word);
        if stands_alone {
            phrases.push(Vec::new());
        }
    }
    phrases.retain(|phrase| !phrase.is_empty());
    phrases
}

/// Where a phrase of each sort stands once, its place says nothing. What is
/// denied depends on the place of the denial.
fn may_be_moved(phrases: &[Vec<String>]) -> bool {
    let mut begun: Vec<&str> = phrases
        .iter()
        .map(|phrase| phrase[0].as_str())
        .filter(|word| BEGINNING.contains(word) || COPULAS.contains(word))
        .collect();
    let all = begun.len();
    begun.sort_unstable();
    begun.dedup();
    begun.len() == all && !phrases.iter().flatten().any(|word| DENYING.contains(&word.as_str()))
}

/// Chinese and Japanese characters stand together, as one word between marks.
fn words(text: &str) -> Vec<String> {
    marks::folded(text).split_whitespace().map(str::to_owned).collect()
}

const ARTICLES: [&str; 3] = ["a", "an", "the"];
const OF_WHOM: [&str; 9] = ["a", "an", "the", "user", "user's", "users", "person", "i", "my"];
const BEGINNING: [&str; 9] = ["on", "in", "at", "with", "from", "to", "for", "near", "since"];
const COPULAS: [&str; 4] = ["is", "are", "was", "were"];
const DENYING: [&str; 9] =
    ["not", "no", "never", "without", "nobody", "nothing", "neither", "nor", "cannot"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(one: &str, other: &str, same: bool) {
        assert_eq!(same_words(one, other), same, "{one} | {other}");
        assert_eq!(same_words(other, one), same, "{other} | {one}");
    }

    #[test]
    fn what_a_text_says_beyond_others_is_counted_in_words() {
        let counted = |text: &str, other: &str| beyond(text, [other, "lives in Lisbon"]);
        assert_eq!(counted("The user lives in Lisbon.", "I live in Lisbon"), 0);
        assert_eq!(counted("The user resides in Lisbon", ""), 1);
        assert_eq!(counted("Lives in Lisbon; the door code is 4711", "Lives there"), 4);
        assert_eq!(counted("用户住在里斯本三楼", "住在里斯本"), 1);
        assert_eq!(counted("用户住在里斯本，门锁密码是四七", "住在里斯本"), 4);
    }

    #[test]
    fn case_marks_articles_and_the_order_of_phrases_make_no_difference() {
        check(
            "The meeting with Bo is on Friday at 10",
            "the meeting with Bo is at 10, on Friday.",
            true,
        );
        check("Box 3 is in the cellar", "In the cellar is box 3", true);
        check("Keeps a spare key at the mill", "keeps the spare key at the mill", true);
        check("周五交报告，周六休息", "周五交报告、周六休息。", true);
    }

    #[test]
    fn one_other_word_makes_it_another_matter() {
        for (one, other) in [
            ("The review was moved to thursday", "The review was moved to tuesday"),
            ("Has an older brother", "Has a younger brother"),
            ("The left knee hurts", "The right knee hurts"),
            ("The printer stands upstairs", "The printer stands downstairs"),
            ("Works at Acme", "Worked at Acme"),
            ("Takes it with food", "Takes it without food"),
            ("The key is under the mat", "The key is on the mat"),
            ("Bo is taller than Al", "Al is taller than Bo"),
            ("Bo owes Al 10", "Al owes Bo 10"),
            ("The train goes from Bath to York", "The train goes from York to Bath"),
            ("Al sits with Bo and Cy with Di", "Al sits with Di and Cy with Bo"),
            ("Box 1 is not in the cellar", "Box 1 is in the cellar"),
            ("On Monday I do not swim at noon", "I do not swim on Monday at noon"),
            ("我的姐姐住在北京", "我的妹妹住在北京"),
            ("星期三开会", "星期四开会"),
            ("钥匙在左边", "钥匙在右边"),
            ("车停在地下二层", "车停在地下三层"),
            ("每天早上吃药", "每天晚上吃药"),
            ("房租三千", "房租五千"),
        ] {
            check(one, other, false);
        }
    }
}
