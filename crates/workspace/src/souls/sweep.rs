//! Looks now and then whether a soul's file is another one, by what the folder
//! says about it.
//!
//! The system tells of what is done in the souls folder. Of a file that is
//! written to through a link in another folder, or by another machine that has
//! this disk too, it tells nothing. Nothing is read for this: a sweep asks for
//! the size and the times of each file, a few microseconds a soul.

use super::watched::Watched;
use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tokio::time::sleep;

/// How often.
pub(super) const EVERY: Duration = Duration::from_secs(2);

/// Calls when the files are others than at the last call, and the same as at the
/// sweep before: whoever writes in pieces is waited for.
pub(super) async fn sweep(folder: &Path, watched: Watched, mut call: impl FnMut()) -> Infallible {
    let mut told = None;
    let mut before = None;
    loop {
        sleep(EVERY).await;
        let seen = seen(folder.to_owned(), watched).await;
        if seen != told && seen == before {
            call();
            told.clone_from(&seen);
        }
        before = seen;
    }
}

/// What the folder says about the files in it that count; `None` where it says nothing.
async fn seen(folder: PathBuf, watched: Watched) -> Option<Vec<Seen>> {
    tokio::task::spawn_blocking(move || {
        let files = watched.files(&folder)?.into_iter();
        let mut files: Vec<Seen> = files
            .map(|file| {
                let metadata = fs::symlink_metadata(&file).ok();
                Seen::of(file.into_os_string(), metadata)
            })
            .collect();
        files.sort();
        Some(files)
    })
    .await
    .ok()?
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    file: OsString,
    bytes: u64,
    modified: Option<SystemTime>,
    /// Seconds and nanoseconds; this one no program can set.
    changed: (i64, i64),
}

impl Seen {
    fn of(file: OsString, metadata: Option<Metadata>) -> Seen {
        Seen {
            file,
            bytes: metadata.as_ref().map_or(0, Metadata::len),
            modified: metadata.as_ref().and_then(|metadata| metadata.modified().ok()),
            changed: metadata.as_ref().map_or((0, 0), changed),
        }
    }
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> (i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed(_metadata: &Metadata) -> (i64, i64) {
    (0, 0)
}
