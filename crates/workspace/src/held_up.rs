//! When the disk takes nothing: what a turn has to write waits until there is
//! room, and everybody is told why nothing moves.

use crate::events::Events;
use crate::shared::Shared;
use domain::{Fault, FaultCode, Update};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long to wait before the database is tried again.
pub(crate) const CANNOT_WRITE: Duration = Duration::from_secs(2);

pub(crate) struct HeldUp {
    why: Mutex<Option<Fault>>,
    events: Events,
}

impl HeldUp {
    pub(crate) fn new(events: Events) -> Self {
        HeldUp { why: Mutex::default(), events }
    }

    /// What keeps turns from going on, if anything does.
    pub(crate) fn why(&self) -> Option<Fault> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Publishes it where it is news.
    fn tell(&self, now: Option<&Fault>) {
        let mut why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        if why.as_ref() != now {
            *why = now.cloned();
            self.events.publish(vec![Update::HeldUp { why: why.clone() }]);
        }
    }
}

/// Does it, again and again while the disk does not take it. A fault of any
/// other kind is given back, and so is the disk's when it is time to leave.
pub(crate) async fn insist<T, Doing>(
    shared: &Shared,
    leave: &CancellationToken,
    mut work: impl FnMut() -> Doing,
) -> Result<T, Fault>
where
    Doing: Future<Output = Result<T, Fault>>,
{
    loop {
        let fault = match work().await {
            Ok(done) => {
                shared.held_up.tell(None);
                return Ok(done);
            }
            Err(fault) if fault.code != FaultCode::Storage => return Err(fault),
            Err(fault) => fault,
        };
        tracing::warn!(%fault, "a turn waits for the disk");
        shared.held_up.tell(Some(&fault));
        tokio::select! {
            () = leave.cancelled() => return Err(fault),
            () = tokio::time::sleep(CANNOT_WRITE) => {}
        }
    }
}
