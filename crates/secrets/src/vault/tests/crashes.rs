//! A process that dies at any point of a change: after it, everything is whole.
//!
//! Points are each use of a keyring entry, and each step between two writes. At
//! the n-th everything stops: the keyring refuses, and the next step panics, which
//! is as far as the disk sees a kill. Then somebody else opens what is left.

use super::*;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::AtomicUsize;

/// How many points are still passed alive.
struct Doom(AtomicUsize);

impl Doom {
    fn has_come(&self) -> bool {
        let alive = |left: usize| left.checked_sub(1);
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, alive).is_err()
    }
}

thread_local! {
    static DOOM: RefCell<Option<Arc<Doom>>> = const { RefCell::new(None) };
}

fn listen_for_steps() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let at_step = || {
            let doomed = DOOM.with_borrow(|doom| doom.as_ref().is_some_and(|doom| doom.has_come()));
            if doomed {
                // Quieter than a panic: this is no failure of the test.
                panic::resume_unwind(Box::new("killed"));
            }
        };
        fail::cfg_callback("secrets.step", at_step).unwrap();
    });
}

/// Runs the change in a process that dies at the n-th point. Nothing when it
/// did; what the change gave when it came to its end before.
pub(super) fn killed_at<T>(house: &House, n: usize, change: impl FnOnce(&Vault) -> T) -> Option<T> {
    listen_for_steps();
    let doom = Arc::new(Doom(AtomicUsize::new(n)));
    let in_keyring = doom.clone();
    let dies = move |_| if in_keyring.has_come() { Err(locked()) } else { Ok(()) };
    let vault = house.vault_with(PATIENT, Arc::new(dies));
    unlock(&vault);
    DOOM.set(Some(doom.clone()));
    let result = panic::catch_unwind(AssertUnwindSafe(|| change(&vault)));
    DOOM.set(None);
    // Its last point may have been a clearing whose failure nobody is told of.
    if doom.has_come() { None } else { result.ok() }
}

fn unlock(vault: &Vault) {
    if vault.sealed() == Sealed::Locked {
        vault.unlock_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    }
}

fn survivor(house: &House) -> Vault {
    let vault = house.vault();
    unlock(&vault);
    vault
}

/// Lets it die at every point in turn, each time in a house of its own.
fn at_every_point<T>(
    prepare: impl Fn(&Vault),
    change: impl Fn(&Vault) -> T,
    check: impl Fn(&House, &Vault),
) {
    for n in 0.. {
        let house = House::new();
        prepare(&house.vault());
        let came_to_its_end = killed_at(&house, n, &change).is_some();
        check(&house, &survivor(&house));
        if came_to_its_end {
            assert!(n > 10, "only {n} points were found");
            return;
        }
    }
}

fn old() -> String {
    "old".repeat(1_000)
}

fn new() -> String {
    "new value ".repeat(400)
}

fn is_one_of_two(house: &House, vault: &Vault) {
    let value = read(vault, "openai");
    assert!(value == old() || value == new(), "it is a mixture: {} bytes", value.len());
    // Whatever was left over goes with the next change.
    vault.set("openai", &Secret::from("after it")).unwrap();
    assert_eq!((read(vault, "openai"), vault.to_be_erased()), ("after it".into(), 0));
    let in_the_file = usize::from(vault.sealed() != Sealed::None);
    assert_eq!(house.entries.users().len() + in_the_file, 1);
}

#[test]
fn a_set_in_the_keyring_leaves_the_old_value_or_the_new_one() {
    at_every_point(
        |vault| vault.set("openai", &Secret::new(old())).unwrap(),
        |vault| vault.set("openai", &Secret::new(new())),
        is_one_of_two,
    );
}

#[test]
fn a_set_in_the_sealed_file_leaves_the_old_value_or_the_new_one() {
    at_every_point(
        |vault| {
            vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
            vault.set("openai", &Secret::new(old())).unwrap();
        },
        |vault| vault.set("openai", &Secret::new(new())),
        is_one_of_two,
    );
}

#[test]
fn a_removal_leaves_the_secret_or_a_name_that_can_be_removed() {
    at_every_point(
        |vault| {
            vault.set("openai", &Secret::new(old())).unwrap();
            vault.set("groq", &Secret::from("another")).unwrap();
        },
        |vault| vault.remove("openai"),
        |house, vault| {
            match vault.remove("openai") {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => panic!("{error}"),
            }
            vault.set("groq", &Secret::from("the last")).unwrap();
            assert_eq!((vault.list().len(), vault.to_be_erased()), (1, 0));
            assert_eq!(house.entries.values(), ["the last"]);
        },
    );
}

const SECRETS: [&str; 3] = ["a", "b", "c"];

fn value(name: &str) -> String {
    if name == "b" { old() } else { format!("the value of {name}") }
}

fn store_three(vault: &Vault) {
    for name in SECRETS {
        vault.set(name, &Secret::new(value(name))).unwrap();
    }
}

fn nothing_is_lost(vault: &Vault) {
    for name in SECRETS {
        assert_eq!(read(vault, name), value(name));
    }
    assert_eq!(vault.list().len(), SECRETS.len());
}

#[test]
fn a_move_to_the_sealed_file_loses_nothing_and_goes_on_where_it_was() {
    at_every_point(
        |vault| {
            store_three(vault);
            vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
        },
        |vault| vault.move_to(Home::SealedFile),
        |house, vault| {
            nothing_is_lost(vault);
            assert!(vault.move_to(Home::SealedFile).unwrap().failed.is_empty());
            nothing_is_lost(&survivor(house));
            assert_eq!((house.entries.users().len(), vault.to_be_moved()), (0, 0));
            assert_eq!(vault.to_be_erased(), 0);
        },
    );
}

#[test]
fn a_move_to_the_keyring_loses_nothing_and_goes_on_where_it_was() {
    at_every_point(
        |vault| {
            vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
            store_three(vault);
        },
        |vault| vault.move_to(Home::Keyring),
        |house, vault| {
            nothing_is_lost(vault);
            assert!(vault.move_to(Home::Keyring).unwrap().failed.is_empty());
            nothing_is_lost(&survivor(house));
            assert_eq!((vault.sealed(), vault.to_be_moved()), (Sealed::None, 0));
            assert_eq!(vault.to_be_erased(), 0);
        },
    );
}

#[test]
fn a_new_passphrase_takes_the_whole_file_or_nothing_of_it() {
    let later = Secret::from("another of some length");
    for n in 0.. {
        let house = House::new();
        house.vault().create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
        survivor(&house).set("openai", &Secret::new(old())).unwrap();
        let change = |vault: &Vault| vault.change_passphrase(&Secret::from(PASSPHRASE), &later);
        let came_to_its_end = killed_at(&house, n, change).is_some();
        let vault = house.vault();
        let opens_as_before = vault.unlock_sealed_file(&Secret::from(PASSPHRASE)).is_ok();
        assert!(opens_as_before != vault.unlock_sealed_file(&later).is_ok());
        assert_eq!(read(&vault, "openai"), old());
        if came_to_its_end {
            assert!(n >= 2, "only {n} points were found");
            return;
        }
    }
}
