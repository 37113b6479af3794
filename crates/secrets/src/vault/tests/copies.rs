//! A data directory that was copied, moved or put back: neither loses a key to the other.

use super::crashes::killed_at;
use super::*;

impl House {
    /// Another data directory with the same files, beside the same keyring.
    fn copied(&self) -> House {
        let data = tempfile::tempdir().unwrap();
        for entry in fs::read_dir(self.data.path()).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), data.path().join(entry.file_name())).unwrap();
        }
        House { data, entries: self.entries.clone(), now_ms: self.now_ms.clone() }
    }
}

fn house_with_keys() -> House {
    let house = House::new();
    house.vault().set("openai", &Secret::from("a key of mine")).unwrap();
    house.vault().set("oauth", &Secret::new("large ".repeat(1_000))).unwrap();
    house
}

#[test]
fn what_is_done_in_a_copy_is_not_done_in_the_original() {
    let house = house_with_keys();
    let copy = house.copied();
    assert_eq!(copy.vault().lent(), 2);

    copy.vault().remove("openai").unwrap();
    copy.vault().set("oauth", &Secret::from("another")).unwrap();
    assert_eq!((copy.vault().lent(), copy.vault().to_be_erased()), (0, 0));
    assert_eq!(read(&house.vault(), "openai"), "a key of mine");
    assert_eq!(read(&house.vault(), "oauth"), "large ".repeat(1_000));
    assert_eq!(read(&copy.vault(), "oauth"), "another");
    assert!(matches!(copy.vault().get("openai"), Err(Error::NotFound { .. })));
}

#[test]
fn a_key_that_a_copy_has_read_is_its_own_from_then_on() {
    let house = house_with_keys();
    let copy = house.copied();
    let before = copy.vault().list();
    copy.vault().learn_all(|_| true).unwrap();
    assert_eq!((copy.vault().lent(), copy.vault().list()), (0, before));

    house.vault().remove("openai").unwrap();
    house.vault().set("oauth", &Secret::from("the new one")).unwrap();
    assert_eq!(read(&copy.vault(), "openai"), "a key of mine");
    assert_eq!(read(&copy.vault(), "oauth"), "large ".repeat(1_000));

    // What is the copy's own goes when the copy says so.
    copy.vault().remove("openai").unwrap();
    copy.vault().remove("oauth").unwrap();
    assert_eq!(house.entries.values(), ["the new one"]);
}

#[test]
fn a_copy_that_cannot_write_to_the_keyring_reads_what_the_original_has() {
    let house = house_with_keys();
    let copy = house.copied();
    let vault = copy.vault_that_fails(&["set"], locked);
    assert_eq!(read(&vault, "openai"), "a key of mine");
    assert_eq!((vault.lent(), vault.to_be_erased()), (2, 0));
    assert_eq!(read(&copy.vault(), "openai"), "a key of mine");
    assert_eq!((copy.vault().lent(), read(&house.vault(), "openai")), (1, "a key of mine".into()));
}

#[test]
fn what_the_original_has_left_over_is_cleared_by_the_original_alone() {
    let house = house_with_keys();
    let vault = house.vault_that_fails(&["delete"], locked);
    vault.set("openai", &Secret::from("the new one")).unwrap();
    assert_eq!(vault.to_be_erased(), 1);
    let copy = house.copied();
    assert_eq!(copy.vault().to_be_erased(), 0);
    assert_eq!(read(&copy.vault(), "openai"), "the new one");
    house.vault().set("openai", &Secret::from("the newest")).unwrap();
    assert_eq!(house.vault().to_be_erased(), 0);
    assert_eq!(read(&copy.vault(), "openai"), "the new one");
}

#[test]
fn a_folder_that_is_moved_keeps_its_slots_also_where_a_copy_takes_its_place() {
    let house = house_with_keys();
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("moved");
    let vault_there = || {
        let opening = Opening::of(moved.clone(), Arc::new(|_| None), Arc::new(|| 0));
        let keyring = house.entries.keyring(PATIENT, Arc::new(|_| Ok(())));
        Vault::open(Opening { keyring, ..opening }).unwrap()
    };
    fs::rename(house.data.path(), &moved).unwrap();
    fs::create_dir(house.data.path()).unwrap();
    fs::copy(moved.join("secrets.json"), house.path("secrets.json")).unwrap();
    assert_eq!((vault_there().lent(), read(&vault_there(), "openai")), (0, "a key of mine".into()));
    assert_eq!(house.vault().lent(), 2);

    vault_there().remove("oauth").unwrap();
    vault_there().remove("openai").unwrap();
    assert!(house.entries.users().is_empty());
}

#[test]
fn a_copy_that_is_killed_while_it_takes_a_key_over_has_it_and_leaves_nothing() {
    for n in 0.. {
        let house = house_with_keys();
        let copy = house.copied();
        let came_to_its_end = killed_at(&copy, n, |vault| vault.get("openai")).is_some();
        assert_eq!(read(&copy.vault(), "openai"), "a key of mine");
        assert_eq!(read(&house.vault(), "openai"), "a key of mine");
        copy.vault().set("openai", &Secret::from("after it")).unwrap();
        assert_eq!((copy.vault().lent(), copy.vault().to_be_erased()), (1, 0));
        let values = house.entries.values();
        assert_eq!(values.iter().filter(|value| *value == "a key of mine").count(), 1);
        if came_to_its_end {
            assert!(n >= 6, "only {n} points were found");
            return;
        }
    }
}

#[test]
fn a_copy_of_a_copy_reads_what_the_first_had_and_takes_nothing_from_either() {
    let house = house_with_keys();
    let copy = house.copied();
    assert_eq!(read(&copy.vault(), "openai"), "a key of mine");
    let second = copy.copied();
    assert_eq!(second.vault().lent(), 2);
    second.vault().learn_all(|_| true).unwrap();
    second.vault().remove("openai").unwrap();
    second.vault().remove("oauth").unwrap();
    for house in [&house, &copy] {
        assert_eq!(read(&house.vault(), "openai"), "a key of mine");
        assert_eq!(read(&house.vault(), "oauth"), "large ".repeat(1_000));
    }
}

#[test]
fn a_list_that_says_of_no_folder_becomes_this_ones() {
    let house = house_with_keys();
    let text = fs::read_to_string(house.path("secrets.json")).unwrap();
    let mut list: serde_json::Value = serde_json::from_str(&text).unwrap();
    list.as_object_mut().unwrap().remove("folder").unwrap();
    fs::write(house.path("secrets.json"), list.to_string()).unwrap();
    assert_eq!(read(&house.vault(), "openai"), "a key of mine");
    assert_eq!(house.vault().lent(), 0);
    // The first opening has written it, so a copy is noticed from then on.
    assert_eq!(house.copied().vault().lent(), 2);
}
