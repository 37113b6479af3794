//! `coterie soul new|import`: a soul out of a sentence, or out of another program's file.

use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::visible;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clap::Args;
use domain::{CardFile, CardForm, CardLoss, CardUse, Command as Order, Fault, Query, SoulCard};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Cards are pictures; the workspace says how large they may be.
const MOST_BYTES: u64 = 17_000_000;

#[derive(Args)]
pub(crate) struct New {
    /// What the agent is to be called
    name: String,
    /// Who it is, in a sentence
    sentence: String,
    #[command(flatten)]
    put: Put,
}

#[derive(Args)]
pub(crate) struct Import {
    /// A character card (PNG or JSON), a SOUL.md or an IDENTITY.md; or the last two together
    #[arg(required = true, num_args = 1..=2)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    put: Put,
}

#[derive(Args)]
struct Put {
    /// The soul's own name: its file in souls/ without .md [default: after the agent's]
    #[arg(long = "as", value_name = "SOUL")]
    stem: Option<String>,
    /// Only show what would be saved
    #[arg(long)]
    preview: bool,
}

#[derive(Serialize)]
struct Made<'a, T: Serialize> {
    /// `None` of a preview.
    soul: Option<String>,
    #[serde(flatten)]
    of: &'a T,
}

pub(super) async fn new(session: &Session, new: New) -> Result<(), Failure> {
    let New { name, sentence, put } = new;
    let order = Order::DraftSoul { name: name.clone(), sentence };
    let draft = *answered!(session.order(order).await?, SoulDraft)?;
    let soul = save(session, &put, &name, &draft.text).await?;
    let names = session.names().await?;
    session.screen.one(&Made { soul: soul.clone(), of: &draft }, |_| {
        let by = draft.by.and_then(|agent| names.agent_by_id(agent));
        let by = by.map_or(String::new(), |agent| format!("written by {}\n", agent.name));
        format!("{by}{}{}", visible::lines(&draft.text), end(soul.as_deref()))
    });
    if let Some(why) = &draft.why_not {
        session.screen.aside(&format!("your sentence stands in it as it is: {why}"));
    }
    Ok(())
}

pub(super) async fn import(session: &Session, import: Import) -> Result<(), Failure> {
    let files = import.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, Fault>>()?;
    let card = *answered!(session.ask(Query::ReadCard { files }).await?, SoulCard)?;
    let soul = save(session, &import.put, &card.name, &card.text).await?;
    session.screen.one(&Made { soul: soul.clone(), of: &card }, |_| {
        visible::lines(&format!("{}\n{}{}", card.text, report(&card), end(soul.as_deref())))
    });
    Ok(())
}

fn end(soul: Option<&str>) -> String {
    match soul {
        Some(soul) => format!("\nsaved; coterie agent new {soul} brings it to life"),
        None => "\nnothing was saved".to_owned(),
    }
}

async fn save(
    session: &Session,
    put: &Put,
    name: &str,
    text: &str,
) -> Result<Option<String>, Failure> {
    if put.preview {
        return Ok(None);
    }
    let taken = session.overview().await?.souls.into_iter().map(|soul| soul.name);
    let soul = match &put.stem {
        Some(stem) => stem.clone(),
        None => stem_for(name, &taken.collect::<Vec<_>>()),
    };
    let order = Order::SaveSoul { soul, text: text.to_owned(), base_hash: None };
    Ok(Some(answered!(session.order(order).await?, Soul)?.name))
}

/// Letters a to z, digits and dashes out of the name; a number where that is taken.
fn stem_for(name: &str, taken: &[String]) -> String {
    let plain = name.to_lowercase();
    let parts = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let mut base = parts.collect::<Vec<_>>().join("-");
    base.truncate(48);
    let base = if base.is_empty() { "soul".to_owned() } else { base };
    let is_free = |stem: &String| !taken.iter().any(|other| other.eq_ignore_ascii_case(stem));
    let numbered = (2..).map(|n| format!("{base}-{n}"));
    std::iter::once(base.clone()).chain(numbered).find(is_free).unwrap_or(base)
}

fn read(file: &Path) -> Result<CardFile, Fault> {
    let bytes = crate::attach::read(file, MOST_BYTES).map_err(|error| {
        Fault::not_found(
            format!("read {}: {error}", file.display()),
            "name a file that you may read",
        )
    })?;
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    Ok(CardFile { name, base64: BASE64_STANDARD.encode(bytes) })
}

fn report(card: &SoulCard) -> String {
    let forms: Vec<&str> = card.forms.iter().map(|form| form_words(*form)).collect();
    let mut report = format!("read as {}\n", forms.join(" and "));
    for taken in &card.taken {
        report += &format!("  taken: {} ({})\n", taken.part, use_words(taken.became));
    }
    for left in &card.left_out {
        report += &format!("  left out: {} ({})\n", left.part, loss_words(left.why));
    }
    report
}

fn form_words(form: CardForm) -> &'static str {
    match form {
        CardForm::CardV1 => "a character card of version 1",
        CardForm::CardV2 => "a character card of version 2",
        CardForm::CardV3 => "a character card of version 3",
        CardForm::SoulMd => "a SOUL.md",
        CardForm::IdentityMd => "an IDENTITY.md",
    }
}

fn use_words(became: CardUse) -> &'static str {
    match became {
        CardUse::Name => "its name",
        CardUse::Role => "its role",
        CardUse::Persona => "who it is",
        CardUse::Example => "how it speaks",
    }
}

fn loss_words(why: CardLoss) -> &'static str {
    match why {
        CardLoss::NoPlace => "souls have nothing like it",
        CardLoss::NotItsToSay => "a file of others says nothing about what agents may do",
        CardLoss::TooLong => "too long",
        CardLoss::Picture => "agents' pictures are drawn after their names",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_after_its_agent_and_takes_no_others_place() {
        let check = |name: &str, stem: &str| {
            assert_eq!(stem_for(name, &["ada".into(), "ada-2".into()]), stem);
        };
        check("Ada", "ada-3");
        check("Aqua-Bell!", "aqua-bell");
        check("林夏", "soul");
    }
}
