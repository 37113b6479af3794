//! Keeping one program.
//!
//! There is one thread, and it is the parent of the program from its start to
//! its end: the signal that the program gets when its parent dies comes when
//! the *thread* ends that started it.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process_group, setsid, wait};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

use crate::words::{PLEASE_END, Told};

/// The number of the socket.
const CONTROL: i32 = 3;

pub(crate) fn keep() -> io::Result<()> {
    let mut control = control()?;
    // No signal meant for our owner's terminal or group is for us.
    setsid()?;
    // Whoever loses its parent below us becomes our child.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let (mut somebody_ended, mark) = UnixStream::pair()?;
    somebody_ended.set_nonblocking(true)?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGCHLD, mark)?;
    let program = match start() {
        Ok(program) => program,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or_else(|| Errno::NOENT.raw_os_error());
            return tell(&mut control, Told::NotStarted(number));
        }
    };
    tell(&mut control, Told::Started(program.as_raw_pid()))?;
    // What the program closes has to be closed for its owner.
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    let mut kept = Kept { program, control };
    kept.until_it_ends(&mut somebody_ended);
    kept.kill_everybody();
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

/// Starts the program, first of a process group of its own.
fn start() -> io::Result<Pid> {
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments).process_group(0);
    #[cfg(target_os = "linux")]
    {
        let keeper = rustix::process::getpid();
        let die_with_us = move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // Killed before that, we would not be waited for.
            if rustix::process::getppid() != Some(keeper) {
                return Err(io::Error::from_raw_os_error(Errno::SRCH.raw_os_error()));
            }
            Ok(())
        };
        #[expect(unsafe_code, reason = "only the new process can ask for the signal")]
        // SAFETY: two system calls, and nothing is allocated or locked.
        unsafe {
            command.pre_exec(die_with_us)
        };
    }
    Ok(Pid::from_child(&command.spawn()?))
}

fn tell(control: &mut UnixStream, told: Told) -> io::Result<()> {
    control.write_all(told.line().as_bytes())
}

struct Kept {
    program: Pid,
    control: UnixStream,
}

impl Kept {
    /// Comes back when the program has ended or is to be killed.
    fn until_it_ends(&mut self, somebody_ended: &mut UnixStream) {
        loop {
            let mut waiting = [
                PollFd::new(&self.control, PollFlags::IN),
                PollFd::new(&*somebody_ended, PollFlags::IN),
            ];
            match poll(&mut waiting, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            let (spoken_to, ended) =
                (!waiting[0].revents().is_empty(), !waiting[1].revents().is_empty());
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

    /// Kills until nobody is left. Children of those who were killed have
    /// become ours before we hear of the death, so the next round finds them.
    #[cfg(target_os = "linux")]
    fn kill_everybody(&mut self) {
        loop {
            for child in children() {
                let _ = rustix::process::kill_process(child, Signal::KILL);
            }
            match wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) => drop(self.was_it(pid, status)),
                Ok(None) | Err(Errno::INTR) => {}
                Err(_) => return,
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

/// Our own children. None of these numbers can mean somebody else: they are
/// ours to wait for.
#[cfg(target_os = "linux")]
fn children() -> Vec<Pid> {
    let us = rustix::process::getpid().as_raw_pid();
    match std::fs::read_to_string(format!("/proc/self/task/{us}/children")) {
        Ok(text) => numbers(text.split_whitespace()),
        // A kernel that was built without that file.
        Err(_) => {
            let folder = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            let all = folder.filter_map(|entry| entry.file_name().into_string().ok());
            let all: Vec<String> = all.filter(|pid| parent(pid) == Some(us)).collect();
            numbers(all.iter().map(String::as_str))
        }
    }
}

#[cfg(target_os = "linux")]
fn parent(pid: &str) -> Option<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(target_os = "linux")]
fn numbers<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Pid> {
    texts.filter_map(|text| Pid::from_raw(text.parse().ok()?)).collect()
}
