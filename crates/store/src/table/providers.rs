//! Providers that are set up.

use crate::{Read, StoreError, Write, value};
use domain::{Provider, Record, Removed};
use rusqlite::params;

pub fn all(read: &Read<'_>) -> Result<Vec<Provider>, StoreError> {
    read.list("SELECT value FROM providers ORDER BY name", [], |row| {
        value::from_json(0, &row.get::<_, String>(0)?)
    })
}

pub fn get(read: &Read<'_>, name: &str) -> Result<Option<Provider>, StoreError> {
    read.one("SELECT value FROM providers WHERE name = ?1", [name], |row| {
        value::from_json(0, &row.get::<_, String>(0)?)
    })
}

pub fn put(write: &mut Write<'_>, provider: &Provider) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("INSERT INTO providers (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")?
        .execute(params![provider.name, value::json(provider)?])?;
    write.saved(Record::Provider(provider.clone()));
    Ok(())
}

pub fn remove(write: &mut Write<'_>, name: &str) -> Result<(), StoreError> {
    let gone = write.db.prepare_cached("DELETE FROM providers WHERE name = ?1")?.execute([name])?;
    if gone == 0 {
        return Err(StoreError::NotFound(format!("provider {name}")));
    }
    write.removed(Removed::Provider { name: name.to_owned() });
    Ok(())
}
