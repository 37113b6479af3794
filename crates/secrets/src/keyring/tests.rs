//! A keyring that does what a test tells it to, and what the shelf makes of it.

use super::memory::{Before, Memory};
use super::*;

/// What is in the keyring, whoever opens it.
#[derive(Clone, Default)]
pub(crate) struct Entries(memory::Entries);

impl Entries {
    pub(crate) fn users(&self) -> Vec<String> {
        let mut users: Vec<String> =
            self.0.lock().unwrap().keys().map(|(_, user)| user.clone()).collect();
        users.sort();
        users
    }

    pub(crate) fn values(&self) -> Vec<String> {
        let text = |bytes: &Zeroizing<Vec<u8>>| String::from_utf8(bytes.to_vec()).unwrap();
        let mut values: Vec<String> = self.0.lock().unwrap().values().map(text).collect();
        values.sort();
        values
    }

    /// Somebody else's hand in the keyring.
    pub(crate) fn change(&self, user: &str, value: &str) {
        let mut entries = self.0.lock().unwrap();
        let (_, there) = entries.iter_mut().find(|((_, name), _)| name == user).unwrap();
        *there = Zeroizing::new(value.as_bytes().to_vec());
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    /// `before` is called before each use of an entry.
    pub(crate) fn keyring(&self, limit: Duration, before: Before) -> Keyring {
        let entries = self.0.clone();
        let open = move || -> keyring_core::Result<Arc<CredentialStore>> {
            let store: Arc<CredentialStore> = Memory::with(entries.clone(), before.clone());
            Ok(store)
        };
        Keyring::over(Arc::new(open), limit)
    }
}

fn shelf(keyring: Keyring) -> KeyringShelf {
    KeyringShelf { keyring, service: "coterie".into(), scope: "c0ffee".into() }
}

fn slot(pieces: u32) -> Slot {
    Slot { name: "openai".into(), number: 7, pieces, lent_by: None }
}

const PATIENT: Duration = Duration::from_secs(60);

#[test]
fn a_small_value_is_one_entry_as_it_is_and_a_large_one_several() {
    let entries = Entries::default();
    let shelf = shelf(entries.keyring(PATIENT, Arc::new(|_| Ok(()))));

    shelf.put(&slot(1), &Secret::from("sk-1")).unwrap();
    assert_eq!(
        (entries.users(), entries.values()),
        (vec!["openai@c0ffee-7".to_owned()], vec!["sk-1".to_owned()])
    );

    let large = Secret::new("ab".repeat(1_500));
    assert_eq!(shelf.pieces(&large), 3);
    shelf.put(&slot(3), &large).unwrap();
    assert_eq!(
        entries.users()[1..],
        ["openai@c0ffee-7.1of3", "openai@c0ffee-7.2of3", "openai@c0ffee-7.3of3"]
    );
    assert_eq!(shelf.get(&slot(3)).unwrap(), large);
    shelf.clear(&slot(3)).unwrap();
    shelf.clear(&slot(1)).unwrap();
    shelf.clear(&slot(1)).unwrap();
    assert!(entries.users().is_empty());
}

#[test]
fn a_piece_that_is_missing_or_anothers_is_no_value() {
    let entries = Entries::default();
    let shelf = shelf(entries.keyring(PATIENT, Arc::new(|_| Ok(()))));
    shelf.put(&slot(3), &Secret::new("ab".repeat(1_500))).unwrap();

    entries.change("openai@c0ffee-7.2of3", "2/3 0123456789abcdef:abab");
    assert!(matches!(shelf.get(&slot(3)), Err(Error::Damaged { .. })));

    let kept = entries.0.lock().unwrap().keys().find(|(_, user)| user.ends_with("2of3")).cloned();
    entries.0.lock().unwrap().remove(&kept.unwrap());
    assert!(matches!(shelf.get(&slot(3)), Err(Error::Gone { .. })));
}

#[test]
fn a_connection_that_lost_its_other_end_is_made_anew() {
    let entries = Entries::default();
    let before = |lost: bool| -> Before {
        Arc::new(move |_| match lost {
            true => Err(Theirs::PlatformFailure("the connection is closed".into())),
            false => Ok(()),
        })
    };
    let stores: Vec<Arc<CredentialStore>> = vec![
        Memory::with(entries.0.clone(), before(false)),
        Memory::with(entries.0.clone(), before(true)),
    ];
    let stores = Mutex::new(stores);
    let shelf =
        shelf(Keyring::over(Arc::new(move || Ok(stores.lock().unwrap().pop().unwrap())), PATIENT));

    let first = shelf.put(&slot(1), &Secret::from("sk-1"));
    assert!(matches!(first, Err(Error::Keyring { .. })));
    shelf.put(&slot(1), &Secret::from("sk-1")).unwrap();
    // No third is opened: the one that works is used again.
    assert_eq!(shelf.get(&slot(1)).unwrap(), Secret::from("sk-1"));
}

#[test]
fn no_error_shows_what_was_found_in_an_entry() {
    let value = b"sk-0123456789".to_vec();
    for error in [
        Theirs::BadEncoding(value.clone()),
        Theirs::BadDataFormat(value.clone(), "sk-0123456789".into()),
    ] {
        let ours = platform::plain(error);
        assert!(!format!("{ours} {ours:?} {}", ours.fix()).contains("sk-0123456789"));
    }
}
