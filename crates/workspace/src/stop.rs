//! Ending runs at a person's word: done when it stands on the disk, so that no
//! restart goes on with what was stopped.

use crate::shared::{Shared, Why};
use domain::{Fault, FaultCode, FromOwner, Record, RunState, Target, Update};
use futures::StreamExt;
use std::time::Duration;
use store::table::runs;

/// How long a stop that cannot be written down yet is waited for.
const STOPS_IN: Duration = Duration::from_secs(5);

/// Ends the runs that fit, and waits until that stands on the disk.
pub(crate) async fn stop(shared: &Shared, target: Target) -> Result<(), Fault> {
    // From before the stop, so that nothing is missed.
    let mut events = Box::pin(shared.events.subscribe(None));
    let mut open = match target {
        Target::Group(group) => {
            shared.going_on.stop(Why::StoppedByUser, |_, going| going.group == group)
        }
        Target::Run(run) => shared.going_on.stop(Why::StoppedByUser, |id, _| id == run),
    };
    if let (Target::Run(run), []) = (target, open.as_slice()) {
        shared.store.read(|read| Ok::<_, Fault>(runs::get(read, run)?))?;
    }
    let settled = async {
        while !open.is_empty() {
            let Some(FromOwner::Event(event)) = events.next().await else { return };
            match event.update {
                Update::Saved { record: Record::Run(run) } if run.state != RunState::Running => {
                    open.retain(|id| *id != run.id);
                }
                Update::HeldUp { why: Some(_) } => return,
                _ => {}
            }
        }
    };
    // A step that is being written down ends first; nothing is lost by leaving.
    let _ = tokio::time::timeout(STOPS_IN, settled).await;
    match shared.held_up.why() {
        Some(why) if !open.is_empty() => Err(Fault {
            message: format!("stopped, but that cannot be saved yet: {}", why.message),
            ..why
        }),
        None if !open.is_empty() => Err(Fault::new(
            FaultCode::TimedOut,
            "stopped, but that has not been saved yet",
            "look at the runs in a moment; a restart before that goes on with them",
        )),
        _ => Ok(()),
    }
}
