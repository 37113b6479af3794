//! What was forgotten, by marks from which nobody reads the words, and the last message
//! that had been said by then.

use crate::{Read, StoreError, Write};
use rusqlite::params;

pub fn put(write: &mut Write<'_>, mark: &[u8; 32], upto: i64) -> Result<(), StoreError> {
    let sql = "INSERT INTO forgotten_words (mark, upto) VALUES (?1, ?2)
               ON CONFLICT DO UPDATE SET upto = max(upto, ?2)";
    write.db.prepare_cached(sql)?.execute(params![mark, upto])?;
    Ok(())
}

/// The last message that had been said when it was forgotten.
pub fn upto(read: &Read<'_>, mark: &[u8; 32]) -> Result<Option<i64>, StoreError> {
    read.one("SELECT upto FROM forgotten_words WHERE mark = ?1", [mark], |row| row.get(0))
}
