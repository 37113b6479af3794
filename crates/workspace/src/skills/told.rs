//! Skills in the words that everybody speaks.

use super::folder::file_in;
use super::parse::path_in;
use super::shelf::Shelved;
use super::{files, tools_of};
use crate::shared::Shared;
use crate::{named, stand};
use domain::{AgentState, Fault, FaultKind, Skill, SkillDetail, SkillHolder, SoulProblem, Update};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::PoisonError;
use store::Read;
use store::table::agents;

/// In order of their names.
pub(crate) fn all(shared: &Shared) -> Result<Vec<Skill>, Fault> {
    let shelf = shared.skills.shelved();
    if shelf.is_empty() {
        return Ok(Vec::new());
    }
    shared.store.read(|read| {
        let skills = shelf.into_iter().map(|(name, shelved)| skill(read, shared, name, shelved));
        skills.collect()
    })
}

/// A skill with its text and what lies beside it.
pub(crate) fn detail(shared: &Shared, name: &str) -> Result<SkillDetail, Fault> {
    let shelved = shared.skills.shelved().remove(name).ok_or_else(|| unknown(name))?;
    let skill = shared.store.read(|read| skill(read, shared, name.to_owned(), shelved))?;
    let folder = shared.skills.folder().join(name);
    let redactor = shared.safe.redactor();
    let text = super::folder::read_one(&folder).unwrap_or_default();
    let text = redactor.redact(&text).into_owned();
    Ok(SkillDetail { skill, text, files: files(&folder) })
}

fn skill(read: &Read<'_>, shared: &Shared, name: String, of: Shelved) -> Result<Skill, Fault> {
    let redactor = shared.safe.redactor();
    let clean = |text: &str| redactor.redact(text).into_owned();
    let front = of.in_force.as_ref().map(|skill| skill.text.front.clone()).unwrap_or_default();
    let warnings = of.in_force.as_ref().map(|skill| skill.text.warnings.clone());
    Ok(Skill {
        path: path_in(&shared.skills.folder().join(&name)),
        agents: holders(read, shared, &name, &tools_of(&front))?,
        name,
        description: clean(&front.description),
        license: front.license.as_deref().map(clean),
        compatibility: front.compatibility.as_deref().map(clean),
        metadata: front.metadata.iter().map(|(key, value)| (key.clone(), clean(value))).collect(),
        tools: front.tools,
        hash: of.in_force.map(|skill| skill.hash.clone()),
        problem: of.problem,
        warnings: warnings.unwrap_or_default(),
    })
}

/// The living whose souls name it.
fn holders(
    read: &Read<'_>,
    shared: &Shared,
    name: &str,
    wanted: &BTreeSet<String>,
) -> Result<Vec<SkillHolder>, Fault> {
    let mut holders = Vec::new();
    for agent in agents::living(read)? {
        let Some(soul) = shared.souls.in_force(&agent.soul) else { continue };
        if agent.state == AgentState::Terminated
            || !soul.front.skills.iter().flatten().any(|named| named == name)
        {
            continue;
        }
        let has = stand::tools_of(read, shared, &agent, &soul)?;
        let lacks = wanted.iter().filter(|tool| !has.contains(*tool)).cloned().collect();
        holders.push(SkillHolder { agent: agent.id, lacks });
    }
    Ok(holders)
}

/// Publishes how the skills are, where that is news.
pub(crate) fn tell(shared: &Shared) {
    let skills = match all(shared) {
        Ok(skills) => skills,
        Err(fault) => return tracing::warn!(%fault, "the skills cannot be told"),
    };
    {
        let mut told = shared.skills.told.lock().unwrap_or_else(PoisonError::into_inner);
        if *told == skills {
            return;
        }
        told.clone_from(&skills);
        shared.events.publish(vec![Update::Skills { skills }]);
    }
    // Souls say which of them are missing, and that may be another now.
    named::tell(shared, &[]);
}

pub(super) fn unknown(name: &str) -> Fault {
    Fault::not_found(
        format!("there is no skill {name}"),
        "coterie skill list shows those that there are",
    )
    .of(FaultKind::SkillUnknown { name: name.to_owned() })
}

/// As people write where something is wrong with a skill.
pub(super) fn place_of(folder: &Path, problem: &SoulProblem) -> String {
    let SoulProblem { line, column, message, .. } = problem;
    format!("{}:{line}:{column}: {message}", file_in(folder).display())
}
