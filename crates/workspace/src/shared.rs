//! What all parts of one open workspace share. A handle, no rules.

use crate::Places;
use crate::attachments::Shelf;
use crate::budget::Waiters;
use crate::calls::{Circuits, StandIns};
use crate::chance::Chance;
use crate::clock::Clock;
use crate::desk::Desks;
use crate::events::Events;
use crate::everywhere::Everywhere;
use crate::feed::Feed;
use crate::hands::Handless;
use crate::held_up::HeldUp;
use crate::keeper::Keeper;
use crate::keys::Safe;
use crate::memory::{Finder, Learning};
use crate::models::Models;
use crate::named;
use crate::prompts::Prompts;
use crate::questions;
use crate::queue::Queue;
use crate::schedules::Schedules;
use crate::servers::OwnServers;
use crate::sight::Blind;
use crate::skills::Skills;
use crate::sources::Sources;
use crate::workspace::Start;
use domain::{AgentId, GroupId, RunId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Durability, Store};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::{Registry, Sandbox};

pub(crate) struct Shared {
    pub places: Places,
    pub store: Store,
    pub events: Events,
    pub clock: Arc<dyn Clock>,
    pub chance: Chance,
    pub models: Arc<dyn Models>,
    /// Where keys are.
    pub safe: Safe,
    pub posts: Durability,
    pub start: Start,
    pub prompts: Prompts,
    pub souls: Keeper,
    pub skills: Skills,
    /// What souls name, as it was told last.
    pub named: named::Told,
    /// Servers of the Model Context Protocol, whose tools stand beside ours.
    pub servers: OwnServers,
    /// What was entered for servers and lies on no disk.
    pub secrets_given: questions::Secrets,
    /// Where agents run programs.
    pub sandbox: Sandbox,
    pub desks: Desks,
    /// In front of the models.
    pub queue: Queue,
    /// For a budget.
    pub waiters: Waiters,
    pub circuits: Circuits,
    /// For models that cannot be asked.
    pub stand_ins: StandIns,
    /// Files that messages show.
    pub attachments: Arc<Shelf>,
    /// Models that read no pictures.
    pub blind: Blind,
    pub handless: Handless,
    /// What is remembered, to be found.
    pub finder: Finder,
    /// What was said and done, to be found.
    pub everywhere: Everywhere,
    pub learning: Learning,
    pub feed: Feed,
    pub schedules: Schedules,
    pub sources: Sources,
    pub going_on: GoingOn,
    pub held_up: HeldUp,
    /// Cancelled when the workspace closes.
    pub closing: CancellationToken,
    pub tasks: TaskTracker,
}

impl Shared {
    pub(crate) fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Everything that agents can use at this moment.
    pub(crate) fn tools(&self) -> Arc<Registry> {
        self.servers.tools(self.safe.redactor(), &self.attachments)
    }

    /// Tells the loops that there is something to look at.
    pub(crate) fn wake(&self, agents: &[AgentId]) {
        for agent in agents {
            self.desks.wake(*agent);
        }
    }
}

/// The runs in progress, so that they can be ended from outside.
#[derive(Default)]
pub(crate) struct GoingOn {
    runs: Mutex<HashMap<RunId, Going>>,
}

#[derive(Clone)]
pub(crate) struct Going {
    pub agent: AgentId,
    pub group: GroupId,
    pub stop: CancellationToken,
    pub why: Arc<Mutex<Option<Why>>>,
}

/// Who ended a run before it was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    StoppedByUser,
    Paused,
    Terminated,
    LeftTheGroup,
    Archived,
    /// The process is about to end; the turn is taken up again at the next
    /// start.
    Closing,
}

impl GoingOn {
    pub(crate) fn begin(&self, run: RunId, agent: AgentId, group: GroupId) -> Going {
        let going = Going { agent, group, stop: CancellationToken::new(), why: Arc::default() };
        self.lock().insert(run, going.clone());
        going
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    pub(crate) fn of(&self, run: RunId) -> Option<Going> {
        self.lock().get(&run).cloned()
    }

    pub(crate) fn end(&self, run: RunId) {
        self.lock().remove(&run);
    }

    /// Ends the runs that fit, and gives them.
    pub(crate) fn stop(&self, why: Why, fits: impl Fn(RunId, &Going) -> bool) -> Vec<RunId> {
        let runs = self.lock();
        let fitting = runs.iter().filter(|(run, going)| fits(**run, going));
        fitting.inspect(|(_, going)| going.end_for(why)).map(|(run, _)| *run).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, Going>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Going {
    pub(crate) fn end_for(&self, why: Why) {
        // The first reason stands.
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.stop.cancel();
    }

    pub(crate) fn why(&self) -> Option<Why> {
        *self.why.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
