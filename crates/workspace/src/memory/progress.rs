//! Tells who looks how far something is that takes a while with many memories.

use crate::events::Events;
use domain::{MemoryProgress, MemoryWork, Update};

/// Says that it has ended when it is dropped, however that came.
pub(super) struct Progress {
    events: Events,
    told: MemoryProgress,
}

impl Progress {
    pub(super) fn of(events: &Events, work: MemoryWork, of: u32) -> Progress {
        let progress =
            Progress { events: events.clone(), told: MemoryProgress { work, done: 0, of } };
        progress.tell();
        progress
    }

    pub(super) fn come_to(&mut self, done: u32) {
        // Only its end may look like its end.
        let done = done.min(self.told.of.saturating_sub(1));
        if done > self.told.done {
            self.told.done = done;
            self.tell();
        }
    }

    fn tell(&self) {
        let progress = self.told;
        self.events.publish(vec![Update::MemoryProgress { progress }]);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.told.done = self.told.of;
        self.tell();
    }
}
