//! A program in a job object, which ends with the last handle to it: ours.
//!
//! For Windows only. When the program ends, so does whoever it started, as with
//! a keeper.

use std::io;
use std::process::Stdio;

use process_wrap::tokio::{ChildWrapper, CommandWrap, CreationFlags, JobObject, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use windows::Win32::System::Threading::CREATE_NO_WINDOW;

use crate::{Confinement, Ended, Keeper, Marks, Program, StartError};

#[derive(Debug)]
pub(super) struct Inner {
    /// Of the job, with the program in it.
    child: Box<dyn ChildWrapper>,
    id: u32,
    ended: Option<Ended>,
}

pub(super) type Pipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

impl Inner {
    pub(super) async fn start(
        _keeper: &Keeper,
        program: &Program,
        // Nobody is confined here: `confines` says so before.
        _confinement: Option<&Confinement>,
    ) -> Result<(Self, Pipes), StartError> {
        let mut command = Command::new(&program.program);
        command
            .args(&program.arguments)
            .env_clear()
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&program.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut wrapped = CommandWrap::from(command);
        wrapped.wrap(CreationFlags(CREATE_NO_WINDOW)).wrap(KillOnDrop).wrap(JobObject);
        let mut child = wrapped.spawn().map_err(|error| StartError::Program {
            program: program.program.to_string_lossy().into_owned(),
            error,
        })?;
        let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let id = child.id().unwrap_or(0);
        Ok((Inner { child, id, ended: None }, pipes))
    }

    /// Nobody is confined, so nobody is kept from any.
    pub(super) fn marks(&self) -> Marks {
        Marks::Own
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    pub(super) async fn ended(&mut self) -> Ended {
        if self.ended.is_none() {
            let ended = match self.child.inner_mut().wait().await {
                Ok(status) => status.code().map_or(Ended::Unknown, Ended::Exited),
                Err(_) => Ended::Unknown,
            };
            self.ended = Some(ended);
            // Whoever it started is in the job, and would keep it going.
            let _ = self.child.start_kill();
        }
        // It ends when nobody is left.
        let _ = self.child.wait().await;
        self.ended.unwrap_or(Ended::Unknown)
    }

    /// There is no such request for a program without a window.
    pub(super) async fn ask_to_end(&mut self) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub(super) async fn kill(&mut self) -> io::Result<()> {
        self.child.start_kill()
    }

    pub(super) fn above(&self) -> u32 {
        self.id
    }
}
