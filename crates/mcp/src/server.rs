//! A server that is kept running.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use processes::Log;
use serde_json::{Map, Value};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::brought::unfit;
use crate::{
    Abilities, About, Answer, Ask, Connection, Elicitation, Elicited, Era, Fault, Host, News,
    Patience, Reach, Root, Sampled, Sampling, Setup, Tool,
};

/// A server that is started in the background and again after it crashed. A
/// handle; dropped, the server is let go of.
pub struct Server {
    shared: Arc<Shared>,
    state: watch::Receiver<State>,
    stop: CancellationToken,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// How a server is.
#[derive(Debug, Clone, PartialEq)]
pub enum State {
    Starting,
    /// The same, for a person who lets us in meanwhile if they are asked to; nobody else
    /// waits for them.
    SigningIn,
    Ready(Ready),
    /// It is tried again after this time; so many times it failed in a row.
    Resting {
        fault: Fault,
        failed: u32,
        rest: Duration,
    },
    /// A person has to let us in. It is not tried again until it is reloaded.
    SignInNeeded {
        fault: Fault,
    },
    /// It could not even be tried, as it is set up.
    Failed {
        fault: Fault,
    },
    Stopped,
}

impl State {
    /// Whether it is not known yet how it is.
    pub fn is_coming(&self) -> bool {
        matches!(self, State::Starting | State::SigningIn)
    }
}

/// A server that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Ready {
    pub about: About,
    pub tools: Arc<[Tool]>,
}

struct Shared {
    setup: Mutex<Setup>,
    connection: Mutex<Option<Arc<Connection>>>,
    log: Log,
    reload: Notify,
    /// Somebody would use it now.
    wanted: Notify,
    tools_changed: Arc<Notify>,
}

impl Server {
    /// Comes back at once; whether the server is there says [`Self::state`].
    pub fn start(setup: Setup, host: Arc<dyn Host>) -> Self {
        let tools_changed = Arc::new(Notify::new());
        let shared = Arc::new(Shared {
            setup: Mutex::new(setup),
            connection: Mutex::default(),
            log: Log::default(),
            reload: Notify::new(),
            wanted: Notify::new(),
            tools_changed: tools_changed.clone(),
        });
        let host = Arc::new(Attentive { host, tools_changed });
        let (tell, state) = watch::channel(State::Starting);
        let stop = CancellationToken::new();
        tokio::spawn(run(shared.clone(), host, tell, stop.clone()));
        Server { shared, state, stop }
    }

    pub fn state(&self) -> watch::Receiver<State> {
        self.state.clone()
    }

    /// What it logged, and what became of it.
    pub fn log(&self) -> Vec<String> {
        self.shared.log.lines()
    }

    pub fn memory_bytes(&self) -> Option<u64> {
        self.connection()?.memory_bytes()
    }

    /// The conversation with it, if it is there.
    pub fn connection(&self) -> Option<Arc<Connection>> {
        self.shared.connection.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Uses one of its tools. Who is not there is not waited for.
    pub async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        with: &Ask,
    ) -> Result<Answer, Fault> {
        let connection = self.connection().ok_or_else(|| away(&self.state.borrow()))?;
        let answer = connection.call(tool, arguments, with).await;
        if connection.about().era == Era::Modern && wants_the_older_way(&answer) {
            self.goes_the_older_way(with).await;
            return Err(Fault::Older);
        }
        answer
    }

    /// Begins anew in the older protocol, which is known at each start from then on.
    async fn goes_the_older_way(&self, with: &Ask) {
        self.shared.log.push("[coterie] it asks as servers of the older protocol do");
        let mut state = self.state.clone();
        state.mark_unchanged();
        self.reload(|setup| setup.era = Some(Era::Legacy));
        let begun = async {
            let _ = state.changed().await;
            let _ = state.wait_for(|state| !state.is_coming()).await;
        };
        tokio::select! {
            () = begun => {}
            () = with.stop.cancelled() => {}
        }
    }

    /// Has its state be right also where nobody has asked it anything since it went away.
    pub(crate) async fn look(&self) {
        let mut state = self.state.clone();
        state.mark_unchanged();
        if let Some(connection) = self.connection()
            && connection.is_gone().await
        {
            let _ = state.changed().await;
        }
    }

    /// Has it tried again at once, if it is away and nobody here runs it: to look for it starts
    /// nothing. Comes when that is done.
    pub(crate) async fn look_again(&self) {
        let mut state = self.state.clone();
        let rests = matches!(*state.borrow_and_update(), State::Resting { .. });
        if rests && matches!(self.setup().reach, Reach::Address(_)) {
            self.shared.wanted.notify_one();
            let _ = state.changed().await;
            let _ = state.wait_for(|state| !state.is_coming()).await;
        }
    }

    /// What it is started with next, with what was learned of it.
    pub fn setup(&self) -> Setup {
        self.shared.setup.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets go of it and starts it anew, perhaps otherwise than before.
    pub fn reload(&self, change: impl FnOnce(&mut Setup)) {
        change(&mut self.shared.setup.lock().unwrap_or_else(PoisonError::into_inner));
        self.shared.reload.notify_one();
    }

    /// Lets go of it. Its process has ended afterwards, and everybody that it
    /// started.
    pub async fn stop(&self) {
        let mut state = self.state.clone();
        self.stop.cancel();
        let _ = state.wait_for(|state| *state == State::Stopped).await;
    }
}

/// Whether a use failed because its server may ask nothing in the middle of it. The libraries for
/// Python say so where the server's author wrote that as in the older protocol.
fn wants_the_older_way(answer: &Result<Answer, Fault>) -> bool {
    const SAYS: &str = "server-initiated request";
    match answer {
        Ok(answer) => answer.failed && answer.parts.iter().any(|part| part.shown().contains(SAYS)),
        Err(Fault::Refused { message, .. } | Fault::Broken(message)) => message.contains(SAYS),
        Err(_) => false,
    }
}

pub(crate) fn away(state: &State) -> Fault {
    match state {
        State::Starting => Fault::Away("the server is still starting".to_owned()),
        State::SigningIn => Fault::Away("it waits until somebody has signed in with it".to_owned()),
        State::Resting { fault, rest, .. } => Fault::Away(format!(
            "the server is away and tried again within {} s: {fault}",
            rest.as_secs().max(1)
        )),
        State::SignInNeeded { fault } | State::Failed { fault } => fault.clone(),
        State::Ready(_) | State::Stopped => Fault::Away("the server was stopped".to_owned()),
    }
}

/// Why a conversation is over, or did not begin.
enum Over {
    Stopped,
    Reloaded,
    Failed(Fault),
}

async fn run(
    shared: Arc<Shared>,
    host: Arc<dyn Host>,
    tell: watch::Sender<State>,
    stop: CancellationToken,
) {
    let mut failed = 0;
    loop {
        let setup = shared.setup.lock().unwrap_or_else(PoisonError::into_inner).next();
        tell.send_replace(match setup.asks_a_person() {
            true => State::SigningIn,
            false => State::Starting,
        });
        let begun = Instant::now();
        let patience = setup.patience;
        let fault = match once(&shared, setup, &host, &tell, &stop).await {
            Over::Stopped => break,
            Over::Reloaded => {
                failed = 0;
                continue;
            }
            Over::Failed(fault) => fault,
        };
        shared.log.push(&format!("[coterie] {fault}"));
        let state = match fault {
            Fault::SignIn { .. } => State::SignInNeeded { fault },
            // A keyring may ask its person each time that it is tried.
            Fault::Locked(_) => State::Failed { fault },
            fault => {
                failed = if begun.elapsed() >= patience.steady { 1 } else { failed + 1 };
                State::Resting { fault, failed, rest: rest_after(failed, patience) }
            }
        };
        let rest = match &state {
            State::Resting { rest, .. } => Some(*rest),
            _ => None,
        };
        tell.send_replace(state);
        let rested = async {
            match rest {
                Some(rest) => sleep(rest).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = rested => {}
            () = shared.wanted.notified() => {}
            () = shared.reload.notified() => failed = 0,
            () = stop.cancelled() => break,
        }
    }
    tell.send_replace(State::Stopped);
}

fn rest_after(failed: u32, patience: Patience) -> Duration {
    let doubled = 1_u32.checked_shl(failed.saturating_sub(1)).unwrap_or(u32::MAX);
    patience.first_rest.saturating_mul(doubled).min(patience.longest_rest)
}

/// One conversation from its beginning to its end.
async fn once(
    shared: &Shared,
    setup: Setup,
    host: &Arc<dyn Host>,
    tell: &watch::Sender<State>,
    stop: &CancellationToken,
) -> Over {
    let opened = tokio::select! {
        opened = open(&setup, host, &shared.log) => opened,
        () = stop.cancelled() => return Over::Stopped,
        () = shared.reload.notified() => return Over::Reloaded,
    };
    let (connection, tools) = match opened {
        Ok(opened) => opened,
        Err(fault) => return Over::Failed(fault),
    };
    // Known at the next start, which is the faster for it.
    shared.setup.lock().unwrap_or_else(PoisonError::into_inner).era = Some(connection.about().era);
    let connection = Arc::new(connection);
    *shared.connection.lock().unwrap_or_else(PoisonError::into_inner) = Some(connection.clone());
    let ready = |tools: Vec<Tool>| {
        for (tool, why) in tools.iter().filter_map(|tool| Some((tool, unfit(tool)?))) {
            shared.log.push(&format!("[coterie] its tool {} is left out: {why}", tool.name));
        }
        State::Ready(Ready { about: connection.about().clone(), tools: tools.into() })
    };
    tell.send_replace(ready(tools));
    let over = loop {
        tokio::select! {
            fault = connection.over() => break Over::Failed(fault),
            () = stop.cancelled() => break Over::Stopped,
            () = shared.reload.notified() => break Over::Reloaded,
            () = shared.tools_changed.notified() => match connection.tools().await {
                Ok(tools) => drop(tell.send_replace(ready(tools))),
                Err(fault) => shared.log.push(&format!("[coterie] its tools changed: {fault}")),
            },
        }
    };
    *shared.connection.lock().unwrap_or_else(PoisonError::into_inner) = None;
    // Who was let in for what they asked may have their answer.
    if !matches!(over, Over::Failed(Fault::SignIn { .. })) {
        connection.close().await;
    }
    over
}

async fn open(
    setup: &Setup,
    host: &Arc<dyn Host>,
    log: &Log,
) -> Result<(Connection, Vec<Tool>), Fault> {
    let opened = listed(setup, host, log).await;
    // Many greet everybody, and ask who it is when they are asked something.
    if let Err(Fault::SignIn { challenge: Some(challenge), .. }) = &opened
        && let Some(setup) = setup.challenged(challenge)
    {
        return listed(&setup, host, log).await;
    }
    opened
}

async fn listed(
    setup: &Setup,
    host: &Arc<dyn Host>,
    log: &Log,
) -> Result<(Connection, Vec<Tool>), Fault> {
    let connection = Connection::open(setup, host.clone(), log).await?;
    match connection.tools().await {
        Ok(tools) => Ok((connection, tools)),
        Err(fault) => {
            connection.close().await;
            Err(fault)
        }
    }
}

/// Passes everything on, and notices when tools change.
struct Attentive {
    host: Arc<dyn Host>,
    tools_changed: Arc<Notify>,
}

#[async_trait]
impl Host for Attentive {
    fn abilities(&self) -> Abilities {
        self.host.abilities()
    }

    async fn roots(&self) -> Vec<Root> {
        self.host.roots().await
    }

    async fn elicit(&self, asked: Elicitation, uses: Vec<String>) -> Result<Elicited, String> {
        self.host.elicit(asked, uses).await
    }

    async fn sample(&self, asked: Sampling, uses: Vec<String>) -> Result<Sampled, String> {
        self.host.sample(asked, uses).await
    }

    async fn show_page(&self, url: &str) -> Result<(), String> {
        self.host.show_page(url).await
    }

    fn news(&self, news: News) {
        if news == News::ToolsChanged {
            self.tools_changed.notify_one();
        }
        self.host.news(news);
    }
}
