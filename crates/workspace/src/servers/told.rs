//! Servers in the words that everybody speaks, and in those of whoever speaks
//! with them.

use super::stored;
use crate::shared::Shared;
use domain::{Fault, FaultKind, McpPlace, McpServer, McpSetup, McpState, McpTool, McpValue};
use mcp::{Config, Era, Given, Place, Ready, State, Status};
use secrets::Redactor;
use std::collections::BTreeMap;
use std::path::PathBuf;
use store::table::mcp_servers;

/// In order of their names.
pub(crate) fn all(shared: &Shared) -> Result<Vec<McpServer>, Fault> {
    let mut running: BTreeMap<String, Status> = BTreeMap::new();
    for status in shared.servers.running.all() {
        running.insert(status.config.name.clone(), status);
    }
    let redactor = shared.safe.redactor();
    let tell = |setup: McpSetup| {
        let status = running.remove(&setup.name);
        server(setup, status, redactor)
    };
    Ok(stored(shared).into_iter().map(|stored| stored.setup).map(tell).collect())
}

pub(super) fn one(shared: &Shared, name: &str) -> Result<McpServer, Fault> {
    let all = all(shared)?;
    all.into_iter().find(|server| server.setup.name == name).ok_or_else(|| unknown(name))
}

pub(super) fn setup_of(shared: &Shared, name: &str) -> Result<McpSetup, Fault> {
    let found = shared.store.read(|read| mcp_servers::find(read, name))?;
    found.map(|stored| stored.setup).ok_or_else(|| unknown(name))
}

/// What a server has logged since it was started last.
pub(crate) fn log(shared: &Shared, name: &str) -> Result<Vec<String>, Fault> {
    setup_of(shared, name)?;
    let lines = shared.servers.running.log(name).unwrap_or_default();
    let redactor = shared.safe.redactor();
    Ok(lines.iter().map(|line| redactor.redact(line).into_owned()).collect())
}

pub(super) fn unknown(name: &str) -> Fault {
    Fault::not_found(
        format!("there is no MCP server {name}"),
        "coterie mcp list shows those that there are",
    )
    .of(FaultKind::ServerUnknown { name: name.to_owned() })
}

fn server(setup: McpSetup, status: Option<Status>, redactor: &Redactor) -> McpServer {
    let clean = |text: &str| redactor.redact(text).into_owned();
    let tool = |listed: mcp::Listed| McpTool {
        unfit: unfit(&listed, redactor),
        name: clean(&listed.tool.name),
        offered_as: clean(&listed.name),
        description: clean(&listed.tool.description),
        on: listed.on,
        looks_only: listed.tool.hints.read_only == Some(true),
    };
    let (state, tools, memory_bytes) = match status {
        Some(status) => (status.state, status.tools, status.memory_bytes),
        None => (None, Vec::new(), None),
    };
    let state = match state {
        None if setup.on => McpState::Asleep,
        None => McpState::Off,
        Some(state) => told(state, &clean),
    };
    McpServer { setup, state, tools: tools.into_iter().map(tool).collect(), memory_bytes }
}

/// Why no agent is offered a tool.
fn unfit(listed: &mcp::Listed, redactor: &Redactor) -> Option<String> {
    if holds_key(redactor, &listed.name) || holds_key(redactor, &listed.tool.name) {
        return Some("its name has one of your keys in it".to_owned());
    }
    listed.unfit.as_ref().map(|why| redactor.redact(why).into_owned())
}

/// Such a tool has no name that could be told a model, or a person.
pub(super) fn holds_key(redactor: &Redactor, name: &str) -> bool {
    redactor.redact(name) != name
}

fn told(state: State, clean: &dyn Fn(&str) -> String) -> McpState {
    match state {
        State::Starting | State::SigningIn => McpState::Starting,
        State::Ready(Ready { about, .. }) => McpState::Ready {
            title: about.name.map(|name| clean(&name)),
            version: about.version.map(|version| clean(&version)),
            era: match about.era {
                Era::Modern => "2026-07-28".to_owned(),
                Era::Legacy => "2025-11-25".to_owned(),
            },
        },
        State::Resting { fault, failed, rest } => McpState::Resting {
            why: clean(&fault.to_string()),
            failed,
            for_ms: u64::try_from(rest.as_millis()).unwrap_or(u64::MAX),
        },
        State::SignInNeeded { fault } => McpState::SignIn { why: clean(&fault.to_string()) },
        State::Failed { fault } => McpState::Failed { why: clean(&fault.to_string()) },
        State::Stopped => McpState::Off,
    }
}

pub(super) fn config(setup: &McpSetup) -> Config {
    let McpSetup { name, title, place, on, trusted, may_sample, switched_off } = setup.clone();
    let place = match place {
        McpPlace::Program { command, arguments, environment, folder } => Place::Program {
            command,
            arguments,
            environment: given(environment),
            folder: folder.map(PathBuf::from),
        },
        McpPlace::Address { url, headers } => Place::Address { url, headers: given(headers) },
    };
    Config { name, title, place, on, trusted, may_sample, switched_off }
}

fn given(values: BTreeMap<String, McpValue>) -> BTreeMap<String, Given> {
    let given = |value| match value {
        McpValue::Plain { value } => Given::Plain(value),
        McpValue::Key { key } => Given::Secret(key),
        McpValue::Variable { variable } => Given::Variable(variable),
    };
    values.into_iter().map(|(name, value)| (name, given(value))).collect()
}

pub(super) fn setup(config: Config) -> McpSetup {
    let Config { name, title, place, on, trusted, may_sample, switched_off } = config;
    let place = match place {
        Place::Program { command, arguments, environment, folder } => McpPlace::Program {
            command,
            arguments,
            environment: values(environment),
            folder: folder.map(|folder| folder.display().to_string()),
        },
        Place::Address { url, headers } => McpPlace::Address { url, headers: values(headers) },
    };
    McpSetup { name, title, place, on, trusted, may_sample, switched_off }
}

fn values(given: BTreeMap<String, Given>) -> BTreeMap<String, McpValue> {
    let value = |given| match given {
        Given::Plain(value) => McpValue::Plain { value },
        Given::Secret(key) => McpValue::Key { key },
        Given::Variable(variable) => McpValue::Variable { variable },
    };
    given.into_iter().map(|(name, given)| (name, value(given))).collect()
}
