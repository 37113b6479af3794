//! Tells when the souls folder is worth another look.
//!
//! It watches the folder, never a file: editors save by renaming a new file
//! over the old one. A signal says nothing about what happened; the reader
//! looks at everything and compares hashes. Signals pile up to one. Whenever
//! events may have been missed (at the start, after an overflow, when the
//! folder itself was replaced) there is a signal too, and where watching is
//! impossible there is one at every tick instead.

use notify_debouncer_mini::notify::{
    self, Config, Event, EventHandler, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    WatcherKind,
    event::{AccessKind, AccessMode},
};
use notify_debouncer_mini::{
    self as debouncer, DebounceEventHandler, DebounceEventResult, DebouncedEvent,
    DebouncedEventKind, Debouncer,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

/// The debouncer takes up to twice as long.
const DEBOUNCE: Duration = Duration::from_millis(80);

/// How often to look, and to try watching again, while watching is impossible.
const TICK: Duration = Duration::from_millis(250);

/// Watches until it is dropped; then the receiver ends.
pub struct Watch {
    task: JoinHandle<()>,
}

impl Watch {
    /// The first signal is there at once. Needs a tokio runtime around it.
    pub fn start(folder: PathBuf) -> (Watch, mpsc::Receiver<()>) {
        Watch::start_with(folder, TICK, arm)
    }

    fn start_with<G: Send + 'static>(
        folder: PathBuf,
        tick: Duration,
        arm: impl FnMut(&Path, Bell) -> notify::Result<G> + Send + 'static,
    ) -> (Watch, mpsc::Receiver<()>) {
        let (looks, receiver) = mpsc::channel(1);
        // Events name absolute paths.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        let task = tokio::spawn(keep(folder, looks, tick, arm));
        (Watch { task }, receiver)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What the watching thread rings.
#[derive(Clone)]
struct Bell {
    looks: mpsc::Sender<()>,
    lost: Arc<Notify>,
}

impl Bell {
    fn look(&self) {
        // Full: the reader has not begun the look that is asked for already.
        let _ = self.looks.try_send(());
    }

    /// The watch no longer sees everything and has to be set up anew.
    fn lost(&self) {
        self.lost.notify_one();
    }
}

/// Keeps a watch on the folder for as long as anybody listens.
async fn keep<G>(
    folder: PathBuf,
    looks: mpsc::Sender<()>,
    tick: Duration,
    mut arm: impl FnMut(&Path, Bell) -> notify::Result<G>,
) {
    let mut complaint = String::new();
    while !looks.is_closed() {
        let bell = Bell { looks: looks.clone(), lost: Arc::new(Notify::new()) };
        match arm(&folder, bell.clone()) {
            Ok(guard) => {
                complaint.clear();
                bell.look();
                tokio::select! {
                    () = bell.lost.notified() => drop(guard),
                    () = looks.closed() => return,
                }
            }
            Err(error) => {
                if complaint != error.to_string() {
                    complaint = error.to_string();
                    tracing::warn!(folder = %folder.display(), "cannot watch the souls folder, looking into it every {tick:?} instead: {complaint}");
                }
                bell.look();
            }
        }
        tokio::select! {
            () = tokio::time::sleep(tick) => {}
            () = looks.closed() => return,
        }
    }
}

fn arm(folder: &Path, bell: Bell) -> notify::Result<Debouncer<Writes>> {
    let watched = folder.to_owned();
    debounce(folder, move |events: DebounceEventResult| {
        // Who writes a file in pieces is not interrupted: its end is told too.
        let goes_on = |event: &DebouncedEvent| event.kind == DebouncedEventKind::AnyContinuous;
        if events.as_ref().is_ok_and(|events| events.iter().all(goes_on)) {
            return;
        }
        match events {
            Ok(events) if events.iter().all(|event| event.path != watched) => {}
            Ok(_) => bell.lost(),
            Err(error) => {
                tracing::warn!(folder = %watched.display(), "watching the souls folder: {error}");
                bell.lost();
            }
        }
        bell.look();
    })
}

fn debounce(
    folder: &Path,
    handler: impl DebounceEventHandler,
) -> notify::Result<Debouncer<Writes>> {
    let config = debouncer::Config::default().with_timeout(DEBOUNCE);
    let mut debouncer = debouncer::new_debouncer_opt::<_, Writes>(config, handler)?;
    debouncer.watcher().watch(folder, RecursiveMode::NonRecursive)?;
    Ok(debouncer)
}

/// The system's watcher, less what would mislead the debouncer.
///
/// Opening a file is an event too, and a look opens every file: each look
/// would ask for the next, for ever. And the debouncer drops events that name
/// no path, which is what an overflow is.
struct Writes {
    system: RecommendedWatcher,
    /// What to name where an event names nothing.
    folder: Arc<OnceLock<PathBuf>>,
}

impl Watcher for Writes {
    fn new<F: EventHandler>(handler: F, config: Config) -> notify::Result<Writes> {
        let folder = Arc::new(OnceLock::new());
        let handler = only_writes(handler, Arc::clone(&folder));
        Ok(Writes { system: RecommendedWatcher::new(handler, config)?, folder })
    }

    fn watch(&mut self, path: &Path, mode: RecursiveMode) -> notify::Result<()> {
        self.folder.get_or_init(|| path.to_owned());
        self.system.watch(path, mode)
    }

    fn unwatch(&mut self, path: &Path) -> notify::Result<()> {
        self.system.unwatch(path)
    }

    fn kind() -> WatcherKind {
        RecommendedWatcher::kind()
    }
}

fn only_writes(
    mut handler: impl EventHandler,
    folder: Arc<OnceLock<PathBuf>>,
) -> impl FnMut(notify::Result<Event>) + Send + 'static {
    move |event| match event {
        Ok(event) if is_only_reading(&event) => {}
        Ok(event) if event.paths.is_empty() => {
            handler.handle_event(Ok(event.add_some_path(folder.get().cloned())));
        }
        event => handler.handle_event(event),
    }
}

fn is_only_reading(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
        EventKind::Access(_) => !event.need_rescan(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
