//! What an agent was reminded of a moment ago.
//!
//! Notes stand with the newest words only, and the next ones may be *And for dessert?*,
//! which nothing is found by. So what the last turns there were reminded of stays a
//! candidate, behind all that fits the newest words.

use domain::{AgentId, GroupId, Memory, MemoryId, MemoryScope, StepKind};
use store::table::{memories, runs, steps};
use store::{Read, StoreError};

/// For so many turns it stays. What was found in none of them by what was said is gone.
const TURNS: u32 = 3;

/// As they are now, of those that this agent may still read there: the last turn's first.
pub(super) fn carried(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
    scopes: &[MemoryScope],
) -> Result<Vec<Memory>, StoreError> {
    let mut ids: Vec<MemoryId> = Vec::new();
    for run in runs::latest_of(read, agent, group, TURNS)? {
        for kind in steps::recalled_in(read, run)? {
            let StepKind::Recalled { memories, .. } = kind else { continue };
            let found = memories.iter().filter(|one| one.scores.is_some()).map(|one| one.memory);
            ids.extend(found.filter(|id| !ids.contains(id)).collect::<Vec<_>>());
        }
    }
    let mut carried = Vec::new();
    for id in ids {
        let memory = memories::find(read, id)?;
        carried.extend(memory.filter(|memory| scopes.contains(&memory.scope)));
    }
    Ok(carried)
}
