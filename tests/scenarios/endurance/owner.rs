//! The process that owns the workspace, from outside: it is started, killed
//! and, in the end, asked to close.

use std::io::{BufRead, BufReader, Lines};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

const SIGKILL: i32 = 9;

/// Ends with its stdin, so it never outlives the test.
pub(super) struct Owner {
    folder: PathBuf,
    child: Child,
    said: Lines<BufReader<ChildStdout>>,
}

impl Owner {
    /// Returns when it has the workspace open.
    pub(super) fn start(folder: &Path) -> Owner {
        let (child, said) = start(folder);
        let mut owner = Owner { folder: folder.to_owned(), child, said };
        owner.hear("open");
        owner
    }

    /// As `kill -9` does; another one goes on in the same folder.
    pub(super) fn kill(&mut self) {
        self.child.kill().expect("it is ours");
        let status = self.child.wait().expect("it is ours");
        assert_eq!(status.signal(), Some(SIGKILL), "it had ended before: {status}");
        (self.child, self.said) = start(&self.folder);
        self.hear("open");
    }

    pub(super) fn close(mut self) {
        drop(self.child.stdin.take());
        self.hear("closed");
        let status = self.child.wait().expect("it is ours");
        assert!(status.success(), "the owner ended with {status}");
    }

    fn hear(&mut self, expected: &str) {
        let said = self.said.next().and_then(Result::ok);
        assert_eq!(said.as_deref(), Some(expected));
    }
}

fn start(folder: &Path) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_endurance-child"))
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the child starts");
    let stdout = child.stdout.take().expect("it is piped");
    (child, BufReader::new(stdout).lines())
}
