//! Changing a file in one go: whoever reads it sees what was there before or
//! all of what is there now, even after the power has failed.

use crate::roots::Landing;
use crate::{CallContext, Place, Stakes};
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, OpenOptions};
use domain::{CallId, Risk, ToolSpec};
use serde_json::Value;
use similar::TextDiff;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most that is changed as text.
pub(crate) const MOST_BYTES: u64 = 8 << 20;

/// The file that a use changes.
pub(crate) fn path(arguments: &Value) -> &str {
    arguments.get("path").and_then(Value::as_str).unwrap_or_default()
}

/// What is at stake when a use changes the file that its argument `path` names:
/// nothing in the agent's own folder.
pub(crate) fn stakes(spec: &ToolSpec, arguments: &Value, place: &Place) -> Result<Stakes, String> {
    let path = path(arguments);
    let landing = Landing::look(place, path)?;
    let whole = landing.whole();
    let like = whole.parent().map(|folder| folder.join("*").display().to_string());
    let risk = if place.is_its_own(&whole) { Risk::Low } else { spec.risk };
    let target = Some(whole.display().to_string());
    Ok(Stakes { risk, target, like, given: Some(landing.as_given(path)), ..Stakes::default() })
}

/// The text that stands now where the argument `path` leads; `None` where there is none.
pub(crate) fn stands(arguments: &Value, place: &Place) -> Option<String> {
    let landing = Landing::look(place, path(arguments)).ok()?;
    match before(&landing.folder().ok()?, landing.name()) {
        Ok(Before::Text(text)) => Some(text),
        Ok(Before::Nothing) | Err(_) => None,
    }
}

/// Where a use may write, if that is still what was allowed.
pub(crate) fn landing(path: &str, with: &CallContext) -> Result<Landing, String> {
    let landing = Landing::look(&with.place, path)?;
    let whole = landing.whole().display().to_string();
    if with.target.as_ref().is_some_and(|allowed| *allowed != whole) {
        return Err(format!("`{path}` leads to another file by now than was allowed: {whole}"));
    }
    Ok(landing)
}

/// Held from looking at what is there until it is changed: of two agents who change the same
/// file each would undo what the other did.
pub(crate) fn one_at_a_time() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is there to be changed.
pub(crate) enum Before {
    Nothing,
    Text(String),
}

/// Reads what is there now, or says why it cannot be changed.
pub(crate) fn before(folder: &Dir, name: &OsStr) -> Result<Before, String> {
    let found = match folder.symlink_metadata(name) {
        Ok(found) => found,
        Err(missing) if missing.kind() == ErrorKind::NotFound => return Ok(Before::Nothing),
        Err(trouble) => return Err(format!("it cannot be looked at: {trouble}")),
    };
    if found.is_symlink() {
        return Err("it is a link; give the path of what it leads to".into());
    }
    if found.is_dir() {
        return Err("it is a folder".into());
    }
    if !found.is_file() {
        return Err("it is neither a file nor a folder".into());
    }
    // Another file would take its place, which asks nobody whether this one may change.
    if found.permissions().readonly() {
        return Err("it is read-only; the person can make it writable".into());
    }
    if found.len() > MOST_BYTES {
        return Err(format!("it has {} bytes, and {MOST_BYTES} is the most", found.len()));
    }
    let mut bytes = Vec::new();
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(FollowSymlinks::No);
    let read = folder
        .open_with(name, &options)
        .and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    read.map_err(|trouble| format!("it cannot be read: {trouble}"))?;
    let text = String::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
    Ok(Before::Text(text))
}

/// Puts the text in the place of what is there.
pub(crate) fn put(folder: &Dir, name: &OsStr, text: &str, key: CallId) -> io::Result<()> {
    let beside = format!(".coterie-{}.tmp", key.0.simple());
    let put = || {
        // One that an earlier try of this use left behind.
        match folder.remove_file(&beside) {
            Err(trouble) if trouble.kind() != ErrorKind::NotFound => return Err(trouble),
            Ok(()) | Err(_) => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = folder.open_with(&beside, &options)?;
        if let Ok(before) = folder.symlink_metadata(name) {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        folder.rename(&beside, folder, name)
    };
    put().inspect_err(|_| {
        // What went wrong before says more than what goes wrong now.
        let _ = folder.remove_file(&beside);
    })
}

/// What changed, as a unified diff. Line breaks are those of a Unix file in it, and told
/// where they change.
pub(crate) fn diff(path: &Path, before: &str, after: &str) -> String {
    let path = path.display().to_string();
    let plainly = |text: &str| text.replace("\r\n", "\n");
    let (plain_before, plain_after) = (plainly(before), plainly(after));
    let lines = TextDiff::from_lines(plain_before.as_str(), plain_after.as_str());
    let mut told = lines.unified_diff().header(&path, &path).to_string();
    let is_all = plain_before == plain_after;
    if is_all {
        told = format!("--- {path}\n+++ {path}\n");
    }
    match (kinds(before), kinds(after)) {
        (Some(was), Some(is)) if was != is => {
            told += &format!("[line breaks change: they were {was}, and are {is}]\n");
        }
        _ if is_all => told += "[only line breaks change]\n",
        _ => {}
    }
    told
}

/// Which kinds of line breaks there are, if there is any.
fn kinds(text: &str) -> Option<&'static str> {
    let has = |kind: &str| breaks(text).any(|one| one == kind);
    match (has("\r\n"), has("\n")) {
        (true, true) => Some("CRLF and LF"),
        (true, false) => Some("CRLF"),
        (false, true) => Some("LF"),
        (false, false) => None,
    }
}

/// The line breaks of a text, one by one.
pub(crate) fn breaks(text: &str) -> impl DoubleEndedIterator<Item = &'static str> {
    text.match_indices('\n').map(move |(at, _)| match text[..at].ends_with('\r') {
        true => "\r\n",
        false => "\n",
    })
}
