//! SOUL.md and IDENTITY.md, as OpenClaw and Hermes have them: the first is a persona, the
//! second a list of who somebody is.

use super::Somebody;
use crate::souls::yaml;
use domain::{CardForm, CardLoss, CardUse};

/// What front matter of other programs says about the file and nobody else.
const ABOUT_THE_FILE: [&str; 5] = ["title", "summary", "read_when", "description", "version"];
/// A longer heading is no name.
const LONGEST_NAME: usize = 40;

pub(super) fn add(somebody: &mut Somebody, file: &str, text: &str) {
    let text = text.replace("\r\n", "\n");
    let body = without_front(somebody, &text);
    if file.contains("identity") {
        somebody.forms.push(CardForm::IdentityMd);
        identity(somebody, body);
        return;
    }
    somebody.forms.push(CardForm::SoulMd);
    if somebody.name.is_none()
        && let Some(name) = heading(body).or_else(|| stem(file))
    {
        somebody.call("#", &name);
    }
    somebody.tell("text", None, body, CardUse::Persona);
}

/// The text behind its front matter; what that says is reported.
fn without_front<'a>(somebody: &mut Somebody, text: &'a str) -> &'a str {
    let Some(rest) = text.strip_prefix("---\n") else { return text };
    let Some((front, body)) = rest.split_once("\n---") else { return text };
    let Some((_, body)) = body.split_once('\n') else { return text };
    let fields = match yaml::read(front, 1).map(|node| node.map(|node| node.value)) {
        Ok(Some(yaml::Value::Map(fields))) => fields,
        // Not front matter, but a line between two paragraphs.
        Ok(_) | Err(_) => return text,
    };
    for field in fields {
        match (field.key.as_str(), field.node.value) {
            ("name", yaml::Value::Text(name)) => somebody.call("name", &name),
            (key, _) if ABOUT_THE_FILE.contains(&key) => somebody.leave(key, CardLoss::NoPlace),
            (key, _) => somebody.leave(key, CardLoss::NotItsToSay),
        }
    }
    body
}

/// `- **Name:** Molty`, and what is said beside.
fn identity(somebody: &mut Somebody, body: &str) {
    let mut lines = Vec::new();
    for line in body.lines() {
        let Some((key, value)) = field(line) else { continue };
        match key.to_lowercase().as_str() {
            "name" => {
                somebody.name = None;
                somebody.call(&key, &value);
            }
            "emoji" | "avatar" => somebody.leave(&key, CardLoss::NoPlace),
            "creature" | "role" => {
                somebody.take(&key, CardUse::Role);
                lines.push(format!("{key}: {value}"));
                somebody.role = Some(value);
            }
            "tools" | "model" | "permissions" | "skills" | "mcp" => {
                somebody.leave(&key, CardLoss::NotItsToSay);
            }
            _ => {
                somebody.take(&key, CardUse::Persona);
                lines.push(format!("{key}: {value}"));
            }
        }
    }
    let told: String = lines.iter().map(|line| format!("- {line}\n")).collect();
    if told.chars().count() > super::MOST_PART {
        somebody.leave("text", CardLoss::TooLong);
    } else if !told.is_empty() {
        somebody.persona.insert(0, (None, told.trim_end().to_owned()));
    }
}

fn field(line: &str) -> Option<(String, String)> {
    let line = line.trim().trim_start_matches(['-', '*', '+', ' ']);
    let (key, value) = line.split_once(':')?;
    let [key, value] = [key, value].map(|part| part.trim_matches(['*', ' ', '\t']).to_owned());
    let is_key = !key.is_empty() && key.chars().count() <= LONGEST_NAME && !key.contains('`');
    // What nobody has filled in yet stands in brackets.
    let is_said = !value.is_empty() && !value.starts_with("_(") && !value.starts_with("(");
    (is_key && is_said).then_some((key, value))
}

/// The first heading, where it may be a name.
fn heading(body: &str) -> Option<String> {
    let first = body.lines().find(|line| !line.trim().is_empty())?;
    let heading = first.strip_prefix("# ")?.trim();
    let is_name = heading.chars().count() <= LONGEST_NAME
        && !heading.to_lowercase().contains("soul")
        && !heading.contains([':', '?', '!', '.']);
    is_name.then(|| heading.to_owned())
}

/// The file's own name, where it has one.
fn stem(file: &str) -> Option<String> {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut letters = stem.chars();
    let first = letters.next()?;
    (stem != "soul").then(|| first.to_uppercase().chain(letters).collect())
}
