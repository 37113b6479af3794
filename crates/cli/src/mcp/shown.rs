//! How servers, their tools and what was imported are shown.

use crate::screen::Paint;
use crate::table::table;
use domain::{
    McpArgument, McpImport, McpOffers, McpPlace, McpPrompt, McpServer, McpSetup, McpState,
};

pub(super) fn list(servers: &[McpServer], paint: Paint) -> String {
    if servers.is_empty() {
        return "there is no MCP server; coterie mcp add NAME -- COMMAND adds one\n".to_owned();
    }
    let row = |server: &McpServer| {
        [
            named(&server.setup),
            clipped(&state(server), MOST_OF_A_STATE),
            offered(server).to_string(),
            server.memory_bytes.map_or(String::new(), megabytes),
            if server.setup.trusted { "yes" } else { "no" }.to_owned(),
            place(&server.setup),
        ]
    };
    let rows = servers.iter().map(row).collect();
    table(paint, ["server", "state", "tools", "memory", "trusted", "what it is"], rows)
}

/// With what it is called where it came from.
fn named(setup: &McpSetup) -> String {
    match &setup.title {
        Some(title) => format!("{} ({title})", setup.name),
        None => setup.name.clone(),
    }
}

/// How many of its tools agents can be offered.
fn offered(server: &McpServer) -> usize {
    server.tools.iter().filter(|tool| tool.on && tool.unfit.is_none()).count()
}

pub(super) fn in_a_line(server: &McpServer) -> String {
    let name = &server.setup.name;
    match &server.state {
        McpState::Ready { .. } => format!(
            "{name} is there with {}; a soul has them with mcp: [{name}]",
            counted(offered(server), "tool")
        ),
        _ => format!("{name} is {}", state(server)),
    }
}

pub(super) fn tools(server: &McpServer, paint: Paint) -> String {
    if server.tools.is_empty() {
        return match &server.state {
            McpState::Ready { .. } => "it has no tools\n".to_owned(),
            _ => format!("nothing is known of its tools yet; it is {}\n", state(server)),
        };
    }
    let row = |tool: &domain::McpTool| {
        let offered = match (&tool.unfit, tool.on) {
            (Some(why), _) => format!("unfit: {why}"),
            (None, true) => "on".to_owned(),
            (None, false) => "off".to_owned(),
        };
        let says = if tool.looks_only { "only looks" } else { "" };
        let short = in_short(Some(&tool.description));
        [tool.name.clone(), tool.offered_as.clone(), offered, says.to_owned(), short]
    };
    let heads = ["tool", "as souls name it", "", "as it says", "what it does"];
    table(paint, heads, server.tools.iter().map(row).collect())
}

const MOST_OF_A_DESCRIPTION: usize = 60;
/// With the beginning of why it is away; the log has all of it.
const MOST_OF_A_STATE: usize = 100;

/// With the addresses that stand for more of them.
pub(super) fn resources(offers: &McpOffers, paint: Paint) -> String {
    if offers.resources.is_empty() && offers.templates.is_empty() {
        return "it has nothing to be read\n".to_owned();
    }
    let listed = offers.resources.iter().map(|one| {
        let about = one.description.as_ref().or(one.title.as_ref());
        [one.uri.clone(), one.name.clone(), in_short(about)]
    });
    let more = offers.templates.iter().map(|one| {
        [one.uri_template.clone(), one.name.clone(), in_short(one.description.as_ref())]
    });
    table(paint, ["address", "name", "what it is"], listed.chain(more).collect())
}

pub(super) fn prompts(prompts: &[McpPrompt], paint: Paint) -> String {
    if prompts.is_empty() {
        return "it has no prompts\n".to_owned();
    }
    let row = |prompt: &McpPrompt| {
        let argument = |one: &McpArgument| match one.required {
            true => format!("{}=…", one.name),
            false => format!("[{}=…]", one.name),
        };
        let arguments: Vec<String> = prompt.arguments.iter().map(argument).collect();
        let about = prompt.description.as_ref().or(prompt.title.as_ref());
        [prompt.name.clone(), arguments.join(" "), in_short(about)]
    };
    table(paint, ["prompt", "arguments", "what it is"], prompts.iter().map(row).collect())
}

/// The beginning of what somebody else wrote.
fn in_short(text: Option<&String>) -> String {
    let first = text.and_then(|text| text.lines().next()).unwrap_or_default();
    first.chars().take(MOST_OF_A_DESCRIPTION).collect()
}

fn clipped(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

pub(super) fn import(import: &McpImport, preview: bool, paint: Paint) -> String {
    let McpImport { taken, keys, missing, left_out } = import;
    let would = if preview { "would be " } else { "" };
    let mut text = format!("{} {would}taken in\n", counted(taken.len(), "server"));
    let row = |setup: &McpSetup| [named(setup), place(setup)];
    if !taken.is_empty() {
        text += &table(paint, ["server", "what it is"], taken.iter().map(row).collect());
    }
    if !keys.is_empty() {
        text += &format!("{would}kept with the keys: {}\n", keys.join(", "));
    }
    for key in missing {
        text += &format!("the file does not say what {key} is: coterie key set {key}\n");
    }
    for left in left_out {
        text += &format!("left out: {}: {}\n", left.name, left.why);
    }
    text
}

pub(super) fn gone(name: &str, permissions: usize) -> String {
    match permissions {
        0 => format!("{name} is removed"),
        n => format!(
            "{name} is removed, with {} that agents had for it",
            counted(n, "standing permission")
        ),
    }
}

fn state(server: &McpServer) -> String {
    match &server.state {
        McpState::Off => "off".to_owned(),
        McpState::Asleep => "on, and starts with the window or coterie serve".to_owned(),
        McpState::Starting => "starting".to_owned(),
        McpState::Ready { .. } => "ready".to_owned(),
        McpState::Resting { why, .. } => format!("away, and tried again: {why}"),
        McpState::SignIn { .. } => "asking you to sign in".to_owned(),
        McpState::Failed { why } => format!("not to be started: {why}"),
    }
}

fn place(setup: &McpSetup) -> String {
    match &setup.place {
        McpPlace::Program { command, arguments, .. } => {
            std::iter::once(command).chain(arguments).cloned().collect::<Vec<_>>().join(" ")
        }
        McpPlace::Address { url, .. } => url.clone(),
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
