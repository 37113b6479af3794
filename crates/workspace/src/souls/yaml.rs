//! YAML as a small tree that knows where everything stands in the file.
//!
//! Built from the parser's events without recursion. What front matter has no
//! use for is refused before it can cost anything: anchors and aliases (a few
//! lines of them unfold into gigabytes), tags, deep nesting, a second document.

use super::place::{Place, lines};
use domain::{SoulMistake, SoulProblem, YamlCause};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError};
use serde_json::Number;

/// The fields themselves are the first level; `policy` and its like use two more.
const MAX_DEPTH: usize = 8;

/// Far more than a soul has to say, and few enough to compare each with each.
const MAX_NODES: usize = 5_000;

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Nothing,
    Truth(bool),
    /// `raw` is the number as it was written, for messages.
    Number {
        raw: String,
        value: f64,
    },
    Text(String),
    List(Vec<Node>),
    Map(Vec<Field>),
}

#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) place: Place,
    pub(crate) key: String,
    pub(crate) node: Node,
}

/// The tree, or `None` for an empty document. `lines_before` is how many lines
/// of the file come before this text.
pub(crate) fn read(yaml: &str, lines_before: u32) -> Result<Option<Node>, SoulProblem> {
    let mut tree = Tree::default();
    let mut documents = 0;
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event
            .map_err(|error| place_of_error(&error, yaml, lines_before).problem(explain(&error)))?;
        let at = place_of(&span.start, lines_before);
        match event {
            Event::DocumentStart(_) if documents == 1 => {
                return Err(at.problem(SoulMistake::FrontTwice));
            }
            Event::DocumentStart(_) => documents = 1,
            Event::Alias(_) => return Err(at.problem(SoulMistake::Anchors)),
            Event::Scalar(_, _, anchor, _)
            | Event::SequenceStart(anchor, _)
            | Event::MappingStart(anchor, _)
                if anchor > 0 =>
            {
                return Err(at.problem(SoulMistake::Anchors));
            }
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => {
                return Err(at.problem(SoulMistake::Tags));
            }
            Event::Scalar(text, ..) if let Some(c) = text.chars().find(|c| is_unseen(*c)) => {
                return Err(at.problem(SoulMistake::ControlInValue { code: code(c) }));
            }
            Event::Scalar(text, style, ..) => {
                tree.add(Node { place: at, value: scalar(&text, style) })?
            }
            Event::SequenceStart(..) => tree.open(at, Holder::List(Vec::new()))?,
            Event::MappingStart(..) => tree.open(at, Holder::Map(Vec::new(), None))?,
            Event::SequenceEnd | Event::MappingEnd => tree.close()?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
    }
    Ok(tree.root)
}

/// Inside double quotes, `\e` is one that does not stand in the file itself.
fn is_unseen(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

/// As people write a character that cannot be seen.
pub(crate) fn code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

fn place_of(marker: &Marker, lines_before: u32) -> Place {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Place {
        line: count(marker.line()).saturating_add(lines_before),
        column: count(marker.col()).saturating_add(1),
    }
}

/// The parser's words, with the usual cause where there is one.
fn explain(error: &ScanError) -> SoulMistake {
    const CAUSES: [(&str, YamlCause); 11] = [
        ("unknown anchor", YamlCause::StarQuotes),
        ("mapping values are not allowed", YamlCause::ColonQuotes),
        ("simple key", YamlCause::ColonMissing),
        ("document start", YamlCause::Columns),
        ("sequence entries are not allowed", YamlCause::DashQuotes),
        ("unexpected character", YamlCause::FirstQuotes),
        ("escape character", YamlCause::Backslash),
        ("trailing content", YamlCause::QuotesEnd),
        ("quoted scalar", YamlCause::QuoteOpen),
        ("flow ", YamlCause::BracketOpen),
        ("a tab", YamlCause::Tab),
    ];
    let info = error.info();
    let cause = CAUSES.iter().find(|(words, _)| info.contains(words)).map(|(_, cause)| *cause);
    SoulMistake::Yaml { cause, detail: info.to_owned() }
}

/// Where the parser gave up; for a key without its colon that is the next
/// line, and the mistake is on the one before.
fn place_of_error(error: &ScanError, yaml: &str, lines_before: u32) -> Place {
    let at = place_of(error.marker(), lines_before);
    if !error.info().contains("simple key") {
        return at;
    }
    let before = lines(yaml)
        .map(|line| line.text)
        .zip(lines_before + 1..)
        .take_while(|(_, line)| *line < at.line);
    match before.filter(|(text, _)| !text.trim().is_empty()).last() {
        Some((text, line)) => {
            let indent = text.chars().take_while(|c| c.is_whitespace()).count();
            Place { line, column: u32::try_from(indent).unwrap_or(u32::MAX).saturating_add(1) }
        }
        None => at,
    }
}

/// What is being built: the collections that are still open, innermost last.
#[derive(Default)]
struct Tree {
    open: Vec<(Place, Holder)>,
    nodes: usize,
    root: Option<Node>,
}

enum Holder {
    List(Vec<Node>),
    /// With the key that waits for its value.
    Map(Vec<Field>, Option<(Place, String)>),
}

impl Tree {
    fn open(&mut self, at: Place, holder: Holder) -> Result<(), SoulProblem> {
        if self.open.len() == MAX_DEPTH {
            return Err(at.problem(SoulMistake::TooDeep { most: MAX_DEPTH as u32 }));
        }
        self.open.push((at, holder));
        Ok(())
    }

    fn close(&mut self) -> Result<(), SoulProblem> {
        match self.open.pop() {
            Some((place, Holder::List(items))) => {
                self.add(Node { place, value: Value::List(items) })
            }
            Some((place, Holder::Map(fields, _))) => {
                self.add(Node { place, value: Value::Map(fields) })
            }
            None => Ok(()),
        }
    }

    fn add(&mut self, node: Node) -> Result<(), SoulProblem> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(node.place.problem(SoulMistake::FrontLong));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some((_, Holder::List(items))) => items.push(node),
            Some((_, Holder::Map(fields, waiting))) => match waiting.take() {
                Some((place, key)) => fields.push(Field { place, key, node }),
                None => {
                    let place = node.place;
                    let key = node.into_key()?;
                    if let Some(first) = fields.iter().find(|field| field.key == key) {
                        let line = first.place.line;
                        return Err(place.problem(SoulMistake::KeyTwice { key, line }));
                    }
                    *waiting = Some((place, key));
                }
            },
        }
        Ok(())
    }
}

impl Node {
    fn into_key(self) -> Result<String, SoulProblem> {
        match self.value {
            Value::Text(text) if text.chars().count() <= 100 => Ok(text),
            Value::Number { raw, .. } => Ok(raw),
            Value::Truth(truth) => Ok(truth.to_string()),
            Value::Text(_) | Value::Nothing | Value::List(_) | Value::Map(_) => {
                Err(self.place.problem(SoulMistake::KeyUnfit))
            }
        }
    }

    /// The value as JSON, for what is kept without being understood.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Nothing => Json::Null,
            Value::Truth(truth) => Json::Bool(*truth),
            Value::Number { raw, value } => match (raw.parse::<i64>(), Number::from_f64(*value)) {
                (Ok(whole), _) => Json::from(whole),
                (Err(_), Some(number)) => Json::Number(number),
                (Err(_), None) => Json::String(raw.clone()),
            },
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(Node::to_json).collect()),
            Value::Map(fields) => {
                Json::Object(fields.iter().map(|f| (f.key.clone(), f.node.to_json())).collect())
            }
        }
    }
}

/// What an unquoted word means, by YAML's core schema.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Nothing,
        "true" | "True" | "TRUE" => Value::Truth(true),
        "false" | "False" | "FALSE" => Value::Truth(false),
        _ => match number(text) {
            Some(value) => Value::Number { raw: text.to_owned(), value },
            None => Value::Text(text.to_owned()),
        },
    }
}

fn number(text: &str) -> Option<f64> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Some(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    // Rust also reads `inf` and `nan`, which are words in YAML.
    let looks_like_one = text.chars().any(|c| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E'));
    if looks_like_one { text.parse().ok() } else { None }
}
