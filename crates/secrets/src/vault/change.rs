//! The steps of a change, with the ledger kept ahead of what lies on the shelves.

use super::Vault;
use crate::ledger::{At, Line, Page};
use crate::shelf::{Home, Slot};
use crate::{Error, Secret, files};

impl Vault {
    pub(super) fn put(
        &self,
        name: &str,
        secret: &Secret,
        home: Home,
        line: impl FnOnce(At) -> Line,
    ) -> Result<(), Error> {
        let slot = self.new_slot(name, secret, home)?;
        if let Err(error) = self.fill(&slot, secret, home) {
            self.sweep();
            return Err(error);
        }
        files::step();
        self.ledger().change(|page| {
            page.leftovers.retain(|(_, left)| *left != slot);
            page.drop_line(name);
            page.secrets.insert(name.to_owned(), line(At::Slot(home, slot)));
        })?;
        self.known().remove(name);
        files::step();
        self.sweep();
        Ok(())
    }

    pub(super) fn new_slot(&self, name: &str, secret: &Secret, home: Home) -> Result<Slot, Error> {
        let pieces = self.shelf(home).pieces(secret);
        let mut ledger = self.ledger();
        // A write that failed before may have left something else on the disk.
        ledger.settle()?;
        ledger.change(|page| {
            let slot = page.new_slot(name, pieces);
            page.leftovers.push((home, slot.clone()));
            slot
        })
    }

    /// Puts the value into the slot and looks whether it is there.
    pub(super) fn fill(&self, slot: &Slot, secret: &Secret, home: Home) -> Result<(), Error> {
        files::step();
        if let Err(error) = self.shelf(home).put(slot, secret) {
            if error.is_at_the_door() && slot.pieces == 1 {
                // Nothing went in: a place that never opens would leave more and more behind.
                self.ledger().change(|page| page.leftovers.retain(|(_, left)| left != slot))?;
            }
            return Err(error);
        }
        files::step();
        if self.shelf(home).get(slot)? != *secret {
            return Err(Error::Unverified { name: slot.name.clone(), place: home.into() });
        }
        Ok(())
    }

    pub(super) fn elsewhere(&self, home: Home) -> Vec<(String, Line)> {
        let ledger = self.ledger();
        let lies = |line: &Line| matches!(&line.at, At::Slot(place, _) if *place != home);
        let secrets = ledger.page().secrets.iter().filter(|(_, line)| lies(line));
        secrets.map(|(name, line)| (name.clone(), line.clone())).collect()
    }

    pub(super) fn carry(&self, name: &str, old: &Line, home: Home) -> Result<(), Error> {
        let secret = self.read(name, &old.at)?;
        self.put(name, &secret, home, |at| Line { at, ..old.clone() })
    }

    /// Gives what was read out of another data directory's slot one of its own: that
    /// directory may change or remove its own at any time, and neither may notice.
    /// Where it cannot be done now it is tried when the value is read the next time.
    pub(super) fn make_own(&self, name: &str) {
        let lent = |at: &At| at.is_lent();
        if !self.at(name).is_ok_and(|at| lent(&at)) {
            return;
        }
        let _changing = self.changing();
        let line = self.ledger().page().secrets.get(name).cloned();
        if let Some(line) = line.filter(|line| lent(&line.at)) {
            drop(self.carry(name, &line, Home::Keyring));
        }
    }

    /// Clears what is left over. What can not be cleared now stays noted.
    pub(super) fn sweep(&self) {
        if self.ledger().settle().is_err() {
            return;
        }
        let leftovers = self.ledger().page().leftovers.clone();
        let mut stuck = Vec::new();
        let mut cleared = Vec::new();
        for (home, slot) in leftovers {
            let shelf = self.shelf(home);
            // What was given up may still fill its slot.
            if !shelf.is_quiet() || stuck.contains(&home) {
                continue;
            }
            match shelf.clear(&slot) {
                Ok(()) => cleared.push(slot),
                Err(_) => stuck.push(home),
            }
            files::step();
        }
        if cleared.is_empty() {
            return;
        }
        let forget = |page: &mut Page| page.leftovers.retain(|(_, slot)| !cleared.contains(slot));
        // If this fails they are cleared again next time, which does no harm.
        drop(self.ledger().change(forget));
    }
}
