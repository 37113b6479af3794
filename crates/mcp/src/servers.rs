//! All servers that a person set up, and the tools they bring.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tools::Tool;

use crate::brought::{Brought, offered_name};
use crate::config::{Config, Secrets, Surroundings};
use crate::{Fault, Host, Ready, Server, State};

/// The servers of a workspace. They start in the background: nothing here that
/// a turn asks waits for any of them.
pub struct Servers {
    around: Surroundings,
    secrets: Arc<dyn Secrets>,
    hosts: Box<Hosts>,
    all: Mutex<BTreeMap<String, Kept>>,
}

/// Whoever answers the server of a name.
type Hosts = dyn Fn(&str) -> Arc<dyn Host> + Send + Sync;

struct Kept {
    config: Config,
    running: Running,
    brought: Option<BroughtOnce>,
}

/// What was brought when the server's tools were these.
struct BroughtOnce {
    from: Arc<[crate::Tool]>,
    tools: Vec<Arc<dyn Tool>>,
}

enum Running {
    Off,
    /// It could not even be tried.
    Failed(Fault),
    On(Arc<Server>),
}

/// How a server is, for a person to see.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    pub config: Config,
    /// `None` while it is switched off.
    pub state: Option<State>,
    pub tools: Vec<Listed>,
    pub memory_bytes: Option<u64>,
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
        Servers { around, secrets, hosts: Box::new(hosts), all: Mutex::default() }
    }

    /// Adds a server, or has one of that name be as it is set up now. One that
    /// was only switched otherwise goes on running.
    pub async fn put(&self, config: Config) -> Result<(), String> {
        if let Some(problem) = config.problem() {
            return Err(problem);
        }
        if let Some(kept) = self.lock().get_mut(&config.name)
            && kept.config.runs_like(&config)
        {
            (kept.config, kept.brought) = (config, None);
            return Ok(());
        }
        self.remove(&config.name).await;
        let running = self.run(&config, false).await;
        self.lock().insert(config.name.clone(), Kept { config, running, brought: None });
        Ok(())
    }

    /// Lets go of a server. Its process has ended afterwards.
    pub async fn remove(&self, name: &str) -> bool {
        let kept = self.lock().remove(name);
        let was = kept.is_some();
        if let Some(Kept { running: Running::On(server), .. }) = kept {
            server.stop().await;
        }
        was
    }

    /// Starts a server anew, with its secrets as they are now; `may_ask` says
    /// whether a person is there who may be asked to let us in.
    pub async fn reload(&self, name: &str, may_ask: bool) -> bool {
        let Some(config) = self.lock().get(name).map(|kept| kept.config.clone()) else {
            return false;
        };
        self.remove(name).await;
        let running = self.run(&config, may_ask).await;
        self.lock().insert(config.name.clone(), Kept { config, running, brought: None });
        true
    }

    /// Lets go of all. Nothing that they started is left afterwards.
    pub async fn stop(&self) {
        let all = std::mem::take(&mut *self.lock());
        let running = all.into_values().filter_map(|kept| match kept.running {
            Running::On(server) => Some(server),
            Running::Off | Running::Failed(_) => None,
        });
        let servers: Vec<Arc<Server>> = running.collect();
        futures::future::join_all(servers.iter().map(|server| server.stop())).await;
    }

    /// In order of their names.
    pub fn all(&self) -> Vec<Status> {
        self.lock().values().map(status).collect()
    }

    /// How one of them is from now on; `None` where there is none that runs.
    pub fn watch(&self, name: &str) -> Option<watch::Receiver<State>> {
        match &self.lock().get(name)?.running {
            Running::On(server) => Some(server.state()),
            Running::Failed(_) | Running::Off => None,
        }
    }

    pub fn log(&self, name: &str) -> Option<Vec<String>> {
        match &self.lock().get(name)?.running {
            Running::On(server) => Some(server.log()),
            Running::Failed(fault) => Some(vec![fault.to_string()]),
            Running::Off => Some(Vec::new()),
        }
    }

    /// What the servers that are there bring, but for what is switched off, in
    /// order of their names.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut all = self.lock();
        let tools = all.values_mut().flat_map(Kept::brought);
        let by_name: BTreeMap<String, Arc<dyn Tool>> =
            tools.map(|tool| (tool.spec().name.clone(), tool)).collect();
        by_name.into_values().collect()
    }

    async fn run(&self, config: &Config, may_ask: bool) -> Running {
        if !config.on {
            return Running::Off;
        }
        match config.setup(&self.around, self.secrets.as_ref(), may_ask).await {
            Ok(setup) => Running::On(Arc::new(Server::start(setup, (self.hosts)(&config.name)))),
            Err(why) => Running::Failed(Fault::NotStarted(why)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Its tools that agents can be offered now.
    fn brought(&mut self) -> Vec<Arc<dyn Tool>> {
        let Running::On(server) = &self.running else { return Vec::new() };
        let Some(ready) = ready(server) else { return Vec::new() };
        match &self.brought {
            Some(once) if Arc::ptr_eq(&once.from, &ready.tools) => once.tools.clone(),
            _ => {
                let on = |tool: &&crate::Tool| !self.config.switched_off.contains(&tool.name);
                let bring = |tool: &crate::Tool| {
                    let brought = Brought::new(&self.config, tool, server.clone()).ok()?;
                    Some(Arc::new(brought) as Arc<dyn Tool>)
                };
                let tools: Vec<Arc<dyn Tool>> =
                    ready.tools.iter().filter(on).filter_map(bring).collect();
                self.brought = Some(BroughtOnce { from: ready.tools, tools: tools.clone() });
                tools
            }
        }
    }
}

fn ready(server: &Server) -> Option<Ready> {
    match &*server.state().borrow() {
        State::Ready(ready) => Some(ready.clone()),
        State::Starting
        | State::Resting { .. }
        | State::SignInNeeded { .. }
        | State::Failed { .. }
        | State::Stopped => None,
    }
}

fn status(kept: &Kept) -> Status {
    let config = kept.config.clone();
    match &kept.running {
        Running::Off => Status { config, state: None, tools: Vec::new(), memory_bytes: None },
        Running::Failed(fault) => {
            let state = State::Failed { fault: fault.clone() };
            Status { config, state: Some(state), tools: Vec::new(), memory_bytes: None }
        }
        Running::On(server) => {
            let tools = ready(server).map_or_else(Vec::new, |ready| {
                let listed = |tool: &crate::Tool| Listed {
                    name: offered_name(&config.name, &tool.name),
                    on: !config.switched_off.contains(&tool.name),
                    unfit: Brought::new(&config, tool, server.clone()).err(),
                    tool: tool.clone(),
                };
                ready.tools.iter().map(listed).collect()
            });
            let state = Some(server.state().borrow().clone());
            Status { config, state, tools, memory_bytes: server.memory_bytes() }
        }
    }
}
