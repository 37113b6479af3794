//! Where something that an agent writes lands.
//!
//! The way there is looked up once and then walked step by step without
//! following any link, so that what was checked and asked about is what is
//! written, whatever is swapped meanwhile.

use super::{as_given, clipped, inside, leads_out, opened, outside, spelled};
use crate::Place;
use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// A file that is there or could be, in a folder of the agent's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Landing {
    root: PathBuf,
    /// Folders from the root on, without links.
    folders: Vec<OsString>,
    name: OsString,
}

/// How much of a landing is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum There {
    Nothing,
    Folder,
    All,
}

impl Landing {
    /// A relative path begins in the first of the agent's folders; an absolute
    /// one has to lie in one of them. What is there under the same name in another
    /// spelling is what is meant. Refuses in words that a model can act on.
    pub(crate) fn look(place: &Place, path: &str) -> Result<Landing, String> {
        let mut landing = Landing::as_written(place, path)?;
        for other in spelled::others(path) {
            match Landing::as_written(place, &other) {
                Ok(other) if other.there() > landing.there() => landing = other,
                Ok(_) | Err(_) => {}
            }
        }
        if place.keeps_from_change(&landing.whole()) {
            return Err(format!(
                "`{}` belongs to Coterie itself, and no agent may change it",
                clipped(path)
            ));
        }
        Ok(landing)
    }

    fn as_written(place: &Place, path: &str) -> Result<Landing, String> {
        let (root, inside) = begin(place, Path::new(path)).ok_or_else(|| outside(path))?;
        look_in(root, &inside).map_err(|trouble| refusal(path, &trouble))
    }

    fn there(&self) -> There {
        match self.folder() {
            Err(_) => There::Nothing,
            Ok(folder) if folder.symlink_metadata(&self.name).is_ok() => There::All,
            Ok(_) => There::Folder,
        }
    }

    /// Its whole path, with every link on the way resolved.
    pub(crate) fn whole(&self) -> PathBuf {
        let folders = self.folders.iter().map(PathBuf::from);
        folders.fold(self.root.clone(), |path, next| path.join(next)).join(&self.name)
    }

    /// The path in the words of whoever gave it.
    pub(crate) fn as_given(&self, path: &str) -> String {
        as_given(&self.root, path)
    }

    pub(crate) fn name(&self) -> &OsStr {
        &self.name
    }

    /// The folder that it lies in, if that is there.
    pub(crate) fn folder(&self) -> io::Result<Dir> {
        self.walk(|dir, next| dir.open_dir_nofollow(next))
    }

    /// The folder that it lies in, made where it is missing.
    pub(crate) fn folder_made(&self) -> io::Result<Dir> {
        self.walk(|dir, next| match dir.open_dir_nofollow(next) {
            Err(missing) if missing.kind() == ErrorKind::NotFound => {
                match dir.create_dir(next) {
                    // Somebody else was faster.
                    Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                    Ok(()) | Err(_) => {}
                }
                dir.open_dir_nofollow(next)
            }
            opened => opened,
        })
    }

    fn walk(&self, step: impl Fn(&Dir, &Path) -> io::Result<Dir>) -> io::Result<Dir> {
        let mut dir = opened(&self.root)?;
        for next in &self.folders {
            dir = step(&dir, Path::new(next))?;
        }
        Ok(dir)
    }
}

/// The folder that a path begins in, the innermost for an absolute one, and the
/// rest of the path.
fn begin<'a>(place: &'a Place, path: &Path) -> Option<(&'a Path, PathBuf)> {
    if !path.is_absolute() {
        return place.roots.first().map(|root| (root.as_path(), path.to_owned()));
    }
    let within = |root: &'a PathBuf| Some((root.as_path(), inside(root, path)?.to_owned()));
    place.roots.iter().filter_map(within).min_by_key(|(_, inside)| inside.components().count())
}

fn look_in(root: &Path, inside: &Path) -> io::Result<Landing> {
    let dir = opened(root)?;
    let name = match inside.components().next_back() {
        Some(Component::Normal(name)) => name.to_owned(),
        _ => return Err(io::Error::from(ErrorKind::IsADirectory)),
    };
    let parent = inside.parent().unwrap_or(Path::new(""));
    let (mut folders, missing) = as_far_as_it_is_there(&dir, parent)?;
    folders.extend(missing);
    Ok(Landing { root: root.to_owned(), folders, name })
}

/// The folders of a path without links, and those that are not there yet.
fn as_far_as_it_is_there(dir: &Dir, path: &Path) -> io::Result<(Vec<OsString>, Vec<OsString>)> {
    let parts: Vec<Component> = path.components().collect();
    for there in (0..=parts.len()).rev() {
        let known: PathBuf = parts[..there].iter().collect();
        let real = match known.as_os_str().is_empty() {
            true => Ok(PathBuf::new()),
            false => dir.canonicalize(&known),
        };
        match real {
            Ok(real) => {
                let missing = parts[there..].iter().map(|part| match part {
                    Component::Normal(name) => Ok((*name).to_owned()),
                    // What is not there has nothing above it either.
                    _ => Err(io::Error::from(ErrorKind::NotFound)),
                });
                return Ok((names(&real)?, missing.collect::<io::Result<_>>()?));
            }
            Err(missing) if missing.kind() == ErrorKind::NotFound && there > 0 => {
                // A link that leads nowhere is there, and nothing is made through it.
                if dir.symlink_metadata(&known).is_ok_and(|found| found.is_symlink()) {
                    return Err(missing);
                }
            }
            Err(trouble) => return Err(trouble),
        }
    }
    Ok((Vec::new(), Vec::new()))
}

fn names(path: &Path) -> io::Result<Vec<OsString>> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let name = |part: Component| match part {
        Component::Normal(name) => Ok(name.to_owned()),
        // What cap-std says of a path that leads out carries no number either.
        _ => Err(io::Error::from(ErrorKind::PermissionDenied)),
    };
    parts.map(name).collect()
}

pub(crate) fn refusal(path: &str, trouble: &io::Error) -> String {
    let shown = clipped(path);
    match trouble.kind() {
        _ if leads_out(trouble) => outside(path),
        ErrorKind::IsADirectory => format!("`{shown}` names a folder, not a file"),
        ErrorKind::NotADirectory => {
            format!("`{shown}` goes through something that is no folder")
        }
        ErrorKind::NotFound => format!("there is no folder to put `{shown}` into"),
        _ => format!("`{shown}` cannot be reached: {trouble}"),
    }
}
