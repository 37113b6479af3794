//! Providers that are set up.

use crate::{Read, StoreError, Write, value};
use domain::{Provider, Record, Removed};
use rusqlite::{OptionalExtension, params};

pub fn all(read: &Read<'_>) -> Result<Vec<Provider>, StoreError> {
    let mut statement = read.db.prepare_cached("SELECT value FROM providers ORDER BY name")?;
    let rows = statement.query_map([], |row| value::from_json(0, &row.get::<_, String>(0)?))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

pub fn get(read: &Read<'_>, name: &str) -> Result<Option<Provider>, StoreError> {
    let mut statement = read.db.prepare_cached("SELECT value FROM providers WHERE name = ?1")?;
    Ok(statement
        .query_row([name], |row| value::from_json(0, &row.get::<_, String>(0)?))
        .optional()?)
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
