//! Another view of the files for a confined program: all that it may not change
//! is mounted read-only.
//!
//! Landlock asks nobody who changes the mode, the owner or the times of a file,
//! and a mount does. In this view the calls that change them can be let through,
//! and reach what lies in the program's own folders and nothing else.

use std::env;
use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr;

use rustix::process::{WaitOptions, waitpid};

use crate::confinement::Confinement;
use crate::folder;
use crate::world::{fork, unshare};

/// One that can be put on here.
pub(crate) struct View {
    /// What stays as it is.
    open: Vec<PathBuf>,
    temporary: PathBuf,
}

/// Where programs make what several of them share, such as the locks of Python's
/// multiprocessing. It is everybody's, so a program has a folder of its own in its place.
const SHARED: &str = "/dev/shm";

impl View {
    /// `None` where the machine lets nobody have one: whoever is not root needs a
    /// world of users of their own for it.
    pub(crate) fn of(confinement: &Confinement) -> Option<Self> {
        // We have made it ourselves, wherever a link led.
        let temporary = confinement.temporary.canonicalize().ok()?;
        let open = confinement.writes.iter().cloned().chain([temporary.clone()]);
        let open: Vec<_> = open.collect();
        // Nothing can be put in the place of what everything stands on.
        if open.iter().any(|folder| folder.parent().is_none()) {
            return None;
        }
        let view = View { open, temporary };
        view.could_be_put_on().then_some(view)
    }

    /// Tried by somebody else first: whoever stops halfway has no folder to write in.
    fn could_be_put_on(&self) -> bool {
        match fork() {
            Ok(Some(other)) => {
                let ended = waitpid(Some(other), WaitOptions::empty());
                matches!(ended, Ok(Some((_, status))) if status.exit_status() == Some(0))
            }
            Ok(None) => std::process::exit(i32::from(self.put_on().is_err())),
            Err(_) => false,
        }
    }

    /// For the new process, and before its walls stand.
    pub(crate) fn put_on(&self) -> io::Result<()> {
        unshare(libc::CLONE_NEWNS)?;
        keep_to_itself()?;
        // Taken as they are before all is read-only, and put back in their places after it.
        let folders = self.open.iter().filter_map(|folder| Folder::take(folder, folder));
        let shared = Folder::take(&self.temporary, Path::new(SHARED));
        let folders = folders.chain(shared).collect::<io::Result<Vec<_>>>()?;
        make_read_only()?;
        folders.iter().try_for_each(Folder::put_back)?;
        // Where we stand is still what lies below.
        env::set_current_dir(env::current_dir()?)
    }
}

struct Folder {
    place: OwnedFd,
    as_it_was: OwnedFd,
}

const ROOT: &CStr = c"/";
const HERE: &CStr = c"";

impl Folder {
    /// To be put where `place` is. `None` for one that is not there, or that a link leads to
    /// by now.
    fn take(folder: &Path, place: &Path) -> Option<io::Result<Self>> {
        let (folder, place) = (folder::opened(folder)?, folder::opened(place)?);
        let how = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC;
        let how = how | libc::AT_EMPTY_PATH.unsigned_abs() | libc::AT_RECURSIVE.unsigned_abs();
        #[expect(unsafe_code, reason = "the standard library mounts nothing")]
        // SAFETY: the text is static, and the file is open.
        let taken =
            unsafe { libc::syscall(libc::SYS_open_tree, folder.as_raw_fd(), HERE.as_ptr(), how) };
        let Ok(number @ 0..) = i32::try_from(taken) else {
            return Some(Err(io::Error::last_os_error()));
        };
        #[expect(unsafe_code, reason = "a file that is new has nothing but its number")]
        // SAFETY: the kernel has just opened it for us.
        let as_it_was = unsafe { OwnedFd::from_raw_fd(number) };
        Some(Ok(Folder { place, as_it_was }))
    }

    fn put_back(&self) -> io::Result<()> {
        let how = libc::MOVE_MOUNT_F_EMPTY_PATH | libc::MOVE_MOUNT_T_EMPTY_PATH;
        let (from, to) = (self.as_it_was.as_raw_fd(), self.place.as_raw_fd());
        #[expect(unsafe_code, reason = "the standard library mounts nothing")]
        // SAFETY: the texts are static, and both files are open.
        let done = unsafe {
            libc::syscall(libc::SYS_move_mount, from, HERE.as_ptr(), to, HERE.as_ptr(), how)
        };
        went_well(done)
    }
}

/// What is mounted here nobody else sees, and the other way round.
fn keep_to_itself() -> io::Result<()> {
    let how = libc::MS_REC | libc::MS_PRIVATE;
    #[expect(unsafe_code, reason = "the standard library mounts nothing")]
    // SAFETY: the text is static, and the others may be left out.
    let done = unsafe { libc::mount(ptr::null(), ROOT.as_ptr(), ptr::null(), how, ptr::null()) };
    went_well(done.into())
}

/// All of it or nothing.
fn make_read_only() -> io::Result<()> {
    let how = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    #[expect(unsafe_code, reason = "the standard library mounts nothing")]
    // SAFETY: the text is static, and the kernel is told how long the other is.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            ROOT.as_ptr(),
            libc::AT_RECURSIVE,
            ptr::from_ref(&how),
            size_of::<libc::mount_attr>(),
        )
    };
    went_well(done)
}

fn went_well(done: i64) -> io::Result<()> {
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
