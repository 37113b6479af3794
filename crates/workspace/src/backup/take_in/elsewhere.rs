//! A backup that was found whole, laid open while something is taken out of it.

use crate::backup::parts::DATABASE;
use crate::backup::progress::Progress;
use crate::backup::unpack::{self, Unpacked};
use crate::shared::Shared;
use domain::{BackupWork, Fault, FaultCode};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use store::Store;
use uuid::Uuid;

pub(super) struct Elsewhere {
    /// Brought up to date, and only read. Closed before its folder goes.
    pub store: Store,
    pub made_ms: i64,
    /// Of the Coterie that made the backup.
    pub version: String,
    pub hash: String,
    folder: Folder,
}

/// Goes when it is dropped. Who is killed leaves it to the next start, which sweeps the
/// folder it lies in.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "what was taken apart goes with the next start");
        }
    }
}

impl Elsewhere {
    /// Blocks.
    pub(super) fn open(shared: &Shared, path: &str) -> Result<Elsewhere, Fault> {
        let of = unpack::length(path)?;
        let mut progress = Progress::of(&shared.events, BackupWork::TakingIn, of);
        let name = format!("take-in-{}", Uuid::now_v7());
        let folder = Folder(shared.places.temporary().join(name));
        fs::create_dir_all(&folder.0).map_err(|error| unplaced(&folder.0, &error))?;
        let read = unpack::read(path, &folder.0, &mut |bytes| progress.come_to(bytes));
        let Unpacked { head, hash, .. } = read?;
        fail::fail_point!("take_in.unpacked");
        let (store, _) = Store::open(&folder.0.join(DATABASE), |_| {})?;
        Ok(Elsewhere { store, made_ms: head.made_ms, version: head.version, hash, folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder.0
    }
}

pub(super) fn unplaced(at: &Path, error: &io::Error) -> Fault {
    let message = format!("take in {}: {error}", at.display());
    let fix = "free some space and see that this account may write in the data directory, then \
               take it in again; what has come already is not taken twice";
    Fault::new(FaultCode::Storage, message, fix)
}
