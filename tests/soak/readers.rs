//! Those who read beside: a window that keeps up, somebody who asks long
//! questions, and somebody who listens far too slowly.

use crate::caller::Caller;
use crate::company::Company;
use crate::owner::Wal;
use domain::{
    AgentId, AgentState, FromOwner, Mark, Query, Record, RunFilter, RunId, RunState, Update,
    UsageBy,
};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::collections::{HashMap, HashSet};
use tokio::sync::watch;

/// What a window knows from the events alone.
pub(crate) struct Window {
    seen: watch::Sender<Seen>,
}

#[derive(Default)]
struct Seen {
    running: HashSet<RunId>,
    states: HashMap<AgentId, AgentState>,
    messages: u64,
    resyncs: u64,
    /// How often something happened after which a group may be quiet.
    stirs: u64,
}

/// Between two looks at the log's size.
const EVENTS_A_LOOK: u64 = 16;

impl Window {
    /// Opens on everything that happens after the mark.
    pub(crate) fn open(caller: Caller, after: Mark, wal: Wal) -> Window {
        let seen = watch::Sender::new(Seen::default());
        tokio::spawn(keep_up(caller, after, wal, seen.clone()));
        Window { seen }
    }

    /// Returns when nobody owes an answer.
    pub(crate) async fn quiet(&self, caller: &Caller) {
        let mut seen = self.seen.subscribe();
        let open = "the window stays open";
        loop {
            let stirs = seen.wait_for(|seen| seen.running.is_empty()).await.expect(open).stirs;
            if caller.overview().await.groups.iter().all(|view| view.answers_to_come == 0) {
                return;
            }
            // Whoever owes something does something before long.
            seen.wait_for(|seen| seen.stirs > stirs).await.expect(open);
        }
    }

    pub(crate) fn agents_in(&self, states: &[AgentState]) -> Vec<AgentId> {
        let seen = self.seen.borrow();
        let fitting = seen.states.iter().filter(|(_, state)| states.contains(state));
        fitting.map(|(agent, _)| *agent).collect()
    }

    /// Messages that it was told of; `None` when it could not keep up.
    pub(crate) fn messages(&self) -> Option<u64> {
        let seen = self.seen.borrow();
        (seen.resyncs == 0).then_some(seen.messages)
    }
}

async fn keep_up(caller: Caller, after: Mark, wal: Wal, seen: watch::Sender<Seen>) {
    let mut events = caller.door.events(Some(after));
    let mut heard = 0_u64;
    while let Some(said) = events.next().await {
        heard += 1;
        if heard.is_multiple_of(EVENTS_A_LOOK) {
            wal.look();
        }
        match said {
            FromOwner::Event(event) => {
                if let Update::Saved { record } = event.update {
                    seen.send_if_modified(|seen| seen.take(record));
                }
            }
            FromOwner::Resync { .. } => {
                let now = caller.overview().await;
                let running = now.open_runs.iter().filter(|run| run.state == RunState::Running);
                let running = running.map(|run| run.id).collect();
                let states = now.agents.iter().map(|agent| (agent.id, agent.state)).collect();
                seen.send_modify(|seen| {
                    (seen.running, seen.states) = (running, states);
                    seen.resyncs += 1;
                    seen.stirs += 1;
                });
            }
            FromOwner::Answer(_) => {}
        }
    }
}

impl Seen {
    /// Whether anybody who waits should look.
    fn take(&mut self, record: Record) -> bool {
        match record {
            Record::Run(run) if run.state == RunState::Running => {
                self.running.insert(run.id);
                false
            }
            Record::Run(run) => {
                self.running.remove(&run.id);
                self.stir()
            }
            Record::Agent(agent) => {
                if agent.state == AgentState::Terminated {
                    self.states.remove(&agent.id);
                } else {
                    self.states.insert(agent.id, agent.state);
                }
                self.stir()
            }
            Record::Decision(_) => self.stir(),
            Record::Message(_) => {
                self.messages += 1;
                false
            }
            Record::Group(_)
            | Record::Member(_)
            | Record::Approval(_)
            | Record::Question(_)
            | Record::Grant(_)
            | Record::Pass(_)
            | Record::Community(_)
            | Record::Post(_)
            | Record::Branch(_)
            | Record::Reactions(_)
            | Record::Schedule(_)
            | Record::Source(_)
            | Record::Proposal(_)
            | Record::Step(_)
            | Record::Soul(_)
            | Record::Provider(_)
            | Record::Settings(_)
            | Record::Memory(_) => false,
        }
    }

    fn stir(&mut self) -> bool {
        self.stirs += 1;
        true
    }
}

/// Asks for a page of everything, and a little less often for what takes long.
pub(crate) async fn look_around(caller: &Caller, company: &Company, step: usize) {
    let group = company.groups[step * 17 % company.groups.len()].id;
    let agent = company.agents[step * 29 % company.agents.len()];
    let filter = RunFilter { agent: Some(agent), ..RunFilter::default() };
    caller.look(Query::Messages { group, before: None, limit: 500 }).await;
    caller.look(Query::Decisions { group, message: None, limit: 500 }).await;
    caller.look(Query::Runs { filter, before: None, limit: 50 }).await;
    caller.look(Query::WouldWake { group, text: "Is anybody there?".into(), reply_to: None }).await;
    if step.is_multiple_of(4) {
        caller.look(Query::Agent { agent }).await;
        caller.look(Query::Prompt { agent, group, soul: None }).await;
        caller.look(Query::Budgets).await;
    }
    if step.is_multiple_of(10) {
        for by in [UsageBy::Agent, UsageBy::Group, UsageBy::Model, UsageBy::Day] {
            caller.look(Query::Usage { by, since_ms: 0 }).await;
        }
        caller.overview().await;
    }
    if step.is_multiple_of(60) {
        caller.look(Query::Doctor).await;
    }
}

/// Takes one event when asked to, and leaves the rest where it is.
pub(crate) struct Sleepy {
    events: BoxStream<'static, FromOwner>,
    resyncs: u64,
}

impl Sleepy {
    pub(crate) fn listen(caller: &Caller, after: Mark) -> Sleepy {
        Sleepy { events: caller.door.events(Some(after)), resyncs: 0 }
    }

    pub(crate) async fn take_one(&mut self) {
        let said = self.events.next().await.expect("the owner lives");
        self.resyncs += u64::from(matches!(said, FromOwner::Resync { .. }));
    }

    /// Gives how often it had missed so much that it had to begin anew.
    pub(crate) fn hang_up(self) -> u64 {
        self.resyncs
    }
}
