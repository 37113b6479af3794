//! A few read connections, lent for one short look each.

use crate::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A consistent view for the length of one closure.
pub struct Read<'c> {
    pub(crate) db: &'c Connection,
}

pub(crate) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

/// More than this many connections are closed after use instead of kept.
const KEPT: usize = 4;

impl Readers {
    pub(crate) fn new(path: PathBuf) -> Self {
        Readers { path, idle: Mutex::new(Vec::new()) }
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
        let result =
            connection.unchecked_transaction().map_err(StoreError::from).map_err(E::from).and_then(
                |view| {
                    let result = look(&Read { db: &view });
                    drop(view);
                    result
                },
            );
        let mut idle = self.lock();
        if idle.len() < KEPT {
            idle.push(connection);
        }
        result
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        // The list stays whole whoever panicked beside it.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
