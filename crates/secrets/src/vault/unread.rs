//! Values that are kept and were not read yet, as a person may paste them and a tool
//! may find them. `redactor::suspects` says what of a text may be one; here they are
//! read, so that they are known for sure.

use super::{Listed, Vault};
use crate::redactor::Unread;
use crate::{Error, Place};
use std::sync::Arc;

impl Vault {
    /// The names of those that this text may hold.
    #[must_use]
    pub fn suspects(&self, text: &str) -> Vec<String> {
        self.0.redactor.suspects(text)
    }

    /// Reads it, so that it is known from now on. That is no use of it.
    pub fn learn(&self, name: &str) -> Result<(), Error> {
        let at = self.at(name)?;
        self.read(name, &at)?;
        self.make_own(name);
        Ok(())
    }

    /// Reads all that is listed and was not read yet, where `from` says that it may be
    /// asked for. Fails with why a place could not be asked; the others were.
    pub fn learn_all(&self, from: impl Fn(&Place) -> bool) -> Result<(), Error> {
        let mut closed: Vec<Place> = Vec::new();
        let mut why = Ok(());
        for Listed { name, place, .. } in self.list() {
            if !from(&place) || closed.contains(&place) || self.is_at_hand(&name) {
                continue;
            }
            if let Err(error) = self.learn(&name)
                && error.is_about_the_place()
            {
                closed.push(place);
                why = Err(error);
            }
        }
        why
    }

    /// Whether what lies in the keyring can be read without anybody being asked for a
    /// password. Takes as long as the keyring does.
    #[must_use]
    pub fn is_keyring_open(&self) -> bool {
        self.0.keyring.keyring.is_open()
    }

    /// From now on the redactor takes out what may be one that nobody has read.
    pub(super) fn guard_the_unread(&self) {
        let of = Arc::downgrade(&self.0);
        self.0
            .redactor
            .suspect(move || of.upgrade().map_or_else(Vec::new, |of| Vault(of).unread()));
    }

    fn unread(&self) -> Vec<Unread> {
        let listed = self.list().into_iter();
        let unread = listed.filter(|one| !self.is_at_hand(&one.name));
        unread.filter_map(|one| Some(Unread { ending: one.ending?, name: one.name })).collect()
    }
}
