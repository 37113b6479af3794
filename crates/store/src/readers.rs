//! A few read connections, lent for one short look each.

use crate::StoreError;
use crate::store::plan_once;
use crate::table::settings::LastRead;
use crate::writer::mark;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A consistent view for the length of one closure.
#[derive(Clone, Copy)]
pub struct Read<'c> {
    pub(crate) db: &'c Connection,
    pub(crate) settings: &'c LastRead,
}

impl Read<'_> {
    /// Every row that the statement gives, made into a value.
    pub(crate) fn list<T>(
        &self,
        sql: &str,
        params: impl Params,
        make: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement.query_map(params, make)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The first row, if there is one.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        params: impl Params,
        make: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        Ok(self.db.prepare_cached(sql)?.query_row(params, make).optional()?)
    }
}

pub(crate) struct Readers {
    path: PathBuf,
    settings: Arc<LastRead>,
    idle: Mutex<Vec<Connection>>,
}

/// More than this many connections are closed after use instead of kept.
const KEPT: usize = 4;

impl Readers {
    pub(crate) fn new(path: PathBuf, settings: Arc<LastRead>) -> Self {
        Readers { path, settings, idle: Mutex::new(Vec::new()) }
    }

    pub(crate) fn read<T, E: From<StoreError>>(
        &self,
        look: impl FnOnce(&Read<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let connection = match self.lock().pop() {
            Some(connection) => connection,
            None => self.connect()?,
        };
        // One transaction, so that several statements see the same moment.
        mark(&connection, "BEGIN")?;
        let result = look(&Read { db: &connection, settings: &self.settings });
        // One that cannot be ended is closed.
        if mark(&connection, "COMMIT").is_ok() {
            let mut idle = self.lock();
            if idle.len() < KEPT {
                idle.push(connection);
            }
        }
        result
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        plan_once(&connection)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        // The list stays whole whoever panicked beside it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
