//! All servers that a person set up, and the tools they bring.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tools::Tool;

use crate::brought::{Brought, offered_name};
use crate::config::{Config, Secrets, Surroundings};
use crate::{About, Era, Fault, Host, Reach, Ready, Server, State};

/// The servers of a workspace. They start in the background: nothing here that
/// a turn asks waits for any of them.
pub struct Servers(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    around: Surroundings,
    secrets: Arc<dyn Secrets>,
    hosts: Box<Hosts>,
    all: Mutex<BTreeMap<String, Kept>>,
    starts: AtomicU64,
    /// Counts whatever happens to any of them.
    moved: watch::Sender<u64>,
}

/// Whoever answers the server of a name.
type Hosts = dyn Fn(&str) -> Arc<dyn Host> + Send + Sync;

struct Kept {
    config: Config,
    running: Running,
    known: Option<Known>,
    brought: Option<BroughtOnce>,
}

/// What was learned of a server while it was there: the next start is faster for
/// it, and meanwhile its tools can be offered already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Known {
    pub era: Era,
    pub tools: Vec<crate::Tool>,
    /// Whether it has anything to be read.
    #[serde(default)]
    pub resources: bool,
}

/// What was brought when the server's tools were these.
struct BroughtOnce {
    from: Arc<[crate::Tool]>,
    tools: Vec<Arc<dyn Tool>>,
}

enum Running {
    /// It is on, and about to be started: by the last who had it started, of several.
    Coming(Start),
    Off,
    /// It could not even be tried.
    Failed(Fault),
    On(Arc<Server>),
}

/// How many times servers had been started by then.
type Start = u64;

/// Nobody has begun to start it yet.
const EXPECTED: Start = 0;

/// What makes the next start another than the first.
struct Learned {
    era: Option<Era>,
    /// What it said when it refused a use, and would not say when it is started.
    challenge: Option<String>,
}

impl Running {
    fn challenge(&self) -> Option<String> {
        let Running::On(server) = self else { return None };
        match &*server.state().borrow() {
            State::SignInNeeded { fault: Fault::SignIn { challenge, .. } } => challenge.clone(),
            _ => None,
        }
    }
}

/// How a server is, for a person to see.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    pub config: Config,
    /// `None` while it is switched off.
    pub state: Option<State>,
    pub tools: Vec<Listed>,
    pub memory_bytes: Option<u64>,
    pub known: Option<Known>,
}

/// A tool as a person sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub tool: crate::Tool,
    /// As agents know it.
    pub name: String,
    pub on: bool,
    /// Why no agent can be offered it.
    pub unfit: Option<String>,
}

impl Servers {
    /// `hosts` gives whoever answers the server of a name.
    pub fn new(
        around: Surroundings,
        secrets: Arc<dyn Secrets>,
        hosts: impl Fn(&str) -> Arc<dyn Host> + Send + Sync + 'static,
    ) -> Self {
        Servers(Arc::new(Inner {
            around,
            secrets,
            hosts: Box::new(hosts),
            all: Mutex::default(),
            starts: AtomicU64::new(0),
            moved: watch::Sender::new(0),
        }))
    }

    /// Puts a server on the list that was set up before and is to be started by
    /// [`Servers::begin`]; what is known of it stands for it until then.
    pub fn expect(&self, config: Config, known: Option<Known>) {
        let running = if config.on { Running::Coming(EXPECTED) } else { Running::Off };
        self.0.keep(Kept { config, running, known, brought: None });
    }

    /// Starts a server that is expected, unless somebody has seen to it since.
    pub async fn begin(&self, name: &str) {
        let start = self.0.next_start();
        let (config, era) = {
            let mut all = self.0.lock();
            let is_expected = |kept: &&mut Kept| matches!(kept.running, Running::Coming(EXPECTED));
            let Some(kept) = all.get_mut(name).filter(is_expected) else { return };
            kept.running = Running::Coming(start);
            (kept.config.clone(), kept.known.as_ref().map(|known| known.era))
        };
        let running = match config.problem() {
            Some(problem) => Running::Failed(Fault::NotStarted(problem)),
            None => self.0.run(&config, Learned { era, challenge: None }, false).await,
        };
        self.0.came(&config, start, running).await;
    }

    /// Adds a server, or has one of that name be as it is set up now. One that
    /// was only switched otherwise goes on running.
    pub async fn put(&self, config: Config) -> Result<(), String> {
        if let Some(problem) = config.problem() {
            return Err(problem);
        }
        if self.0.switch(&config) {
            return Ok(());
        }
        self.0.start(config, false).await;
        Ok(())
    }

    /// The same, but one of that name is started anew in any case; `may_ask` says
    /// whether a person is there who may be asked to let us in.
    pub async fn put_anew(&self, config: Config, may_ask: bool) -> Result<(), String> {
        if let Some(problem) = config.problem() {
            return Err(problem);
        }
        self.0.start(config, may_ask).await;
        Ok(())
    }

    /// Lets go of a server. Its process has ended afterwards.
    pub async fn remove(&self, name: &str) -> bool {
        let kept = self.0.lock().remove(name);
        let was = kept.is_some();
        if let Some(Kept { running: Running::On(server), .. }) = kept {
            server.stop().await;
        }
        self.0.moved();
        was
    }

    /// Starts a server anew, with its secrets as they are now; `may_ask` says
    /// whether a person is there who may be asked to let us in.
    pub async fn reload(&self, name: &str, may_ask: bool) -> bool {
        let Some(config) = self.0.lock().get(name).map(|kept| kept.config.clone()) else {
            return false;
        };
        self.0.start(config, may_ask).await;
        true
    }

    /// Lets go of all. Nothing that they started is left afterwards.
    pub async fn stop(&self) {
        let all = std::mem::take(&mut *self.0.lock());
        let running = all.into_values().filter_map(|kept| match kept.running {
            Running::On(server) => Some(server),
            Running::Coming(_) | Running::Off | Running::Failed(_) => None,
        });
        let servers: Vec<Arc<Server>> = running.collect();
        futures::future::join_all(servers.iter().map(|server| server.stop())).await;
        self.0.moved();
    }

    /// Changes whenever anything about any of them may have changed.
    pub fn moves(&self) -> watch::Receiver<u64> {
        self.0.moved.subscribe()
    }

    /// Has [`Self::all`] say rightly who is still there, as far as that is found out in time.
    pub async fn look(&self, within: Duration) {
        let running = |kept: &Kept| match &kept.running {
            Running::On(server) => Some(server.clone()),
            Running::Coming(_) | Running::Off | Running::Failed(_) => None,
        };
        let servers: Vec<Arc<Server>> = self.0.lock().values().filter_map(running).collect();
        let looks = futures::future::join_all(servers.iter().map(|server| server.look()));
        let _ = timeout(within, looks).await;
    }

    /// In order of their names.
    pub fn all(&self) -> Vec<Status> {
        self.0.lock().values().map(|kept| status(&self.0, kept)).collect()
    }

    /// How one of them is from now on; `None` where there is none that runs.
    pub fn watch(&self, name: &str) -> Option<watch::Receiver<State>> {
        match &self.0.lock().get(name)?.running {
            Running::On(server) => Some(server.state()),
            Running::Coming(_) | Running::Failed(_) | Running::Off => None,
        }
    }

    pub fn log(&self, name: &str) -> Option<Vec<String>> {
        match &self.0.lock().get(name)?.running {
            Running::On(server) => Some(server.log()),
            Running::Failed(fault) => Some(vec![fault.to_string()]),
            Running::Coming(_) | Running::Off => Some(Vec::new()),
        }
    }

    /// What the servers bring that are there, or were and will be again, but for
    /// what is switched off, in order of their names.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut all = self.0.lock();
        let tools = all.values_mut().flat_map(|kept| kept.brought(&self.0));
        let by_name: BTreeMap<String, Arc<dyn Tool>> =
            tools.map(|tool| (tool.spec().name.clone(), tool)).collect();
        by_name.into_values().collect()
    }

    /// Those that have anything to be read, or had and will be there again.
    pub fn with_resources(&self) -> Vec<String> {
        let all = self.0.lock();
        all.iter().filter(|(_, kept)| kept.has_resources()).map(|(name, _)| name.clone()).collect()
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn moved(&self) {
        self.moved.send_modify(|count| *count += 1);
    }

    fn keep(&self, kept: Kept) {
        self.lock().insert(kept.config.name.clone(), kept);
        self.moved();
    }

    fn next_start(&self) -> Start {
        self.starts.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Whether it goes on as it is, but for how it is switched.
    fn switch(&self, config: &Config) -> bool {
        let mut all = self.lock();
        let Some(kept) = all.get_mut(&config.name) else { return false };
        if matches!(kept.running, Running::Coming(_)) || !kept.config.runs_like(config) {
            return false;
        }
        (kept.config, kept.brought) = (config.clone(), None);
        drop(all);
        self.moved();
        true
    }

    /// In the place of one of that name, which has ended before.
    async fn start(self: &Arc<Self>, config: Config, may_ask: bool) {
        let before = self.lock().remove(&config.name);
        let (was, known, challenge) = match before {
            Some(Kept { config: other, running, known, .. }) if other.place == config.place => {
                let challenge = running.challenge();
                (Some(running), known, challenge)
            }
            Some(Kept { running, .. }) => (Some(running), None, None),
            None => (None, None, None),
        };
        let era = known.as_ref().map(|known| known.era);
        let start = self.next_start();
        let running = if config.on { Running::Coming(start) } else { Running::Off };
        self.keep(Kept { config: config.clone(), running, known, brought: None });
        if let Some(Running::On(server)) = was {
            server.stop().await;
        }
        if config.on {
            let learned = Learned { era, challenge };
            let running = self.run(&config, learned, may_ask).await;
            self.came(&config, start, running).await;
        }
    }

    /// It may have been removed, set up otherwise or started anew while it was prepared.
    async fn came(self: &Arc<Self>, config: &Config, start: Start, running: Running) {
        let mut running = Some(running);
        if let Some(kept) = self.lock().get_mut(&config.name)
            && matches!(kept.running, Running::Coming(last) if last == start)
            && kept.config == *config
            && let Some(running) = running.take()
        {
            if let Running::On(server) = &running {
                follow(self, &config.name, server);
            }
            kept.running = running;
        }
        if let Some(Running::On(server)) = running {
            server.stop().await;
        }
        self.moved();
    }

    async fn run(&self, config: &Config, learned: Learned, may_ask: bool) -> Running {
        match config.setup(&self.around, self.secrets.as_ref(), may_ask).await {
            Ok(mut setup) => {
                setup.era = learned.era;
                if let Reach::Address(address) = &mut setup.reach {
                    address.sign_in.challenge = learned.challenge;
                }
                Running::On(Arc::new(Server::start(setup, (self.hosts)(&config.name))))
            }
            Err(why) => Running::Failed(Fault::NotStarted(why)),
        }
    }

    /// The server of this name once it is there, or why it is not. One that cannot be reached
    /// is looked for once more.
    pub(crate) async fn server(
        &self,
        name: &str,
        stop: &CancellationToken,
    ) -> Result<Arc<Server>, Fault> {
        let mut moves = self.moved.subscribe();
        loop {
            let found = match self.lock().get(name).map(|kept| &kept.running) {
                None | Some(Running::Off) => {
                    return Err(Fault::Away("the server was switched off".to_owned()));
                }
                Some(Running::Failed(fault)) => return Err(fault.clone()),
                Some(Running::Coming(_)) => None,
                Some(Running::On(server)) => Some(server.clone()),
            };
            if let Some(server) = found.filter(|one| *one.state().borrow() != State::Starting) {
                tokio::select! {
                    () = stop.cancelled() => return Err(Fault::Stopped),
                    () = server.look_again() => return Ok(server),
                }
            }
            tokio::select! {
                () = stop.cancelled() => return Err(Fault::Stopped),
                moved = moves.changed() => {
                    moved.map_err(|_| Fault::Away("the servers were stopped".to_owned()))?;
                }
            }
        }
    }

    /// What a server is like now is told, and learned.
    fn heard(&self, name: &str, from: &Weak<Server>, state: &State) {
        let mut all = self.lock();
        let Some(kept) = all.get_mut(name) else { return };
        let Running::On(server) = &kept.running else { return };
        if !std::ptr::eq(Arc::as_ptr(server), from.as_ptr()) {
            return;
        }
        if let State::Ready(ready) = state {
            let tools = ready.tools.to_vec();
            let About { era, has, .. } = &ready.about;
            kept.known = Some(Known { era: *era, tools, resources: has.resources });
        }
        drop(all);
        self.moved();
    }
}

fn follow(inner: &Arc<Inner>, name: &str, server: &Arc<Server>) {
    let (inner, name) = (Arc::downgrade(inner), name.to_owned());
    let (from, mut state) = (Arc::downgrade(server), server.state());
    tokio::spawn(async move {
        loop {
            let now = state.borrow_and_update().clone();
            match inner.upgrade() {
                Some(inner) => inner.heard(&name, &from, &now),
                None => return,
            }
            if state.changed().await.is_err() {
                return;
            }
        }
    });
}

impl Kept {
    /// Its tools, as they are or as they were when it was there.
    fn tools(&self) -> Option<Arc<[crate::Tool]>> {
        let known = || self.known.as_ref().map(|known| known.tools.clone().into());
        let server = match &self.running {
            Running::On(server) => server,
            Running::Coming(_) => return known(),
            Running::Off | Running::Failed(_) => return None,
        };
        match &*server.state().borrow() {
            State::Ready(Ready { tools, .. }) => Some(tools.clone()),
            State::Starting | State::SigningIn | State::Resting { .. } => known(),
            State::SignInNeeded { .. } | State::Failed { .. } | State::Stopped => None,
        }
    }

    fn has_resources(&self) -> bool {
        let known = || self.known.as_ref().is_some_and(|known| known.resources);
        match &self.running {
            Running::On(server) => match &*server.state().borrow() {
                State::Ready(Ready { about, .. }) => about.has.resources,
                State::Starting | State::SigningIn | State::Resting { .. } => known(),
                State::SignInNeeded { .. } | State::Failed { .. } | State::Stopped => false,
            },
            Running::Coming(_) => known(),
            Running::Off | Running::Failed(_) => false,
        }
    }

    /// Its tools that agents can be offered now.
    fn brought(&mut self, inner: &Arc<Inner>) -> Vec<Arc<dyn Tool>> {
        let Some(from) = self.tools() else { return Vec::new() };
        match &self.brought {
            Some(once) if Arc::ptr_eq(&once.from, &from) || once.from == from => once.tools.clone(),
            _ => {
                let on = |tool: &&crate::Tool| !self.config.switched_off.contains(&tool.name);
                let bring = |tool: &crate::Tool| {
                    let brought = Brought::new(&self.config, tool, inner).ok()?;
                    Some(Arc::new(brought) as Arc<dyn Tool>)
                };
                let tools: Vec<Arc<dyn Tool>> = from.iter().filter(on).filter_map(bring).collect();
                self.brought = Some(BroughtOnce { from, tools: tools.clone() });
                tools
            }
        }
    }
}

fn status(inner: &Arc<Inner>, kept: &Kept) -> Status {
    let config = kept.config.clone();
    let listed = |tool: &crate::Tool| Listed {
        name: offered_name(&config.name, &tool.name),
        on: !config.switched_off.contains(&tool.name),
        unfit: Brought::new(&config, tool, inner).err(),
        tool: tool.clone(),
    };
    let tools =
        kept.tools().or_else(|| kept.known.as_ref().map(|known| known.tools.clone().into()));
    let tools = tools.iter().flat_map(|tools| tools.iter()).map(listed).collect();
    let (state, memory_bytes) = match &kept.running {
        Running::Off => (None, None),
        Running::Coming(_) => (Some(State::Starting), None),
        Running::Failed(fault) => (Some(State::Failed { fault: fault.clone() }), None),
        Running::On(server) => (Some(server.state().borrow().clone()), server.memory_bytes()),
    };
    Status { config, state, tools, memory_bytes, known: kept.known.clone() }
}
