//! Beginning a turn: one transaction that claims an agent's wakes, checks its
//! quota, and stores the run with everything it stands on.

mod past;
mod prepare;

use crate::calls::Candidates;
use crate::fold::Relief;
use crate::roles::Task;
use crate::shared::Shared;
use crate::stand::OwnHands;
use crate::{budget, gate, states, supervisor, turns};
use agent::Brief;
use domain::{
    Agent, AgentId, AgentState, Cause, Fault, Group, Member, Participant, Reason, Run, RunId,
    RunState, StepKind, TransitionCause, Usage, Verdict,
};
use prepare::{Prepared, prepare};
use std::sync::Arc;
use store::table::{agents, groups, members, messages, runs, steps, wakes};
use store::{Durability, StoreError, Write};
use uuid::Uuid;

/// What an agent's loop does next.
pub(crate) enum Next {
    Turn(Box<Turn>),
    /// Something was refused and recorded; look again.
    Again,
    /// Nothing to do, or not now.
    Nothing,
}

/// A turn that has begun.
pub(crate) struct Turn {
    pub run: Run,
    /// What to ask and whom, or why nobody can be asked.
    pub asked: Result<(Brief, Candidates), Fault>,
    /// What is to be done first where the conversation is too long.
    pub relief: Option<Relief>,
    pub hands: OwnHands,
}

/// Whose turn it is, and where.
#[derive(Clone, Copy)]
struct Turner<'a> {
    agent: &'a Agent,
    group: &'a Group,
    member: &'a Member,
}

const HOUR_MS: i64 = 60 * 60 * 1000;

/// Begins the turn that has waited longest, with all the wakes of its group.
pub(crate) async fn begin(shared: &Arc<Shared>, agent: AgentId) -> Result<Next, Fault> {
    let with = shared.clone();
    shared.store.write(Durability::Process, move |write| begin_in(write, &with, agent)).await
}

fn begin_in(write: &mut Write<'_>, shared: &Shared, agent: AgentId) -> Result<Next, Fault> {
    let now = shared.now_ms();
    let mut agent = agents::get(write, agent)?;
    budget::resume_on_a_new_day(write, shared, &mut agent)?;
    if agent.state != AgentState::Idle {
        return Ok(Next::Nothing);
    }
    let batch = turns::answered_together(wakes::next_batch(write, agent.id)?);
    let Some(last) = batch.last().cloned() else { return Ok(Next::Nothing) };
    let group = groups::get(write, last.group)?;
    let Some(member) = members::find(write, group.id, Participant::Agent(agent.id))? else {
        return refuse(write, shared, &batch, &Reason::LeftTheGroup);
    };
    let limit = group.caps.runs_per_hour;
    if runs::begun_since(write, agent.id, now - HOUR_MS)? >= limit {
        return refuse(write, shared, &batch, &Reason::HourlyQuota { limit });
    }

    let id = RunId(Uuid::now_v7());
    let turner = Turner { agent: &agent, group: &group, member: &member };
    let task = match last.reason {
        Reason::Supervising { .. } => Task::Supervise,
        _ => Task::Answer,
    };
    let mut prepared = prepare(write, shared, turner, id, last.tried_by, task)?;
    if let (Reason::Supervising { .. }, Ok((brief, _))) = (&last.reason, &mut prepared.asked) {
        supervisor::ask(brief, &turns::seats(write, &group)?);
        prepared.hands = OwnHands::default();
        prepared.context.tools.clear();
    }
    let Prepared { context, asked, relief, hands } = prepared;
    let brief = asked.as_ref().ok().map(|(brief, _)| brief);
    let going_on: Vec<_> =
        brief.iter().flat_map(|brief| &brief.unanswered).map(|(call, _)| *call).collect();
    gate::close_what_is_left(write, agent.id, group.id, &going_on, now)?;
    let newest = messages::last(write, group.id)?.map_or(last.message_seq, |message| message.seq);
    let mut run = Run {
        seq: 0,
        id,
        agent: agent.id,
        group: group.id,
        state: RunState::Running,
        cause: Cause { message: last.message, author: last.author, reason: last.reason },
        root: last.root,
        depth: last.depth,
        model: context.model.clone(),
        soul_version: context.soul_version,
        reads_after: member.cursor,
        reads_to: newest,
        usage: Usage::default(),
        cost_microusd: None,
        outcome: None,
        attempt: batch.iter().map(|wake| wake.attempts).max().unwrap_or(0) + 1,
        resumes: last.tried_by,
        started_ms: now,
        first_token_ms: None,
        ended_ms: None,
    };
    run.resumes = take_up(write, &run, now)?.or(run.resumes);
    runs::add(write, &mut run, &context)?;
    wakes::claim(write, &batch, run.id)?;
    states::change(write, &mut agent, AgentState::Running, TransitionCause::Woken, now)?;
    record_beginning(write, &run, brief, now)?;
    Ok(Next::Turn(Box::new(Turn { run, asked, relief, hands })))
}

/// Wakes that get no turn. Where the policy hands turns on, the next has it.
fn refuse(
    write: &mut Write<'_>,
    shared: &Shared,
    batch: &[wakes::Wake],
    reason: &Reason,
) -> Result<Next, Fault> {
    turns::dismiss(write, batch, reason)?;
    let woken = turns::go_on_without(write, batch)?;
    // They look only after this transaction has been committed: their own
    // first step is a transaction behind it.
    shared.wake(&woken);
    Ok(Next::Again)
}

/// Marks the interrupted runs that this one does again; gives the newest.
///
/// Who reads on in a group also answers what a run there left for a person to
/// decide about, so that nothing is read by two turns.
fn take_up(write: &mut Write<'_>, by: &Run, now: i64) -> Result<Option<RunId>, Fault> {
    let mut newest = None;
    for mut earlier in runs::interrupted(write, by.agent, by.group)? {
        let left = wakes::claimed_by(write, earlier.id)?;
        wakes::claim(write, &left, by.id)?;
        steps::add(write, earlier.id, &StepKind::Resumed { by: by.id }, now)?;
        earlier.state = RunState::Resumed;
        runs::update(write, &earlier)?;
        newest = Some(earlier.id);
    }
    Ok(newest)
}

fn record_beginning(
    write: &mut Write<'_>,
    run: &Run,
    brief: Option<&Brief>,
    now: i64,
) -> Result<(), StoreError> {
    let Cause { message, reason, .. } = &run.cause;
    steps::add(write, run.id, &StepKind::Woken { by: *message }, now)?;
    let decided = StepKind::Decided { verdict: Verdict::Speak, reason: reason.clone() };
    steps::add(write, run.id, &decided, now)?;
    let Some(brief) = brief else { return Ok(()) };
    let turns = &brief.request.turns;
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let characters = turns.iter().map(|turn| turn.content.chars().count()).sum();
    let (messages, characters) = (count(turns.len()), count(characters));
    steps::add(write, run.id, &StepKind::BriefBuilt { messages, characters }, now).map(drop)
}
