//! One command's way to the workspace.

use crate::arguments::Global;
use crate::environment;
use crate::names::Names;
use crate::screen::{Failure, Screen};
use crate::{quiet, words};
use domain::{Call, Command, Fault, FaultCode, Overview, Query, Reply, Secret};
use door::{Door, KeyParts, Parts, Places, Start};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep};

const A_MOMENT: Duration = Duration::from_secs(2);
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

pub(crate) struct Session {
    pub door: Door,
    pub screen: Screen,
    pub places: Places,
    /// Of the sealed file, where it was handed to this process.
    pub passphrase: Option<Secret>,
    /// Nobody waits for what agents do in this process: it only looks, or the person has gone.
    leaves: AtomicBool,
    pub opened_ms: i64,
}

impl Session {
    pub(crate) async fn open(global: &Global, screen: &Screen) -> Result<Session, Failure> {
        Session::open_with(global, screen, Start::Still, environment::passphrase(None)?).await
    }

    /// Opens the workspace for a while: its agents take up what waits for them.
    pub(crate) async fn open_to_work(global: &Global, screen: &Screen) -> Result<Session, Failure> {
        Session::open_with(global, screen, Start::Working, environment::passphrase(None)?).await
    }

    /// For as long as the process lives, with nobody to ask. A command that has the workspace
    /// open for a moment is waited for.
    pub(crate) async fn open_to_serve(
        global: &Global,
        screen: &Screen,
        passphrase_file: Option<&Path>,
    ) -> Result<Session, Failure> {
        // What a descriptor holds is read once.
        let passphrase = environment::passphrase(passphrase_file)?;
        let until = Instant::now() + A_MOMENT;
        loop {
            let known = passphrase.clone();
            let session = Session::open_with(global, screen, Start::Working, known).await?;
            if session.door.owns() || Instant::now() >= until {
                return Ok(session);
            }
            session.close().await;
            sleep(BETWEEN_TRIES).await;
        }
    }

    async fn open_with(
        global: &Global,
        screen: &Screen,
        start: Start,
        passphrase: Option<Secret>,
    ) -> Result<Session, Failure> {
        let places = environment::find_places(global)?.places;
        let (redactor, known) = (global.redactor.clone(), passphrase.clone());
        let parts = move |places: &Places| {
            let parts = environment::parts(places);
            let (redactor, passphrase) = (redactor.clone(), known.clone());
            Parts { start, keys: KeyParts { redactor, passphrase, ..parts.keys }, ..parts }
        };
        let opened_ms = words::now_ms();
        let door = Door::open(places.clone(), parts).await?;
        let leaves = AtomicBool::new(start == Start::Still);
        let screen = screen.clone();
        Ok(Session { door, screen, places, passphrase, leaves, opened_ms })
    }

    /// With whoever else is at work here cut off.
    pub(crate) async fn close(self) {
        self.door.close().await;
    }

    /// After what others have asked agents for meanwhile, and what waited for whoever opens
    /// the workspace.
    pub(crate) async fn close_after_others(self) {
        quiet::let_others_finish(&self).await;
        self.close().await;
    }

    /// What nobody else follows may be cut off.
    pub(crate) fn leave(&self) {
        self.leaves.store(true, Ordering::Relaxed);
    }

    /// Whether agents are at work in this process, and somebody waits for them.
    pub(crate) fn works(&self) -> bool {
        self.door.owns() && !self.leaves.load(Ordering::Relaxed)
    }

    pub(crate) async fn order(&self, command: Command) -> Result<Reply, Fault> {
        self.door.ask(Call::Command(command)).await
    }

    pub(crate) async fn ask(&self, query: Query) -> Result<Reply, Fault> {
        self.door.ask(Call::Query(query)).await
    }

    pub(crate) async fn names(&self) -> Result<Names, Fault> {
        let mut overview = match self.ask(Query::Overview).await? {
            Reply::Overview(overview) => *overview,
            other => return Err(unexpected(&other)),
        };
        // Who has ended is still called something.
        overview.agents = match self.ask(Query::Agents).await? {
            Reply::Agents(agents) => agents,
            other => return Err(unexpected(&other)),
        };
        Ok(Names::new(overview))
    }

    pub(crate) async fn overview(&self) -> Result<Overview, Fault> {
        Ok(self.names().await?.overview)
    }
}

/// Takes the one kind of reply out that a request is answered by.
macro_rules! answered {
    ($reply:expr, $kind:ident) => {
        match $reply {
            domain::Reply::$kind(reply) => Ok(reply),
            other => Err($crate::session::unexpected(&other)),
        }
    };
}
pub(crate) use answered;

pub(crate) fn unexpected(reply: &Reply) -> Fault {
    let kind = serde_json::to_value(reply)
        .ok()
        .and_then(|value| value["kind"].as_str().map(str::to_owned));
    Fault::new(
        FaultCode::Internal,
        format!(
            "the workspace answered with {:?}, which does not belong to the question",
            kind.unwrap_or_default()
        ),
        "use the same version of Coterie for the command line and the window",
    )
}
