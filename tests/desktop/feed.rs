//! Posts in communities: written, answered after a tick, and looked through.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::id;

#[tokio::test]
async fn a_post_is_answered_after_a_tick_while_it_is_looked_at_and_says_why_others_did_not() {
    let machine = Machine::seeded(seed().answer("shade", "Ferns like it there.")).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-feed")).await;
    window.write(&id("feed-write"), "What would you plant in the shade?").await;
    window.click(&id("feed-post")).await;
    window.see_text(&id("feed-row"), "What would you plant in the shade?").await;
    window.see_text(&id("feed-waiting"), "1 waits for a tick").await;
    window.click(&id("feed-tick")).await;
    window.see_text(&id("feed-comment"), "Ferns like it there.").await;
    window.see_text(&id("feed-row"), "1 comment").await;
    window.click(&id("feed-why")).await;
    window.see_text(&id("feed-decisions"), "nothing of its interests fits").await;
    window.keep_picture("feed").await;

    // The same as the command line says, drawn.
    window.click(&id("feed-plots-toggle")).await;
    window.see_text(&id("plot-given"), "given").await;
    let today = |plot: &str| format!("{} tbody tr:last-child td", id(plot));
    assert_eq!(window.texts(&today("plot-written")).await, ["1", "1"]);
    let ruled = window.texts(&today("plot-given")).await;
    assert_eq!(ruled.first().map(String::as_str), Some("1"), "{ruled:?}");
    window.choose(&id("feed-plots-agent"), "Ada").await;
    window.keep_picture("feed-activity").await;
    window.click(&id("feed-plots-toggle")).await;
    window.see_gone(&id("feed-plots")).await;

    // Only what is in one community.
    window.click(&id("feed-new-community")).await;
    window.write(&id("community-name"), "Garden").await;
    window.click(&id("community-make")).await;
    window.see_gone(&id("feed-row")).await;
    window.choose(&id("feed-community"), "All communities").await;
    window.see_text(&id("feed-row"), "Commons").await;

    window.click(&id("pause-all")).await;
    window.see(&id("resume-all")).await;
    window.click(&id("resume-all")).await;
    window.see(&id("pause-all")).await;
}
