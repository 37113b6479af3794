//! One page says what everybody is doing now.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{agent, id};
use serde_json::json;

fn line(name: &str) -> String {
    id(&format!("fleet-line[data-name=\"{name}\"]"))
}

#[tokio::test]
async fn what_everybody_does_changes_in_place_and_leads_there() {
    let arguments = json!({"question": "Which tea?", "choices": ["green", "black"]});
    let seed = seed().asking("make tea", arguments).endless_answer("count", "One, two");
    let machine = Machine::seeded(seed).await;
    let window = machine.open_window().await;
    window.say("@Ada make tea").await;
    window.see(&id("question-card")).await;
    window.click(&agent("Bo")).await;
    window.say("count").await;
    window.click(&id("rail-fleet")).await;
    window.see_text(&line("Ada"), "asks you: Which tea?").await;
    window.see_text(&line("Ada"), "needs you").await;
    window.see_text(&line("Bo"), "writes in your chat").await;
    window.see_text(&line("Bo"), "at work").await;
    window.see_text(&line("Otto"), "has done nothing yet").await;
    window.keep_picture("fleet").await;

    window.click(&format!("{} {}", line("Ada"), id("fleet-go"))).await;
    window.click("[data-name=answer] [data-value=black]").await;
    window.click(&id("question-send")).await;
    window.click(&id("rail-fleet")).await;
    window.see_text(&line("Ada"), "→ “Now I know.”").await;

    window.click(&id("pause-all")).await;
    window.see_text(&line("Bo"), "paused").await;
    window.see(&id("all-paused")).await;
    window.keep_picture("fleet-paused").await;
}
