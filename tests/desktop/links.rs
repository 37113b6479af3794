//! Where links lead: never away from the window's own pages.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::id;
use serde_json::json;
use std::fs;

#[tokio::test]
async fn a_link_opens_in_the_browser_and_the_window_stays() {
    let machine = Machine::seeded(seed()).await;
    machine.install("xdg-open", "#!/bin/sh\necho \"$1\" >> \"$HOME/opened\"\n");
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
    let opened = machine.home().join("opened");
    let mut lines: Vec<String> = until("both are opened", async || {
        let text = fs::read_to_string(&opened).ok()?;
        (text.lines().count() >= 2).then(|| text.lines().map(str::to_owned).collect())
    })
    .await;
    lines.sort();
    assert_eq!(lines, ["https://example.org/away", "https://example.org/new"]);
    assert_eq!(window.run("return location.protocol", &[]).await, json!("tauri:"));
    window.see(&id("app")).await;
}
