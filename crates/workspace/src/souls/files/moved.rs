//! Files of souls that get another name, or are put away and brought back.
//!
//! Nothing is written over: what is put away stays in the folder `deleted`, where no look
//! goes.

use super::{Folder, sync_folder};
use crate::souls::fault::SoulsError;
use crate::souls::name::{self, ENDING};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

/// Beside the files of the souls that there are.
const DELETED: &str = "deleted";

impl Folder {
    /// Has a file stand under another soul's name too, until it is removed under its own.
    pub(crate) fn stand_as(&self, file: &str, to: &str) -> Result<(), SoulsError> {
        if let Some(why) = name::wrong_with(to) {
            return Err(SoulsError::BadName { stem: to.to_owned(), why });
        }
        let _alone = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, new) = (self.path.join(file), self.usual(to));
        let linked = match fs::hard_link(&from, &new) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // Some file systems have no hard links.
            Err(_) => copy_to_new(&from, &new),
            Ok(()) => Ok(()),
        };
        linked
            .and_then(|()| sync_folder(&self.path))
            .map_err(|source| SoulsError::Storage { doing: format!("rename soul to {to}"), source })
    }

    /// Takes back what was only meant to stand under this name, or the name that it had.
    pub(crate) fn remove(&self, file: &str) -> Result<(), SoulsError> {
        let _alone = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        fs::remove_file(self.path.join(file))
            .and_then(|()| sync_folder(&self.path))
            .map_err(|source| SoulsError::Storage { doing: format!("remove {file}"), source })
    }

    /// What was put away before under the same name stays beside it.
    pub(crate) fn put_away(&self, file: &str) -> Result<(), SoulsError> {
        let _alone = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let away = self.path.join(DELETED);
        let put = || {
            fs::create_dir_all(&away)?;
            let at = away.join(file);
            if at.exists() {
                fs::rename(&at, older(&away, file))?;
            }
            match fs::rename(self.path.join(file), &at) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            sync_folder(&away)?;
            sync_folder(&self.path)
        };
        put().map_err(|source| SoulsError::Storage { doing: format!("put {file} away"), source })
    }

    /// Puts back what was put away last under this name, where no other file has it, and gives
    /// its text; `None` where nothing was.
    pub(crate) fn bring_back(&self, file: &str) -> Result<Option<String>, SoulsError> {
        let _alone = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let (from, to) = (self.path.join(DELETED).join(file), self.path.join(file));
        let back = || {
            if fs::symlink_metadata(&to).is_ok() {
                return Err(ErrorKind::AlreadyExists.into());
            }
            fs::rename(&from, &to)?;
            sync_folder(&self.path)
        };
        match back() {
            Ok(()) => Ok(Some(self.text(file).unwrap_or_default())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(SoulsError::Storage { doing: format!("bring {file} back"), source }),
        }
    }

    fn usual(&self, stem: &str) -> PathBuf {
        self.path.join(format!("{stem}{ENDING}"))
    }
}

fn copy_to_new(from: &Path, new: &Path) -> io::Result<()> {
    let mut to = fs::OpenOptions::new().write(true).create_new(true).open(new)?;
    io::copy(&mut fs::File::open(from)?, &mut to)?;
    to.sync_all()
}

/// A name beside it that is free.
fn older(away: &Path, file: &str) -> PathBuf {
    let stem = file.strip_suffix(ENDING).unwrap_or(file);
    let mut names = (1..).map(|n| away.join(format!("{stem}-{n}{ENDING}")));
    names.find(|at| !at.exists()).unwrap_or_else(|| away.join(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn what_is_put_away_twice_is_there_twice_and_comes_back_as_it_was_last() {
        let place = TempDir::new().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        for text in ["one", "two"] {
            folder.save("ada", text, None).unwrap();
            folder.put_away("ada.md").unwrap();
        }
        assert_eq!(folder.read().unwrap().files, []);
        let kept = |name: &str| fs::read_to_string(place.path().join(DELETED).join(name)).unwrap();
        assert_eq!((kept("ada.md").as_str(), kept("ada-1.md").as_str()), ("two", "one"));
        assert_eq!(folder.bring_back("ada.md").unwrap().as_deref(), Some("two"));
        assert_eq!(folder.text("ada.md").as_deref(), Some("two"));
        assert_eq!(folder.bring_back("bo.md").unwrap(), None);
        folder.put_away("ada.md").unwrap();
        folder.save("ada", "three", None).unwrap();
        assert!(folder.bring_back("ada.md").is_err(), "nothing is written over");
    }

    #[test]
    fn a_file_stands_under_another_name_that_is_free_and_fit() {
        let place = TempDir::new().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        folder.save("ada", "one", None).unwrap();
        folder.save("bo", "two", None).unwrap();
        assert!(folder.stand_as("ada.md", "bo").is_err());
        assert!(matches!(folder.stand_as("ada.md", "a b"), Err(SoulsError::BadName { .. })));
        folder.stand_as("ada.md", "mia").unwrap();
        folder.remove("ada.md").unwrap();
        assert_eq!(folder.text("mia.md").as_deref(), Some("one"));
        assert_eq!(folder.text("ada.md"), None);
    }
}
