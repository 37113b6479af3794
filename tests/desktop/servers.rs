//! Servers of the Model Context Protocol in Settings: added, taken in, looked at,
//! switched and removed, and what one brings used in a conversation.

use crate::machine::Machine;
use crate::models::shows_no_trace;
use crate::seed::seed;
use crate::window::id;
use domain::{McpPlace, McpSetup};
use serde_json::json;
use tests::mcp_server::obedient;

const PLANTED: &str = "planted-9f31-77ab-token";

fn command_line(setup: &McpSetup) -> (&str, &[String]) {
    match &setup.place {
        McpPlace::Program { command, arguments, .. } => (command, arguments),
        McpPlace::Address { .. } => panic!("it is a program"),
    }
}

#[tokio::test]
async fn a_server_is_added_and_what_it_brings_is_used_in_a_conversation() {
    let seed = seed().echoing("echo it", "things__echo");
    let machine = Machine::seeded(seed).await.with_keyring().await;
    let setup = obedient("things", &["plain"]);
    let (command, arguments) = command_line(&setup);
    let quoted: Vec<String> = arguments.iter().map(|one| format!("\"{one}\"")).collect();
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-servers")).await;
    window.click(&id("server-add")).await;
    window.write(&id("server-name"), "things").await;
    window.write(&id("server-command"), &format!("{command} {}", quoted.join(" "))).await;
    window.write(&id("server-values"), &format!("API_TOKEN={PLANTED}")).await;
    window.keep_picture("server-add").await;
    window.click(&id("server-add-do")).await;
    window.see(&id("server-row[data-state=ready]")).await;
    window.see_text(&id("server-facts"), "11 tools").await;
    window.see_text(&id("server-facts"), "of memory").await;
    shows_no_trace(&window, PLANTED).await;

    window.click(&id("server-tools button")).await;
    window.see_text(&id("server-tool[data-name=echo]"), "things__echo").await;
    window.click(&id("server-tool[data-name=die] [data-testid=server-tool-on]")).await;
    window.see(&id("server-tool[data-name=die] [aria-checked=false]")).await;
    window.keep_picture("servers").await;

    window.click(&id("rail-conversations")).await;
    window.say("Please echo it").await;
    window.see_text(&id("approval-arguments"), "tea").await;
    window.click(&id("approval-once")).await;
    window.see_message("Ada: It came back.").await;

    window.click(&id("rail-settings")).await;
    window.click(&id("settings-servers")).await;
    window.click(&id("server-on")).await;
    window.see(&id("server-row[data-state=off]")).await;
    window.click(&id("server-acts")).await;
    window.click_text("[role=menuitem]", "Remove").await;
    window.click(&id("remove-server-do")).await;
    window.see_gone(&id("server-row")).await;
}

#[tokio::test]
async fn the_servers_of_another_app_are_pasted_looked_at_and_taken_in() {
    let machine = Machine::seeded(seed()).await.with_keyring().await;
    let setup = obedient("things", &["plain"]);
    let (command, arguments) = command_line(&setup);
    let env = json!({ "API_TOKEN": PLANTED });
    let server = json!({ "command": command, "args": arguments, "env": env });
    let text = json!({ "mcpServers": { "things": server, "empty": {} } });
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-servers")).await;
    window.click(&id("servers-import")).await;
    window.write(&id("servers-json"), &text.to_string()).await;
    window.click(&id("servers-look")).await;
    window.see_text(&id("servers-found"), "mcp/things/API_TOKEN").await;
    window.see_text(&id("servers-found"), "empty").await;
    window.keep_picture("servers-import").await;
    window.click(&id("servers-take")).await;
    window.see(&id("server-row[data-state=ready]")).await;
    window.see_gone(&id("import-servers")).await;
    shows_no_trace(&window, PLANTED).await;
}
