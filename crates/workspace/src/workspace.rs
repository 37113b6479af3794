//! Opening a workspace, and the handle that everybody holds.

use crate::acts::Ground;
use crate::attachments::{self, Shelf};
use crate::backup;
use crate::budget::Waiters;
use crate::calls::{Circuits, StandIns};
use crate::chance::{self, Chance};
use crate::clock::{Clock, SystemClock};
use crate::desk::{self, Desks};
use crate::events::Events;
use crate::everywhere::{self, Everywhere};
use crate::feed::{self, Feed};
use crate::hands::Handless;
use crate::held_up::HeldUp;
use crate::keeper::{self, Keeper};
use crate::keys::{self, KeyParts, Safe};
use crate::memory::{self, Embedding, Finder, Learning};
use crate::models::{Connected, Models};
use crate::prompts::Prompts;
use crate::queue::Queue;
use crate::recent::Recent;
use crate::redacted::{self, RedactedTool};
use crate::schedules::{self, Schedules};
use crate::servers::{self, OwnServers};
use crate::shared::{GoingOn, Shared, Why};
use crate::sight::Blind;
use crate::skills::Skills;
use crate::souls::{Watch, Watched};
use crate::sources::{self, Sources};
use crate::{
    Places, budget, commands, first_start, named, queries, questions, recover, restarts, skills,
};
use domain::{Answer, Call, Fault, FaultCode, FromOwner, Mark, Request, Update};
use futures::Stream;
use secrets::{Environment, Redactor};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::table::{agents, memories, settings, wakes};
use store::{Durability, Store, StoreError};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tools::{Registry, Sandbox, Tool};

/// What a workspace is given from outside, so that a test can hold it.
#[derive(Clone)]
pub struct Parts {
    pub clock: Arc<dyn Clock>,
    pub chance: Chance,
    pub models: Arc<dyn Models>,
    pub keys: KeyParts,
    /// How sure of the disk a person's message must be before it is answered.
    pub posts: Durability,
    pub start: Start,
    /// What turns memories into vectors.
    pub embedding: Embedding,
    /// What agents can use beside the tools that Coterie brings.
    pub tools: Vec<Arc<dyn Tool>>,
}

/// What agents do in this process with what waits for them, and with what
/// comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// They take it up.
    Working,
    /// They leave it for a process that stays: this one only looks something
    /// up, or does one thing, and would cut them off.
    Still,
}

impl Parts {
    /// The machine's clock, its keyring, and real providers.
    pub fn real(places: &Places, environment: Environment) -> Parts {
        Parts {
            clock: Arc::new(SystemClock),
            chance: chance::of_the_system(),
            models: Arc::new(Connected::new(places)),
            keys: KeyParts::real(environment),
            posts: Durability::Process,
            start: Start::Working,
            embedding: Embedding::bundled(places),
            tools: Vec::new(),
        }
    }
}

/// A cheap handle to an open workspace.
#[derive(Clone)]
pub struct Workspace {
    shared: Arc<Shared>,
    recent: Arc<Recent>,
}

/// How long closing waits for turns to be put away.
const PATIENCE: Duration = Duration::from_secs(5);

/// After how long a look at a folder that failed is tried again.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Opens a workspace, or makes a new one. The caller holds its lock; `epoch`
/// counts the owners it has had.
///
/// Everything that a process before this one left unfinished is put in order
/// before the first loop starts.
pub async fn open(places: Places, parts: Parts, epoch: u64) -> Result<Workspace, Fault> {
    first_start::prepare_folder(&places.data)?;
    backup::put_in_place(&places)?;
    let events = Events::new(epoch);
    let everywhere = Everywhere::new(places.everywhere_index());
    let sources = Sources::default();
    let (published, read_on, tell_on) = (events.clone(), everywhere.ear(), sources.ear());
    let publish = move |updates: Vec<Update>| {
        read_on.hear(&updates);
        tell_on.hear(&updates);
        published.publish(updates);
    };
    let (store, _) = Store::open(&places.database(), publish)?;
    recover::at_start(&store, parts.clock.now_ms()).await?;
    let limits = store.read(|read| Ok::<_, Fault>(settings::get(read)?.limits))?;
    let stand_ins = store.read(StandIns::open)?;
    let ground = Ground::default();
    let queue = Queue::new(limits.max_concurrent, events.clone());
    let environment = parts.keys.environment.clone();
    let safe = Safe::open(&places.data, parts.keys, events.clone(), parts.clock.clone())?;
    let sandbox = Sandbox::new(places.keeper.clone(), places.temporary());
    sandbox.sweep();
    let own = tools(parts.tools, &sandbox, &ground, safe.redactor())?;
    let prompts = Prompts::new(places.prompts())?;
    let shared = Arc::new(Shared {
        servers: OwnServers::new(&places, environment, &ground, own),
        souls: Keeper::open(places.souls(), &store)?,
        skills: Skills::new(places.skills()),
        named: named::Told::default(),
        attachments: Arc::new(Shelf::new(places.attachments())),
        blind: Blind::default(),
        handless: Handless::default(),
        finder: Finder::new(&places, parts.embedding),
        everywhere,
        places,
        store,
        held_up: HeldUp::new(events.clone()),
        waiters: Waiters::new(events.clone()),
        events,
        clock: parts.clock,
        chance: parts.chance,
        models: parts.models,
        posts: parts.posts,
        start: parts.start,
        prompts,
        secrets_given: questions::Secrets::default(),
        sandbox,
        safe,
        desks: Desks::default(),
        queue,
        circuits: Circuits::default(),
        stand_ins,
        learning: Learning::default(),
        feed: Feed::default(),
        schedules: Schedules::default(),
        sources,
        going_on: GoingOn::default(),
        closing: CancellationToken::new(),
        tasks: TaskTracker::new(),
    });
    if shared.store.read(memories::last_change)? > 0 {
        shared.finder.ring();
    }
    memory::take_up(&shared).await?;
    ground.lay(&shared);
    servers::expect(&shared);
    shared.tasks.spawn(servers::follow(shared.clone()));
    backup::let_rest(&shared).await?;
    attachments::sweep(&shared)?;
    skills::prepare(&shared.places.skills())?;
    first_start::lay_out(&shared)?;
    skills::look(&shared).await?;
    keeper::look(&shared).await?;
    keeper::tell_of_missing(&shared).await?;
    if shared.start == Start::Working {
        // Before the desks, which then find what those who come back owe.
        budget::look_at_the_day(&shared).await?;
        restarts::look(&shared).await?;
        keys::resume_at_start(&shared).await;
        shared.tasks.spawn(budget::watch_the_days(shared.clone()));
        shared.tasks.spawn(restarts::watch(shared.clone()));
        shared.tasks.spawn(keys::look_at_start(shared.clone()));
        shared.tasks.spawn(memory::keep_in_step(shared.clone()));
        shared.tasks.spawn(memory::keep_the_model(shared.clone()));
        shared.tasks.spawn(memory::learn(shared.clone()));
        let cut_off = memory::imports_cut_off(&shared);
        shared.tasks.spawn(memory::take_up_imports(shared.clone(), cut_off));
        shared.tasks.spawn(everywhere::keep_in_step(shared.clone()));
        shared.tasks.spawn(servers::start(shared.clone()));
        shared.tasks.spawn(feed::tick_by_itself(shared.clone()));
        shared.tasks.spawn(schedules::keep_to_times(shared.clone()));
        shared.tasks.spawn(sources::follow(shared.clone()));
    }
    seat_everybody(&shared)?;
    first_start::populate(&shared).await?;
    watch(&shared, Watched::Souls, shared.places.souls());
    watch(&shared, Watched::Skills, shared.places.skills());
    Ok(Workspace { shared, recent: Arc::new(Recent::default()) })
}

fn tools(
    more: Vec<Arc<dyn Tool>>,
    sandbox: &Sandbox,
    ground: &Ground,
    redactor: &Redactor,
) -> Result<Registry, Fault> {
    let run = tools::that_run_programs(sandbox);
    let all = tools::built_in().into_iter().chain(run).chain(ground.tools()).chain(more);
    let redacted = |tool| Arc::new(RedactedTool::new(tool, redactor.clone())) as Arc<dyn Tool>;
    Registry::new(all.map(redacted).collect())
        .map_err(|error| Fault::new(FaultCode::Internal, error.to_string(), "report this"))
}

/// A desk for each agent; those with something to do look at once.
fn seat_everybody(shared: &Arc<Shared>) -> Result<(), Fault> {
    let (living, waiting) = shared.store.read(|read| {
        let waiting: HashSet<_> = wakes::agents_waiting(read)?.into_iter().collect();
        Ok::<_, StoreError>((agents::living(read)?, waiting))
    })?;
    // First those who sleep: whoever works may wake any of them at once.
    let (busy, asleep): (Vec<_>, Vec<_>) =
        living.into_iter().partition(|agent| waiting.contains(&agent.id));
    asleep.iter().for_each(|agent| desk::open(shared, agent.id, false));
    busy.iter().for_each(|agent| desk::open(shared, agent.id, true));
    Ok(())
}

/// Looks into a folder of the person's whenever something there may be new.
fn watch(shared: &Arc<Shared>, watched: Watched, folder: PathBuf) {
    let (watch, mut looks) = Watch::start(folder, watched);
    let shared = shared.clone();
    shared.clone().tasks.spawn(async move {
        let _watch = watch;
        loop {
            tokio::select! {
                () = shared.closing.cancelled() => return,
                look = looks.recv() => {
                    if look.is_none() {
                        return;
                    }
                }
            }
            while let Err(fault) = look(&shared, watched).await {
                tracing::warn!(%fault, ?watched, "they cannot be looked at");
                tokio::select! {
                    () = shared.closing.cancelled() => return,
                    () = tokio::time::sleep(LOOK_AGAIN) => {}
                }
            }
        }
    });
}

async fn look(shared: &Arc<Shared>, watched: Watched) -> Result<(), Fault> {
    match watched {
        Watched::Souls => keeper::look(shared).await,
        Watched::Skills => skills::look(shared).await,
        // Sources look into theirs.
        Watched::Folder => Ok(()),
    }
}

impl Workspace {
    /// Does what is asked. Sending the same request again gives the same
    /// answer and does nothing twice.
    pub async fn answer(&self, request: Request) -> Answer {
        let Request { id, call } = request;
        let result = match call {
            Call::Query(query) => queries::answer(&self.shared, query).await,
            Call::Command(command) => {
                self.recent.once(id, commands::apply(&self.shared, id, command)).await
            }
        };
        // Who reads it may be another process, or a log.
        let result = result.map_err(|fault| redacted::fault(self.shared.safe.redactor(), fault));
        Answer { id, result }
    }

    /// What happens after the mark, or from now on; only events and resyncs.
    pub fn events(&self, after: Option<Mark>) -> impl Stream<Item = FromOwner> + Send + use<> {
        self.shared.events.subscribe(after)
    }

    pub fn mark(&self) -> Mark {
        self.shared.events.mark()
    }

    /// Ends the loops. Turns in progress are put away as interrupted and taken
    /// up at the next start.
    pub async fn close(&self) {
        self.shared.closing.cancel();
        self.shared.going_on.stop(Why::Closing, |_, _| true);
        self.shared.tasks.close();
        if tokio::time::timeout(PATIENCE, self.shared.tasks.wait()).await.is_err() {
            tracing::warn!("some turns did not end in time; the next start takes them up");
        }
        servers::stop(&self.shared).await;
        if let Err(error) = self.shared.store.tidy_up() {
            tracing::warn!(%error, "the database's log stays beside it");
        }
    }
}
