//! The step of the schema that let what is being written quote a message.

pub(super) const NINETEENTH: &str = "ALTER TABLE drafts ADD COLUMN reply_to BLOB;";
