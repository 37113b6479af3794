//! Agents that stopped for what may pass by itself, such as a model's server that is away: they
//! are restarted, each time after a longer pause (decision 0033).
//!
//! Nobody else would tell them that it is over: the feed, schedules and whoever waits for an
//! answer of theirs would rest until somebody looks.

use crate::shared::Shared;
use crate::{budget, states};
use domain::{
    Agent, AgentId, AgentState, Body, Fault, FaultKind, Group, GroupKind, ModelTrouble, Notice,
    Transition, TransitionCause,
};
use std::sync::Arc;
use std::time::Duration;
use store::table::{agents, messages, settings, transitions};
use store::{Durability, Read, StoreError, Write};

/// Before the first restart. Each later pause is as many times as long as the one before.
const FIRST_MS: i64 = 60_000;
const GROWTH: i64 = 4;
const LONGEST_MS: i64 = 4 * 60 * 60 * 1000;
/// So many changes of state tell how often an agent was restarted, as far as that makes a
/// difference.
const LOOKED_AT: u32 = 32;
/// How often the clock is looked at: a machine may have slept.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Restarts whoever is due, until the workspace closes.
pub(crate) async fn watch(shared: Arc<Shared>) {
    loop {
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        match look(&shared).await {
            Ok(restarted) => shared.wake(&restarted),
            Err(fault) => tracing::warn!(%fault, "those who may be restarted are not looked at"),
        }
    }
}

/// Restarts those whose pause is over, and gives them.
pub(crate) async fn look(shared: &Arc<Shared>) -> Result<Vec<AgentId>, Fault> {
    let now = shared.now_ms();
    // Most of the time there is nobody, and a look costs less than a commit.
    if shared.store.read(|read| due(read, now))?.is_empty() {
        return Ok(Vec::new());
    }
    let restart = move |write: &mut Write<'_>| {
        let due = due(write, now)?;
        restart(write, due, now)
    };
    shared.store.write(Durability::Process, restart).await
}

/// Whoever a person asks something in a group now, that a new day or another try may have answer.
pub(crate) fn when_asked(
    write: &mut Write<'_>,
    shared: &Shared,
    group: &Group,
    now: i64,
) -> Result<Vec<AgentId>, Fault> {
    let mut woken = budget::resume_members_on_a_new_day(write, shared, group.id)?;
    woken.extend(when_talked_to(write, group, now)?);
    Ok(woken)
}

/// Whoever is talked to alone tries at once, and the person sees what comes of it.
fn when_talked_to(write: &mut Write<'_>, group: &Group, now: i64) -> Result<Vec<AgentId>, Fault> {
    if group.kind != GroupKind::Direct || settings::get(write)?.all_paused {
        return Ok(Vec::new());
    }
    let mut stopped = agents::stopped_in(write, group.id)?;
    stopped.retain(may_pass);
    restart(write, stopped, now)
}

/// Whether the agent has said in its group that it fails, and tries again in vain.
pub(crate) fn has_said_so(
    read: &Read<'_>,
    agent: AgentId,
    group: &Group,
) -> Result<bool, StoreError> {
    let tells = |body: &Body| match body {
        Body::Notice { notice: Notice::RunFailed { agent: who, .. } } => *who == agent,
        Body::Notice { .. } | Body::Text { .. } => false,
    };
    let last = messages::page(read, group.id, 0, None, 1)?.pop();
    let changes = transitions::newest(read, agent, LOOKED_AT)?;
    Ok(restarts_among(&changes) > 0 && last.is_some_and(|last| tells(&last.body)))
}

fn due(read: &Read<'_>, now: i64) -> Result<Vec<Agent>, StoreError> {
    if settings::get(read)?.all_paused {
        return Ok(Vec::new());
    }
    let mut due = Vec::new();
    for agent in agents::living(read)?.into_iter().filter(may_pass) {
        let changes = transitions::newest(read, agent.id, LOOKED_AT)?;
        let pause_ms = pause_ms(restarts_among(&changes));
        if changes.first().is_some_and(|stopped| stopped.at_ms + pause_ms <= now) {
            due.push(agent);
        }
    }
    Ok(due)
}

fn restart(write: &mut Write<'_>, stopped: Vec<Agent>, now: i64) -> Result<Vec<AgentId>, Fault> {
    let mut restarted = Vec::new();
    for mut agent in stopped {
        if states::mended(write, &mut agent, TransitionCause::Restarted, now)? {
            restarted.push(agent.id);
        }
    }
    Ok(restarted)
}

/// Whether the agent has stopped for what may pass without anybody's doing.
fn may_pass(agent: &Agent) -> bool {
    let kind = agent.problem.as_ref().and_then(|problem| problem.kind.as_deref());
    let passes = |trouble: &ModelTrouble| match trouble {
        ModelTrouble::Away
        | ModelTrouble::Broken
        | ModelTrouble::Wordless
        | ModelTrouble::Busy
        | ModelTrouble::Failing
        | ModelTrouble::Engine => true,
        ModelTrouble::Endless
        | ModelTrouble::Key
        | ModelTrouble::Unknown
        | ModelTrouble::TooLong
        | ModelTrouble::NoSight
        | ModelTrouble::NoTools
        | ModelTrouble::Refused
        | ModelTrouble::Withheld
        | ModelTrouble::File
        | ModelTrouble::TurnBudget
        | ModelTrouble::DayBudget => false,
    };
    agent.state == AgentState::Error
        && matches!(kind, Some(FaultKind::Model { trouble }) if passes(trouble))
}

/// How often it was restarted since it last came through, of its changes with the newest first.
fn restarts_among(changes: &[Transition]) -> u32 {
    let has_come_through = |change: &Transition| match change.cause {
        TransitionCause::Failed { .. } | TransitionCause::Woken | TransitionCause::Restarted => {
            false
        }
        TransitionCause::Created
        | TransitionCause::Settled
        | TransitionCause::AskedFirst
        | TransitionCause::AnswerCame
        | TransitionCause::PausedByUser
        | TransitionCause::ResumedByUser
        | TransitionCause::AllPaused
        | TransitionCause::AllResumed
        | TransitionCause::NewDay
        | TransitionCause::TerminatedByUser
        | TransitionCause::TaskEnded
        | TransitionCause::ParentTerminated
        | TransitionCause::ProcessEnded => true,
    };
    let since = changes.iter().take_while(|change| !has_come_through(change));
    let restarts = since.filter(|change| change.cause == TransitionCause::Restarted).count();
    u32::try_from(restarts).unwrap_or(u32::MAX)
}

fn pause_ms(restarts: u32) -> i64 {
    FIRST_MS.saturating_mul(GROWTH.saturating_pow(restarts)).min(LONGEST_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pause_is_longer_up_to_four_hours() {
        let minutes = [0, 1, 2, 3, 4, 100].map(|restarts| pause_ms(restarts) / 60_000);
        assert_eq!(minutes, [1, 4, 16, 64, 240, 240]);
    }

    #[test]
    fn only_restarts_since_it_last_came_through_count() {
        let failed = || TransitionCause::Failed { fault: Fault::bad_input("", "") };
        let check = |newest_first: Vec<TransitionCause>, expected: u32| {
            let change = |cause| Transition {
                seq: 0,
                agent: AgentId(uuid::Uuid::nil()),
                from: None,
                to: AgentState::Idle,
                cause,
                at_ms: 0,
            };
            let changes: Vec<_> = newest_first.into_iter().map(change).collect();
            assert_eq!(restarts_among(&changes), expected, "{changes:?}");
        };
        use TransitionCause::{Restarted, ResumedByUser, Settled, Woken};
        check(vec![failed(), Woken, Settled], 0);
        check(vec![failed(), Woken, Restarted, failed(), Woken, Restarted, failed()], 2);
        check(vec![failed(), Woken, Restarted, failed(), Woken, Settled, Woken, Restarted], 1);
        check(vec![failed(), Woken, ResumedByUser, failed(), Woken, Restarted], 0);
    }
}
