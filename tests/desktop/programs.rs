//! Programs from outside in Settings: let in, seen from a terminal, and let in no longer.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::id;

#[tokio::test]
async fn a_program_is_let_in_shown_and_let_in_no_longer() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-servers")).await;
    window.click(&id("program-add")).await;
    window.write(&id("program-name"), "claude").await;
    window.click_text(&id("program-reads label"), "First group").await;
    window.click_text(&id("program-says label"), "First group").await;
    window.keep_picture("program-add").await;
    window.click(&id("program-add-do")).await;
    window.see_text(&id("program-row"), "First group").await;
    window.see_text(&id("program-row"), "coterie mcp serve claude").await;
    window.keep_picture("programs").await;

    // What the window shows holds for whoever asks.
    let listed = machine.coterie(&["mcp", "grant", "list"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains("claude") && listed.contains("First group"), "{listed}");
    window.click(&id("program-revoke")).await;
    window.see_gone(&id("program-row")).await;
    until("the pass holds no longer", async || {
        let listed = machine.coterie(&["mcp", "grant", "list"]);
        (!String::from_utf8_lossy(&listed.stdout).contains("claude")).then_some(())
    })
    .await;
}
