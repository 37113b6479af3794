//! Notices what a person says about themselves, without asking a model.
//!
//! A few plain forms of English, Chinese and Japanese, taken only where the whole
//! sentence has the form: what is missed a model may notice, what is noticed wrongly
//! stands in somebody's memory. Questions, suppositions, and texts that a person only
//! shows are passed over.

mod changed;
mod chinese;
mod clauses;
mod endings;
mod english;
mod fitting;
mod habits;
mod japanese;
mod kin;
mod leaning;
mod lists;
mod names;
mod off;
mod pieces;
mod places;
mod preferred;
mod put_right;
mod theirs;
mod turned;
mod whose;
mod wishes;

use crate::also::{says_also, without_too};
use crate::same::same_words;
use crate::traditional::Traditional;
use clauses::{Clause, Clauses, clauses, is_of_oneself, supposes};
use domain::{MemoryKind, Statement};
pub use endings::{Ending, endings, is_no_longer, no_longer, says_of_none};
use leaning::hedges;
pub use off::{ToForget, asks_to_forget, asks_to_keep_a_secret, keeps_off};
pub(crate) use off::{says_secret, secrets_in};
pub(crate) use pieces::{Piece, own_sentences, pieces};
pub use put_right::{put_right, puts_right, taken_back};
use regex::{Captures, Regex};
use std::sync::LazyLock;
use whose::{Own, own};
use wishes::Which;
pub use wishes::{is_order, is_prohibition};

/// Something worth remembering about the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    pub kind: MemoryKind,
    pub text: String,
    pub statement: Option<Statement>,
    /// 0 to 100.
    pub importance: u8,
}

impl Noticed {
    /// Whether it is how the person wants to be answered.
    fn is_wish(&self) -> bool {
        self.kind == MemoryKind::Preference && self.importance == ASKED
    }
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
/// is noticed, or would be if they were the person's own.
pub fn sentences_that_say<'a>(message: &'a str, texts: &[String]) -> Vec<&'a str> {
    let says_one = |noticed: &Noticed| texts.iter().any(|text| same_words(text, &noticed.text));
    let own = sentences(message).all;
    let all: Vec<&str> = own.into_iter().chain(sentences_of(message)).collect();
    let sentences = read_all(&all, Which::Any).0.into_iter();
    sentences.filter(|(_, found)| found.iter().any(says_one)).map(|(raw, _)| raw).collect()
}

/// What each sentence says about the person.
fn by_sentence(message: &str) -> Vec<(&str, Vec<Noticed>)> {
    let Sentences { all, leaves_out } = sentences(message);
    if !leaves_out && message.chars().count() <= LONGEST_ALONE {
        let (said, is_all) = read_all(&all, Which::Any);
        if is_all {
            return said;
        }
    }
    read_all(&all, Which::Lasting).0
}

/// Whoever asks for nothing else says it in few words.
const LONGEST_ALONE: usize = 400;

/// What each sentence says, and whether that is all they say.
fn read_all<'a>(sentences: &[&'a str], which: Which) -> (Vec<(&'a str, Vec<Noticed>)>, bool) {
    let (mut greeted, mut is_all) = (false, true);
    let mut said: Vec<(&str, Vec<Noticed>)> = Vec::new();
    for raw in sentences {
        let sentence = Sentence::of(raw, std::mem::take(&mut greeted));
        greeted = sentence.is_greeting();
        let (mut noticed, says_all) = sentence.read(which);
        is_all &= says_all || greeted;
        if let Some((before, was)) = said.last_mut() {
            if noticed.is_empty() {
                noticed.extend(put_right::in_its_place(before, was, raw));
            } else if let Some(nth) = preferred::taken_back(was, raw, &noticed) {
                was.remove(nth);
            }
        }
        said.push((*raw, noticed));
    }
    (said, is_all)
}

/// A sentence as the forms read it.
struct Sentence {
    clauses: Clauses,
    /// What it is written in, if that is not how the forms are.
    script: Option<Traditional>,
}

impl Sentence {
    fn of(raw: &str, greeted: bool) -> Sentence {
        let written = raw.replace('’', "'");
        let script = Traditional::of(&written);
        let mut clauses =
            clauses(script.as_ref().map_or(written.as_str(), Traditional::simplified));
        clauses.greets |= greeted;
        Sentence { clauses, script }
    }

    fn is_greeting(&self) -> bool {
        self.clauses.whole.is_empty() && self.clauses.greets
    }

    /// Whether it asks for something that lasts, as a question may.
    fn is_request(&self) -> bool {
        let whole = &self.clauses.whole;
        wishes::stated(whole, Which::Lasting).is_some()
            || wishes::is_polite(whole)
            || ASKED_TO_REMEMBER.is_match(whole)
    }

    /// What it says, and whether that is all it says.
    fn read(&self, which: Which) -> (Vec<Noticed>, bool) {
        let (noticed, is_all) = self.read_simplified(which);
        let Some(script) = &self.script else { return (noticed, is_all) };
        (noticed.into_iter().map(|one| as_written(one, script)).collect(), is_all)
    }

    fn read_simplified(&self, which: Which) -> (Vec<Noticed>, bool) {
        if let Some(what) = self.asked() {
            return (asked(what), true);
        }
        let wishes = wishes::read(&self.clauses.whole, which);
        if wishes.is_empty() { told(&self.clauses, which) } else { (noticed_in(wishes), true) }
    }

    /// What is to be kept, because the person says so.
    fn asked(&self) -> Option<&str> {
        let whole = &self.clauses.whole;
        let parts = ASKING.captures(whole).filter(|_| !RECOLLECTING.is_match(whole))?;
        let what = parts.iter().skip(1).flatten().next()?.as_str();
        // `Remember that.` is said of what was said before.
        (!ONLY_THAT.is_match(what)).then_some(what)
    }
}

/// What it is about stays as it is: by that it is compared.
fn as_written(noticed: Noticed, script: &Traditional) -> Noticed {
    let statement = noticed
        .statement
        .map(|stated| Statement { value: script.as_written(&stated.value), ..stated });
    Noticed { text: script.as_written(&noticed.text), statement, ..noticed }
}

/// What the clauses of a sentence say, and whether that is all they say.
fn told(clauses: &Clauses, which: Which) -> (Vec<Noticed>, bool) {
    let each = clause_by_clause(clauses, which);
    let is_all = each.len() == clauses.all.len() && each.iter().all(|found| !found.is_empty());
    (noticed_in(each.into_iter().flatten()), is_all)
}

/// What each clause of a sentence says, up to where its words are no plain ones any more: what
/// follows a supposition is passed over, and so is all of a sentence that begins with
/// somebody else's matter.
fn clause_by_clause(clauses: &Clauses, which: Which) -> Vec<Vec<(String, Noticed)>> {
    let mut each = Vec::new();
    // Who knows whether they mean it.
    if clauses.all.iter().any(|clause| hedges(&clause.said)) {
        return each;
    }
    let presents = clauses.greets || clauses.all.len() > 1;
    for (nth, clause @ Clause { said, .. }) in clauses.all.iter().enumerate() {
        let introduced = if nth == 0 && presents { names::introduction(said) } else { None };
        let found = match introduced {
            Some(name) => vec![(said.clone(), name)],
            None if clause.is_unclear => Vec::new(),
            None => said_in(said, which),
        };
        let is_of_others =
            nth == 0 && found.is_empty() && !is_of_oneself(said) && !turned::makes_room(said);
        each.push(found);
        if is_of_others || supposes(said) {
            break;
        }
    }
    each
}

/// What one clause says, each thing with its words. A wish in so many words comes before a
/// liking, and a wish in the person's own words after every form.
fn said_in(clause: &str, which: Which) -> Vec<(String, Noticed)> {
    let wish = wishes::stated(clause, which);
    if wish.is_none()
        && let Some(each) = said_of_each(clause, which)
    {
        return each;
    }
    if wish.is_none()
        && let Some(of_kin) = kin::told(clause)
    {
        return of_kin;
    }
    match wish.or_else(|| in_form(clause)) {
        Some(one) => vec![(clause.to_owned(), one)],
        None => wishes::read(clause, which),
    }
}

/// What a clause says of each thing in a list, if that is all it says of them.
fn said_of_each(clause: &str, which: Which) -> Option<Vec<(String, Noticed)>> {
    let is_so = |noticed: &Noticed| {
        noticed.statement.as_ref().is_some_and(|stated| is_yes_or_no(&stated.value))
    };
    let each = lists::each(clause)?.into_iter().map(|one| {
        let noticed = in_form(&one).filter(is_so)?;
        wishes::stated(&one, which).is_none().then_some((one, noticed))
    });
    each.collect()
}

fn in_form(clause: &str) -> Option<Noticed> {
    preferred::stated(clause).or_else(|| FORMS.iter().find_map(|form| form.read(clause)))
}

fn noticed_in(said: impl IntoIterator<Item = (String, Noticed)>) -> Vec<Noticed> {
    said.into_iter().map(|(_, noticed)| noticed).collect()
}

/// So that it shows that it takes nothing's place.
fn also(noticed: Noticed) -> Noticed {
    let is_one_of_many =
        noticed.statement.as_ref().is_none_or(|stated| is_yes_or_no(&stated.value));
    let text = match &noticed.text {
        text if is_one_of_many => text.clone(),
        text if text.starts_with("The user") => format!("{text} as well"),
        text => text.replacen("用户", "用户也", 1),
    };
    Noticed { text, ..noticed }
}

fn is_yes_or_no(value: &str) -> bool {
    ["yes", "no", "是", "否"].contains(&value)
}

fn is_yes(value: &str) -> bool {
    ["yes", "是", "はい"].contains(&value)
}

type Says = fn(&Captures) -> Option<Noticed>;

/// A form a sentence can have, and what it says then.
struct Form {
    shape: Regex,
    says: Says,
}

impl Form {
    fn read(&self, sentence: &str) -> Option<Noticed> {
        let noticed = (self.says)(&self.shape.captures(without_too(sentence))?)?;
        Some(if says_also(sentence) { also(noticed) } else { noticed })
    }
}

/// What is to be kept, because the person says so.
static ASKING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:please,? )?(?:remember|note|don't forget)(?:(?: that| this| the following)?:| that)? (.{4,300})$",
        r"|(?i)^(?:can|could|would|will) you (?:please )?remember(?: that|:) (.{4,300})$",
        r"|^(?:请|你要|帮我)?(?:记住|记得|别忘了)[：:，, ]?(.{3,200})$",
        r"|^(?:覚えて|記憶して)(?:おいて)?(?:ください|下さい|ね)?[：:、]\s*(.{3,200})$",
        r"|^(.{3,200}?)(?:という)?(?:こと|の)?(?:を|と|って)(?:覚えて|記憶して)(?:おいて)?(?:ください|下さい)?ね?$",
    ))
});

/// `Can you remember that film?` only asks.
static ASKED_TO_REMEMBER: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)^(?:can|could|would|will) you (?:please )?remember(?: that|:) (?:i|i'm|i've|my|we|our)\b",
    )
});

static ONLY_THAT: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)^(?:that|this|these|those|it all|(?:all )?of (?:this|that))[.!]*$")
});

/// Who thinks back orders nothing: `Remember when we went to Rome`.
static RECOLLECTING: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)^(?:please,? )?remember",
        r" (?:(?:when|how|the time|that time|the day) (?:i|we|you|he|she|they|it)|those days)\b",
    ))
});

/// The first that fits counts. A clause comes without its full stop.
static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let forms =
        turned::FORMS.iter().chain(habits::FORMS).chain(english::FORMS).chain(chinese::FORMS);
    let forms = forms.map(|(shape, says)| ((*shape).to_owned(), *says));
    let all = changed::forms().into_iter().chain(forms).chain(japanese::forms());
    all.map(|(shape, says)| Form { shape: regex(&shape), says }).collect()
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the tests read it")
}

/// The sentences that state something in the person's own words.
struct Sentences<'a> {
    all: Vec<&'a str>,
    /// Whether there is something beside them: a question, a quotation, a text that is shown.
    leaves_out: bool,
}

fn sentences(message: &str) -> Sentences<'_> {
    let Own { lines, mut leaves_out } = own(message);
    let mut all = Vec::new();
    for (sentence, end) in lines.into_iter().flat_map(in_line) {
        let is_question = matches!(end, Some('?' | '？'));
        if is_question && !Sentence::of(sentence, false).is_request() {
            leaves_out = true;
            all.extend(before_question(sentence));
        } else {
            all.push(sentence);
        }
    }
    let before = all.len();
    all.retain(|sentence| !sentence.contains(['"', '“', '「', '`']));
    leaves_out |= all.len() < before;
    Sentences { all, leaves_out }
}

/// What is said before something is asked in the same breath: `My name is Li, what's yours?`
fn before_question(sentence: &str) -> Option<&str> {
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?i)(?:,\s*|\s+[–—-]\s+)(?:(?:and|so|but) )?(?:(?:what|how) about (?:you|yours|yourself)|and you(?:rs)?|",
            r"what(?:'s|’s| is) your(?:s| name)|where do you live|who are you|do you(?: too)?|are you(?: too)?|",
            r"(?:can|could|would|will) you (?:please )?(?:help|tell|give|show|find|recommend|suggest|explain|write|make)\b.*)$",
            r"|[，,]\s*(?:那|请问)?(?:你们?|您)(?:呢|是谁|叫什么(?:名字)?|住(?:在)?(?:哪里?|哪儿)|(?:能|可以)(?:帮|给|推荐|告诉|介绍).*)$",
            r"|[，,]\s*(?:请问)?(?:怎么称呼你?|(?:能|可以|能不能|可不可以)(?:帮|给|推荐|告诉|介绍).*)$",
        ))
    });
    let asks = ASKS.find(sentence).map(|asks| asks.start()).or_else(|| begins_to_ask(sentence))?;
    let said = sentence[..asks].trim();
    is_of_oneself(&Sentence::of(said, false).clauses.whole).then_some(said)
}

/// Where a question of its own begins behind what is said: `I'm allergic to penicillin, what can
/// I take instead?` Whoever only asks whether that is so has said nothing.
fn begins_to_ask(sentence: &str) -> Option<usize> {
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?i)(?:,\s*|\s+[–—-]\s+)(?:(?:and|so|but) )?(?:what|what's|what’s|which|who|where|when|why|how|is|are|does|do|can|",
            r"could|should|would|will|any|have you)\b[^,]*$",
            r"|[，,]\s*(?:那么?|请问|所以|但是?|我)*(?:有(?:什么|没有|哪些|推荐)|怎么|怎样|什么|哪|能|可以|应该|该|会不会|",
            r"要不要|需要|为什么|多少|多久|附近)[^，,]*$",
        ))
    });
    static WHETHER_IT_IS_SO: LazyLock<Regex> = LazyLock::new(|| {
        regex(concat!(
            r"(?i)^[,\s–—-]*(?:(?:and|so|but) )?(?:(?:is|isn't|was) (?:it|that|this)(?: not)?(?: (?:right|correct|true|so|still \w+|ok|okay))?",
            r"|(?:do|did|am|was|are|is|can|could|will|would|should) (?:i|we)(?: not)?",
            r"|(?:do|did|can|could|would|will) you (?:know|remember|recall|believe|think|see|understand|get)(?: (?:it|that|this|me|now|already|yet|what .*|whether .*|if .*))*",
            r"|(?:what|who|where|how|why) (?:do|did|would|could) (?:you|i|we|they|he|she) (?:think|know|say|get|tell)\b.*)$",
        ))
    });
    let asks = ASKS.find(sentence)?;
    let is_tag = WHETHER_IT_IS_SO.is_match(asks.as_str());
    (!is_tag && !supposes(&sentence[..asks.start()])).then_some(asks.start())
}

/// All sentences of a text, whoever's they are.
pub fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(in_line).map(|(sentence, _)| sentence)
}

/// The sentences of a line, each with what ends it.
fn in_line(line: &str) -> Vec<(&str, Option<char>)> {
    let mut sentences = Vec::new();
    let mut begun = 0;
    let mut characters = line.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let after = characters.peek().map(|(_, after)| after);
        // A full stop inside a number or after a title ends nothing.
        let ends = matches!(c, '。' | '！' | '？' | '!' | '?' | ';' | '；')
            || c == '.'
                && after.is_none_or(|after| after.is_whitespace())
                && !ends_in_title(&line[begun..at])
                && !goes_on_after(&line[begun..at], &line[at + 1..]);
        if ends {
            sentences.push((line[begun..at].trim(), Some(c)));
            begun = at + c.len_utf8();
        }
    }
    sentences.push((line[begun..].trim(), None));
    sentences.retain(|(sentence, _)| !sentence.is_empty());
    sentences
}

/// Whether the full stop between them is that of an abbreviation: `in Washington, D.C. with her`.
/// What a word without a capital follows goes on, unless its author writes none: `i like tea`.
fn goes_on_after(before: &str, after: &str) -> bool {
    let last = before.rsplit(' ').next().unwrap_or_default();
    let is_letters = last.contains('.') && last.split('.').all(|part| part.chars().count() == 1);
    let is_short = is_letters || ["Inc", "Ltd", "Corp", "Jr", "Sr", "etc"].contains(&last);
    let next = after.split_whitespace().next().unwrap_or_default();
    let begins = ["i", "i'm", "i’m", "i've", "i’ve", "my"].contains(&next);
    is_short && next.starts_with(char::is_lowercase) && !begins
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
    static TO: LazyLock<Regex> = LazyLock::new(|| regex("(?i)^to "));
    let what = what.trim();
    if off::is_secret(what) {
        return Vec::new();
    }
    let wishes = wishes::read(&TO.replace(what, ""), Which::Noted);
    if !wishes.is_empty() {
        return noticed_in(wishes);
    }
    let (noticed, is_all) = told(&clauses(what), Which::Noted);
    if is_all {
        return noticed.into_iter().map(|one| Noticed { importance: ASKED, ..one }).collect();
    }
    vec![Noticed {
        kind: MemoryKind::Fact,
        text: what.to_owned(),
        statement: None,
        importance: ASKED,
    }]
}

/// What a text says of its author, and whether that is all it says.
pub(crate) fn all_told(text: &str) -> (Vec<Noticed>, bool) {
    let Sentences { all, leaves_out } = sentences(text);
    let (said, is_all) = read_all(&all, Which::Noted);
    (said.into_iter().flat_map(|(_, noticed)| noticed).collect(), is_all && !leaves_out)
}

/// What a text states of its author, if it states one thing and nothing else.
pub(crate) fn only_statement(text: &str) -> Option<Statement> {
    let (noticed, is_all) = all_told(text);
    let [one] = &noticed[..] else { return None };
    one.statement.clone().filter(|_| is_all)
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
