//! Whole copies of the database: before a migration, and on request.

use crate::StoreError;
use rusqlite::Connection;
use rusqlite::backup::Backup;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Pages copied between two looks at the source.
const PAGES_A_STEP: std::ffi::c_int = 1024;

/// Copies a live database into a file that appears only when it is complete.
pub(crate) fn copy(from: &Connection, to: &Path) -> Result<(), StoreError> {
    let failed = |detail: String| StoreError::Backup { path: to.to_owned(), detail };
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
    }
    let unfinished = to.with_extension("unfinished");
    let copied = (|| -> Result<(), rusqlite::Error> {
        let mut target = Connection::open(&unfinished)?;
        Backup::new(from, &mut target)?.run_to_completion(PAGES_A_STEP, Duration::ZERO, None)
    })();
    if let Err(error) = copied {
        drop(std::fs::remove_file(&unfinished));
        return Err(failed(error.to_string()));
    }
    fail::fail_point!("backup.copied");
    std::fs::rename(&unfinished, to).map_err(|error| failed(error.to_string()))?;
    fail::fail_point!("backup.named");
    Ok(())
}

/// Where the copy that precedes a migration goes. Named after the schema it
/// holds, so that a second try does not overwrite it with a worse one.
pub(crate) fn before_migration(database: &Path, schema: usize) -> PathBuf {
    let folder = database.parent().unwrap_or(Path::new(".")).join("backups");
    folder.join(format!("coterie-schema-{schema}.db"))
}
