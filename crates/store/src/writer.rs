//! The one writer: a thread that owns the write connection.
//!
//! It takes every job that is waiting, runs each in a savepoint of its own,
//! and commits them together: with many senders one fsync serves them all. A
//! job that fails rolls back alone. Answers and updates go out only after the
//! commit.

use crate::{Read, StoreError};
use domain::{Record, Removed, Update};
use rusqlite::Connection;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
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

pub(crate) struct Writer {
    jobs: mpsc::Sender<Job>,
}

struct Job {
    durability: Durability,
    work: Work,
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

impl Writer {
    pub(crate) fn start(
        connection: Connection,
        on_commit: impl Fn(Vec<Update>) + Send + 'static,
    ) -> Result<Writer, StoreError> {
        let (jobs, queue) = mpsc::channel();
        std::thread::Builder::new()
            .name("coterie-writer".into())
            .spawn(move || serve(connection, &queue, &on_commit))
            .map_err(|_| StoreError::Stopped)?;
        Ok(Writer { jobs })
    }

    pub(crate) async fn write<T, E>(
        &self,
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
        self.jobs
            .send(Job { durability, work: Box::new(work) })
            .map_err(|_| E::from(StoreError::Stopped))?;
        answered.await.unwrap_or_else(|_| Err(StoreError::Stopped.into()))
    }
}

fn serve(
    mut connection: Connection,
    queue: &mpsc::Receiver<Job>,
    on_commit: &impl Fn(Vec<Update>),
) {
    let mut synchronous = Durability::Process;
    while let Ok(first) = queue.recv() {
        let mut jobs = vec![first];
        jobs.extend(queue.try_iter().take(BATCH - 1));
        let wanted = jobs.iter().map(|job| job.durability).max().unwrap_or(Durability::Process);
        if wanted != synchronous {
            match set_synchronous(&connection, wanted) {
                Ok(()) => synchronous = wanted,
                Err(error) => {
                    tracing::error!(%error, "cannot change how surely the database syncs")
                }
            }
        }
        let mut tells = Vec::new();
        let outcome = commit_together(&mut connection, jobs, &mut tells);
        fail::fail_point!("store.committed");
        let failure = match outcome {
            Ok(updates) => {
                if !updates.is_empty() {
                    on_commit(updates);
                }
                None
            }
            Err(error) => {
                tracing::error!(%error, "a commit failed");
                Some(error)
            }
        };
        for tell in tells {
            tell(failure.as_ref().map(again));
        }
    }
}

/// Gives the updates of the jobs that were kept. On an error nothing was
/// kept, and every job still has its `tell` in the list.
fn commit_together(
    connection: &mut Connection,
    jobs: Vec<Job>,
    tells: &mut Vec<Tell>,
) -> Result<Vec<Update>, StoreError> {
    let mut jobs = jobs.into_iter();
    let result = (|| {
        let transaction =
            connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let mut updates = Vec::new();
        for job in jobs.by_ref() {
            run_in_savepoint(&transaction, job, &mut updates, tells)?;
        }
        fail::fail_point!("store.commit");
        transaction.commit()?;
        Ok(updates)
    })();
    if let Err(error) = &result {
        tells.extend(jobs.map(|job| (job.work)(Err(again(error))).tell));
    }
    result
}

fn run_in_savepoint(
    transaction: &Connection,
    job: Job,
    updates: &mut Vec<Update>,
    tells: &mut Vec<Tell>,
) -> Result<(), StoreError> {
    transaction.execute_batch("SAVEPOINT job")?;
    let mut write = Write { read: Read { db: transaction }, updates: Vec::new() };
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
    if transaction.is_autocommit() {
        // SQLite ended the whole transaction itself, and with it the jobs before.
        return Err(StoreError::DiskFull("the database gave up the transaction".into()));
    }
    if keep {
        transaction.execute_batch("RELEASE job")?;
        updates.append(&mut write.updates);
    } else {
        transaction.execute_batch("ROLLBACK TO job; RELEASE job")?;
    }
    Ok(())
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
        StoreError::DiskFull(text) => StoreError::DiskFull(text.clone()),
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
