//! `coterie serve`: the workspace without a window, until a signal ends it.

use crate::key;
use crate::memory;
use crate::screen::{Failure, Format};
use crate::session::Session;
use crate::words;
use clap::Args;
use domain::{Command as Order, Event, Fault, FaultCode, FromOwner, SealedFile, Update};
use futures::StreamExt;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Serve {
    /// Holds the passphrase of the sealed file; /dev/fd/3 is a file descriptor [default: $COTERIE_PASSPHRASE_FILE]
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
}

pub(crate) async fn run(session: &Session) -> Result<(), Failure> {
    let data = &session.places.data;
    let owner = door::owner(data);
    if !session.door.owns() {
        let pid = owner.map(|owner| format!(" (pid {})", owner.pid)).unwrap_or_default();
        return Err(Failure::from(Fault::new(
            FaultCode::Conflict,
            format!("another process{pid} already has the workspace in {} open", data.display()),
            "use that one: every command reaches it, or close it first",
        )));
    }
    open_sealed_file(session).await?;
    // From before the announcement, so that whoever reads it may end it.
    let mut ended =
        Signals::new().map_err(|error| Failure::internal(format!("wait for signals: {error}")))?;
    session.screen.one(&owner, |_| {
        let socket = owner.as_ref().and_then(|owner| owner.socket.as_ref());
        let place = socket.map_or("for this process only".to_owned(), |socket| {
            format!("on {}", socket.display())
        });
        format!("the workspace in {} is open, listening {place}; ctrl-C closes it", data.display())
    });
    if let Some(restored) = session.overview().await?.settings.restored {
        session.screen.aside(&words::restored(&restored));
    }
    if session.screen.format == Format::Jsonl {
        let events = session.door.events(None).for_each(async |said| {
            if let FromOwner::Event(event) = said {
                session.screen.one(&event, |_| String::new());
            }
        });
        tokio::select! { () = events => {}, () = ended.any() => {} }
    } else {
        tokio::select! { told = tell_of_imports(session) => told?, () = ended.any() => {} }
    }
    Ok(())
}

/// Says of each import that was cut off why it does not go on, once; never ends.
async fn tell_of_imports(session: &Session) -> Result<(), Fault> {
    let mut events = session.door.events(None);
    let mut told = Vec::new();
    let mut index = memory::look_at_index(session).await?;
    loop {
        for import in index.cut_off {
            if !told.contains(&import) {
                session.screen.aside(&memory::cut_off_import(&import));
                told.push(import);
            }
        }
        index = loop {
            match events.next().await {
                Some(FromOwner::Event(Event { update: Update::MemoryIndex { index }, .. })) => {
                    break index;
                }
                Some(_) => {}
                None => std::future::pending().await,
            }
        };
    }
}

/// A wrong passphrase is known before the first agent wants a key.
async fn open_sealed_file(session: &Session) -> Result<(), Fault> {
    let Some(passphrase) = session.passphrase.clone() else { return Ok(()) };
    if key::look(session, false).await?.sealed == SealedFile::Locked {
        session.order(Order::UnlockKeys { passphrase }).await?;
    }
    Ok(())
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn any(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Signals)
    }

    async fn any(&mut self) {
        // Without signals it runs until it is killed, which loses nothing.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
