//! The outbox: messages that the search indexes have yet to read.

use crate::{StoreError, Write};
use domain::MessageId;

pub fn add(write: &mut Write<'_>, message: MessageId) -> Result<(), StoreError> {
    write.db.prepare_cached("INSERT INTO outbox (message) VALUES (?1)")?.execute([message.0])?;
    Ok(())
}
