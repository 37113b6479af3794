//! How the servers of the Model Context Protocol are.

use super::found::{count, degraded, failed, ok};
use crate::servers;
use crate::shared::Shared;
use domain::{Check, CheckAbout, CheckState, Finding, McpServer, McpState};
use std::sync::Arc;
use std::time::Duration;

/// Those that nobody has started are started for this.
pub(super) async fn servers(shared: &Arc<Shared>) -> Vec<Check> {
    let all = match servers::all(shared) {
        Ok(all) => all,
        Err(fault) => return vec![failed(CheckAbout::Database, CheckState::Broken, fault)],
    };
    let asleep = all.into_iter().filter(|one| one.state == McpState::Asleep);
    for server in asleep {
        // Why not, its state says.
        let _ = servers::reload(shared, server.setup.name, false).await;
    }
    let names = servers::all(shared).unwrap_or_default();
    let looked = names.iter().map(|one| servers::settled(shared, &one.setup.name, PATIENCE));
    futures::future::join_all(looked).await;
    let all = servers::looked_at(shared).await.unwrap_or_default();
    all.into_iter().map(check).collect()
}

const PATIENCE: Duration = Duration::from_secs(20);

fn check(server: McpServer) -> Check {
    let McpServer { setup, state, tools, .. } = server;
    let name = setup.name;
    let about = CheckAbout::McpServer { name: name.clone() };
    let away = |detail: String, why: String| {
        degraded(
            about.clone(),
            detail,
            &format!("coterie mcp log {name} says more; coterie mcp reload {name} tries it again"),
            Finding::ServerAway { detail: why },
        )
    };
    match state {
        McpState::Off | McpState::Asleep => {
            ok(about, "switched off".to_owned(), Finding::ServerOff)
        }
        McpState::Starting => ok(about, "still starting".to_owned(), Finding::ServerStarting),
        McpState::Ready { .. } => {
            let tools = count(tools.len());
            ok(about, format!("answers; tools: {tools}"), Finding::ServerReady { tools })
        }
        McpState::SignIn { .. } => degraded(
            about,
            "it asks you to sign in".to_owned(),
            &format!("sign in in Settings under MCP, or with coterie mcp reload {name} --sign-in"),
            Finding::ServerSignIn,
        ),
        McpState::Resting { why, .. } => away(format!("away, and tried again: {why}"), why),
        McpState::Failed { why } => away(format!("it cannot be started: {why}"), why),
    }
}
