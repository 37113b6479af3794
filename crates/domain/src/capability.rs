//! The capability graph: what an agent can use, what each of it needs, and what of
//! that is not there.

use crate::{AgentId, Risk};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Capabilities {
    pub agent: AgentId,
    /// The folders whose files are its to see.
    pub roots: Vec<String>,
    /// Those that its soul names and that it does not get.
    pub left_out: Vec<RootLeftOut>,
    pub all: Vec<Capability>,
}

/// A folder, as a soul writes it, that its agent does not get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RootLeftOut {
    pub root: String,
    pub why: RootTrouble,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RootTrouble {
    /// No such folder is there.
    Missing,
    /// A link leads there that lies where agents may write: one of them could have put
    /// it there.
    Link,
}

/// Something that an agent can use, or could if it had what that needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Capability {
    pub kind: CapabilityKind,
    pub name: String,
    pub description: String,
    /// `High` where a person is asked first.
    pub risk: Risk,
    /// Whether the agent has it.
    pub there: bool,
    pub needs: Vec<Need>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CapabilityKind {
    Tool,
    /// Brought by a server of the Model Context Protocol.
    ServerTool,
    Skill,
    Delegate,
}

/// One thing that a capability needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Need {
    pub what: NeedOf,
    pub met: bool,
}

impl Need {
    pub fn new(what: NeedOf, met: bool) -> Self {
        Need { what, met }
    }
}

/// `detail` is somebody else's English, and empty where the need is met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum NeedOf {
    /// There has to be one of this name.
    Known,
    /// The soul has to allow it, or to name it.
    Allowed,
    /// Whoever gave the agent its task has to have given it too.
    Given,
    /// A model that is told of tools.
    Model,
    /// A folder to work in.
    Folder,
    /// That programs can be confined here.
    Sandbox { detail: String },
    /// What runs it is installed for everybody.
    Program { name: String },
    /// Somebody to give a task to.
    Delegate,
    /// A skill to be loaded.
    Skill,
    /// A server of the soul's that has something to be read.
    Resources,
    /// The server that brings it runs.
    Server { name: String, detail: String },
    /// The person has not said that nobody ever uses it: in the group of this name, or
    /// anywhere where there is none.
    Unblocked { group: String },
    /// It is switched on among the tools of its server.
    SwitchedOn { server: String },
    /// What its server brings fits beside what its model is to read.
    Room { server: String },
    /// Its file is right; else with what is wrong with it.
    Valid { path: String, detail: String },
    /// A tool that a skill uses; the agent can have the skill without it.
    Tool { name: String },
}
