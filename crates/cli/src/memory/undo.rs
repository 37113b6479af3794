//! `coterie memory undo`: takes the last change back, and says what came of that.

use super::find::detail;
use super::new::{changed, tell};
use super::{stands, told};
use crate::screen::Failure;
use crate::session::{Session, answered};
use domain::{Command, Memory, MemoryChange, MemoryState, Query};

/// What came with the change is taken back with it, unless it was changed since.
pub(super) async fn run(session: &Session, id: &str) -> Result<(), Failure> {
    let before = detail(session, id).await?;
    let all = changed(session, Command::UndoMemory { memory: before.memory.id }).await?;
    let [memory, others @ ..] = &all[..] else { return Ok(()) };
    let names = session.names().await?;
    let mut said = format!("as it was before: {}\n{}", told::line(memory), stands(memory, &names));
    // Those of a merge come back with it.
    for other in before.related {
        if other.state != MemoryState::Current && !others.iter().any(|one| one.id == other.id) {
            let query = Query::Memory { memory: other.id };
            let now = answered!(session.ask(query).await?, MemoryDetail)?.memory;
            if now.state == MemoryState::Current {
                said += &format!("\nholds again: {}", told::line(&now));
            }
        }
    }
    for other in others {
        let came = if gives_way(session, other, memory).await? {
            "gives way to it"
        } else {
            came_of(other, &all)
        };
        said += &format!("\n{came}: {}", told::line(other));
    }
    tell(session, &all, said);
    Ok(())
}

/// Whether it held until the other was brought back, and was not brought by what is taken back.
async fn gives_way(session: &Session, other: &Memory, undone: &Memory) -> Result<bool, Failure> {
    if other.state != MemoryState::Superseded(undone.id) {
        return Ok(false);
    }
    let query = Query::Memory { memory: other.id };
    let versions = answered!(session.ask(query).await?, MemoryDetail)?.versions;
    Ok(versions.last().is_some_and(|last| last.change == MemoryChange::Superseded))
}

/// What became of one by it that a change of the first of all is taken back.
fn came_of(other: &Memory, all: &[Memory]) -> &'static str {
    let undone_ms = all.first().map_or(0, |undone| undone.changed_at_ms);
    let stays = |one: &Memory| one.changed_at_ms < undone_ms && one.state == MemoryState::Current;
    match other.state {
        MemoryState::Current if stays(other) => "stays, since it was changed later",
        MemoryState::Current => "holds again",
        MemoryState::Superseded(by) if all.iter().any(|one| one.id == by && stays(one)) => {
            "does not hold again, since something else was said later"
        }
        MemoryState::Superseded(_)
        | MemoryState::Contested(_)
        | MemoryState::Wrong
        | MemoryState::Forgotten => "taken back with it",
    }
}
