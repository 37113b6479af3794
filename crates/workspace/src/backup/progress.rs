//! Tells who looks how far a copy of the workspace is.

use crate::events::Events;
use domain::{BackupProgress, BackupWork, Update};

/// Says that it has ended when it is dropped, however that came.
pub(super) struct Progress {
    events: Events,
    told: BackupProgress,
}

impl Progress {
    pub(super) fn of(events: &Events, work: BackupWork, of_bytes: u64) -> Progress {
        let told = BackupProgress { work, done_bytes: 0, of_bytes };
        let progress = Progress { events: events.clone(), told };
        progress.tell();
        progress
    }

    /// A hundredth is worth telling, and only the end may look like the end.
    pub(super) fn come_to(&mut self, done_bytes: u64) {
        let done = done_bytes.min(self.told.of_bytes.saturating_sub(1));
        if done - self.told.done_bytes.min(done) > self.told.of_bytes / 100 {
            self.told.done_bytes = done;
            self.tell();
        }
    }

    fn tell(&self) {
        let progress = self.told;
        self.events.publish(vec![Update::BackupProgress { progress }]);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.told.done_bytes = self.told.of_bytes;
        self.tell();
    }
}
