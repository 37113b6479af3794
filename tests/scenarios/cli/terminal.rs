//! A terminal with the `coterie` program on a folder of its own.

#![expect(clippy::unwrap_used, reason = "what goes wrong here fails the test that called it")]

use rustix::process::{self, Pid, Resource, Rlimit};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use tempfile::TempDir;

pub(super) struct Terminal {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

/// On a new workspace, without any model.
pub(super) fn terminal() -> Terminal {
    let terminal = Terminal { folder: tempfile::tempdir().unwrap(), variables: Vec::new() };
    std::fs::create_dir_all(terminal.data().join("souls")).unwrap();
    std::fs::create_dir_all(terminal.path("assets")).unwrap();
    terminal
}

impl Terminal {
    /// Everybody says this to everything.
    pub(super) fn answering(self, text: &str) -> Self {
        self.playing(&json!({ "lines": [{ "text": text }], "usage": { "input_tokens": 20, "output_tokens": 3 } }))
    }

    /// With a variable in its environment.
    pub(super) fn knowing(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Everybody gives this answer of a scripted trace.
    pub(super) fn playing(self, answer: &Value) -> Self {
        let file = self.write_trace("scripted", answer);
        self.run(&["provider", "add", "scripted", "--trace", &file]).done();
        self.run(&["model", "use", "default", "scripted/demo"]).done();
        self
    }

    pub(super) fn trace(&self, name: &str, text: &str) -> String {
        self.write_trace(name, &json!({ "lines": [{ "text": text }] }))
    }

    pub(super) fn write_trace(&self, name: &str, answer: &Value) -> String {
        let file = self.path(&format!("{name}.json"));
        let trace =
            json!({ "format": "coterie-trace", "version": 1, "exchanges": [], "fallback": answer });
        std::fs::write(&file, trace.to_string()).unwrap();
        file
    }

    pub(super) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    pub(super) fn run(&self, words: &[&str]) -> Ran {
        Ran::new(words, self.command(&program()).args(words).output().unwrap())
    }

    /// With its output going to this file.
    pub(super) fn run_writing_to(&self, file: &str, words: &[&str]) -> Ran {
        let file = std::fs::File::options().write(true).open(file).unwrap();
        Ran::new(words, self.command(&program()).args(words).stdout(file).output().unwrap())
    }

    /// With this on its standard input.
    pub(super) fn run_reading(&self, words: &[&str], input: &str) -> Ran {
        self.begin_reading(words, input).end()
    }

    /// Begins a command that reads this, to be ended by [`Begun::end`].
    pub(super) fn begin_reading(&self, words: &[&str], input: &str) -> Begun {
        let mut command = self.command(&program());
        let command = command.args(words).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It may end before it has read all of it.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Begun { words: words.join(" "), child }
    }

    /// Begins a command, to be ended by [`Begun::end`].
    pub(super) fn begin(&self, words: &[&str]) -> Begun {
        let mut command = self.command(&program());
        let command = command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        Begun { words: words.join(" "), child: command.spawn().unwrap() }
    }

    /// Where the program is, for somebody else to start it.
    pub(super) fn program(&self) -> String {
        program().display().to_string()
    }

    /// All that it knows of its surroundings.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let data = self.data().display().to_string();
        let home = self.folder.path().display().to_string();
        // Where nothing is: no session bus, and no keyring of whoever runs this.
        let nowhere = home.clone();
        let own = [
            ("HOME", home),
            ("XDG_RUNTIME_DIR", nowhere),
            ("COTERIE_DATA", data),
            ("COTERIE_ASSETS", self.path("assets")),
        ];
        let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
        own.chain(self.variables.iter().cloned()).collect()
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(self.environment())
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
        command
    }

    /// Opens the workspace in a process of its own, and waits until it is open.
    pub(super) fn serve(&self) -> Serving {
        self.serve_with(self.command(&program()))
    }

    /// The same with everything that it has to say about itself in a file.
    pub(super) fn serve_logging(&self, file: &str) -> Serving {
        let log = std::fs::File::create(self.path(file)).unwrap();
        let mut command = self.command(&program());
        command.env("COTERIE_LOG", "trace").stderr(log);
        self.serve_with(command)
    }

    /// Of which [`Serving::write_at_most`] can make a process with a full disk:
    /// the signal that comes with it is ignored.
    pub(super) fn serve_on_a_small_disk(&self) -> Serving {
        let mut command = self.command(Path::new("/bin/sh"));
        command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(program());
        self.serve_with(command)
    }

    fn serve_with(&self, mut command: Command) -> Serving {
        let mut child = command.args(["--json", "serve"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let owner: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(owner["data"]["socket"], self.path("data/coterie.sock"));
        assert_eq!(owner["data"]["pid"], child.id());
        Serving { child, _stdout: stdout }
    }

    /// Asks until some run is going on.
    pub(super) fn until_running(&self) {
        while self.run(&["run", "list", "--state", "running", "--json"]).data() == json!([]) {}
    }

    /// Compares what a command prints with `--json`, without what differs from
    /// one day to the next.
    pub(super) fn snapshot(&self, name: &str, words: &[&str]) {
        self.snapshot_reading(name, words, "");
    }

    /// With this on its standard input.
    pub(super) fn snapshot_reading(&self, name: &str, words: &[&str], input: &str) {
        let ran = self.run_reading(&[&["--json"], words].concat(), input);
        let mut lines = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
        let mut scrub = Scrub { folder: self.path(""), ids: HashMap::new() };
        let printed: Vec<String> = lines
            .by_ref()
            .map(|line: Value| serde_json::to_string_pretty(&scrub.value(None, line)).unwrap())
            .collect();
        let printed = format!("exit {}\n{}", ran.status, printed.join("\n"));
        let words = words.iter().map(|word| scrub.text(None, (*word).to_owned()));
        let command = format!("coterie --json {}", words.collect::<Vec<_>>().join(" "));
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true, description => command }, {
            insta::assert_snapshot!(name, printed);
        });
    }

    /// As a user who may not write in the data folder: as nobody if the test
    /// runs as root, whom nothing stops.
    pub(super) fn run_without_permission(&self, words: &[&str]) -> Ran {
        let allow = |path: &Path, mode| {
            std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap()
        };
        allow(&self.data(), 0o555);
        let is_root = std::fs::metadata(self.data()).unwrap().uid() == 0;
        let ran = if is_root {
            // Nobody can neither see the test's folder nor the program's.
            let copy = self.folder.path().join("coterie");
            std::fs::copy(program(), &copy).unwrap();
            allow(self.folder.path(), 0o755);
            allow(&copy, 0o755);
            self.command(&copy).uid(65534).gid(65534).args(words).output()
        } else {
            self.command(&program()).args(words).output()
        };
        allow(&self.data(), 0o755);
        Ran::new(words, ran.unwrap())
    }
}

/// The program that cargo built beside this test.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("coterie");
    assert!(program.exists(), "{} is missing: cargo build -p coterie", program.display());
    program
}

pub(super) struct Begun {
    words: String,
    child: Child,
}

impl Begun {
    /// The next line of what it says beside its output.
    pub(super) fn aside(&mut self) -> String {
        let mut line = Vec::new();
        let mut byte = [0];
        let stderr = self.child.stderr.as_mut().unwrap();
        while stderr.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
            line.extend(byte);
        }
        String::from_utf8(line).unwrap()
    }

    pub(super) fn signal(&self, signal: &str) {
        send(signal, &self.child);
    }

    pub(super) fn end(self) -> Ran {
        Ran::new(&[&self.words], self.child.wait_with_output().unwrap())
    }
}

fn send(signal: &str, to: &Child) {
    let sent = Command::new("kill").args([signal, &to.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// What a command came to.
#[derive(Debug)]
pub(super) struct Ran {
    words: String,
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    fn new(words: &[&str], output: Output) -> Ran {
        Ran {
            words: words.join(" ").chars().take(80).collect(),
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What it printed; it must have worked, in silence.
    #[track_caller]
    pub(super) fn done(self) -> String {
        assert_eq!((self.status, self.stderr.as_str()), (0, ""), "coterie {}", self.words);
        self.stdout
    }

    /// It must have failed like this, with one line about it.
    #[track_caller]
    pub(super) fn failed(self, status: i32) -> Ran {
        assert_eq!(self.status, status, "coterie {}: {}", self.words, self.stderr);
        assert_eq!(self.stderr.lines().count(), 1, "coterie {}: {}", self.words, self.stderr);
        assert!(self.stderr.contains("; "), "no fix: coterie {}: {}", self.words, self.stderr);
        self
    }

    #[track_caller]
    pub(super) fn data(self) -> Value {
        let answer: Value = serde_json::from_str(&self.done()).unwrap();
        assert_eq!(answer["ok"], true);
        answer["data"].clone()
    }

    #[track_caller]
    pub(super) fn fault(self, status: i32) -> Value {
        let answer: Value = serde_json::from_str(&self.failed(status).stdout).unwrap();
        assert_eq!(answer["ok"], false);
        answer["fault"].clone()
    }
}

/// A process that owns the workspace. Killed when it is dropped.
pub(super) struct Serving {
    child: Child,
    _stdout: BufReader<ChildStdout>,
}

impl Serving {
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Bytes of a file; nothing is without a limit.
    pub(super) fn write_at_most(&self, bytes: Option<u64>) {
        let limit = Rlimit { current: bytes, maximum: None };
        let pid = Pid::from_child(&self.child);
        process::prlimit(Some(pid), Resource::Fsize, limit).unwrap();
    }

    /// As with SIGTERM from the system; it must end well.
    #[track_caller]
    pub(super) fn end(mut self) {
        send("-TERM", &self.child);
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }

    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Takes out what differs from run to run, and keeps what belongs together.
struct Scrub {
    folder: String,
    ids: HashMap<String, usize>,
}

/// What a scripted model says that it has read.
const SAID_INPUT_TOKENS: u64 = 20;

impl Scrub {
    fn value(&mut self, key: Option<&str>, value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                let scrubbed = fields.into_iter().map(|(key, value)| {
                    let value = self.value(Some(&key), value);
                    (key, value)
                });
                Value::Object(scrubbed.collect())
            }
            Value::Array(values) => {
                values.into_iter().map(|value| self.value(key, value)).collect()
            }
            Value::String(text) => Value::String(self.text(key, text)),
            Value::Number(_) if key.is_some_and(|key| key.ends_with("_ms")) => "[ms]".into(),
            // Counted from a prompt that names the day: Wednesdays are longer.
            Value::Number(read)
                if key == Some("input_tokens") && read != SAID_INPUT_TOKENS.into() =>
            {
                "[counted]".into()
            }
            Value::Number(_) if key == Some("characters") => "[counted]".into(),
            Value::Number(_) | Value::Bool(_) | Value::Null => value,
        }
    }

    fn text(&mut self, key: Option<&str>, text: String) -> String {
        if key.is_some_and(|key| key.ends_with("hash")) {
            return "[hash]".into();
        }
        if key == Some("system_prompt") || key == Some("content") && text.starts_with("You are ") {
            return "[prompt]".into();
        }
        if key == Some("content")
            && let Some((day, said)) = text.split_once("]\n")
            && day.starts_with('[')
        {
            return format!("[day]\n{said}");
        }
        if uuid::Uuid::parse_str(&text).is_ok() {
            let next = self.ids.len() + 1;
            return format!("[id {}]", self.ids.entry(text).or_insert(next));
        }
        let built = program().parent().unwrap().display().to_string() + "/";
        text.replace(&self.folder, "").replace(&built, "")
    }
}
