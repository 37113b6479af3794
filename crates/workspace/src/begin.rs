//! Beginning a turn: one transaction that claims an agent's wakes, checks its
//! quota, and stores the run with everything it stands on.

mod asked;
mod past;
mod prepare;
mod unfinished;

pub(crate) use asked::asked;
pub(crate) use unfinished::{gone_on_with, stood_on};

use crate::calls::Candidates;
use crate::fold::{self, Relief};
use crate::groups::is_put_away;
use crate::roles::Task;
use crate::shared::Shared;
use crate::stand::OwnHands;
use crate::{
    acts, branches, budget, feed, gate, kept, lifecycle, schedules, states, supervisor, turns,
};
use agent::Brief;
use domain::{
    Agent, AgentId, AgentState, Cause, Fault, Group, GroupKind, Member, Participant, Reason, Run,
    RunId, RunState, StepKind, ToolSpecs, TransitionCause, Verdict,
};
use lifecycle::Ended;
use prepare::{Prepared, Standing, prepare};
use std::sync::Arc;
use store::table::wakes::Wake;
use store::table::{agents, groups, members, messages, runs, steps, wakes};
use store::{Durability, Read, StoreError, Write};
use turns::Together;
use unfinished::Unfinished;
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
    /// What the workspace says in the agent's place: nobody is asked.
    pub instead: Option<String>,
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
    let (next, ended) = shared
        .store
        .write(Durability::Process, move |write| {
            let mut ended = Ended::default();
            begin_in(write, &with, agent, &mut ended).map(|next| (next, ended))
        })
        .await?;
    lifecycle::let_go(shared, &ended);
    Ok(next)
}

/// Also gives who ends with what is not gone on with.
fn begin_in(
    write: &mut Write<'_>,
    shared: &Shared,
    agent: AgentId,
    ended: &mut Ended,
) -> Result<Next, Fault> {
    let now = shared.now_ms();
    let mut agent = agents::get(write, agent)?;
    budget::resume_on_a_new_day(write, shared, &mut agent)?;
    if agent.state != AgentState::Idle {
        return Ok(Next::Nothing);
    }
    let open = wakes::next_batch(write, agent.id)?;
    let Some(first) = open.first().cloned() else { return Ok(Next::Nothing) };
    let group = groups::get(write, first.group)?;
    let Together { wakes: batch, upto } = turns::answered_together(open, group.kind);
    if is_put_away(write, &group)? {
        return refuse(write, shared, &batch, &Reason::Archived, ended);
    }
    let Some(member) = members::find(write, group.id, Participant::Agent(agent.id))? else {
        return refuse(write, shared, &batch, &Reason::LeftTheGroup, ended);
    };
    let limit = group.caps.runs_per_hour;
    if runs::as_many_begun_since(write, agent.id, now - HOUR_MS, limit)? {
        return refuse(write, shared, &batch, &Reason::HourlyQuota { limit }, ended);
    }

    let task = match first.reason {
        Reason::Supervising { .. } => Task::Supervise,
        _ => Task::Answer,
    };
    let (batch, unfinished) = match task {
        Task::Answer => what_it_goes_on_with(write, agent.id, batch)?,
        Task::Supervise => (batch, None),
    };
    let Some(last) = batch.last().cloned() else { return Ok(Next::Nothing) };
    let id = RunId(Uuid::now_v7());
    let turner = Turner { agent: &agent, group: &group, member: &member };
    let reads_to = unfinished.as_ref().map(|unfinished| unfinished.reads_to);
    let reads_to = reads_to.or(upto.map(|upto| upto.max(member.cursor)));
    let standing = Standing { unfinished: unfinished.as_ref(), reads_to };
    let mut prepared = prepare(write, shared, turner, id, standing, task)?;
    if let (Reason::Supervising { .. }, Ok((brief, _))) = (&last.reason, &mut prepared.asked) {
        supervisor::ask(brief, &shared.prompts.supervise()?, &turns::seats(write, &group)?);
        prepared.hands = OwnHands::default();
        prepared.context.tools = ToolSpecs::default();
    }
    if let (GroupKind::Post, Ok((brief, _))) = (group.kind, &mut prepared.asked) {
        feed::ask(write, shared, brief, &agent, &group, last.message)?;
    }
    let mut instead = None;
    if let (Reason::Scheduled | Reason::Heartbeat | Reason::AskedForDigest, Ok((brief, _))) =
        (&last.reason, &mut prepared.asked)
    {
        let woken_by = (last.message, member.cursor);
        let asked = schedules::ask(write, shared, brief, &agent, woken_by)?;
        (prepared.context.links, instead) = (asked.links, asked.instead);
    }
    let Prepared { context, asked: mut to_ask, relief, widened, hands } = prepared;
    if task == Task::Answer {
        // Also where nobody can be asked just now: the next try goes on with it.
        let open = unfinished.iter().flat_map(|left| &left.exchange.unanswered.calls);
        let going_on: Vec<_> = open.map(|open| open.id).collect();
        gate::close_what_is_left(write, agent.id, group.id, &going_on, now)?;
        ended.add(acts::end_those_without_a_call(write, agent.id, now)?);
    }
    let newest = messages::last(write, group.id)?.map_or(last.message_seq, |message| message.seq);
    // What it had read further on may be aside now.
    let newest = newest.max(member.cursor);
    // A person's words among them begin a chain of their own, whoever spoke after them.
    let begins = batch.iter().rfind(|wake| turns::is_of_a_person(wake)).unwrap_or(&last);
    let (root, depth) = (begins.root, begins.depth);
    let cause = Cause { message: last.message, author: last.author, reason: last.reason };
    let mut run = Run {
        root,
        depth,
        model: context.model.clone(),
        soul_version: context.soul_version,
        reads_after: member.cursor,
        reads_to: reads_to.unwrap_or(newest),
        attempt: batch.iter().map(|wake| wake.attempts).max().unwrap_or(0) + 1,
        resumes: last.tried_by,
        ..Run::beginning(id, agent.id, group.id, cause, now)
    };
    let taken_up = take_up(write, &run, &batch, now, &mut ended.woken)?;
    if let Ok((brief, _)) = &mut to_ask {
        brief.asked = asked(write, &run, run.reads_to)?;
    }
    let went_on_with = unfinished.as_ref().and_then(|unfinished| unfinished.tries.last().copied());
    run.resumes = went_on_with.or(taken_up).or(run.resumes);
    if let Some(earlier) = went_on_with.filter(|earlier| Some(*earlier) != taken_up) {
        mark_as_gone_on_with(write, earlier, &run, now)?;
    }
    runs::add(write, &mut run, context)?;
    if let Some(kept) = widened {
        fold::widen(write, &run, kept)?;
    }
    let unclaimed: Vec<_> = batch.into_iter().filter(|wake| wake.claimed_by.is_none()).collect();
    wakes::claim(write, &unclaimed, run.id)?;
    states::change(write, &mut agent, AgentState::Running, TransitionCause::Woken, now)?;
    let brief = to_ask.as_ref().ok().map(|(brief, _)| brief).filter(|_| instead.is_none());
    record_beginning(write, &run, brief, now)?;
    Ok(Next::Turn(Box::new(Turn { run, asked: to_ask, relief, hands, instead })))
}

/// The wakes of the turn that goes on, where one was cut off in the group after
/// it had begun something: those that it was to answer. The others wait, as
/// they would have if nothing had happened.
fn what_it_goes_on_with(
    read: &Read<'_>,
    agent: AgentId,
    batch: Vec<Wake>,
) -> Result<(Vec<Wake>, Option<Unfinished>), StoreError> {
    let Some(first) = batch.first() else { return Ok((batch, None)) };
    let mut own = wakes::open_in_group(read, agent, first.group)?;
    let Some(unfinished) = unfinished::look(read, &own)? else { return Ok((batch, None)) };
    own.retain(|wake| wake.tried_by.is_some_and(|run| unfinished.tries.contains(&run)));
    // What it decided about others comes first, so that the last is its own turn.
    own.sort_by_key(|wake| (!matches!(wake.reason, Reason::Supervising { .. }), wake.seq));
    Ok((own, Some(unfinished)))
}

/// Wakes that get no turn. Where the policy hands turns on, the next has it.
fn refuse(
    write: &mut Write<'_>,
    shared: &Shared,
    batch: &[Wake],
    reason: &Reason,
    ended: &mut Ended,
) -> Result<Next, Fault> {
    ended.add(give_up(write, batch, reason, shared.now_ms())?);
    Ok(Next::Again)
}

/// Ends wakes of one agent that no run has, and gives whose turn it is instead too.
pub(crate) fn give_up(
    write: &mut Write<'_>,
    waiting: &[Wake],
    reason: &Reason,
    now: i64,
) -> Result<Ended, Fault> {
    let mut ended = call_off(write, waiting, reason, now)?;
    ended.woken.extend(turns::go_on_without(write, waiting)?);
    Ok(ended)
}

/// Ends wakes of one agent that no run has, with what was begun for them. Gives who
/// ends with them.
pub(crate) fn call_off(
    write: &mut Write<'_>,
    waiting: &[Wake],
    reason: &Reason,
    now: i64,
) -> Result<Ended, Fault> {
    let mut ended = Ended::default();
    kept::words_for(write, waiting, now)?;
    for tried in waiting.iter().filter_map(|wake| wake.tried_by) {
        give_up_tries(write, tried, now)?;
    }
    if let Some(wake) = waiting.first() {
        ended.add(acts::end_those_without_a_call(write, wake.agent, now)?);
    }
    turns::dismiss(write, waiting, reason)?;
    for wake in waiting.iter().filter(|wake| wake.reason == Reason::AskedByUser) {
        branches::bring_back(write, wake.group)?;
    }
    Ok(ended)
}

/// The tries of a turn that nobody takes up any more.
fn give_up_tries(write: &mut Write<'_>, last: RunId, now: i64) -> Result<(), StoreError> {
    let last = runs::get(write, last)?;
    let Some(left) = gone_on_with(write, last)? else { return Ok(()) };
    for open in left.exchange.unanswered.calls.iter().filter(|open| open.begun) {
        gate::close(write, open.id, now)?;
    }
    for run in left.tries {
        let mut run = runs::get(write, run)?;
        if run.state == RunState::Interrupted {
            run.state = RunState::Dropped;
            runs::update(write, &run)?;
        }
    }
    Ok(())
}

/// Marks the interrupted runs that this one does again; gives the newest.
///
/// Who reads on in a group also answers what a run there left for a person to
/// decide about, so that nothing is read by two turns. What nobody waits for
/// any more is done with.
fn take_up(
    write: &mut Write<'_>,
    by: &Run,
    batch: &[Wake],
    now: i64,
    woken: &mut Vec<AgentId>,
) -> Result<Option<RunId>, Fault> {
    let mut newest = None;
    let open = wakes::open_in_group(write, by.agent, by.group)?;
    let tried_by = |wakes: &[Wake], run| wakes.iter().any(|wake| wake.tried_by == Some(run));
    let supervises = |run: &Run| matches!(run.cause.reason, Reason::Supervising { .. });
    for mut earlier in runs::interrupted(write, by.agent, by.group)? {
        // Who decides whose turn it is goes on with nobody's work.
        if supervises(by) && !supervises(&earlier) {
            continue;
        }
        let left = wakes::claimed_by(write, earlier.id)?;
        if left.is_empty() && !tried_by(batch, earlier.id) {
            // Its own turn may still come.
            if !tried_by(&open, earlier.id) {
                earlier.state = RunState::Dropped;
                runs::update(write, &earlier)?;
            }
            continue;
        }
        if !left.is_empty() {
            // What it waits for waits for a person too, and nobody else asks.
            woken.extend(acts::resume_below(write, by.agent)?);
        }
        wakes::claim(write, &left, by.id)?;
        steps::add(write, earlier.id, &StepKind::Resumed { by: by.id }, now)?;
        earlier.state = RunState::Resumed;
        runs::update(write, &earlier)?;
        newest = Some(earlier.id);
    }
    Ok(newest)
}

/// Of each try it stands how far it had come when the next one began. One that
/// was interrupted says so already.
fn mark_as_gone_on_with(
    write: &mut Write<'_>,
    earlier: RunId,
    by: &Run,
    now: i64,
) -> Result<(), StoreError> {
    let resumed = StepKind::Resumed { by: by.id };
    let is_marked = steps::of_run(write, earlier)?.iter().any(|step| step.kind == resumed);
    if is_marked { Ok(()) } else { steps::add(write, earlier, &resumed, now).map(drop) }
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
