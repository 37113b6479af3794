//! One running `coterie-engine` that holds one model.
//!
//! It dies with this value: its stdin closes and, should that not do, it is
//! killed. What it logs goes to `tracing`.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use domain::engine::{Ask, Load, Loaded, Tell};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::fault;
use crate::ModelFault;

/// How long a process may take to end after it was told to, or closed its
/// output.
const TO_END: Duration = Duration::from_secs(2);

pub(super) struct Engine {
    child: Child,
    stdin: ChildStdin,
    tells: Lines<BufReader<ChildStdout>>,
    /// Gives the last line that it logged.
    log: JoinHandle<String>,
    next_id: u64,
}

impl Engine {
    /// Starts the program and has it load the model.
    pub(super) async fn start(
        program: &Path,
        load: Load,
        stall: Duration,
    ) -> Result<(Self, Loaded), ModelFault> {
        let mut engine =
            Self::spawn(program).map_err(|error| fault::not_started(program, &error))?;
        let file = load.path.clone();
        if engine.send(&Ask::Load(load)).await.is_err() {
            return Err(engine.crashed().await);
        }
        match timeout(stall, engine.tell()).await {
            Ok(Some(Tell::Loaded(loaded))) => Ok((engine, loaded)),
            Ok(Some(Tell::Failed { fault, message, .. })) => {
                Err(fault::not_loaded(&fault, message, &file))
            }
            Ok(Some(Tell::Progress { .. } | Tell::Piece { .. } | Tell::Done(_)) | None) => {
                Err(engine.crashed().await)
            }
            Err(_) => Err(fault::stuck(stall)),
        }
    }

    fn spawn(program: &Path) -> io::Result<Self> {
        let mut command = Command::new(program);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        // Ctrl-C in a terminal is for us; the engine hears of it by the end of its stdin.
        #[cfg(unix)]
        command.process_group(0);
        #[cfg(windows)]
        command.creation_flags(0x0800_0000); // CREATE_NO_WINDOW
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            unreachable!("all three were asked for above");
        };
        let log = tokio::spawn(log(stderr));
        Ok(Self { child, stdin, tells: BufReader::new(stdout).lines(), log, next_id: 1 })
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id().unwrap_or(0)
    }

    pub(super) fn fresh_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// Fails when the process is gone.
    pub(super) async fn send(&mut self, ask: &Ask) -> io::Result<()> {
        let mut line = serde_json::to_vec(ask)?;
        line.push(b'\n');
        self.stdin.write_all(&line).await?;
        self.stdin.flush().await
    }

    /// The next thing it says; `None` when it says no more, or nonsense. May be
    /// dropped while it waits and called again.
    pub(super) async fn tell(&mut self) -> Option<Tell> {
        let line = self.tells.next_line().await.ok()??;
        match serde_json::from_str(&line) {
            Ok(tell) => Some(tell),
            Err(error) => {
                tracing::warn!(%error, line, "the engine said something strange");
                None
            }
        }
    }

    /// Ends it in an orderly way.
    pub(super) async fn stop(mut self) {
        let _ = self.send(&Ask::Quit).await;
        drop(self.stdin);
        if timeout(TO_END, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }

    /// It ended without being asked to: how.
    pub(super) async fn crashed(mut self) -> ModelFault {
        let status: Option<ExitStatus> =
            timeout(TO_END, self.child.wait()).await.ok().and_then(Result::ok);
        let last_words =
            timeout(TO_END, self.log).await.ok().and_then(Result::ok).unwrap_or_default();
        fault::crashed(status, &last_words)
    }
}

/// Comes back when the process has closed its stderr.
async fn log(stderr: ChildStderr) -> String {
    let mut lines = BufReader::new(stderr).lines();
    let mut last = String::new();
    while let Ok(Some(line)) = lines.next_line().await {
        tracing::warn!(target: "engine", "{line}");
        last = line;
    }
    last
}
