//! The vault of one data directory: what a person and the workspace do with secrets.
//!
//! A value is changed in four steps, each of which may be the last one before a
//! crash: note a new slot as left over, fill it and read it back, write into
//! the ledger that it counts now and the old one is left over, clear the old one.
//! So at any moment either the old value is whole and in force or the new one.
//! Moving to the other shelf is the same change with the same value. `change`
//! holds the steps.

use crate::keyring::KeyringShelf;
use crate::ledger::{At, Ledger, Line, Page};
use crate::sealed::{SealedShelf, slot_of};
use crate::shelf::{Home, Place, Shelf};
use crate::{Cost, Error, Keyring, Redactor, Secret, files};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

mod change;
mod unread;

/// Looks up a variable of the owning process. Binaries pass it in.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;
/// The time in unix milliseconds.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Where the list of keys is, in the data directory.
pub const LEDGER_FILE: &str = "secrets.json";
/// Where the keys are that no keyring keeps, in the data directory.
pub const SEALED_FILE: &str = "secrets.sealed";

const LONGEST_NAME: usize = 200;
const LARGEST_VALUE: usize = 64 * 1024;
/// "Last used" is written this often at most.
const USE_NOTED_EVERY_MS: i64 = 60_000;

/// What a vault is opened with.
pub struct Opening {
    /// The data directory.
    pub data: PathBuf,
    pub keyring: Keyring,
    /// Under which name its entries stand in the keyring: `coterie`.
    pub service: String,
    pub environment: Environment,
    pub clock: Clock,
    pub cost: Cost,
    /// Gets to know every value that goes through the vault. A log that begins
    /// before the vault has the same.
    pub redactor: Redactor,
}

impl Opening {
    /// As Coterie itself opens it.
    #[must_use]
    pub fn of(data: PathBuf, environment: Environment, clock: Clock) -> Self {
        Opening {
            data,
            keyring: Keyring::system(),
            service: "coterie".to_owned(),
            environment,
            clock,
            cost: Cost::usual(),
            redactor: Redactor::default(),
        }
    }
}

/// A cheap handle.
#[derive(Clone)]
pub struct Vault(Arc<Inner>);

struct Inner {
    ledger: Mutex<Ledger>,
    /// Held through a whole change, so that two never cross.
    changing: Mutex<()>,
    keyring: KeyringShelf,
    sealed: SealedShelf,
    cost: Cost,
    environment: Environment,
    clock: Clock,
    redactor: Redactor,
    /// What was read already. Wiped with the vault.
    known: Mutex<HashMap<String, (At, Secret)>>,
}

/// What may be shown about a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    pub place: Place,
    /// Its last four characters, where it is long enough to show them.
    pub ending: Option<String>,
    pub set_at_ms: i64,
    /// To the minute.
    pub used_at_ms: Option<i64>,
    /// As `keep_for` said.
    pub only_for: Option<String>,
}

/// What came of a move. What failed is where it was.
#[derive(Debug)]
pub struct Moved {
    pub moved: Vec<String>,
    pub failed: Vec<(String, Error)>,
}

/// How the sealed file stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sealed {
    /// There is none.
    None,
    Locked,
    Unlocked,
}

impl Vault {
    /// Reads the list and nothing else: no keyring is asked, nothing is made.
    pub fn open(opening: Opening) -> Result<Self, Error> {
        let Opening { data, keyring, service, environment, clock, cost, redactor } = opening;
        let ledger = Ledger::open(data.join(LEDGER_FILE))?;
        let scope = ledger.page().scope.clone();
        let vault = Vault(Arc::new(Inner {
            ledger: Mutex::new(ledger),
            changing: Mutex::new(()),
            keyring: KeyringShelf { keyring, service, scope },
            sealed: SealedShelf::at(data.join(SEALED_FILE)),
            cost,
            environment,
            clock,
            redactor,
            known: Mutex::default(),
        }));
        vault.guard_the_unread();
        Ok(vault)
    }

    /// Why nobody knows which secrets there are: the list is damaged. What is kept
    /// anew, or found in the sealed file, begins another one.
    #[must_use]
    pub fn damage(&self) -> Option<Error> {
        self.ledger().damage()
    }

    /// Knows every value that this vault has handed out or taken in.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }

    #[must_use]
    pub fn list(&self) -> Vec<Listed> {
        let listed = |(name, line): (&String, &Line)| Listed {
            name: name.clone(),
            place: line.at.place(),
            ending: line.ending.clone(),
            set_at_ms: line.set_at_ms,
            used_at_ms: line.used_at_ms,
            only_for: line.only_for.clone(),
        };
        self.ledger().page().secrets.iter().map(listed).collect()
    }

    /// The value. The first time this asks the place where it lies, and may
    /// take as long as that does; after that it is at hand.
    pub fn get(&self, name: &str) -> Result<Secret, Error> {
        let was_at_hand = self.is_at_hand(name);
        let mut at = self.at(name)?;
        let secret = loop {
            match self.read(name, &at) {
                Ok(secret) => break secret,
                Err(error) => {
                    // It may have been changed or moved while it was looked for.
                    let now = self.at(name)?;
                    if now == at {
                        return Err(error);
                    }
                    at = now;
                }
            }
        };
        if !was_at_hand {
            self.make_own(name);
        }
        self.note_use(name);
        Ok(secret)
    }

    /// Whether `get` would give it without asking the place where it lies.
    #[must_use]
    pub fn is_at_hand(&self, name: &str) -> bool {
        self.at(name).is_ok_and(|at| self.known().get(name).is_some_and(|(known, _)| *known == at))
    }

    /// Reads what is listed and was not read yet, so that the redactor knows it
    /// before somebody shows it. That is no use of it. `from` says which places
    /// are asked; one that fails is not asked again.
    pub fn recognise(&self, from: impl Fn(&Place) -> bool) {
        let listed: Vec<_> = {
            let ledger = self.ledger();
            let lines = ledger.page().secrets.iter();
            lines.map(|(name, line)| (name.clone(), line.at.clone())).collect()
        };
        let mut closed = Vec::new();
        for (name, at) in listed {
            let place = at.place();
            if !from(&place) || closed.contains(&place) {
                continue;
            }
            match self.read(&name, &at) {
                Ok(_) => self.make_own(&name),
                Err(error) if error.is_about_the_place() => closed.push(place),
                Err(_) => {}
            }
        }
    }

    /// Stores the value at home, in place of what had this name. When it fails
    /// nothing is changed.
    pub fn set(&self, name: &str, secret: &Secret) -> Result<(), Error> {
        check_name(name)?;
        check_value(name, secret)?;
        self.0.redactor.learn(name, secret);
        let _changing = self.changing();
        let home = self.ledger().page().home;
        let line = |at| Line {
            at,
            ending: secret.ending(),
            set_at_ms: (self.0.clock)(),
            used_at_ms: None,
            only_for: None,
        };
        self.put(name, secret, home, line)
    }

    /// From now on this secret is what the variable holds. Nothing is stored of it.
    pub fn use_variable(&self, name: &str, variable: &str) -> Result<(), Error> {
        check_name(name)?;
        let secret = self.variable(variable)?;
        let _changing = self.changing();
        let line = Line {
            at: At::Variable(variable.to_owned()),
            ending: secret.ending(),
            set_at_ms: (self.0.clock)(),
            used_at_ms: None,
            only_for: None,
        };
        self.ledger().change(|page| {
            page.drop_line(name);
            page.secrets.insert(name.to_owned(), line);
        })?;
        self.sweep();
        Ok(())
    }

    /// What a variable of the owning process holds, without listing it.
    pub fn variable(&self, variable: &str) -> Result<Secret, Error> {
        let value = (self.0.environment)(variable).filter(|value| !value.is_empty());
        let not_set = || Error::NotSet { variable: variable.to_owned() };
        let secret = Secret::new(value.ok_or_else(not_set)?);
        self.0.redactor.learn(variable, &secret);
        Ok(secret)
    }

    /// Whom alone this value may be shown to from now on. It is asked by whoever hands it
    /// out; another value under the name is not bound by it.
    pub fn keep_for(&self, name: &str, whom: &str) -> Result<(), Error> {
        self.at(name)?;
        self.ledger().change(|page| {
            if let Some(line) = page.secrets.get_mut(name) {
                line.only_for = Some(whom.to_owned());
            }
        })
    }

    /// Takes the value out of its place, and the name off the list. When the
    /// place can not be reached both stay.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        let _changing = self.changing();
        match self.at(name)? {
            At::Slot(home, slot) if slot.lent_by.is_none() => {
                self.shelf(home).clear(&slot)?;
                files::step();
            }
            At::Slot(..) | At::Variable(_) => {}
        }
        self.ledger().change(|page| page.drop_line(name))?;
        self.known().remove(name);
        self.sweep();
        Ok(())
    }

    /// Takes the name off the list without reaching its place, for a keyring that
    /// will not come back. What lies there is erased if it ever does.
    pub fn forget(&self, name: &str) -> Result<(), Error> {
        let _changing = self.changing();
        self.at(name)?;
        self.ledger().change(|page| page.drop_line(name))?;
        self.known().remove(name);
        Ok(())
    }

    /// Where new secrets go.
    #[must_use]
    pub fn home(&self) -> Home {
        self.ledger().page().home
    }

    /// How many secrets lie in the other place than at home: they were never moved
    /// there, or a move was cut short.
    #[must_use]
    pub fn to_be_moved(&self) -> usize {
        let ledger = self.ledger();
        let page = ledger.page();
        let elsewhere = |line: &&Line| matches!(&line.at, At::Slot(home, _) if *home != page.home);
        page.secrets.values().filter(elsewhere).count()
    }

    /// How many lie in slots of the data directory that this one is a copy of. Each gets
    /// one of its own when it is read.
    #[must_use]
    pub fn lent(&self) -> usize {
        self.ledger().page().lent().count()
    }

    /// How many old values are still to be erased, because their place could
    /// not be reached when they were replaced.
    #[must_use]
    pub fn to_be_erased(&self) -> usize {
        self.ledger().page().leftovers.len()
    }

    /// Makes this place the home, and moves there what lies in the other. Each
    /// value is read back and compared before it is erased where it was. A move
    /// that was cut short goes on when it is asked for again.
    pub fn move_to(&self, home: Home) -> Result<Moved, Error> {
        self.check_list()?;
        self.check(home)?;
        let _changing = self.changing();
        self.ledger().change(|page| page.home = home)?;
        let mut result = Moved { moved: Vec::new(), failed: Vec::new() };
        for (name, old) in self.elsewhere(home) {
            match self.carry(&name, &old, home) {
                Ok(()) => result.moved.push(name),
                Err(error) if error.is_about_the_place() => return Err(error),
                Err(error) => result.failed.push((name, error)),
            }
        }
        self.sweep();
        let may_hold_more = self.ledger().page().uses(Home::SealedFile);
        if home == Home::Keyring && !may_hold_more && self.0.sealed.is_empty() {
            self.0.sealed.remove()?;
        }
        Ok(result)
    }

    /// Whether the place works: a value of no meaning goes in, is read and taken out.
    pub fn check(&self, home: Home) -> Result<(), Error> {
        self.check_list()?;
        let _changing = self.changing();
        let name = "coterie-check";
        let secret = Secret::from("a value of no meaning");
        let slot = self.new_slot(name, &secret, home)?;
        let checked = self.fill(&slot, &secret, home);
        self.sweep();
        checked
    }

    /// Whether there is a keyring at all, which asks nobody for a password.
    pub fn look_for_keyring(&self) -> Result<(), Error> {
        self.0.keyring.keyring.look()
    }

    /// How the sealed file stands. While a secret lies in it the window says so
    /// on every page.
    #[must_use]
    pub fn sealed(&self) -> Sealed {
        match (self.0.sealed.exists(), self.0.sealed.is_unlocked()) {
            (false, _) => Sealed::None,
            (true, false) => Sealed::Locked,
            (true, true) => Sealed::Unlocked,
        }
    }

    /// Where the sealed file is or would be.
    #[must_use]
    pub fn sealed_path(&self) -> PathBuf {
        self.0.sealed.path().to_owned()
    }

    /// Makes the sealed file, and makes it the home. Only a person who was told what
    /// it means may ask for this; nothing here does it unasked.
    pub fn create_sealed_file(&self, passphrase: &Secret) -> Result<(), Error> {
        let _changing = self.changing();
        self.0.sealed.create(passphrase, self.0.cost)?;
        files::step();
        self.ledger().change(|page| page.home = Home::SealedFile)
    }

    /// Holds from then on until the vault is dropped or this is locked. What is in
    /// the file and not on the list, because the list was lost, is listed again.
    pub fn unlock_sealed_file(&self, passphrase: &Secret) -> Result<(), Error> {
        let _changing = self.changing();
        self.0.sealed.unlock(passphrase)?;
        let now_ms = (self.0.clock)();
        let contents = self.0.sealed.contents()?;
        self.ledger().change(|page| {
            for (key, secret) in &contents {
                if let Some(slot) = slot_of(key) {
                    page.adopt(Home::SealedFile, &slot, secret.ending(), now_ms);
                }
            }
        })
    }

    /// Forgets the passphrase, and what was read from the file.
    pub fn lock_sealed_file(&self) {
        self.0.sealed.lock();
        self.known().retain(|_, (at, _)| !matches!(at, At::Slot(Home::SealedFile, _)));
    }

    pub fn change_passphrase(&self, old: &Secret, new: &Secret) -> Result<(), Error> {
        let _changing = self.changing();
        self.0.sealed.change_passphrase(old, new, self.0.cost)
    }

    /// Looking at something must not put a damaged list aside.
    fn check_list(&self) -> Result<(), Error> {
        self.damage().map_or(Ok(()), Err)
    }

    fn at(&self, name: &str) -> Result<At, Error> {
        self.check_list()?;
        let ledger = self.ledger();
        let line = ledger.page().secrets.get(name);
        line.map(|line| line.at.clone()).ok_or_else(|| Error::NotFound { name: name.to_owned() })
    }

    fn read(&self, name: &str, at: &At) -> Result<Secret, Error> {
        let (home, slot) = match at {
            At::Variable(variable) => return self.variable(variable),
            At::Slot(home, slot) => (*home, slot),
        };
        let at_hand = |(known, _): &&(At, Secret)| known == at;
        if let Some((_, secret)) = self.known().get(name).filter(at_hand) {
            return Ok(secret.clone());
        }
        let secret = self.shelf(home).get(slot)?;
        self.0.redactor.learn(name, &secret);
        self.known().insert(name.to_owned(), (at.clone(), secret.clone()));
        Ok(secret)
    }

    fn note_use(&self, name: &str) {
        let now = (self.0.clock)();
        let noted = self.ledger().change(|page: &mut Page| {
            let Some(line) = page.secrets.get_mut(name) else { return };
            if line.used_at_ms.is_none_or(|used| now - used >= USE_NOTED_EVERY_MS) {
                line.used_at_ms = Some(now);
            }
        });
        // A full disk is no reason to withhold a key.
        drop(noted);
    }

    fn shelf(&self, home: Home) -> &dyn Shelf {
        match home {
            Home::Keyring => &self.0.keyring,
            Home::SealedFile => &self.0.sealed,
        }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.0.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.0.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, (At, Secret)>> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check_name(name: &str) -> Result<(), Error> {
    let fits = |c: char| c.is_alphanumeric() || "._:/-+#?=&%~".contains(c);
    let is_good = (1..=LONGEST_NAME).contains(&name.chars().count()) && name.chars().all(fits);
    if is_good { Ok(()) } else { Err(Error::BadName { name: name.to_owned() }) }
}

fn check_value(name: &str, secret: &Secret) -> Result<(), Error> {
    let value = secret.expose();
    let why = if value.trim().is_empty() {
        "it is empty"
    } else if value.contains('\0') {
        "it holds a zero byte"
    } else if value.len() > LARGEST_VALUE {
        "it is larger than 64 KiB"
    } else {
        return Ok(());
    };
    Err(Error::BadValue { name: name.to_owned(), why })
}

#[cfg(test)]
mod tests;
