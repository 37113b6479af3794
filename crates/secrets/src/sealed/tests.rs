//! Nothing but the right passphrase on an untouched file opens it.

use super::*;
use proptest::prelude::*;
use std::fs;
use tempfile::TempDir;

const PASSPHRASE: &str = "four words of some length";

fn shelf(contents: &Contents) -> (TempDir, SealedShelf) {
    let folder = tempfile::tempdir().unwrap();
    let shelf = SealedShelf::at(folder.path().join("secrets.sealed"));
    shelf.create(&Secret::from(PASSPHRASE), Cost::least()).unwrap();
    shelf.rewrite(|now| *now = contents.clone()).unwrap();
    (folder, shelf)
}

fn contents() -> impl Strategy<Value = Contents> {
    let text = "(\\PC|[a-z0-9]){0,80}";
    prop::collection::btree_map(text, text.prop_map(Secret::new), 0..6)
}

/// What a process that starts now finds.
fn reopened(shelf: &SealedShelf) -> Result<Contents, Error> {
    let again = SealedShelf::at(shelf.path.clone());
    again.unlock(&Secret::from(PASSPHRASE))?;
    again.contents()
}

proptest! {
    #[test]
    fn what_is_sealed_is_there_again(contents in contents()) {
        let (_folder, shelf) = shelf(&contents);
        prop_assert_eq!(reopened(&shelf).unwrap(), contents);
    }

    #[test]
    fn no_other_passphrase_opens_it(other in "\\PC{0,40}") {
        prop_assume!(other != PASSPHRASE);
        let (_folder, shelf) = shelf(&Contents::new());
        let again = SealedShelf::at(shelf.path.clone());
        let opened = again.unlock(&Secret::new(other));
        prop_assert!(matches!(opened, Err(Error::WrongPassphrase)));
    }

    #[test]
    fn what_is_not_a_sealed_file_is_damaged_and_nothing_worse(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (_folder, shelf) = shelf(&Contents::new());
        fs::write(&shelf.path, bytes).unwrap();
        let refused = matches!(reopened(&shelf), Err(Error::Damaged { .. } | Error::Newer { .. }));
        prop_assert!(refused);
    }

    #[test]
    fn contents_that_make_no_sense_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        if let Some(contents) = contents::read(&bytes) {
            prop_assert!(contents.len() <= bytes.len());
        }
    }
}

fn some_contents() -> Contents {
    Contents::from([
        ("openai@1".to_owned(), Secret::from("sk-abcdefgh")),
        ("groq@12".to_owned(), Secret::from("gsk-字")),
    ])
}

#[test]
fn every_bit_that_is_turned_is_noticed_and_is_no_wrong_passphrase() {
    let (_folder, shelf) = shelf(&some_contents());
    let whole = fs::read(&shelf.path).unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut turned = whole.clone();
            turned[at] ^= 1 << bit;
            fs::write(&shelf.path, &turned).unwrap();
            let error = reopened(&shelf).err().unwrap();
            let is_told = matches!(error, Error::Damaged { .. } | Error::Newer { .. });
            assert!(is_told, "byte {at}, bit {bit}: {error}");
        }
    }
}

#[test]
fn every_cut_is_noticed_and_so_is_everything_added() {
    let (_folder, shelf) = shelf(&some_contents());
    let whole = fs::read(&shelf.path).unwrap();
    for length in 0..whole.len() {
        fs::write(&shelf.path, &whole[..length]).unwrap();
        assert!(matches!(reopened(&shelf), Err(Error::Damaged { .. })), "cut to {length}");
    }
    fs::write(&shelf.path, [&whole[..], b"\n"].concat()).unwrap();
    assert!(matches!(reopened(&shelf), Err(Error::Damaged { .. })));
}

#[test]
fn the_same_contents_are_never_the_same_bytes() {
    let (_folder, shelf) = shelf(&some_contents());
    let once = fs::read(&shelf.path).unwrap();
    shelf.rewrite(|_| ()).unwrap();
    let twice = fs::read(&shelf.path).unwrap();
    assert_eq!(once.len(), twice.len());
    assert_eq!(once[..76], twice[..76]);
    assert!(once[76..100] != twice[76..100] && once[100..] != twice[100..]);
}

#[test]
fn a_head_that_would_stop_the_machine_is_refused_before_it_is_followed() {
    let key = format::derive(&Secret::from(PASSPHRASE), &[0; 16], Cost::least()).unwrap();
    for cost in
        [Cost { memory_kib: u32::MAX, ..Cost::least() }, Cost { passes: u32::MAX, ..Cost::least() }]
    {
        let head = Head::new(cost, [0; 16], &key);
        let bytes = format::seal(&head, &key, [0; 24], b"");
        assert!(matches!(format::parse(&bytes), Err(format::Unreadable::Damaged(_))));
    }
}

/// Files of version 1 must open for ever.
#[test]
fn a_file_that_was_sealed_once_still_opens() {
    let head = Head::new(
        Cost::least(),
        *b"0123456789abcdef",
        &format::derive(&Secret::from(PASSPHRASE), b"0123456789abcdef", Cost::least()).unwrap(),
    );
    let key = format::derive(&Secret::from(PASSPHRASE), &head.salt, head.cost).unwrap();
    let bytes = format::seal(&head, &key, [7; 24], &contents::write(&some_contents()));
    assert_eq!(blake3::hash(&bytes).to_hex().as_str(), SEALED_ONCE);
}

const SEALED_ONCE: &str = "f0ef194457afe528e7e1ac6e948241aedc38be2aff02eb58e10ab7a3654069b3";
