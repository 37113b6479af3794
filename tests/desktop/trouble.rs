//! A workspace that cannot be opened, and one whose model fails.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::id;
use std::fs;

#[tokio::test]
async fn a_workspace_that_cannot_be_opened_says_why_and_can_be_tried_again() {
    let machine = Machine::new();
    fs::write(machine.data(), "a file in the folder's place").unwrap();
    let window = machine.open_window().await;
    window.see_text(&id("cannot-open"), "is not a folder").await;
    window.keep_picture("cannot-open").await;
    window.click(&id("open-again")).await;
    window.see_text(&id("cannot-open"), "still the same").await;
    fs::remove_file(machine.data()).unwrap();
    window.click(&id("open-again")).await;
    window.see(&id("welcome")).await;
}

#[tokio::test]
async fn a_corrupt_database_is_named_and_left_as_it_is() {
    let machine = Machine::seeded(seed()).await;
    let database = machine.data().join("coterie.db");
    fs::write(&database, vec![b'x'; 8192]).unwrap();
    let window = machine.open_window().await;
    window.see_text(&id("cannot-open"), "coterie.db").await;
    window.keep_picture("corrupt-database").await;
    assert_eq!(fs::read(&database).unwrap(), vec![b'x'; 8192]);
}

#[tokio::test]
async fn a_failed_answer_stands_in_the_conversation_with_its_fix() {
    let fails = seed().failing_answer("fail", "the key was refused", "set another key");
    let machine = Machine::seeded(fails).await;
    let window = machine.open_window().await;
    window.say("Please fail").await;
    window.see_text(&id("run-failed"), "The key was refused.").await;
    window.see_text(&id("run-failed"), "Set a valid key in Settings under Keys.").await;
    window.see(&id("retry")).await;
    window.keep_picture("answer-failed").await;
}
