//! The agent's state machine: which changes there are, and storing them.

use crate::turns;
use domain::{Agent, AgentState, Fault, FaultCode, FaultKind, Reason, TransitionCause};
use store::table::{agents, settings, transitions, wakes};
use store::{StoreError, Write};

/// Whether an agent may go from one state to another.
pub(crate) fn is_legal(from: AgentState, to: AgentState) -> bool {
    use AgentState::{Error, Idle, Paused, Running, Terminated, WaitingApproval};
    match (from, to) {
        (Terminated, _) => false,
        (_, Terminated) => true,
        (Idle, Running | Paused) => true,
        (Running, Idle | WaitingApproval | Paused | Error) => true,
        (WaitingApproval, Running | Idle | Paused | Error) => true,
        (Paused, Idle) => true,
        (Error, Idle | Paused) => true,
        (Idle, Idle | WaitingApproval | Error)
        | (Running, Running)
        | (WaitingApproval, WaitingApproval)
        | (Paused, Running | WaitingApproval | Paused | Error)
        | (Error, Running | WaitingApproval | Error) => false,
    }
}

/// Changes an agent's state and writes down when and why. An illegal change
/// is refused and leaves everything as it was.
pub(crate) fn change(
    write: &mut Write<'_>,
    agent: &mut Agent,
    to: AgentState,
    cause: TransitionCause,
    at_ms: i64,
) -> Result<(), Fault> {
    let from = agent.state;
    if !is_legal(from, to) {
        return Err(illegal(agent, to));
    }
    agent.problem = match &cause {
        TransitionCause::Failed { fault } => Some(fault.clone()),
        TransitionCause::Created
        | TransitionCause::Woken
        | TransitionCause::Settled
        | TransitionCause::AskedFirst
        | TransitionCause::AnswerCame
        | TransitionCause::PausedByUser
        | TransitionCause::AllPaused
        | TransitionCause::AllResumed
        | TransitionCause::ResumedByUser
        | TransitionCause::NewDay
        | TransitionCause::Restarted
        | TransitionCause::TerminatedByUser
        | TransitionCause::TaskEnded
        | TransitionCause::ParentTerminated
        | TransitionCause::ProcessEnded => None,
    };
    agent.state = to;
    transitions::add(write, agent.id, Some(from), to, &cause, at_ms).map_err(Fault::from)?;
    agents::put(write, agent)?;
    let why = match to {
        AgentState::Paused => Reason::Paused,
        AgentState::Error => Reason::InError,
        AgentState::Idle
        | AgentState::Running
        | AgentState::WaitingApproval
        | AgentState::Terminated => return Ok(()),
    };
    let open = wakes::open_of(write, agent.id)?;
    Ok(turns::hold_up(write, open, &why)?)
}

/// Brings an agent back to work: what waited is to be answered, and earlier
/// failures are forgiven.
pub(crate) fn resume(
    write: &mut Write<'_>,
    agent: &mut Agent,
    cause: TransitionCause,
    at_ms: i64,
) -> Result<(), Fault> {
    change(write, agent, AgentState::Idle, cause, at_ms)?;
    Ok(wakes::forgive(write, agent.id)?)
}

/// What had stopped the agent is mended: it goes back to work, or rests with everybody
/// while they all do. Gives whether it works.
pub(crate) fn mended(
    write: &mut Write<'_>,
    agent: &mut Agent,
    cause: TransitionCause,
    at_ms: i64,
) -> Result<bool, Fault> {
    let all_rest = settings::get(write)?.all_paused;
    match all_rest {
        true => change(write, agent, AgentState::Paused, TransitionCause::AllPaused, at_ms)?,
        false => resume(write, agent, cause, at_ms)?,
    }
    Ok(!all_rest)
}

/// Stores a new agent in its first state.
pub(crate) fn begin(write: &mut Write<'_>, agent: &Agent, at_ms: i64) -> Result<(), StoreError> {
    agents::put(write, agent)?;
    transitions::add(write, agent.id, None, agent.state, &TransitionCause::Created, at_ms)
}

fn illegal(agent: &Agent, to: AgentState) -> Fault {
    let (wish, fix) = match to {
        AgentState::Paused => ("be paused", "only a working agent can be paused"),
        AgentState::Idle => {
            ("be resumed", "only a paused agent, or one with a problem, can be resumed")
        }
        AgentState::Terminated => ("be terminated", "it has been terminated already"),
        AgentState::Running | AgentState::WaitingApproval | AgentState::Error => {
            ("work", "resume it first")
        }
    };
    let now = match agent.state {
        AgentState::Idle => "idle",
        AgentState::Running => "running",
        AgentState::WaitingApproval => "waiting for an approval",
        AgentState::Paused => "paused",
        AgentState::Error => "stopped by a problem",
        AgentState::Terminated => "terminated",
    };
    let (name, state) = (agent.name.clone(), agent.state);
    let kind = match (agent.state, to) {
        (AgentState::Terminated, _) | (_, AgentState::Terminated) => FaultKind::AgentEnded { name },
        (_, AgentState::Paused) => FaultKind::AgentNoPause { name, state },
        (_, AgentState::Idle) => FaultKind::AgentNoResume { name, state },
        (_, AgentState::Running | AgentState::WaitingApproval | AgentState::Error) => {
            FaultKind::AgentNoWork { name, state }
        }
    };
    let message = format!("{} is {now} and cannot {wish}", agent.name);
    Fault::new(FaultCode::Refused, message, fix).of(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [AgentState; 6] = [
        AgentState::Idle,
        AgentState::Running,
        AgentState::WaitingApproval,
        AgentState::Paused,
        AgentState::Error,
        AgentState::Terminated,
    ];

    #[test]
    fn terminated_is_final_and_can_be_reached_from_everywhere_else() {
        for state in ALL {
            assert!(!is_legal(AgentState::Terminated, state));
            assert_eq!(is_legal(state, AgentState::Terminated), state != AgentState::Terminated);
        }
    }

    #[test]
    fn only_a_resume_leads_out_of_paused_and_error() {
        for from in [AgentState::Paused, AgentState::Error] {
            let ways: Vec<_> = ALL.into_iter().filter(|to| is_legal(from, *to)).collect();
            assert!(
                ways.contains(&AgentState::Idle) && !ways.contains(&AgentState::Running),
                "{from:?}: {ways:?}"
            );
        }
    }
}
