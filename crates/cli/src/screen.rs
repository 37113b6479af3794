//! What is printed: plain text for people, or JSON for programs.
//!
//! The result goes to stdout. What went wrong is one line on stderr, with what
//! to do about it, and in the JSON formats also an object on stdout. A result
//! that cannot be written is a failure too.

use crate::arguments::Global;
use crate::environment;
use crate::visible;
use domain::{Fault, FaultCode};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Plain,
    Json,
    Jsonl,
}

#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub format: Format,
    pub paint: Paint,
    /// Text is shown while it is being written.
    pub terminal: bool,
    /// Why not all of it could be written.
    unwritten: Arc<OnceLock<io::Error>>,
}

/// Why a command did not do what it was asked for, with what it has to show
/// all the same.
#[derive(Debug)]
pub(crate) struct Failure {
    pub fault: Fault,
    pub data: Option<Value>,
    status: u8,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure { status: status(fault.code), fault, data: None }
    }
}

impl Failure {
    pub(crate) fn internal(message: String) -> Self {
        Fault::new(FaultCode::Internal, message, "run coterie doctor").into()
    }

    pub(crate) fn with(fault: Fault, data: &impl Serialize) -> Self {
        Failure::from(fault).showing(data)
    }

    /// The command did its work and found something wrong: that is no mistake
    /// in its usage.
    pub(crate) fn plain(fault: Fault) -> Self {
        Failure { status: 1, ..Failure::from(fault) }
    }

    pub(crate) fn found(fault: Fault, data: &impl Serialize) -> Self {
        Failure::plain(fault).showing(data)
    }

    pub(crate) fn showing(self, data: &impl Serialize) -> Self {
        Failure { data: Some(serde_json::to_value(data).expect(STRING_KEYS)), ..self }
    }
}

impl Screen {
    pub(crate) fn new(global: &Global) -> Self {
        let format = match (global.json, global.jsonl) {
            (true, _) => Format::Json,
            (false, true) => Format::Jsonl,
            (false, false) => Format::Plain,
        };
        let terminal = io::stdout().is_terminal();
        let colour = terminal && !global.no_color && !environment::wants_no_color();
        Screen { format, paint: Paint { colour }, terminal, unwritten: Arc::default() }
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.format == Format::Plain
    }

    /// One thing: a record, or what is said about it.
    pub(crate) fn one<T: Serialize>(&self, record: &T, plain: impl FnOnce(Paint) -> String) {
        match self.format {
            Format::Plain => self.text(&plain(self.paint)),
            Format::Json => self.put(&line(&Done { ok: true, data: record })),
            Format::Jsonl => self.put(&line(record)),
        }
    }

    /// Many things of a kind: one a line as JSONL.
    pub(crate) fn many<T: Serialize>(&self, records: &[T], plain: impl FnOnce(Paint) -> String) {
        match self.format {
            Format::Plain | Format::Json => self.one(&records, plain),
            Format::Jsonl => records.iter().for_each(|record| self.one(record, |_| String::new())),
        }
    }

    /// Text for people, ended with a newline if it has none.
    pub(crate) fn text(&self, text: &str) {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        self.put(&self.paint.shown(&format!("{text}{end}")));
    }

    /// A piece of a line that is being written.
    pub(crate) fn piece(&self, text: &str) {
        self.put(&self.paint.shown(text));
    }

    /// Something to know that is no part of the result.
    pub(crate) fn aside(&self, text: &str) {
        // Nobody reads it if it cannot be written.
        let _ = writeln!(io::stderr(), "coterie: {}", visible::line(text));
    }

    /// Says what went wrong, here or on the way to the screen; gives the
    /// process's exit status.
    pub(crate) fn end(&self, done: Result<(), Failure>) -> ExitCode {
        let status = match done {
            Ok(()) => 0,
            Err(failure) => self.fail(failure),
        };
        let Some(error) = self.unwritten.get() else { return ExitCode::from(status) };
        let fix = "what came of it is not whole; free some space, or write it elsewhere";
        self.aside(&format!("the output cannot be written: {error}; {fix}"));
        ExitCode::from(status.max(1))
    }

    fn fail(&self, failure: Failure) -> u8 {
        let Failure { fault, data, status } = failure;
        if !self.is_plain() {
            self.put(&line(&NotDone { ok: false, fault: &fault, data }));
        }
        self.aside(&one_line(&fault));
        status
    }

    fn put(&self, text: &str) {
        if self.unwritten.get().is_some() {
            return;
        }
        let mut stdout = io::stdout().lock();
        if let Err(error) = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            self.cannot_write(error);
        }
    }

    /// A reader that went away, as in `coterie run list | head`, is no failure.
    pub(crate) fn cannot_write(&self, error: io::Error) {
        if error.kind() != io::ErrorKind::BrokenPipe {
            // The first one stands.
            let _ = self.unwritten.set(error);
        }
    }
}

#[derive(Serialize)]
struct Done<'a, T: Serialize> {
    ok: bool,
    data: &'a T,
}

#[derive(Serialize)]
struct NotDone<'a> {
    ok: bool,
    fault: &'a Fault,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

/// A record as one line of JSON.
pub(crate) fn line(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect(STRING_KEYS) + "\n"
}

const STRING_KEYS: &str = "records have string keys only";

fn one_line(fault: &Fault) -> String {
    fault.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn status(code: FaultCode) -> u8 {
    match code {
        FaultCode::BadInput => 2,
        FaultCode::NotFound => 3,
        FaultCode::Refused | FaultCode::Budget => 4,
        FaultCode::TimedOut => 5,
        FaultCode::Conflict
        | FaultCode::NoModel
        | FaultCode::Key
        | FaultCode::Provider
        | FaultCode::Engine
        | FaultCode::Storage
        | FaultCode::Internal => 1,
    }
}

/// Colours, on a terminal that wants them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    colour: bool,
}

impl Paint {
    pub(crate) fn strong(self, text: &str) -> String {
        self.wrap(STRONG, text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.wrap(FAINT, text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.wrap(GOOD, text)
    }

    pub(crate) fn careful(self, text: &str) -> String {
        self.wrap(CAREFUL, text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.wrap(BAD, text)
    }

    /// Only marks it: what a terminal obeys is written at the very end, where
    /// everything of that kind that others wrote is taken out.
    fn wrap(self, mark: char, text: &str) -> String {
        if self.colour { format!("{mark}{text}{END}") } else { text.to_owned() }
    }

    /// What the terminal is given.
    fn shown(self, text: &str) -> String {
        if !self.colour {
            return visible::lines(text);
        }
        let pieces = text.split_inclusive(|c| CODES.iter().any(|(mark, _)| *mark == c));
        pieces.fold(String::with_capacity(text.len()), |mut shown, piece| {
            let code = CODES.iter().find(|(mark, _)| piece.ends_with(*mark));
            shown += &visible::lines(code.map_or(piece, |(mark, _)| piece.trim_end_matches(*mark)));
            if let Some((_, code)) = code {
                shown += code;
            }
            shown
        })
    }
}

/// These are no characters of any language; what others wrote has none of them
/// left where it is put in a table, a name or a message.
const END: char = '\u{fdd0}';
const STRONG: char = '\u{fdd1}';
const FAINT: char = '\u{fdd2}';
const GOOD: char = '\u{fdd3}';
const CAREFUL: char = '\u{fdd4}';
const BAD: char = '\u{fdd5}';

const CODES: [(char, &str); 6] = [
    (END, "\x1b[0m"),
    (STRONG, "\x1b[1m"),
    (FAINT, "\x1b[2m"),
    (GOOD, "\x1b[32m"),
    (CAREFUL, "\x1b[33m"),
    (BAD, "\x1b[31m"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_the_only_thing_that_a_terminal_is_told_to_do() {
        let check = |colour: bool, expected: &str| {
            let paint = Paint { colour };
            let text = format!("{} \u{1b}[2J{}\n", paint.strong("a\u{1b}b"), paint.bad("c"));
            assert_eq!(paint.shown(&text), expected);
        };
        check(false, "a\\u001bb \\u001b[2Jc\n");
        check(true, "\x1b[1ma\\u001bb\x1b[0m \\u001b[2J\x1b[31mc\x1b[0m\n");
        assert_eq!(Paint { colour: false }.shown("\u{fdd5}red"), "\\ufdd5red");
    }

    #[test]
    fn what_went_wrong_is_one_line_with_the_fix() {
        let fault = Fault::bad_input("the first line\nand the second", "do this");
        assert_eq!(one_line(&fault), "the first line and the second; do this");
    }
}
