//! The first minute: nothing is set up, nothing is asked, and somebody answers.

use crate::machine::Machine;
use crate::window::{group, id};

#[tokio::test]
async fn a_new_workspace_opens_on_a_group_and_asks_nothing() {
    let machine = Machine::new();
    let window = machine.open_window().await;
    window.see(&id("welcome")).await;
    window.see_text(&id("starter-note"), "demo").await;
    assert_eq!(
        window.names(&id("roster-agent")).await,
        ["Ada", "Otto", "Bo", "Ines", "林夏", "老陈"]
    );
    assert_eq!(window.names(&id("roster-group")).await, ["First group"]);
    assert_eq!(window.names(&id("member")).await, ["Ada", "Otto", "Bo"]);
    window.see(&format!("{}[aria-current=true]", group("First group"))).await;
    window.keep_picture("first-start").await;
}

/// With the model that ships and the engine that runs it, and no network.
#[tokio::test]
async fn the_starter_model_answers_the_first_message() {
    let machine = Machine::new();
    let window = machine.open_window().await;
    window.click(&id("suggestion")).await;
    window.press(&[crate::window::key::ENTER]).await;
    let answer = id("message[data-author=\"Ada\"]");
    window.see(&answer).await;
    let answer = window.texts(&format!("{answer} {}", id("body"))).await;
    assert!(!answer[0].trim().is_empty(), "the starter model wrote nothing");
    window.see(&id("receipt-tokens")).await;
    window.keep_picture("starter-model").await;
}
