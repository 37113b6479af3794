//! What is remembered: written, found, corrected, and read by agents.

mod across;
mod adding;
mod changing;
mod coming_back;
mod consolidating;
mod correcting;
mod deciding;
mod denying;
mod ending;
mod files;
mod finding;
mod forgetting;
mod keeping;
mod listing;
mod looking_back;
mod merging;
mod noticing;
mod of_provider;
mod parting;
mod reminding;
mod reranking;
mod rewording;
mod taking_back;
mod trusting;
mod waiting;
mod wishing;

use domain::{
    Command, FoundMemories, Memory, MemoryDetail, MemoryFilter, MemoryId, MemoryKind, MemoryScope,
    NewMemory, Query, Reply, Statement,
};
use tests::Stage;

/// Something about the person.
pub(crate) fn new(text: &str) -> NewMemory {
    NewMemory {
        kind: MemoryKind::Fact,
        scope: MemoryScope::User,
        text: text.into(),
        statement: None,
        tags: Vec::new(),
        importance: None,
        valid_from_ms: None,
        valid_to_ms: None,
    }
}

/// The same as a statement: of the person, this is so.
fn stating(attribute: &str, value: &str) -> NewMemory {
    let statement =
        Statement { subject: "user".into(), attribute: attribute.into(), value: value.into() };
    NewMemory { statement: Some(statement), ..new(&format!("The user {attribute} {value}")) }
}

/// Does it and gives the memory that it was done with.
pub(crate) async fn done(stage: &Stage, command: Command) -> Memory {
    match stage.do_(command).await {
        Reply::Memory(memory) => *memory,
        Reply::Memories(mut page) => page.memories.remove(0),
        other => panic!("no memory: {other:?}"),
    }
}

pub(crate) async fn add(stage: &Stage, memory: NewMemory) -> Memory {
    done(stage, Command::AddMemory { memory }).await
}

async fn detail(stage: &Stage, memory: MemoryId) -> MemoryDetail {
    match stage.query(Query::Memory { memory }).await {
        Ok(Reply::MemoryDetail(detail)) => *detail,
        other => panic!("no detail: {other:?}"),
    }
}

async fn look(stage: &Stage, text: &str, filter: MemoryFilter) -> FoundMemories {
    look_for(stage, text, filter, false).await
}

async fn look_for(stage: &Stage, text: &str, filter: MemoryFilter, at_once: bool) -> FoundMemories {
    let text = text.into();
    let query = Query::SearchMemories { text, filter, limit: 10, min_score: None, at_once };
    match stage.query(query).await {
        Ok(Reply::FoundMemories(found)) => found,
        other => panic!("nothing found: {other:?}"),
    }
}

async fn texts(stage: &Stage, text: &str, filter: MemoryFilter) -> Vec<String> {
    let found = look(stage, text, filter).await;
    found.hits.into_iter().map(|hit| hit.memory.text).collect()
}

async fn list(stage: &Stage, filter: MemoryFilter) -> Vec<String> {
    match stage.query(Query::Memories { filter, before: None, limit: 100 }).await {
        Ok(Reply::Memories(page)) => page.memories.into_iter().map(|one| one.text).collect(),
        other => panic!("no page: {other:?}"),
    }
}
