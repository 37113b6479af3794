//! Skills: folders with instructions that an agent loads when it needs them.

use crate::{AgentId, SoulProblem};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

/// A folder with a SKILL.md, and what of it is in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Skill {
    /// That of its folder: small letters, digits and hyphens.
    pub name: String,
    /// Of its SKILL.md.
    pub path: String,
    /// What it does, and when to use it.
    pub description: String,
    pub license: Option<String>,
    /// What it says that it needs around it, in its author's words.
    pub compatibility: Option<String>,
    pub metadata: BTreeMap<String, String>,
    /// The tools that it says it uses. That gives them to nobody.
    pub tools: Vec<SkillTool>,
    /// blake3 of the text in force, hexadecimal; `None` while it was never valid.
    pub hash: Option<String>,
    /// Why what is in the file is not in force.
    pub problem: Option<SoulProblem>,
    pub warnings: Vec<SoulProblem>,
    /// The living agents whose souls name it.
    pub agents: Vec<SkillHolder>,
}

/// A tool as a skill names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillTool {
    pub said: String,
    /// The same as it is called here; `None` when no tool here is that.
    pub tool: Option<String>,
}

/// An agent that has a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillHolder {
    pub agent: AgentId,
    /// The tools, as they are called here, that the skill uses and the agent has not.
    pub lacks: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SkillDetail {
    pub skill: Skill,
    /// What is in its SKILL.md now, valid or not.
    pub text: String,
    /// What else lies in its folder.
    pub files: Vec<SkillFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SkillFile {
    /// Inside of the folder, with `/` between its parts.
    pub path: String,
    pub bytes: u64,
}
