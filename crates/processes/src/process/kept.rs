//! A program that a keeper holds.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use command_fds::{CommandFdExt, FdMapping};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

use crate::confinement::PROGRAM;
use crate::words::{PLEASE_END, Told};
use crate::{Confinement, Ended, Keeper, Marks, Program, StartError};

/// Where a keeper finds its end of the socket.
const CONTROL: i32 = 3;

#[derive(Debug)]
pub(super) struct Inner {
    keeper: Child,
    keeper_id: u32,
    told: Lines<BufReader<OwnedReadHalf>>,
    /// The keeper kills when this is closed.
    tell: Option<OwnedWriteHalf>,
    program_id: i32,
    marks: Marks,
    ended: Option<Ended>,
}

pub(super) type Pipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

impl Inner {
    pub(super) async fn start(
        keeper: &Keeper,
        program: &Program,
        confinement: Option<&Confinement>,
    ) -> Result<(Self, Pipes), StartError> {
        let by_keeper = |error| StartError::Keeper { keeper: keeper.0.clone(), error };
        let name = || program.program.to_string_lossy().into_owned();
        let by_program = |error| StartError::Program { program: name(), error };
        if !program.folder.is_dir() {
            let problem = format!("{} is no folder", program.folder.display());
            return Err(by_program(io::Error::new(io::ErrorKind::NotFound, problem)));
        }
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(by_keeper)?;
        ours.set_nonblocking(true).map_err(by_keeper)?;
        let ours = UnixStream::from_std(ours).map_err(by_keeper)?;
        let mut child = spawn(keeper, program, confinement, theirs.into()).map_err(by_keeper)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (told, tell) = ours.into_split();
        let keeper_id = child.id().unwrap_or(0);
        let mut inner = Inner {
            keeper: child,
            keeper_id,
            told: BufReader::new(told).lines(),
            tell: Some(tell),
            program_id: 0,
            marks: Marks::Own,
            ended: None,
        };
        match inner.hear().await {
            Some(Told::Started(pid, marks)) => (inner.program_id, inner.marks) = (pid, marks),
            Some(Told::NotStarted(error)) => {
                return Err(by_program(io::Error::from_raw_os_error(error)));
            }
            Some(Told::NotConfined(error)) => {
                let error = io::Error::from_raw_os_error(error);
                return Err(StartError::Confinement { program: name(), error });
            }
            Some(Told::Exited(_) | Told::Signalled(_) | Told::TookTooMuch(_)) | None => {
                return Err(by_keeper(io::Error::other("it said nothing")));
            }
        }
        Ok((inner, pipes))
    }

    pub(super) fn id(&self) -> u32 {
        self.program_id.unsigned_abs()
    }

    pub(super) fn marks(&self) -> Marks {
        self.marks
    }

    async fn hear(&mut self) -> Option<Told> {
        Told::read(&self.told.next_line().await.ok()??)
    }

    pub(super) async fn ended(&mut self) -> Ended {
        if self.ended.is_none() {
            let ended = match self.hear().await {
                Some(Told::Exited(code)) => Ended::Exited(code),
                Some(Told::Signalled(signal)) => Ended::Signalled(signal),
                Some(Told::TookTooMuch(resource)) => Ended::TookTooMuch(resource),
                Some(Told::Started(..) | Told::NotStarted(_) | Told::NotConfined(_)) | None => {
                    self.orphaned()
                }
            };
            self.ended = Some(ended);
        }
        // It ends when nobody is left.
        let _ = self.keeper.wait().await;
        self.ended.unwrap_or(Ended::Unknown)
    }

    /// The keeper is gone, and took the program along. Whoever that had started
    /// is still in the keeper's session, unless it meant to get away.
    fn orphaned(&self) -> Ended {
        #[cfg(target_os = "linux")]
        crate::tree::kill_session(self.keeper_id);
        Ended::Unknown
    }

    pub(super) async fn ask_to_end(&mut self) -> io::Result<()> {
        match &mut self.tell {
            Some(tell) => tell.write_all(&[PLEASE_END]).await,
            None => Ok(()),
        }
    }

    pub(super) async fn kill(&mut self) -> io::Result<()> {
        match self.tell.take() {
            Some(mut tell) => tell.shutdown().await,
            None => Ok(()),
        }
    }

    /// Below whom it is.
    pub(super) fn above(&self) -> u32 {
        self.keeper_id
    }
}

fn spawn(
    keeper: &Keeper,
    program: &Program,
    confinement: Option<&Confinement>,
    control: OwnedFd,
) -> io::Result<Child> {
    let mut command = Command::new(&keeper.0);
    command
        .args(confinement.map(Confinement::arguments).unwrap_or_default())
        .arg(PROGRAM)
        .arg(&program.program)
        .args(&program.arguments)
        .env_clear()
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&program.folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .fd_mappings(vec![FdMapping { parent_fd: control, child_fd: CONTROL }])
        .map_err(io::Error::other)?;
    command.spawn()
}
