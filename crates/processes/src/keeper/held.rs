//! Confining the program on macOS: `sandbox-exec` is started in its place, which
//! puts up the walls; each process has limits of its own, and what its group
//! takes together is watched. Never run by us.

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Pid, Resource as Limited, Rlimit, getrlimit, setrlimit};

use crate::confinement::{Confinement, Most, Resource};
use crate::seatbelt;

/// Open files of one process.
const FILES: u64 = 4096;
/// What others of the same user may begin meanwhile without taking it away from
/// this one.
const SPARE_TASKS: u64 = 200;

/// How often it is looked at.
pub(crate) const LOOKS_AGAIN: Duration = Duration::from_millis(20);

/// The program, to be given its arguments.
pub(crate) fn command(program: OsString, confinement: &Confinement) -> Command {
    let mut command = Command::new(seatbelt::SANDBOX_EXEC);
    command.args(seatbelt::arguments(confinement)).arg(program);
    let limits = limits(&confinement.most);
    let in_the_child = move || {
        limits.iter().try_for_each(|(limited, most)| {
            // Nobody may raise what holds for them already.
            let most = Some(getrlimit(*limited).maximum.map_or(*most, |held| held.min(*most)));
            setrlimit(*limited, Rlimit { current: most, maximum: most }).map_err(io::Error::from)
        })
    };
    #[expect(unsafe_code, reason = "only the new process can do this to itself")]
    // SAFETY: there is one thread here, so that nothing is locked in the new process, and it
    // may allocate.
    unsafe {
        command.pre_exec(in_the_child)
    };
    command
}

/// Of each process, and of how many this user has. macOS takes none for memory.
fn limits(most: &Most) -> [(Limited, u64); 5] {
    [
        (Limited::Core, 0),
        (Limited::Cpu, most.cpu.as_secs() + 1),
        (Limited::Fsize, most.file_bytes),
        (Limited::Nofile, FILES),
        (Limited::Nproc, running() + most.tasks + SPARE_TASKS),
    ]
}

/// What the group takes too much of by now, if anything. Who has left it, and
/// what those wrote who have ended, is not seen.
pub(crate) fn too_much(most: &Most, group: Pid) -> Option<Resource> {
    let members = members(group);
    let taken: Vec<_> = members.iter().filter_map(|pid| taken(*pid)).collect();
    let memory: u64 = taken.iter().map(|one| one.ri_phys_footprint).sum();
    let written: u64 = taken.iter().map(|one| one.ri_diskio_byteswritten).sum();
    if members.len() as u64 > most.tasks {
        return Some(Resource::Tasks);
    }
    if memory > most.memory_bytes {
        return Some(Resource::Memory);
    }
    (written > most.written_bytes).then_some(Resource::Disk)
}

/// How many processes there are, whoever started them, and a few more.
fn running() -> u64 {
    #[expect(unsafe_code, reason = "the system's own call")]
    // SAFETY: without a place to write to it writes nothing.
    let count = unsafe { libc::proc_listallpids(std::ptr::null_mut(), 0) };
    u64::try_from(count).unwrap_or(0)
}

fn members(group: Pid) -> Vec<i32> {
    let mut pids = vec![0_i32; 4096];
    let bytes = i32::try_from(size_of_val(pids.as_slice())).unwrap_or(0);
    #[expect(unsafe_code, reason = "the system's own call")]
    // SAFETY: it writes no more than so many bytes, into numbers of this kind.
    let listed =
        unsafe { libc::proc_listpgrppids(group.as_raw_pid(), pids.as_mut_ptr().cast(), bytes) };
    if listed <= 0 {
        return Vec::new();
    }
    pids.retain(|pid| *pid > 0);
    pids
}

/// `None` for who has ended.
fn taken(pid: i32) -> Option<libc::rusage_info_v2> {
    let mut info = MaybeUninit::<libc::rusage_info_v2>::zeroed();
    #[expect(unsafe_code, reason = "the system's own call")]
    // SAFETY: it writes what this version is made of, and any bits are such numbers.
    let info = unsafe {
        let told = libc::proc_pid_rusage(pid, libc::RUSAGE_INFO_V2, info.as_mut_ptr().cast());
        (told == 0).then(|| info.assume_init())
    };
    info
}
