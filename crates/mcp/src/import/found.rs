//! Where the servers stand in a file of another app.

use serde_json::{Map, Value};

/// A server as it is written down.
pub(super) struct Found<'v> {
    pub(super) title: &'v str,
    pub(super) entry: &'v Value,
    /// The folder that it is for, and where it starts unless it says another.
    pub(super) project: Option<&'v str>,
    /// It is switched off there, beside what is written of it.
    pub(super) kept_off: bool,
}

/// `None` where there is no place for servers in it.
pub(super) fn found(value: &Value) -> Option<Vec<Found<'_>>> {
    const NAMES: [&str; 3] = ["mcpServers", "servers", "context_servers"];
    let within = |value: &'_ Value| NAMES.iter().any(|name| value.get(name).is_some());
    // VS Code's settings have them one step down.
    let inner = value.get("mcp").filter(|inner| within(inner)).unwrap_or(value);
    let named = NAMES.iter().find_map(|name| inner.get(name)).and_then(Value::as_object);
    let by_project = of_projects(value);
    let all = match (named, by_project.is_empty()) {
        (Some(all), _) => Some(all),
        (None, true) => Some(bare(value)?),
        (None, false) => None,
    };
    let mut found: Vec<Found<'_>> = Vec::new();
    for (title, entry) in all.into_iter().flatten() {
        found.push(Found { title: called(title, entry), entry, project: None, kept_off: false });
    }
    for one in by_project {
        // The same is often there for one project after the other.
        if !found.iter().any(|other| other.title == one.title && other.entry == one.entry) {
            found.push(one);
        }
    }
    Some(found)
}

/// Claude Code keeps there what is set up without a word of for whom.
fn of_projects(value: &Value) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let projects = value.get("projects").and_then(Value::as_object);
    for (folder, project) in projects.into_iter().flatten() {
        let off = project.get("disabledMcpServers").and_then(Value::as_array);
        let is_off = |title: &str| off.is_some_and(|off| off.iter().any(|one| one == title));
        for (title, entry) in
            project.get("mcpServers").and_then(Value::as_object).into_iter().flatten()
        {
            let (kept_off, project) = (is_off(title), Some(folder.as_str()));
            found.push(Found { title: called(title, entry), entry, project, kept_off });
        }
    }
    found
}

/// A map of servers and of nothing else.
fn bare(value: &Value) -> Option<&Map<String, Value>> {
    const SAYS_WHERE: [&str; 5] = ["command", "url", "serverUrl", "httpUrl", "baseUrl"];
    let is_server = |entry: &Value| SAYS_WHERE.iter().any(|field| entry.get(field).is_some());
    value.as_object().filter(|all| !all.is_empty() && all.values().all(is_server))
}

/// Some apps name servers by ids, and write down beside what they show a person.
fn called<'v>(title: &'v str, entry: &'v Value) -> &'v str {
    let name = entry.get("name").and_then(Value::as_str);
    name.filter(|name| !name.trim().is_empty()).unwrap_or(title)
}
