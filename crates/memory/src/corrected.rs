//! What a text states whose words a person has put otherwise.
//!
//! They mostly add to it (`I live in Oslo and work at Statoil`), or put another value in its
//! place. What can no longer be read is not what is no longer said: the statement that it was
//! goes only where the new words do not say it.

use crate::extract::sentences_of;
use crate::same::matter;
use crate::stated::{Writer, stated, states};
use crate::values::language;
use crate::verdict::same_key;
use domain::{Memory, Statement};
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// What words state that take the place of these, of the person, who has this name. Of several
/// things that they state it is one that was stated before.
pub fn corrected(before: &[&Memory], after: &str, name: &str) -> Option<Statement> {
    let mut were = before.iter().filter_map(|one| Some((&one.text, one.statement.as_ref()?)));
    let still = were.find_map(|(text, was)| {
        with_other_value(text, was, after)
            .or_else(|| states(after, name).into_iter().find(|one| same_key(one, was)))
            .or_else(|| says_still(text, was, after).then(|| was.clone()))
    });
    still.or_else(|| stated(after, Writer::Person, name))
}

/// What a text states that says what another did with another value: `Lives in Porto`
/// beside `Lives in Lisbon`.
fn with_other_value(before: &str, statement: &Statement, after: &str) -> Option<Statement> {
    let (before, after) = (ended(before), ended(after));
    let (start, end) = before.split_once(statement.value.as_str())?;
    let is_said_around = |part: &str| part.chars().any(char::is_alphanumeric);
    if !is_said_around(start) && !is_said_around(end) {
        return None;
    }
    let value = after.strip_prefix(start)?.strip_suffix(end)?.trim();
    // A language gives way to a language alone.
    let is_other = language(&statement.value).is_some() && language(value).is_none();
    (!is_other && is_like(value, &statement.value))
        .then(|| Statement { value: value.to_owned(), ..statement.clone() })
}

fn ended(text: &str) -> &str {
    text.trim().trim_end_matches(['.', '。', '!', '！'])
}

/// Whether it can be a value where the other is: of no more words, and begun as that is.
/// `Lisbon no more` is none.
fn is_like(value: &str, other: &str) -> bool {
    let words = |text: &str| text.split_whitespace().count();
    let begins = |text: &str| text.chars().next().map(|c| (c.is_uppercase(), c.is_numeric()));
    let denies = |word: &str| DENYING.contains(&word.to_lowercase().as_str());
    let is_one = !value.contains([',', ';', '，', '；', '、', '。']);
    let is_short = value.chars().count() <= other.chars().count() + 20;
    !value.is_empty()
        && is_one
        && is_short
        && words(value) <= words(other)
        && begins(value) == begins(other)
        && !value.split_whitespace().any(denies)
        && !value.starts_with(['不', '没', '沒', '非'])
}

const DENYING: [&str; 6] = ["not", "no", "never", "nothing", "nowhere", "nobody"];

/// Whether a sentence of a text still says what another text stated, with whatever is said
/// behind it: it begins with that, in words that the other has too, and takes nothing back in
/// the same breath.
fn says_still(before: &str, was: &Statement, after: &str) -> bool {
    let before: HashSet<String> = matter(before).collect();
    let needed = needed(&before, was);
    sentences_of(after).any(|sentence| {
        let parts: Vec<&str> = PARTING.split(sentence).collect();
        (1..=parts.len()).any(|upto| {
            let said: Vec<String> = parts[..upto].iter().flat_map(|part| matter(part)).collect();
            begins_with(&said, &needed, &before)
        })
    })
}

/// The words without which it is not said.
struct Needed {
    words: Vec<String>,
    /// How many others may stand between them: `I live with Anna in Oslo`.
    between: usize,
}

/// What of whom it is and how, or all words where the text calls it something else. What is
/// denied is denied still.
fn needed(before: &HashSet<String>, was: &Statement) -> Needed {
    let is_yes_or_no = ["yes", "no", "是", "否", "はい", "いいえ"].contains(&was.value.as_str());
    let value = if is_yes_or_no { "" } else { was.value.as_str() };
    let mut told: Vec<String> = matter(&was.attribute).chain(matter(value)).collect();
    told.retain(|word| !["in", "at", "as", "for", "to"].contains(&word.as_str()));
    if told.is_empty() || !told.iter().all(|word| is_among(before, word)) {
        return Needed { words: before.iter().cloned().collect(), between: 0 };
    }
    told.extend(before.iter().filter(|word| denies(word)).cloned());
    // Who likes iced tea may not like tea.
    Needed { words: told, between: usize::from(!is_yes_or_no) }
}

fn begins_with(said: &[String], needed: &Needed, before: &HashSet<String>) -> bool {
    let place = |word: &String| said.iter().position(|one| same_stem(one, word));
    let Some(places) = needed.words.iter().map(place).collect::<Option<Vec<usize>>>() else {
        return false;
    };
    let (Some(&first), Some(&last)) = (places.first(), places.iter().max()) else { return false };
    let (begun, rest) = said.split_at(last + 1);
    let takes_back = |word: &String| denies(word) || ENDING.contains(&word.as_str());
    let has_been = || begun.iter().any(|word| HAVE_BEEN.contains(&word.as_str()));
    let is_known = |word: &String| {
        before.contains(word)
            || BESIDE.contains(&word.as_str())
            || HAVE_BEEN.contains(&word.as_str())
            // `I lived in Oslo` is over.
            || is_among(before, word) && (!word.ends_with("ed") || has_been())
    };
    let unknown = |words: &[String]| words.iter().filter(|word| !is_known(word)).count();
    unknown(&begun[..=first]) == 0
        && unknown(begun) <= needed.between
        && !begun.iter().any(|word| !is_known(word) && takes_back(word))
        && !rest.iter().any(takes_back)
}

fn is_among(words: &HashSet<String>, word: &str) -> bool {
    words.iter().any(|one| same_stem(one, word))
}

/// `lives`, `lived` and `living` are one verb.
pub(crate) fn same_stem(one: &str, other: &str) -> bool {
    stem(one) == stem(other)
}

fn stem(word: &str) -> &str {
    let ends = ["ing", "ed", "es", "s", "e"].iter();
    let mut stems = ends.filter_map(|end| word.strip_suffix(end)).filter(|stem| stem.len() > 2);
    stems.next().unwrap_or(word)
}

fn denies(word: &str) -> bool {
    const ALSO: [&str; 6] = ["neither", "nor", "cannot", "不", "没", "沒"];
    DENYING.contains(&word) || ALSO.contains(&word) || word.ends_with("n't")
}

/// Where a breath ends.
static PARTING: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = concat!(
        r"[,;:()（），；：、—–]",
        r"|\b(?:and|but|because|so|though|although|while|where|which|who|with)\b",
    );
    Regex::new(pattern).expect("the tests read it")
});

/// What may be said with it that makes nothing else of it.
const BESIDE: [&str; 17] = [
    "now",
    "currently",
    "still",
    "also",
    "really",
    "just",
    "am",
    "i'm",
    "is",
    "我",
    "现",
    "在",
    "目",
    "也",
    "还",
    "一",
    "直",
];
const HAVE_BEEN: [&str; 4] = ["has", "have", "i've", "been"];
/// What says behind it that it is over.
const ENDING: [&str; 7] = ["until", "till", "before", "formerly", "previously", "once", "ago"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory;

    fn statement([subject, attribute, value]: [&str; 3]) -> Statement {
        let [subject, attribute, value] = [subject, attribute, value].map(str::to_owned);
        Statement { subject, attribute, value }
    }

    #[test]
    fn another_value_in_the_same_words_states_the_same_of_it() {
        let lisbon = statement(["Lin", "lives in", "Lisbon"]);
        let now = |after: &str| {
            with_other_value("Lin lives in Lisbon.", &lisbon, after).map(|one| one.value)
        };
        assert_eq!(now("Lin lives in Porto").as_deref(), Some("Porto"));
        for after in [
            "Lin lives in Lisbon no more",
            "Lin lives in Porto, near Bo",
            "Lin lives in fear",
            "Lin does not live in Porto",
            "Bo lives in Porto",
            "Lin lives in ",
        ] {
            assert_eq!(now(after), None, "{after}");
        }
        let german = statement(["Lin", "answers in", "德语"]);
        assert_eq!(with_other_value("用德语回答", &german, "用这个回答"), None);
        let green = statement(["Lin", "colour", "green"]);
        let after = with_other_value("The door is green", &green, "The door is not");
        assert_eq!(after, None);
    }

    /// What is stated by words that take the place of what states something of the person.
    fn check(before: &str, after: &str, expected: Option<(&str, &str)>) {
        let was = stated(before, Writer::Person, "Lin").expect("it states something");
        let before = Memory { statement: Some(was), ..memory(before) };
        let now = corrected(&[&before], after, "Lin");
        let told = now.as_ref().map(|one| (one.attribute.as_str(), one.value.as_str()));
        assert_eq!(told, expected, "{} | {after}", before.text);
    }

    #[test]
    fn what_is_added_to_takes_nothing_back() {
        for before in ["The user lives in Oslo", "I live in Oslo"] {
            for after in [
                "I live in Oslo and work at Statoil",
                "I live in Oslo and have two cats, but no dog",
                "The user lives in Oslo and works at Statoil",
                "The user lives in Oslo (Grünerløkka)",
                "The user lives in Oslo. It is cold there.",
                "The user has lived in Oslo since May",
                "I am living in Oslo at the moment, for reasons that I do not know",
                "Oslo is where I live",
                "I live with my wife in Oslo",
                "I currently live in downtown Oslo",
                "Now lives in Oslo, Anna does not",
            ] {
                check(before, after, Some(("lives in", "Oslo")));
            }
        }
        let wife = ("wife", "Maria");
        check("My wife is called Maria", "My wife is called Maria and she is a doctor", Some(wife));
        check("The user's wife is Maria", "The user's wife, Maria, is a doctor", Some(wife));
        check("我住在北京", "我住在北京，在大学工作", Some(("住在", "北京")));
        check("用户住在北京", "我还一直住在北京，有一只猫", Some(("住在", "北京")));
        let nuts = "The user is not allergic to nuts";
        let only = format!("{nuts}, only to shellfish and milk");
        check(nuts, &only, Some(("allergic to nuts", "no")));
        check("I like tea", "I like tea from Assam, never with milk", Some(("likes tea", "yes")));
        check("Answer in German", "Answer in German and briefly", Some(("answers in", "German")));
    }

    #[test]
    fn another_value_with_more_beside_it_takes_its_place() {
        let oslo = "I live in Oslo";
        check(oslo, "I live in Bergen and work at Statoil", Some(("lives in", "Bergen")));
        check(oslo, "I have lived in Bergen since May", Some(("lives in", "Bergen")));
        check(oslo, "My name is Kim and I live in Bergen", Some(("lives in", "Bergen")));
        check("Answer in French", "Answer in English and briefly", Some(("answers in", "English")));
        check("我住在北京", "我住在上海，在大学工作", Some(("住在", "上海")));
    }

    #[test]
    fn what_the_new_words_do_not_say_is_not_stated_any_more() {
        for after in [
            "I used to live in Oslo",
            "I lived in Oslo",
            "I live in Oslo no more",
            "I do not live in Oslo, Rome is nicer",
            "I lived in Oslo until May",
            "Bo lives in Oslo, and I do not know where I live",
            "Oslo is where my sister lives",
            "I live with my sister, who works in Oslo",
            "I live not in Oslo",
            "I was born in Oslo",
            "I know people who live in Oslo",
            "I want to live in Oslo",
            "It rains",
        ] {
            check("I live in Oslo", after, None);
        }
        // What is so of somebody else is stated of them.
        let was = stated("I live in Oslo", Writer::Person, "Lin");
        let before = Memory { statement: was, ..memory("I live in Oslo") };
        let now = corrected(&[&before], "My sister lives in Oslo", "Lin");
        assert_eq!(now, Some(statement(["user's sister", "lives in", "Oslo"])));
        check("I live in Oslo", "I come from Oslo", Some(("comes from", "Oslo")));
        check("I live in Oslo", "I like fish", Some(("likes fish", "yes")));
        check("我住在北京", "我姐姐住在北京", None);
        check("我住在北京", "我以前住在北京", None);
        check("The user is not allergic to nuts", "The user is allergic, to nuts and milk", None);
        let was = Some(statement(["user", "lives in", "Oslo"]));
        let wordless = Memory { statement: was, ..memory("The user") };
        assert_eq!(corrected(&[&wordless], "The, user", "Lin"), None);
    }
}
