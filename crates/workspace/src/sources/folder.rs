//! What is in a folder, and what has changed in it since.
//!
//! It reads names, sizes and times, never what is in a file. What is hidden and what
//! editors keep beside a file is left out, and links are not followed.

use domain::{Fault, FaultKind};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// More files and folders are not looked after.
const MOST: usize = 5_000;

/// What is in a folder, by the path from there.
pub(super) type Found = BTreeMap<String, Seen>;

/// A file as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub modified_ns: i64,
    pub bytes: u64,
    /// When it became so; this no program can set where the system says it.
    pub changed_ms: i64,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    New,
    Changed,
    Gone,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub path: String,
    pub how: How,
    /// When it became as it is; `None` for what is gone.
    pub changed_ms: Option<i64>,
}

/// The folder as the system calls it, if it can be looked after.
pub(super) fn real(given: &str, data: &Path) -> Result<String, Fault> {
    let path = PathBuf::from(given.trim());
    if !path.is_absolute() {
        return Err(Fault::bad_input(
            format!("{given:?} is no whole path"),
            "name the folder from the root of the disk on",
        ));
    }
    let found = fs::canonicalize(&path).map_err(|error| away(given, &error))?;
    let own = fs::canonicalize(data).unwrap_or_else(|_| data.to_owned());
    // Each write of ours would be something to tell.
    if found.starts_with(&own) || own.starts_with(&found) {
        return Err(Fault::bad_input(
            format!("Coterie itself writes in {}", found.display()),
            "choose a folder that does not hold the workspace and is not in it",
        )
        .of(FaultKind::SourceFolderOwn { path: found.display().to_string() }));
    }
    Ok(found.display().to_string())
}

/// Everything in it.
pub(super) fn look_into(folder: &str) -> Result<Found, Fault> {
    let root = Path::new(folder);
    let (mut found, mut count) = (Found::new(), 0);
    let mut open = vec![root.to_owned()];
    while let Some(next) = open.pop() {
        let entries = match fs::read_dir(&next) {
            Ok(entries) => entries,
            Err(error) if next == root => return Err(away(folder, &error)),
            // It went while we looked, or is somebody else's.
            Err(_) => continue,
        };
        for path in entries.flatten().map(|entry| entry.path()).filter(|path| !is_beside(path)) {
            count += 1;
            if count > MOST {
                return Err(large(folder));
            }
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            if metadata.is_dir() {
                open.push(path);
            } else if metadata.is_file() {
                let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                found.insert(name, seen(&metadata));
            }
        }
    }
    Ok(found)
}

/// Hidden, or kept beside a file while it is edited.
pub(crate) fn is_beside(path: &Path) -> bool {
    path.file_name().is_none_or(|name| {
        let name = name.to_string_lossy();
        name.starts_with('.') || name.ends_with('~')
    })
}

fn seen(metadata: &Metadata) -> Seen {
    let since = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let modified_ns = since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0);
    Seen { modified_ns, bytes: metadata.len(), changed_ms: changed_ms(metadata, modified_ns) }
}

#[cfg(unix)]
fn changed_ms(metadata: &Metadata, _modified_ns: i64) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime() * 1_000 + metadata.ctime_nsec() / 1_000_000
}

#[cfg(not(unix))]
fn changed_ms(_metadata: &Metadata, modified_ns: i64) -> i64 {
    modified_ns / 1_000_000
}

/// As it is kept.
pub(super) fn written(found: &Found) -> String {
    let plain: BTreeMap<&str, (i64, u64)> =
        found.iter().map(|(path, seen)| (path.as_str(), (seen.modified_ns, seen.bytes))).collect();
    serde_json::to_string(&plain).unwrap_or_default()
}

/// What is otherwise than it was kept; everything that is there, where nothing was.
pub(super) fn changes(before: &str, found: &Found) -> Vec<Change> {
    let before: BTreeMap<String, (i64, u64)> = serde_json::from_str(before).unwrap_or_default();
    let there = found.iter().filter_map(|(path, seen)| {
        let how = match before.get(path) {
            None => How::New,
            Some(was) if *was != (seen.modified_ns, seen.bytes) => How::Changed,
            Some(_) => return None,
        };
        Some(Change { path: path.clone(), how, changed_ms: Some(seen.changed_ms) })
    });
    let gone = before.keys().filter(|path| !found.contains_key(*path));
    let gone = gone.map(|path| Change { path: path.clone(), how: How::Gone, changed_ms: None });
    there.chain(gone).collect()
}

fn away(folder: &str, error: &io::Error) -> Fault {
    let detail = error.to_string();
    Fault::bad_input(
        format!("the folder {folder} cannot be looked into: {detail}"),
        "put it back, or have another folder watched",
    )
    .of(FaultKind::SourceFolderAway { path: folder.to_owned(), detail })
}

fn large(folder: &str) -> Fault {
    Fault::bad_input(
        format!("{folder} holds more than {MOST} files and folders"),
        "have a folder in it watched instead",
    )
    .of(FaultKind::SourceFolderLarge {
        path: folder.to_owned(),
        most: u32::try_from(MOST).unwrap_or(u32::MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, i64, u64)]) -> Found {
        let seen = |modified_ns, bytes| Seen { modified_ns, bytes, changed_ms: modified_ns };
        files.iter().map(|(path, at, bytes)| ((*path).to_owned(), seen(*at, *bytes))).collect()
    }

    #[test]
    fn what_came_changed_and_went_is_told_apart() {
        let before = written(&found(&[("a", 1, 1), ("b", 1, 1), ("c", 1, 1), ("d", 1, 1)]));
        let now = found(&[("a", 1, 1), ("b", 2, 1), ("c", 1, 7), ("e", 5, 1)]);
        let changes = changes(&before, &now);
        let told: Vec<_> = changes.iter().map(|one| (one.path.as_str(), one.how)).collect();
        let expected =
            [("b", How::Changed), ("c", How::Changed), ("e", How::New), ("d", How::Gone)];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_hidden_or_beside_a_file_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for file in ["a.md", ".a.md.swp", "a.md~", "in/b.md", ".git/config"] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let found = look_into(root.to_str().unwrap()).unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a.md", "in/b.md"]);
    }

    #[test]
    fn a_folder_that_is_not_there_says_so_and_one_of_ours_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        fs::create_dir_all(data.join("souls")).unwrap();
        let gone = folder.path().join("gone");
        let fault = real(gone.to_str().unwrap(), &data).unwrap_err();
        assert!(matches!(fault.kind.as_deref(), Some(FaultKind::SourceFolderAway { .. })));
        for own in [data.join("souls"), data.clone(), folder.path().to_owned()] {
            let fault = real(own.to_str().unwrap(), &data).unwrap_err();
            assert!(matches!(fault.kind.as_deref(), Some(FaultKind::SourceFolderOwn { .. })));
        }
        assert!(real("notes", &data).is_err());
    }
}
