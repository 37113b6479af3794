//! Has a backup take the place of the workspace.
//!
//! First it is taken apart into `restore/`, which is there only when all of it was found
//! whole; what is only looked through lies in `restore.looked/` until somebody says that it
//! is to be restored. At the next opening what is there is moved into a folder of `replaced/` and what
//! was restored takes its place, a part at a time: each move is one rename, and whoever is
//! killed between two is gone on from there. Then everybody rests, since what was done
//! after the backup is not known here, until the person has them go on.

use super::parts::{DATABASE, PARTS};
use super::progress::Progress;
use super::unpack::{self, Unpacked};
use crate::clock::Clock;
use crate::derived::blocking;
use crate::shared::Shared;
use crate::{Places, SystemClock, lifecycle};
use domain::{Author, BackupWork, Fault, FaultCode, Restore, Restored, Settings};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::table::{agents, messages, settings};
use store::{Durability, Write};

/// What is still to be done, in the folder of what is to be restored.
const PLAN: &str = "plan.json";
/// The same, once everything is in its place.
const PLACED: &str = "placed.json";
/// Belong to the database beside them, and to no other.
const BESIDE_DATABASE: [&str; 3] = ["coterie.db-wal", "coterie.db-shm", "coterie.db-journal"];

#[derive(Debug, Serialize, Deserialize)]
struct Plan {
    /// The folder in the data directory that what is there is moved to.
    replaced: PathBuf,
    /// That the backup has; the others are moved away and nothing comes in their place.
    parts: Vec<String>,
    /// When the backup was made.
    #[serde(default)]
    made_ms: Option<i64>,
}

/// Looks through the backup and lays it ready for the next opening.
pub(crate) async fn stage(shared: &Arc<Shared>, path: String) -> Result<Restore, Fault> {
    let restore = look_through(shared, path).await?;
    restore_looked_through(shared).await?;
    Ok(restore)
}

/// Looks through the backup. Nothing comes of that by itself.
pub(crate) async fn look_through(shared: &Arc<Shared>, path: String) -> Result<Restore, Fault> {
    blocking(shared, move |shared| {
        let of = unpack::length(&path)?;
        let mut progress = Progress::of(&shared.events, BackupWork::Restoring, of);
        look(&shared.places, &path, shared.now_ms(), &mut |bytes| progress.come_to(bytes))
    })
    .await
}

/// Has what was looked through last take the workspace's place at the next opening.
pub(crate) async fn restore_looked_through(shared: &Arc<Shared>) -> Result<(), Fault> {
    blocking(shared, |shared| lay_ready(&shared.places)).await
}

/// The same where nobody has the workspace open, and perhaps nobody can. The caller holds
/// its lock. Blocks.
pub fn restore_unopened(places: &Places, path: &str) -> Result<Restore, Fault> {
    let restore = look(places, path, SystemClock.now_ms(), &mut |_| {})?;
    lay_ready(places)?;
    Ok(restore)
}

/// What waits to be restored, or was only looked through, is not.
pub(crate) async fn forget(shared: &Arc<Shared>) -> Result<(), Fault> {
    blocking(shared, |shared| {
        let ready = shared.places.restore();
        let forgotten = discard(&ready).and_then(|()| remove(&looked(&ready)));
        forgotten.map_err(|error| unmoved(&ready, &error))
    })
    .await
}

/// The same where nobody has the workspace open. The caller holds its lock. Fails where
/// part of it is in its place already, since the rest belongs to it. Blocks.
pub fn forget_restore_unopened(places: &Places) -> Result<(), Fault> {
    let ready = places.restore();
    let forgotten = match has_begun(&places.data, &ready) {
        Ok(true) => return Err(begun()),
        Ok(false) => discard(&ready),
        Err(error) => Err(error),
    };
    forgotten.map_err(|error| unmoved(&ready, &error))
}

/// Whether something of what waits may be in its place.
fn has_begun(data: &Path, ready: &Path) -> io::Result<bool> {
    let text = match fs::read(ready.join(PLAN)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(ready.join(PLACED).exists());
        }
        Err(error) => return Err(error),
    };
    let plan: Plan = serde_json::from_slice(&text)?;
    let is_moved = |part: &String| !ready.join(part).exists();
    Ok(data.join(&plan.replaced).exists() || plan.parts.iter().any(is_moved))
}

fn begun() -> Fault {
    Fault::new(
        FaultCode::Refused,
        "the backup is being put in place already",
        "open the workspace, which finishes it; what was here before is in its folder replaced/",
    )
}

fn look(
    places: &Places,
    path: &str,
    now_ms: i64,
    come: &mut dyn FnMut(u64),
) -> Result<Restore, Fault> {
    let (ready, unfinished) = (places.restore(), unfinished(&places.restore()));
    let fails = |error: io::Error| unmoved(&ready, &error);
    remove(&unfinished).map_err(fails)?;
    fs::create_dir_all(&unfinished).map_err(fails)?;
    let unpacked = unpack::read(path, &unfinished, come);
    let laid = unpacked.and_then(|Unpacked { head, files, bytes, .. }| {
        let replaced = free_in(&places.replaced(), now_ms);
        let name = replaced.strip_prefix(&places.data).unwrap_or(&replaced).to_owned();
        let parts = PARTS.iter().filter(|part| unfinished.join(part).exists());
        let parts = parts.map(|part| (*part).to_owned()).collect();
        let plan = Plan { replaced: name, parts, made_ms: Some(head.made_ms) };
        write_plan(&unfinished, &plan).map_err(fails)?;
        fail::fail_point!("restore.unpacked");
        remove(&looked(&ready)).map_err(fails)?;
        fs::rename(&unfinished, looked(&ready)).map_err(fails)?;
        let is_taken = is_taken(&places.data);
        Ok(Restore {
            path: path.to_owned(),
            made_ms: head.made_ms,
            version: head.version,
            files,
            bytes,
            replaced: is_taken.then(|| replaced.display().to_string()),
            in_place: false,
        })
    });
    if laid.is_err() {
        let _ = remove(&unfinished);
    }
    laid
}

/// What was looked through waits for the next opening from now on.
fn lay_ready(places: &Places) -> Result<(), Fault> {
    let ready = places.restore();
    let looked = looked(&ready);
    if !looked.exists() {
        return Err(Fault::not_found(
            "no backup was looked through",
            "look through the backup first; it may be that the workspace was opened anew meanwhile",
        ));
    }
    let fails = |error: io::Error| unmoved(&ready, &error);
    discard(&ready).map_err(fails)?;
    fs::rename(&looked, &ready).map_err(fails)?;
    sync(&places.data).map_err(fails)?;
    fail::fail_point!("restore.ready");
    Ok(())
}

/// Puts what waits in the place of what is there, before the database is opened; the
/// caller holds the lock.
pub(crate) fn put_in_place(places: &Places) -> Result<(), Fault> {
    let ready = places.restore();
    let fails = |error: io::Error| unmoved(&ready, &error);
    // What somebody left who was killed, and what nobody has said is to be restored.
    for left in [unfinished(&ready), looked(&ready), gone(&ready)] {
        remove(&left).map_err(fails)?;
    }
    let text = match fs::read(ready.join(PLAN)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(fails(error)),
    };
    let plan: Plan = serde_json::from_slice(&text).map_err(|error| fails(error.into()))?;
    exchange(&places.data, &ready, &plan).map_err(fails)?;
    // They were made of another database.
    remove(&places.data.join("index")).map_err(fails)?;
    fs::rename(ready.join(PLAN), ready.join(PLACED)).map_err(fails)?;
    sync(&ready).map_err(fails)?;
    fail::fail_point!("restore.placed");
    tracing::info!(replaced = %plan.replaced.display(), "a backup has taken the workspace's place");
    Ok(())
}

fn exchange(data: &Path, ready: &Path, plan: &Plan) -> io::Result<()> {
    let replaced = data.join(&plan.replaced);
    if is_taken(data) {
        fs::create_dir_all(&replaced)?;
    }
    if ready.join(DATABASE).exists() {
        for file in BESIDE_DATABASE {
            rename_if_there(&data.join(file), &replaced.join(file))?;
        }
    }
    for part in PARTS {
        let (here, new) = (data.join(part), ready.join(part));
        let is_restored = plan.parts.iter().any(|name| name == part);
        // One that does not wait any more is in its place.
        if is_restored && !new.exists() {
            continue;
        }
        rename_if_there(&here, &replaced.join(part))?;
        fail::fail_point!("restore.moved");
        if is_restored {
            fs::rename(&new, &here)?;
        }
    }
    if replaced.exists() {
        sync(&replaced)?;
    }
    sync(data)
}

/// After a backup has taken the workspace's place, everybody rests: what they did after it
/// was made they would do again. That and what was restored is told until they go on.
pub(crate) async fn let_rest(shared: &Arc<Shared>) -> Result<(), Fault> {
    let ready = shared.places.restore();
    let fails = |error: io::Error| unmoved(&ready, &error);
    let text = match fs::read(ready.join(PLACED)) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(fails(error)),
    };
    let plan: Plan = serde_json::from_slice(&text).map_err(|error| fails(error.into()))?;
    lifecycle::pause_all(shared).await?;
    keep_what_is_told(shared, &plan).await?;
    fail::fail_point!("restore.resting");
    discard(&ready).map_err(fails)
}

async fn keep_what_is_told(shared: &Arc<Shared>, plan: &Plan) -> Result<(), Fault> {
    let replaced = shared.places.data.join(&plan.replaced);
    let replaced = replaced.exists().then(|| replaced.display().to_string());
    let (made_ms, at_ms) = (plan.made_ms, shared.now_ms());
    let put = move |write: &mut Write<'_>| {
        let said = messages::by_author(write)?.into_iter().filter(|(_, author, _)| match author {
            Author::User | Author::Agent(_) => true,
            Author::Outside(_) | Author::Source(_) | Author::System => false,
        });
        let messages = said.map(|(_, _, messages)| messages).sum();
        let agents = u32::try_from(agents::living(write)?.len()).unwrap_or(u32::MAX);
        let restored = Restored { made_ms, at_ms, agents, messages, replaced };
        let settings = Settings { restored: Some(restored), ..settings::to_change(write)? };
        settings::put(write, &settings)
    };
    Ok(shared.store.write(Durability::Power, put).await?)
}

/// Whether there is anything that a backup takes the place of.
fn is_taken(data: &Path) -> bool {
    PARTS.iter().chain(&BESIDE_DATABASE).any(|part| data.join(part).exists())
}

fn write_plan(folder: &Path, plan: &Plan) -> io::Result<()> {
    let mut file = File::create(folder.join(PLAN))?;
    serde_json::to_writer_pretty(&mut file, plan)?;
    file.sync_all()?;
    sync(folder)
}

/// A folder named after the moment, where none is yet: clocks are set back too.
fn free_in(folder: &Path, now_ms: i64) -> PathBuf {
    let now = jiff::Timestamp::from_millisecond(now_ms).unwrap_or_default();
    let name = now.strftime("%Y-%m-%d-%H%M%S").to_string();
    let names = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}-{n}")));
    let mut all = names.map(|name| folder.join(name));
    all.find(|at| !at.exists()).unwrap_or_else(|| folder.join(name))
}

fn unfinished(ready: &Path) -> PathBuf {
    ready.with_extension("unfinished")
}

fn looked(ready: &Path) -> PathBuf {
    ready.with_extension("looked")
}

fn gone(ready: &Path) -> PathBuf {
    ready.with_extension("gone")
}

/// It is gone at once, though it takes a while until all of it is.
fn discard(ready: &Path) -> io::Result<()> {
    let gone = gone(ready);
    remove(&gone)?;
    rename_if_there(ready, &gone)?;
    remove(&gone)
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn rename_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// What has another name now has it after a power cut too.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn unmoved(ready: &Path, error: &io::Error) -> Fault {
    let message = format!("restore the backup in {}: {error}", ready.display());
    let fix = "free some space and see that this account may write in the data directory, then \
               start Coterie again";
    Fault::new(FaultCode::Storage, message, fix)
}
