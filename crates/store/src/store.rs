//! Opening the database, and the handle to it.

use crate::place::{self, Place};
use crate::readers::Readers;
use crate::table::settings::LastRead;
use crate::writer::{Turn, Writer};
use crate::{Durability, Read, StoreError, Write, backup, migrations};
use domain::Update;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rusqlite_migration::{M, Migrations};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A cheap handle to the database of one workspace.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    writer: Writer,
    readers: Readers,
}

/// What opening did beside opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The database did not exist before.
    pub new: bool,
    /// The copy that was made because the schema had to change.
    pub backup: Option<PathBuf>,
}

impl Store {
    /// Opens or creates the database and brings its schema up to date.
    ///
    /// The caller holds the workspace's lock: two writers are never opened.
    /// `on_commit` is called with what each commit saved, in the order of the
    /// commits, before the next one begins.
    pub fn open(
        path: &Path,
        on_commit: impl Fn(Vec<Update>) + Send + 'static,
    ) -> Result<(Store, Opened), StoreError> {
        let new = place::look(path)? == Place::Free;
        let mut connection = connect(path).map_err(|error| located(error, path))?;
        let backup = prepare(&mut connection, path, new, migrations::STEPS)
            .map_err(|error| located(error, path))?;
        let mover = connect(path).map_err(|error| located(error, path))?;
        let settings = Arc::<LastRead>::default();
        let writer = Writer::start(connection, mover, settings.clone(), on_commit)?;
        let readers = Readers::new(path.to_owned(), settings);
        let shared = Shared { path: path.to_owned(), writer, readers };
        Ok((Store { shared: Arc::new(shared) }, Opened { new, backup }))
    }

    /// Runs the closure in a transaction, on this thread if nobody else is
    /// writing. An error rolls everything back; `Ok` is answered after the
    /// commit.
    pub async fn write<T, E>(
        &self,
        durability: Durability,
        work: impl FnOnce(&mut Write<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.shared.writer.write(Turn::Usual, durability, work).await
    }

    /// The same, before all that waits for its turn to write: for what others wait for.
    pub async fn write_first<T, E>(
        &self,
        durability: Durability,
        work: impl FnOnce(&mut Write<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.shared.writer.write(Turn::First, durability, work).await
    }

    /// Runs the closure on a read connection of its own, at one moment of the
    /// database. It blocks the calling thread for as long as the look takes,
    /// so looks are short; long ones go to a blocking thread.
    pub fn read<T, E: From<StoreError>>(
        &self,
        look: impl FnOnce(&Read<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.shared.readers.read(look)
    }

    /// `ok`, or what SQLite found wrong with the file.
    pub fn check(&self) -> Result<String, StoreError> {
        self.read(|read| quick_check(read.db))
    }

    /// Copies the whole database into a file, while others go on.
    pub fn back_up(&self, to: &Path) -> Result<(), StoreError> {
        self.read(|read| backup::copy(read.db, to))
    }

    /// Moves everything from the log beside the database into the database, so
    /// that the one file holds it all and the log holds nothing any more. For the end
    /// of a process, and for what must be in no file: it blocks. Fails where somebody
    /// reads all the while.
    pub fn tidy_up(&self) -> Result<(), StoreError> {
        let connection = Connection::open(&self.shared.path)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        let is_busy: bool =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if is_busy { Err(StoreError::InUse) } else { Ok(()) }
    }

    pub fn path(&self) -> &Path {
        &self.shared.path
    }
}

/// Which schema this Coterie brings a database to; a newer one it refuses.
pub fn schema() -> usize {
    migrations::STEPS.len()
}

/// Looks whether a database that nobody has open is whole and of a schema that can be
/// opened here. Gives that schema. The file is left as it is.
pub fn check_copy(path: &Path) -> Result<usize, StoreError> {
    let look = || {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let verdict = quick_check(&connection)?;
        let found: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        Ok::<_, StoreError>((verdict, found as usize))
    };
    let (verdict, found) = look().map_err(|error| located(error, path))?;
    if verdict != "ok" || found == 0 {
        let detail = if found == 0 { "it has no tables".to_owned() } else { verdict };
        return Err(StoreError::Corrupt { path: path.to_owned(), detail });
    }
    if found > schema() {
        let known = schema();
        return Err(StoreError::FromTheFuture { path: path.to_owned(), found, known });
    }
    Ok(found)
}

pub(crate) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    // A damaged file is left as it was found: its log is worth more beside it
    // than inside it. `tidy_up` merges the two when all is well.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    plan_once(&connection)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(128);
    // Of a new file; one that is there keeps its own. A commit writes whole pages, most
    // of them for a row or two: half the size is three quarters of the time.
    connection.pragma_update(None, "page_size", 2048)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    // What is deleted is overwritten, pages that nobody needs any more too: what a
    // person has forgotten is in no file.
    connection.pragma_update(None, "secure_delete", "ON")?;
    // What may have to be undone within a transaction is small, and a file of its own
    // for it is slow.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // A thread of the writer's moves the log into the file; this is for commits so
    // large that its count of them says too little. 49 MB.
    connection.pragma_update(None, "wal_autocheckpoint", 24_000)?;
    // The log shrinks back after a burst instead of keeping its largest size.
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    Ok(connection)
}

/// A statement keeps its plan whatever it is asked with. Otherwise SQLite, as it is built
/// here, reads many of them anew for each new value, which is a tenth of a turn.
pub(crate) fn plan_once(connection: &Connection) -> rusqlite::Result<bool> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
}

fn prepare(
    connection: &mut Connection,
    path: &Path,
    new: bool,
    steps: &'static [M<'static>],
) -> Result<Option<PathBuf>, StoreError> {
    if !new {
        let verdict = quick_check(connection)?;
        if verdict != "ok" {
            return Err(StoreError::Corrupt { path: path.to_owned(), detail: verdict });
        }
    }
    let found: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let found = found as usize;
    let known = steps.len();
    if !new && found == 0 {
        // Its tables were in the log, and that is gone.
        place::never_used(path)?;
    }
    if found > known {
        return Err(StoreError::FromTheFuture { path: path.to_owned(), found, known });
    }
    let mut copy = None;
    if found > 0 && found < known {
        let to = backup::before_migration(path, found);
        backup::copy(connection, &to)?;
        copy = Some(to);
    }
    Migrations::from_slice(steps).to_latest(connection).map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => StoreError::from(err),
        other => StoreError::Unopenable { path: path.to_owned(), detail: other.to_string() },
    })?;
    Ok(copy)
}

fn quick_check(connection: &Connection) -> Result<String, StoreError> {
    Ok(connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?)
}

fn located(error: StoreError, path: &Path) -> StoreError {
    let path = path.to_owned();
    match error {
        StoreError::Corrupt { detail, .. } => StoreError::Corrupt { path, detail },
        StoreError::Sqlite(error)
            if error.sqlite_error_code() == Some(rusqlite::ErrorCode::CannotOpen) =>
        {
            StoreError::Unopenable { path, detail: error.to_string() }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
