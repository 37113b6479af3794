//! Servers of the Model Context Protocol: kept running beside the agents, and
//! their tools offered beside our own.
//!
//! How a person set one up stands in the database, without any secret; what was
//! learned of it while it was there stands beside that, so that its tools can be
//! offered before it is there again. They start in the background, and nothing
//! that a turn begins with waits for any of them.

mod asked;
mod elicit;
mod given;
mod offers;
mod sample;
mod set_up;
mod told;

pub(crate) use offers::{attach, fill, offers};
pub(crate) use set_up::{edit, import, put, reload, remove, try_again};
pub(crate) use told::{all, log};

use crate::acts::Ground;
use crate::attachments::Shelf;
use crate::named;
use crate::places::Places;
use crate::redacted::{self, RedactedTool};
use crate::shared::Shared;
use crate::tool_pictures::Pictured;
use crate::workspace::Start;
use asked::Asker;
use domain::{Fault, McpServer, Update};
use given::Given;
use mcp::{Known, Patience, Servers, State, Surroundings};
use processes::Keeper;
use secrets::{Environment, Redactor};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::Durability;
use store::table::mcp_servers;
use tools::{Offer, Registry, Tool};

pub(crate) struct OwnServers {
    running: Servers,
    /// What our own variables hold.
    variables: Environment,
    /// One change of what is set up after the other.
    changing: tokio::sync::Mutex<()>,
    offered: Mutex<Offered>,
    /// What everybody was told last.
    told: Mutex<Vec<McpServer>>,
}

/// All tools as they were when the servers brought these.
struct Offered {
    brought: Vec<Arc<dyn Tool>>,
    own: Registry,
    all: Arc<Registry>,
}

impl OwnServers {
    /// `own` are the tools that are there without any server.
    pub(crate) fn new(
        places: &Places,
        environment: Environment,
        ground: &Ground,
        own: Registry,
    ) -> Self {
        let home = || environment("HOME").or_else(|| environment("USERPROFILE"));
        let around = Surroundings {
            keeper: Keeper(places.keeper.clone()),
            folder: home().map_or_else(|| places.data.clone(), PathBuf::from),
            variable: environment.clone(),
            patience: Patience::default(),
        };
        let (given, asker) = (Arc::new(Given(ground.clone())), ground.clone());
        let host = move |name: &str| Arc::new(Asker::new(name, &asker)) as Arc<dyn mcp::Host>;
        OwnServers {
            running: Servers::new(around, given, host),
            variables: environment,
            changing: tokio::sync::Mutex::default(),
            offered: Mutex::new(Offered { brought: Vec::new(), all: Arc::new(own.clone()), own }),
            told: Mutex::default(),
        }
    }

    /// Everything that agents can use, as it is now.
    pub(crate) fn tools(&self, redactor: &Redactor, shelf: &Arc<Shelf>) -> Arc<Registry> {
        let brought = self.running.tools();
        let mut offered = lock(&self.offered);
        let same = |(one, other): (&Arc<dyn Tool>, &Arc<dyn Tool>)| Arc::ptr_eq(one, other);
        let is_known = brought.len() == offered.brought.len()
            && brought.iter().zip(&offered.brought).all(same);
        if !is_known {
            let clean = |tool: &Arc<dyn Tool>| {
                let clean = Arc::new(RedactedTool::new(tool.clone(), redactor.clone()));
                Arc::new(Pictured::new(clean, shelf.clone())) as Arc<dyn Tool>
            };
            let fit = |tool: &&Arc<dyn Tool>| !told::holds_key(redactor, &tool.spec().name);
            let fit = brought.iter().filter(fit).map(clean).collect();
            offered.all = Arc::new(offered.own.with(fit));
            offered.brought = brought;
        }
        offered.all.clone()
    }
}

/// Before anybody takes a turn: what is set up is known from here on.
pub(crate) fn expect(shared: &Arc<Shared>) {
    for stored in stored(shared) {
        let known = stored.known.as_deref().and_then(|known| serde_json::from_str(known).ok());
        let config = told::config(&stored.setup);
        recognise(shared, &config);
        // A process that does not stay starts none unasked.
        let on = config.on && shared.start == Start::Working;
        shared.servers.running.expect(mcp::Config { on, ..config }, known);
    }
}

/// What this server is given of our variables is known in texts from here on, whether or
/// not it ever starts: that asks nobody, and a tool or a person may show it before.
fn recognise(shared: &Shared, config: &mcp::Config) {
    for (variable, value) in config.secret_variables(&*shared.servers.variables) {
        shared.safe.redactor().learn(&variable, &value.into());
    }
}

/// Starts what is set up, all at once.
pub(crate) async fn start(shared: Arc<Shared>) {
    let starting = stored(&shared).into_iter().map(|stored| {
        let shared = shared.clone();
        async move { shared.servers.running.begin(&stored.setup.name).await }
    });
    let started = futures::future::join_all(starting);
    tokio::select! {
        () = shared.closing.cancelled() => {}
        _ = started => {}
    }
}

/// Nothing that they started is left afterwards.
pub(crate) async fn stop(shared: &Shared) {
    if tokio::time::timeout(PATIENCE, shared.servers.running.stop()).await.is_err() {
        tracing::warn!("some servers did not end in time; their keeper ends them");
    }
}

const PATIENCE: Duration = Duration::from_secs(10);

/// Writes down what is learned of servers, and says how they are.
pub(crate) async fn follow(shared: Arc<Shared>) {
    let mut moves = shared.servers.running.moves();
    let mut learned: HashMap<String, Known> = HashMap::new();
    loop {
        moves.borrow_and_update();
        learn(&shared, &mut learned).await;
        tell(&shared);
        tokio::select! {
            () = shared.closing.cancelled() => return,
            moved = moves.changed() => if moved.is_err() { return },
        }
    }
}

async fn learn(shared: &Arc<Shared>, learned: &mut HashMap<String, Known>) {
    for status in shared.servers.running.all() {
        let (name, Some(known)) = (status.config.name, status.known) else { continue };
        if learned.get(&name) == Some(&known) {
            continue;
        }
        let clean = redacted::words(shared.safe.redactor(), &known);
        let Some(Ok(text)) = clean.map(|clean| serde_json::to_string(&clean)) else { continue };
        let row = name.clone();
        let written = shared
            .store
            .write(Durability::Process, move |write| mcp_servers::learn(write, &row, &text));
        match written.await {
            Ok(()) => drop(learned.insert(name, known)),
            Err(error) => tracing::warn!(%error, name, "what it brings is not written down"),
        }
    }
}

/// Publishes how they are, where that is news.
fn tell(shared: &Shared) {
    let servers = match all(shared) {
        Ok(servers) => servers,
        Err(fault) => return tracing::warn!(%fault, "the servers cannot be told"),
    };
    let mut told = lock(&shared.servers.told);
    // How much memory they take changes all the time, and is asked for by who wants to see it.
    let plain = |servers: &[McpServer]| -> Vec<McpServer> {
        let plain = |server: &McpServer| McpServer { memory_bytes: None, ..server.clone() };
        servers.iter().map(plain).collect()
    };
    let now = plain(&servers);
    if *told == now {
        return;
    }
    *told = now;
    shared.events.publish(vec![Update::Servers { servers }]);
    drop(told);
    // Souls name them and what they bring.
    named::tell(shared, &[]);
}

/// How all are, with a look at those at an address: nothing tells by itself when one is gone.
pub(crate) async fn looked_at(shared: &Shared) -> Result<Vec<McpServer>, Fault> {
    shared.servers.running.look(FOR_A_LOOK).await;
    all(shared)
}

const FOR_A_LOOK: Duration = Duration::from_secs(2);

/// How a server is once that can be said; `None` while nobody has started it.
pub(crate) async fn settled(shared: &Shared, name: &str, within: Duration) -> Option<State> {
    let mut state = shared.servers.running.watch(name)?;
    let settled = state.wait_for(|state| !state.is_coming());
    match tokio::time::timeout(within, settled).await {
        Ok(Ok(state)) => Some(state.clone()),
        Ok(Err(_)) | Err(_) => Some(State::Starting),
    }
}

/// Those of these servers that have something to be read; `*` stands for all servers.
pub(crate) fn to_read(shared: &Shared, servers: &[String]) -> Vec<String> {
    let wanted =
        |server: &String| servers.iter().any(|one| one.trim() == server || one.trim() == "*");
    shared.servers.running.with_resources().into_iter().filter(wanted).collect()
}

/// The servers themselves.
pub(crate) fn running(shared: &Shared) -> &Servers {
    &shared.servers.running
}

/// The names of the tools that these servers bring; `*` stands for all servers.
pub(crate) fn tools_of(tools: &Registry, servers: &[String]) -> BTreeSet<String> {
    let wanted = |server: &str| servers.iter().any(|one| one.trim() == server || one.trim() == "*");
    let names = tools.specs().map(|spec| &spec.name);
    names.filter(|name| server_of(name).is_some_and(wanted)).cloned().collect()
}

/// Whether a tool is still what a turn was offered, of the same server in the same
/// place. Ours always are.
pub(crate) fn stands(shared: &Shared, offered: &dyn Tool) -> bool {
    let is_it = |now: &dyn Tool| now.spec() == offered.spec() && now.made_by() == offered.made_by();
    let name = &offered.spec().name;
    server_of(name).is_none() || shared.tools().get(name).is_some_and(|now| is_it(&**now))
}

/// The names of the tools that no server brings.
pub(crate) fn not_theirs(tools: &Registry) -> BTreeSet<String> {
    let names = tools.specs().map(|spec| &spec.name);
    names.filter(|name| server_of(name).is_none()).cloned().collect()
}

/// Whether a tool of this name could only be brought by a server.
pub(crate) fn is_theirs(tool: &str) -> bool {
    server_of(tool).is_some()
}

/// The servers that these tools come from, in order.
pub(crate) fn behind(tools: &Offer) -> Vec<String> {
    let servers: BTreeSet<&str> = tools.names().filter_map(server_of).collect();
    servers.into_iter().map(str::to_owned).collect()
}

/// Nothing else has a name with `__` in it.
pub(crate) fn server_of(tool: &str) -> Option<&str> {
    tool.split_once("__").map(|(server, _)| server)
}

fn stored(shared: &Shared) -> Vec<mcp_servers::Known> {
    shared.store.read(mcp_servers::all).unwrap_or_else(|error| {
        tracing::warn!(%error, "the servers that are set up cannot be read");
        Vec::new()
    })
}

/// Whoever panicked beside it left something whole in it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
