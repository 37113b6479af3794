//! Finding a memory by a part of its id.

use crate::ids;
use crate::session::{Session, answered};
use crate::words::memory::beginning;
use domain::{Fault, Memory, MemoryDetail, MemoryFilter, MemoryId, Query, Standing};

/// Memories asked for at a time while looking for one.
const PAGE: u32 = 500;

const LIST: &str = "coterie memory list --standing any";

/// What to call a memory in a list of these.
pub(super) fn shorter<'m>(
    memories: impl IntoIterator<Item = &'m Memory>,
) -> impl Fn(MemoryId) -> String {
    ids::shorter(memories.into_iter().map(|memory| memory.id))
}

/// A memory by its id, or by a beginning or an end of it that no other one has.
pub(super) async fn find(session: &Session, wanted: &str) -> Result<MemoryId, Fault> {
    if let Ok(id) = wanted.parse() {
        return Ok(id);
    }
    let part = ids::part("memory", wanted, LIST)?;
    let mut found = Vec::new();
    let mut before = None;
    loop {
        let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
        let query = Query::Memories { filter, before, limit: PAGE };
        let page = answered!(session.ask(query).await?, Memories)?;
        found.extend(page.memories.into_iter().filter(|memory| ids::fits(memory.id, &part)));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    match found.as_slice() {
        [] => Err(ids::unknown("memory", wanted, LIST)),
        [memory] => Ok(memory.id),
        several => {
            let told: Vec<String> = several
                .iter()
                .map(|memory| format!("{} (“{}”)", memory.id, beginning(&memory.text, 30)))
                .collect();
            Err(ids::ambiguous(wanted, "memories", &told))
        }
    }
}

/// All that is on record of one.
pub(super) async fn detail(session: &Session, wanted: &str) -> Result<MemoryDetail, Fault> {
    let memory = find(session, wanted).await?;
    Ok(*answered!(session.ask(Query::Memory { memory }).await?, MemoryDetail)?)
}
