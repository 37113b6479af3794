//! `secrets.json`: which secrets there are and where each of them lies. No values.
//!
//! What it says counts: a value on a shelf is only reached through it. So a
//! slot can be filled, looked at and cleared while the old value stays in
//! force, and one write of this file changes over.

use crate::folder::{Folder, Kin};
use crate::shelf::{Home, Place, Slot};
use crate::{Error, files};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;

const VERSION: u32 = 1;

pub(crate) struct Ledger {
    path: PathBuf,
    page: Page,
    /// Why what is on the disk cannot be read. It stays as it is until something
    /// new is to be listed, and is put aside then: what it says may still be saved.
    damage: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Page {
    version: u32,
    /// Drawn once for a data directory: others may use the same keyring.
    pub(crate) scope: String,
    /// The data directory that the scope was drawn for.
    #[serde(default)]
    folder: Option<Folder>,
    /// Where new secrets go. One that lies elsewhere waits to be moved.
    pub(crate) home: Home,
    next: u64,
    pub(crate) secrets: BTreeMap<String, Line>,
    /// Slots that hold nothing that counts, and may hold something.
    pub(crate) leftovers: Vec<(Home, Slot)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Line {
    #[serde(flatten)]
    pub(crate) at: At,
    pub(crate) ending: Option<String>,
    pub(crate) set_at_ms: i64,
    pub(crate) used_at_ms: Option<i64>,
    /// Whom alone it may be shown to, where nothing else says so any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) only_for: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum At {
    Slot(Home, Slot),
    Variable(String),
}

impl At {
    pub(crate) fn place(&self) -> Place {
        match self {
            At::Slot(home, _) => (*home).into(),
            At::Variable(variable) => Place::Environment { variable: variable.clone() },
        }
    }

    pub(crate) fn is_lent(&self) -> bool {
        matches!(self, At::Slot(_, slot) if slot.lent_by.is_some())
    }
}

impl Page {
    fn new(scope: String, folder: Option<Folder>) -> Self {
        Page {
            version: VERSION,
            scope,
            folder,
            home: Home::Keyring,
            next: 1,
            secrets: BTreeMap::new(),
            leftovers: Vec::new(),
        }
    }

    /// A slot that was never used before.
    pub(crate) fn new_slot(&mut self, name: &str, pieces: u32) -> Slot {
        let number = self.next;
        self.next += 1;
        Slot { name: name.to_owned(), number, pieces, lent_by: None }
    }

    /// Lists what lies in a slot that nothing here knows of: the ledger was lost
    /// and the shelf was not. The newest of a name counts.
    pub(crate) fn adopt(&mut self, home: Home, slot: &Slot, ending: Option<String>, now_ms: i64) {
        self.next = self.next.max(slot.number + 1);
        let is_left_over = self.leftovers.iter().any(|(at, left)| *at == home && left == slot);
        if is_left_over {
            return;
        }
        let is_older = |line: &Line| match &line.at {
            At::Slot(at, listed) => *at != home || listed.number >= slot.number,
            At::Variable(_) => true,
        };
        if !self.secrets.get(&slot.name).is_some_and(is_older) {
            self.drop_line(&slot.name);
            let at = At::Slot(home, slot.clone());
            let line = Line { at, ending, set_at_ms: now_ms, used_at_ms: None, only_for: None };
            self.secrets.insert(slot.name.clone(), line);
        }
    }

    /// Takes the secret out; what it lay in is left over, unless it is another's.
    pub(crate) fn drop_line(&mut self, name: &str) -> Option<Line> {
        let line = self.secrets.remove(name)?;
        if let At::Slot(home, slot) = &line.at
            && slot.lent_by.is_none()
        {
            self.leftovers.push((*home, slot.clone()));
        }
        Some(line)
    }

    /// Those that lie in slots of the data directory that this one was copied from.
    pub(crate) fn lent(&self) -> impl Iterator<Item = &String> {
        self.secrets.iter().filter(|(_, line)| line.at.is_lent()).map(|(name, _)| name)
    }

    /// Says which data directory this is. A copy of another gets a scope of its own; what
    /// lies in the keyring stays that other's, and is only read from now on.
    fn stand_in(&mut self, here: Option<Folder>) -> Result<(), Error> {
        let Some(here) = here else { return Ok(()) };
        if self.folder.as_ref().is_some_and(|before| here.kin(before) == Kin::Another) {
            let before = std::mem::replace(&mut self.scope, draw_scope()?);
            for line in self.secrets.values_mut() {
                if let At::Slot(Home::Keyring, slot) = &mut line.at {
                    slot.lent_by.get_or_insert_with(|| before.clone());
                }
            }
            self.leftovers.retain(|(home, _)| *home != Home::Keyring);
        }
        self.folder = Some(here);
        Ok(())
    }

    fn is_new(&self) -> bool {
        *self == Page::new(self.scope.clone(), self.folder.clone())
    }

    /// Whether anything may lie there.
    pub(crate) fn uses(&self, home: Home) -> bool {
        let holds = |at: &At| matches!(at, At::Slot(place, _) if *place == home);
        self.secrets.values().any(|line| holds(&line.at))
            || self.leftovers.iter().any(|(place, _)| *place == home)
    }
}

impl Ledger {
    pub(crate) fn open(path: PathBuf) -> Result<Self, Error> {
        let read = match files::read(&path) {
            Ok(None) => None,
            Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
                Ok(Versioned { version }) if version > VERSION => {
                    return Err(Error::Newer { what: path.display().to_string() });
                }
                Ok(Versioned { .. }) => {
                    Some(serde_json::from_slice(&bytes).map_err(|error| error.to_string()))
                }
                Err(error) => Some(Err(error.to_string())),
            },
            Err(Error::File { source, .. }) if source.kind() == ErrorKind::IsADirectory => {
                Some(Err("it is a folder".into()))
            }
            Err(error) => return Err(error),
        };
        let here = path.parent().and_then(Folder::at);
        let (mut page, damage) = match read {
            None => (Page::new(draw_scope()?, here.clone()), None),
            Some(Ok(page)) => (page, None),
            Some(Err(why)) => (Page::new(draw_scope()?, here.clone()), Some(why)),
        };
        page.stand_in(here)?;
        let mut ledger = Ledger { path, page, damage };
        // Before somebody copies the folder. A full disk is no reason not to open it: the
        // next change writes it too.
        drop(ledger.settle());
        Ok(ledger)
    }

    /// Why nobody knows what is kept where.
    pub(crate) fn damage(&self) -> Option<Error> {
        let why = self.damage.clone()?;
        Some(Error::ListDamaged { path: self.path.clone(), why })
    }

    pub(crate) fn page(&self) -> &Page {
        &self.page
    }

    /// Changes the page and writes it. When that fails the page here stays as it
    /// was, and what is on the disk is one of the two.
    pub(crate) fn change<T>(&mut self, change: impl FnOnce(&mut Page) -> T) -> Result<T, Error> {
        let mut page = self.page.clone();
        let result = change(&mut page);
        if page != self.page {
            if self.damage.is_some() {
                files::put_aside(&self.path)?;
                self.damage = None;
            }
            let text = serde_json::to_vec_pretty(&page).expect("its keys are strings");
            files::replace(&self.path, &text)?;
            self.page = page;
        }
        Ok(result)
    }

    /// The page here is what is on the disk, whatever became of the write before.
    pub(crate) fn settle(&mut self) -> Result<(), Error> {
        if self.damage.is_some() {
            return Ok(());
        }
        let text = serde_json::to_vec_pretty(&self.page).expect("its keys are strings");
        match files::read(&self.path)? {
            Some(there) if there == text => Ok(()),
            None if self.page.is_new() => Ok(()),
            _ => files::replace(&self.path, &text),
        }
    }
}

/// What can be read of every version.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

fn draw_scope() -> Result<String, Error> {
    let mut bytes = [0; 6];
    fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Random bytes of the operating system.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), Error> {
    getrandom::fill(bytes)
        .map_err(|error| Error::Keyring { why: format!("draw random bytes: {error}") })
}
