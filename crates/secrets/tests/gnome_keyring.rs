//! A vault on the real GNOME Keyring: open, locked, absent, killed and hung.
//!
//! Each test starts itself again inside a session bus of its own, with a home
//! of its own, so that tests never meet and never see the keyring of whoever
//! runs them.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test ends where something it relies on fails")]

use rustix::process::{Pid, Signal, kill_process};
use secrets::{Cost, Error, Home, Keyring, Opening, Place, Redactor, Sealed, Secret, Vault};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use zbus::blocking::Connection;
use zbus::blocking::fdo::DBusProxy;

const SERVICE: &str = "org.freedesktop.secrets";
/// Set in the process that tells the story: its home.
const INSIDE: &str = "COTERIE_KEYRING_STORY";

/// A bus that starts no service by itself.
const QUIET_BUS: &str = include_str!("quiet-bus.conf");

#[derive(Clone, Copy)]
enum Bus {
    None,
    /// Nothing comes up on it but what the story starts.
    Quiet,
    /// As on a desktop: whoever is asked for and installed is started.
    Usual,
}

/// Tells the story in a process of its own.
fn tell(name: &str, bus: Bus, story: impl FnOnce(&Session)) {
    #[expect(clippy::disallowed_methods, reason = "how the two processes know themselves apart")]
    if let Some(home) = std::env::var_os(INSIDE) {
        return story(&Session { home: home.into() });
    }
    let home = tempfile::tempdir().unwrap();
    let this = std::env::current_exe().unwrap();
    let mut command = match bus {
        Bus::None => Command::new(&this),
        Bus::Quiet | Bus::Usual => {
            let mut command = Command::new("dbus-run-session");
            if let Bus::Quiet = bus {
                let config = home.path().join("bus.conf");
                fs::write(&config, QUIET_BUS).unwrap();
                command.arg("--config-file").arg(config);
            }
            command.arg("--").arg(&this);
            command
        }
    };
    let path = "/usr/local/bin:/usr/bin:/bin";
    let output = command
        .args([name, "--exact", "--nocapture"])
        .env_clear()
        .envs([("PATH", path), ("RUST_BACKTRACE", "1")])
        .envs(["HOME", "XDG_RUNTIME_DIR", INSIDE].map(|variable| (variable, home.path())))
        .stdin(Stdio::null())
        .output()
        .expect("dbus-run-session is installed");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}\n{err}");
}

struct Session {
    home: PathBuf,
}

impl Session {
    /// Returns when the keyring can be asked.
    fn start_keyring(&self, password: Option<&str>) {
        let bus = Connection::session().unwrap();
        let proxy = DBusProxy::new(&bus).unwrap();
        let mut changes = proxy.receive_name_owner_changed_with_args(&[(0, SERVICE)]).unwrap();
        let how = if password.is_some() { "--unlock" } else { "--start" };
        let mut daemon = Command::new("gnome-keyring-daemon")
            .args([how, "--components=secrets"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("gnome-keyring is installed");
        // Closed at once, which ends the password.
        let mut stdin = daemon.stdin.take().unwrap();
        stdin.write_all(password.unwrap_or_default().as_bytes()).unwrap();
        drop(stdin);
        assert!(daemon.wait().unwrap().success());
        let there =
            |change: zbus::fdo::NameOwnerChanged| change.args().unwrap().new_owner.is_some();
        assert!(proxy.name_has_owner(name()).unwrap() || changes.any(there));
    }

    /// Whoever answers as the Secret Service now.
    fn keyring(&self) -> Option<Pid> {
        let bus = Connection::session().unwrap();
        let pid = DBusProxy::new(&bus).unwrap().get_connection_unix_process_id(name()).ok()?;
        Pid::from_raw(i32::try_from(pid).unwrap())
    }

    /// Returns when nobody answers any more.
    fn kill_keyring(&self) {
        let bus = Connection::session().unwrap();
        let proxy = DBusProxy::new(&bus).unwrap();
        let mut changes = proxy.receive_name_owner_changed_with_args(&[(0, SERVICE)]).unwrap();
        let Some(pid) = self.keyring() else { return };
        kill_process(pid, Signal::KILL).unwrap();
        let gone = |change: zbus::fdo::NameOwnerChanged| change.args().unwrap().new_owner.is_none();
        assert!(changes.any(gone));
    }

    fn data(&self) -> PathBuf {
        self.home.join("data")
    }

    fn vault(&self) -> Vault {
        fs::create_dir_all(self.data()).unwrap();
        Vault::open(Opening {
            data: self.data(),
            keyring: Keyring::system(),
            service: "coterie".into(),
            environment: Arc::new(|_| None),
            clock: Arc::new(|| 1_000_000),
            cost: Cost::least(),
            redactor: Redactor::default(),
        })
        .unwrap()
    }

    /// Every file below the home that holds this text.
    fn files_with(&self, text: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.home.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_file() && holds(&entry.path(), text) {
                    found.push(entry.path());
                }
            }
        }
        found
    }
}

fn name() -> zbus::names::BusName<'static> {
    SERVICE.try_into().unwrap()
}

fn holds(file: &Path, text: &str) -> bool {
    let bytes = fs::read(file).unwrap();
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn read(vault: &Vault, name: &str) -> String {
    vault.get(name).unwrap().expose().to_owned()
}

#[test]
fn a_secret_outlives_the_keyrings_own_restart_and_is_in_no_file() {
    tell("a_secret_outlives_the_keyrings_own_restart_and_is_in_no_file", Bus::Quiet, |session| {
        session.start_keyring(Some("password"));
        let vault = session.vault();
        vault.check(Home::Keyring).unwrap();
        let large = "密钥 0123456789 ".repeat(400);
        vault.set("openai", &Secret::from("sk-replaced-later-on")).unwrap();
        vault.set("openai", &Secret::from("sk-abcdefghijklmnop")).unwrap();
        vault.set("oauth", &Secret::from(large.as_str())).unwrap();
        vault.set("gone", &Secret::from("sk-removed-in-the-end")).unwrap();
        vault.remove("gone").unwrap();

        session.kill_keyring();
        session.start_keyring(Some("password"));
        // One connection is older than this keyring, one is new.
        for vault in [vault, session.vault()] {
            vault.check(Home::Keyring).unwrap();
            assert_eq!(
                (read(&vault, "openai"), read(&vault, "oauth")),
                ("sk-abcdefghijklmnop".into(), large.clone())
            );
            assert_eq!((vault.list().len(), vault.to_be_erased()), (2, 0));
        }
        for part in ["sk-replaced", "sk-abcdef", "sk-removed", "密钥"] {
            assert_eq!(session.files_with(part), Vec::<PathBuf>::new(), "{part}");
        }
    });
}

#[test]
fn a_keyring_that_was_never_opened_is_locked() {
    tell("a_keyring_that_was_never_opened_is_locked", Bus::Quiet, |session| {
        session.start_keyring(None);
        let vault = session.vault();
        assert!(matches!(vault.set("openai", &Secret::from("a key of mine")), Err(Error::Locked)));
        assert!(matches!(vault.check(Home::Keyring), Err(Error::Locked)));
        assert!(vault.list().is_empty());
    });
}

fn a_locked_keyring(session: &Session) {
    session.start_keyring(Some("password"));
    session.vault().set("openai", &Secret::from("a key of mine")).unwrap();
    session.kill_keyring();
    session.start_keyring(None);

    let vault = session.vault();
    let get = vault.get("openai");
    assert!(matches!(get, Err(Error::Locked)), "{get:?}");
    let set = vault.set("openai", &Secret::from("another of mine"));
    assert!(matches!(set, Err(Error::Locked)), "{set:?}");
    assert!(matches!(vault.remove("openai"), Err(Error::Locked)));
    assert_eq!(vault.list()[0].place, Place::Keyring);

    session.kill_keyring();
    session.start_keyring(Some("password"));
    assert_eq!(read(&vault, "openai"), "a key of mine");
}

#[test]
fn a_locked_keyring_says_so_and_keeps_what_it_has() {
    tell("a_locked_keyring_says_so_and_keeps_what_it_has", Bus::Quiet, a_locked_keyring);
}

#[test]
fn a_prompt_that_nobody_can_see_is_a_locked_keyring() {
    tell("a_prompt_that_nobody_can_see_is_a_locked_keyring", Bus::Usual, a_locked_keyring);
}

fn no_keyring(session: &Session) {
    let vault = session.vault();
    let set = vault.set("openai", &Secret::from("a key of mine"));
    assert!(matches!(set, Err(Error::Absent { .. })), "{set:?}");
    assert_eq!((vault.list(), vault.sealed()), (vec![], Sealed::None));

    // The way out, which a person has to choose.
    vault.create_sealed_file(&Secret::from("four words of some length")).unwrap();
    vault.set("openai", &Secret::from("a key of mine")).unwrap();
    assert_eq!(read(&vault, "openai"), "a key of mine");
    let back = vault.move_to(Home::Keyring);
    assert!(matches!(back, Err(Error::Absent { .. })), "{back:?}");
    assert_eq!(vault.home(), Home::SealedFile);
    assert!(session.files_with("a key of mine").is_empty());
}

#[test]
fn without_a_bus_there_is_no_keyring() {
    tell("without_a_bus_there_is_no_keyring", Bus::None, no_keyring);
}

#[test]
fn on_a_bus_without_a_secret_service_there_is_no_keyring() {
    tell("on_a_bus_without_a_secret_service_there_is_no_keyring", Bus::Quiet, no_keyring);
}

#[test]
fn a_keyring_killed_at_any_step_loses_nothing() {
    tell("a_keyring_killed_at_any_step_loses_nothing", Bus::Quiet, |session| {
        let (old, new) = ("old value ".repeat(300), "new ".repeat(600));
        session.start_keyring(Some("password"));
        session.vault().set("openai", &Secret::from(old.as_str())).unwrap();
        for n in 0.. {
            let left = Arc::new(AtomicUsize::new(n + 1));
            let (counter, home) = (left.clone(), session.home.clone());
            let kills = move || {
                if counter.fetch_sub(1, Ordering::SeqCst) == 1 {
                    Session { home: home.clone() }.kill_keyring();
                }
            };
            fail::cfg_callback("secrets.step", kills).unwrap();
            let set = session.vault().set("openai", &Secret::from(new.as_str()));
            fail::remove("secrets.step");
            let all_alive = session.keyring().is_some();
            if !all_alive {
                session.start_keyring(Some("password"));
            }

            let vault = session.vault();
            let value = read(&vault, "openai");
            match set {
                Ok(()) => assert_eq!(value, new),
                Err(Error::Absent { .. } | Error::Interrupted { .. }) => assert_eq!(value, old),
                Err(error) => panic!("step {n}: {error:?}"),
            }
            vault.set("openai", &Secret::from(old.as_str())).unwrap();
            assert_eq!(vault.to_be_erased(), 0);
            if all_alive {
                assert!(n > 8, "only {n} steps were found");
                return;
            }
        }
    });
}

#[test]
fn a_keyring_that_hangs_is_given_up_after_five_seconds_and_works_again_later() {
    let name = "a_keyring_that_hangs_is_given_up_after_five_seconds_and_works_again_later";
    tell(name, Bus::Quiet, |session| {
        session.start_keyring(Some("password"));
        let vault = session.vault();
        vault.set("openai", &Secret::from("the old one")).unwrap();
        let keyring = session.keyring().unwrap();

        kill_process(keyring, Signal::STOP).unwrap();
        let set = vault.set("openai", &Secret::from("the late one"));
        assert!(matches!(set, Err(Error::TimedOut { seconds: 5 })), "{set:?}");
        kill_process(keyring, Signal::CONT).unwrap();

        assert_eq!(read(&session.vault(), "openai"), "the old one");
        vault.set("openai", &Secret::from("the new one")).unwrap();
        assert_eq!(read(&session.vault(), "openai"), "the new one");
    });
}

#[test]
fn two_data_directories_do_not_meet_in_one_keyring() {
    tell("two_data_directories_do_not_meet_in_one_keyring", Bus::Quiet, |session| {
        session.start_keyring(Some("password"));
        let other = Session { home: session.home.join("other") };
        session.vault().set("openai", &Secret::from("one of them")).unwrap();
        other.vault().set("openai", &Secret::from("the other one")).unwrap();
        other.vault().remove("openai").unwrap();
        assert_eq!(read(&session.vault(), "openai"), "one of them");
    });
}
