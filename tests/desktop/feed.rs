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
