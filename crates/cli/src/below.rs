//! Who works on the tasks of whom, and what keeps them.

use crate::names::Names;
use crate::{approval, question};
use domain::{Agent, AgentId, AgentState, Fault, FaultCode, GroupId, Overview, Run, RunState};

/// Those above an agent, its parent first.
fn above(agents: &[Agent], agent: AgentId) -> impl Iterator<Item = &Agent> {
    let parent_of = |id| agents.iter().find(|agent| agent.id == id)?.parent;
    let find = |id| agents.iter().find(|agent| agent.id == id);
    std::iter::successors(parent_of(agent), move |one| parent_of(*one)).filter_map(find)
}

/// Whether it answers, and does not just wait for somebody below who waits for a person.
pub(crate) fn is_at_work(agents: &[Agent], agent: &Agent) -> bool {
    let is_above = |below: &Agent| above(agents, below.id).any(|one| one.id == agent.id);
    agent.state == AgentState::Running
        && !agents.iter().any(|below| is_kept(below.state) && is_above(below))
}

/// Whether a turn cannot end before a person has done something.
pub(crate) fn waits_for_person(agents: &[Agent]) -> bool {
    let keeps_others = |agent: &Agent| {
        let mut above = above(agents, agent.id);
        is_kept(agent.state) && above.any(|one| one.state == AgentState::Running)
    };
    agents.iter().any(|agent| agent.state == AgentState::WaitingApproval || keeps_others(agent))
}

fn is_kept(state: AgentState) -> bool {
    matches!(state, AgentState::WaitingApproval | AgentState::Paused | AgentState::Error)
}

/// Whether what an agent does in a group belongs to this one: it is done here, or in a task of
/// somebody who is at it here, however far below.
pub(crate) fn is_of(overview: &Overview, agent: AgentId, at: GroupId, here: GroupId) -> bool {
    let goes_on = |agent: &Agent| {
        let mut runs = overview.open_runs.iter();
        runs.any(|run| run.group == here && run.agent == agent.id && run.state == RunState::Running)
    };
    at == here || above(&overview.agents, agent).any(goes_on)
}

/// Why the group does not fall quiet, where it waits for a person: one who has to answer, or to
/// have a task go on that was cut off.
pub(crate) fn kept(names: &Names, here: GroupId, late: &str) -> Option<Fault> {
    let overview = &names.overview;
    let late =
        |message: String, fix| Fault::new(FaultCode::TimedOut, format!("{late}: {message}"), fix);
    if let Some(run) = cut_off(overview, here) {
        let (child, id) = (names.agent_name(run.agent), run.id);
        return Some(late(
            format!("it waits for the task of {child}, whose turn was cut off"),
            format!("have that go on: coterie run resume {id}, or end it: coterie run drop {id}"),
        ));
    }
    let mut approvals = overview.approvals.iter();
    if let Some(asked) = approvals.find(|one| is_of(overview, one.agent, one.group, here)) {
        return Some(late(approval::what(asked, names), approval::way(asked)));
    }
    let mut questions = overview.questions.iter();
    let asked = questions.find(|one| is_of(overview, one.agent, one.group, here))?;
    Some(late(question::what(asked, names), question::way(asked)))
}

fn cut_off(overview: &Overview, here: GroupId) -> Option<&Run> {
    let mut runs = overview.open_runs.iter();
    runs.find(|run| {
        run.state == RunState::Interrupted
            && run.group != here
            && is_of(overview, run.agent, run.group, here)
    })
}
