//! What a person does with single messages: reacting to them, and having them forgotten.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{Window, id};

/// What can be done with the first message of this author.
async fn act(window: &Window, author: &str, what: &str) {
    window.click(&format!("[data-testid=message][data-author=\"{author}\"] {}", id(what))).await;
}

#[tokio::test]
async fn a_message_is_reacted_to_and_the_reaction_outlives_the_window_until_it_is_taken_back() {
    let machine = Machine::seeded(seed().answer("Which tea", "Green tea.")).await;
    let window = machine.open_window().await;
    window.say("Which tea?").await;
    window.see_message("Ada: Green tea.").await;
    act(&window, "Ada", "react").await;
    window.see(&id("message-offer")).await;
    window.keep_picture("message-reacting").await;
    window.click_text(&id("message-offer"), "👍").await;
    window.see_text(&id("message-sign[aria-pressed=true]"), "👍 1").await;
    window.see_gone(&id("message-offer")).await;
    window.keep_picture("message-reacted").await;
    window.close().await;

    let window = machine.open_window().await;
    window.see_text(&id("message-sign"), "👍 1").await;
    window.click(&id("message-sign")).await;
    window.see_gone(&id("message-sign")).await;
}

#[tokio::test]
async fn a_message_is_forgotten_after_a_question_and_a_line_stays_in_its_place() {
    let machine = Machine::seeded(seed().answer("planted", "I keep it to myself.")).await;
    let window = machine.open_window().await;
    window.say("My planted secret is saffron").await;
    window.see_message("Ada: I keep it to myself.").await;
    act(&window, "user", "forget-message").await;
    window.see_text(&id("forget-message-dialog"), "My planted secret is saffron").await;
    window.keep_picture("message-forgetting").await;
    window.click(&id("forget-message-do")).await;
    window.see_text(&id("notice-removed"), "A message was forgotten here").await;
    window.see_text(&id("toast"), "Forgotten").await;
    assert_eq!(window.messages().await, ["Ada: I keep it to myself."]);
    window.keep_picture("message-forgotten").await;
    window.close().await;

    // Nobody finds it again, neither here nor later.
    let window = machine.open_window().await;
    window.see(&id("notice-removed")).await;
    assert_eq!(window.messages().await, ["Ada: I keep it to myself."]);
    window.close().await;
    let found = machine.coterie(&["search", "saffron"]);
    assert_eq!(String::from_utf8_lossy(&found.stdout), "nothing was found\n", "{found:?}");
}
