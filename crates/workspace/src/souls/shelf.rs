//! Which soul is in force, and what a look into the folder changes about it.
//!
//! Pure. The shelf is what the workspace holds in memory: the last valid
//! version of each soul, and how the file differs from it. `look` compares;
//! whoever calls it stores what changed and then applies it, so the shelf
//! never runs ahead of the database.

use super::files::{Found, FoundFile};
use super::front::Front;
use super::hash::hash;
use super::name::{self, ENDING};
use super::parse::{SoulFile, parse};
use super::rivals::tell_apart;
use domain::{Soul, SoulProblem, SoulVersion};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The last valid version of a soul.
#[derive(Debug, Clone, PartialEq)]
pub struct SoulInForce {
    pub stem: String,
    /// Counts from 1.
    pub version: i64,
    pub hash: String,
    pub text: String,
    pub front: Front,
    pub persona: String,
    pub warnings: Vec<SoulProblem>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Shelved {
    /// `None` while the soul has never been valid.
    pub in_force: Option<Arc<SoulInForce>>,
    pub on_disk: OnDisk,
    /// The name of its file, in the letters that it has on the disk.
    file: String,
    last_version: i64,
}

/// The file, compared with what is in force.
#[derive(Debug, Clone, PartialEq)]
pub enum OnDisk {
    Same,
    /// Not in force, and why; `hash` is `None` if the file cannot be read.
    Wrong {
        hash: Option<String>,
        problem: SoulProblem,
    },
    Gone,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shelf {
    souls: BTreeMap<String, Shelved>,
}

/// What a look found. Each of them changes the soul's record; only a new
/// version changes what agents are.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// The file has a valid new text, in force from here.
    NewVersion(Arc<SoulInForce>),
    /// The file's text is not valid, or not readable.
    Problem { stem: String, hash: Option<String>, problem: SoulProblem },
    /// The file has the text in force again.
    ProblemCleared { stem: String },
    /// The file is no longer there; what was in force stays so.
    Gone { stem: String },
    /// The file is there again, with the text in force.
    Back { stem: String },
    /// The file is no longer there, and nothing of it was ever in force.
    Forgotten { stem: String },
    /// The file is called otherwise, as `Ada.md` is when it was `ada.md`.
    Moved { stem: String, file: String },
}

impl Change {
    /// Whether those who wear the soul may use more or less than before.
    pub fn changes_budget(&self, before: &Shelf) -> bool {
        let Change::NewVersion(soul) = self else { return false };
        let known = before.in_force(&soul.stem).and_then(|known| known.front.budget.as_ref());
        known != soul.front.budget.as_ref()
    }

    pub fn stem(&self) -> &str {
        match self {
            Change::NewVersion(soul) => &soul.stem,
            Change::Problem { stem, .. }
            | Change::ProblemCleared { stem }
            | Change::Gone { stem }
            | Change::Back { stem }
            | Change::Forgotten { stem }
            | Change::Moved { stem, .. } => stem,
        }
    }
}

/// What is different from the shelf, by stem.
pub fn look(shelf: &Shelf, files: Vec<FoundFile>) -> Vec<Change> {
    let mut missing: BTreeMap<&str, &Shelved> = shelf.souls().collect();
    let mut changes = Vec::new();
    for file in tell_apart(shelf, files) {
        let before = missing.remove(file.stem.as_str());
        let moved = moved(before, &file);
        changes.extend(compare(before, file));
        changes.extend(moved);
    }
    changes.extend(missing.into_iter().filter_map(|(stem, before)| lost(stem, before)));
    changes.sort_by(|a, b| a.stem().cmp(b.stem()));
    changes
}

fn moved(before: Option<&Shelved>, file: &FoundFile) -> Option<Change> {
    let FoundFile { stem, file, .. } = file;
    let is_where_it_was = match before {
        Some(before) => before.file == *file,
        None => usual_file(stem) == *file,
    };
    (!is_where_it_was).then(|| Change::Moved { stem: stem.clone(), file: file.clone() })
}

fn usual_file(stem: &str) -> String {
    format!("{stem}{ENDING}")
}

fn compare(before: Option<&Shelved>, file: FoundFile) -> Option<Change> {
    let FoundFile { stem, hash, text, .. } = file;
    // A problem that an earlier Coterie put down without its kind is found anew.
    let told = before.and_then(Shelved::problem).is_none_or(|problem| problem.kind.is_some());
    if told && hash.is_some() && hash.as_deref() == before.and_then(Shelved::file_hash) {
        return None;
    }
    let in_force = before.and_then(|soul| soul.in_force.as_ref());
    let parsed = text.and_then(|text| {
        if in_force.is_some_and(|soul| soul.text == text) {
            return Ok(None);
        }
        parse(&stem, &text).map(|soul| Some((text, soul))).map_err(first)
    });
    match parsed {
        Ok(None) if before.is_some_and(|soul| soul.on_disk == OnDisk::Gone) => {
            Some(Change::Back { stem })
        }
        Ok(None) => Some(Change::ProblemCleared { stem }),
        Ok(Some((text, soul))) => {
            let version = before.map_or(0, |soul| soul.last_version) + 1;
            Some(Change::NewVersion(Arc::new(SoulInForce::new(stem, version, text, soul))))
        }
        Err(problem)
            if before.and_then(Shelved::problem).as_ref() == Some(&problem) && hash.is_none() =>
        {
            None
        }
        Err(problem) => Some(Change::Problem { stem, hash, problem }),
    }
}

fn lost(stem: &str, before: &Shelved) -> Option<Change> {
    let stem = stem.to_owned();
    match (&before.on_disk, before.last_version) {
        (OnDisk::Gone, _) => None,
        (OnDisk::Same | OnDisk::Wrong { .. }, 0) => Some(Change::Forgotten { stem }),
        (OnDisk::Same | OnDisk::Wrong { .. }, _) => Some(Change::Gone { stem }),
    }
}

/// `parse` fails with at least one problem.
fn first(problems: Vec<SoulProblem>) -> SoulProblem {
    problems.into_iter().next().expect("a text that is not a soul has a problem")
}

impl SoulInForce {
    /// For an agent whose soul is missing: who it is then, of no version. It is given
    /// nothing to use, since nobody has said what it may.
    pub(crate) fn plain(stem: &str, name: &str) -> SoulInForce {
        let nothing = || Some(Vec::new());
        let front = Front {
            name: name.to_owned(),
            // An empty list would be those of low risk.
            tools: Some(vec!["none".to_owned()]),
            skills: nothing(),
            mcp: nothing(),
            roots: nothing(),
            delegates: nothing(),
            ..Front::of(stem)
        };
        let text = include_str!("plain.md").replace("{name}", name);
        let (stem, persona) = (stem.to_owned(), text.clone());
        SoulInForce { stem, version: 0, hash: hash(&text), text, front, persona, warnings: vec![] }
    }

    /// A text as it would be in force, of no version; or what is wrong with it first.
    pub(crate) fn unsaved(stem: &str, text: &str) -> Result<SoulInForce, SoulProblem> {
        let soul = parse(stem, text).map_err(first)?;
        Ok(SoulInForce::new(stem.to_owned(), 0, text.to_owned(), soul))
    }

    /// The same under another name, which is its agent's too where the text gives it none.
    fn called(&self, stem: &str) -> SoulInForce {
        let front = parse(stem, &self.text).map(|soul| soul.front);
        let front = front.unwrap_or_else(|_| self.front.clone());
        SoulInForce { stem: stem.to_owned(), front, ..self.clone() }
    }

    fn new(stem: String, version: i64, text: String, soul: SoulFile) -> SoulInForce {
        let SoulFile { front, persona, warnings } = soul;
        SoulInForce { stem, version, hash: hash(&text), text, front, persona, warnings }
    }
}

impl Shelf {
    /// The shelf as the database remembers it: each soul, with its newest
    /// version if it ever had one and was not deleted since, and what was
    /// wrong with its file.
    pub fn restore(kept: impl IntoIterator<Item = (Soul, Option<SoulVersion>)>) -> Shelf {
        let souls = kept.into_iter().map(|(soul, newest)| {
            let shelved = match newest {
                Some(newest) => Shelved::restore(newest),
                None => Shelved { last_version: soul.version, ..Shelved::unknown(&soul.name) },
            };
            let on_disk = match (soul.problem, soul.file_hash) {
                (Some(problem), hash) => OnDisk::Wrong { hash, problem },
                (None, Some(_)) => shelved.on_disk.clone(),
                (None, None) => OnDisk::Gone,
            };
            let file = Path::new(&soul.path).file_name();
            let file = file.map_or(shelved.file, |file| file.to_string_lossy().into_owned());
            (soul.name, Shelved { on_disk, file, ..shelved })
        });
        Shelf { souls: souls.collect() }
    }

    pub fn get(&self, stem: &str) -> Option<&Shelved> {
        self.souls.get(stem)
    }

    pub fn in_force(&self, stem: &str) -> Option<&Arc<SoulInForce>> {
        self.get(stem)?.in_force.as_ref()
    }

    /// The name under which a soul is kept, however it is written; as it
    /// would be kept if there is none.
    pub fn name_of(&self, wanted: &str) -> String {
        if self.souls.contains_key(wanted) {
            return wanted.to_owned();
        }
        let same = |stem: &str| name::letters(stem) == name::letters(wanted);
        let known = self.souls().find(|(stem, soul)| soul.was_in_force() && same(stem));
        known.map_or_else(|| name::composed(wanted), |(stem, _)| stem.to_owned())
    }

    /// The name of a soul's file, while there is one.
    pub fn file(&self, stem: &str) -> Option<&str> {
        self.get(stem).filter(|soul| soul.on_disk != OnDisk::Gone).map(|soul| soul.file.as_str())
    }

    /// By stem.
    pub fn souls(&self) -> impl Iterator<Item = (&str, &Shelved)> {
        self.souls.iter().map(|(stem, soul)| (stem.as_str(), soul))
    }

    /// Changes nothing when it is applied a second time.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::NewVersion(soul) => {
                let shelved = self.shelved(&soul.stem);
                shelved.in_force = Some(Arc::clone(soul));
                shelved.on_disk = OnDisk::Same;
                shelved.last_version = soul.version;
            }
            Change::Problem { stem, hash, problem } => {
                self.shelved(stem).on_disk =
                    OnDisk::Wrong { hash: hash.clone(), problem: problem.clone() };
            }
            Change::ProblemCleared { stem } | Change::Back { stem } => {
                self.put_on_disk(stem, OnDisk::Same)
            }
            Change::Gone { stem } => self.put_on_disk(stem, OnDisk::Gone),
            Change::Forgotten { stem } => {
                self.souls.remove(stem);
            }
            Change::Moved { stem, file } => self.shelved(stem).file.clone_from(file),
        }
    }

    /// Nothing of it is in force any more. One that never was is forgotten.
    pub(crate) fn delete(&mut self, stem: &str) {
        self.souls.retain(|name, soul| name != stem || soul.was_in_force());
        if let Some(soul) = self.souls.get_mut(stem) {
            (soul.in_force, soul.on_disk) = (None, OnDisk::Gone);
        }
    }

    /// The same soul under a name that no other has.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        let Some(before) = self.souls.remove(from) else { return };
        let in_force = before.in_force.as_deref().map(|soul| Arc::new(soul.called(to)));
        let renamed = Shelved { in_force, file: usual_file(to), ..before };
        self.souls.insert(to.to_owned(), renamed);
    }

    fn shelved(&mut self, stem: &str) -> &mut Shelved {
        self.souls.entry(stem.to_owned()).or_insert_with(|| Shelved::unknown(stem))
    }

    fn put_on_disk(&mut self, stem: &str, on_disk: OnDisk) {
        if let Some(soul) = self.souls.get_mut(stem) {
            soul.on_disk = on_disk;
        }
    }

    /// The soul's record; version 0 and no hash while it was never valid.
    pub fn record(&self, stem: &str, folder: &Path, updated_ms: i64) -> Option<Soul> {
        let soul = self.get(stem)?;
        let in_force = soul.in_force.as_deref();
        Some(Soul {
            name: stem.to_owned(),
            path: folder.join(&soul.file).display().to_string(),
            version: soul.last_version,
            hash: in_force.map(|soul| soul.hash.clone()).unwrap_or_default(),
            file_hash: soul.file_hash().map(str::to_owned),
            problem: soul.problem(),
            warnings: in_force.map(|soul| soul.warnings.clone()).unwrap_or_default(),
            updated_ms,
        })
    }
}

impl Shelved {
    /// blake3 of what is in the file; `None` when it is gone or unreadable.
    pub fn file_hash(&self) -> Option<&str> {
        match &self.on_disk {
            OnDisk::Same => self.in_force.as_ref().map(|soul| soul.hash.as_str()),
            OnDisk::Wrong { hash, .. } => hash.as_deref(),
            OnDisk::Gone => None,
        }
    }

    fn unknown(stem: &str) -> Shelved {
        Shelved { in_force: None, on_disk: OnDisk::Gone, file: usual_file(stem), last_version: 0 }
    }

    /// Whether agents may live by it.
    pub(super) fn was_in_force(&self) -> bool {
        self.last_version > 0
    }

    fn restore(newest: SoulVersion) -> Shelved {
        let SoulVersion { soul: stem, version, hash, text, .. } = newest;
        let unknown = Shelved { last_version: version, ..Shelved::unknown(&stem) };
        // A later Coterie may be stricter than the one that stored it.
        match parse(&stem, &text) {
            Ok(soul) => Shelved {
                in_force: Some(Arc::new(SoulInForce::new(stem, version, text, soul))),
                on_disk: OnDisk::Same,
                ..unknown
            },
            Err(problems) => Shelved {
                on_disk: OnDisk::Wrong { hash: Some(hash), problem: first(problems) },
                ..unknown
            },
        }
    }

    /// Why what is in the file is not in force.
    pub fn problem(&self) -> Option<SoulProblem> {
        match &self.on_disk {
            OnDisk::Wrong { problem, .. } => Some(problem.clone()),
            OnDisk::Same | OnDisk::Gone => None,
        }
    }
}

impl Found {
    /// What is new against the shelf.
    pub fn changes(self, shelf: &Shelf) -> Vec<Change> {
        look(shelf, self.files)
    }
}

#[cfg(test)]
mod tests;
