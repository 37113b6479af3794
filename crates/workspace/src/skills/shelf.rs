//! Which skills are in force: of each the last text that was valid since this process
//! began, and how its file differs from it.

use super::folder::file_in;
use super::folder::{self, Found};
use super::parse::{SkillText, parse};
use super::told;
use crate::shared::Shared;
use crate::souls::hash;
use domain::{ContextSkill, Fault, FaultCode, Skill, SoulProblem};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) struct Skills {
    folder: PathBuf,
    shelf: Mutex<Shelf>,
    /// One look, and one change of the folder, at a time.
    pub(super) looking: tokio::sync::Mutex<()>,
    /// What everybody was told last.
    pub(super) told: Mutex<Vec<Skill>>,
}

pub(super) type Shelf = BTreeMap<String, Shelved>;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shelved {
    /// `None` while it was never valid.
    pub in_force: Option<Arc<SkillInForce>>,
    /// What is wrong with what is in its folder now.
    pub problem: Option<SoulProblem>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct SkillInForce {
    pub hash: String,
    pub text: SkillText,
}

/// A skill that an agent has in a turn.
#[derive(Debug, Clone)]
pub(crate) struct OwnSkill {
    pub name: String,
    /// Without links.
    pub folder: PathBuf,
    pub in_force: Arc<SkillInForce>,
}

impl Skills {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Skills {
            folder,
            shelf: Mutex::default(),
            looking: tokio::sync::Mutex::default(),
            told: Mutex::default(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn in_force(&self, name: &str) -> Option<Arc<SkillInForce>> {
        self.shelf().get(name)?.in_force.clone()
    }

    /// Those of these names that are in force and lie in their folders, in order.
    pub(crate) fn of(&self, names: &[String]) -> Vec<OwnSkill> {
        let Ok(all) = self.folder.canonicalize() else { return Vec::new() };
        let shelf = self.shelf();
        let named = shelf.iter().filter(|(name, _)| names.contains(name));
        let own = named.filter_map(|(name, shelved)| {
            let folder = all.join(name);
            // What leads somewhere else by now is no longer what was read.
            if !folder.symlink_metadata().ok()?.is_dir() {
                return None;
            }
            Some(OwnSkill { name: name.clone(), folder, in_force: shelved.in_force.clone()? })
        });
        own.collect()
    }

    pub(super) fn shelved(&self) -> Shelf {
        self.shelf().clone()
    }

    pub(crate) fn names(&self) -> BTreeSet<String> {
        self.shelf().keys().cloned().collect()
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OwnSkill {
    /// As a run keeps it. What it takes is what `use_skill` takes for it.
    pub(crate) fn context(&self) -> ContextSkill {
        let files: Vec<String> =
            super::files(&self.folder).into_iter().map(|file| file.path).collect();
        let mut properties = json!({"name": {"const": self.name}});
        if !files.is_empty() {
            properties["path"] = json!({"enum": files});
        }
        ContextSkill {
            name: self.name.clone(),
            version: self.in_force.hash.chars().take(12).collect(),
            source: file_in(&self.folder).display().to_string(),
            schema: json!({"type": "object", "properties": properties, "required": ["name"]}),
        }
    }
}

/// Reads the folder, and tells everybody what is new.
pub(crate) async fn look(shared: &Arc<Shared>) -> Result<(), Fault> {
    let _one_at_a_time = shared.skills.looking.lock().await;
    look_now(shared).await
}

/// For whoever holds the folder already.
pub(super) async fn look_now(shared: &Arc<Shared>) -> Result<(), Fault> {
    let folder = shared.skills.folder.clone();
    let found = tokio::task::spawn_blocking(move || folder::read(&folder)).await;
    let found = found.map_err(|_| internal("looking at the skills was interrupted"))?;
    let found = found.map_err(|error| {
        let what = format!("read {}: {error}", shared.skills.folder.display());
        Fault::new(FaultCode::Storage, what, "make the folder readable")
    })?;
    let after = compared(&shared.skills.shelved(), found);
    *shared.skills.shelf() = after;
    told::tell(shared);
    Ok(())
}

pub(super) fn internal(what: &str) -> Fault {
    Fault::new(FaultCode::Internal, what, "try again")
}

/// A text that is wrong never takes the place of one that was right; a folder that is gone
/// takes its skill with it, since its files are gone too.
fn compared(before: &Shelf, found: Found) -> Shelf {
    let shelved = found.into_iter().map(|(name, text)| {
        let in_force = before.get(&name).and_then(|shelved| shelved.in_force.clone());
        let parsed = text.and_then(|text| {
            let hash = hash(&text);
            match in_force.clone().filter(|skill| skill.hash == hash) {
                Some(same) => Ok(same),
                None => Ok(Arc::new(SkillInForce { hash, text: parse(&name, &text)? })),
            }
        });
        let shelved = match parsed {
            Ok(skill) => Shelved { in_force: Some(skill), problem: None },
            Err(problems) => Shelved { in_force, problem: problems.into_iter().next() },
        };
        (name, shelved)
    });
    shelved.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::SoulMistake;

    fn found(name: &str, text: &str) -> Found {
        Found::from([(name.to_owned(), Ok(text.to_owned()))])
    }

    #[test]
    fn the_last_text_that_was_right_stays_until_another_is() {
        let right = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
        let first = compared(&Shelf::new(), found("tea", right));
        let body =
            |shelf: &Shelf| shelf["tea"].in_force.as_ref().map(|skill| skill.text.body.clone());
        assert_eq!(body(&first).as_deref(), Some("Boil water."));

        let broken = compared(&first, found("tea", "---\nname: tea\n---\nPour.\n"));
        assert_eq!(body(&broken).as_deref(), Some("Boil water."));
        let problem = broken["tea"].problem.clone().expect("said");
        assert_eq!(
            (problem.line, problem.kind),
            (1, Some(Box::new(SoulMistake::SkillFieldMissing { field: "description".into() })))
        );

        let again = compared(&broken, found("tea", &right.replace("Boil water", "Cool it")));
        assert_eq!(body(&again).as_deref(), Some("Cool it."));
        assert_eq!(again["tea"].problem, None);
        assert_eq!(compared(&again, Found::new()), Shelf::new());
    }

    #[test]
    fn a_skill_that_was_never_right_is_there_with_what_is_wrong() {
        let shelf = compared(&Shelf::new(), found("tea", "Just words.\n"));
        assert_eq!(shelf["tea"].in_force, None);
        assert!(shelf["tea"].problem.is_some());
    }
}
