//! What a look found, put down twice: in English, and as what it is.

use domain::{Check, CheckAbout, CheckKind, CheckState, Fault, Finding};
use std::path::Path;

pub(super) fn at(about: CheckAbout, path: &Path) -> Check {
    let path = path.display().to_string();
    ok(about, path.clone(), Finding::At { path })
}

pub(super) fn failed(about: CheckAbout, state: CheckState, fault: Fault) -> Check {
    let (detail, fix) = (fault.message.clone(), fault.fix.clone());
    made(about, state, detail, fix, Finding::Fault { fault })
}

pub(super) fn ok(about: CheckAbout, detail: String, finding: Finding) -> Check {
    made(about, CheckState::Ok, detail, String::new(), finding)
}

pub(super) fn degraded(about: CheckAbout, detail: String, fix: &str, finding: Finding) -> Check {
    made(about, CheckState::Degraded, detail, fix.to_owned(), finding)
}

pub(super) fn broken(about: CheckAbout, detail: String, fix: &str, finding: Finding) -> Check {
    made(about, CheckState::Broken, detail, fix.to_owned(), finding)
}

fn made(
    about: CheckAbout,
    state: CheckState,
    detail: String,
    fix: String,
    finding: Finding,
) -> Check {
    let kind = Some(Box::new(CheckKind { finding, about: about.clone() }));
    Check { name: name(about), state, detail, fix, kind }
}

fn name(about: CheckAbout) -> String {
    let name = match about {
        CheckAbout::System => "system",
        CheckAbout::DataDirectory => "data directory",
        CheckAbout::Database => "database",
        CheckAbout::Souls => "souls",
        CheckAbout::Skills => "skills",
        CheckAbout::Profile => "profile",
        CheckAbout::Engine => "engine",
        CheckAbout::Keeper => "keeper",
        CheckAbout::Sandbox => "sandbox",
        CheckAbout::StarterModel => "starter model",
        CheckAbout::EmbeddingModel => "embedding model",
        CheckAbout::OnnxRuntime => "onnx runtime",
        CheckAbout::MemoryIndex => "memory index",
        CheckAbout::Reranker => "reranker",
        CheckAbout::MemoryImport => "memory import",
        CheckAbout::Prompts => "prompts",
        CheckAbout::Keyring => "keyring",
        CheckAbout::DefaultModel => "default model",
        CheckAbout::Provider { name } => return format!("provider {name}"),
        CheckAbout::McpServer { name } => return format!("MCP server {name}"),
        CheckAbout::Agent { name } => return format!("agent {name}"),
        CheckAbout::Feed => "feed",
        CheckAbout::Source { name } => return format!("source {name}"),
    };
    name.to_owned()
}

pub(super) fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
