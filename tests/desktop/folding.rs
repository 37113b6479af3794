//! What is long stands folded, and opens without moving who reads it.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{id, key};
use serde_json::json;

/// Presses the button of the fold; gives how far the message has moved once it was drawn anew.
const OPEN: &str = "const top = () => document.querySelector('[data-testid=message][data-author=Ada]').getBoundingClientRect().top;
    const before = top();
    document.querySelector('[data-testid=show-all]').click();
    const drawn = () => new Promise((done) => requestAnimationFrame(done));
    return (async () => {
        for (let frame = 0; frame < 6; frame += 1) await drawn();
        return Math.abs(top() - before);
    })()";

#[tokio::test]
async fn a_long_message_opens_where_it_stands_and_for_what_is_found_in_it() {
    let lines: Vec<String> = (1..=60).map(|n| format!("Line {n} of the tale.")).collect();
    let tale = format!("{}\n\nThe kettle is under the stairs.", lines.join("\n\n"));
    let machine = Machine::seeded(seed().answer("tale", &tale)).await;
    let window = machine.open_window().await;
    window.say("Tell me the tale").await;
    let said = format!("{} {}", id("message[data-author=\"Ada\"]"), id("body"));
    window.see_text(&said, "under the stairs").await;
    // Who has read it while it was written is not to see it fold up.
    window.see_text(&id("show-all"), "Show less").await;
    window.see_gone(".folded").await;
    window.close().await;

    let again = machine.open_window().await;
    again.see(".folded").await;
    again.see_text(&id("show-all"), "Show all").await;
    again.keep_picture("folded").await;
    let moved = again.run(OPEN, &[]).await;
    assert!(moved.as_f64().is_some_and(|moved| moved < 2.0), "the message has moved by {moved}");
    again.see_gone(".folded").await;
    again.keep_picture("unfolded").await;
    again.focus(&id("show-all")).await;
    again.press(&[key::ENTER]).await;
    again.see(".folded").await;

    again.press_with_control('f').await;
    again.write(&id("find-text"), "kettle").await;
    again.see_gone(".folded").await;
    let in_sight = "const [found] = CSS.highlights.get('found') ?? [];
        const box = found?.getBoundingClientRect();
        const page = document.querySelector('[data-testid=transcript]').getBoundingClientRect();
        return [found?.toString(), Boolean(box && box.top >= page.top - 1 && box.bottom <= page.bottom + 1)]";
    until("the words that were found are in sight", async || {
        (again.run(in_sight, &[]).await == json!(["kettle", true])).then_some(())
    })
    .await;
    again.keep_picture("found-in-a-fold").await;
}
