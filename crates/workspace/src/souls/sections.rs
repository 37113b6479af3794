//! The sections of a soul's persona: each goes from a heading to the next one, and what
//! stands before the first has no name.
//!
//! Pure. Another text is put in the place of one section only where nothing else changes
//! by it: not the front matter, which says what the agent may do, and no other section.

use super::parse::{in_lines, parse, plain, split};
use super::place::lines;
use crate::letters;
use std::ops::Range;
use thiserror::Error;

/// Why another text cannot stand in the place of a section.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Unfit {
    #[error("the file is no valid soul")]
    File,
    #[error("the soul has several sections of that name")]
    Several,
    #[error(
        "it would change more than that section: give its text without headings, and end every block of code that it begins"
    )]
    More,
}

/// What stands in a section, with `\n` alone between lines; `None` where there is no such
/// section.
pub(crate) fn text_of(text: &str, name: &str) -> Result<Option<String>, Unfit> {
    let found = find(text, name)?;
    Ok(found.map(|section| in_lines(&text[section.body])))
}

/// As the soul itself writes the name of a section, where it has it.
pub(crate) fn name_of(text: &str, name: &str) -> Result<String, Unfit> {
    let found = find(text, name)?;
    Ok(found.map_or_else(|| name.trim().to_owned(), |section| section.name))
}

/// The whole file with another text in a section, or with a new section at its end.
pub(crate) fn with(stem: &str, file: &str, name: &str, text: &str) -> Result<String, Unfit> {
    let before = parse(stem, file).map_err(|_| Unfit::File)?;
    let names = |file: &str| all(file).map(|all| all.into_iter().map(|section| section.name));
    let mut expected: Vec<String> = names(file)?.collect();
    let text = in_lines(text);
    let changed = match find(file, name)? {
        Some(section) => {
            let lead = if section.name.is_empty() { "" } else { "\n" };
            let tail = if section.body.end < file.len() { "\n\n" } else { "\n" };
            let body = ended_as(file, &format!("{lead}{text}{tail}"));
            format!("{}{body}{}", &file[..section.body.start], &file[section.body.end..])
        }
        None => {
            expected.push(name.to_owned());
            let added = ended_as(file, &format!("\n\n# {name}\n\n{text}\n"));
            format!("{}{added}", file.trim_end())
        }
    };
    let after = parse(stem, &changed).map_err(|_| Unfit::More)?;
    let is_only_that = after.front == before.front
        && names(&changed)?.eq(expected)
        && text_of(&changed, name)?.as_deref() == Some(text.as_str());
    if is_only_that { Ok(changed) } else { Err(Unfit::More) }
}

/// With the ends of lines that the file has.
fn ended_as(file: &str, text: &str) -> String {
    if file.contains("\r\n") { text.replace('\n', "\r\n") } else { text.to_owned() }
}

struct Section {
    name: String,
    /// Behind the line of its heading.
    body: Range<usize>,
}

fn find(text: &str, name: &str) -> Result<Option<Section>, Unfit> {
    let name = name.trim();
    let mut same = all(text)?.into_iter().filter(|section| letters::same(&section.name, name));
    match (same.next(), same.next()) {
        (found, None) => Ok(found),
        (_, Some(_)) => Err(Unfit::Several),
    }
}

fn all(text: &str) -> Result<Vec<Section>, Unfit> {
    let parts = plain(text).and_then(split).map_err(|_| Unfit::File)?;
    let start = text.len() - parts.persona.len();
    let mut sections = vec![Section { name: String::new(), body: start..text.len() }];
    let mut fence: Option<&str> = None;
    for line in lines(parts.persona) {
        match (fence, mark(line.text)) {
            (None, Some(begun)) => fence = Some(begun),
            (Some(begun), Some(mark)) if ends(begun, mark, line.text) => fence = None,
            (Some(_), _) => {}
            (None, None) => {
                let Some(name) = heading(line.text) else { continue };
                if let Some(last) = sections.last_mut() {
                    last.body.end = start + line.start;
                }
                let body = start + line.next..text.len();
                sections.push(Section { name: name.to_owned(), body });
            }
        }
    }
    Ok(sections)
}

/// More is code.
const MOST_SPACES: usize = 3;

fn unindented(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    (line.len() - rest.len() <= MOST_SPACES).then_some(rest)
}

fn heading(line: &str) -> Option<&str> {
    let line = unindented(line)?;
    let rest = line.trim_start_matches('#');
    let is_heading = (1..=6).contains(&(line.len() - rest.len()))
        && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| rest.trim().trim_end_matches('#').trim_end())
}

/// What a block of code begins or ends with.
fn mark(line: &str) -> Option<&str> {
    let line = unindented(line)?;
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(sign).len();
    // Backticks behind it make it code in the middle of a line.
    let is_mark = length >= 3 && (sign == '~' || !line[length..].contains('`'));
    is_mark.then(|| &line[..length])
}

fn ends(begun: &str, mark: &str, line: &str) -> bool {
    mark.starts_with(begun) && line.trim() == mark
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUL: &str = "---\nname: Ada\ntools: [time]\n---\nYou are Ada.\n\n# How you work\n\n- Ask.\n\n```\n# no heading\n```\n\n## How you speak ##\n\nPlainly.\n";

    #[test]
    fn each_section_goes_from_its_heading_to_the_next() {
        let of = |name: &str| text_of(SOUL, name).unwrap();
        assert_eq!(of("").as_deref(), Some("You are Ada."));
        assert_eq!(of("how you WORK ").as_deref(), Some("- Ask.\n\n```\n# no heading\n```"));
        assert_eq!(of("How you speak").as_deref(), Some("Plainly."));
        assert_eq!(of("no heading"), None);
        assert_eq!(text_of("A.\n# B\nC\n# b\nD\n", "B"), Err(Unfit::Several));
        assert_eq!(text_of("---\nname: Ada\n", ""), Err(Unfit::File));
    }

    #[test]
    fn another_text_stands_in_the_place_of_one_section_and_all_else_stays() {
        let changed = |name, text| with("ada", SOUL, name, text).unwrap();
        assert_eq!(
            changed("How you speak", "Warmly.\n\n- Briefly."),
            SOUL.replace("Plainly.", "Warmly.\n\n- Briefly.")
        );
        assert_eq!(
            changed("", "You are Ada, of Porto."),
            SOUL.replace("Ada.\n", "Ada, of Porto.\n")
        );
        assert_eq!(changed("In a group", "Wait."), format!("{SOUL}\n# In a group\n\nWait.\n"));
        let dos = SOUL.replace('\n', "\r\n");
        assert_eq!(
            with("ada", &dos, "How you speak", "One.\nTwo.").unwrap(),
            dos.replace("Plainly.", "One.\r\nTwo.")
        );
    }

    #[test]
    fn what_would_change_more_than_its_section_is_refused() {
        for text in ["A.\n\n# How you lie\n\nWell.", "```\nopen", "A.\u{0}", " # How you lie"] {
            assert_eq!(with("ada", SOUL, "How you work", text), Err(Unfit::More), "{text:?}");
        }
        // Without front matter, what a soul begins with could become it.
        let bare = "You are Ada.\n\n# Work\n\nWell.\n";
        let front = "---\ntools: [\"*\"]\n---\nYou are Ada.";
        assert_eq!(with("ada", bare, "", front), Err(Unfit::More));
        assert_eq!(with("ada", "---\nname: Ada\n", "", "x"), Err(Unfit::File));
    }
}
