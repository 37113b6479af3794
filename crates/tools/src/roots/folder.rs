//! Opening one of an agent's folders itself.
//!
//! Its path was without links when the turn began. Whoever may write further up could
//! have put one there since, so none is followed.

use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::io;
use std::path::{Component, Path, PathBuf};

pub(crate) fn opened(root: &Path) -> io::Result<Dir> {
    #[cfg(target_os = "linux")]
    if let Some(opened) = at_once(root) {
        return opened;
    }
    step_by_step(root)
}

/// `None` where the kernel, or what we run in, does not know how.
#[cfg(target_os = "linux")]
fn at_once(root: &Path) -> Option<io::Result<Dir>> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat2(CWD, root, how, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(folder) => Some(Ok(Dir::from_std_file(folder.into()))),
        Err(Errno::NOSYS | Errno::PERM) => None,
        // In the way in which a path that leads out is told.
        Err(Errno::LOOP) => Some(Err(io::Error::from(io::ErrorKind::PermissionDenied))),
        Err(error) => Some(Err(error.into())),
    }
}

/// Has to be allowed to read each folder on the way.
fn step_by_step(root: &Path) -> io::Result<Dir> {
    let is_begin = |part: &Component| matches!(part, Component::Prefix(_) | Component::RootDir);
    let begin: PathBuf = root.components().take_while(is_begin).collect();
    let rest = root.components().skip_while(is_begin);
    let dir = Dir::open_ambient_dir(begin, ambient_authority())?;
    rest.map(|part| Path::new(part.as_os_str()))
        .try_fold(dir, |dir, next| dir.open_dir_nofollow(next))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::house::House;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_on_the_way_to_a_folder_is_not_followed() {
        let house = House::new();
        symlink(house.path("outside"), house.path("link")).expect("a link");
        house.write("outside/deeper/file.txt", "");
        for open in [opened, step_by_step] {
            assert!(open(&house.path("home/notes")).is_ok());
            assert!(open(&house.path("outside/deeper")).is_ok());
            for path in ["link", "link/deeper", "home/readme.txt", "home/not there"] {
                assert!(open(&house.path(path)).is_err(), "{path}");
            }
        }
    }
}
