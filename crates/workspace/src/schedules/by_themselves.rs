//! Waits for the next time of any schedule.

use super::give::give_due;
use super::of_souls;
use crate::shared::Shared;
use std::sync::Arc;
use std::time::Duration;
use store::StoreError;
use store::table::{schedules, settings};

/// How often the clock is looked at: it may be put forward, and a machine may have
/// slept.
const LOOK_EVERY: Duration = Duration::from_secs(30);
/// Nobody asks the database without end where something goes wrong.
const LEAST: Duration = Duration::from_millis(250);

/// Gives what is due, again and again, until the workspace closes.
pub(crate) async fn keep_to_times(shared: Arc<Shared>) {
    loop {
        if let Err(fault) = of_souls::follow(&shared).await {
            tracing::warn!(%fault, "the heartbeats that souls say are not followed");
        }
        if let Err(fault) = give_due(&shared).await {
            tracing::warn!(%fault, "what is due by a schedule is not given");
        }
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = shared.schedules.changed.notified() => {}
            () = tokio::time::sleep(pause(&shared)) => {}
        }
    }
}

fn pause(shared: &Shared) -> Duration {
    let next = shared.store.read(|read| {
        let waits = !settings::get(read)?.all_paused;
        Ok::<_, StoreError>(schedules::next_ms(read)?.filter(|_| waits))
    });
    let Ok(Some(next)) = next else { return LOOK_EVERY };
    let ahead = u64::try_from(next.saturating_sub(shared.now_ms())).unwrap_or(0);
    Duration::from_millis(ahead).clamp(LEAST, LOOK_EVERY)
}
