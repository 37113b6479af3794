//! A soul file's text: front matter between two `---` lines, then the persona.
//!
//! Pure. Byte order marks, all three kinds of line end and spaces after a
//! fence are taken as they come; the persona leaves here with `\n` only and
//! without blank lines around it, so the same words make the same prompt.

use super::front::{self, Findings, Front};
use super::name::{self, ENDING};
use super::place::{Line, Place, lines};
use super::yaml;
use domain::{SoulMistake, SoulProblem};
use std::ffi::OsStr;

/// A persona is a few pages; more than this is another kind of file.
pub const MAX_BYTES: usize = 256 * 1024;

/// A valid soul.
#[derive(Debug, Clone, PartialEq)]
pub struct SoulFile {
    pub front: Front,
    /// Markdown, never empty.
    pub persona: String,
    pub warnings: Vec<SoulProblem>,
}

/// What is to be said about a text, each list in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checked {
    /// With any of these the text is not a soul.
    pub errors: Vec<SoulProblem>,
    pub warnings: Vec<SoulProblem>,
}

/// Reads a soul, or says everything that is wrong with it. `stem` is the file
/// name without `.md`.
pub fn parse(stem: &str, text: &str) -> Result<SoulFile, Vec<SoulProblem>> {
    let (soul, findings) = read(stem, text);
    match soul {
        Some((front, persona)) if findings.errors.is_empty() => {
            Ok(SoulFile { front, persona, warnings: findings.warnings })
        }
        _ => Err(findings.errors),
    }
}

/// All there is to say about a text, right or wrong.
pub fn check(stem: &str, text: &str) -> Checked {
    let (_, findings) = read(stem, text);
    Checked { errors: findings.errors, warnings: findings.warnings }
}

/// The same for a file as it was read, with what there is to say about its
/// name; `file` is all of that.
pub fn check_bytes(file: &OsStr, bytes: &[u8]) -> Checked {
    let name = name::wrong_with_file(file).map(|why| why.problem());
    let mut checked = match decode(bytes) {
        // A name is said to be wrong once, and as the file's.
        Ok(text) => check(if name.is_none() { stem(file) } else { ANY_STEM }, text),
        Err(problem) => Checked { errors: vec![problem], warnings: Vec::new() },
    };
    checked.errors.splice(0..0, name);
    checked
}

const ANY_STEM: &str = "soul";

fn stem(file: &OsStr) -> &str {
    file.to_str().and_then(|file| file.strip_suffix(ENDING)).unwrap_or(ANY_STEM)
}

/// The text in a file's bytes.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, SoulProblem> {
    if bytes.len() > MAX_BYTES {
        return Err(too_large());
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Place::START.problem(SoulMistake::Utf16));
    }
    str::from_utf8(bytes).map_err(|error| {
        let good = str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
        Place::of(good, good.len()).problem(SoulMistake::NotUtf8)
    })
}

pub(super) fn too_large() -> SoulProblem {
    Place::START.problem(SoulMistake::TooLarge { most_kib: (MAX_BYTES / 1024) as u32 })
}

fn read(stem: &str, text: &str) -> (Option<(Front, String)>, Findings) {
    let mut findings = Findings::default();
    findings.errors.extend(name::wrong_with(stem).map(|why| why.problem()));
    let soul = read_parts(&name::composed(stem), text, &mut findings);
    let place = |problem: &SoulProblem| (problem.line, problem.column);
    findings.errors.sort_by_key(place);
    findings.warnings.sort_by_key(place);
    (soul, findings)
}

fn read_parts(stem: &str, text: &str, findings: &mut Findings) -> Option<(Front, String)> {
    if text.len() > MAX_BYTES {
        findings.errors.push(too_large());
        return None;
    }
    let parts = match plain(text).and_then(split) {
        Ok(parts) => parts,
        Err(problem) => {
            findings.errors.push(problem);
            return None;
        }
    };
    findings.warnings.extend(parts.late_fence);
    let front = match yaml::read(parts.yaml, 1).and_then(front::fields) {
        Ok(fields) => Some(front::read(stem, &fields, findings)),
        Err(problem) => {
            findings.errors.push(problem);
            None
        }
    };
    let persona = in_lines(parts.persona);
    if persona.is_empty() {
        let place = Place { line: parts.persona_line, column: 1 };
        findings.errors.push(place.problem(SoulMistake::PersonaEmpty));
    }
    front.map(|front| (front, persona))
}

/// The text without its byte order mark, if it has no control characters. A NUL ends it
/// for the YAML parser, and none of them belongs in a prompt.
pub(crate) fn plain(text: &str) -> Result<&str, SoulProblem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let unseen = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    match text.char_indices().find(|(_, c)| unseen(*c)) {
        Some((at, c)) => {
            let mistake = SoulMistake::ControlCharacter { code: yaml::code(c) };
            Err(Place::of(text, at).problem(mistake))
        }
        None => Ok(text),
    }
}

/// The same words with `\n` alone between lines, and no blank lines around them.
pub(crate) fn in_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").trim().to_owned()
}

pub(crate) struct Parts<'a> {
    /// Starts on the file's second line.
    pub(crate) yaml: &'a str,
    pub(crate) persona: &'a str,
    pub(crate) persona_line: u32,
    pub(crate) late_fence: Option<SoulProblem>,
}

pub(crate) fn split(text: &str) -> Result<Parts<'_>, SoulProblem> {
    let mut lines = lines(text).zip(1u32..);
    let is_fence = |line: &Line<'_>| line.text.trim_end() == "---";
    let first = lines.next().map(|(line, _)| line);
    let Some(first) = first.filter(is_fence) else {
        return Ok(Parts {
            yaml: "",
            persona: text,
            persona_line: 1,
            late_fence: late_fence(text),
        });
    };
    let Some((last, number)) = lines.find(|(line, _)| is_fence(line)) else {
        return Err(Place::START.problem(SoulMistake::FrontUnended));
    };
    Ok(Parts {
        yaml: &text[first.next..last.start],
        persona: &text[last.next..],
        persona_line: number + 1,
        late_fence: None,
    })
}

/// Front matter below blank lines is a likely mistake, though a persona may
/// well begin with a rule.
fn late_fence(text: &str) -> Option<SoulProblem> {
    let mut filled = lines(text).zip(1u32..).filter(|(line, _)| !line.text.trim().is_empty());
    let (first, number) = filled.next()?;
    let fenced =
        first.text.trim_end() == "---" && filled.any(|(line, _)| line.text.trim_end() == "---");
    fenced.then(|| {
        let place = Place { line: number, column: 1 };
        place.problem(SoulMistake::FrontLate)
    })
}

#[cfg(test)]
mod mutated;
#[cfg(test)]
mod tests;
