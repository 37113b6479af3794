//! The one writer: whoever holds the pen, which is the write connection.
//!
//! A job that finds the pen free takes it and is done without waiting for
//! another thread, in a transaction of its own. What comes meanwhile stands in line for the
//! writer's thread, which runs each job in a savepoint of its own and commits several of
//! them together: with many senders one fsync serves them all. A job that fails
//! rolls back alone. Answers and updates go out only after the commit.
//!
//! A third thread moves the log into the database, so that nobody's write waits for that.

mod move_log;

use crate::table::settings::LastRead;
use crate::{Read, StoreError};
use domain::{Record, Removed, RunId, Update};
use rusqlite::Connection;
use std::collections::VecDeque;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// How sure a commit must be of the disk before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// Survives the end of the process; a power cut may take the last moments.
    Process,
    /// Survives a power cut.
    Power,
}

/// A transaction in progress: everything a [`Read`] can, and the tables'
/// writes.
pub struct Write<'c> {
    read: Read<'c>,
    updates: Vec<Update>,
    /// The step that was added last, with its run.
    pub(crate) last_step: Option<(RunId, u32)>,
}

impl<'c> Deref for Write<'c> {
    type Target = Read<'c>;

    fn deref(&self) -> &Read<'c> {
        &self.read
    }
}

impl Write<'_> {
    pub(crate) fn saved(&mut self, record: Record) {
        self.updates.push(Update::Saved { record });
    }

    pub(crate) fn removed(&mut self, removed: Removed) {
        self.updates.push(Update::Removed { removed });
    }
}

pub(crate) struct Writer(Arc<Shared>);

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.line().is_closed = true;
        self.0.bell.notify_one();
    }
}

struct Shared {
    pen: Mutex<Pen>,
    line: Mutex<Line>,
    /// Rings for the writer's thread.
    bell: Condvar,
    /// Jobs in line, so that nobody who comes later goes before them.
    queued: AtomicUsize,
}

impl Shared {
    fn pen(&self) -> MutexGuard<'_, Pen> {
        self.pen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who waits for the pen.
#[derive(Default)]
struct Line {
    first: VecDeque<Job>,
    others: VecDeque<Job>,
    /// Nobody comes any more.
    is_closed: bool,
}

impl Line {
    fn of(&mut self, turn: Turn) -> &mut VecDeque<Job> {
        match turn {
            Turn::First => &mut self.first,
            Turn::Usual => &mut self.others,
        }
    }

    fn is_empty(&self) -> bool {
        self.first.is_empty() && self.others.is_empty()
    }

    fn take(&mut self, most: usize) -> VecDeque<Job> {
        let first = self.first.len().min(most);
        let others = self.others.len().min(most - first);
        self.first.drain(..first).chain(self.others.drain(..others)).collect()
    }

    /// What was taken and not run stands where it stood.
    fn put_back(&mut self, jobs: VecDeque<Job>) {
        for job in jobs.into_iter().rev() {
            self.of(job.turn).push_front(job);
        }
    }
}

/// Where a job stands in line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Before all but those that are as urgent.
    First,
    Usual,
}

struct Job {
    durability: Durability,
    turn: Turn,
    work: Work,
}

struct Pen {
    connection: Connection,
    settings: Arc<LastRead>,
    on_commit: Box<dyn Fn(Vec<Update>) + Send>,
    /// How the connection is set at the moment.
    synchronous: Durability,
    since_checkpoint: u32,
    /// Hears when the log is to be moved.
    log_is_long: mpsc::Sender<()>,
}

/// Is called once: with the transaction, or with why there is none.
type Work = Box<dyn FnOnce(Result<&mut Write<'_>, StoreError>) -> Verdict + Send>;

type Tell = Box<dyn FnOnce(Option<StoreError>) + Send>;

/// What a job leaves behind: whether to keep its writes, and how to tell its
/// sender once it is known whether the commit went through.
struct Verdict {
    keep: bool,
    tell: Tell,
}

/// As many jobs as share one commit at most.
const BATCH: usize = 512;
/// So long others are run in a commit that does not wait for the disk, which costs little
/// more than one of them: whoever comes next is not to wait for all of them.
const TOGETHER: Duration = Duration::from_millis(1);
/// After so many commits the log moves into the database.
const CHECKPOINT_AFTER: u32 = 400;

impl Writer {
    /// `mover` is a second connection to the same database, with which the log is moved
    /// into it while others write.
    pub(crate) fn start(
        connection: Connection,
        mover: Connection,
        settings: Arc<LastRead>,
        on_commit: impl Fn(Vec<Update>) + Send + 'static,
    ) -> Result<Writer, StoreError> {
        let (log_is_long, moves) = mpsc::channel();
        let pen = Pen {
            connection,
            settings,
            on_commit: Box::new(on_commit),
            synchronous: Durability::Process,
            since_checkpoint: 0,
            log_is_long,
        };
        let shared = Arc::new(Shared {
            pen: Mutex::new(pen),
            line: Mutex::default(),
            bell: Condvar::new(),
            queued: AtomicUsize::new(0),
        });
        let with = shared.clone();
        on_a_thread("coterie-writer", move || serve(&with))?;
        // It is there for as long as anybody may write, and not because of itself.
        let with = Arc::downgrade(&shared);
        on_a_thread("coterie-log", move || {
            move_log::give_way_to_others();
            while moves.recv().is_ok() {
                let Some(shared) = with.upgrade() else { return };
                move_log::move_log(&shared, &mover, || std::thread::sleep(move_log::PAUSE));
            }
        })?;
        Ok(Writer(shared))
    }

    pub(crate) async fn write<T, E>(
        &self,
        turn: Turn,
        durability: Durability,
        work: impl FnOnce(&mut Write<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        let work = move |write: Result<&mut Write<'_>, StoreError>| {
            let result = write.map_err(E::from).and_then(work);
            Verdict {
                keep: result.is_ok(),
                tell: Box::new(move |failure: Option<StoreError>| {
                    let result = match failure {
                        Some(failure) => result.and_then(|_| Err(failure.into())),
                        None => result,
                    };
                    // Nobody waits any more: the commit stands all the same.
                    drop(answer.send(result));
                }),
            }
        };
        self.hand_in(Job { durability, turn, work: Box::new(work) });
        answered.await.unwrap_or_else(|_| Err(StoreError::Stopped.into()))
    }

    fn hand_in(&self, job: Job) {
        if let Some(mut pen) = self.pen_for(&job) {
            let done = pen.commit(&mut VecDeque::from([job]));
            drop(pen);
            done.tell();
            return;
        }
        self.0.queued.fetch_add(1, Ordering::Relaxed);
        self.0.line().of(job.turn).push_back(job);
        self.0.bell.notify_one();
    }

    /// The pen, if it is free and the commit will not wait for the disk.
    fn pen_for(&self, job: &Job) -> Option<MutexGuard<'_, Pen>> {
        let is_next = job.turn == Turn::First || self.0.queued.load(Ordering::Relaxed) == 0;
        let at_once = job.durability == Durability::Process && is_next;
        at_once.then(|| self.0.pen.try_lock().ok()).flatten()
    }
}

fn on_a_thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
    let started = std::thread::Builder::new().name(name.into()).spawn(work);
    started.map(drop).map_err(|_| StoreError::Stopped)
}

fn serve(shared: &Shared) {
    while is_asked(shared) {
        // Who holds the pen now lets more jobs gather behind the first.
        let mut pen = shared.pen();
        let mut jobs = shared.line().take(BATCH);
        let taken = jobs.len();
        let done = pen.commit(&mut jobs);
        drop(pen);
        shared.queued.fetch_sub(taken - jobs.len(), Ordering::Relaxed);
        shared.line().put_back(jobs);
        done.tell();
    }
}

/// Waits until somebody stands in line; false when nobody ever will again.
fn is_asked(shared: &Shared) -> bool {
    let line = shared.line();
    let line = shared.bell.wait_while(line, |line| line.is_empty() && !line.is_closed);
    !line.unwrap_or_else(PoisonError::into_inner).is_empty()
}

/// Jobs that are committed, or not, and whose senders have yet to hear it. They are told
/// once the pen is free: whoever hears of it mostly wants to write next.
struct Done {
    tells: Vec<Tell>,
    failure: Option<StoreError>,
}

impl Done {
    fn tell(self) {
        for tell in self.tells {
            tell(self.failure.as_ref().map(again));
        }
    }
}

impl Pen {
    /// Commits the jobs together and publishes what they saved; leaves those that are to
    /// wait for the next commit.
    fn commit(&mut self, jobs: &mut VecDeque<Job>) -> Done {
        self.sync_as(jobs.iter().map(|job| job.durability).max());
        let mut tells = Vec::with_capacity(jobs.len());
        let transaction = Read { db: &self.connection, settings: &self.settings };
        let outcome = commit_together(transaction, jobs, &mut tells);
        self.since_checkpoint = self.since_checkpoint.saturating_add(1);
        if self.since_checkpoint == CHECKPOINT_AFTER {
            // Whoever does not listen any more has ended with the workspace.
            let _ = self.log_is_long.send(());
        }
        fail::fail_point!("store.committed");
        let failure = match outcome {
            Ok(updates) => {
                if !updates.is_empty() {
                    (self.on_commit)(updates);
                }
                None
            }
            Err(error) => {
                tracing::error!(%error, "a commit failed");
                Some(error)
            }
        };
        Done { tells, failure }
    }

    fn sync_as(&mut self, wanted: Option<Durability>) {
        let wanted = wanted.unwrap_or(Durability::Process);
        if wanted == self.synchronous {
            return;
        }
        match set_synchronous(&self.connection, wanted) {
            Ok(()) => self.synchronous = wanted,
            Err(error) => tracing::error!(%error, "cannot change how surely the database syncs"),
        }
    }
}

/// Gives the updates of the jobs that were kept. On an error nothing was
/// kept, and every job still has its `tell` in the list.
fn commit_together(
    transaction: Read<'_>,
    jobs: &mut VecDeque<Job>,
    tells: &mut Vec<Tell>,
) -> Result<Vec<Update>, StoreError> {
    let connection = transaction.db;
    let is_quick = jobs.iter().all(|job| job.durability == Durability::Process);
    let mut result = mark(connection, "BEGIN IMMEDIATE").and_then(|()| {
        let mut updates = Vec::new();
        if jobs.len() == 1 {
            // Nobody else's writes are to be kept apart from it.
            let kept = jobs.pop_front().map(|job| run(transaction, job, &mut updates, tells));
            if !kept.transpose()?.unwrap_or_default() {
                mark(connection, "ROLLBACK")?;
                return Ok(Vec::new());
            }
        }
        let begun = Instant::now();
        while let Some(job) = jobs.pop_front() {
            run_in_savepoint(transaction, job, &mut updates, tells)?;
            if is_quick && begun.elapsed() >= TOGETHER {
                break;
            }
        }
        fail::fail_point!("store.commit");
        mark(connection, "COMMIT")?;
        Ok(updates)
    });
    if result.is_err() && !connection.is_autocommit() {
        result = mark(connection, "ROLLBACK").and(result);
    }
    if let Err(error) = &result {
        tells.extend(jobs.drain(..).map(|job| (job.work)(Err(again(error))).tell));
    }
    result
}

/// Begins and ends things, with a statement that is read once and kept.
pub(crate) fn mark(connection: &Connection, sql: &str) -> Result<(), StoreError> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

fn run_in_savepoint(
    transaction: Read<'_>,
    job: Job,
    updates: &mut Vec<Update>,
    tells: &mut Vec<Tell>,
) -> Result<(), StoreError> {
    mark(transaction.db, "SAVEPOINT job")?;
    if !run(transaction, job, updates, tells)? {
        mark(transaction.db, "ROLLBACK TO job")?;
    }
    mark(transaction.db, "RELEASE job")
}

/// Gives whether what the job has written is to be kept.
fn run(
    transaction: Read<'_>,
    job: Job,
    updates: &mut Vec<Update>,
    tells: &mut Vec<Tell>,
) -> Result<bool, StoreError> {
    let mut write = Write { read: transaction, updates: Vec::new(), last_step: None };
    let verdict = catch_unwind(AssertUnwindSafe(|| (job.work)(Ok(&mut write))));
    let mut keep = false;
    match verdict {
        Ok(verdict) => {
            keep = verdict.keep;
            tells.push(verdict.tell);
        }
        // Its sender reads `Stopped`; the others go on.
        Err(_) => tracing::error!("a transaction panicked and is rolled back"),
    }
    if transaction.db.is_autocommit() {
        // SQLite ended the whole transaction itself, and with it the jobs before.
        return Err(StoreError::DiskFull);
    }
    if keep {
        updates.append(&mut write.updates);
    }
    Ok(keep)
}

fn set_synchronous(connection: &Connection, durability: Durability) -> Result<(), StoreError> {
    let value = match durability {
        Durability::Process => "NORMAL",
        Durability::Power => "FULL",
    };
    connection.pragma_update(None, "synchronous", value)?;
    Ok(())
}

/// The same failure for each of the jobs that shared the commit.
fn again(error: &StoreError) -> StoreError {
    match error {
        StoreError::DiskFull => StoreError::DiskFull,
        StoreError::Disk(text) => StoreError::Disk(text.clone()),
        StoreError::ReadOnly(text) => StoreError::ReadOnly(text.clone()),
        StoreError::Corrupt { path, detail } => {
            StoreError::Corrupt { path: path.clone(), detail: detail.clone() }
        }
        other => StoreError::Unopenable { path: "coterie.db".into(), detail: other.to_string() },
    }
}

#[cfg(test)]
mod tests;
