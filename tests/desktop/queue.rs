//! What was not said yet, and a window that ends.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{id, key};
use rustix::process::{Signal, kill_process};

#[tokio::test]
async fn what_waits_and_what_is_being_written_outlives_a_killed_window() {
    let seed = seed()
        .endless_answer("dig", "I dig and")
        .answer("tea", "Tea it is.")
        .answer("cake", "Cake it is.");
    let machine = Machine::seeded(seed).await;
    let window = machine.open_window().await;
    window.say("Please dig").await;
    window.see_text(&id("streaming"), "I dig and").await;
    window.say("And tea").await;
    window.say("And cake").await;
    window.write(&id("composer"), "And perhaps").await;
    until("both are kept", async || {
        (window.texts(&id("queued[data-kept=true]")).await.len() == 2).then_some(())
    })
    .await;
    until("the draft is kept", async || {
        let drafts = machine.drafts().await;
        drafts.iter().any(|draft| draft.written.text == "And perhaps").then_some(())
    })
    .await;
    kill_process(window.program(), Signal::KILL).expect("it runs");
    drop(window);

    let again = machine.open_window().await;
    again.see_text(&id("queued"), "And tea").await;
    again.see_text(&id("queued"), "And cake").await;
    let written = "return document.querySelector('[data-testid=composer]').value";
    assert_eq!(again.run(written, &[]).await, "And perhaps");
    again.see_text(&id("streaming"), "I dig and").await;
    again.keep_picture("queue-again").await;
    again.press(&[key::ESCAPE]).await;
    again.see_message("Ada: Tea it is.").await;
    again.see_message("Ada: Cake it is.").await;
    again.see_gone(&id("queue")).await;
    let said = again.messages().await;
    let mine: Vec<&String> = said.iter().filter(|line| line.starts_with("user: ")).collect();
    assert_eq!(mine, ["user: Please dig", "user: And tea", "user: And cake"]);
    assert_eq!(again.run(written, &[]).await, "And perhaps");
}
