//! A world of processes of its own for a confined program: a PID namespace.
//!
//! We stay outside and watch. Its first process is a second keeper, which
//! starts the program and waits for it. When that one ends, however it does,
//! the kernel kills all others in there at once and lets nobody be born, so
//! that nobody gets away who multiplies faster than they could be found. It
//! dies with us.

use std::fs;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, getgid, getuid, kill_process, set_parent_process_death_signal,
    waitpid,
};

use crate::confinement::Most;
use crate::keep::{somebody_ended, tell};
use crate::watch;
use crate::words::Told;

/// Those whom the kernel begins with, whatever the most of a world is.
const RESERVED_TASKS: u64 = 300;
/// The first kernel in which each world has a most of its own.
const EACH_ITS_MOST: (u32, u32) = (6, 14);

/// Whether there is a new world, which begins with the next process that we
/// start. Root may just make one; others must first be root in a world of users
/// of their own, and not every machine lets them.
pub(crate) fn open() -> bool {
    unshare(libc::CLONE_NEWPID).is_ok() || (could_open() && open_with_users().is_ok())
}

/// Goes on twice: in the world's first process this gives `None`, and outside
/// that process.
pub(crate) fn begin(most: &Most) -> io::Result<Option<Pid>> {
    let first = fork()?;
    if first.is_none() {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        set_most(most.tasks);
    }
    Ok(first)
}

/// Returns when nobody of the world is left.
pub(crate) fn watch_over(first: Pid, mut control: UnixStream, most: &Most) -> io::Result<()> {
    let mut ended = somebody_ended()?;
    let looks_again = Timespec::try_from(watch::LOOKS_AGAIN).ok();
    loop {
        // What is said there, the first process hears.
        let mut waiting =
            [PollFd::new(&control, PollFlags::RDHUP), PollFd::new(&ended, PollFlags::IN)];
        let polled = poll(&mut waiting, looks_again.as_ref());
        let is_left = !waiting[0].revents().is_empty();
        if waitpid(Some(first), WaitOptions::NOHANG)?.is_some() {
            return Ok(());
        }
        let _ = ended.read(&mut [0; 64]);
        let too_much = watch::too_much(most);
        if let Some(resource) = too_much {
            let _ = tell(&mut control, Told::TookTooMuch(resource));
        }
        let is_broken = !matches!(polled, Ok(_) | Err(Errno::INTR));
        if is_left || is_broken || too_much.is_some() {
            return end(first);
        }
    }
}

fn end(first: Pid) -> io::Result<()> {
    let _ = kill_process(first, Signal::KILL);
    while let Err(Errno::INTR) = waitpid(Some(first), WaitOptions::empty()) {}
    Ok(())
}

/// The number outside of the program that the first process has just started.
pub(crate) fn number_outside() -> Option<i32> {
    let children = fs::read_to_string("/proc/thread-self/children").ok()?;
    children.split_whitespace().next()?.parse().ok()
}

/// Holds for root too, which the limit for users does not.
fn set_most(tasks: u64) {
    // On an older kernel this would be everybody's.
    if kernel().is_some_and(|kernel| kernel >= EACH_ITS_MOST) {
        let most = (RESERVED_TASKS + 1 + tasks).to_string();
        // They are watched as well.
        let _ = fs::write("/proc/sys/kernel/pid_max", most);
    }
}

fn kernel() -> Option<(u32, u32)> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
    let mut numbers = release.split(|sign: char| !sign.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Tried by somebody else first: whoever stops halfway is nobody any more.
fn could_open() -> bool {
    match fork() {
        Ok(Some(other)) => {
            let ended = waitpid(Some(other), WaitOptions::empty());
            matches!(ended, Ok(Some((_, status))) if status.exit_status() == Some(0))
        }
        Ok(None) => std::process::exit(i32::from(open_with_users().is_err())),
        Err(_) => false,
    }
}

fn open_with_users() -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWPID)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

pub(crate) fn unshare(what: i32) -> io::Result<()> {
    #[expect(
        unsafe_code,
        reason = "what is not shared any more may be something that is relied on"
    )]
    // SAFETY: nothing here relies on whose processes, users or mounts are seen.
    let done = unsafe { libc::unshare(what) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

pub(crate) fn fork() -> io::Result<Option<Pid>> {
    #[expect(unsafe_code, reason = "another thread could hold a lock for good")]
    // SAFETY: there is one thread here.
    let pid = unsafe { libc::fork() };
    if pid < 0 { Err(io::Error::last_os_error()) } else { Ok(Pid::from_raw(pid)) }
}
