//! Models that are files on this machine, run by Coterie's own engine.

use crate::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A GGUF file that agents can be answered by, as its header tells of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LocalModel {
    /// `provider/model`, as roles name it.
    pub model: String,
    pub path: String,
    /// It came with Coterie and is not on a person's own list.
    pub ships: bool,
    /// What is known of it; nothing where the file cannot be read.
    pub about: Option<AboutModel>,
    /// Why it cannot be used.
    pub wrong: Option<Fault>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AboutModel {
    /// The name that it gives itself.
    pub title: Option<String>,
    pub architecture: Option<String>,
    pub bytes: u64,
    pub parameters: u64,
    /// How its numbers are stored, for example `Q4_K_M`.
    pub quantisation: Option<String>,
    /// What it was made to read and write at once.
    pub context_tokens: Option<u32>,
    /// What it is given of that here.
    pub window_tokens: u32,
    /// It brings the template of its conversations along.
    pub has_template: bool,
    /// Why that template cannot be used: the conversation is told in ChatML then,
    /// which the model may take badly.
    pub template_wrong: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LocalModels {
    pub models: Vec<LocalModel>,
    /// Whether this build of the engine can use a graphics processor.
    pub gpu: bool,
}
