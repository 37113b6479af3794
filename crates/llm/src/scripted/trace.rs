//! The trace file: which requests it expects, and what it answers.
//!
//! docs/scripted-traces.md describes it for whoever writes one.

use super::Beat;
use crate::{Finish, ModelFault, ModelRequest, Role, ToolCallDelta, Trouble};
use domain::Usage;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    pub format: Format,
    pub version: Version,
    /// The first one that fits a request answers it.
    pub exchanges: Vec<Exchange>,
    /// Answers what fits no exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Answer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    #[serde(default)]
    pub when: When,
    /// How often it answers; always, when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<usize>,
    pub answer: Answer,
}

/// What a request must be like. All that is given must hold.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The last turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Words>,
    /// All system turns together, a line break between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<Words>,
    /// The number of the request since the trace was opened, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Words {
    Contains(String),
    Equals(String),
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    pub lines: Vec<Line>,
    /// Texts come word by word with this pause between the words; whole, when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<FinishName>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Text(String),
    Reasoning(String),
    ToolCall(Call),
    WaitMs(u64),
    /// Ends the answer; what follows is not played.
    Fault(FaultLine),
    Hang(True),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub id: String,
    pub name: String,
    pub arguments: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultLine {
    pub trouble: TroubleName,
    pub message: String,
    #[serde(default)]
    pub fix: String,
    /// For `busy`: when to try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TroubleName {
    Unreachable,
    BrokenAnswer,
    Busy,
    ServerError,
    Key,
    UnknownModel,
    TooLong,
    Refused,
    Engine,
    ModelFile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishName {
    Stop,
    Length,
    ToolCalls,
    Filtered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Format {
    #[default]
    #[serde(rename = "coterie-trace")]
    CoterieTrace,
}

/// Always 1. Its own type, so that another number is refused where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Version;

/// Always true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct True;

/// `FILE:LINE:COL: message`, or without a place when the file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("{path}: {error}", path = path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{path}:{line}:{column}: {message}", path = path.display())]
    Wrong { path: PathBuf, line: usize, column: usize, message: String },
}

impl Trace {
    pub fn load(path: &Path) -> Result<Trace, TraceError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| TraceError::Read { path: path.to_owned(), error })?;
        Trace::parse(&text, path)
    }

    /// `path` is only named in errors.
    pub fn parse(text: &str, path: &Path) -> Result<Trace, TraceError> {
        serde_json::from_str(text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let place = format!(" at line {line} column {column}");
            let message = error.to_string().replace(&place, "");
            TraceError::Wrong { path: path.to_owned(), line, column, message }
        })
    }
}

/// A trace and how often each exchange was played.
pub(super) struct Played {
    trace: Trace,
    times: Vec<usize>,
}

impl Played {
    pub(super) fn new(trace: Trace) -> Self {
        let times = vec![0; trace.exchanges.len()];
        Played { trace, times }
    }

    pub(super) fn beats(&mut self, request: &ModelRequest, nth: usize, source: &str) -> Vec<Beat> {
        let mut exchanges = self.trace.exchanges.iter().zip(&mut self.times);
        let fitting = exchanges.find(|(exchange, times)| {
            exchange.times.is_none_or(|most| **times < most) && exchange.when.fits(request, nth)
        });
        if let Some((exchange, times)) = fitting {
            *times += 1;
            return exchange.answer.beats();
        }
        match &self.trace.fallback {
            Some(answer) => answer.beats(),
            None => vec![Beat::Fail(no_answer(request, nth, source))],
        }
    }
}

impl When {
    fn fits(&self, request: &ModelRequest, nth: usize) -> bool {
        let last = request.turns.last().map_or("", |turn| &turn.content);
        self.model.as_ref().is_none_or(|model| *model == request.model)
            && self.last.as_ref().is_none_or(|words| words.fit(last))
            && self.system.as_ref().is_none_or(|words| words.fit(&system(request)))
            && self.call.is_none_or(|call| call == nth)
    }
}

impl Words {
    fn fit(&self, text: &str) -> bool {
        match self {
            Words::Contains(part) => text.contains(part),
            Words::Equals(whole) => text == whole,
        }
    }
}

impl Answer {
    fn beats(&self) -> Vec<Beat> {
        let usage = self.usage.unwrap_or_default();
        let lines = self.lines.iter().flat_map(|line| self.line(line));
        let mut beats: Vec<Beat> = std::iter::once(Beat::Usage(usage)).chain(lines).collect();
        let called = self.lines.iter().any(|line| matches!(line, Line::ToolCall(_)));
        let natural = if called { Finish::ToolCalls } else { Finish::Stop };
        beats.push(Beat::Done { finish: self.finish.map_or(natural, Finish::from), usage });
        beats
    }

    fn line(&self, line: &Line) -> Vec<Beat> {
        match line {
            Line::Text(text) => self.spoken(text, Beat::Text),
            Line::Reasoning(text) => self.spoken(text, Beat::Reasoning),
            Line::ToolCall(call) => vec![Beat::ToolCall(ToolCallDelta {
                id: call.id.clone(),
                name: Some(call.name.clone()),
                arguments: call.arguments.to_string(),
            })],
            Line::WaitMs(pause) => vec![Beat::Wait(Duration::from_millis(*pause))],
            Line::Fault(fault) => vec![Beat::Fail(fault.into())],
            Line::Hang(True) => vec![Beat::Hang],
        }
    }

    fn spoken(&self, text: &str, beat: fn(String) -> Beat) -> Vec<Beat> {
        let Some(pause) = self.word_ms.map(Duration::from_millis) else {
            return vec![beat(text.to_owned())];
        };
        let words = text.split_inclusive(char::is_whitespace);
        words.flat_map(|word| [Beat::Wait(pause), beat(word.to_owned())]).collect()
    }
}

fn no_answer(request: &ModelRequest, nth: usize, source: &str) -> ModelFault {
    const SHOWN: usize = 80;
    let last = request.turns.last().map_or("", |turn| &turn.content);
    let shown: String = last.chars().take(SHOWN).collect();
    let cut = if shown.len() < last.len() { "…" } else { "" };
    ModelFault::new(
        Trouble::Refused,
        format!(
            "the trace has no answer for request {nth}, asked of {}: {shown:?}{cut}",
            request.model
        ),
        format!("add an exchange that fits it, or a fallback, to {source}"),
    )
}

fn system(request: &ModelRequest) -> String {
    let turns = request.turns.iter().filter(|turn| turn.role == Role::System);
    turns.map(|turn| turn.content.as_str()).collect::<Vec<_>>().join("\n")
}

impl From<&FaultLine> for ModelFault {
    fn from(line: &FaultLine) -> Self {
        let trouble = match line.trouble {
            TroubleName::Unreachable => Trouble::Unreachable,
            TroubleName::BrokenAnswer => Trouble::BrokenAnswer,
            TroubleName::Busy => {
                Trouble::Busy { retry_after: line.retry_after_ms.map(Duration::from_millis) }
            }
            TroubleName::ServerError => Trouble::ServerError,
            TroubleName::Key => Trouble::Key,
            TroubleName::UnknownModel => Trouble::UnknownModel,
            TroubleName::TooLong => Trouble::TooLong,
            TroubleName::Refused => Trouble::Refused,
            TroubleName::Engine => Trouble::Engine,
            TroubleName::ModelFile => Trouble::ModelFile,
        };
        ModelFault::new(trouble, &line.message, &line.fix)
    }
}

impl From<FinishName> for Finish {
    fn from(name: FinishName) -> Self {
        match name {
            FinishName::Stop => Finish::Stop,
            FinishName::Length => Finish::Length,
            FinishName::ToolCalls => Finish::ToolCalls,
            FinishName::Filtered => Finish::Filtered,
        }
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(1)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            1 => Ok(Version),
            other => {
                Err(de::Error::custom(format!("trace version {other} is not known, only 1 is")))
            }
        }
    }
}

impl Serialize for True {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

impl<'de> Deserialize<'de> for True {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match bool::deserialize(deserializer)? {
            true => Ok(True),
            false => Err(de::Error::custom("only `true` makes sense here")),
        }
    }
}
