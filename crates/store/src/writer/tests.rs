//! Many senders, one writer: what shares a commit, what fails alone, and who
//! is told when.

use crate::table::{providers, settings};
use crate::{Durability, Store, StoreError, Write};
use domain::{Provider, ProviderKind, Record, Update};
use rusqlite::{Connection, OpenFlags};
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Waker};
use tempfile::TempDir;

/// The names of the providers that each commit published.
type Commits = mpsc::Receiver<Vec<String>>;

fn open(folder: &TempDir) -> (Store, Commits) {
    let (told, commits) = mpsc::channel();
    let path = folder.path().join("coterie.db");
    let (store, _) = Store::open(&path, move |updates| told.send(names(updates)).unwrap()).unwrap();
    (store, commits)
}

fn names(updates: Vec<Update>) -> Vec<String> {
    let name = |update| match update {
        Update::Saved { record: Record::Provider(provider) } => provider.name,
        other => panic!("not a provider: {other:?}"),
    };
    updates.into_iter().map(name).collect()
}

fn save(write: &mut Write<'_>, name: &str) -> Result<(), StoreError> {
    let provider = Provider {
        name: name.into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: Vec::new(),
    };
    providers::put(write, &provider)
}

fn saved(store: &Store) -> Vec<String> {
    let all = store.read(providers::all).unwrap();
    all.into_iter().map(|provider| provider.name).collect()
}

type Waiting<'a> = Pin<Box<dyn Future<Output = Result<(), StoreError>> + 'a>>;

/// Puts a job into the writer's queue now; its answer is awaited later.
fn queue(
    store: &Store,
    durability: Durability,
    work: impl FnOnce(&mut Write<'_>) -> Result<(), StoreError> + Send + 'static,
) -> Waiting<'_> {
    let mut waiting: Waiting<'_> = Box::pin(store.write(durability, work));
    let queued = waiting.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(queued.is_pending());
    waiting
}

/// Keeps the writer busy until the sender is dropped, so that what is queued
/// meanwhile shares one commit.
async fn hold(store: &Store) -> (mpsc::Sender<()>, Waiting<'_>) {
    let (open, gate) = mpsc::channel::<()>();
    let (begun, begins) = tokio::sync::oneshot::channel();
    // Who asks for the disk goes to the writer's thread.
    let held = queue(store, Durability::Power, move |_| {
        begun.send(()).unwrap();
        assert!(gate.recv().is_err());
        Ok(())
    });
    begins.await.unwrap();
    (open, held)
}

#[tokio::test]
async fn what_waits_together_is_committed_together_and_published_in_order() {
    let folder = TempDir::new().unwrap();
    let (store, commits) = open(&folder);
    let (gate, held) = hold(&store).await;
    let wanted: Vec<String> = (10..60).map(|n| format!("p{n}")).collect();
    let waiting: Vec<_> = wanted
        .clone()
        .into_iter()
        .map(|name| queue(&store, Durability::Power, move |write| save(write, &name)))
        .collect();
    drop(gate);
    held.await.unwrap();
    for answer in waiting {
        answer.await.unwrap();
    }
    assert_eq!(saved(&store), wanted);
    assert_eq!(commits.try_iter().collect::<Vec<_>>(), [wanted]);
}

#[tokio::test]
async fn what_is_to_be_written_first_goes_before_all_that_waits() {
    let folder = TempDir::new().unwrap();
    let (store, commits) = open(&folder);
    let (gate, held) = hold(&store).await;
    let usual = queue(&store, Durability::Power, |write| save(write, "usual"));
    let mut first: Vec<Waiting<'_>> = Vec::new();
    for name in ["first", "second"] {
        let mut urgent: Waiting<'_> =
            Box::pin(store.write_first(Durability::Power, move |write| save(write, name)));
        assert!(urgent.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        first.push(urgent);
    }
    drop(gate);
    held.await.unwrap();
    usual.await.unwrap();
    for urgent in first {
        urgent.await.unwrap();
    }
    assert_eq!(commits.try_iter().collect::<Vec<_>>(), [["first", "second", "usual"]]);
}

#[tokio::test]
async fn a_job_that_nobody_waits_beside_leaves_nothing_when_it_fails_or_panics() {
    let folder = TempDir::new().unwrap();
    let (store, commits) = open(&folder);
    let failing = store.write(Durability::Process, |write| {
        save(write, "half")?;
        providers::remove(write, "nobody")
    });
    assert!(matches!(failing.await, Err(StoreError::NotFound(_))));
    let panicking = store.write::<(), StoreError>(Durability::Process, |write| {
        save(write, "lost")?;
        panic!("a bug in a job")
    });
    assert!(matches!(panicking.await, Err(StoreError::Stopped)));
    store.write(Durability::Process, |write| save(write, "after")).await.unwrap();
    assert_eq!(saved(&store), ["after"]);
    assert_eq!(commits.try_iter().collect::<Vec<_>>(), [["after"]]);
}

#[tokio::test]
async fn a_job_that_fails_or_panics_is_rolled_back_alone() {
    let folder = TempDir::new().unwrap();
    let (store, commits) = open(&folder);
    let (gate, held) = hold(&store).await;
    let before = queue(&store, Durability::Power, |write| save(write, "before"));
    let failing = queue(&store, Durability::Power, |write| {
        save(write, "half")?;
        providers::remove(write, "nobody")
    });
    let panicking = queue(&store, Durability::Power, |write| {
        save(write, "lost")?;
        panic!("a bug in a job")
    });
    let after = queue(&store, Durability::Power, |write| save(write, "after"));
    drop(gate);
    held.await.unwrap();
    before.await.unwrap();
    assert!(matches!(failing.await, Err(StoreError::NotFound(_))));
    assert!(matches!(panicking.await, Err(StoreError::Stopped)));
    after.await.unwrap();
    assert_eq!(commits.try_iter().collect::<Vec<_>>(), [["before", "after"]]);
    assert_eq!(saved(&store), ["after", "before"]);

    store.write(Durability::Process, |write| save(write, "later")).await.unwrap();
    assert_eq!(commits.try_iter().collect::<Vec<_>>(), [["later"]]);
}

#[tokio::test]
async fn nobody_hears_of_a_commit_before_it_can_be_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("coterie.db");
    let (told, heard) = mpsc::channel();
    let reading = path.clone();
    let on_commit = move |_| {
        let other =
            Connection::open_with_flags(&reading, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let rows: u32 =
            other.query_row("SELECT count(*) FROM providers", [], |row| row.get(0)).unwrap();
        told.send(rows).unwrap();
    };
    let (store, _) = Store::open(&path, on_commit).unwrap();
    for (name, rows) in [("one", 1), ("two", 2)] {
        store.write(Durability::Process, move |write| save(write, name)).await.unwrap();
        assert_eq!(heard.try_recv(), Ok(rows), "published before it is answered");
    }
}

#[tokio::test]
async fn one_job_that_wants_the_disk_to_be_sure_makes_its_whole_commit_sure() {
    let folder = TempDir::new().unwrap();
    let (store, _commits) = open(&folder);
    let (tell, levels) = mpsc::channel();
    let look = || {
        let tell = tell.clone();
        move |write: &mut Write<'_>| {
            let level: u8 = write.db.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
            tell.send(level).unwrap();
            Ok::<_, StoreError>(())
        }
    };
    let (gate, held) = hold(&store).await;
    let process = queue(&store, Durability::Process, look());
    let power = queue(&store, Durability::Power, look());
    drop(gate);
    held.await.unwrap();
    process.await.unwrap();
    power.await.unwrap();
    store.write(Durability::Process, look()).await.unwrap();
    assert_eq!(levels.try_iter().collect::<Vec<_>>(), [FULL, FULL, NORMAL]);
}

/// SQLite's numbers.
const NORMAL: u8 = 1;
const FULL: u8 = 2;

#[tokio::test]
async fn a_full_disk_is_said_and_what_comes_when_there_is_room_is_stored() {
    let folder = TempDir::new().unwrap();
    let (store, commits) = open(&folder);
    store.write(Durability::Process, |write| save(write, "before")).await.unwrap();
    no_more_pages_than(&store, 1).await;

    let (gate, held) = hold(&store).await;
    let large = queue(&store, Durability::Power, |write| {
        save(write, "beside the large one")?;
        settings::put_fact(write, "large", &"x".repeat(1 << 20))
    });
    let small = queue(&store, Durability::Power, |write| save(write, "small"));
    drop(gate);
    held.await.unwrap();
    let full = large.await.unwrap_err();
    assert!(matches!(full, StoreError::DiskFull), "{full:?}");
    let fault = domain::Fault::from(full);
    assert!(fault.fix.contains("free some space"), "{fault}");
    // SQLite gives up all of the commit, and everybody in it hears why.
    assert!(matches!(small.await, Err(StoreError::DiskFull)));
    assert_eq!(saved(&store), ["before"]);

    no_more_pages_than(&store, 100_000).await;
    store
        .write(Durability::Process, |write| {
            settings::put_fact(write, "large", &"x".repeat(1 << 20))?;
            save(write, "after")
        })
        .await
        .unwrap();
    assert_eq!(commits.try_iter().collect::<Vec<_>>(), [["before"], ["after"]]);
    assert_eq!(store.check().unwrap(), "ok");
}

/// SQLite answers as on a full disk when the file would grow beyond this; it
/// never goes below the pages that the file has.
async fn no_more_pages_than(store: &Store, pages: u32) {
    store
        .write(Durability::Process, move |write| {
            write.db.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))?;
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
}
