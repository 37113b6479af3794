//! What a vault promises, with a keyring that fails, hangs and dies on demand.

use super::*;
use crate::keyring::tests::Entries;
use keyring_core::Error as Theirs;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

mod copies;
mod crashes;

const PASSPHRASE: &str = "four words of some length";
const PATIENT: Duration = Duration::from_secs(60);

type Before = Arc<dyn Fn(&'static str) -> keyring_core::Result<()> + Send + Sync>;

/// A data directory and a keyring that outlive the vaults opened on them.
struct House {
    data: TempDir,
    entries: Entries,
    now_ms: Arc<AtomicI64>,
}

impl House {
    fn new() -> Self {
        let now_ms = Arc::new(AtomicI64::new(1_000_000));
        House { data: tempfile::tempdir().unwrap(), entries: Entries::default(), now_ms }
    }

    fn vault(&self) -> Vault {
        self.vault_with(PATIENT, Arc::new(|_| Ok(())))
    }

    fn vault_with(&self, limit: Duration, before: Before) -> Vault {
        let now_ms = self.now_ms.clone();
        let environment = |variable: &str| match variable {
            "GROQ_API_KEY" => Some("gsk-from-the-environment".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        Vault::open(Opening {
            data: self.data.path().to_owned(),
            keyring: self.entries.keyring(limit, before),
            service: "coterie".into(),
            environment: Arc::new(environment),
            clock: Arc::new(move || now_ms.load(Ordering::SeqCst)),
            cost: Cost::least(),
            redactor: Redactor::default(),
        })
        .unwrap()
    }

    /// One whose keyring answers this to everything that is in the list.
    fn vault_that_fails(&self, calls: &'static [&'static str], error: fn() -> Theirs) -> Vault {
        let before = move |call| if calls.contains(&call) { Err(error()) } else { Ok(()) };
        self.vault_with(PATIENT, Arc::new(before))
    }

    fn path(&self, file: &str) -> PathBuf {
        self.data.path().join(file)
    }

    /// Whether any file of the data directory holds this text.
    fn holds(&self, text: &str) -> bool {
        let files = fs::read_dir(self.data.path()).unwrap().map(|entry| entry.unwrap().path());
        files
            .map(|path| fs::read(path).unwrap())
            .any(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
    }
}

fn locked() -> Theirs {
    Theirs::NoStorageAccess("locked".into())
}

fn read(vault: &Vault, name: &str) -> String {
    vault.get(name).unwrap().expose().to_owned()
}

#[track_caller]
fn private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_secret_is_there_when_the_vault_is_opened_again_and_in_no_file() {
    let house = House::new();
    house.vault().set("openai", &Secret::from("sk-abcdefghijklmnop")).unwrap();
    house.now_ms.store(1_500_000, Ordering::SeqCst);

    let vault = house.vault();
    assert_eq!(read(&vault, "openai"), "sk-abcdefghijklmnop");
    assert_eq!(
        vault.list(),
        [Listed {
            name: "openai".into(),
            place: Place::Keyring,
            ending: Some("mnop".into()),
            set_at_ms: 1_000_000,
            used_at_ms: Some(1_500_000),
            only_for: None,
        }]
    );
    assert!(!house.holds("sk-abc"));
    private(&house.path("secrets.json"));
}

#[test]
fn opening_a_vault_asks_no_keyring_and_writes_nothing() {
    let house = House::new();
    let vault = house.vault_with(PATIENT, Arc::new(|_| panic!("nobody asked for it")));
    assert_eq!((vault.list(), vault.sealed(), vault.home()), (vec![], Sealed::None, Home::Keyring));
    assert_eq!(fs::read_dir(house.data.path()).unwrap().count(), 0);
}

#[test]
fn a_new_value_takes_the_place_of_the_old_one_and_nothing_of_that_stays() {
    let house = House::new();
    let vault = house.vault();
    vault.set("oauth", &Secret::new("old ".repeat(2_000))).unwrap();
    assert_eq!(house.entries.users().len(), 7);
    vault.set("oauth", &Secret::from("the new one")).unwrap();
    assert_eq!(read(&vault, "oauth"), "the new one");
    assert_eq!(house.entries.values(), ["the new one"]);
    assert_eq!(vault.to_be_erased(), 0);
}

#[test]
fn a_removed_secret_is_nowhere() {
    let house = House::new();
    let vault = house.vault();
    vault.set("openai", &Secret::new("old ".repeat(2_000))).unwrap();
    vault.remove("openai").unwrap();
    assert!(matches!(vault.get("openai"), Err(Error::NotFound { .. })));
    assert!(matches!(vault.remove("openai"), Err(Error::NotFound { .. })));
    assert_eq!((house.entries.users().len(), vault.list().len()), (0, 0));
}

#[test]
fn a_keyring_that_refuses_changes_nothing() {
    let house = House::new();
    house.vault().set("openai", &Secret::from("the old one")).unwrap();
    let vault = house.vault_that_fails(&["set", "delete"], locked);
    for _ in 0..3 {
        assert!(matches!(vault.set("openai", &Secret::from("the new one")), Err(Error::Locked)));
        assert!(matches!(vault.check(Home::Keyring), Err(Error::Locked)));
    }
    assert!(matches!(vault.remove("openai"), Err(Error::Locked)));
    assert_eq!((read(&vault, "openai"), vault.to_be_erased()), ("the old one".into(), 0));
}

#[test]
fn what_a_broken_keyring_may_hold_is_erased_with_the_next_change() {
    let house = House::new();
    house.vault().set("openai", &Secret::from("the old one")).unwrap();
    let broken = || Theirs::PlatformFailure("it broke".into());
    let vault = house.vault_that_fails(&["get", "delete"], broken);
    let set = vault.set("openai", &Secret::from("the new one"));
    assert!(matches!(set, Err(Error::Keyring { .. })));
    assert_eq!(house.entries.values(), ["the new one", "the old one"]);

    let vault = house.vault();
    assert_eq!((read(&vault, "openai"), vault.to_be_erased()), ("the old one".into(), 1));
    vault.set("groq", &Secret::from("another")).unwrap();
    assert_eq!((house.entries.values().len(), vault.to_be_erased()), (2, 0));
}

#[test]
fn a_name_can_be_forgotten_without_its_keyring() {
    let house = House::new();
    house.vault().set("openai", &Secret::from("the old one")).unwrap();
    let vault = house.vault_that_fails(&["set", "get", "delete"], locked);
    vault.forget("openai").unwrap();
    assert_eq!((vault.list(), vault.to_be_erased()), (vec![], 1));
}

#[test]
fn what_is_not_given_back_as_it_was_put_in_does_not_count() {
    let house = House::new();
    house.vault().set("openai", &Secret::from("the old one")).unwrap();
    let entries = house.entries.clone();
    let vault = house.vault_with(
        PATIENT,
        Arc::new(move |call| {
            let new = entries.users().into_iter().find(|user| user.ends_with("-2"));
            if let ("get", Some(user)) = (call, new) {
                entries.change(&user, "something else");
            }
            Ok(())
        }),
    );
    let set = vault.set("openai", &Secret::from("the new one"));
    assert!(matches!(set, Err(Error::Unverified { .. })));
    assert_eq!(house.entries.values(), ["the old one"]);
    assert_eq!(read(&vault, "openai"), "the old one");
}

#[test]
fn a_secret_that_was_taken_away_outside_is_told_apart_from_one_never_set() {
    let house = House::new();
    house.vault().set("openai", &Secret::from("the old one")).unwrap();
    house.entries.clear();
    assert!(matches!(house.vault().get("openai"), Err(Error::Gone { .. })));
    assert!(matches!(house.vault().get("groq"), Err(Error::NotFound { .. })));
}

#[test]
fn a_set_that_took_too_long_never_takes_effect() {
    let house = House::new();
    house.vault().set("openai", &Secret::from("the old one")).unwrap();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(Some(released));
    let vault = house.vault_with(
        Duration::from_secs(1),
        Arc::new(move |call| {
            let hangs = if call == "set" { released.lock().unwrap().take() } else { None };
            if let Some(released) = hangs {
                released.recv().unwrap();
            }
            Ok(())
        }),
    );

    let set = vault.set("openai", &Secret::from("the late one"));
    assert!(matches!(set, Err(Error::TimedOut { .. })));
    // Others are not held up by the thread that hangs.
    assert_eq!(read(&vault, "openai"), "the old one");

    release.send(()).unwrap();
    while !vault.0.keyring.is_quiet() {
        thread::yield_now();
    }
    assert_eq!(house.entries.values(), ["the late one", "the old one"]);
    assert_eq!(read(&house.vault(), "openai"), "the old one");
    house.vault().set("openai", &Secret::from("the new one")).unwrap();
    assert_eq!(house.entries.values(), ["the new one"]);
}

#[test]
fn many_may_ask_at_once_and_crossing_changes_leave_one_of_them() {
    let house = House::new();
    let vault = house.vault();
    vault.set("openai", &Secret::new("0".repeat(3_000))).unwrap();
    let one_of_them =
        |value: &str| value.len() == 3_000 && value.chars().all(|c| value.starts_with(c));
    thread::scope(|scope| {
        for n in 1..=9 {
            let vault = &vault;
            scope.spawn(move || {
                vault.set("openai", &Secret::new(n.to_string().repeat(3_000))).unwrap();
            });
            scope.spawn(move || assert!(one_of_them(&read(vault, "openai"))));
        }
    });
    assert_eq!((house.entries.users().len(), vault.to_be_erased()), (3, 0));
    assert_eq!(read(&vault, "openai"), read(&house.vault(), "openai"));
}

#[test]
fn last_used_is_noted_to_the_minute() {
    let house = House::new();
    let vault = house.vault();
    vault.set("openai", &Secret::from("a key of mine")).unwrap();
    let used_at = |now_ms| {
        house.now_ms.store(now_ms, Ordering::SeqCst);
        vault.get("openai").unwrap();
        vault.list()[0].used_at_ms
    };
    assert_eq!(
        [used_at(1_000_000), used_at(1_059_999), used_at(1_060_000)],
        [Some(1_000_000), Some(1_000_000), Some(1_060_000)]
    );
}

#[test]
fn a_variable_is_read_and_never_stored() {
    let house = House::new();
    let vault = house.vault();
    vault.set("groq", &Secret::from("stored before")).unwrap();
    vault.use_variable("groq", "GROQ_API_KEY").unwrap();
    let vault = house.vault();
    assert_eq!(read(&vault, "groq"), "gsk-from-the-environment");
    let variable = "GROQ_API_KEY".to_owned();
    assert_eq!(vault.list()[0].place, Place::Environment { variable });
    assert!(house.entries.users().is_empty() && !house.holds("gsk-from"));

    for unset in ["EMPTY", "NO_SUCH"] {
        assert!(matches!(vault.use_variable("groq", unset), Err(Error::NotSet { .. })));
    }
    vault.set("groq", &Secret::from("typed in")).unwrap();
    assert_eq!(vault.list()[0].place, Place::Keyring);
}

#[test]
fn names_and_values_that_can_not_be_kept_are_refused() {
    let house = House::new();
    let vault = house.vault();
    let long = "n".repeat(201);
    for name in ["", "a b", "a\"b", "a@b", "[x]", "a\nb", long.as_str()] {
        let set = vault.set(name, &Secret::from("value"));
        assert!(matches!(set, Err(Error::BadName { .. })), "{name:?}");
    }
    let large = "v".repeat(64 * 1024 + 1);
    for value in ["", " \n", "a\0b", large.as_str()] {
        let set = vault.set("openai", &Secret::from(value));
        assert!(matches!(set, Err(Error::BadValue { .. })));
    }
    vault.set("mcp/文件/https://a.example/x?y=z#1", &Secret::from("value")).unwrap();
}

#[test]
fn a_newer_list_is_said_and_left_as_it_is() {
    let house = House::new();
    let text = "{\"version\":2,\"vaults\":[]}";
    fs::write(house.path("secrets.json"), text).unwrap();
    let (environment, clock): (Environment, Clock) = (Arc::new(|_| None), Arc::new(|| 0));
    let opening = Opening::of(house.data.path().to_owned(), environment, clock);
    assert!(matches!(Vault::open(opening), Err(Error::Newer { .. })));
    assert_eq!(fs::read_to_string(house.path("secrets.json")).unwrap(), text);
}

#[test]
fn a_damaged_list_is_left_as_it_is_until_a_secret_is_kept_anew() {
    let house = House::new();
    house.vault().set("openai", &Secret::from("a key of mine")).unwrap();
    let whole = fs::read_to_string(house.path("secrets.json")).unwrap();
    let cut = &whole[..whole.len() / 2];
    for damaged in ["{", "{\"version\":1}", cut] {
        fs::write(house.path("secrets.json"), damaged).unwrap();
        let vault = house.vault();
        for met in [
            vault.get("openai").err(),
            vault.check(Home::Keyring).err(),
            vault.remove("openai").err(),
            vault.forget("openai").err(),
            vault.move_to(Home::Keyring).err(),
            vault.damage(),
        ] {
            assert!(matches!(met, Some(Error::ListDamaged { .. })), "{met:?}");
        }
        vault.recognise(|_| true);
        assert_eq!((vault.list(), vault.to_be_moved()), (Vec::new(), 0));
        assert_eq!(fs::read_to_string(house.path("secrets.json")).unwrap(), damaged);
    }
    // What was saved of it can be put back.
    fs::write(house.path("secrets.json"), &whole).unwrap();
    assert_eq!(house.vault().get("openai").unwrap(), Secret::from("a key of mine"));

    for (nth, aside) in ["secrets.json.damaged", "secrets.json.damaged-2"].iter().enumerate() {
        fs::write(house.path("secrets.json"), cut).unwrap();
        let vault = house.vault();
        let new = Secret::from(format!("another key {nth}"));
        vault.set("openai", &new).unwrap();
        assert!(vault.damage().is_none());
        assert_eq!(house.vault().get("openai").unwrap(), new);
        assert_eq!(fs::read_to_string(house.path(aside)).unwrap(), cut);
    }
}

#[test]
fn a_folder_in_the_place_of_the_list_is_put_aside_like_a_damaged_list() {
    let house = House::new();
    fs::create_dir_all(house.path("secrets.json/inside")).unwrap();
    let vault = house.vault();
    assert!(matches!(vault.damage(), Some(Error::ListDamaged { .. })));
    vault.set("openai", &Secret::from("a key of mine")).unwrap();
    assert_eq!(house.vault().get("openai").unwrap(), Secret::from("a key of mine"));
    assert!(house.path("secrets.json.damaged/inside").is_dir());
}

#[test]
fn what_the_sealed_file_holds_is_listed_again_where_the_list_is_damaged() {
    let house = House::new();
    let vault = house.vault();
    vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    vault.set("openai", &Secret::from("a key of mine")).unwrap();
    drop(vault);
    fs::write(house.path("secrets.json"), "{").unwrap();
    let vault = house.vault();
    vault.unlock_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    assert_eq!(vault.get("openai").unwrap(), Secret::from("a key of mine"));
    assert!(vault.damage().is_none());
    assert_eq!(fs::read_to_string(house.path("secrets.json.damaged")).unwrap(), "{");
}

#[test]
fn nothing_is_sealed_until_a_passphrase_is_chosen() {
    let house = House::new();
    let vault = house.vault_that_fails(&["set", "get", "delete"], || {
        Theirs::NotSupportedByStore("there is none".into())
    });
    assert!(vault.set("openai", &Secret::from("a key of mine")).is_err());
    assert!(!house.path("secrets.sealed").exists());

    let weak = vault.create_sealed_file(&Secret::from("1234567"));
    assert!(matches!(weak, Err(Error::WeakPassphrase { .. })));
    vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    vault.set("openai", &Secret::from("a key of mine")).unwrap();
    assert_eq!(
        (vault.list()[0].place.clone(), vault.sealed()),
        (Place::SealedFile, Sealed::Unlocked)
    );
    private(&house.path("secrets.sealed"));
    assert!(!house.holds("a key of mine") && !house.holds("openai@"));
}

#[test]
fn the_sealed_file_opens_with_its_passphrase_only() {
    let house = House::new();
    let vault = house.vault();
    vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    vault.set("openai", &Secret::from("a key of mine")).unwrap();

    let vault = house.vault();
    assert_eq!(vault.sealed(), Sealed::Locked);
    assert!(matches!(vault.get("openai"), Err(Error::SealedLocked)));
    assert!(matches!(vault.set("x", &Secret::from("value")), Err(Error::SealedLocked)));
    let wrong = vault.unlock_sealed_file(&Secret::from("four words of some lengtH"));
    assert!(matches!(wrong, Err(Error::WrongPassphrase)));
    vault.unlock_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    assert_eq!(read(&vault, "openai"), "a key of mine");
    vault.lock_sealed_file();
    assert!(matches!(vault.get("openai"), Err(Error::SealedLocked)));

    let new = Secret::from("another of some length");
    vault.change_passphrase(&Secret::from(PASSPHRASE), &new).unwrap();
    let vault = house.vault();
    assert!(vault.unlock_sealed_file(&Secret::from(PASSPHRASE)).is_err());
    vault.unlock_sealed_file(&new).unwrap();
    assert_eq!(read(&vault, "openai"), "a key of mine");
    let again = vault.create_sealed_file(&new);
    assert!(matches!(again, Err(Error::SealedFileExists { .. })));
    fs::remove_file(house.path("secrets.sealed")).unwrap();
    assert!(matches!(house.vault().get("openai"), Err(Error::NoSealedFile { .. })));
}

#[test]
fn a_lost_list_comes_back_from_the_sealed_file() {
    let house = House::new();
    let vault = house.vault();
    vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    vault.set("openai", &Secret::from("the old one")).unwrap();
    vault.set("openai", &Secret::from("the new one")).unwrap();
    vault.set("groq", &Secret::from("another")).unwrap();
    fs::remove_file(house.path("secrets.json")).unwrap();

    let vault = house.vault();
    vault.unlock_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    assert_eq!(
        (read(&vault, "openai"), read(&vault, "groq")),
        ("the new one".into(), "another".into())
    );
    vault.move_to(Home::SealedFile).unwrap();
    vault.set("openai", &Secret::from("the newest")).unwrap();
    assert_eq!(read(&house_again(&house), "openai"), "the newest");
}

fn house_again(house: &House) -> Vault {
    let vault = house.vault();
    vault.unlock_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    vault
}

#[test]
fn a_move_takes_everything_along_and_back_again() {
    let house = House::new();
    let vault = house.vault();
    let large = "large ".repeat(1_000);
    for (name, value) in [("a", "first value"), ("b", "second value"), ("c", large.as_str())] {
        vault.set(name, &Secret::from(value)).unwrap();
    }
    vault.use_variable("d", "GROQ_API_KEY").unwrap();
    let before = vault.list();

    vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    assert_eq!(vault.to_be_moved(), 3);
    assert_eq!(vault.move_to(Home::SealedFile).unwrap().moved, ["a", "b", "c"]);
    assert!(house.entries.users().is_empty());
    assert_eq!(read(&house_again(&house), "c"), large);

    assert_eq!(vault.move_to(Home::Keyring).unwrap().moved, ["a", "b", "c"]);
    assert_eq!((vault.sealed(), vault.to_be_erased()), (Sealed::None, 0));
    assert_eq!(read(&house.vault(), "c"), large);
    let places = |list: Vec<Listed>| -> Vec<_> {
        list.into_iter().map(|one| (one.name, one.place, one.ending, one.set_at_ms)).collect()
    };
    assert_eq!(places(vault.list()), places(before));
}

#[test]
fn a_move_to_a_place_that_does_not_work_moves_nothing() {
    let house = House::new();
    let vault = house.vault();
    vault.set("a", &Secret::from("first value")).unwrap();
    assert!(matches!(vault.move_to(Home::SealedFile), Err(Error::NoSealedFile { .. })));
    assert_eq!((vault.home(), read(&vault, "a")), (Home::Keyring, "first value".into()));
}

#[test]
fn one_secret_that_is_gone_does_not_hold_up_the_others() {
    let house = House::new();
    let vault = house.vault();
    vault.set("a", &Secret::from("first value")).unwrap();
    house.entries.clear();
    vault.set("b", &Secret::from("second value")).unwrap();
    vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();

    let moved = house_again(&house).move_to(Home::SealedFile).unwrap();
    assert_eq!(moved.moved, ["b"]);
    assert!(matches!(&moved.failed[..], [(name, Error::Gone { .. })] if name == "a"));
}

#[test]
fn a_sealed_file_that_holds_what_nobody_listed_is_not_removed() {
    let house = House::new();
    let vault = house.vault();
    vault.create_sealed_file(&Secret::from(PASSPHRASE)).unwrap();
    vault.set("a", &Secret::from("first value")).unwrap();
    fs::remove_file(house.path("secrets.json")).unwrap();
    house.vault().move_to(Home::Keyring).unwrap();
    assert_eq!(read(&house_again(&house), "a"), "first value");
}

#[test]
fn whatever_was_handed_out_is_redacted() {
    let house = House::new();
    house.vault().set("openai", &Secret::from("a key of mine")).unwrap();
    let vault = house.vault();
    let text = "it is a key of mine";
    assert_eq!(vault.redactor().redact(text), text);
    vault.get("openai").unwrap();
    assert_eq!(vault.redactor().redact(text), "it is [redacted openai]");
}

#[test]
fn what_ends_as_a_value_that_nobody_has_read_is_taken_out_until_it_is_known() {
    let house = House::new();
    house.vault().set("hub", &Secret::from("hub-0123-4567-89ab-wxyz")).unwrap();
    let vault = house.vault();
    let redactor = vault.redactor();
    let text = "hub-0123-4567-89ab-wxyz, not-quite-it-wxyz and wxyz";
    let guessed = "[redacted hub], [redacted hub] and wxyz";
    assert_eq!(redactor.redact(text), guessed);
    assert_eq!(redactor.redact_known(text), guessed);
    for mut stream in [redactor.stream(), redactor.json_stream()] {
        let shown: String = text.chars().map(|letter| stream.push(&letter.to_string())).collect();
        assert_eq!(shown + &stream.finish(), guessed);
        assert!(stream.has_redacted());
    }
    vault.learn_all(|_| true).unwrap();
    assert_eq!(redactor.redact(text), "[redacted hub], not-quite-it-wxyz and wxyz");
}

#[test]
fn what_lies_beside_a_key_is_recognised_before_it_is_used() {
    let house = House::new();
    house.vault().set("provider/acme", &Secret::from("acme-0123456789")).unwrap();
    house.vault().use_variable("provider/groq", "GROQ_API_KEY").unwrap();
    let vault = house.vault();
    let text = "acme-0123456789 gsk-from-the-environment";
    let guessed = "acme-0123456789 [redacted provider/groq]";
    assert_eq!(vault.redactor().redact(text), guessed, "by its ending; the other is too short");

    vault.recognise(|place| matches!(place, Place::Environment { .. }));
    let redacted = "acme-0123456789 [redacted provider/groq]";
    assert_eq!(vault.redactor().redact(text), redacted.replace("provider/groq", "GROQ_API_KEY"));
    assert!(!vault.is_at_hand("provider/acme"));
    vault.recognise(|place| *place == Place::Keyring);
    assert!(vault.is_at_hand("provider/acme"));
    assert!(vault.redactor().redact(text).starts_with("[redacted provider/acme]"));
    assert!(vault.list().iter().all(|listed| listed.used_at_ms.is_none()), "that was no use");
}

#[test]
fn a_place_that_is_closed_is_asked_once_for_all_that_lies_there() {
    let house = House::new();
    for name in ["one", "two", "three"] {
        house.vault().set(name, &Secret::from("a value of some length")).unwrap();
    }
    let asked = Arc::new(AtomicI64::new(0));
    let counter = asked.clone();
    let vault = house.vault_with(
        PATIENT,
        Arc::new(move |_| {
            counter.fetch_add(1, Ordering::SeqCst);
            Err(Theirs::NoStorageAccess("locked".into()))
        }),
    );
    vault.recognise(|_| true);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}
