//! What is drawn in the page under the window's own rules of what it may load:
//! diagrams that agents write, and charts of what was used.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{Window, id, key};
use serde_json::json;

/// Whether the accent colour stands somewhere in the drawing of this plot: it is
/// the colour of the first series, and of nothing else.
const DRAWN: &str = "const canvas = document.querySelector(`[data-testid=${arguments[0]}] canvas`);
    if (!canvas || canvas.width === 0) return false;
    const hex = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
    const accent = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4) {
        if (accent.every((part, of) => data[at + of] === part)) return true;
    }
    return false";

#[tokio::test]
async fn a_diagram_is_drawn_and_a_broken_one_stays_as_it_was_written() {
    let diagrams = "```mermaid\npie title Pets\n  \"Cats\" : 3\n  \"Dogs\" : 1\n```\n\nAnd a broken one:\n\n```mermaid\npie title Pets\n  \"Cats\" : many\n```";
    let machine = Machine::seeded(seed().answer("draw", diagrams)).await;
    let window = machine.open_window().await;
    window.say("Please draw").await;
    window.see(".md-code.drawn").await;
    // For each: whether there is a picture, and whether its source is in sight.
    let shown = "return [...document.querySelectorAll('.md-code')].map((one) => [
        (one.querySelector('img')?.naturalWidth ?? 0) > 100,
        one.querySelector('pre').getClientRects().length > 0])";
    until("one is drawn, and the other is as it was written", async || {
        (window.run(shown, &[]).await == json!([[true, false], [false, true]])).then_some(())
    })
    .await;
    window.keep_picture("diagram").await;
    window.focus(".md-source").await;
    window.press(&[key::ENTER]).await;
    until("its source is in sight", async || {
        (window.run(shown, &[]).await == json!([[true, true], [false, true]])).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_was_used_is_drawn_and_said_in_a_table() {
    let machine = Machine::seeded(seed().answer("tea", "Tea it is.")).await;
    let window = machine.open_window().await;
    window.say("Make tea").await;
    window.see_message("Ada: Tea it is.").await;

    window.click(&id("rail-runs")).await;
    see_drawn(&window, "plot-spend").await;
    see_drawn(&window, "plot-took").await;
    window.keep_picture("charts-of-runs").await;
    window.click(&format!("{} {}", id("plot-spend"), id("plot-table"))).await;
    window.see_text(&format!("{} .numbers", id("plot-spend")), "Ada").await;
    window.keep_picture("charts-as-a-table").await;

    window.click(&id("rail-settings")).await;
    window.click(&id("settings-budgets")).await;
    see_drawn(&window, "plot-tokens").await;
    window.see_text(&id("plot-tokens"), "in 7 days").await;
    window.focus(&format!("{} {}", id("plot-tokens"), id("plot-table"))).await;
    window.keep_picture("charts-of-usage").await;
}

async fn see_drawn(window: &Window, plot: &str) {
    until(&format!("{plot} is drawn"), async || {
        (window.run(DRAWN, &[plot.into()]).await == true).then_some(())
    })
    .await;
}
