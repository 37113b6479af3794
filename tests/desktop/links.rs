//! Where links lead: to the browser or the mail program, and never away from
//! the window's own pages.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::id;
use serde_json::json;
use std::fs;

/// Stands in for what opens addresses on this system.
fn keep_what_is_opened(machine: &Machine) {
    machine.install("xdg-open", "#!/bin/sh\necho \"$1\" >> \"$HOME/opened\"\n");
}

/// Waits until so many addresses were opened; gives them sorted.
async fn opened(machine: &Machine, addresses: usize) -> Vec<String> {
    let list = machine.home().join("opened");
    let mut lines: Vec<String> = until("every address is opened", async || {
        let text = fs::read_to_string(&list).ok()?;
        (text.lines().count() >= addresses).then(|| text.lines().map(str::to_owned).collect())
    })
    .await;
    lines.sort();
    lines
}

#[tokio::test]
async fn a_link_in_a_message_opens_in_the_browser() {
    let links = "Read [the guide](https://example.org/guide?a=1&b=2), or write to \
        [Lin](mailto:lin@example.org). [This](file:///etc/passwd) leads nowhere.";
    let machine = Machine::seeded(seed().answer("written", links)).await;
    keep_what_is_opened(&machine);
    let window = machine.open_window().await;
    window.say("Where is it written?").await;
    window.see_text(&id("message[data-author=\"Ada\"]"), "leads nowhere").await;
    window.see_gone(&id("streaming")).await;
    let link = |at: usize| format!("{} a:nth-of-type({at})", id("message"));
    assert_eq!(window.texts(&id("message a")).await, ["the guide", "Lin"]);
    window.click(&link(1)).await;
    window.see_text(&id("toast"), "https://example.org/guide?a=1&b=2").await;
    window.keep_picture("link-opened").await;
    window.click(&link(2)).await;
    assert_eq!(
        opened(&machine, 2).await,
        ["https://example.org/guide?a=1&b=2", "mailto:lin@example.org"]
    );
    assert_eq!(window.run("return location.protocol", &[]).await, json!("tauri:"));
    window.see(&id("transcript")).await;
}

/// Whatever finds its way into the page.
#[tokio::test]
async fn no_link_leads_the_window_away() {
    let machine = Machine::seeded(seed()).await;
    keep_what_is_opened(&machine);
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    let links = "const links = document.body.appendChild(document.createElement('nav'));
        links.style = 'position: fixed; inset: 0; z-index: 9999; background: white';
        links.innerHTML = '<a id=file target=_blank href=\"file:///etc/passwd\">file</a>'
            + '<a id=new target=_blank href=\"https://example.org/new\">new</a>'
            + '<a id=away href=\"https://example.org/away\">away</a>'";
    window.run(links, &[]).await;
    for link in ["#file", "#new", "#away"] {
        window.click(link).await;
    }
    assert_eq!(opened(&machine, 2).await, ["https://example.org/away", "https://example.org/new"]);
    assert_eq!(window.run("return location.protocol", &[]).await, json!("tauri:"));
    window.see(&id("app")).await;
}
