//! `secrets.sealed`: secrets in one file, sealed with a passphrase.
//!
//! The key comes from the passphrase by Argon2id; the contents are sealed
//! with XChaCha20-Poly1305 over the whole head, with a new nonce at each write. The
//! head carries a checksum of itself and a check of the key, so that a wrong
//! passphrase is told apart from a damaged file. Values are in memory only while
//! one is asked for; the key, once the file is unlocked, as long as the vault.

use crate::ledger::fill;
use crate::shelf::{Place, Shelf, Slot};
use crate::{Error, Secret, files};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

mod contents;
mod format;

pub use format::Cost;
use format::{Head, Key};

/// Short ones are guessed, whatever the guess costs.
const LEAST_CHARACTERS: usize = 8;

/// What is in the file, by slot.
pub(crate) type Contents = BTreeMap<String, Secret>;

pub(crate) struct SealedShelf {
    path: PathBuf,
    unlocked: Mutex<Option<Unlocked>>,
}

#[derive(Clone)]
struct Unlocked {
    head: Head,
    key: Key,
}

impl SealedShelf {
    pub(crate) fn at(path: PathBuf) -> Self {
        SealedShelf { path, unlocked: Mutex::new(None) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn exists(&self) -> bool {
        self.path.exists()
    }

    pub(crate) fn is_unlocked(&self) -> bool {
        self.state().is_some()
    }

    /// A new and empty file; never over another.
    pub(crate) fn create(&self, passphrase: &Secret, cost: Cost) -> Result<(), Error> {
        if self.exists() {
            return Err(Error::SealedFileExists { path: self.path.clone() });
        }
        let unlocked = self.new_key(passphrase, cost)?;
        self.write(&unlocked, &Contents::new())?;
        *self.state() = Some(unlocked);
        Ok(())
    }

    pub(crate) fn unlock(&self, passphrase: &Secret) -> Result<(), Error> {
        let bytes = self.bytes()?;
        let (head, _) = format::parse(&bytes).map_err(|why| self.unreadable(why))?;
        let key = format::derive(passphrase, &head.salt, head.cost)?;
        if !head.knows(&key) {
            return Err(Error::WrongPassphrase);
        }
        let unlocked = Unlocked { head, key };
        self.open(&unlocked, &bytes)?;
        *self.state() = Some(unlocked);
        Ok(())
    }

    pub(crate) fn lock(&self) {
        *self.state() = None;
    }

    /// The same contents under another passphrase.
    pub(crate) fn change_passphrase(
        &self,
        old: &Secret,
        new: &Secret,
        cost: Cost,
    ) -> Result<(), Error> {
        self.unlock(old)?;
        let contents = self.contents()?;
        let unlocked = self.new_key(new, cost)?;
        self.write(&unlocked, &contents)?;
        *self.state() = Some(unlocked);
        Ok(())
    }

    /// Whether it is known that nothing is in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.contents().is_ok_and(|contents| contents.is_empty())
    }

    /// Takes the file away, with whatever is in it.
    pub(crate) fn remove(&self) -> Result<(), Error> {
        files::remove(&self.path)?;
        self.lock();
        Ok(())
    }

    fn new_key(&self, passphrase: &Secret, cost: Cost) -> Result<Unlocked, Error> {
        if passphrase.expose().chars().count() < LEAST_CHARACTERS {
            return Err(Error::WeakPassphrase { least: LEAST_CHARACTERS });
        }
        let mut salt = [0; format::SALT];
        fill(&mut salt)?;
        let key = format::derive(passphrase, &salt, cost)?;
        Ok(Unlocked { head: Head::new(cost, salt, &key), key })
    }

    fn write(&self, unlocked: &Unlocked, contents: &Contents) -> Result<(), Error> {
        let mut nonce = [0; format::NONCE];
        fill(&mut nonce)?;
        let plain = contents::write(contents);
        files::replace(&self.path, &format::seal(&unlocked.head, &unlocked.key, nonce, &plain))
    }

    pub(crate) fn contents(&self) -> Result<Contents, Error> {
        self.open(&self.key()?, &self.bytes()?)
    }

    fn key(&self) -> Result<Unlocked, Error> {
        if !self.exists() {
            return Err(Error::NoSealedFile { path: self.path.clone() });
        }
        self.state().clone().ok_or(Error::SealedLocked)
    }

    fn open(&self, unlocked: &Unlocked, bytes: &[u8]) -> Result<Contents, Error> {
        let (head, sealed) = format::parse(bytes).map_err(|why| self.unreadable(why))?;
        if head != unlocked.head {
            // Another file lies in its place; its passphrase is not known here.
            return Err(Error::SealedLocked);
        }
        let plain: Zeroizing<Vec<u8>> = format::open(&head, &unlocked.key, sealed)
            .ok_or_else(|| self.damaged("its contents were changed"))?;
        contents::read(&plain).ok_or_else(|| self.damaged("its contents make no sense"))
    }

    fn bytes(&self) -> Result<Vec<u8>, Error> {
        files::read(&self.path)?.ok_or_else(|| Error::NoSealedFile { path: self.path.clone() })
    }

    fn unreadable(&self, why: format::Unreadable) -> Error {
        match why {
            format::Unreadable::Newer => Error::Newer { what: self.path.display().to_string() },
            format::Unreadable::Damaged(why) => self.damaged(why),
        }
    }

    fn damaged(&self, why: &str) -> Error {
        Error::Damaged { what: self.path.display().to_string(), why: why.into() }
    }

    fn state(&self) -> MutexGuard<'_, Option<Unlocked>> {
        self.unlocked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Under the vault's own lock: two writers would lose one of their changes.
    fn rewrite(&self, change: impl FnOnce(&mut Contents)) -> Result<(), Error> {
        let unlocked = self.key()?;
        let mut contents = self.contents()?;
        change(&mut contents);
        self.write(&unlocked, &contents)
    }
}

fn key_of(slot: &Slot) -> String {
    format!("{}@{}", slot.name, slot.number)
}

/// The slot that has this key in the file.
pub(crate) fn slot_of(key: &str) -> Option<Slot> {
    let (name, number) = key.rsplit_once('@')?;
    Some(Slot { name: name.to_owned(), number: number.parse().ok()?, pieces: 1, lent_by: None })
}

impl Shelf for SealedShelf {
    fn pieces(&self, _: &Secret) -> u32 {
        1
    }

    fn put(&self, slot: &Slot, value: &Secret) -> Result<(), Error> {
        self.rewrite(|contents| drop(contents.insert(key_of(slot), value.clone())))
    }

    fn get(&self, slot: &Slot) -> Result<Secret, Error> {
        self.contents()?
            .remove(&key_of(slot))
            .ok_or_else(|| Error::Gone { name: slot.name.clone(), place: Place::SealedFile })
    }

    fn clear(&self, slot: &Slot) -> Result<(), Error> {
        if !self.exists() {
            return Ok(());
        }
        self.rewrite(|contents| drop(contents.remove(&key_of(slot))))
    }

    fn is_quiet(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
