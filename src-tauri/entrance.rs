//! Opens the workspace, once, and gives it up at the end.
//!
//! What cannot be opened is tried again by the next request, so that a person
//! can mend the cause and need not start the window anew.

use crate::environment;
use domain::{Fault, FaultCode};
use door::{Door, Places, Redactor};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// How long the window, already gone from the screen, may stay to put turns
/// away. What is cut off then is found as interrupted at the next start.
const CLOSING: Duration = Duration::from_secs(5);

pub(crate) struct Entrance {
    places: Result<Places, Fault>,
    /// Stands in the log since before the workspace was open.
    redactor: Redactor,
    at: Mutex<At>,
}

enum At {
    Outside,
    Inside(Arc<Door>),
    /// The process ends.
    Closed,
}

impl Entrance {
    pub(crate) fn new(places: Result<Places, Fault>, redactor: Redactor) -> Self {
        Entrance { places, redactor, at: Mutex::new(At::Outside) }
    }

    /// The open door; waits while it is being opened.
    pub(crate) async fn door(&self) -> Result<Arc<Door>, Fault> {
        let mut at = self.at.lock().await;
        match &*at {
            At::Inside(door) => return Ok(door.clone()),
            At::Closed => return Err(closing()),
            At::Outside => {}
        }
        let places = self.places.clone()?;
        let data = places.data.clone();
        let redactor = self.redactor.clone();
        let parts = move |places: &Places| environment::parts(places, redactor.clone());
        let opened = Door::open(places, parts).await;
        let door = Arc::new(opened.inspect_err(|fault| tracing::error!("{fault}"))?);
        tracing::info!(data = %data.display(), owner = door.owns(), "the workspace is open");
        *at = At::Inside(door.clone());
        Ok(door)
    }

    /// The owner behind this door went away: the next request may find another
    /// one, or become it.
    pub(crate) async fn leave(&self, gone: &Arc<Door>) {
        let mut at = self.at.lock().await;
        if matches!(&*at, At::Inside(door) if Arc::ptr_eq(door, gone)) {
            *at = At::Outside;
        }
    }

    /// Has the workspace opened anew by the next request, if this process has it open; what
    /// waits to be restored is put in place then. Says whether it has.
    pub(crate) async fn reopen(&self) -> bool {
        let mut at = self.at.lock().await;
        let owner = match &*at {
            At::Inside(door) if door.owns() => Door::clone(door),
            At::Inside(_) | At::Outside | At::Closed => return false,
        };
        owner.close().await;
        *at = At::Outside;
        tracing::info!("the workspace is opened anew");
        true
    }

    pub(crate) async fn close(&self) {
        let closing = async {
            let at = std::mem::replace(&mut *self.at.lock().await, At::Closed);
            if let At::Inside(door) = at {
                Door::clone(&door).close().await;
            }
        };
        if timeout(CLOSING, closing).await.is_err() {
            tracing::warn!("the workspace took too long to close");
        }
    }
}

fn closing() -> Fault {
    Fault::new(FaultCode::Internal, "Coterie is being closed", "start it again")
}
