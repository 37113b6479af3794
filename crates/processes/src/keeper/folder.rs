//! Opening a folder that a program gets.
//!
//! Between the moment it was named and now somebody may have put a link on the way, and
//! would have the program get what that leads to. So no link is followed.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

/// To name it with, not to read it. `None` for what is not there by this very path.
pub(crate) fn opened(folder: &Path) -> Option<OwnedFd> {
    let how = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(CWD, folder, how, Mode::empty(), ResolveFlags::NO_SYMLINKS).ok()
}
