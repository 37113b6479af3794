//! Memories of another workspace, in the transaction that takes in what they are of.

use super::Wanted;
use super::draft::{Draft, Rules};
use super::enter::{Entered, enter};
use crate::memory::change::as_new;
use crate::shared::Shared;
use ::memory::file::{Claims, Entry};
use domain::{
    Fault, GaveWay, Memory, MemoryFormat, MemoryId, MemoryState, PlaceInFile, Source, StaysOutWhy,
};
use std::collections::{HashMap, HashSet};
use store::table::{memories, memory_versions, messages};
use store::{Read, StoreError, Write};

/// What became of them.
#[derive(Debug, Default)]
pub(crate) struct OfWorkspace {
    pub added: u32,
    pub there: u32,
    /// Of those that were there.
    pub vouched: u32,
    /// They contradict something, and wait for the person.
    pub contested: u32,
    /// With why, and what they say there where that may be said.
    pub left_out: Vec<(StaysOutWhy, Option<String>)>,
    pub gave_way: Vec<GaveWay>,
}

/// Takes them in as an import of a file of ours does, each with the message it was made of
/// where that is here.
pub(crate) fn enter_all(
    write: &mut Write<'_>,
    shared: &Shared,
    wanted: &Wanted,
    from: &Read<'_>,
    memories: &[Memory],
) -> Result<OfWorkspace, Fault> {
    let rules = Rules::of(shared, wanted)?;
    let drafts = memories.iter().map(|memory| draft(write, from, &rules, memory));
    let drafts = drafts.collect::<Result<Vec<_>, StoreError>>()?;
    // Those that others refer to come first, so that whom those mean is known.
    let (first, referring): (Vec<_>, Vec<_>) =
        drafts.into_iter().partition(|draft| draft.refers().is_none());
    let refer: HashSet<_> = referring.iter().map(|draft| draft.memory.id).collect();
    let mut elsewhere = HashMap::new();
    let mut came = HashSet::new();
    let mut stand = HashSet::new();
    let mut told = OfWorkspace::default();
    for draft in first.into_iter().chain(referring) {
        let id = draft.memory.id;
        let draft = draft.referring_to(write, &elsewhere, &refer)?;
        let text = draft.memory.text.clone();
        match enter(write, draft)? {
            Entered::Added { gave_way, .. } => {
                told.added += 1;
                told.give_way(gave_way, &came);
                came.insert(id);
                stand.insert(id);
            }
            Entered::There { id: there, vouched, gave_way } => {
                elsewhere.insert(id, there);
                told.there += 1;
                told.vouched += u32::from(vouched);
                told.give_way(gave_way, &came);
                stand.insert(there);
            }
            Entered::LeftOut { why, .. } => {
                let is_told = why != StaysOutWhy::Forgotten;
                told.left_out.push((why, is_told.then_some(text)));
            }
        }
    }
    for id in stand {
        let memory = memories::find(write, id)?;
        let waits = memory.is_some_and(|one| matches!(one.state, MemoryState::Contested(_)));
        told.contested += u32::from(waits);
    }
    Ok(told)
}

impl OfWorkspace {
    /// What came with it was not here.
    fn give_way(&mut self, gave_way: Vec<(MemoryId, GaveWay)>, came: &HashSet<MemoryId>) {
        let here = gave_way.into_iter().filter(|(old, _)| !came.contains(old));
        self.gave_way.extend(here.map(|(_, words)| words));
    }
}

fn draft(
    read: &Read<'_>,
    from: &Read<'_>,
    rules: &Rules,
    memory: &Memory,
) -> Result<Draft, StoreError> {
    let message = match memory.source.message {
        Some(id) => messages::find(read, id)?.map(|message| message.id),
        None => None,
    };
    let claims = Claims {
        id: Some(memory.id),
        trust: Some(memory.trust),
        pinned: memory.pinned,
        // Its run stays where it was.
        source: Source { message, run: None, ..memory.source.clone() },
        created_at_ms: Some(memory.created_at_ms),
        changed_at_ms: Some(memory.changed_at_ms),
        state: memory.state,
        evidence: memory.evidence,
        recalled: memory.recalled,
        recalled_at_ms: memory.recalled_at_ms,
        reworded: false,
    };
    let entry = Entry {
        place: PlaceInFile::default(),
        part: String::new(),
        new: as_new(memory),
        claims: Some(Box::new(claims)),
    };
    let mut draft = rules.draft(MemoryFormat::Jsonl, entry);
    draft.memory.source.message = message;
    if let Some(said) = memory_versions::last_said(from, memory.id)? {
        draft.said_ms = said.min(draft.now);
    }
    Ok(draft)
}
