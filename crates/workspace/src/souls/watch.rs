//! Tells when a folder of the person's is worth another look; of the souls, or of the
//! skills.
//!
//! It watches the folder, never a file: editors save by renaming a new file
//! over the old one. A signal says nothing about what happened; the reader
//! looks at everything and compares hashes. Signals pile up to one. Whenever
//! events may have been missed (at the start, after an overflow, when the
//! folder itself was replaced) there is a signal too, and where watching is
//! impossible there is one at every tick instead. What the system does not tell
//! of, `sweep` finds a little later.
//!
//! A version is a text that its writer was done with: had closed the file, or
//! had left alone for `PATIENCE`. Whoever keeps it open and writes in pieces
//! may pause between them, and half a soul does not come into force; an
//! ordinary save closes the file at once and does not wait. An editor that
//! closes the file after each piece saves several times, and so it looks where
//! the system does not tell when files are closed: there each pause longer
//! than `QUIET` ends a version.

use super::sweep::sweep;
use super::watched::Watched;
use notify::{
    self, Config, Event, EventKind, RecommendedWatcher, Watcher, WatcherKind,
    event::{AccessKind, AccessMode, ModifyKind},
};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

/// A save is several events; it is over when none came for so long.
const QUIET: Duration = Duration::from_millis(80);

/// How long to wait for the next piece of a soul that is open for writing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where it never becomes quiet there is a look so often.
const LONGEST: Duration = Duration::from_secs(10);

/// Watches until it is dropped; then the receiver ends.
pub struct Watch {
    task: JoinHandle<()>,
}

impl Watch {
    /// The first signal comes by itself. Needs a tokio runtime around it.
    pub fn start(folder: PathBuf, watched: Watched) -> (Watch, mpsc::Receiver<()>) {
        let arm = move |folder: &Path, bell| arm(folder, watched, bell);
        Watch::start_with(folder, watched, watched.tick(), arm)
    }

    fn start_with<G: Send + 'static>(
        folder: PathBuf,
        watched: Watched,
        tick: Duration,
        arm: impl FnMut(&Path, Bell) -> notify::Result<G> + Send + 'static,
    ) -> (Watch, mpsc::Receiver<()>) {
        let (looks, receiver) = mpsc::channel(1);
        // Events name absolute paths.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        let task = tokio::spawn(keep(folder, watched, looks, tick, arm));
        (Watch { task }, receiver)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What the watching thread rings.
#[derive(Clone, Default)]
struct Bell {
    stirred: Arc<Notify>,
    lost: Arc<Notify>,
    /// The souls that somebody has written to and not closed. Always empty
    /// where the system does not tell when files are closed.
    open: Arc<Mutex<HashSet<PathBuf>>>,
}

impl Bell {
    /// Something happened in the folder.
    fn stir(&self) {
        self.stirred.notify_one();
    }

    /// The watch no longer sees everything and has to be set up anew.
    fn lost(&self) {
        self.lost.notify_one();
    }

    fn open(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Comes back when something has happened and whoever did it is done.
    async fn settled(&self) {
        self.stirred.notified().await;
        let begun = Instant::now();
        while begun.elapsed() < LONGEST {
            let quiet = if self.open().is_empty() { QUIET } else { PATIENCE };
            if timeout(quiet, self.stirred.notified()).await.is_err() {
                return;
            }
        }
    }
}

/// Keeps a watch on the folder for as long as anybody listens.
async fn keep<G>(
    folder: PathBuf,
    watched: Watched,
    looks: mpsc::Sender<()>,
    tick: Duration,
    mut arm: impl FnMut(&Path, Bell) -> notify::Result<G>,
) {
    let look = || {
        // Full: the reader has not begun the look that is asked for already.
        let _ = looks.try_send(());
    };
    let mut complaint = String::new();
    while !looks.is_closed() {
        let bell = Bell::default();
        match arm(&folder, bell.clone()) {
            Ok(guard) => {
                complaint.clear();
                // What was missed until now; somebody may be in the middle of it.
                bell.stir();
                let sweeping = sweep(&folder, watched, || bell.stir());
                tokio::pin!(sweeping);
                loop {
                    tokio::select! {
                        // It goes on where it was while the others come and go.
                        never = &mut sweeping => match never {},
                        () = bell.settled() => look(),
                        () = bell.lost.notified() => break,
                        () = looks.closed() => return,
                    }
                }
                drop(guard);
                look();
            }
            Err(error) => {
                look();
                if complaint != error.to_string() {
                    complaint = error.to_string();
                    tracing::warn!(folder = %folder.display(), "cannot watch this folder, looking into it every {tick:?} instead: {complaint}");
                }
            }
        }
        tokio::select! {
            () = sleep(tick) => {}
            () = looks.closed() => return,
        }
    }
}

fn arm(folder: &Path, kind: Watched, bell: Bell) -> notify::Result<RecommendedWatcher> {
    let watched = folder.to_owned();
    let tells_of_closing = RecommendedWatcher::kind() == WatcherKind::Inotify;
    let handler = move |event: notify::Result<Event>| match event {
        Ok(event) => {
            if tells_of_closing {
                note(&event, kind, &mut bell.open());
            }
            match meaning(&event, kind, &watched) {
                Meaning::Nothing => {}
                Meaning::Stir => bell.stir(),
                Meaning::Lost => bell.lost(),
            }
        }
        Err(error) => {
            tracing::warn!(folder = %watched.display(), "watching this folder: {error}");
            bell.lost();
        }
    };
    let mut watcher = RecommendedWatcher::new(handler, Config::default())?;
    watcher.watch(folder, kind.depth())?;
    Ok(watcher)
}

#[derive(Debug, PartialEq, Eq)]
enum Meaning {
    /// Of no soul, or that one was opened: a look opens every file, and each look would
    /// ask for the next, for ever.
    Nothing,
    Stir,
    /// Events were dropped, or the folder itself is another one.
    Lost,
}

fn meaning(event: &Event, kind: Watched, folder: &Path) -> Meaning {
    let is_only_reading = match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
        EventKind::Access(_) => true,
        _ => false,
    };
    if event.need_rescan() || event.paths.is_empty() {
        Meaning::Lost
    } else if is_only_reading {
        Meaning::Nothing
    } else if event.paths.iter().any(|path| path == folder) {
        Meaning::Lost
    } else if event.paths.iter().any(|path| kind.means(path, folder)) {
        Meaning::Stir
    } else {
        Meaning::Nothing
    }
}

/// Keeps account of who is in the middle of writing a soul.
fn note(event: &Event, kind: Watched, open: &mut HashSet<PathBuf>) {
    match event.kind {
        EventKind::Modify(ModifyKind::Data(_)) => {
            open.extend(event.paths.iter().filter(|path| kind.counts(path)).cloned());
        }
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Modify(ModifyKind::Name(_))
        | EventKind::Remove(_) => open.retain(|path| !event.paths.contains(path)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
