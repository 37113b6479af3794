//! Counts once less what a message that is forgotten has said again.

use super::put;
use super::undo::{standing, step_back};
use ::memory::{called, fingerprint, notice};
use domain::{Author, Fault, MemoryChange, MemoryScope, Message};
use store::Write;
use store::table::memories::{self, About};

/// What was noticed in it first is forgotten with it; what another message says too was said by
/// that one alone then.
pub(crate) fn unsay(write: &mut Write<'_>, message: &Message, now: i64) -> Result<(), Fault> {
    if message.author != Author::User {
        return Ok(());
    }
    for said in notice(message.text().unwrap_or_default()) {
        let stated = said.statement.as_ref().map(|one| (&one.subject, called(&one.attribute)));
        let about = stated.as_ref().map(|(subject, attributes)| About { subject, attributes });
        let print = fingerprint(&said.text);
        for mut memory in memories::rivals(write, MemoryScope::User, &print, about)? {
            let versions = standing(write, memory.id)?;
            let said_then = versions.iter().rposition(|version| {
                version.change == MemoryChange::Repeated
                    && version.at_ms == message.at_ms
                    && version.by.is_none()
            });
            match said_then {
                Some(last) if last + 1 == versions.len() => drop(step_back(write, memory, now)?),
                Some(_) if memory.evidence > 1 => {
                    memory.evidence -= 1;
                    put(write, &mut memory, MemoryChange::Edited, now)?;
                }
                Some(_) | None => {}
            }
        }
    }
    Ok(())
}
