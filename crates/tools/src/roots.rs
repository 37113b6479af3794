//! The files that an agent may see: those in its folders, and nothing else.
//!
//! A path is walked from the open folder (openat), never from the root of the
//! machine, so that neither `..` nor a link leads out of it, whatever is
//! swapped meanwhile.

mod folder;
mod landing;
mod spelled;

pub(crate) use folder::opened;
pub(crate) use landing::{Landing, refusal as landing_refusal};

use crate::{Place, Stakes};
use cap_fs_ext::OpenOptionsSyncExt;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use domain::ToolSpec;
use serde_json::Value;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

pub(crate) enum Found {
    File { file: File, bytes: u64 },
    Folder(Folder),
}

pub(crate) struct Folder {
    pub(crate) dir: Dir,
    /// The whole of it, with every link resolved.
    pub(crate) path: PathBuf,
}

/// Opens what lies at `path`, which is relative to one of the folders or
/// absolute inside one, in whichever way its name is written. Refuses in words that a model
/// can act on.
pub(crate) fn open(roots: &[PathBuf], path: &str) -> Result<Found, String> {
    open_as_written(roots, path).or_else(|refusal| {
        let mut others = spelled::others(path);
        others.find_map(|path| open_as_written(roots, &path).ok()).ok_or(refusal)
    })
}

fn open_as_written(roots: &[PathBuf], path: &str) -> Result<Found, String> {
    let spots = spots(roots, Path::new(path));
    if spots.is_empty() {
        return Err(outside(path));
    }
    let mut found: Vec<(&Spot, Dir, Metadata)> = Vec::new();
    let mut troubles = Vec::new();
    for spot in &spots {
        match spot.look() {
            Ok((dir, metadata)) => found.push((spot, dir, metadata)),
            Err(trouble) => troubles.push(trouble),
        }
    }
    if found.len() > 1 && !Path::new(path).is_absolute() {
        let all = found.iter().map(|(spot, ..)| spot.whole().display().to_string());
        return Err(format!(
            "`{}` is in {} of your folders; give the whole path, one of: {}",
            clipped(path),
            found.len(),
            all.collect::<Vec<_>>().join(", ")
        ));
    }
    let Some((spot, dir, metadata)) = found.first() else {
        return Err(refusal(roots, path, &troubles));
    };
    match spot.open(dir, metadata) {
        Ok(Some(found)) => Ok(found),
        Ok(None) => {
            Err(format!("`{}` is neither a file nor a folder and cannot be read", clipped(path)))
        }
        Err(trouble) => Err(refusal(roots, path, &[trouble])),
    }
}

/// The folder in which something lies at `path`, and the whole path of that with every link
/// resolved.
fn real<'a>(roots: &'a [PathBuf], path: &str) -> Option<(&'a Path, PathBuf)> {
    let real = |spot: &Spot<'a>| Some((spot.root, spot.real(&opened(spot.root).ok()?).ok()?));
    let as_written = |path: &str| spots(roots, Path::new(path)).iter().find_map(real);
    as_written(path).or_else(|| spelled::others(path).find_map(|path| as_written(&path)))
}

/// What a use would look at, where its argument `path` names one thing.
pub(crate) fn looks_at(spec: &ToolSpec, arguments: &Value, place: &Place) -> Stakes {
    let path = arguments.get("path").and_then(Value::as_str);
    let real = path.and_then(|path| Some((path, real(&place.roots, path)?)));
    let Some((path, (root, real))) = real else {
        return Stakes { risk: spec.risk, ..Stakes::default() };
    };
    let (target, given) = (Some(real.display().to_string()), Some(as_given(root, path)));
    Stakes { risk: spec.risk, target, given, ..Stakes::default() }
}

/// A path in the words of whoever gave it, whole.
fn as_given(root: &Path, path: &str) -> String {
    plain(&root.join(path)).display().to_string()
}

/// A path without `..`, `.`, a separator too many or one at its end, as it is written:
/// nothing is looked up.
pub fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // Nothing lies above the root.
            Component::ParentDir => drop(plain.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

/// Where a path may lead to.
struct Spot<'a> {
    root: &'a Path,
    inside: PathBuf,
}

/// For a relative path every folder, in their order; for an absolute one those
/// that it begins with, the innermost first.
fn spots<'a>(roots: &'a [PathBuf], path: &Path) -> Vec<Spot<'a>> {
    let itself = |path: &Path| match path.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => path.to_owned(),
    };
    if !path.is_absolute() {
        return roots.iter().map(|root| Spot { root, inside: itself(path) }).collect();
    }
    let within = |root: &'a PathBuf| Some(Spot { root, inside: itself(inside(root, path)?) });
    let mut spots: Vec<Spot> = roots.iter().filter_map(within).collect();
    spots.sort_by_key(|spot| spot.inside.components().count());
    spots
}

/// What is left of a path behind a folder, which a person may know by a link of theirs.
/// Only the name is found so: the folder is opened by its own.
fn inside<'a>(root: &Path, path: &'a Path) -> Option<&'a Path> {
    let by_link = || path.ancestors().find(|way| way.canonicalize().is_ok_and(|way| way == root));
    path.strip_prefix(root).ok().or_else(|| path.strip_prefix(by_link()?).ok())
}

impl Spot<'_> {
    fn look(&self) -> io::Result<(Dir, Metadata)> {
        let dir = opened(self.root)?;
        let metadata = dir.metadata(&self.inside)?;
        Ok((dir, metadata))
    }

    /// `None` for a pipe, a device or the like.
    fn open(&self, dir: &Dir, metadata: &Metadata) -> io::Result<Option<Found>> {
        if metadata.is_dir() {
            let (dir, path) = (dir.open_dir(&self.inside)?, self.real(dir)?);
            return Ok(Some(Found::Folder(Folder { dir, path })));
        }
        if !metadata.is_file() {
            return Ok(None);
        }
        // Should a pipe be there by now, opening it must not wait for a writer.
        let file = dir.open_with(&self.inside, OpenOptions::new().read(true).nonblock(true))?;
        let metadata = file.metadata()?;
        let found = Found::File { file: file.into_std(), bytes: metadata.len() };
        Ok(metadata.is_file().then_some(found))
    }

    fn real(&self, dir: &Dir) -> io::Result<PathBuf> {
        let inside = dir.canonicalize(&self.inside)?;
        Ok(self.root.join(inside.strip_prefix(".").unwrap_or(&inside)))
    }

    fn whole(&self) -> PathBuf {
        if self.inside == Path::new(".") {
            self.root.to_owned()
        } else {
            self.root.join(&self.inside)
        }
    }
}

fn refusal(roots: &[PathBuf], path: &str, troubles: &[io::Error]) -> String {
    if troubles.iter().any(leads_out) {
        return outside(path);
    }
    let missing = |trouble: &&io::Error| {
        matches!(trouble.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
    };
    match troubles.iter().find(|trouble| !missing(trouble)) {
        Some(trouble) => format!("`{}` cannot be opened: {trouble}", clipped(path)),
        None => format!(
            "there is no `{}` in your folders; read a folder, such as `{}`, to see what is in it",
            clipped(path),
            // Of several, `.` is none.
            if let [first, _, ..] = roots { first.display().to_string() } else { ".".to_owned() }
        ),
    }
}

/// What cap-std says of a path that leads out; the system's own refusals carry
/// a number.
fn leads_out(error: &io::Error) -> bool {
    error.kind() == ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

fn outside(path: &str) -> String {
    format!(
        "`{}` leads out of your folders; only what lies in them is yours, and no link out of them is followed",
        clipped(path)
    )
}

fn clipped(path: &str) -> String {
    const MOST: usize = 300;
    match path.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &path[..at]),
        None => path.to_owned(),
    }
}
