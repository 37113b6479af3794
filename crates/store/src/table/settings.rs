//! Settings: one row with the whole struct, so that a new field needs no
//! migration. Also small facts the workspace keeps about itself.

use crate::{Read, StoreError, Write, value};
use domain::{Record, Settings};
use rusqlite::params;

const SETTINGS: &str = "settings";

/// What was set, or the defaults.
pub fn get(read: &Read<'_>) -> Result<Settings, StoreError> {
    match fact(read, SETTINGS)? {
        Some(text) => Ok(serde_json::from_str(&text)?),
        None => Ok(Settings::default()),
    }
}

pub fn put(write: &mut Write<'_>, settings: &Settings) -> Result<(), StoreError> {
    put_fact(write, SETTINGS, &value::json(settings)?)?;
    write.saved(Record::Settings(settings.clone()));
    Ok(())
}

pub fn fact(read: &Read<'_>, key: &str) -> Result<Option<String>, StoreError> {
    read.one("SELECT value FROM settings WHERE key = ?1", [key], |row| row.get(0))
}

pub fn put_fact(write: &mut Write<'_>, key: &str, text: &str) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")?
        .execute(params![key, text])?;
    Ok(())
}
