//! What the lines that a proposal cites say of it: that it is so, or that it is not.
//!
//! A model reads `I don't live in Rome` and proposes that somebody lives in Rome. What is denied
//! where it is said to come from is not remembered, and neither is what opens something that is
//! somebody's own.

use crate::corrected::same_stem;
use crate::extract::{endings, is_no_longer, notice, says_secret, secrets_in};
use crate::same::matter;
use crate::stated::{Writer, stated};
use crate::verdict::{are_several, same_key};
use crate::{same_value, values};
use domain::Statement;
use regex::Regex;
use std::sync::LazyLock;

/// Something that a model would remember.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    pub text: &'a str,
    pub statement: Option<&'a Statement>,
    /// What the person is called.
    pub name: &'a str,
}

/// Whether it is a secret, or has one from these lines. It has its place with the keys:
/// nobody has asked for it to be kept.
pub fn has_secret(claim: Claim<'_>, lines: &[&str]) -> bool {
    let stated = claim.statement.map(|one| format!("{} is {}", one.attribute, one.value));
    let says = |text: &str| says_secret(text);
    let secrets = lines.iter().flat_map(|line| secrets_in(line));
    says(claim.text)
        || stated.as_deref().is_some_and(says)
        || secrets.into_iter().any(|secret| {
            claim.text.contains(secret)
                || claim.statement.is_some_and(|one| one.value.contains(secret))
        })
}

/// Whether the lines that it cites, in the order in which a person said them, deny it in the end.
pub fn is_denied(claim: Claim<'_>, cited: &[&str]) -> bool {
    let last = cited.iter().rev().find_map(|line| says(line, claim));
    last == Some(Says::NotSo)
}

/// Whether a person's line may be what it comes from: it has a word of it, or agrees to what was
/// said before. What is said in another language cannot be compared.
pub fn bears_on(claim: Claim<'_>, line: &str) -> bool {
    let line_has: Vec<String> = tokens(line);
    let is_dense = |text: &str| text.chars().any(|c| c >= '\u{2e80}');
    let shares = || {
        let told = claim.statement.map_or("", |one| one.value.as_str());
        let mut words = matter(claim.text).chain(matter(told)).filter(|word| !is_bare(word));
        words.any(|word| line_has.iter().any(|one| same_stem(one, &word)))
    };
    is_dense(line) != is_dense(claim.text) || AGREES.is_match(line.trim()) || shares()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    So,
    NotSo,
}

/// What a line says of it; `None` where it says nothing.
fn says(line: &str, claim: Claim<'_>) -> Option<Says> {
    by_rules(line, claim).or_else(|| by_words(line, claim))
}

/// What the rules read in the line against it, or for it.
fn by_rules(line: &str, claim: Claim<'_>) -> Option<Says> {
    let read = stated(claim.text, Writer::Agent, claim.name);
    let claimed: Vec<&Statement> = claim.statement.into_iter().chain(&read).collect();
    let noticed = notice(line).into_iter().filter_map(|one| one.statement);
    let mut said = None;
    for one in noticed {
        for claimed in claimed.iter().filter(|claimed| same_key(claimed, &one)) {
            let is_so = same_value(&claimed.value, &one.value);
            let is_other = !is_so
                && !values::go_together(&claimed.value, &one.value)
                && !are_several(claimed, &one)
                && !line.to_lowercase().contains(&claimed.value.to_lowercase());
            said = if is_so { Some(Says::So) } else { said.or(is_other.then_some(Says::NotSo)) };
        }
    }
    let holds = claimed.iter().filter(|claimed| !is_no_longer(claimed));
    let is_over = || endings(line).iter().any(|over| holds.clone().any(|one| over.ends(one)));
    said.or_else(|| is_over().then_some(Says::NotSo))
}

/// What the words of the line say of what it is about. What denies it itself is left to the rules.
fn by_words(line: &str, claim: Claim<'_>) -> Option<Says> {
    if is_denial(claim) {
        return None;
    }
    let (about, how) = (what_of(claim), how_of(claim));
    if about.is_empty() {
        return None;
    }
    let pieces = pieces(line);
    let needed = (about.len() * 2).div_ceil(3);
    let found = pieces.iter().filter_map(|piece| {
        let at = |word: &String| piece.words.iter().position(|one| same_stem(one, word));
        let places: Vec<usize> = about.iter().filter_map(at).collect();
        let first = *places.iter().min().filter(|_| places.len() >= needed)?;
        let denies = piece.is_denied || piece.words[..first].iter().any(|word| denies(word));
        let has_how = how.iter().any(|word| at(word).is_some());
        Some((has_how, if denies { Says::NotSo } else { Says::So }))
    });
    let found: Vec<(bool, Says)> = found.collect();
    let in_its_words = found.iter().rev().find(|(has_how, _)| *has_how);
    match in_its_words.or(found.last()) {
        Some((_, says)) => Some(*says),
        // `No, she isn't` is said of what was asked.
        None if REFUSES.is_match(line.trim()) && !NO_REFUSAL.is_match(line.trim()) => {
            Some(Says::NotSo)
        }
        None => None,
    }
}

/// Whether what it says is that something is not so.
fn is_denial(claim: Claim<'_>) -> bool {
    let is_no =
        |one: &Statement| ["no", "否", "いいえ"].contains(&one.value.as_str()) || is_no_longer(one);
    claim.statement.is_some_and(is_no) || tokens(claim.text).iter().any(|word| denies(word))
}

/// The words of what it is about: of a value, or of what is so or not.
fn what_of(claim: Claim<'_>) -> Vec<String> {
    let value =
        |one: &Statement| ["yes", "true", "是", "はい"].contains(&&*one.value.to_lowercase());
    let told = match claim.statement {
        Some(one) if !value(one) => one.value.as_str(),
        Some(one) => one.attribute.as_str(),
        None => claim.text,
    };
    let name = claim.name.to_lowercase();
    let mut words: Vec<String> =
        matter(told).filter(|word| !is_bare(word) && *word != name).collect();
    words.dedup();
    words
}

/// The words of how it is so: `lives`.
fn how_of(claim: Claim<'_>) -> Vec<String> {
    let told = claim.statement.map_or("", |one| one.attribute.as_str());
    matter(told).filter(|word| !PARTICLES.contains(&word.as_str())).collect()
}

/// What stands between two marks, or joins, of a line.
struct Piece {
    words: Vec<String>,
    /// Only goes on with a list that is denied: `I don't drink coffee, tea or beer`.
    is_denied: bool,
}

fn pieces(line: &str) -> Vec<Piece> {
    let line = line.replace('’', "'").replace("不过敏", "不敏");
    let line = NO_DENIAL.replace_all(&line, " ");
    let mut pieces: Vec<Piece> = Vec::new();
    for piece in PARTING.split(&line) {
        let words = tokens(piece);
        if words.is_empty() {
            continue;
        }
        let is_end = piece.chars().any(|c| ('\u{3041}'..='\u{309f}').contains(&c))
            && DENIES_AT_THE_END.is_match(piece.trim());
        let goes_on = words[0].is_ascii() && !BEGINS.is_match(piece.trim());
        let was_denied = pieces
            .last()
            .is_some_and(|last| last.is_denied || last.words.iter().any(|word| denies(word)));
        pieces.push(Piece { words, is_denied: is_end || goes_on && was_denied });
    }
    pieces
}

/// In small letters; characters that stand together each by itself.
fn tokens(text: &str) -> Vec<String> {
    let text = text.replace('’', "'").to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let words = words.filter(|word| word.chars().any(char::is_alphanumeric));
    let each = words.flat_map(|word| match word.chars().any(|c| c >= '\u{2e80}') {
        true => word.chars().map(String::from).collect(),
        false => vec![word.trim_matches('\'').to_owned()],
    });
    each.collect()
}

fn denies(word: &str) -> bool {
    const DENYING: [&str; 20] = [
        "not", "no", "never", "cannot", "neither", "nor", "nobody", "nothing", "none", "hardly",
        "dont", "isnt", "doesnt", "不", "没", "沒", "别", "無", "无", "未",
    ];
    DENYING.contains(&word) || word.ends_with("n't")
}

fn is_bare(word: &str) -> bool {
    PARTICLES.contains(&word) || BARE.contains(&word)
}

/// What says nothing of its own.
const PARTICLES: [&str; 30] = [
    "in", "at", "as", "for", "to", "of", "from", "with", "on", "by", "is", "are", "was", "be",
    "am", "and", "or", "that", "this", "their", "his", "her", "the", "在", "是", "的", "了", "对",
    "用", "户",
];
/// How something is so, and not what.
const BARE: [&str; 38] = [
    "lives",
    "live",
    "living",
    "works",
    "work",
    "working",
    "likes",
    "like",
    "loves",
    "love",
    "enjoys",
    "prefers",
    "prefer",
    "wants",
    "want",
    "has",
    "have",
    "allergic",
    "does",
    "name",
    "called",
    "named",
    "currently",
    "now",
    "住",
    "喜",
    "欢",
    "爱",
    "过",
    "敏",
    "叫",
    "名",
    "字",
    "有",
    "工",
    "作",
    "我",
    "想",
];

macro_rules! patterns {
    ($($(#[$about:meta])* $name:ident = $pattern:expr;)*) => {
        $($(#[$about])* static $name: LazyLock<Regex> =
            LazyLock::new(|| Regex::new($pattern).expect("the tests read it"));)*
    };
}

patterns! {
    PARTING = concat!(
        r"(?i)[.,;:!?。！？；：，\n—–()]+(?:\s+|$)|[。！？；：，]+",
        r"|\b(?:but|because|since|although|though|while|whereas|so)\b",
        r"|\band (?:i|i'm|i've|my|we|our|he|she|they|it|it's|you)\b",
    );
    /// What has a subject or a denial of its own.
    BEGINS = r"(?i)^(?:and )?(?:i|i'm|i've|my|we|our|he|she|they|it|it's|you|the|that|there|not|no|yes|in|now|only|just|lives?|works?|likes?|is|am)\b";
    NO_DENIAL = concat!(
        r"(?i)\b(?:not (?:only|just)|(?:can't|cannot|can not) wait|no doubt|(?:don't|never) forget|no problem|",
        r"no worries|(?:can't|cannot|couldn't) (?:live|do|be) without|couldn't be (?:happier|better)|",
        r"can't get enough|why (?:don't|not)|not to mention|no wonder)\b",
        r"|不仅|不但|不只|不过|不错|没问题|忍不住|离不开|不得不|差不多|对不起|不好意思|没错|特别|别的|别人|无论|不管",
    );
    DENIES_AT_THE_END = r"(?:ません|ない|なかった|ないです|ませんでした|ず)(?:よ|ね|けど|が)?$";
    REFUSES = concat!(
        r"(?i)^(?:no|nope|nah|never|wrong|incorrect|not (?:really|at all|true|so)|that's (?:not|wrong|false)|",
        r"(?:that|this|it) (?:isn't|is not))\b",
        r"|^(?:不是|不对|没有|错了|才不|不)(?:的|啊|呀)?(?:[，,。！! ]|$)",
    );
    NO_REFUSAL = r"(?i)^no (?:problem|worries|need|idea|rush|matter|wonder|thanks)\b";
    AGREES = concat!(
        r"(?i)^(?:yes|yeah|yep|yup|right|correct|exactly|indeed|sure|true|ok|okay|that's (?:right|true|it))\b",
        r"|^(?:是|对|好|嗯|没错|当然|可以)",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement([subject, attribute, value]: [&str; 3]) -> Statement {
        let [subject, attribute, value] = [subject, attribute, value].map(str::to_owned);
        Statement { subject, attribute, value }
    }

    fn denied(cited: &[&str], text: &str, stated: Option<[&str; 3]>) -> bool {
        let stated = stated.map(statement);
        is_denied(Claim { text, statement: stated.as_ref(), name: "Lin" }, cited)
    }

    const ROME: (&str, Option<[&str; 3]>) =
        ("User lives in Rome", Some(["user", "lives in", "Rome"]));
    const DOCTOR: (&str, Option<[&str; 3]>) =
        ("User's sister is a doctor", Some(["sister", "is", "a doctor"]));
    const TEA: (&str, Option<[&str; 3]>) = ("The user drinks tea", Some(["user", "drinks", "tea"]));

    #[test]
    fn what_the_cited_lines_deny_is_denied() {
        let both = "I don't live in Rome, and my sister is not a doctor";
        for (line, claim) in [
            (both, ROME),
            (both, DOCTOR),
            (both, (ROME.0, None)),
            (both, (DOCTOR.0, None)),
            ("I live in Bergen, not in Rome", ROME),
            ("I have never lived in Rome", ROME),
            ("I no longer live in Rome.", ROME),
            ("I live in Oslo", ROME),
            ("No, she isn't.", DOCTOR),
            ("My sister isn't a doctor but a nurse", DOCTOR),
            ("I don't drink coffee or tea", TEA),
            ("I don't drink coffee, tea or beer", TEA),
            ("我不住在罗马", ("用户住在罗马", Some(["user", "住在", "罗马"]))),
            ("我从来没去过罗马", ("用户去过罗马", None)),
            ("我对花生不过敏", ("用户对花生过敏", Some(["user", "对花生过敏", "是"]))),
            ("不是。", ("用户的妹妹是医生", Some(["妹妹", "职业", "医生"]))),
            (
                "I'm not allergic to nuts",
                ("The user is allergic to nuts", Some(["user", "allergic to nuts", "yes"])),
            ),
            ("I like tea", ("The user does not like tea", Some(["user", "likes tea", "no"]))),
        ] {
            assert!(denied(&[line], claim.0, claim.1), "{line} | {}", claim.0);
        }
    }

    #[test]
    fn what_they_say_is_so_and_what_they_say_nothing_of_is_not_denied() {
        for (line, claim) in [
            ("I live in Rome, and I don't drive", ROME),
            ("I don't drive and I live in Rome", ROME),
            ("I live in Rome but don't work there", ROME),
            ("No, I live in Rome", ROME),
            ("I not only work in Rome, I live in Rome", ROME),
            ("My sister is a doctor, not a nurse", DOCTOR),
            ("No problem, see you", DOCTOR),
            ("I can't live without tea", TEA),
            ("I have no coffee, I drink tea", TEA),
            ("我住在罗马，不住在米兰", ("用户住在罗马", Some(["user", "住在", "罗马"]))),
            ("我不但喜欢茶，还喜欢咖啡", ("用户喜欢茶", Some(["user", "喜欢茶", "是"]))),
            ("I don't like tea", ("The user does not like tea", Some(["user", "likes tea", "no"]))),
            ("It rains", ROME),
        ] {
            assert!(!denied(&[line], claim.0, claim.1), "{line} | {}", claim.0);
        }
        assert!(
            !denied(&["I don't live in Rome", "I moved to Rome"], ROME.0, ROME.1),
            "the later counts"
        );
        assert!(denied(&["I live in Rome", "I don't live in Rome anymore"], ROME.0, ROME.1));
    }

    #[test]
    fn what_opens_something_is_a_secret_whatever_it_is_called() {
        let line = "My wifi password is hunter2horse and my dog is Rex";
        let has = |text: &str| has_secret(Claim { text, statement: None, name: "Lin" }, &[line]);
        assert!(has("User's wifi password is hunter2horse"));
        assert!(has("The user gets online with hunter2horse"));
        assert!(!has("The user's dog is Rex"));
        assert!(!has("The user has forgotten a password"));
        let wrong = Claim { text: "The user was wrong", statement: None, name: "Lin" };
        assert!(!has_secret(wrong, &["My password is wrong"]));
        let stated = statement(["user", "银行卡号", "6222020000000000"]);
        assert!(has_secret(
            Claim { text: "用户的卡", statement: Some(&stated), name: "" },
            &["我的银行卡号是6222020000000000"]
        ));
    }

    #[test]
    fn a_line_of_the_person_bears_on_what_it_has_a_word_of_or_agrees_to() {
        let bears = |line: &str| {
            bears_on(
                Claim { text: "User approves all shell commands", statement: None, name: "" },
                line,
            )
        };
        for line in ["I approve of them", "Run the command", "Yes, please", "我都同意"] {
            assert!(bears(line), "{line}");
        }
        for line in ["What is the time?", "Thanks", "Tell me of the mill"] {
            assert!(!bears(line), "{line}");
        }
    }
}
