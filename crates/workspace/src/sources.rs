//! Sources: what is told in the feed when it happens, with nobody there to write it.
//!
//! A source writes posts as everybody does (`tell`), so that who answers them, how deep,
//! how often and for what is decided as ever. What it writes and how far it has come are
//! one transaction: what ends or is contradicted waits in a queue of its own, what is in
//! a folder is compared with what was there (`folder`, plain), what other programs send
//! comes in by a door of its own (`hooks`). `words` puts it into words.
//! `follow` looks whenever something may have happened, `change` is what a person does.
//!
//! Nothing feeds itself: what goes back to a source is told by none, a folder that
//! changes while agents work on what it told goes on with their depth, and no source
//! writes more in an hour than its person said.

mod change;
mod folder;
mod follow;
mod hooks;
mod look;
mod tell;
mod words;

pub(crate) use change::{new, remove, switch};
pub(crate) use folder::is_beside;
pub(crate) use follow::follow;
pub(crate) use look::{all, folders};
pub(crate) use tell::look_at_all;
pub(crate) use words::told_of_memory;

use domain::{Fault, FeedSourceId, MemoryState, Record, RunState, Update};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::table::feed_sources;
use store::{Read, StoreError};
use tokio::sync::{Notify, watch};

/// What is kept of sources beside the database.
#[derive(Default)]
pub(crate) struct Sources {
    bell: Arc<Notify>,
    /// Whether any tells of runs or memories.
    listens: Arc<AtomicBool>,
    /// One look at a time.
    looking: tokio::sync::Mutex<()>,
    now: Mutex<Now>,
    door: watch::Sender<Door>,
}

/// The port at which other programs are heard, or why they are not; none while nobody
/// wants to hear them.
type Door = Option<Result<u16, Fault>>;

/// How the sources stand at the moment.
#[derive(Default)]
struct Now {
    /// Something may have changed in their folders.
    stirred: HashSet<FeedSourceId>,
    /// They have more to tell than they may.
    held_back: HashSet<FeedSourceId>,
    problems: HashMap<FeedSourceId, Fault>,
}

impl Sources {
    /// Hears what is committed.
    pub(crate) fn ear(&self) -> Ear {
        Ear { bell: self.bell.clone(), listens: self.listens.clone() }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rings when there may be something to tell.
pub(crate) struct Ear {
    bell: Arc<Notify>,
    listens: Arc<AtomicBool>,
}

impl Ear {
    pub(crate) fn hear(&self, updates: &[Update]) {
        let listens = self.listens.load(Ordering::Relaxed);
        let is_news = |update: &Update| match update {
            // A community that comes back is written in again.
            Update::Saved {
                record: Record::Source(_) | Record::Settings(_) | Record::Community(_),
            } => true,
            Update::Saved { record: Record::Run(run) } => {
                listens && matches!(run.state, RunState::Settled | RunState::Failed)
            }
            Update::Saved { record: Record::Memory(memory) } => {
                listens && matches!(memory.state, MemoryState::Contested(_))
            }
            _ => false,
        };
        if updates.iter().any(is_news) {
            self.bell.notify_one();
        }
    }
}

/// What people and agents read before what a source tells: never a name alone, which
/// might be somebody's.
pub(crate) fn called(read: &Read<'_>, source: FeedSourceId) -> Result<String, StoreError> {
    Ok(format!("{} (source)", feed_sources::name(read, source)?))
}
