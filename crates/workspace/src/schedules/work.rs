//! What a schedule gives: put down as a notice that wakes the agent.
//!
//! What it is told stands in the group, where people read it too. A heartbeat and a
//! digest are put to it behind the conversation (`ask`), so that they leave nothing
//! there that it reads again at every later turn.

use crate::served::Served;
use crate::shared::Shared;
use crate::{brief, budget, digest, feed, groups, post, stand, turns};
use agent::Brief;
use domain::{
    Agent, AgentId, AgentState, Body, Fault, GroupId, Message, MessageId, Notice, Participant,
    Reason, RequestId, Schedule, ScheduledWork,
};
use std::sync::Arc;
use store::table::{
    agents, communities, groups as group_table, members, messages, runs, settings, wakes,
};
use store::{Durability, Read, StoreError, Write};

/// Puts it down under an id, so that putting it down twice is doing it once.
pub(super) fn put_down(
    write: &mut Write<'_>,
    schedule: &Schedule,
    id: MessageId,
    now: i64,
) -> Result<Message, Fault> {
    if let Some(message) = messages::find(write, id)? {
        return Ok(message);
    }
    let agent = schedule.plan.agent;
    let tells = |text: &String| {
        let (schedule, text) = (schedule.id, text.clone());
        Notice::Scheduled { agent, schedule, text }
    };
    match &schedule.plan.work {
        ScheduledWork::Say { group, text } => {
            give(write, id, *group, agent, tells(text), Reason::Scheduled, now)
        }
        ScheduledWork::Post { community, text } => {
            feed::ask_for_scheduled_post(write, id, *community, agent, tells(text), now)
        }
        ScheduledWork::Heartbeat => {
            let (group, notice) = (groups::direct_of(agent), Notice::Heartbeat { agent });
            give(write, id, group, agent, notice, Reason::Heartbeat, now)
        }
        ScheduledWork::Digest => ask_for_digest_in(write, id, agent, now),
    }
}

/// Has an agent tell what has happened since it told of it the last time.
pub(crate) async fn ask_for_digest(
    shared: &Arc<Shared>,
    request: RequestId,
    agent: AgentId,
) -> Result<Message, Fault> {
    let (id, now) = (MessageId(request.0), shared.now_ms());
    let put = move |write: &mut Write<'_>| {
        if let Some(message) = messages::find(write, id)? {
            return Ok(message);
        }
        let found = agents::get(write, agent)?;
        if found.state == AgentState::Terminated {
            return Err(groups::gone(&found.name));
        }
        ask_for_digest_in(write, id, agent, now)
    };
    let message = shared.store.write(Durability::Process, put).await?;
    shared.wake(&[agent]);
    Ok(message)
}

fn ask_for_digest_in(
    write: &mut Write<'_>,
    id: MessageId,
    agent: AgentId,
    now: i64,
) -> Result<Message, Fault> {
    let since_ms = digest::since(write, agent, now)?;
    let (group, notice) = (groups::direct_of(agent), Notice::AskedForDigest { agent, since_ms });
    give(write, id, group, agent, notice, Reason::AskedForDigest, now)
}

fn give(
    write: &mut Write<'_>,
    id: MessageId,
    group: GroupId,
    agent: AgentId,
    notice: Notice,
    reason: Reason,
    now: i64,
) -> Result<Message, Fault> {
    let group = post::open_group(write, group)?;
    groups::must_be_member(write, &group, agent)?;
    let message = post::notice_as(write, id, group.id, notice, now)?;
    turns::give_to(write, &group, &message, agent, reason)?;
    Ok(message)
}

/// Why nothing can be given where it would be: the agent is no member, nobody writes there any
/// more, a turn of the agent there waits for a person, or a budget has stopped it.
pub(super) fn hindrance(
    read: &Read<'_>,
    schedule: &Schedule,
    now: i64,
) -> Result<Option<Reason>, StoreError> {
    let agent = schedule.plan.agent;
    let group = match &schedule.plan.work {
        ScheduledWork::Say { group, .. } => *group,
        ScheduledWork::Heartbeat | ScheduledWork::Digest => groups::direct_of(agent),
        ScheduledWork::Post { community, .. } => {
            let is_archived = communities::get(read, *community)?.archived;
            return Ok(is_archived.then_some(Reason::Archived));
        }
    };
    if members::find(read, group, Participant::Agent(agent))?.is_none() {
        return Ok(Some(Reason::LeftTheGroup));
    }
    let group = group_table::get(read, group)?;
    if group.archived {
        return Ok(Some(Reason::Archived));
    }
    if waits_for_a_person(read, agent, group.id)? {
        return Ok(Some(Reason::Busy));
    }
    let stopped = budget::is_stopped(read, &group, now)?;
    Ok(budget::stopped_for(&group).filter(|_| stopped).map(|scope| Reason::OverBudget { scope }))
}

/// Whether a turn was cut off there that nobody goes on with unasked. Whatever is said to the
/// agent there has it go on, and of a schedule nobody knows whether a person has looked.
fn waits_for_a_person(read: &Read<'_>, agent: AgentId, group: GroupId) -> Result<bool, StoreError> {
    for run in runs::interrupted(read, agent, group)? {
        if !wakes::claimed_by(read, run.id)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What an agent is told beside its conversation.
#[derive(Default)]
pub(crate) struct Asked {
    /// Where the things are shown that it is told of by a number.
    pub links: Vec<String>,
    /// What the workspace says in its place, where its model could not.
    pub instead: Option<String>,
}

/// Puts to an agent what it has been woken for, where that stands in no message, or in
/// one that it has read past.
pub(crate) fn ask(
    read: &Read<'_>,
    shared: &Shared,
    brief: &mut Brief,
    agent: &Agent,
    (woken_by, has_read_to): (MessageId, i64),
) -> Result<Asked, Fault> {
    let mut asked = Asked::default();
    let Some(message) = messages::find(read, woken_by)? else { return Ok(asked) };
    let settings = settings::get(read)?;
    let user = stand::name_of_person(&settings);
    let words = match message.body {
        Body::Notice { notice: Notice::Heartbeat { .. } } => {
            shared.prompts.heartbeat(&agent.name, user)?
        }
        Body::Notice { notice: Notice::AskedForDigest { since_ms, .. } } => {
            let told = digest::told(read, shared, agent.id, since_ms, message.seq)?;
            // It follows no orders, and would make up what happened.
            if Served::find(read, &brief.model).is_ok_and(|served| served.is_demo()) {
                asked.instead = Some(told.record(digest::tongue(&settings, agent)));
            }
            let words = shared.prompts.digest(&agent.name, user, &told.text())?;
            asked.links = told.links;
            words
        }
        Body::Notice { notice: Notice::Scheduled { text, .. } } if message.seq <= has_read_to => {
            brief::by_schedule(&text)
        }
        Body::Notice { .. } | Body::Text { .. } => return Ok(asked),
    };
    feed::put_task(&mut brief.request.turns, &words);
    Ok(asked)
}

/// Whether what goes back to this message happens without a person who asked for it:
/// it counts on what agents may use by themselves.
pub(crate) fn happens_by_itself(read: &Read<'_>, root: MessageId) -> Result<bool, StoreError> {
    let body = messages::find(read, root)?.map(|message| message.body);
    Ok(match body {
        Some(Body::Notice { notice }) => matches!(
            notice,
            Notice::Scheduled { .. } | Notice::Heartbeat { .. } | Notice::AskedForDigest { .. }
        ),
        Some(Body::Text { .. }) | None => false,
    })
}
