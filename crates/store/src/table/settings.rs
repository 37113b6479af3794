//! Settings: one row with the whole struct, so that a new field needs no
//! migration. Also small facts the workspace keeps about itself.

use crate::{Read, StoreError, Write, value};
use domain::{Record, Settings};
use rusqlite::params;
use std::sync::{Arc, Mutex, PoisonError};

const SETTINGS: &str = "settings";

/// The settings as they were read last, with the text that they stood in. A turn looks
/// at them many times, and they seldom change.
#[derive(Default)]
pub(crate) struct LastRead(Mutex<Option<(String, Arc<Settings>)>>);

impl LastRead {
    fn of(&self, text: &str) -> Result<Arc<Settings>, StoreError> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, settings)) = last.as_ref().filter(|(known, _)| known == text) {
            return Ok(settings.clone());
        }
        let settings: Arc<Settings> = Arc::new(serde_json::from_str(text)?);
        *last = Some((text.to_owned(), settings.clone()));
        Ok(settings)
    }
}

/// What was set, or the defaults.
pub fn get(read: &Read<'_>) -> Result<Arc<Settings>, StoreError> {
    let mut statement = read.db.prepare_cached(FACT)?;
    let mut rows = statement.query([SETTINGS])?;
    match rows.next()? {
        Some(row) => {
            let text = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            read.settings.of(text)
        }
        None => Ok(Arc::default()),
    }
}

/// The same, to change something of it.
pub fn to_change(read: &Read<'_>) -> Result<Settings, StoreError> {
    get(read).map(Arc::unwrap_or_clone)
}

pub fn put(write: &mut Write<'_>, settings: &Settings) -> Result<(), StoreError> {
    put_fact(write, SETTINGS, &value::json(settings)?)?;
    write.saved(Record::Settings(settings.clone()));
    Ok(())
}

const FACT: &str = "SELECT value FROM settings WHERE key = ?1";

pub fn fact(read: &Read<'_>, key: &str) -> Result<Option<String>, StoreError> {
    read.one(FACT, [key], |row| row.get(0))
}

pub fn put_fact(write: &mut Write<'_>, key: &str, text: &str) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("INSERT INTO settings (key, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = ?2")?
        .execute(params![key, text])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Durability, Store};
    use tempfile::TempDir;

    fn called(name: &str) -> Settings {
        Settings { your_name: name.into(), ..Settings::default() }
    }

    #[tokio::test]
    async fn settings_are_read_from_their_text_once_until_that_is_another() {
        let folder = TempDir::new().unwrap();
        let (store, _) = Store::open(&folder.path().join("coterie.db"), |_| {}).unwrap();
        assert_eq!(*store.read(get).unwrap(), Settings::default());
        for name in ["Lin", "Mo", "Lin"] {
            let put = move |write: &mut Write<'_>| put(write, &called(name));
            store.write(Durability::Process, put).await.unwrap();
            let (one, other) = (store.read(get).unwrap(), store.read(get).unwrap());
            assert_eq!(*one, called(name));
            assert!(Arc::ptr_eq(&one, &other));
        }
        let given_up = store.write(Durability::Process, |write| {
            put(write, &called("Bo"))?;
            assert_eq!(get(write)?.your_name, "Bo");
            Err::<(), _>(StoreError::Stopped)
        });
        assert!(given_up.await.is_err());
        assert_eq!(store.read(to_change).unwrap(), called("Lin"));
    }
}
