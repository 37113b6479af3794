//! Who works on the tasks of whom, and what keeps them.

use crate::names::Names;
use crate::{approval, question, words};
use domain::{
    Agent, AgentId, AgentState, CallId, Fault, FaultCode, GroupId, Overview, Run, RunState, Step,
    StepKind,
};
use std::collections::HashSet;

/// Those above an agent, its parent first.
fn above(agents: &[Agent], agent: AgentId) -> impl Iterator<Item = &Agent> {
    let parent_of = |id| agents.iter().find(|agent| agent.id == id)?.parent;
    let find = |id| agents.iter().find(|agent| agent.id == id);
    std::iter::successors(parent_of(agent), move |one| parent_of(*one)).filter_map(find)
}

/// Whether it owes nothing before a person has done something, in a turn or in a task of somebody.
pub(crate) fn keeps(agent: &Agent) -> bool {
    agent.state == AgentState::WaitingApproval || agent.parent.is_some() && is_kept(agent.state)
}

/// Whether a turn cannot end before a person has done something for somebody below its agent.
pub(crate) fn may_wait(agents: &[Agent], agent: AgentId) -> bool {
    let is_above = |below: &Agent| above(agents, below.id).any(|one| one.id == agent);
    agents.iter().any(|below| is_kept(below.state) && is_above(below))
}

fn is_kept(state: AgentState) -> bool {
    matches!(state, AgentState::WaitingApproval | AgentState::Paused | AgentState::Error)
}

/// Whether all that goes on in a turn is a task that somebody else has. `before` are the steps of
/// the runs that it goes on with.
pub(crate) fn only_waits(steps: &[Step], before: &[Step]) -> bool {
    let mut open: HashSet<CallId> = HashSet::new();
    for step in steps {
        match &step.kind {
            StepKind::ToolDispatched { call } => drop(open.insert(*call)),
            StepKind::ToolReturned { call, .. } => drop(open.remove(call)),
            _ => {}
        }
    }
    let delegates = |wanted: &CallId| {
        before.iter().chain(steps).any(|step| match &step.kind {
            StepKind::ToolProposed { call, tool, .. } => call == wanted && tool == "delegate",
            _ => false,
        })
    };
    !open.is_empty() && open.iter().all(delegates)
}

/// Whether what an agent does in a group belongs to this one: it is done here, or in a task of
/// somebody who is at it here, however far below.
pub(crate) fn is_of(overview: &Overview, agent: AgentId, at: GroupId, here: GroupId) -> bool {
    at == here || works_for(overview, agent, here)
}

fn works_for(overview: &Overview, agent: AgentId, here: GroupId) -> bool {
    let goes_on = |agent: &Agent| {
        let mut runs = overview.open_runs.iter();
        runs.any(|run| run.group == here && run.agent == agent.id && run.state == RunState::Running)
    };
    above(&overview.agents, agent).any(goes_on)
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
    if let Some(asked) = questions.find(|one| is_of(overview, one.agent, one.group, here)) {
        return Some(late(question::what(asked, names), question::way(asked)));
    }
    let rests = |agent: &&Agent| is_kept(agent.state) && works_for(overview, agent.id, here);
    let agent = overview.agents.iter().find(rests)?;
    Some(late(
        format!("{} rests or needs help, and may be waited for", agent.name),
        format!("have it go on: coterie agent resume {}", words::quoted(&agent.name)),
    ))
}

fn cut_off(overview: &Overview, here: GroupId) -> Option<&Run> {
    let mut runs = overview.open_runs.iter();
    runs.find(|run| {
        run.state == RunState::Interrupted
            && run.group != here
            && is_of(overview, run.agent, run.group, here)
    })
}
