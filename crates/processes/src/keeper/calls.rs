//! The system calls that a confined program is refused: those for which there
//! is no wall, or that could take one down.
//!
//! Two filters. The one knows the calls of today and says of all others that
//! there are none, so that programs do without; the other forbids.

use std::collections::BTreeMap;

use libc::{ENOSYS, EPERM};
use seccompiler::SeccompCmpArgLen::{Dword, Qword};
use seccompiler::SeccompCmpOp::{Eq, MaskedEq, Ne};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use crate::confinement::{Marks, Network};

/// The last that was looked at: `mseal`, of Linux 6.10. What came later, and what
/// other ways of counting have above it, is not there.
const NEWEST: i64 = libc::SYS_mseal;

/// Programs have another way when these are not there.
const ABSENT: &[i64] = &[
    // Its flags cannot be looked at, and those of `clone` can.
    libc::SYS_clone3,
    // It does what other calls are refused.
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    // Files in memory that no process is seen to hold.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    // Its mode cannot be looked at, and that of `openat` can.
    libc::SYS_openat2,
    // Watching does not ask whether the file may be read.
    libc::SYS_fanotify_init,
    libc::SYS_inotify_init1,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
];

/// Who a file belongs to, what it may be used for and when it was changed, by its
/// path: no wall stands there. An open file has been let through one.
const MARKS: &[i64] = &[
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchownat,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_setxattr,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
];

const FORBIDDEN: &[i64] = &[
    // Another view of the files.
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_setns,
    libc::SYS_umount2,
    libc::SYS_unshare,
    // Keys that the session holds.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // Memory and messages of whoever else this user is.
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_msgctl,
    libc::SYS_msgget,
    libc::SYS_msgrcv,
    libc::SYS_msgsnd,
    libc::SYS_semctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmget,
    // Other processes: their priority, memory and files. The walls keep signals in.
    libc::SYS_kcmp,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    // The machine and its kernel.
    libc::SYS_acct,
    libc::SYS_adjtimex,
    libc::SYS_bpf,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    libc::SYS_kexec_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    libc::SYS_perf_event_open,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// What a process may ask for itself, for which the argument of this place is 0,
/// and not for others.
const OF_OTHERS: &[(i64, u8)] = &[
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_setpriority, 1),
];

/// Has a terminal take something as if it had been typed there.
const TERMINALS: &[u64] = &[libc::TIOCSTI, libc::TIOCLINUX];

/// Which argument is the mode that a file is to have.
const MODES: &[(i64, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// The same, where it counts only with a flag that makes a file, in the argument before.
const OPENS: &[(i64, u8)] = &[
    (libc::SYS_openat, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 2),
];
const MAKES: &[i32] = &[libc::O_CREAT, libc::O_TMPFILE];

/// Whoever runs such a file, on this machine or where it is copied to, is who owns it.
const AS_ITS_OWNER: &[u32] = &[libc::S_ISUID, libc::S_ISGID];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

pub(crate) fn filters(network: Network, marks: Marks) -> Result<Vec<BpfProgram>, BackendError> {
    let known = (0..=NEWEST).filter(|call| !ABSENT.contains(call));
    let known: Rules = known.map(|call| (call, Vec::new())).collect();
    let errno = |number: i32| SeccompAction::Errno(number.unsigned_abs());
    let machine: TargetArch = std::env::consts::ARCH.try_into()?;
    let absent = SeccompFilter::new(known, errno(ENOSYS), SeccompAction::Allow, machine)?;
    let forbidden = SeccompFilter::new(
        forbidden(network, marks)?,
        SeccompAction::Allow,
        errno(EPERM),
        machine,
    )?;
    Ok(vec![absent.try_into()?, forbidden.try_into()?])
}

fn forbidden(network: Network, marks: Marks) -> Result<Rules, BackendError> {
    let mut rules: Rules = FORBIDDEN.iter().map(|call| (*call, Vec::new())).collect();
    let namespaces = NAMESPACES.iter().map(|flag| {
        let flag = u64::from(flag.unsigned_abs());
        when(SeccompCondition::new(0, Qword, MaskedEq(flag), flag))
    });
    rules.insert(libc::SYS_clone, namespaces.collect::<Result<_, _>>()?);
    for (call, whose) in OF_OTHERS {
        rules.insert(*call, vec![when(SeccompCondition::new(*whose, Dword, Ne, 0))?]);
    }
    for (call, rule) in as_its_owner()? {
        rules.entry(call).or_default().push(rule);
    }
    if marks == Marks::None {
        // No rule at all forbids whatever the arguments are.
        rules.extend(MARKS.iter().map(|call| (*call, Vec::new())));
        // Without a path it is about an open file.
        let by_path = when(SeccompCondition::new(1, Qword, Ne, 0))?;
        rules.insert(libc::SYS_utimensat, vec![by_path]);
    }
    rules.insert(libc::SYS_socket, sockets(network)?);
    rules.insert(libc::SYS_socketpair, pairs()?);
    let typing =
        TERMINALS.iter().map(|request| when(SeccompCondition::new(1, Dword, Eq, *request)));
    rules.insert(libc::SYS_ioctl, typing.collect::<Result<_, _>>()?);
    Ok(rules)
}

/// Nothing becomes a program that runs as its owner.
fn as_its_owner() -> Result<Vec<(i64, SeccompRule)>, BackendError> {
    let mut rules = Vec::new();
    for bit in AS_ITS_OWNER.iter().map(|bit| u64::from(*bit)) {
        for (call, mode) in MODES {
            rules.push((*call, when(SeccompCondition::new(*mode, Dword, MaskedEq(bit), bit))?));
        }
        for (call, mode) in OPENS {
            for flag in MAKES.iter().map(|flag| u64::from(flag.unsigned_abs())) {
                let both = vec![
                    SeccompCondition::new(mode - 1, Dword, MaskedEq(flag), flag)?,
                    SeccompCondition::new(*mode, Dword, MaskedEq(bit), bit)?,
                ];
                rules.push((*call, SeccompRule::new(both)?));
            }
        }
    }
    Ok(rules)
}

/// Which sockets nobody gets. Those of this machine have paths, which no wall
/// covers before Linux 7.1, and whoever listens there trusts whoever comes.
fn sockets(network: Network) -> Result<Vec<SeccompRule>, BackendError> {
    if network == Network::None {
        return Ok(Vec::new());
    }
    let is_not =
        |family: i32| SeccompCondition::new(0, Dword, Ne, u64::from(family.unsigned_abs()));
    let elsewhere = SeccompRule::new(vec![is_not(libc::AF_INET)?, is_not(libc::AF_INET6)?])?;
    Ok(vec![elsewhere, of_type(libc::SOCK_RAW)?])
}

/// Two ends that know each other and can never reach anybody else, which those
/// of single messages can.
fn pairs() -> Result<Vec<SeccompRule>, BackendError> {
    let here = u64::from(libc::AF_UNIX.unsigned_abs());
    let elsewhere = when(SeccompCondition::new(0, Dword, Ne, here));
    let single = [libc::SOCK_DGRAM, libc::SOCK_RAW].map(of_type);
    [elsewhere].into_iter().chain(single).collect()
}

fn of_type(kind: i32) -> Result<SeccompRule, BackendError> {
    // What else is said with the type stands above these bits.
    when(SeccompCondition::new(1, Dword, MaskedEq(0xf), u64::from(kind.unsigned_abs())))
}

fn when(condition: Result<SeccompCondition, BackendError>) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(vec![condition?])
}
