//! What `doctor` found.

use crate::{Fault, SoulProblem};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Check {
    /// What was looked at: `database`, `starter model`, …
    pub name: String,
    pub state: CheckState,
    /// What was found, in a sentence.
    pub detail: String,
    /// What to do, where something can be done.
    pub fix: String,
    /// The same for whoever says it in another language.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::fault::record")]
    #[ts(as = "Option<CheckKind>", optional)]
    pub kind: Option<Box<CheckKind>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct CheckKind {
    pub about: CheckAbout,
    pub finding: Finding,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum CheckAbout {
    System,
    DataDirectory,
    Database,
    Souls,
    Skills,
    Profile,
    Engine,
    Keeper,
    Sandbox,
    StarterModel,
    EmbeddingModel,
    OnnxRuntime,
    MemoryIndex,
    Reranker,
    MemoryImport,
    Prompts,
    Keyring,
    DefaultModel,
    Provider { name: String },
    McpServer { name: String },
    Agent { name: String },
    Source { name: String },
    Feed,
}

/// What a look found. `detail` is somebody else's English.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Finding {
    /// It is there, and there is nothing to say against it.
    At {
        path: String,
    },
    Fault {
        fault: Fault,
    },
    Damaged {
        detail: String,
    },

    /// Coterie compiles for it, and its makers never ran it there.
    SystemUntried {
        system: String,
    },

    SoulsInForce {
        count: u32,
        path: String,
    },
    /// `version` is the one that stays in force; 0 for none. Without a problem
    /// the file is gone.
    SoulNotInForce {
        path: String,
        problem: Option<SoulProblem>,
        version: i64,
    },

    SkillsInForce {
        count: u32,
        path: String,
    },
    /// What is in its file is wrong; `kept` says that the last right text stays in
    /// force.
    SkillNotInForce {
        path: String,
        problem: SoulProblem,
        kept: bool,
    },

    ProfileUnreadable {
        path: String,
        detail: String,
    },
    /// Agents are sure to read `most` tokens of it.
    ProfileLong {
        path: String,
        tokens: u32,
        most: u32,
    },
    ProfileEmpty {
        path: String,
    },

    PartMissing {
        path: String,
    },
    PartCut {
        path: String,
        found_bytes: u64,
        shipped_bytes: u64,
    },
    PartChanged {
        path: String,
    },

    /// Programs of agents are confined.
    Confines,
    /// Nothing holds them to the files whose modes, owners and times they may change, so
    /// they can change none.
    ConfinesWithoutMarks,
    /// By `sandbox-exec` of macOS, which held when it was tried at the start; for
    /// who leaves a program's group, limits and its end do not hold.
    ConfinesOnMac,
    /// They cannot be, so agents are offered none.
    Unconfined {
        detail: String,
    },

    /// `meaning` of them are found by what they mean too.
    MemoriesFound {
        memories: u32,
        meaning: u32,
    },
    WordsOnly {
        memories: u32,
        detail: String,
    },
    /// The provider's model that a person chose for it does not compare what they mean.
    EmbedderAway {
        memories: u32,
        model: String,
        detail: String,
    },

    /// What is found keeps the order that it has without one.
    RerankerUnused {
        path: String,
        detail: String,
    },

    /// An import that was cut off waits for its file.
    ImportCutOff {
        path: String,
        detail: String,
    },

    /// Some posts and comments could not be given out, and wait for the person.
    FeedStuck {
        events: u32,
        detail: String,
    },

    /// A prompt of the person's own cannot be used; the one that ships is.
    PromptUnused {
        detail: String,
    },

    KeyringWorks {
        name: String,
        keys: u32,
    },
    KeysApart {
        keys: u32,
    },
    SealedOpen {
        keys: u32,
    },
    SealedLocked {
        keys: u32,
    },
    SealedGone,

    Model {
        model: String,
    },
    ModelDemo {
        model: String,
    },
    /// Its provider does not name it.
    ModelUnlisted {
        model: String,
    },
    NobodyAnswers {
        fault: Fault,
    },

    ProviderAnswers {
        models: u32,
        /// It tells them to anybody, so its key is not checked by that.
        tells_anybody: bool,
        /// Calls did not reach it, and for so long none is tried.
        left_alone_seconds: Option<u32>,
    },
    ServerReady {
        tools: u32,
    },
    ServerOff,
    ServerStarting,
    /// A person has to sign in with it.
    ServerSignIn,
    ServerAway {
        detail: String,
    },
    AgentStopped {
        fault: Fault,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    Ok,
    /// Works, with something missing that the detail names.
    Degraded,
    Broken,
}
