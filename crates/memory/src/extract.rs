//! Notices what a person says about themselves, without asking a model.
//!
//! A few plain forms of English and Chinese, taken only where the whole sentence
//! has the form: what is missed a model may notice, what is noticed wrongly
//! stands in somebody's memory. Questions, quotations, code and suppositions are
//! passed over.

mod chinese;
mod clauses;
mod endings;
mod english;

use crate::same::same_words;
use clauses::{Clauses, clauses, is_of_oneself, supposes};
use domain::{MemoryKind, Statement};
pub use endings::{Ending, endings};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Something worth remembering about the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    pub kind: MemoryKind,
    pub text: String,
    pub statement: Option<Statement>,
    /// 0 to 100.
    pub importance: u8,
}

/// Whose words are read: `I` is this.
pub const PERSON: &str = "user";

/// A person's own word, and one they asked to be kept.
const SAID: u8 = 60;
const ASKED: u8 = 80;

/// What a person's message says about them.
pub fn notice(message: &str) -> Vec<Noticed> {
    let mut noticed: Vec<Noticed> = Vec::new();
    for (_, found) in by_sentence(message) {
        for one in found {
            if !noticed.contains(&one) {
                noticed.push(one);
            }
        }
    }
    noticed
}

/// The sentences of a person's message, as they stand there, in which one of these texts
/// is noticed.
pub fn sentences_that_say<'a>(message: &'a str, texts: &[String]) -> Vec<&'a str> {
    let says_one = |noticed: &Noticed| texts.iter().any(|text| same_words(text, &noticed.text));
    let sentences = by_sentence(message).into_iter();
    sentences.filter(|(_, found)| found.iter().any(says_one)).map(|(raw, _)| raw).collect()
}

/// What each sentence says about the person.
fn by_sentence(message: &str) -> Vec<(&str, Vec<Noticed>)> {
    let mut greeted = false;
    let mut read = |raw: &str| {
        let sentence = raw.replace('’', "'");
        let mut clauses = clauses(&sentence);
        clauses.greets |= std::mem::take(&mut greeted);
        greeted = clauses.whole.is_empty() && clauses.greets;
        match ASKING.captures(&clauses.whole) {
            Some(parts) if !RECOLLECTING.is_match(&clauses.whole) => {
                parts.iter().skip(1).flatten().flat_map(|what| asked(what.as_str())).collect()
            }
            None if wishes(&clauses.whole) => vec![wish(&clauses.whole)],
            Some(_) | None => told(&clauses).0,
        }
    };
    sentences(message).into_iter().map(|raw| (raw, read(raw))).collect()
}

/// What the clauses of a sentence say, and whether that is all they say. What
/// follows a supposition is passed over, and so is all of a sentence that begins
/// with somebody else's matter.
fn told(clauses: &Clauses) -> (Vec<Noticed>, bool) {
    let mut noticed = Vec::new();
    let mut is_all = true;
    let presents = clauses.greets || clauses.all.len() > 1;
    for (nth, clause) in clauses.all.iter().enumerate() {
        let introduced = if nth == 0 && presents { english::introduction(clause) } else { None };
        let found = introduced
            .or_else(|| FORMS.iter().find_map(|form| form.read(clause)))
            .or_else(|| wishes(clause).then(|| wish(clause)));
        is_all &= found.is_some();
        if nth == 0 && found.is_none() && !is_of_oneself(clause) {
            break;
        }
        noticed.extend(found);
        if supposes(clause) {
            is_all &= nth + 1 == clauses.all.len();
            break;
        }
    }
    (noticed, is_all)
}

type Says = fn(&Captures) -> Option<Noticed>;

/// A form a sentence can have, and what it says then.
struct Form {
    shape: Regex,
    says: Says,
}

impl Form {
    fn read(&self, sentence: &str) -> Option<Noticed> {
        self.shape.captures(sentence).and_then(|parts| (self.says)(&parts))
    }
}

/// What is to be kept, because the person says so.
static ASKING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:please,? )?(?:remember|note|don't forget)(?: that|:)? (.{4,300})$",
        r"|^(?:请|你要|帮我)?(?:记住|记得|别忘了)[：:，, ]?(.{3,200})$",
    ))
});

/// How they want to be answered from now on.
static WISHING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:from now on|in (?:the )?future|please always|always|please never|never)\b,? .{4,200}$",
        r"|^(?:以后|今后|从现在起|从今以后|请总是|请一直|请不要|请别|永远不要)[，,]?.{2,120}$",
    ))
});

/// Who thinks back orders nothing: `Remember when we went to Rome`.
static RECOLLECTING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:please,? )?remember",
        r" (?:(?:when|how|the time|that time|the day) (?:i|we|you|he|she|they|it)|those days)\b",
    ))
});

/// What is only said so: `Never mind that`, `Always a pleasure`.
static SAYING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^never\b,? (?:mind|been|had|heard|seen|thought|knew|a dull)\b",
        r"|(?i)^never again(?:$|,? (?:will|shall|did|have|has)\b)",
        r"|(?i)^always (?:been|had|was|were|wanted|happy|glad|nice|good|great|fun)\b",
        r"|(?i)^always (?:a|an|the) (?:\p{L}+ )?(?:pleasure|joy|delight|treat|honou?r|fun|charmer)\b",
    ))
});

fn wishes(clause: &str) -> bool {
    WISHING.is_match(clause) && !SAYING.is_match(clause)
}

/// The first that fits counts. A clause comes without its full stop.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let forms = english::FORMS.iter().chain(chinese::FORMS);
    forms.map(|(shape, says)| Form { shape: regex(shape), says: *says }).collect()
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the tests read it")
}

/// The sentences that state something in the person's own words.
fn sentences(message: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut code = false;
    for line in message.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
            continue;
        }
        if code || line.starts_with(['>', '\t']) || line.starts_with("    ") {
            continue;
        }
        let mut begun = 0;
        let mut characters = line.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let after = characters.peek().map(|(_, after)| after);
            // A full stop inside a number or after a title ends nothing.
            let ends = matches!(c, '。' | '！' | '？' | '!' | '?' | ';' | '；')
                || c == '.'
                    && after.is_none_or(|after| after.is_whitespace())
                    && !ends_in_title(&line[begun..at]);
            if !ends {
                continue;
            }
            if !matches!(c, '?' | '？') {
                sentences.push(&line[begun..at]);
            }
            begun = at + c.len_utf8();
        }
        sentences.push(&line[begun..]);
    }
    let tidy = sentences.into_iter().map(str::trim);
    tidy.filter(|sentence| !sentence.is_empty() && !sentence.contains(['"', '“', '「', '`']))
        .collect()
}

fn ends_in_title(sentence: &str) -> bool {
    let last = sentence.rsplit(' ').next().unwrap_or_default();
    let initial = last.chars().count() == 1 && last.chars().all(char::is_uppercase) && last != "I";
    initial || ["St", "Dr", "Mr", "Mrs", "Ms", "Prof"].contains(&last)
}

fn stated(attribute: &str, value: &str, text: String) -> Noticed {
    Noticed {
        kind: MemoryKind::Fact,
        statement: Some(statement(attribute, value)),
        text,
        importance: SAID,
    }
}

/// In the forms they have, if all of it has one; in the person's words otherwise.
fn asked(what: &str) -> Vec<Noticed> {
    let (noticed, is_all) = told(&clauses(what.trim()));
    if is_all {
        return noticed.into_iter().map(|one| Noticed { importance: ASKED, ..one }).collect();
    }
    vec![Noticed {
        kind: MemoryKind::Fact,
        text: what.trim().to_owned(),
        statement: None,
        importance: ASKED,
    }]
}

fn wish(what: &str) -> Noticed {
    Noticed {
        kind: MemoryKind::Preference,
        text: what.trim().to_owned(),
        statement: None,
        importance: ASKED,
    }
}

fn statement(attribute: &str, value: &str) -> Statement {
    Statement {
        subject: PERSON.into(),
        attribute: attribute.trim().into(),
        value: value.trim().into(),
    }
}

#[cfg(test)]
mod tests;
