//! Programs from outside: what a person lets each do here, and doing it.
//!
//! A program goes by the name of its pass, and what it may do is looked up with
//! each thing that it asks for. What it says is a message with an author of its own:
//! it wakes agents as words do, and is never taken for the person's. So it answers
//! no question, allows nothing, ends nobody's turn, and nothing that repeats it is
//! remembered unasked.

mod look;
mod passes;
mod say;

pub(crate) use passes::{put, revoke};

use crate::shared::Shared;
use crate::{keys, sources};
use domain::{
    Author, Fault, FaultCode, GivenOutside, Group, GroupId, GroupKind, Message, Participant, Pass,
    PassId, RequestId, Wanted,
};
use std::sync::Arc;
use store::table::{agents, groups, members, messages, passes as table, runs};
use store::{Durability, Read, StoreError, Write};

/// What a program asks for, as far as its pass goes.
pub(crate) async fn answer(
    shared: &Arc<Shared>,
    id: RequestId,
    program: String,
    wanted: Wanted,
) -> Result<GivenOutside, Fault> {
    keys::known_before_turns(shared).await;
    if let Wanted::Say { group, text } = wanted {
        return say::say(shared, id, program, group, text).await.map(GivenOutside::Said);
    }
    let now = shared.now_ms();
    let pass = shared.store.write(Durability::Process, move |write| used(write, &program, now));
    let pass = pass.await?;
    match wanted {
        Wanted::Groups => look::open_groups(shared, &pass).map(GivenOutside::Groups),
        Wanted::Log { group, after, limit } => {
            look::log(shared, &pass, &group, after, limit).map(GivenOutside::Log)
        }
        Wanted::Memory { text, limit } => {
            look::memory(shared, &pass, text, limit).await.map(GivenOutside::Memory)
        }
        Wanted::Say { .. } => unreachable!("done above"),
    }
}

/// What people and agents read before a program's words: never a name alone, which
/// might be somebody's.
pub(crate) fn called(read: &Read<'_>, pass: PassId) -> Result<String, StoreError> {
    Ok(label(&table::name(read, pass)?))
}

pub(crate) fn label(name: &str) -> String {
    format!("{name} (program)")
}

/// Those that may say something in a group, also if they have been revoked since.
pub(crate) fn speakers(read: &Read<'_>, group: GroupId) -> Result<Vec<Pass>, StoreError> {
    let mut all = table::all(read)?;
    all.retain(|pass| pass.rights.says.contains(&group));
    Ok(all)
}

/// A program or a source whose words a run has read.
pub(crate) fn heard_by(read: &Read<'_>, run: &domain::Run) -> Result<Option<String>, StoreError> {
    let from_outside = |message: &Message| match message.author {
        Author::Outside(_) | Author::Source(_) => Some(message.author),
        Author::User | Author::Agent(_) | Author::System => None,
    };
    let woke = messages::find(read, run.cause.message)?;
    let before = Some(run.reads_to.saturating_add(1));
    let read_by = messages::page(read, run.group, run.reads_after, before, MOST_READ)?;
    match woke.iter().chain(&read_by).find_map(from_outside) {
        Some(Author::Outside(pass)) => called(read, pass).map(Some),
        Some(Author::Source(source)) => sources::called(read, source).map(Some),
        Some(Author::User | Author::Agent(_) | Author::System) | None => Ok(None),
    }
}

/// The same, of a run and the tries that it goes on with.
pub(crate) fn heard_in(read: &Read<'_>, run: domain::RunId) -> Result<Option<String>, StoreError> {
    let mut next = Some(run);
    while let Some(run) = next {
        let run = runs::get(read, run)?;
        if let Some(program) = heard_by(read, &run)? {
            return Ok(Some(program));
        }
        next = run.resumes;
    }
    Ok(None)
}

/// More than this no turn reads.
const MOST_READ: u32 = 1_000;

/// The pass that holds under this name, which is being used.
fn used(write: &mut Write<'_>, program: &str, now: i64) -> Result<Pass, Fault> {
    let Some(mut pass) = passes::holding(write, program)? else {
        return Err(Fault::new(
            FaultCode::Refused,
            format!("no pass is called {program:?}, or it was revoked"),
            format!("the person can give one: coterie mcp grant add {program}"),
        ));
    };
    pass.used_ms = Some(now);
    pass.uses = pass.uses.saturating_add(1);
    table::put(write, &pass)?;
    Ok(pass)
}

/// One of these groups, by its name or id. What a pass does not name is not told
/// apart from what is not there.
fn open_to(
    read: &Read<'_>,
    pass: &Pass,
    these: &[GroupId],
    wanted: &str,
    what: &str,
) -> Result<Group, Fault> {
    let mut named = None;
    for id in these {
        let Some(group) = groups::find(read, *id)? else { continue };
        if id.to_string() == wanted {
            return Ok(group);
        }
        if named.is_none() && crate::letters::same(&group_name(read, &group)?, wanted) {
            named = Some(group);
        }
    }
    named.ok_or_else(|| {
        let name = &pass.rights.name;
        Fault::new(
            FaultCode::Refused,
            format!("the pass of {name} names no group {wanted:?} that it may {what}"),
            "list_groups says which it names; the person can change that",
        )
    })
}

/// A direct chat is called after its agent.
fn group_name(read: &Read<'_>, group: &Group) -> Result<String, StoreError> {
    match (group.kind, agents_in(read, group)?.as_slice()) {
        (GroupKind::Direct, [agent]) => Ok(agent.clone()),
        (GroupKind::Direct | GroupKind::Group | GroupKind::Post | GroupKind::Task, _) => {
            Ok(group.name.clone())
        }
    }
}

fn agents_in(read: &Read<'_>, group: &Group) -> Result<Vec<String>, StoreError> {
    let mut names = Vec::new();
    for member in members::of_group(read, group.id)? {
        if let Participant::Agent(agent) = member.who {
            names.push(agents::get(read, agent)?.name);
        }
    }
    Ok(names)
}
