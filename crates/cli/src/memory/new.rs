//! `coterie memory add` and `edit`: what a memory is made of.

use super::find::{detail, shorter};
use super::scope::{kind, scope};
use super::{moment, told};
use crate::screen::Failure;
use crate::session::{Session, answered, unexpected};
use crate::words;
use clap::Args;
use domain::{
    Command as Order, Fault, Memory, MemoryKind, MemoryPatch, MemoryState, NewMemory, Query, Reply,
    Statement,
};
use std::io::Read;

#[derive(Args)]
pub(crate) struct Add {
    /// What is to be remembered, in a sentence; - reads it from standard input. Several things in plain words are remembered each by itself
    text: String,
    /// fact, preference, skill, relationship, episode or summary
    #[arg(long, value_parser = kind, default_value = "fact")]
    kind: MemoryKind,
    /// Whom it concerns and so who reads it: user, workspace, agent:NAME or group:NAME
    #[arg(long, default_value = "user")]
    scope: String,
    /// What it can be looked up by; can be given more than once
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// From 0 to 100 [default: 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    importance: Option<u8>,
    #[command(flatten)]
    stated: Stated,
    #[command(flatten)]
    held: Held,
}

#[derive(Args)]
pub(crate) struct Edit {
    /// The memory's id, or enough of it from either end
    id: String,
    /// What it says from now on; - reads it from standard input
    text: Option<String>,
    /// fact, preference, skill, relationship, episode or summary
    #[arg(long, value_parser = kind)]
    kind: Option<MemoryKind>,
    /// Whom it concerns and so who reads it: user, workspace, agent:NAME or group:NAME
    #[arg(long)]
    scope: Option<String>,
    /// In the place of all its tags; can be given more than once
    #[arg(long = "tag", value_name = "TAG", conflicts_with = "no_tags")]
    tags: Vec<String>,
    /// Take all its tags away
    #[arg(long)]
    no_tags: bool,
    /// From 0 to 100
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=100))]
    importance: Option<u8>,
    #[command(flatten)]
    stated: Stated,
    #[command(flatten)]
    held: Held,
}

#[derive(Args)]
struct Stated {
    /// Of whom or what it is, as in user; two memories with one subject and attribute cannot both hold. Made out of plain words where it is not given
    #[arg(long, requires_all = ["attribute", "value"], value_parser = something)]
    subject: Option<String>,
    /// What is said of the subject, as in lives in
    #[arg(long, requires_all = ["subject", "value"], value_parser = something)]
    attribute: Option<String>,
    /// What it is, as in Lisbon
    #[arg(long, requires_all = ["subject", "attribute"], value_parser = something)]
    value: Option<String>,
}

impl Stated {
    fn statement(self) -> Option<Statement> {
        let Stated { subject, attribute, value } = self;
        Some(Statement { subject: subject?, attribute: attribute?, value: value? })
    }
}

#[derive(Args)]
struct Held {
    /// When it began to be so: a date, a date with a time, or how long ago as 7d
    #[arg(long, value_name = "WHEN", value_parser = moment::beginning)]
    from: Option<i64>,
    /// When it ceased to be so; a date is the last day of it
    #[arg(long, value_name = "WHEN", value_parser = moment::end)]
    to: Option<i64>,
}

fn something(word: &str) -> Result<String, String> {
    match word.trim() {
        "" => Err("say something".to_owned()),
        word => Ok(word.to_owned()),
    }
}

/// Says who will read it before it is there to be read.
pub(super) async fn add(session: &Session, add: Add) -> Result<(), Failure> {
    let Add { text, kind, scope: word, tags, importance, stated, held } = add;
    let names = session.names().await?;
    let scope = scope(&word, &names)?;
    let text = text_of(text)?;
    if !text.chars().any(char::is_alphanumeric) {
        // Nobody is told who reads what will not be there.
        let fix = "say what is to be remembered";
        return Err(Fault::bad_input("the memory says nothing", fix).into());
    }
    let memory = NewMemory {
        kind,
        scope,
        text,
        statement: stated.statement(),
        tags,
        importance,
        valid_from_ms: held.from,
        valid_to_ms: held.to,
    };
    if session.screen.is_plain() {
        session.screen.text(&words::memory::readers(scope, &names));
    }
    let all = changed(session, Order::AddMemory { memory }).await?;
    let told = all_added(session, &all).await?;
    tell(session, &all, told);
    Ok(())
}

/// All that is written down by an order: words that say several things are remembered each by
/// itself.
pub(super) async fn changed(session: &Session, order: Order) -> Result<Vec<Memory>, Fault> {
    match session.order(order).await? {
        Reply::Memory(one) => Ok(vec![*one]),
        Reply::Memories(page) => Ok(page.memories),
        other => Err(unexpected(&other)),
    }
}

pub(super) fn tell(session: &Session, all: &[Memory], told: String) {
    match all {
        [one] => session.screen.one(one, |_| told),
        several => session.screen.many(several, |_| told),
    }
}

/// What is said of those that were added, each with those whose place it took.
pub(super) async fn all_added(session: &Session, all: &[Memory]) -> Result<String, Fault> {
    let mut told = String::new();
    if session.screen.is_plain() {
        for memory in all {
            told += &added(memory, &gave_way(session, memory).await?);
        }
    }
    Ok(told)
}

/// Those whose place it took.
async fn gave_way(session: &Session, memory: &Memory) -> Result<Vec<Memory>, Fault> {
    let query = Query::Memory { memory: memory.id };
    let detail = *answered!(session.ask(query).await?, MemoryDetail)?;
    let to_it = |other: &Memory| other.state == MemoryState::Superseded(memory.id);
    Ok(detail.related.into_iter().filter(to_it).collect())
}

fn added(memory: &Memory, gave_way: &[Memory]) -> String {
    let shorter = shorter(gave_way.iter().chain([memory]));
    if memory.version > 1 {
        let said = words::memory::said(memory.evidence);
        let id = shorter(memory.id);
        return format!("remembered already, now said {said}: {id}  {}\n", told::text(memory));
    }
    let mut text = format!("remembered: {}  {}\n", shorter(memory.id), told::text(memory));
    for other in gave_way {
        text += &format!("gave way to it: {}  {}\n", shorter(other.id), told::text(other));
    }
    text
}

pub(super) async fn edit(session: &Session, edit: Edit) -> Result<(), Failure> {
    let Edit { id, text, kind, scope: word, tags, no_tags, importance, stated, held } = edit;
    let before = detail(session, &id).await?.memory;
    let names = session.names().await?;
    let patch = MemoryPatch {
        text: text.map(text_of).transpose()?,
        statement: stated.statement(),
        kind,
        scope: word.map(|word| scope(&word, &names)).transpose()?,
        tags: Some(tags).filter(|tags| no_tags || !tags.is_empty()),
        importance,
        valid_from_ms: held.from.map(Some),
        valid_to_ms: held.to.map(Some),
    };
    if patch == MemoryPatch::default() {
        let message = "nothing was said that should be different";
        let fix = "give new words, or one of the options that coterie memory edit --help shows";
        return Err(Fault::bad_input(message, fix).into());
    }
    if let Some(scope) = patch.scope.filter(|_| session.screen.is_plain()) {
        session.screen.text(&words::memory::readers(scope, &names));
    }
    let order = Order::EditMemory { memory: before.id, patch };
    let all = changed(session, order).await?;
    let [memory, beside @ ..] = &all[..] else { return Ok(()) };
    let mut older =
        if session.screen.is_plain() { gave_way(session, memory).await? } else { vec![] };
    // Not those that gave way to it before.
    older.retain(|other| other.changed_at_ms >= memory.changed_at_ms);
    let said = edited(&before, memory, &older);
    let beside = all_added(session, beside).await?;
    tell(session, &all, format!("{said}\n{beside}"));
    Ok(())
}

fn edited(before: &Memory, memory: &Memory, older: &[Memory]) -> String {
    if memory.version == before.version {
        return format!("it was so already: {}", told::line(memory));
    }
    let dropped = before.statement.is_some() && memory.statement.is_none();
    let also = match dropped {
        true => {
            "\nthe statement that it was went with its words; --subject, --attribute and --value \
             make it one again"
        }
        false => "",
    };
    let older = older.iter().map(|other| format!("\ngave way to it: {}", told::line(other)));
    format!("edited: {}{also}{}", told::line(memory), older.collect::<String>())
}

pub(super) fn text_of(word: String) -> Result<String, Fault> {
    if word != "-" {
        return Ok(word);
    }
    let mut bytes = Vec::new();
    let unread = |why: String| {
        Fault::bad_input(
            format!("read what is to be remembered: {why}"),
            "pass it on standard input as text",
        )
    };
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| unread(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unread("it is no text in UTF-8".to_owned()))?;
    Ok(text.trim().to_owned())
}
