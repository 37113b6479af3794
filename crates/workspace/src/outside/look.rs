//! What programs from outside read: groups, what was said there, and memories.

use super::{agents_in, called, group_name, open_to};
use crate::shared::Shared;
use crate::{memory as memories, sources, stand};
use domain::{
    Author, Fault, FaultCode, Group, GroupId, MemoryFilter, MemoryHit, Message, OpenGroup,
    OpenLine, OpenMemory, Pass, SpokenBy,
};
use std::sync::Arc;
use store::table::{agents, groups, messages, settings};
use store::{Read, StoreError};

/// The most that is given at once, whatever is asked for.
const MOST_LINES: u32 = 200;
const MOST_MEMORIES: u32 = 50;
/// More of one message is cut off.
const MOST_CHARACTERS: usize = 16_000;

pub(super) fn open_groups(shared: &Shared, pass: &Pass) -> Result<Vec<OpenGroup>, Fault> {
    let mut named: Vec<GroupId> = [&pass.rights.reads[..], &pass.rights.says].concat();
    named.sort_unstable();
    named.dedup();
    shared.store.read(|read| {
        let mut open = Vec::new();
        for id in named {
            let found: Option<Group> = groups::find(read, id)?;
            let Some(group) = found.filter(|group| !group.archived) else { continue };
            let name = group_name(read, &group)?;
            open.push(OpenGroup::of(&group, name, agents_in(read, &group)?, &pass.rights));
        }
        Ok(open)
    })
}

/// What was said in a group, oldest first.
pub(super) fn log(
    shared: &Shared,
    pass: &Pass,
    group: &str,
    after: Option<i64>,
    limit: u32,
) -> Result<Vec<OpenLine>, Fault> {
    let limit = limit.clamp(1, MOST_LINES);
    shared.store.read(|read| {
        let group = open_to(read, pass, &pass.rights.reads, group, "read")?;
        let said = match after {
            Some(after) => messages::of_group_since(read, group.id, after, limit)?,
            None => messages::page(read, group.id, 0, None, limit)?,
        };
        let mut lines = Vec::new();
        for message in &said {
            lines.extend(line(shared, read, message)?);
        }
        Ok(lines)
    })
}

/// Nothing for what only happened.
fn line(
    shared: &Shared,
    read: &Read<'_>,
    message: &Message,
) -> Result<Option<OpenLine>, StoreError> {
    let Some(text) = message.text() else { return Ok(None) };
    let (who, by) = match message.author {
        Author::User => {
            (stand::name_of_person(&*settings::get(read)?).to_owned(), SpokenBy::Person)
        }
        Author::Agent(agent) => (agents::get(read, agent)?.name, SpokenBy::Agent),
        Author::Outside(pass) => (called(read, pass)?, SpokenBy::Program),
        Author::Source(source) => (sources::called(read, source)?, SpokenBy::Program),
        Author::System => return Ok(None),
    };
    let said = shared.safe.redactor().redact_known(text);
    let more = said.chars().count().saturating_sub(MOST_CHARACTERS);
    let mut said: String = said.chars().take(MOST_CHARACTERS).collect();
    if more > 0 {
        said.push_str(&format!("\n[{more} more characters are left out]"));
    }
    for attachment in &message.attachments {
        said.push_str(&format!("\n[shows {}]", attachment.name));
    }
    let (number, at_ms) = (message.seq, message.at_ms);
    Ok(Some(OpenLine { number, who, by, said, at_ms }))
}

pub(super) async fn memory(
    shared: &Arc<Shared>,
    pass: &Pass,
    text: String,
    limit: u32,
) -> Result<Vec<OpenMemory>, Fault> {
    let scopes = pass.rights.memory.clone();
    if scopes.is_empty() {
        return Err(Fault::new(
            FaultCode::Refused,
            format!("the pass of {} does not let it search memories", pass.rights.name),
            "the person can let it: coterie mcp grant add --memory",
        ));
    }
    let filter = MemoryFilter { scopes, ..MemoryFilter::default() };
    let limit = limit.clamp(1, MOST_MEMORIES);
    let found = memories::search(shared, text, filter, limit, None, true).await?;
    let redactor = shared.safe.redactor();
    let open = |MemoryHit { memory, .. }| OpenMemory {
        text: redactor.redact_known(&memory.text).into_owned(),
        trust: memory.trust,
        at_ms: memory.changed_at_ms,
    };
    Ok(found.hits.into_iter().map(open).collect())
}
