//! Opening what is there, whatever state it is in, and reading beside a write.

use super::*;
use crate::table::{settings, spend};
use rusqlite_migration::M;
use std::fs;
use std::sync::mpsc;
use tempfile::TempDir;

fn open(path: &Path) -> Result<(Store, Opened), StoreError> {
    Store::open(path, |_| {})
}

async fn put(store: &Store, key: &'static str, text: String) {
    store
        .write(Durability::Process, move |write| settings::put_fact(write, key, &text))
        .await
        .unwrap();
}

fn fact(store: &Store, key: &str) -> Option<String> {
    store.read(|read| settings::fact(read, key)).unwrap()
}

/// A closed database of many pages, with its bytes.
async fn large_database(folder: &TempDir) -> (PathBuf, Vec<u8>) {
    let (store, _) = open(&folder.path().join("live.db")).unwrap();
    put(&store, "note", "remember".into()).await;
    put(&store, "long", "words ".repeat(50_000)).await;
    let path = folder.path().join("coterie.db");
    store.back_up(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

#[tokio::test]
async fn what_was_written_is_there_after_opening_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("coterie.db");
    let (store, opened) = open(&path).unwrap();
    assert_eq!(opened, Opened { new: true, backup: None });
    put(&store, "note", "remember".into()).await;
    drop(store);
    let (store, opened) = open(&path).unwrap();
    assert_eq!(opened, Opened { new: false, backup: None });
    assert_eq!(fact(&store, "note").as_deref(), Some("remember"));
}

#[tokio::test]
async fn a_damaged_database_is_named_and_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    let (path, whole) = large_database(&folder).await;
    let mut scribbled = whole.clone();
    let middle = whole.len() / 2;
    scribbled[middle..middle + 8192].fill(0x5a);
    let torn = whole[..middle].to_vec();
    let foreign = b"a letter to my aunt, long enough to be looked at".to_vec();
    for (damage, bytes) in [("scribbled", scribbled), ("torn", torn), ("foreign", foreign)] {
        fs::write(&path, &bytes).unwrap();
        match open(&path).err() {
            Some(StoreError::Corrupt { path: named, .. }) => assert_eq!(named, path, "{damage}"),
            other => panic!("{damage}: {other:?}"),
        }
        assert!(fs::read(&path).unwrap() == bytes, "{damage}: the file was changed");
    }
    fs::write(&path, whole).unwrap();
    assert_eq!(fact(&open(&path).unwrap().0, "note").as_deref(), Some("remember"));
}

#[tokio::test]
async fn a_copy_is_whole_and_can_be_opened() {
    let folder = TempDir::new().unwrap();
    let (path, _) = large_database(&folder).await;
    let (copy, opened) = open(&path).unwrap();
    assert_eq!(opened, Opened { new: false, backup: None });
    assert_eq!(fact(&copy, "note").as_deref(), Some("remember"));
    assert_eq!(copy.check().unwrap(), "ok");
}

fn version(connection: &Connection) -> u32 {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

/// The schema of today and one step more.
fn steps_and(next: &'static str) -> &'static [M<'static>] {
    let steps = migrations::STEPS.iter().cloned().chain([M::up(next)]);
    steps.collect::<Vec<_>>().leak()
}

#[tokio::test]
async fn before_the_schema_changes_a_copy_is_put_aside() {
    let today = migrations::STEPS.len() as u32;
    let folder = TempDir::new().unwrap();
    let (path, _) = large_database(&folder).await;
    let mut connection = connect(&path).unwrap();
    let steps = steps_and("ALTER TABLE settings ADD COLUMN colour TEXT");
    let copy = prepare(&mut connection, &path, false, steps).unwrap().unwrap();
    assert_eq!(copy, folder.path().join(format!("backups/coterie-schema-{today}.db")));
    assert_eq!(version(&connection), today + 1);
    connection.execute("UPDATE settings SET colour = 'green'", []).unwrap();

    let (before, opened) = open(&copy).unwrap();
    assert_eq!(opened, Opened { new: false, backup: None });
    assert_eq!(fact(&before, "note").as_deref(), Some("remember"));
    assert_eq!(version(&connect(&copy).unwrap()), today);
}

#[test]
fn a_database_of_each_earlier_schema_is_brought_up_to_date() {
    for steps in 1..migrations::STEPS.len() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("coterie.db");
        let mut connection = connect(&path).unwrap();
        prepare(&mut connection, &path, true, &migrations::STEPS[..steps]).unwrap();
        connection
            .execute("INSERT INTO settings (key, value) VALUES ('note', 'remember')", [])
            .unwrap();
        drop(connection);
        assert_eq!(check_copy(&path).unwrap(), steps);
        let (store, opened) = open(&path).unwrap();
        assert!(opened.backup.is_some());
        assert_eq!(fact(&store, "note").as_deref(), Some("remember"));
    }
}

#[test]
fn promises_and_numbers_outlive_the_step_that_takes_out_what_is_not_needed() {
    const BEFORE: usize = 10;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("coterie.db");
    let mut connection = connect(&path).unwrap();
    prepare(&mut connection, &path, true, &migrations::STEPS[..BEFORE]).unwrap();
    connection
        .execute_batch(
            "INSERT INTO agents (id, name, soul, soul_version, role, description, language, avatar, state, created_ms)
                 VALUES (x'0A', 'Ada', 'ada', 1, '', '', '', '', 'idle', 0);
             INSERT INTO groups (id, name, kind, policy, messages_per_post, chain_depth, pair_hops, runs_per_hour,
                 archived, created_ms) VALUES (x'0B', 'Tea', 'group', 'mention', 1, 1, 1, 1, 0, 0);
             INSERT INTO runs (id, agent, group_id, state, cause, root, depth, model, soul_version, reads_after,
                 reads_to, attempt, context, started_ms)
                 VALUES (x'0000000000000000000000000000000C', x'0A', x'0B', 'running', '', x'', 0, '', 1, 0, 0, 1, '', 0);
             INSERT INTO reservations VALUES (x'00000000000000000000000000000001', x'0000000000000000000000000000000C', 'a/b',
                 '[{\"scope\":\"all\",\"day\":7}]', 5, 3, NULL);
             INSERT INTO spend VALUES ('all', 7, 100, 10, 0, 8, 0);
             INSERT INTO outbox (message) VALUES (1), (2);",
        )
        .unwrap();
    drop(connection);

    let (store, _) = open(&path).unwrap();
    let account = spend::Account { scope: "all".into(), day: 7 };
    let (paid, held) = store
        .read(|read| {
            let open = spend::open(read)?;
            Ok::<_, StoreError>((spend::get(read, &account)?, spend::held(&open, &account)))
        })
        .unwrap();
    assert_eq!((paid.tokens, paid.microusd, held.tokens), (100, 10, 8));
    assert_eq!(store.check().unwrap(), "ok");
    let connection = connect(&path).unwrap();
    connection.execute("INSERT INTO outbox (message) VALUES (3)", []).unwrap();
    assert_eq!(connection.last_insert_rowid(), 3);
    let numbered = "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'";
    let numbered: u32 = connection.query_row(numbered, [], |row| row.get(0)).unwrap();
    assert_eq!(numbered, 0);
}

#[tokio::test]
async fn a_change_of_schema_that_fails_changes_nothing() {
    let bad =
        steps_and("ALTER TABLE settings ADD COLUMN colour TEXT; ALTER TABLE nothing ADD COLUMN x");
    let folder = TempDir::new().unwrap();
    let (path, _) = large_database(&folder).await;
    let mut connection = connect(&path).unwrap();
    prepare(&mut connection, &path, false, bad).unwrap_err();
    assert_eq!(version(&connection), migrations::STEPS.len() as u32);
    drop(connection);
    let (store, _) = open(&path).unwrap();
    assert_eq!(fact(&store, "note").as_deref(), Some("remember"));
}

#[tokio::test]
async fn a_reader_sees_nothing_of_a_transaction_before_its_commit() {
    let folder = TempDir::new().unwrap();
    let (store, _) = open(&folder.path().join("coterie.db")).unwrap();
    let (begun, begins) = tokio::sync::oneshot::channel();
    let (commit, gate) = mpsc::channel::<()>();
    let writing = tokio::spawn({
        let store = store.clone();
        async move {
            let work = move |write: &mut Write<'_>| {
                settings::put_fact(write, "note", "remember")?;
                begun.send(()).unwrap();
                assert!(gate.recv().is_err());
                Ok::<_, StoreError>(())
            };
            store.write(Durability::Power, work).await
        }
    });
    begins.await.unwrap();
    assert_eq!(fact(&store, "note"), None);
    drop(commit);
    writing.await.unwrap().unwrap();
    assert_eq!(fact(&store, "note").as_deref(), Some("remember"));
}

#[test]
fn one_look_sees_one_moment_whatever_is_committed_meanwhile() {
    let folder = TempDir::new().unwrap();
    let (store, _) = open(&folder.path().join("coterie.db")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(put(&store, "note", "old".into()));
    let looks = store.read(|read| {
        let first = settings::fact(read, "note")?;
        runtime.block_on(put(&store, "note", "new".into()));
        Ok::<_, StoreError>([first, settings::fact(read, "note")?])
    });
    assert_eq!(looks.unwrap(), [Some("old".to_owned()), Some("old".to_owned())]);
    assert_eq!(fact(&store, "note").as_deref(), Some("new"));
}
