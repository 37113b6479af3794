//! Keeping one program.
//!
//! There is one thread, and it is the parent of the program from its start to
//! its end: the signal that the program gets when its parent dies comes when
//! the *thread* ends that started it.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, setsid, wait};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

#[cfg(target_os = "linux")]
use crate::confine::Confined;
use crate::confinement::{Confinement, Marks, Most};
#[cfg(target_os = "macos")]
use crate::held;
use crate::temporary;
use crate::words::{PLEASE_END, Told};
#[cfg(target_os = "linux")]
use crate::{family, watch, world};

/// The number of the socket.
const CONTROL: i32 = 3;

pub(crate) fn keep() -> io::Result<()> {
    let mut control = control()?;
    // No signal meant for our owner's terminal or group is for us.
    setsid()?;
    // Whoever loses its parent below us becomes our child.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let mut arguments = std::env::args_os().skip(1);
    let confinement = Confinement::read(&mut arguments).ok_or(io::ErrorKind::InvalidInput)?;
    if let Some(confined) = &confinement
        && let Err(error) = temporary::make(confined)
    {
        return tell(&mut control, Told::NotConfined(number(&error, Errno::EXIST)));
    }
    #[cfg(target_os = "linux")]
    if let Some(confined) = &confinement
        && world::open()
    {
        return match world::begin(&confined.most)? {
            None => keep_here(Stand::First, control, arguments, confinement.as_ref()),
            Some(first) => {
                hold_nothing_open()?;
                let watched = world::watch_over(first, control, &confined.most);
                temporary::remove(confined);
                watched
            }
        };
    }
    let kept = keep_here(Stand::Outside, control, arguments, confinement.as_ref());
    confinement.iter().for_each(temporary::remove);
    kept
}

/// Where we are as we keep the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// Nobody else watches, or kills.
    Outside,
    /// The first process of a world, which ends with us.
    #[cfg(target_os = "linux")]
    First,
}

fn keep_here(
    stand: Stand,
    mut control: UnixStream,
    arguments: impl Iterator<Item = OsString>,
    confinement: Option<&Confinement>,
) -> io::Result<()> {
    let mut ended = somebody_ended()?;
    let (program, marks) = match start(arguments, confinement) {
        Ok(started) => started,
        Err(told) => return tell(&mut control, told),
    };
    tell(&mut control, Told::Started(stand.number(program), marks))?;
    hold_nothing_open()?;
    let watched = (stand == Stand::Outside).then_some(confinement).flatten();
    let most = watched.map(|confinement| confinement.most);
    let mut kept = Kept { program, control, most };
    kept.until_it_ends(&mut ended);
    if stand == Stand::Outside {
        kept.kill_everybody();
    }
    Ok(())
}

impl Stand {
    /// The program's, as its owner knows it.
    fn number(self, program: Pid) -> i32 {
        #[cfg(target_os = "linux")]
        if self == Stand::First {
            return world::number_outside().unwrap_or_default();
        }
        program.as_raw_pid()
    }
}

/// Can be read when a child has ended.
pub(crate) fn somebody_ended() -> io::Result<UnixStream> {
    let (somebody_ended, mark) = UnixStream::pair()?;
    somebody_ended.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, mark)?;
    Ok(somebody_ended)
}

/// Who reads what the program says shall hear of its end.
fn hold_nothing_open() -> io::Result<()> {
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    Ok(())
}

fn control() -> io::Result<UnixStream> {
    for number in inherited() {
        #[expect(unsafe_code, reason = "a file that is inherited has nothing but its number")]
        // SAFETY: it is open, nobody else here closes it, and it is borrowed for one call.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        fcntl_setfd(file, FdFlags::CLOEXEC)?;
    }
    #[expect(unsafe_code, reason = "a file that is inherited has nothing but its number")]
    // SAFETY: our owner put the socket there, and nobody else here uses the number.
    let control = unsafe { OwnedFd::from_raw_fd(CONTROL) };
    Ok(UnixStream::from(control))
}

/// The files that we were handed besides stdin, stdout and stderr. Our owner's
/// own may be among them, if it did not know better; the program gets none.
fn inherited() -> Vec<i32> {
    let folder = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let open = folder.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let open: Vec<i32> = open.filter(|number| *number >= CONTROL).collect();
    // The one that the folder itself was read with is closed by now.
    let still = |number: &i32| std::fs::symlink_metadata(format!("/dev/fd/{number}")).is_ok();
    open.into_iter().filter(still).collect()
}

/// Starts the program, first of a process group of its own; else says what went
/// wrong.
fn start(
    mut arguments: impl Iterator<Item = OsString>,
    confinement: Option<&Confinement>,
) -> Result<(Pid, Marks), Told> {
    let not_started = |error: io::Error| Told::NotStarted(number(&error, Errno::NOENT));
    let program = arguments.next().ok_or_else(|| not_started(io::ErrorKind::NotFound.into()))?;
    let mut command = match confinement {
        #[cfg(target_os = "macos")]
        Some(confinement) => held::command(program, confinement),
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        Some(_) => return Err(Told::NotConfined(Errno::NOTSUP.raw_os_error())),
        _ => Command::new(program),
    };
    command.args(arguments).process_group(0);
    #[cfg(not(target_os = "linux"))]
    let marks = Marks::Own;
    #[cfg(target_os = "linux")]
    let marks;
    #[cfg(target_os = "linux")]
    {
        let confined = confinement.map(Confined::new).transpose();
        let confined =
            confined.map_err(|error| Told::NotConfined(number(&error, Errno::OPNOTSUPP)))?;
        marks = confined.as_ref().map_or(Marks::Own, Confined::marks);
        let keeper = rustix::process::getpid();
        let in_the_child = move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // Killed before that, we would not be waited for.
            if rustix::process::getppid() != Some(keeper) {
                return Err(io::Error::from_raw_os_error(Errno::SRCH.raw_os_error()));
            }
            confined.as_ref().map_or(Ok(()), Confined::put_on)
        };
        #[expect(unsafe_code, reason = "only the new process can do this to itself")]
        // SAFETY: there is one thread here, so that nothing is locked in the new process, and it
        // may allocate.
        unsafe {
            command.pre_exec(in_the_child)
        };
    }
    Ok((Pid::from_child(&command.spawn().map_err(not_started)?), marks))
}

/// The operating system's, if the error comes from there.
fn number(error: &io::Error, otherwise: Errno) -> i32 {
    error.raw_os_error().unwrap_or_else(|| otherwise.raw_os_error())
}

pub(crate) fn tell(control: &mut UnixStream, told: Told) -> io::Result<()> {
    control.write_all(told.line().as_bytes())
}

struct Kept {
    program: Pid,
    control: UnixStream,
    /// What is watched by us.
    most: Option<Most>,
}

impl Kept {
    /// Comes back when the program has ended or is to be killed.
    fn until_it_ends(&mut self, somebody_ended: &mut UnixStream) {
        loop {
            let mut waiting = [
                PollFd::new(&self.control, PollFlags::IN),
                PollFd::new(&*somebody_ended, PollFlags::IN),
            ];
            match poll(&mut waiting, self.looks_again().as_ref()) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            let (spoken_to, ended) =
                (!waiting[0].revents().is_empty(), !waiting[1].revents().is_empty());
            if self.took_too_much() {
                return;
            }
            if ended {
                let _ = somebody_ended.read(&mut [0; 64]);
                while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
                    if self.was_it(pid, status) {
                        return;
                    }
                }
            }
            if spoken_to {
                let mut word = [0];
                match self.control.read(&mut word) {
                    Ok(1) if word[0] == PLEASE_END => {
                        let _ = kill_process_group(self.program, Signal::TERM);
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    _ => return,
                }
            }
        }
    }

    fn looks_again(&self) -> Option<Timespec> {
        self.most?;
        #[cfg(target_os = "linux")]
        return Timespec::try_from(watch::LOOKS_AGAIN).ok();
        #[cfg(target_os = "macos")]
        return Timespec::try_from(held::LOOKS_AGAIN).ok();
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        None
    }

    /// Whether all that it started take more than they may; then our owner hears
    /// of it.
    fn took_too_much(&mut self) -> bool {
        #[cfg(target_os = "linux")]
        let too_much = watch::too_much;
        #[cfg(target_os = "macos")]
        let too_much = |most: &Most| held::too_much(most, self.program);
        #[cfg(not(any(target_os = "linux", target_os = "macos")))]
        let too_much = |_: &Most| None;
        match self.most.as_ref().and_then(too_much) {
            Some(resource) => {
                let _ = tell(&mut self.control, Told::TookTooMuch(resource));
                true
            }
            None => false,
        }
    }

    /// Whether it is the program that ended; then our owner hears of it, if
    /// there is still one.
    fn was_it(&mut self, pid: Pid, status: WaitStatus) -> bool {
        if pid != self.program {
            return false;
        }
        let told = match (status.exit_status(), status.terminating_signal()) {
            (Some(code), _) => Told::Exited(code),
            (None, signal) => Told::Signalled(signal.unwrap_or(0)),
        };
        let _ = tell(&mut self.control, told);
        true
    }

    /// Kills until nobody is left. Who is not found below us in one round, since
    /// it was born or lost its parent meanwhile, is found in the next.
    #[cfg(target_os = "linux")]
    fn kill_everybody(&mut self) {
        loop {
            family::kill_all_below(rustix::process::getpid());
            let mut how = WaitOptions::empty();
            loop {
                match wait(how) {
                    Ok(Some((pid, status))) => drop(self.was_it(pid, status)),
                    Err(Errno::INTR) => {}
                    Ok(None) => break,
                    Err(_) => return,
                }
                // Of the others who have ended by now, without waiting for more.
                how = WaitOptions::NOHANG;
            }
        }
    }

    /// Without a way to find those who began a group of their own.
    #[cfg(not(target_os = "linux"))]
    fn kill_everybody(&mut self) {
        let _ = kill_process_group(self.program, Signal::KILL);
        while let Ok(Some((pid, status))) = wait(WaitOptions::empty()) {
            self.was_it(pid, status);
        }
    }
}
