//! A SKILL.md: front matter between two `---` lines, then what to do, in Markdown.
//!
//! Pure but for `check_folder`. Every mistake is found in one pass, each with its place.
//! Fields that the format does not have are passed over with a warning: other programs
//! write theirs there.

mod colons;

use super::{folder, needed};
use crate::souls::front::{self, Findings, fields, shown, text, wrong};
use crate::souls::parse::{decode, in_lines, plain, split};
use crate::souls::place::Place;
use crate::souls::yaml::{self, Field, Value};
use domain::{SkillTool, SoulForm, SoulMistake, SoulProblem};
use std::collections::BTreeMap;
use std::path::Path;

/// A body is a few pages; what is longer belongs into files beside it.
pub(super) const MOST_BYTES: usize = 128 * 1024;
const MOST_NAME: usize = 64;
const MOST_DESCRIPTION: usize = 1024;
const MOST_COMPATIBILITY: usize = 500;

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct SkillFront {
    pub description: String,
    pub license: Option<String>,
    pub compatibility: Option<String>,
    pub metadata: BTreeMap<String, String>,
    /// What it says it uses, with what that is called here.
    pub tools: Vec<SkillTool>,
}

/// A valid SKILL.md.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SkillText {
    pub front: SkillFront,
    /// Markdown.
    pub body: String,
    pub warnings: Vec<SoulProblem>,
}

/// What is to be said about a skill's folder.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckedSkill {
    /// With any of these it is not a skill.
    pub errors: Vec<SoulProblem>,
    pub warnings: Vec<SoulProblem>,
}

/// All there is to say about a folder, wherever it lies.
pub fn check_folder(path: &Path) -> CheckedSkill {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match folder::read_one(path).and_then(|text| parse(&name, &text)) {
        Ok(skill) => CheckedSkill { errors: Vec::new(), warnings: skill.warnings },
        Err(errors) => CheckedSkill { errors, warnings: Vec::new() },
    }
}

/// Reads a SKILL.md that lies in a folder of this name, or says everything that is wrong
/// with it.
pub(crate) fn parse(folder: &str, text: &str) -> Result<SkillText, Vec<SoulProblem>> {
    let parts = plain(text).and_then(split).map_err(|problem| vec![problem])?;
    if parts.yaml.is_empty() && parts.persona_line == 1 {
        let missing = || Place::START.problem(SoulMistake::SkillNoFront);
        return Err(vec![parts.late_fence.unwrap_or_else(missing)]);
    }
    let tree = yaml::read(parts.yaml, 1)
        .or_else(|problem| yaml::read(&colons::quoted(parts.yaml), 1).map_err(|_| problem));
    let fields = tree.and_then(fields).map_err(|problem| vec![problem])?;
    let mut findings = Findings::default();
    let front = read(folder, &fields, &mut findings);
    let body = in_lines(parts.persona);
    if body.is_empty() {
        let place = Place { line: parts.persona_line, column: 1 };
        findings.warnings.push(place.problem(SoulMistake::SkillBodyEmpty));
    }
    findings.errors.sort_by_key(|problem| (problem.line, problem.column));
    match findings.errors.is_empty() {
        true => Ok(SkillText { front, body, warnings: findings.warnings }),
        false => Err(findings.errors),
    }
}

/// The text in a SKILL.md's bytes.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, SoulProblem> {
    if bytes.len() > MOST_BYTES {
        let mistake = SoulMistake::SkillLarge { most_kib: (MOST_BYTES / 1024) as u32 };
        return Err(Place::START.problem(mistake));
    }
    decode(bytes)
}

fn read(folder: &str, fields: &[Field], findings: &mut Findings) -> SkillFront {
    let mut read = SkillFront::default();
    let mut missing = vec!["name", "description"];
    for field in fields {
        missing.retain(|required| *required != field.key);
        match field.key.as_str() {
            "name" => findings.errors.extend(wrong_name(field, folder)),
            "description" => {
                findings.fill(&mut read.description, words(field, MOST_DESCRIPTION));
            }
            "license" => findings.fill(&mut read.license, optional(field, MOST_DESCRIPTION)),
            "compatibility" => {
                findings.fill(&mut read.compatibility, optional(field, MOST_COMPATIBILITY));
            }
            "metadata" => read.metadata = metadata(field, findings),
            "allowed-tools" => findings.fill(&mut read.tools, tools(field)),
            _ => {
                let mistake = SoulMistake::SkillFieldUnknown { field: field.key.clone() };
                findings.warnings.push(field.place.problem(mistake));
            }
        }
    }
    let missing = missing.into_iter().map(|field| {
        Place::START.problem(SoulMistake::SkillFieldMissing { field: field.to_owned() })
    });
    findings.errors.extend(missing);
    read
}

/// Letters, digits and single hyphens between them, and the same as the folder's.
fn wrong_name(field: &Field, folder: &str) -> Option<SoulProblem> {
    let name = match text(field) {
        Ok(name) => name,
        Err(problem) => return Some(problem),
    };
    if !is_name(name) {
        let mistake = SoulMistake::SkillName { most: MOST_NAME as u32, found: shown(&field.node) };
        return Some(field.node.place.problem(mistake));
    }
    (name != folder).then(|| {
        let (folder, name) = (folder.to_owned(), name.to_owned());
        field.node.place.problem(SoulMistake::SkillOtherName { folder, name })
    })
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.len() <= MOST_NAME
        && name.split('-').all(|part| !part.is_empty() && part.chars().all(fits))
}

/// One or more lines, as one.
fn words(field: &Field, most: usize) -> Result<String, SoulProblem> {
    let words = text(field)?.split_whitespace().collect::<Vec<_>>().join(" ");
    let length = words.chars().count();
    if length == 0 {
        let mistake = SoulMistake::SkillFieldMissing { field: field.key.clone() };
        return Err(field.node.place.problem(mistake));
    }
    if length > most {
        return Err(field.node.place.problem(SoulMistake::FieldLong {
            field: field.key.clone(),
            length: u32::try_from(length).unwrap_or(u32::MAX),
            most: most as u32,
        }));
    }
    Ok(words)
}

fn optional(field: &Field, most: usize) -> Result<Option<String>, SoulProblem> {
    if matches!(field.node.value, Value::Nothing) {
        return Ok(None);
    }
    words(field, most).map(Some)
}

/// What is not text, such as `version: 1.0`, is taken as it was written, with a warning.
fn metadata(field: &Field, findings: &mut Findings) -> BTreeMap<String, String> {
    let entries: &[Field] = match &field.node.value {
        Value::Map(entries) => entries,
        Value::Nothing => &[],
        Value::Truth(_) | Value::Number { .. } | Value::Text(_) | Value::List(_) => {
            findings.errors.push(wrong(field, SoulForm::Block));
            &[]
        }
    };
    let mut metadata = BTreeMap::new();
    for entry in entries {
        let value = match &entry.node.value {
            Value::Text(text) => text.trim().to_owned(),
            Value::Nothing => continue,
            Value::Truth(_) | Value::Number { .. } | Value::List(_) | Value::Map(_) => {
                findings.warnings.extend(text(entry).err());
                match entry.node.to_json() {
                    serde_json::Value::String(text) => text,
                    other => other.to_string(),
                }
            }
        };
        metadata.insert(entry.key.clone(), value);
    }
    metadata
}

/// Names with blanks between them, as the format has it, or a list.
fn tools(field: &Field) -> Result<Vec<SkillTool>, SoulProblem> {
    let said = match &field.node.value {
        Value::Nothing => Vec::new(),
        Value::List(_) => front::list(field)?,
        Value::Truth(_) | Value::Number { .. } | Value::Text(_) | Value::Map(_) => {
            needed::apart(text(field)?)
        }
    };
    Ok(said.into_iter().map(needed::called_here).collect())
}

/// Where the SKILL.md of a folder is, as a message names it.
pub(super) fn path_in(folder: &Path) -> String {
    folder::file_in(folder).display().to_string()
}

#[cfg(test)]
mod tests;
