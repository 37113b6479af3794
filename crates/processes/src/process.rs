//! A process that runs, with all that it started.

use std::io;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use crate::{Confinement, Ended, Keeper, Marks, Program, StartError, confines};

#[cfg(windows)]
mod job;
#[cfg(unix)]
mod kept;

#[cfg(windows)]
use job::Inner;
#[cfg(unix)]
use kept::Inner;

/// A program that runs. Dropped, it is killed at once with everything that it
/// started; `end` is the polite way.
#[derive(Debug)]
pub struct Process {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    inner: Inner,
}

/// How long to wait for a process that is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// After its stdin was closed.
    pub closed: Duration,
    /// After it was asked to terminate, which is no more than a request.
    pub asked: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { closed: Duration::from_secs(2), asked: Duration::from_secs(2) }
    }
}

/// What is killed is gone in no time, except where a disk or a network keeps
/// the operating system from letting go of it.
const KILLED: Duration = Duration::from_secs(10);

impl Process {
    /// Starts a program, with pipes for its stdin, stdout and stderr.
    pub async fn start(keeper: &Keeper, program: &Program) -> Result<Self, StartError> {
        let (inner, (stdin, stdout, stderr)) = Inner::start(keeper, program, None).await?;
        Ok(Process { stdin, stdout, stderr, inner })
    }

    /// Starts a program that may touch and take no more than this.
    pub async fn confined(
        keeper: &Keeper,
        program: &Program,
        confinement: &Confinement,
    ) -> Result<Self, StartError> {
        confines()?;
        let (inner, (stdin, stdout, stderr)) =
            Inner::start(keeper, program, Some(confinement)).await?;
        Ok(Process { stdin, stdout, stderr, inner })
    }

    /// The process id of the program.
    pub fn id(&self) -> u32 {
        self.inner.id()
    }

    /// Which files' modes, owners and times a confined program may change.
    pub fn marks(&self) -> Marks {
        self.inner.marks()
    }

    /// Waits until it has ended and nobody that it started is left. May be
    /// dropped while it waits and called again.
    pub async fn ended(&mut self) -> Ended {
        self.inner.ended().await
    }

    /// Ends it: closes its stdin, asks it to terminate, and kills it, with
    /// patience in between. Whoever took its stdin must have closed it. Nobody
    /// that it started is left afterwards.
    pub async fn end(mut self, patience: Patience) -> Ended {
        drop(self.stdin.take());
        if let Ok(ended) = timeout(patience.closed, self.ended()).await {
            return ended;
        }
        let asked = self.inner.ask_to_end().await.is_ok();
        if asked && let Ok(ended) = timeout(patience.asked, self.ended()).await {
            return ended;
        }
        self.kill().await
    }

    /// Kills it with all that it started, and waits until they are gone.
    pub async fn kill(mut self) -> Ended {
        let killed: io::Result<()> = self.inner.kill().await;
        if let Err(error) = killed {
            // Then the process is gone, or its keeper, who would have been told.
            drop(error);
        }
        timeout(KILLED, self.ended()).await.unwrap_or(Ended::Unknown)
    }

    /// What it and all that it started take of the memory; `None` where that
    /// can't be known, and after its end.
    pub fn memory_bytes(&self) -> Option<u64> {
        self.meter().bytes()
    }

    /// Measures its memory wherever the process itself is held.
    pub fn meter(&self) -> Meter {
        Meter(self.inner.above())
    }
}

/// Measures the memory of one process and all that it started.
#[derive(Debug, Clone, Copy)]
pub struct Meter(u32);

impl Meter {
    /// `None` where that can't be known, and after its end.
    pub fn bytes(self) -> Option<u64> {
        #[cfg(target_os = "linux")]
        return crate::tree::memory_bytes(self.0);
        #[cfg(not(target_os = "linux"))]
        {
            let Meter(_nobody_counts) = self;
            None
        }
    }
}
