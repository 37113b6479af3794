//! Taking a skill in, as a copy of its folder, and taking one away.
//!
//! A copy lies beside the others under a name that is nobody's until all of it is there.

use super::FILE;
use super::folder;
use super::folder::TEMPORARY;
use super::parse::parse;
use super::shelf::{internal, look_now};
use super::told::{self, place_of, unknown};
use crate::shared::Shared;
use domain::{Fault, FaultCode, FaultKind, Skill};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::Uuid;

/// More than this is no skill but a program or a collection.
const MOST_FILES: usize = 500;
const MOST_BYTES: u64 = 16 << 20;
const DEEPEST: usize = 8;

/// Copies a folder to the skills.
pub(crate) async fn add(shared: &Arc<Shared>, path: String) -> Result<Skill, Fault> {
    let _one_at_a_time = shared.skills.looking.lock().await;
    let skills = shared.skills.folder().to_owned();
    let copied = tokio::task::spawn_blocking(move || copy(&skills, Path::new(&path))).await;
    let name = copied.map_err(|_| internal("copying the skill was interrupted"))??;
    look_now(shared).await?;
    one(shared, &name)
}

/// Takes its folder away.
pub(crate) async fn remove(shared: &Arc<Shared>, name: String) -> Result<(), Fault> {
    let _one_at_a_time = shared.skills.looking.lock().await;
    one(shared, &name)?;
    let skills = shared.skills.folder().to_owned();
    let removed = tokio::task::spawn_blocking(move || {
        let gone = skills.join(format!("{TEMPORARY}{}", Uuid::new_v4().simple()));
        let folder = skills.join(&name);
        // A link is taken away itself, not what it leads to.
        let is_folder = fs::symlink_metadata(&folder)?.is_dir();
        fs::rename(&folder, &gone)?;
        if is_folder { fs::remove_dir_all(&gone) } else { fs::remove_file(&gone) }
    });
    let removed = removed.await.map_err(|_| internal("removing the skill was interrupted"))?;
    removed.map_err(|error| storage("remove the skill", &error))?;
    look_now(shared).await
}

/// Makes the folder if there is none, and clears away what an addition or a removal left
/// in it when its process ended.
pub(crate) fn prepare(skills: &Path) -> Result<(), Fault> {
    fs::create_dir_all(skills).map_err(|error| storage("make the folder skills", &error))?;
    for entry in fs::read_dir(skills).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// Writes a skill that is there from the beginning, unless something has its name.
pub(crate) fn lay_out(skills: &Path, name: &str, text: &str) -> Result<(), Fault> {
    let folder = skills.join(name);
    if fs::symlink_metadata(&folder).is_ok() {
        return Ok(());
    }
    let temporary = skills.join(format!("{TEMPORARY}{}", Uuid::new_v4().simple()));
    let written = (|| {
        fs::create_dir_all(&temporary)?;
        fs::write(temporary.join(FILE), text)?;
        File::open(temporary.join(FILE))?.sync_all()?;
        fs::rename(&temporary, &folder)
    })();
    written.map_err(|error| storage("write a skill that ships", &error))
}

fn one(shared: &Shared, name: &str) -> Result<Skill, Fault> {
    let found = told::all(shared)?.into_iter().find(|skill| skill.name == name);
    found.ok_or_else(|| unknown(name))
}

fn copy(skills: &Path, path: &Path) -> Result<String, Fault> {
    let from = path.canonicalize().map_err(|error| unfit(path, &error.to_string()))?;
    if !from.is_dir() {
        return Err(unfit(path, "it is no folder; a skill is a folder with a SKILL.md"));
    }
    let name = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = folder::read_one(&from).and_then(|text| parse(&name, &text));
    if let Err(problems) = text {
        let all: Vec<String> = problems.iter().map(|problem| place_of(&from, problem)).collect();
        return Err(unfit(path, &all.join("; ")));
    }
    let to = skills.join(&name);
    if fs::symlink_metadata(&to).is_ok() {
        let what = format!("there is a skill {name} already");
        let fix = format!("coterie skill remove {name} makes room for another");
        return Err(Fault::new(FaultCode::Conflict, what, fix).of(FaultKind::SkillTaken { name }));
    }
    let mut copying = Copying { root: from.clone(), files: Vec::new(), bytes: 0 };
    copying.look(&from, PathBuf::new(), 0).map_err(|why| unfit(path, &why))?;
    let temporary = skills.join(format!("{TEMPORARY}{}", Uuid::new_v4().simple()));
    let copied = copying.copy_to(&temporary).and_then(|()| fs::rename(&temporary, &to));
    copied.map_err(|error| {
        let _ = fs::remove_dir_all(&temporary);
        storage("copy the skill", &error)
    })?;
    Ok(name)
}

/// What of a folder is to be copied.
struct Copying {
    root: PathBuf,
    /// Where each is, and where it is to be, inside of the folder.
    files: Vec<(PathBuf, PathBuf)>,
    bytes: u64,
}

impl Copying {
    /// Finds the files. A link counts as the file that it leads to inside of the folder.
    fn look(&mut self, folder: &Path, inside: PathBuf, depth: usize) -> Result<(), String> {
        if depth > DEEPEST {
            return Err(format!("{} lies more than {DEEPEST} folders deep", inside.display()));
        }
        let unreadable = |error: io::Error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let within = inside.join(entry.file_name());
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                // The history of a repository is nobody's instruction.
                if entry.file_name() != ".git" {
                    self.look(&entry.path(), within, depth + 1)?;
                }
                continue;
            }
            let real = entry.path().canonicalize().map_err(unreadable)?;
            if !real.starts_with(&self.root) {
                return Err(format!("{} is a link that leads out of it", within.display()));
            }
            let metadata = fs::metadata(&real).map_err(unreadable)?;
            if !metadata.is_file() {
                return Err(format!("{} is no plain file", within.display()));
            }
            self.bytes += metadata.len();
            self.files.push((real, within));
            if self.files.len() > MOST_FILES || self.bytes > MOST_BYTES {
                return Err(format!(
                    "it is too large: a skill has at most {MOST_FILES} files and {} MiB",
                    MOST_BYTES >> 20
                ));
            }
        }
        Ok(())
    }

    fn copy_to(&self, to: &Path) -> io::Result<()> {
        fs::create_dir_all(to)?;
        for (from, within) in &self.files {
            let to = to.join(within);
            if let Some(folder) = to.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::copy(from, &to)?;
            File::open(&to)?.sync_all()?;
        }
        Ok(())
    }
}

fn unfit(path: &Path, why: &str) -> Fault {
    let path = path.display().to_string();
    Fault::bad_input(
        format!("{path} cannot be taken in as a skill: {why}"),
        "correct that, and add it again",
    )
    .of(FaultKind::SkillUnfit { path, detail: why.to_owned() })
}

fn storage(doing: &str, error: &io::Error) -> Fault {
    Fault::new(FaultCode::Storage, format!("{doing}: {error}"), "look at the folder skills")
}
