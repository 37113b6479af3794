//! Another message in the place of one, and another answer, in the window.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::id;

#[tokio::test]
async fn a_message_is_edited_answered_again_and_forked_in_the_window() {
    let seed = seed().answer("Which tea", "Green tea.").answer("Which coffee", "A small one.");
    let machine = Machine::seeded(seed).await;
    let window = machine.open_window().await;
    window.say("Which tea?").await;
    window.see_message("Ada: Green tea.").await;
    window.click(&format!("[data-author=user] {}", id("edit-message"))).await;
    window.empty(&id("edit-text")).await;
    window.write(&id("edit-text"), "Which coffee?").await;
    window.keep_picture("edit-message").await;
    window.click(&id("edit-send")).await;
    window.see_message("Ada: A small one.").await;
    window.see_gone(&id("edit-text")).await;
    window.see_text(&id("version"), "2/2").await;

    window.click(&id("version-before")).await;
    window.see_message("Ada: Green tea.").await;
    window.see_text(&id("version"), "1/2").await;
    window.click(&format!("[data-author=Ada] {}", id("answer-again"))).await;
    window.see_text(&format!("[data-author=Ada] {}", id("version")), "2/2").await;
    window.keep_picture("versions").await;

    window.click(&format!("[data-author=Ada] {}", id("fork"))).await;
    window.see(&format!("{}:not([data-group=Ada])", id("group-page"))).await;
    window.see_message("Ada: Green tea.").await;
    window.see_gone(&id("version")).await;
}
