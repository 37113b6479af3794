//! Branches of a conversation: another message in the place of one, another answer,
//! and back again.
//!
//! Nothing is taken away. What no longer stands in the conversation is aside: no
//! agent reads it and no page shows it, until its branch is shown again. Whoever
//! works in the group is stopped before, so that nobody answers what is gone.

mod fork;
mod tree;

pub(crate) use fork::fork;

use crate::lifecycle::{self, Ended};
use crate::post::{self, Said};
use crate::shared::Shared;
use crate::{acts, budget, recover, restarts, stop, turns};
use domain::{
    Agent, AgentId, AgentState, Attachment, Author, Fault, FaultCode, FaultKind, Group, GroupId,
    GroupKind, Message, MessageId, Participant, Reason, RequestId, Run, RunState, Target, Variants,
};
use std::collections::HashSet;
use std::sync::Arc;
use store::table::branches::Place;
use store::table::{agents, branches, members, messages, runs, settings, summaries, wakes};
use store::{Read, StoreError, Write};
use tree::Tree;

/// Says something else in the place of what the person had said.
pub(crate) async fn edit(
    shared: &Arc<Shared>,
    request: RequestId,
    message: MessageId,
    text: String,
    attachments: Vec<Attachment>,
) -> Result<Message, Fault> {
    let edited = find(shared, message)?;
    if edited.author != Author::User {
        return Err(Fault::new(
            FaultCode::Refused,
            "only your own messages can be edited",
            "have the agent answer again instead",
        )
        .of(FaultKind::MessageNotYours));
    }
    let said = Said { group: edited.group, text, reply_to: edited.parent, attachments };
    let said = post::checked(shared, said).await?;
    // Nobody is stopped for what does not happen.
    let was_edited = shared.store.read(|read| {
        let was_edited = messages::find(read, MessageId(request.0))?;
        if was_edited.is_none() {
            must_be_shown(read, &edited)?;
            post::can_be_said(read, &said)?;
        }
        Ok::<_, Fault>(was_edited)
    })?;
    if let Some(message) = was_edited {
        return Ok(message);
    }
    let with = shared.clone();
    let message = change(shared, edited.group, move |write, ended| {
        if let Some(message) = messages::find(write, MessageId(request.0))? {
            return Ok(message);
        }
        must_be_shown(write, &edited)?;
        set_aside_from(write, &edited, ended, with.now_ms())?;
        let (message, woken) = post::say(write, &with, request, said)?;
        ended.woken.extend(woken);
        Ok(message)
    });
    message.await
}

/// Has an agent answer again what it had answered with this message.
pub(crate) async fn answer_again(shared: &Arc<Shared>, message: MessageId) -> Result<(), Fault> {
    let said = find(shared, message)?;
    let no_answer = || {
        Fault::new(
            FaultCode::Refused,
            "this is not an agent's answer",
            "choose a message that an agent wrote, and that it was woken for",
        )
        .of(FaultKind::MessageNotAnAnswer)
    };
    let (Author::Agent(agent), Some(run)) = (said.author, said.run) else {
        return Err(no_answer());
    };
    let (now, with) = (shared.now_ms(), shared.clone());
    // What must be so, and the group and what is answered again.
    let asked = move |read: &Read<'_>, said: &Message| {
        must_be_shown(read, said)?;
        let group = post::open_group(read, said.group)?;
        if members::find(read, group.id, Participant::Agent(agent))?.is_none() {
            return Err(Fault::new(
                FaultCode::Refused,
                "who wrote this is no longer in the group",
                "add the agent to the group first",
            )
            .of(FaultKind::MessageNotAnAnswer));
        }
        let cause = messages::find(read, runs::get(read, run)?.cause.message)?;
        Ok((group, cause.ok_or_else(no_answer)?))
    };
    // Nobody is stopped for what does not happen.
    shared.store.read(|read| {
        asked(read, &said)?;
        let agent = agents::get(read, agent)?;
        if agent.state == AgentState::Paused { Err(does_not_work(agent)) } else { Ok(()) }
    })?;
    change(shared, said.group, move |write, ended| {
        let (group, cause) = asked(write, &said)?;
        can_answer_now(write, &with, &group, agent, ended, now)?;
        set_aside_from(write, &said, ended, now)?;
        settings::put_fact(write, &replaced_key(group.id), &said.seq.to_string())?;
        turns::give_to(write, &group, &cause, agent, Reason::AskedByUser)?;
        if group.problem.is_some() {
            budget::go_on(write, &with, group)?;
        }
        ended.woken.push(agent);
        Ok(())
    })
    .await
}

/// Shows the branch in which this message stands.
pub(crate) async fn show(shared: &Arc<Shared>, message: MessageId) -> Result<(), Fault> {
    let wanted = find(shared, message)?;
    let now = shared.now_ms();
    let is_shown = |read: &Read<'_>| {
        Ok::<_, Fault>(!branches::aside(read, wanted.group)?.contains(&wanted.seq))
    };
    if shared.store.read(is_shown)? {
        return Ok(());
    }
    change(shared, wanted.group, move |write, ended| {
        let aside = branches::aside(write, wanted.group)?;
        if !aside.contains(&wanted.seq) {
            return Ok(());
        }
        let places = branches::tree(write, wanted.group)?;
        let shown = Tree::new(&places).through(wanted.id);
        let comes_or_goes = |seq: &i64| aside.contains(seq) == shown.contains(seq);
        let from = places.iter().map(|place| place.seq).filter(comes_or_goes).min();
        let gone =
            places.iter().map(|place| place.seq).filter(|seq| !shown.contains(seq)).collect();
        branches::show_all_but(write, wanted.group, &gone)?;
        summaries::void_from(write, wanted.group, from.unwrap_or(wanted.seq))?;
        owe_nothing(write, wanted.group, &gone, &Reason::SetAside, ended, now)?;
        // What was to stand in its place is wanted no more.
        let last = shown.iter().max().copied().unwrap_or(wanted.seq);
        let mut instead = wakes::open_of_group(write, wanted.group)?;
        instead.retain(|wake| wake.reason == Reason::AskedByUser && wake.message_seq < last);
        Ok(turns::dismiss(write, &instead, &Reason::SetAside)?)
    })
    .await
}

/// Whoever rests would leave the conversation without either answer.
fn can_answer_now(
    write: &mut Write<'_>,
    shared: &Shared,
    group: &Group,
    agent: AgentId,
    ended: &mut Ended,
    now: i64,
) -> Result<(), Fault> {
    ended.woken.extend(restarts::when_asked(write, shared, group, now)?);
    let agent = agents::get(write, agent)?;
    match agent.state {
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => Ok(()),
        AgentState::Paused | AgentState::Error | AgentState::Terminated => {
            Err(does_not_work(agent))
        }
    }
}

fn does_not_work(agent: Agent) -> Fault {
    let message = format!("{} does not work now and would not answer", agent.name);
    Fault::new(FaultCode::Refused, message, "resume it first")
        .of(FaultKind::AgentNoWork { name: agent.name, state: agent.state })
}

/// The answer in whose place another one is to stand, if nothing stands there yet.
fn replaced(read: &Read<'_>, group: GroupId) -> Result<Option<(Vec<Place>, Place)>, StoreError> {
    let aside = branches::aside(read, group)?;
    let fact = settings::fact(read, &replaced_key(group))?;
    let seq: Option<i64> = fact.and_then(|seq| seq.parse().ok()).filter(|seq| aside.contains(seq));
    let Some(seq) = seq else { return Ok(None) };
    let places = branches::tree(read, group)?;
    let last = places.iter().rfind(|place| !aside.contains(&place.seq));
    let last = last.map_or(0, |place| place.seq);
    let replaced = places.iter().find(|place| place.seq == seq && place.follows == last).copied();
    Ok(replaced.map(|replaced| (places, replaced)))
}

/// Whether this is to stand in the place of an answer.
pub(crate) fn replaces(read: &Read<'_>, run: &Run) -> Result<bool, StoreError> {
    Ok(run.cause.reason == Reason::AskedByUser && replaced(read, run.group)?.is_some())
}

/// Shows an answer again in whose place nobody is to say anything any more.
pub(crate) fn bring_back(write: &mut Write<'_>, group: GroupId) -> Result<(), StoreError> {
    let Some((places, replaced)) = replaced(write, group)? else { return Ok(()) };
    let is_again =
        |wake: &wakes::Wake| wake.reason == Reason::AskedByUser && wake.message_seq < replaced.seq;
    if wakes::open_of_group(write, group)?.iter().any(is_again) {
        return Ok(());
    }
    let shown = Tree::new(&places).through(replaced.id);
    let aside = places.iter().map(|place| place.seq).filter(|seq| !shown.contains(seq)).collect();
    branches::show_all_but(write, group, &aside)?;
    summaries::void_from(write, group, replaced.seq)
}

fn replaced_key(group: GroupId) -> String {
    format!("replaced/{group}")
}

/// The messages of the shown branch in whose place others can stand.
pub(crate) fn variants(read: &Read<'_>, group: GroupId) -> Result<Vec<Variants>, StoreError> {
    let places = branches::tree(read, group)?;
    if places.is_empty() {
        return Ok(Vec::new());
    }
    Ok(Tree::new(&places).variants(&branches::aside(read, group)?))
}

/// What stands aside where the branch that is shown but for these goes on to its end, with
/// what was begun last.
pub(crate) fn aside_of_whole(
    read: &Read<'_>,
    group: GroupId,
    aside: HashSet<i64>,
) -> Result<HashSet<i64>, StoreError> {
    let places = branches::tree(read, group)?;
    let Some(last) = places.iter().rfind(|place| !aside.contains(&place.seq)) else {
        return Ok(aside);
    };
    let shown = Tree::new(&places).through(last.id);
    Ok(places.iter().map(|place| place.seq).filter(|seq| !shown.contains(seq)).collect())
}

/// Stops who works in the group, and changes its branch in one transaction.
async fn change<T: Send + 'static>(
    shared: &Arc<Shared>,
    group: GroupId,
    change: impl FnOnce(&mut Write<'_>, &mut Ended) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let open = shared.store.read(|read| post::open_group(read, group))?;
    can_branch(&open)?;
    alone(shared, vec![open], change).await
}

/// Stops who works in these groups, and changes what stands in them in one transaction.
pub(crate) async fn alone<T: Send + 'static>(
    shared: &Arc<Shared>,
    groups: Vec<Group>,
    change: impl FnOnce(&mut Write<'_>, &mut Ended) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    for group in &groups {
        stop::stop(shared, Target::Group(group.id)).await?;
    }
    let (changed, ended) = shared
        .store
        .write(shared.posts, move |write| {
            let open = runs::open(write)?;
            let works = |id: GroupId| {
                open.iter().any(|run| run.group == id && run.state == RunState::Running)
            };
            if let Some(busy) = groups.into_iter().find(|group| works(group.id)) {
                return Err(Fault::new(
                    FaultCode::Refused,
                    format!("somebody has begun to answer in {} again", busy.name),
                    "stop them, or wait until they have answered, and try again",
                )
                .of(FaultKind::ConversationBusy { group: busy.name }));
            }
            let mut ended = Ended::default();
            let changed = change(write, &mut ended)?;
            Ok::<_, Fault>((changed, ended))
        })
        .await?;
    lifecycle::let_go(shared, &ended);
    Ok(changed)
}

pub(crate) fn find(shared: &Shared, message: MessageId) -> Result<Message, Fault> {
    let found = shared.store.read(|read| messages::find(read, message))?;
    found.ok_or_else(|| {
        Fault::not_found(format!("there is no message {message}"), "choose one that is there")
    })
}

fn can_branch(group: &Group) -> Result<(), Fault> {
    match group.kind {
        GroupKind::Direct | GroupKind::Group => Ok(()),
        GroupKind::Task | GroupKind::Post => Err(Fault::new(
            FaultCode::Refused,
            "tasks and posts have no branches",
            "do it in a conversation of your own",
        )
        .of(FaultKind::NoBranches)),
    }
}

fn must_be_shown(read: &Read<'_>, message: &Message) -> Result<(), Fault> {
    if branches::aside(read, message.group)?.contains(&message.seq) {
        return Err(Fault::new(
            FaultCode::Refused,
            "this message stands in another branch than the one that is shown",
            "show its branch first",
        )
        .of(FaultKind::MessageAside));
    }
    Ok(())
}

fn set_aside_from(
    write: &mut Write<'_>,
    message: &Message,
    ended: &mut Ended,
    now: i64,
) -> Result<(), Fault> {
    branches::set_aside_from(write, message.group, message.seq)?;
    summaries::void_from(write, message.group, message.seq)?;
    let gone = branches::aside(write, message.group)?;
    owe_nothing(write, message.group, &gone, &Reason::SetAside, ended, now)
}

/// Nobody answers what is out of sight.
pub(crate) fn owe_nothing(
    write: &mut Write<'_>,
    group: GroupId,
    gone: &HashSet<i64>,
    why: &Reason,
    ended: &mut Ended,
    now: i64,
) -> Result<(), Fault> {
    let is_about = |wake: &wakes::Wake| gone.contains(&wake.message_seq);
    let mut touched: Vec<AgentId> = Vec::new();
    for run in runs::open(write)?.into_iter().filter(|run| run.group == group) {
        let claimed = wakes::claimed_by(write, run.id)?;
        if claimed.iter().any(is_about) {
            touched.push(run.agent);
            recover::drop_run(write, run, why, now)?;
        }
    }
    let mut owed = wakes::open_of_group(write, group)?;
    owed.retain(is_about);
    turns::dismiss(write, &owed, why)?;
    for agent in touched {
        ended.add(acts::end_those_without_a_call(write, agent, now)?);
    }
    Ok(())
}
