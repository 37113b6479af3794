//! Servers of the Model Context Protocol: as a person set them up, and how they
//! are.

use crate::Attachment;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use ts_rs::TS;

/// A server as a person set it up. Nothing secret is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpSetup {
    /// Letters, digits and `-`; stands before `__` in the names of its tools.
    pub name: String,
    /// What it is called where it came from, if its name cannot say that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    pub place: McpPlace,
    /// Whether it runs.
    pub on: bool,
    /// Whether what it claims of its tools is believed.
    #[serde(default)]
    pub trusted: bool,
    /// Whether it may ask for words of a model, each time past the person.
    #[serde(default)]
    pub may_sample: bool,
    /// Its tools that nobody is offered.
    #[serde(default)]
    pub switched_off: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum McpPlace {
    /// A program that is started, and spoken with through its pipes.
    Program {
        command: String,
        arguments: Vec<String>,
        /// Besides the few variables that every program gets.
        environment: BTreeMap<String, McpValue>,
        /// Where it starts; the person's own folder, if there is none.
        folder: Option<String>,
    },
    Address {
        url: String,
        headers: BTreeMap<String, McpValue>,
    },
}

/// What a variable or a header holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum McpValue {
    Plain {
        value: String,
    },
    /// It lies with the keys, under this name.
    Key {
        key: String,
    },
    /// What this variable of the owning process holds at the time.
    Variable {
        variable: String,
    },
}

/// What is given replaces what stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct McpPatch {
    pub on: Option<bool>,
    pub trusted: Option<bool>,
    pub may_sample: Option<bool>,
    /// Its own names for tools, and whether agents are offered them.
    pub tools: Option<BTreeMap<String, bool>>,
}

/// A server with how it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpServer {
    pub setup: McpSetup,
    pub state: McpState,
    /// Those that it has, or had when it was there last.
    pub tools: Vec<McpTool>,
    /// Of its process and all that this started.
    pub memory_bytes: Option<u64>,
}

/// `why` is somebody else's English.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum McpState {
    Off,
    /// It starts with a process that stays, of which there is none.
    Asleep,
    Starting,
    Ready {
        title: Option<String>,
        version: Option<String>,
        /// Of the protocol, as its date.
        era: String,
    },
    /// It failed so many times in a row, and is tried again.
    Resting {
        why: String,
        failed: u32,
        for_ms: u64,
    },
    /// A person has to sign in.
    SignIn {
        why: String,
    },
    /// As it is set up it cannot even be tried.
    Failed {
        why: String,
    },
}

/// A tool of a server, as a person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpTool {
    /// As the server knows it.
    pub name: String,
    /// As souls and agents know it.
    pub offered_as: String,
    pub description: String,
    pub on: bool,
    /// The server claims that it only looks; nobody has checked that.
    pub looks_only: bool,
    /// Why no agent can be offered it.
    pub unfit: Option<String>,
}

/// What came of a file that another app had its servers in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct McpImport {
    pub taken: Vec<McpSetup>,
    /// What went to the keys, by its names there.
    pub keys: Vec<String>,
    /// What has to be entered yet, under these names, before its server starts.
    pub missing: Vec<String>,
    pub left_out: Vec<McpLeftOut>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpLeftOut {
    pub name: String,
    pub why: String,
}

/// What a server has for people: what can be shown with a message, and what can be said
/// in its words. All of it is somebody else's English.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct McpOffers {
    pub resources: Vec<McpResource>,
    pub templates: Vec<McpTemplate>,
    pub prompts: Vec<McpPrompt>,
}

/// Something that a server has to be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpResource {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
    pub bytes: Option<u64>,
}

/// The addresses of more of it, with `{…}` where something is to be put in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpTemplate {
    pub uri_template: String,
    pub name: String,
    pub description: Option<String>,
}

/// A text that a server writes for a person to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpPrompt {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub arguments: Vec<McpArgument>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct McpArgument {
    pub name: String,
    pub description: Option<String>,
    pub required: bool,
}

/// A prompt with its arguments put in, for the person to look at before they say it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FilledPrompt {
    pub text: String,
    /// What goes along with it.
    pub attachments: Vec<Attachment>,
}
