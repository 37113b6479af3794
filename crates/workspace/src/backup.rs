//! The whole workspace in one file, and back out of it.
//!
//! A backup is a tar of the database as it was at one moment and of the person's files,
//! with a list of their hashes and, behind all of it, the hash of the file itself. Keys
//! are in none, and what is made again by itself is not either. It is written while
//! everybody goes on (`pack`).
//!
//! Restoring looks through all of it first (`unpack`), beside the workspace. Only at the
//! next opening, before anybody reads, it takes the place of what is there, which is moved
//! aside and stays (`restore`). What it holds can also come in beside what is there
//! (`take_in`).

mod pack;
mod parts;
mod progress;
mod restore;
mod take_in;
mod unpack;

#[cfg(test)]
mod tests;

pub(crate) use restore::{
    forget, let_rest, look_through, put_in_place, restore_looked_through, stage,
};
pub use restore::{forget_restore_unopened, restore_unopened};
pub(crate) use take_in::{Wanted as WantedBackup, take_in};

use crate::derived::blocking;
use crate::new_file::{self, Trouble};
use crate::shared::Shared;
use domain::{Backup, BackupWork, Fault, FaultCode, FaultKind};
use parts::Head;
use progress::Progress;
use std::fs;
use std::sync::Arc;

/// Writes it to a file that is not there yet, which appears whole or not at all.
pub(crate) async fn back_up(shared: &Arc<Shared>, path: String) -> Result<Backup, Fault> {
    blocking(shared, move |shared| {
        // Whether it can be written at all is said before the database is copied.
        new_file::write(&path, |file| {
            let snapshot = Snapshot::take(shared)?;
            let (found, left_out) = parts::find(&shared.places.data, &snapshot.path)?;
            let of = found.iter().map(|one| one.bytes).sum();
            let mut progress = Progress::of(&shared.events, BackupWork::BackingUp, of);
            let made_ms = shared.now_ms();
            let schema = snapshot.schema;
            let head = Head { format: parts::FORMAT, version: version(), schema, made_ms };
            let packed = pack::write(file, &head, found, &mut |bytes| progress.come_to(bytes))?;
            fail::fail_point!("backup.written");
            Ok::<_, Trouble>(Backup {
                path: path.clone(),
                made_ms,
                files: packed.files,
                bytes: packed.bytes,
                left_out: left_out + packed.gone,
            })
        })
    })
    .await
}

/// The database as it was at one moment, looked through; goes when it is dropped.
struct Snapshot {
    path: std::path::PathBuf,
    schema: usize,
}

impl Snapshot {
    fn take(shared: &Shared) -> Result<Snapshot, Trouble> {
        // Who is killed leaves it to the next start, which sweeps this folder.
        let name = format!("backup-{}.db", uuid::Uuid::now_v7());
        let path = shared.places.temporary().join(name);
        let mut snapshot = Snapshot { path, schema: 0 };
        shared.store.back_up(&snapshot.path)?;
        snapshot.schema = store::check_copy(&snapshot.path)?;
        Ok(snapshot)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

fn unknown(path: &str) -> Fault {
    let message = format!("{path} is no backup of a workspace");
    Fault::bad_input(
        message,
        "choose a file that coterie backup, or Back up in Settings, has written",
    )
    .of(FaultKind::BackupUnknown { path: path.to_owned() })
}

fn damaged(path: &str, detail: impl Into<String>) -> Fault {
    let detail = detail.into();
    let message = format!("the backup {path} is damaged: {detail}");
    Fault::new(FaultCode::Storage, message, "choose another backup; nothing was changed here")
        .of(FaultKind::BackupDamaged { path: path.to_owned(), detail })
}

fn replaced(path: &str) -> Fault {
    let message = format!("{path} is not the backup any more that was looked through");
    Fault::new(FaultCode::Refused, message, "look it through again; nothing was changed here")
        .of(FaultKind::BackupReplaced { path: path.to_owned() })
}

fn newer(path: &str, version: &str) -> Fault {
    let message = format!("the backup {path} was made by a newer Coterie, {version}");
    Fault::new(FaultCode::Refused, message, "install that version, or a newer one, first")
        .of(FaultKind::BackupNewer { path: path.to_owned(), version: version.to_owned() })
}
