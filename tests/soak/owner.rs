//! The measured process, seen from outside: its clock, its memory, its log on
//! the disk, and what it complains about.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Ends with its stdin, so it never outlives the test.
pub(crate) struct Owner {
    child: Child,
    orders: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    complaints: Complaints,
    listening: JoinHandle<()>,
}

/// Everything that anybody was told went wrong.
#[derive(Clone, Default)]
pub(crate) struct Complaints {
    lines: Arc<Mutex<Vec<String>>>,
}

impl Complaints {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Whether it is SQLite's word for SQLITE_BUSY or SQLITE_LOCKED.
pub(crate) fn is_busy(complaint: &str) -> bool {
    complaint.contains("database is locked") || complaint.contains("table is locked")
}

/// Memory of a process in pages that are its own or shared, and of those the
/// ones that no file stands behind. In bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub resident: u64,
    pub anonymous: u64,
}

impl Owner {
    pub(crate) fn start(data: &Path) -> Owner {
        let mut child = Command::new(env!("CARGO_BIN_EXE_soak-child"))
            .arg(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the child starts");
        let orders = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let said = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let complaints = Complaints::default();
        let hears = complaints.clone();
        let listening = std::thread::spawn(move || {
            said.map_while(Result::ok).for_each(|line| hears.add(format!("log: {line}")));
        });
        let mut owner = Owner { child, orders, answers, complaints, listening };
        owner.hear("open");
        owner
    }

    pub(crate) fn complaints(&self) -> Complaints {
        self.complaints.clone()
    }

    pub(crate) fn advance(&mut self, by: Duration) {
        writeln!(self.orders, "{}", by.as_secs()).expect("the child listens");
        self.hear("ok");
    }

    pub(crate) fn memory(&self) -> Memory {
        let file = format!("/proc/{}/smaps_rollup", self.child.id());
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("read {file}: {error}"));
        let bytes = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let kibibytes = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
            kibibytes.map(|kibibytes: u64| kibibytes * 1024).expect("Linux counts it")
        };
        Memory { resident: bytes("Rss:"), anonymous: bytes("Anonymous:") }
    }

    /// Closes the workspace and waits for the end of the process.
    pub(crate) fn close(mut self) {
        drop(self.orders);
        let last = self.answers.next().and_then(Result::ok);
        let status = self.child.wait().expect("it is ours");
        self.listening.join().expect("it only reads");
        let complaints = self.complaints.all();
        assert!(status.success(), "the owner ended with {status}: {complaints:?}");
        assert_eq!(last.as_deref(), Some("closed"), "{complaints:?}");
    }

    fn hear(&mut self, expected: &str) {
        let said = self.answers.next().and_then(Result::ok);
        assert_eq!(said.as_deref(), Some(expected), "{:?}", self.complaints.all());
    }
}

/// The size of the log beside the database, now and at its largest.
#[derive(Clone)]
pub(crate) struct Wal {
    file: PathBuf,
    most: Arc<Mutex<u64>>,
}

impl Wal {
    pub(crate) fn of(data: &Path) -> Wal {
        Wal { file: data.join("coterie.db-wal"), most: Arc::default() }
    }

    pub(crate) fn look(&self) -> u64 {
        let now = fs::metadata(&self.file).map_or(0, |file| file.len());
        let mut most = self.most.lock().unwrap_or_else(PoisonError::into_inner);
        *most = now.max(*most);
        now
    }

    pub(crate) fn most(&self) -> u64 {
        *self.most.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
