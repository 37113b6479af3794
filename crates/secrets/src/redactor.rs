//! Takes secrets out of texts before they reach a log, an event or a screen.
//!
//! Three nets: the values it was told of, in every form in which they commonly
//! travel; what ends as a value does that is kept where nobody has read it; and
//! what has the shape of a key that a provider gives out. The first is exact.

use crate::Secret;
use aho_corasick::{AhoCorasick, MatchKind};
use serde_json::Value;
use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

mod chosen;
mod forms;
mod plainly;
mod random;
mod shapes;
mod stream;
mod suspects;
mod unescaped;
mod writer;

use plainly::Plainly;
pub use stream::Stream;
pub(crate) use suspects::Unread;
use unescaped::Unescaped;
pub use writer::Writer;

/// A shorter value is part of too many words.
const LEAST: usize = 8;
/// By so much of it a form is recognised; the rest is compared then. Tokens can be
/// as long as a page, and an automaton of whole pages would be huge.
const HEAD: usize = 64;
/// How often one escape is looked for behind another.
const MOST_ESCAPED: usize = 3;
/// A shorter value of letters alone is a word: `anything`, `dummykey`.
const LONGEST_WORD: usize = 12;
/// What else servers without keys are given for one. They are no secrets, and some
/// are the names of programs.
const PLACEHOLDERS: &[&str] = &[
    "lm-studio",
    "lmstudio",
    "llama.cpp",
    "localhost",
    "no-key-required",
    "sk-no-key-required",
    "not-needed",
    "placeholder",
    "undefined",
];

/// A cheap handle; what one learns all know.
#[derive(Clone, Default)]
pub struct Redactor {
    known: Arc<RwLock<Arc<Known>>>,
    lists: Arc<RwLock<Vec<List>>>,
}

/// Says what is kept and was not read yet.
type List = Box<dyn Fn() -> Vec<Unread> + Send + Sync>;

/// The values it was told of, as one automaton.
#[derive(Default)]
struct Known {
    /// Sorted, so that the beginnings of forms can be looked up.
    forms: Vec<Form>,
    automaton: Option<AhoCorasick>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Form {
    text: String,
    /// Only a part of what encodes it: the rest stands around it.
    is_inside_base64: bool,
    name: String,
}

/// What a text is looked through for.
#[derive(Clone, Copy)]
enum Nets {
    Both,
    /// Values that it was told of alone.
    Known,
}

/// What is taken out, and whose it is if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Find {
    range: Range<usize>,
    name: Option<String>,
    /// More of the text could belong to it.
    is_open: bool,
}

impl Redactor {
    /// From now on this value is taken out as `[redacted NAME]`, for as long as the
    /// process lives: what was replaced may still be valid somewhere. Values
    /// under eight bytes are not, they would take words apart, and neither are
    /// words, which are what servers without keys are given for one.
    ///
    /// The second of two words is one by itself, as in `Bearer KEY`, and so is each
    /// token in a record of JSON.
    pub fn learn(&self, name: &str, secret: &Secret) {
        let value = secret.expose().trim();
        self.learn_one(name, value);
        match serde_json::from_str(value) {
            Ok(record @ (Value::Object(_) | Value::Array(_))) => {
                for token in tokens_in(&record) {
                    self.learn_one(name, token);
                }
            }
            Ok(_) | Err(_) => {
                if let Some((_, key)) = value.split_once(' ').filter(|(_, key)| !key.contains(' '))
                {
                    self.learn_one(name, key);
                }
            }
        }
    }

    fn learn_one(&self, name: &str, value: &str) {
        let is_placeholder = || PLACEHOLDERS.iter().any(|word| word.eq_ignore_ascii_case(value));
        if value.len() < LEAST || is_word(value) || is_placeholder() {
            return;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.forms.iter().any(|form| form.text == value) {
            return;
        }
        let mut forms = known.forms.clone();
        forms.extend(forms::of(name, value));
        forms.sort();
        forms.dedup_by(|one, other| one.text == other.text);
        let automaton = AhoCorasick::builder()
            // Every occurrence counts, also one that lies across another.
            .match_kind(MatchKind::Standard)
            .build(forms.iter().map(Form::head))
            .ok();
        *known = Arc::new(Known { forms, automaton });
    }

    /// The text without secrets; itself when there are none in it.
    #[must_use]
    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut finds = self.known().find_whole(text.as_bytes());
        finds.extend(suspects::find(text.as_bytes(), &self.unread()));
        let finds = merge(finds);
        if finds.is_empty() {
            return Cow::Borrowed(text);
        }
        let clean = without(text.as_bytes(), &finds);
        Cow::Owned(String::from_utf8_lossy(&clean).into_owned())
    }

    /// The same for values that are kept alone: for what a person wrote, who may well
    /// speak about what only looks like a key.
    #[must_use]
    pub fn redact_known<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.known();
        let mut finds = known.find_known(text.as_bytes());
        finds.extend(known.find_escaped(text.as_bytes()));
        finds.extend(suspects::find(text.as_bytes(), &self.unread()));
        let finds = merge(finds);
        if finds.is_empty() {
            return Cow::Borrowed(text);
        }
        let clean = without(text.as_bytes(), &finds);
        Cow::Owned(String::from_utf8_lossy(&clean).into_owned())
    }

    /// For text that comes in pieces and is shown as it comes.
    #[must_use]
    pub fn stream(&self) -> Stream {
        Stream::new(self.clone())
    }

    /// For JSON that a program acts on, in which letters may stand by their numbers:
    /// without values that are kept, and nothing else. What only looks like a key may
    /// be the text of a file.
    #[must_use]
    pub fn json_stream(&self) -> Stream {
        Stream::of_json(self.clone())
    }

    /// Whether a value that is kept stands in JSON, however it is written.
    #[must_use]
    pub fn is_known_in_json(&self, json: &str) -> bool {
        let mut plainly = Plainly::default();
        let plain = plainly.push(json) + &plainly.finish();
        !self.known().find_known(plain.as_bytes()).is_empty()
            || !suspects::find(plain.as_bytes(), &self.unread()).is_empty()
    }

    /// For a log: what is written goes on without secrets, line by line. A closure
    /// that calls this is what `tracing-subscriber` takes as a writer.
    pub fn writer<W: Write>(&self, onto: W) -> Writer<W> {
        Writer::new(self.clone(), onto)
    }

    fn known(&self) -> Arc<Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whose values that nobody has read this text may hold.
    pub(crate) fn suspects(&self, text: &str) -> Vec<String> {
        let found = suspects::find(text.as_bytes(), &self.unread());
        let mut names: Vec<String> = found.into_iter().filter_map(|find| find.name).collect();
        names.sort();
        names.dedup();
        names
    }

    /// What may be one of these is taken out too, for as long as it is unread.
    pub(crate) fn suspect(&self, list: impl Fn() -> Vec<Unread> + Send + Sync + 'static) {
        self.lists.write().unwrap_or_else(PoisonError::into_inner).push(Box::new(list));
    }

    fn unread(&self) -> Vec<Unread> {
        let lists = self.lists.read().unwrap_or_else(PoisonError::into_inner);
        lists.iter().flat_map(|list| list()).collect()
    }
}

impl Known {
    /// In order, none touching another of the same name.
    fn find(&self, text: &[u8], nets: Nets) -> Vec<Find> {
        let mut finds = match nets {
            Nets::Both => shapes::find(text),
            Nets::Known => Vec::new(),
        };
        finds.extend(self.find_known(text));
        merge(finds)
    }

    /// The same in a text that is all there, where an escape has its end.
    fn find_whole(&self, text: &[u8]) -> Vec<Find> {
        let mut finds = shapes::find(text);
        finds.extend(self.find_known(text));
        finds.extend(self.find_escaped(text));
        merge(finds)
    }

    /// Also what was escaped again, as a page in JSON in a log.
    fn find_escaped(&self, text: &[u8]) -> Vec<Find> {
        let (mut levels, mut finds) = (Vec::<Unescaped>::new(), Vec::new());
        while self.automaton.is_some() && levels.len() < MOST_ESCAPED {
            let last = levels.last().map_or(text, |level| &level.text);
            let Some(level) = Unescaped::of(last) else { break };
            let found = self.find_known(&level.text);
            levels.push(level);
            finds.extend(found.into_iter().map(|find| {
                let range =
                    levels.iter().rev().fold(find.range, |range, level| level.stood(&range));
                Find { range, ..find }
            }));
        }
        finds
    }

    fn find_known(&self, text: &[u8]) -> Vec<Find> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let found = automaton.find_overlapping_iter(text);
        found.map(|found| self.forms[found.pattern()].find(text, found.start())).collect()
    }

    /// Where behind `from` the end of the text begins that may grow into the head of a form.
    fn beginning(&self, text: &[u8], from: usize) -> Option<usize> {
        let begins = |at: &usize| {
            let end = &text[*at..];
            let next = self.forms.partition_point(|form| form.text.as_bytes() < end);
            self.forms.get(next).is_some_and(|form| {
                form.head().len() > end.len() && form.text.as_bytes().starts_with(end)
            })
        };
        (text.len().saturating_sub(HEAD).max(from)..text.len()).find(begins)
    }
}

impl Form {
    fn head(&self) -> &[u8] {
        &self.text.as_bytes()[..self.text.len().min(HEAD)]
    }

    /// As much of the form as is there, its head at least: logs cut off what is long.
    fn find(&self, text: &[u8], start: usize) -> Find {
        let rest = text[start..].iter().zip(self.text.as_bytes());
        let mut length = rest.take_while(|(there, ours)| there == ours).count();
        // Characters stay whole.
        while !self.text.is_char_boundary(length) {
            length -= 1;
        }
        let mut range = start..start + length;
        let mut is_open = length < self.text.len();
        if self.is_inside_base64 {
            range = forms::whole_base64(text, range);
            is_open = true;
        }
        is_open &= range.end == text.len();
        Find { range, name: Some(self.name.clone()), is_open }
    }
}

/// Two that overlap become one, with the name of whichever has one.
fn merge(mut finds: Vec<Find>) -> Vec<Find> {
    finds.sort_by_key(|find| (find.range.start, find.range.end));
    let mut merged: Vec<Find> = Vec::with_capacity(finds.len());
    for find in finds {
        match merged.last_mut() {
            Some(last) if find.range.start < last.range.end => {
                last.range.end = last.range.end.max(find.range.end);
                last.name = last.name.take().or(find.name);
                last.is_open |= find.is_open;
            }
            _ => merged.push(find),
        }
    }
    merged
}

fn without(text: &[u8], finds: &[Find]) -> Vec<u8> {
    let mut clean = Vec::with_capacity(text.len());
    let mut done = 0;
    for Find { range, name, .. } in finds {
        clean.extend_from_slice(&text[done..range.start]);
        clean.extend_from_slice(domain::redacted(name.as_deref()).as_bytes());
        done = range.end;
    }
    clean.extend_from_slice(&text[done..]);
    clean
}

/// Written as a person writes one: small, in capitals, or with one capital.
fn is_word(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_small = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_lowercase);
    let is_capital = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_uppercase);
    let Some((first, rest)) = bytes.split_first() else { return true };
    value.len() < LONGEST_WORD
        && first.is_ascii_alphabetic()
        && (is_small(rest) || is_capital(bytes))
}

/// What servers give who signs in, wherever it stands in the record.
fn tokens_in(record: &Value) -> Vec<&str> {
    const NAMES: [&str; 4] = ["access_token", "refresh_token", "id_token", "client_secret"];
    let (mut left, mut found) = (vec![record], Vec::new());
    while let Some(value) = left.pop() {
        match value {
            Value::Object(fields) => {
                let named = fields.iter().filter(|(name, _)| NAMES.contains(&name.as_str()));
                found.extend(named.filter_map(|(_, value)| value.as_str()));
                left.extend(fields.values());
            }
            Value::Array(items) => left.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;
