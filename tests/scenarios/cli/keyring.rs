//! Keys from a terminal, in the real GNOME Keyring: open, locked and absent.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "what goes wrong here fails the test that called it")]

use super::terminal::{Terminal, terminal};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use tests::fake_server::{FakeServer, Reply};
use tokio::task::block_in_place;
use zbus::blocking::Connection;
use zbus::blocking::connection::Builder;
use zbus::blocking::fdo::DBusProxy;
use zbus::fdo::NameOwnerChanged;

const SERVICE: &str = "org.freedesktop.secrets";
const KEY: &str = "acme-0123-4567-89ab-cdef";

/// Nothing comes up on it by itself.
const QUIET_BUS: &str = include_str!("../../../crates/secrets/tests/quiet-bus.conf");

/// A session bus of its own. The keyring on it ends with it.
struct Bus {
    daemon: Child,
    address: String,
}

impl Bus {
    fn start(config: &str) -> Bus {
        std::fs::write(config, QUIET_BUS).unwrap();
        let mut daemon = Command::new("dbus-daemon")
            .args(["--nofork", "--print-address", "--config-file", config])
            .env_clear()
            .stdout(Stdio::piped())
            .spawn()
            .expect("dbus is installed");
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Bus { daemon, address: address.trim().to_owned() }
    }

    fn connect(&self) -> (Connection, DBusProxy<'static>) {
        let connection = Builder::address(self.address.as_str()).unwrap().build().unwrap();
        let proxy = DBusProxy::new(&connection).unwrap();
        (connection, proxy)
    }

    /// Without a password it stays locked. Returns when it can be asked.
    fn start_keyring(&self, home: &str, password: Option<&str>) {
        let (_connection, proxy) = self.connect();
        let mut changes = proxy.receive_name_owner_changed_with_args(&[(0, SERVICE)]).unwrap();
        let how = if password.is_some() { "--unlock" } else { "--start" };
        let mut daemon = Command::new("gnome-keyring-daemon")
            .args([how, "--components=secrets"])
            .env_clear()
            .envs([("HOME", home), ("XDG_RUNTIME_DIR", home)])
            .env("DBUS_SESSION_BUS_ADDRESS", &self.address)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("gnome-keyring is installed");
        let mut stdin = daemon.stdin.take().unwrap();
        stdin.write_all(password.unwrap_or_default().as_bytes()).unwrap();
        drop(stdin);
        assert!(daemon.wait().unwrap().success());
        let is_there = |change: NameOwnerChanged| change.args().unwrap().new_owner.is_some();
        assert!(
            proxy.name_has_owner(SERVICE.try_into().unwrap()).unwrap() || changes.any(is_there)
        );
    }

    /// Returns when nobody answers any more.
    fn kill_keyring(&self) {
        let (_connection, proxy) = self.connect();
        let mut changes = proxy.receive_name_owner_changed_with_args(&[(0, SERVICE)]).unwrap();
        let pid = proxy.get_connection_unix_process_id(SERVICE.try_into().unwrap()).unwrap();
        let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
        let is_gone = |change: NameOwnerChanged| change.args().unwrap().new_owner.is_none();
        assert!(changes.any(is_gone));
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

fn row(terminal: &Terminal, name: &str) -> Value {
    let ran = terminal.run(&["--json", "doctor"]);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let rows = answer["data"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_lives_in_the_gnome_keyring_and_a_turn_waits_for_it_to_be_open() {
    let server = FakeServer::start().await;
    let url = server.base_url();
    server.always("POST /v1/chat/completions", Reply::saying("Tea it is."));
    block_in_place(|| {
        let terminal = terminal();
        let (home, config) = (terminal.path("keyring-home"), terminal.path("bus.conf"));
        std::fs::create_dir_all(&home).unwrap();
        let bus = Bus::start(&config);
        let terminal = terminal.knowing("DBUS_SESSION_BUS_ADDRESS", &bus.address);
        let add = ["provider", "add", "acme", "--url", &url, "--model", "m", "--key"];

        // Absent, which is said before a key is asked for: there is nothing to read.
        let refused = terminal.run(&add).failed(1);
        assert!(refused.stderr.contains("there is no keyring on this system"), "{refused:?}");
        assert_eq!(row(&terminal, "keyring")["state"], "degraded");

        // Open.
        bus.start_keyring(&home, Some("password"));
        terminal.run_reading(&add, KEY).done();
        terminal.run(&["model", "use", "default", "acme/m"]).done();
        let keys = terminal.run(&["key", "list", "--json"]).data()["keys"].clone();
        assert_eq!(keys.as_array().map(Vec::len), Some(1));
        let kept = &keys[0];
        assert_eq!(
            (&kept["place"]["kind"], &kept["ends_with"]),
            (&json!("keyring"), &json!("cdef"))
        );
        assert_eq!(terminal.run(&["say", "ada", "tea?"]).status, 0);
        let sent = server.requests()[0].header("authorization").map(str::to_owned);
        assert_eq!(sent, Some(format!("Bearer {KEY}")));
        assert_eq!(row(&terminal, "keyring")["state"], "ok");
        terminal.run(&["key", "test"]).done();

        // What is pasted is known again, also by a process that has not read it.
        let pasted = format!("I pasted {KEY} here");
        assert_eq!(terminal.run(&["say", "ada", &pasted]).status, 0);
        let log = terminal.run(&["group", "log", "ada"]).done();
        assert!(log.contains("I pasted [redacted provider/acme] here"), "{log}");

        // Locked.
        bus.kill_keyring();
        bus.start_keyring(&home, None);
        let locked = "the system keyring (Secret Service) is locked";
        let test = terminal.run(&["key", "test"]).failed(1);
        assert!(test.stderr.contains(locked), "{}", test.stderr);
        assert_eq!(row(&terminal, "keyring")["detail"], locked);
        let said = terminal.run(&["say", "ada", "and now?"]).failed(1);
        assert!(said.stderr.contains(locked), "{}", said.stderr);

        // So it is where it cannot be read.
        terminal.run(&["say", "ada", &pasted, "--wait", "0"]);
        let log = terminal.run(&["group", "log", "ada"]).done();
        assert_eq!(log.matches("I pasted [redacted provider/acme] here").count(), 2, "{log}");

        // Open again: what waited is answered, by whichever process finds that out.
        bus.kill_keyring();
        bus.start_keyring(&home, Some("password"));
        terminal.run(&["key", "test"]).done();
        assert_eq!(terminal.run(&["say", "ada", "well?"]).status, 0);
        let log = terminal.run(&["group", "log", "ada"]).done();
        assert!(log.trim_end().ends_with("Ada: Tea it is."), "{log}");
        assert_eq!(terminal.run(&["provider", "remove", "acme"]).status, 0);
        assert_eq!(terminal.run(&["key", "list", "--json"]).data()["keys"], json!([]));
    });
}
