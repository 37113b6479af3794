//! What the workspace remembers: writing it, changing it, finding it.
//!
//! The rules are the crate `memory`'s, the finding is `search`'s; here they meet
//! the database. Every change is one transaction and one version.

mod across;
mod as_said;
mod asked_to_forget;
mod brought;
mod carried;
mod change;
mod come_back;
mod consolidate;
mod denied;
mod embedders;
mod embedding;
mod export;
mod filled;
mod finder;
mod foreign;
mod forget;
mod import;
mod in_step;
mod learn;
mod left_out;
mod look;
mod look_back;
mod meaning;
mod merge;
mod of_provider;
mod over;
mod person;
mod preferences;
mod progress;
mod recall;
mod remember;
mod replaced;
mod reranking;
mod rests;
mod rivals;
mod scope;
mod undo;
mod unsaid;
mod waiting;

pub(crate) use as_said::each_by_itself;
use brought::{as_changed, note as note_brought};
use change::{edit, judge, pin};
pub(crate) use embedders::keep_the_model;
pub use embedding::{Again, Embedding, Scale};
pub(crate) use export::export;
pub(crate) use filled::note as note_filled;
pub(crate) use finder::Finder;
pub(crate) use foreign::{NOT_CONFIRMED, repeated_in, shown_in};
pub(crate) use forget::{
    FORGOTTEN, forget, heard_by, nothing, quoted, said_after, unsealed, was_forgotten,
    without_words,
};
pub(crate) use import::{
    OfWorkspace, Wanted, cut_off as imports_cut_off, drop_it as drop_import,
    enter_all as enter_of_workspace, import, preview, take_up as take_up_imports,
    waiting as imports_waiting,
};
pub(crate) use in_step::{consolidate_now, keep_in_step};
pub(crate) use learn::id_of;
pub(crate) use learn::{Learning, begin_to_notice, learn};
pub(crate) use look::{by_words, detail, index, page, reranker, search};
pub(crate) use look_back::look_back;
pub(crate) use meaning::{Meaning, meaning_of, meanings_of};
use merge::merge;
pub(crate) use of_provider::{keep, measured, take_up};
pub(crate) use preferences::{Prompt, told_in_prompt};
pub(crate) use recall::remind;
pub(crate) use remember::{Origin, remember};
pub(crate) use scope::read_in;
use undo::undo;
pub(crate) use unsaid::unsay;

use crate::derived::blocking;
use crate::everywhere;
use crate::shared::Shared;
use ::memory::Writer;
use domain::{
    Command, Fault, FaultCode, Memory, MemoryChange, MemoryId, MemoryPage, MemoryScope,
    MemoryState, NewMemory, Reply, RequestId, Statement, Trust,
};
use std::sync::Arc;
use store::table::{agents, groups, memories};
use store::{Durability, Read, Write};

/// Longer than this it is no statement but a text.
const MOST_CHARACTERS: usize = 4_000;
const MOST_TAGS: usize = 20;
const LONGEST_TAG: usize = 50;
const LONGEST_PART: usize = 500;

/// Does what a person wants done with a memory, in one transaction.
pub(crate) async fn apply(
    shared: &Arc<Shared>,
    id: RequestId,
    command: Command,
) -> Result<Reply, Fault> {
    let now = shared.now_ms();
    let redactor = shared.safe.redactor().clone();
    let redact = move |text: String| redactor.redact_known(&text).into_owned();
    let changed = shared
        .store
        .write(Durability::Process, move |write| {
            let one = match command {
                Command::AddMemory { memory } => {
                    let new = NewMemory {
                        text: redact(memory.text),
                        statement: memory.statement.map(|one| redacted(one, &redact)),
                        tags: memory.tags.into_iter().map(&redact).collect(),
                        ..memory
                    };
                    let each = each_by_itself(write, new, Writer::Person)?;
                    return remember_each(write, id, Vec::new(), each, now);
                }
                Command::EditMemory { memory, mut patch } => {
                    patch.text = patch.text.map(&redact);
                    patch.statement = patch.statement.map(|one| redacted(one, &redact));
                    patch.tags = patch.tags.map(|tags| tags.into_iter().map(&redact).collect());
                    let (edited, beside) = edit(write, memory, patch, now)?;
                    return remember_each(write, id, vec![edited], beside, now);
                }
                Command::PinMemory { memory, pinned } => pin(write, memory, pinned, now),
                Command::JudgeMemory { memory, judgement } => judge(write, memory, judgement, now),
                Command::MergeMemories { memories, text } => {
                    let (merged, beside) = merge(write, &memories, redact(text), now)?;
                    return remember_each(write, id, vec![merged], beside, now);
                }
                Command::ForgetMemory { memory } => forget(write, memory, now),
                Command::UndoMemory { memory } => return undo(write, memory, now),
                other => Err(Fault::new(
                    FaultCode::Internal,
                    format!("{other:?} is not about a memory"),
                    "report this",
                )),
            };
            Ok(vec![one?])
        })
        .await?;
    shared.finder.ring();
    if changed.iter().any(|one| one.state == MemoryState::Forgotten) {
        out_of_files(shared).await?;
    }
    Ok(answer(changed))
}

/// Takes in, each by itself, what a person wrote down at once beside what it changed; the first
/// thing of all has the request's id.
fn remember_each(
    write: &mut Write<'_>,
    request: RequestId,
    mut changed: Vec<Memory>,
    each: Vec<NewMemory>,
    now: i64,
) -> Result<Vec<Memory>, Fault> {
    let with = changed.first().cloned();
    for new in each {
        let id = match changed.len() {
            0 => MemoryId(request.0),
            nth => id_of(&[request.0.as_bytes(), b"added", &nth.to_be_bytes()]),
        };
        let brought = remember(write, id, new, Trust::Person, Origin::default(), now)?;
        if let Some(with) = &with {
            note_brought(write, as_changed(with), &brought, now)?;
        }
        changed.push(brought);
    }
    Ok(changed)
}

fn answer(mut changed: Vec<Memory>) -> Reply {
    match changed.len() {
        1 => Reply::Memory(Box::new(changed.remove(0))),
        many => {
            let total = u32::try_from(many).unwrap_or(u32::MAX);
            Reply::Memories(MemoryPage { memories: changed, total, next: None })
        }
    }
}

/// Words that were forgotten are to be in no file when the person is told that they are
/// gone.
pub(crate) async fn out_of_files(shared: &Arc<Shared>) -> Result<(), Fault> {
    shared.finder.ring();
    blocking(shared, |shared| {
        shared.finder.catch_up(&shared.store)?;
        everywhere::purge(shared)?;
        Ok(shared.store.tidy_up()?)
    })
    .await
}

fn redacted(statement: Statement, redact: &impl Fn(String) -> String) -> Statement {
    let Statement { subject, attribute, value } = statement;
    let [subject, attribute, value] = [subject, attribute, value].map(redact);
    Statement { subject, attribute, value }
}

/// Throws the index away and makes it again, in the background.
pub(crate) async fn rebuild(shared: &Arc<Shared>) -> Result<(), Fault> {
    blocking(shared, |shared| shared.finder.index.rebuild()).await
}

/// Whether it is so now, as far as anybody knows.
pub(crate) fn holds(memory: &Memory, now: i64) -> bool {
    memory.state == MemoryState::Current && !memory.is_over(now)
}

fn found(read: &Read<'_>, id: MemoryId) -> Result<Memory, Fault> {
    let unknown =
        || Fault::not_found(format!("there is no memory {id}"), "look it up: coterie memory list");
    memories::find(read, id)?.ok_or_else(unknown)
}

fn not_forgotten(read: &Read<'_>, id: MemoryId) -> Result<Memory, Fault> {
    let memory = found(read, id)?;
    match memory.state {
        MemoryState::Forgotten => {
            let fix = "add it again, if it should be remembered";
            Err(Fault::new(FaultCode::Refused, format!("the memory {id} is forgotten"), fix))
        }
        MemoryState::Current
        | MemoryState::Superseded(_)
        | MemoryState::Contested(_)
        | MemoryState::Wrong => Ok(memory),
    }
}

/// Makes a version of it as it is now, by the person.
fn put(
    write: &mut Write<'_>,
    memory: &mut Memory,
    how: MemoryChange,
    now: i64,
) -> Result<(), Fault> {
    memory.version += 1;
    memory.changed_at_ms = now;
    Ok(memories::put(write, memory, &::memory::fingerprint(&memory.text), how, None)?)
}

/// Refuses what is no memory, and says how it would be one.
fn check(read: &Read<'_>, new: &NewMemory) -> Result<(), Fault> {
    let wrong = |message: String, fix: &str| Err(Fault::new(FaultCode::BadInput, message, fix));
    let characters = new.text.chars().count();
    if !new.text.chars().any(char::is_alphanumeric) {
        return wrong("the memory says nothing".into(), "say what is to be remembered");
    }
    if characters > MOST_CHARACTERS {
        return wrong(
            format!("the memory has {characters} characters, and {MOST_CHARACTERS} is the most"),
            "say it in fewer words, or in several memories",
        );
    }
    let is_bad = |tag: &String| tag.trim().is_empty() || tag.chars().count() > LONGEST_TAG;
    if let Some(tag) = new.tags.iter().find(|tag| is_bad(tag)) {
        return wrong(
            format!("{tag:?} is no tag"),
            &format!("give tags of 1 to {LONGEST_TAG} characters"),
        );
    }
    if new.tags.len() > MOST_TAGS {
        let tags = new.tags.len();
        return wrong(
            format!("there are {tags} tags, and {MOST_TAGS} is the most"),
            "give fewer tags",
        );
    }
    let parts = new.statement.iter().flat_map(|one| [&one.subject, &one.attribute, &one.value]);
    if parts.clone().any(|part| part.trim().is_empty() || part.chars().count() > LONGEST_PART) {
        return wrong(
            "a part of the statement is empty or too long".into(),
            &format!("give subject, attribute and value, each of 1 to {LONGEST_PART} characters"),
        );
    }
    if let Some(importance) = new.importance.filter(|importance| *importance > 100) {
        return wrong(
            format!("the importance {importance} is above 100"),
            "give a number from 0 to 100",
        );
    }
    if let (Some(from), Some(to)) = (new.valid_from_ms, new.valid_to_ms)
        && from >= to
    {
        return wrong("it ends before it begins".into(), "give a later end, or none");
    }
    // Whose it is must be there.
    match new.scope {
        MemoryScope::User | MemoryScope::Workspace => {}
        MemoryScope::Agent(agent) => drop(agents::get(read, agent)?),
        MemoryScope::Group(group) => drop(groups::get(read, group)?),
    }
    Ok(())
}
