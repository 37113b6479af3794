//! The door itself: one side of it is in this process, the other behind the
//! socket of the workspace's owner, and it may change sides.
//!
//! A command that owns the workspace for a moment may end while a window is
//! connected to it. Then whoever is left takes the workspace over, and what
//! was not answered is asked again; a request id makes that harmless.

use crate::lock::{self, Claim, Lock, Owner};
use crate::{fault, local::Local, remote::Lost, remote::Remote};
use domain::{Answer, Call, Fault, FaultCode, FromOwner, Mark, Reply, Request, RequestId, Restore};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use workspace::{Parts, Places};

/// How long an owner may take to open its workspace and listen: it may have a
/// database to check and a backup to make.
const OPENING: Duration = Duration::from_secs(20);
/// How long an owner that went away may take to come back, where nobody here
/// could take its place.
const PATIENCE: Duration = Duration::from_secs(3);
const BETWEEN_TRIES: Duration = Duration::from_millis(50);
/// Owners that one request is sent to. Commands that have the workspace open
/// for a moment may end one after the other while it is on its way; more than
/// this do not end by chance.
pub(crate) const OWNERS: usize = 10;

/// A cheap handle; all clones lead to the same workspace.
#[derive(Clone)]
pub struct Door {
    shared: Arc<Shared>,
}

struct Shared {
    data: PathBuf,
    /// What it takes to own the workspace; a door without it only calls.
    means: Option<Means>,
    entered: Mutex<Entered>,
    /// Held while somebody finds out where the workspace is now.
    entering: tokio::sync::Mutex<()>,
    closed: CancellationToken,
}

struct Means {
    places: Places,
    parts: Box<dyn Fn(&Places) -> Parts + Send + Sync>,
}

#[derive(Clone)]
struct Entered {
    side: Side,
    /// Counts the changes, so that each loss is mended once.
    times: u64,
}

#[derive(Clone)]
enum Side {
    Local(Local),
    Remote(Remote),
}

impl Door {
    /// Opens the workspace in this process, or connects to the one that has it
    /// open. Fails if the folder or the database cannot be used, and if the
    /// owner does not answer.
    pub async fn open(
        places: Places,
        parts: impl Fn(&Places) -> Parts + Send + Sync + 'static,
    ) -> Result<Door, Fault> {
        let data = places.data.clone();
        Door::enter(data, Some(Means { places, parts: Box::new(parts) })).await
    }

    /// Connects to the process that has the workspace open, and fails if there
    /// is none. It never takes the workspace over.
    pub async fn connect(data: &Path) -> Result<Door, Fault> {
        Door::enter(data.to_owned(), None).await
    }

    async fn enter(data: PathBuf, means: Option<Means>) -> Result<Door, Fault> {
        let side = match &means {
            Some(means) => means.enter().await?,
            None => Side::Remote(Remote::open(&data).await?),
        };
        let entered = Mutex::new(Entered { side, times: 0 });
        let (entering, closed) = (tokio::sync::Mutex::new(()), CancellationToken::new());
        Ok(Door { shared: Arc::new(Shared { data, means, entered, entering, closed }) })
    }

    /// Sends a new request.
    pub async fn ask(&self, call: Call) -> Result<Reply, Fault> {
        self.send(Request { id: RequestId(uuid::Uuid::now_v7()), call }).await.result
    }

    /// Sends a request with an id of its own. Sending it again is harmless.
    pub async fn send(&self, request: Request) -> Answer {
        let id = request.id;
        let refuse = |fault| Answer { id, result: Err(fault) };
        if self.shared.closed.is_cancelled() {
            return refuse(fault::closed());
        }
        let mut entered = self.entered().clone();
        for _ in 1..OWNERS {
            match entered.side.send(request.clone()).await {
                Ok(answer) => return answer,
                Err(Lost) => match self.shared.mend(entered.times).await {
                    Ok(next) => entered = next,
                    Err(fault) => return refuse(fault),
                },
            }
        }
        entered.side.send(request).await.unwrap_or_else(|Lost| refuse(fault::owner_gone()))
    }

    /// What happens after the mark, or from now on; a remote side begins to
    /// listen when it is first polled. Ends when the door is closed, or the
    /// owner has gone and nobody took its place.
    pub fn events(&self, after: Option<Mark>) -> BoxStream<'static, FromOwner> {
        let mut watching = Watching { shared: self.shared.clone(), after, events: None };
        // What this process does itself is watched from now on.
        if self.owns() {
            watching.begin();
        }
        let closed = self.shared.closed.clone().cancelled_owned();
        let events = stream::unfold(watching, |mut watching| async move {
            let said = watching.next().await?;
            Some((said, watching))
        });
        events.take_until(closed).boxed()
    }

    /// Whether this process owns the workspace now.
    pub fn owns(&self) -> bool {
        match self.entered().side {
            Side::Local(_) => true,
            Side::Remote(_) => false,
        }
    }

    /// Whether this process owns the workspace, and others are connected to it.
    pub fn is_shared(&self) -> bool {
        match self.entered().side {
            Side::Local(ref local) => local.is_shared(),
            Side::Remote(_) => false,
        }
    }

    /// Gives the workspace up, if this process owns it. Other clones of this
    /// door lead nowhere afterwards.
    pub async fn close(self) {
        self.shared.closed.cancel();
        // Nobody may be about to take the workspace over.
        let _nobody_enters = self.shared.entering.lock().await;
        let side = self.entered().side.clone();
        match side {
            Side::Local(local) => local.close().await,
            Side::Remote(_) => {}
        }
    }

    fn entered(&self) -> MutexGuard<'_, Entered> {
        self.shared.entered()
    }
}

impl Shared {
    /// Finds the workspace again after it was lost, for the first who asks
    /// after that loss.
    async fn mend(&self, times: u64) -> Result<Entered, Fault> {
        let _one_at_a_time = self.entering.lock().await;
        if self.closed.is_cancelled() {
            return Err(fault::closed());
        }
        let entered = self.entered().clone();
        if entered.times != times {
            return Ok(entered);
        }
        let side = match &self.means {
            Some(means) => means.enter().await?,
            None => Side::Remote(call_patiently(&self.data).await?),
        };
        let entered = Entered { side, times: times + 1 };
        *self.entered() = entered.clone();
        Ok(entered)
    }

    fn entered(&self) -> MutexGuard<'_, Entered> {
        self.entered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Means {
    async fn enter(&self) -> Result<Side, Fault> {
        let data = &self.places.data;
        let until = Instant::now() + OPENING;
        loop {
            if let Claim::Taken(lock) = Lock::claim(data)? {
                let parts = (self.parts)(&self.places);
                return Local::open(self.places.clone(), parts, lock).await.map(Side::Local);
            }
            match Remote::open(data).await {
                Ok(remote) => return Ok(Side::Remote(remote)),
                // It is still opening, or has just closed.
                Err(_) if Instant::now() < until => sleep(BETWEEN_TRIES).await,
                Err(_) => return Err(fault::silent_owner(data)),
            }
        }
    }
}

async fn call_patiently(data: &Path) -> Result<Remote, Fault> {
    let until = Instant::now() + PATIENCE;
    loop {
        match Remote::open(data).await {
            Ok(remote) => return Ok(remote),
            Err(_) if Instant::now() < until => sleep(BETWEEN_TRIES).await,
            Err(_) => return Err(fault::owner_gone()),
        }
    }
}

impl Side {
    async fn send(&self, request: Request) -> Result<Answer, Lost> {
        match self {
            Side::Local(local) => Ok(local.send(request).await),
            Side::Remote(remote) => remote.send(request).await,
        }
    }

    fn events(&self, after: Option<Mark>) -> BoxStream<'static, FromOwner> {
        match self {
            Side::Local(local) => local.events(after),
            Side::Remote(remote) => remote.events(after),
        }
    }

    fn epoch(&self) -> u64 {
        match self {
            Side::Local(local) => local.epoch(),
            Side::Remote(remote) => remote.epoch(),
        }
    }
}

/// Events over changes of side: goes on after the last mark.
struct Watching {
    shared: Arc<Shared>,
    after: Option<Mark>,
    events: Option<Events>,
}

struct Events {
    stream: BoxStream<'static, FromOwner>,
    epoch: u64,
    times: u64,
    said_something: bool,
}

impl Watching {
    fn begin(&mut self) -> &mut Events {
        let Entered { side, times } = self.shared.entered().clone();
        let stream = side.events(self.after);
        self.events.insert(Events { stream, epoch: side.epoch(), times, said_something: false })
    }

    async fn next(&mut self) -> Option<FromOwner> {
        loop {
            if self.events.is_none() {
                self.begin();
            }
            let events = self.events.as_mut()?;
            if let Some(said) = events.stream.next().await {
                events.said_something = true;
                match &said {
                    FromOwner::Event(event) => {
                        self.after = Some(Mark { epoch: events.epoch, n: event.n });
                    }
                    FromOwner::Resync { now } => {
                        events.epoch = now.epoch;
                        self.after = Some(*now);
                    }
                    FromOwner::Answer(_) => {}
                }
                return Some(said);
            }
            // What went by in the meantime is unknown without a mark.
            self.after = self.after.or(Some(lock::LONG_AGO));
            if !events.said_something {
                sleep(BETWEEN_TRIES).await;
            }
            let times = events.times;
            self.events = None;
            self.shared.mend(times).await.ok()?;
        }
    }
}

/// Lays a backup ready where nobody has the workspace open, also one that cannot be opened
/// any more: it is put in place at the next opening. None where somebody has it open.
pub async fn restore_unopened(places: Places, path: String) -> Result<Option<Restore>, Fault> {
    unopened(places, move |places| workspace::restore_unopened(places, &path)).await
}

/// Has nothing put in place at the next opening. None where somebody has it open.
pub async fn forget_restore_unopened(places: Places) -> Result<Option<()>, Fault> {
    unopened(places, workspace::forget_restore_unopened).await
}

async fn unopened<T: Send + 'static>(
    places: Places,
    work: impl FnOnce(&Places) -> Result<T, Fault> + Send + 'static,
) -> Result<Option<T>, Fault> {
    let Claim::Taken(lock) = Lock::claim(&places.data)? else { return Ok(None) };
    let worked = tokio::task::spawn_blocking(move || {
        let worked = work(&places);
        drop(lock);
        worked
    });
    let worked = worked
        .await
        .map_err(|error| Fault::new(FaultCode::Internal, error.to_string(), "report this"))?;
    worked.map(Some)
}

/// What the owner of a workspace, or the last one, wrote about itself.
pub fn owner(data: &Path) -> Option<Owner> {
    lock::read(data)
}
