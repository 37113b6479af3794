//! Souls out of other programs' files: character cards, SOUL.md and IDENTITY.md.
//!
//! Pure. The files are a stranger's words. What they say of somebody becomes the persona,
//! for a person to read before it is saved; what they say about tools, models and rights
//! becomes nothing, since the front matter is written here. Every part is reported, and
//! nothing is read beyond what fits.

mod character;
mod markdown;
mod png;

use super::parse;
use crate::lifecycle::stands_for_another;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::{CardFile, CardForm, CardLoss, CardUse, Fault, LeftPart, SoulCard, TakenPart};
use serde_json::Value;

/// Cards are pictures; larger ones have other things in them.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// Of the text of a card, or of a Markdown file.
const MOST_TEXT: usize = 2 * 1024 * 1024;
/// More of one part no soul takes.
const MOST_PART: usize = 24_000;
const MOST_FILES: usize = 2;
const LONGEST_NAME: usize = 64;
const LONGEST_ROLE: usize = 100;
const NO_NAME: &str = "Guest";

/// What somebody is said to be, as it is gathered from the files.
#[derive(Default)]
struct Somebody {
    forms: Vec<CardForm>,
    name: Option<String>,
    role: Option<String>,
    /// Each with its heading, or without one at the beginning.
    persona: Vec<(Option<&'static str>, String)>,
    taken: Vec<TakenPart>,
    left_out: Vec<LeftPart>,
}

/// The soul that files come to, or what is wrong with them.
pub(crate) fn read(files: &[CardFile]) -> Result<SoulCard, Fault> {
    if files.is_empty() || files.len() > MOST_FILES {
        return Err(Fault::bad_input(
            format!(
                "a soul comes of one file, or of a SOUL.md with its IDENTITY.md, not of {}",
                files.len()
            ),
            "give one card, or these two",
        ));
    }
    let mut somebody = Somebody::default();
    for file in files {
        add(&mut somebody, file)?;
    }
    somebody.soul()
}

fn add(somebody: &mut Somebody, file: &CardFile) -> Result<(), Fault> {
    let name = &file.name;
    let wrong = |why: String| {
        Fault::bad_input(
            format!("{name} cannot be read as a card: {why}"),
            "give a character card (PNG or JSON), a SOUL.md or an IDENTITY.md",
        )
    };
    if file.base64.len() > MOST_BYTES.div_ceil(3) * 4 {
        return Err(wrong(format!("it has more than {} MB", MOST_BYTES / 1024 / 1024)));
    }
    let bytes = BASE64_STANDARD
        .decode(file.base64.trim_end())
        .map_err(|error| wrong(format!("it arrived damaged ({error})")))?;
    if let Some(card) = png::card_in(&bytes) {
        character::add(somebody, &card.map_err(&wrong)?).map_err(&wrong)?;
        somebody.leave("picture", CardLoss::Picture);
        return Ok(());
    }
    if bytes.len() > MOST_TEXT {
        return Err(wrong(format!("its text has more than {} MB", MOST_TEXT / 1024 / 1024)));
    }
    let text = std::str::from_utf8(&bytes)
        .map_err(|error| wrong(format!("byte {} is not UTF-8", error.valid_up_to() + 1)))?;
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(wrong("it is empty".to_owned()));
    }
    if text.trim_start().starts_with('{') {
        let card: Value = serde_json::from_str(text)
            .map_err(|error| wrong(format!("its JSON is damaged: {error}")))?;
        return character::add(somebody, &card).map_err(&wrong);
    }
    let lower = name.to_lowercase();
    if !(lower.ends_with(".md") || lower.ends_with(".markdown") || lower.ends_with(".txt")) {
        return Err(wrong("it is no PNG, no JSON and no Markdown".to_owned()));
    }
    markdown::add(somebody, &lower, text);
    Ok(())
}

impl Somebody {
    fn take(&mut self, part: &str, became: CardUse) {
        self.taken.push(TakenPart { part: part.to_owned(), became });
    }

    fn leave(&mut self, part: &str, why: CardLoss) {
        self.left_out.push(LeftPart { part: part.to_owned(), why });
    }

    /// Words for the persona, unless there are none or too many.
    fn tell(&mut self, part: &str, heading: Option<&'static str>, words: &str, became: CardUse) {
        let words = words.trim();
        if words.is_empty() {
            return;
        }
        if words.chars().count() > MOST_PART {
            self.leave(part, CardLoss::TooLong);
            return;
        }
        self.take(part, became);
        self.persona.push((heading, words.to_owned()));
    }

    fn call(&mut self, part: &str, name: &str) {
        if let Some(name) = name_of(name) {
            self.name = Some(name);
            self.take(part, CardUse::Name);
        }
    }

    fn soul(self) -> Result<SoulCard, Fault> {
        let name = self.name.unwrap_or_else(|| NO_NAME.to_owned());
        if self.persona.is_empty() {
            return Err(Fault::bad_input(
                format!("nothing is said of who {name} is"),
                "give a file with a description, or a SOUL.md beside the IDENTITY.md",
            ));
        }
        let role = self.role.as_deref().map(|role| one_line(role, LONGEST_ROLE));
        let text = soul_text(&name, role.as_deref(), &self.persona);
        if let Err(problems) = parse("card", &text) {
            let why = problems.first().map_or(String::new(), |problem| problem.message.clone());
            return Err(Fault::bad_input(
                format!("what the file says makes no soul: {why}"),
                "correct the file, or write the soul yourself",
            ));
        }
        let Somebody { forms, taken, left_out, .. } = self;
        Ok(SoulCard { forms, name, text, taken, left_out })
    }
}

/// A soul's file for somebody with this persona.
pub(crate) fn soul_text(
    name: &str,
    role: Option<&str>,
    persona: &[(Option<&'static str>, String)],
) -> String {
    // A string of JSON is one of YAML, whatever is in it.
    let quoted = |text: &str| Value::String(text.to_owned()).to_string();
    let mut text = format!("---\nname: {}\n", quoted(name));
    if let Some(role) = role.filter(|role| !role.is_empty()) {
        text.push_str(&format!("role: {}\n", quoted(role)));
    }
    let said: String = persona.iter().map(|(_, words)| words.as_str()).collect();
    let is_chinese = is_in_chinese(&said);
    if is_chinese {
        text.push_str("language: zh\n");
    }
    text.push_str(&format!("avatar: {}\nmodel: default\n---\n", quoted(name)));
    // Many begin so by themselves.
    let begins = persona.first().map_or("", |(_, words)| words.as_str());
    if !begins.contains(&format!("You are {name}")) && !begins.contains(&format!("你是{name}")) {
        let begins = match is_chinese {
            true => format!("你是{name}。\n\n"),
            false => format!("You are {name}.\n\n"),
        };
        text.push_str(&begins);
    }
    let parts = persona.iter().map(|(heading, words)| match heading {
        Some(heading) => format!("# {heading}\n\n{words}\n"),
        None => format!("{words}\n"),
    });
    text + &parts.collect::<Vec<_>>().join("\n")
}

/// Whether the most of a text is in Chinese: a sign says as much as two letters. Japanese, which
/// is written with signs too, has others between them.
fn is_in_chinese(text: &str) -> bool {
    let is_kana = |sign: char| matches!(sign, '\u{3040}'..='\u{30ff}');
    let signs = text.chars().filter(|sign| matches!(sign, '\u{4e00}'..='\u{9fff}')).count();
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    signs > 0 && signs * 2 >= letters && !text.chars().any(is_kana)
}

/// As an agent can be called: without spaces, and as nobody else is.
pub(crate) fn name_of(name: &str) -> Option<String> {
    let is_kept = |c: &char| !c.is_control() && !matches!(c, '@' | ',');
    let plain: String = name.chars().filter(is_kept).collect();
    let name = plain.split_whitespace().collect::<Vec<_>>().join("-");
    let name: String = name.chars().take(LONGEST_NAME).collect();
    if name.is_empty() {
        return None;
    }
    Some(if stands_for_another(&name) { format!("{name}-2") } else { name })
}

pub(crate) fn one_line(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(most).collect()
}

#[cfg(test)]
mod tests;
