//! `coterie memory …`: what is remembered, found, corrected and forgotten.

mod consolidate;
mod files;
mod filter;
mod find;
mod index;
mod list;
mod moment;
mod new;
pub(crate) mod scope;
mod search;
mod show;
pub(crate) mod told;
mod undo;

use crate::names::Names;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::sure::sure;
use crate::words;
use clap::Subcommand;
use domain::{Command as Order, Fault, Judgement, Memory, MemoryId, MemoryState};
use find::{detail, find};
pub(crate) use index::{cut_off_import, look as look_at_index, open_to_rebuild};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Remember something, and say who will read it
    Add(new::Add),
    /// Find memories by their words and by what they mean
    Search(search::Search),
    /// What is remembered, the last changed first
    List(list::List),
    /// One memory: what it says, of whom, from where, and who has read it
    Show {
        /// The memory's id, or enough of it from either end
        id: String,
    },
    /// Correct a memory: your word outranks what an agent noticed
    Edit(new::Edit),
    /// Take a memory's words away, everywhere and for ever
    Forget {
        /// The memory's id, or enough of it from either end
        id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Take the last change of a memory back
    Undo {
        /// The memory's id, or enough of it from either end
        id: String,
    },
    /// Every version of a memory: what changed, when, and by whom
    History {
        /// The memory's id, or enough of it from either end
        id: String,
    },
    /// Have a memory read in every turn of those who may read it
    Pin {
        /// The memory's id, or enough of it from either end
        id: String,
        /// No longer
        #[arg(long)]
        off: bool,
    },
    /// Have a memory read only where it matters again
    Unpin {
        /// The memory's id, or enough of it from either end
        id: String,
    },
    /// Say whether a memory is so: what contradicts one that is right gives way to it
    Judge {
        /// The memory's id, or enough of it from either end
        id: String,
        /// right, wrong (it was never so) or outdated (it was so, and is no longer)
        #[arg(value_parser = scope::judgement)]
        judgement: Judgement,
    },
    /// Say several memories of one scope in one: the others give way to the first
    Merge {
        /// The ids of two or more, or enough of each from either end
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
        /// What the first says from then on; - reads it from standard input [default: what it says]
        #[arg(long)]
        text: Option<String>,
    },
    /// Take memories in from a file or folder; once more adds what is not there yet and nothing else
    Import(files::Import),
    /// Write memories to a file, with everything about them but their history
    Export(files::Export),
    /// Say once what several memories say, and notice what episodes tell of you
    Consolidate {
        /// Only say what would be done
        #[arg(long)]
        preview: bool,
    },
    /// How far the index is that memories are found by
    Status,
    /// Throw the index away and make it again; nothing that is remembered is lost
    Rebuild(index::Rebuild),
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(add) => new::add(session, add).await,
        Command::Search(search) => search::run(session, search).await,
        Command::List(list) => list::run(session, list).await,
        Command::Show { id } => show::run(session, &id).await,
        Command::Edit(edit) => new::edit(session, edit).await,
        Command::Forget { id, yes } => forget(session, &id, yes).await,
        Command::Undo { id } => undo::run(session, &id).await,
        Command::History { id } => show::history(session, &id).await,
        Command::Pin { id, off } => pin(session, &id, !off).await,
        Command::Unpin { id } => pin(session, &id, false).await,
        Command::Judge { id, judgement } => judge(session, &id, judgement).await,
        Command::Merge { ids, text } => merge(session, &ids, text).await,
        Command::Import(import) => files::import(session, import).await,
        Command::Export(export) => files::export(session, export).await,
        Command::Consolidate { preview } => consolidate::run(session, preview).await,
        Command::Status => index::status(session).await,
        Command::Rebuild(rebuild) => index::rebuild(session, rebuild).await,
    }
}

async fn change(session: &Session, order: Order) -> Result<Memory, Fault> {
    Ok(*answered!(session.order(order).await?, Memory)?)
}

/// A person is asked; a program has to say that it means it.
async fn forget(session: &Session, id: &str, yes: bool) -> Result<(), Failure> {
    let before = detail(session, id).await?.memory;
    if !yes && before.state != MemoryState::Forgotten {
        let text = told::text(&before);
        sure(&format!("Forget “{text}” for ever, with all that agents keep and says it too?"))?;
    }
    let memory = change(session, Order::ForgetMemory { memory: before.id }).await?;
    session.screen.one(&memory, |_| match before.state == MemoryState::Forgotten {
        true => format!("it was forgotten already: {}", told::line(&memory)),
        false => "forgotten: its words are gone from memory, its history, what agents did with \
                  it, what models were sent of it, and the person's own sentence in episodes; \
                  what was said in conversations and what others said of it in episodes stays \
                  there, and copies made before (backups, exports) keep it"
            .to_owned(),
    });
    Ok(())
}

async fn pin(session: &Session, id: &str, pinned: bool) -> Result<(), Failure> {
    let before = detail(session, id).await?.memory;
    let memory = change(session, Order::PinMemory { memory: before.id, pinned }).await?;
    session.screen.one(&memory, |_| {
        let done = match (before.version == memory.version, pinned) {
            (true, true) => "it was pinned already",
            (true, false) => "it was not pinned",
            (false, true) => "pinned, in every turn of those who read it",
            (false, false) => "unpinned, read where it matters",
        };
        format!("{done}: {}", told::line(&memory))
    });
    Ok(())
}

async fn judge(session: &Session, id: &str, judgement: Judgement) -> Result<(), Failure> {
    let before = detail(session, id).await?.memory;
    let order = Order::JudgeMemory { memory: before.id, judgement };
    let memory = change(session, order).await?;
    session.screen.one(&memory, |_| {
        let already = if before.version == memory.version { ", as before" } else { "" };
        let said = words::memory::judgement(judgement);
        format!("{said}{already}: {}", told::line(&memory))
    });
    Ok(())
}

async fn merge(session: &Session, wanted: &[String], text: Option<String>) -> Result<(), Failure> {
    let mut memories: Vec<MemoryId> = Vec::with_capacity(wanted.len());
    for id in wanted {
        memories.push(find(session, id).await?);
    }
    let text = text.map(new::text_of).transpose()?.unwrap_or_default();
    let all = new::changed(session, Order::MergeMemories { memories, text }).await?;
    let [memory, beside @ ..] = &all[..] else { return Ok(()) };
    let said = words::memory::said(memory.evidence);
    let beside = new::all_added(session, beside).await?;
    new::tell(session, &all, format!("merged, said {said}: {}\n{beside}", told::line(memory)));
    Ok(())
}

fn stands(memory: &Memory, names: &Names) -> String {
    let kind = words::memory::kind(memory.kind);
    let scope = words::memory::scope(memory.scope, names);
    format!("{kind}, {scope}, {}", words::memory::standing(memory))
}
