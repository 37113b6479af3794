//! Places and lines of a soul file.

use super::mistake;
use domain::{SoulMistake, SoulProblem};

/// Both count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Place {
    pub(crate) const START: Place = Place { line: 1, column: 1 };

    pub(crate) fn problem(self, mistake: SoulMistake) -> SoulProblem {
        SoulProblem {
            line: self.line,
            column: self.column,
            message: mistake::said(&mistake),
            kind: Some(Box::new(mistake)),
        }
    }

    /// The place of the byte at `at`, which starts a character or ends the text.
    pub(crate) fn of(text: &str, at: usize) -> Place {
        let last = lines(text).zip(1u32..).take_while(|(line, _)| line.start <= at).last();
        let Some((line, number)) = last else {
            return Place::START;
        };
        if at == line.next && line.ended() {
            return Place { line: number + 1, column: 1 };
        }
        let column = text[line.start..at].chars().count();
        Place { line: number, column: u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1) }
    }
}

pub(crate) struct Line<'a> {
    pub(crate) start: usize,
    /// Without its end.
    pub(crate) text: &'a str,
    /// Where the next line starts.
    pub(crate) next: usize,
}

impl Line<'_> {
    fn ended(&self) -> bool {
        self.next > self.start + self.text.len()
    }
}

/// Lines as YAML counts them: ended by `\n`, `\r\n` or `\r`.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let end =
            if rest[length..].starts_with("\r\n") { 2 } else { usize::from(length < rest.len()) };
        let line = Line { start, text: &rest[..length], next: start + length + end };
        start = line.next;
        Some(line)
    })
}
