//! What agents are given at set times, and what is told by itself when it happens.

use crate::machine::Machine;
use crate::models::shows_no_trace;
use crate::seed::seed;
use crate::window::{Window, id};
use std::fs;
use tempfile::TempDir;

async fn act(window: &Window, acts: &str, what: &str) {
    window.click(&id(acts)).await;
    window.click_text("[role=menuitem]", what).await;
    window.see_gone("[role=menu]").await;
}

#[tokio::test]
async fn a_schedule_is_made_of_a_sentence_paused_and_given_with_what_came_of_it() {
    let machine = Machine::seeded(seed().answer("due", "Water the ferns.")).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-schedules")).await;
    window.click(&id("schedule-new")).await;
    window.write(&id("schedule-text"), "What is due today?").await;
    window.write(&id("schedule-words"), "every weekday at 9").await;
    window.see_text(&id("schedule-dialog"), "every weekday at 09:00. Next:").await;
    window.keep_picture("schedule-dialog").await;
    window.click(&id("schedule-make")).await;
    window.see_text(&id("schedule-times"), "every weekday at 09:00").await;
    window.see_text(&id("schedule-next"), "Next: ").await;
    act(&window, "schedule-acts", "Pause").await;
    window.see(&id("schedule-paused")).await;
    act(&window, "schedule-acts", "Go on").await;
    window.see_gone(&id("schedule-paused")).await;
    act(&window, "schedule-acts", "Give it now").await;
    window.see_text(&id("schedule-lately"), "answered").await;
    window.keep_picture("schedules").await;
}

#[tokio::test]
async fn a_folder_is_watched_and_what_changes_in_it_stands_in_the_feed() {
    let folder = TempDir::new().expect("a temporary folder");
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-schedules")).await;
    window.click(&id("source-new")).await;
    window.write(&id("source-name"), "Notes").await;
    window.write(&id("source-folder"), &folder.path().display().to_string()).await;
    window.click(&id("source-make")).await;
    window.see_text(&id("source-told"), "nothing told yet").await;
    fs::write(folder.path().join("plan.md"), "one").expect("it can be written");
    window.see_text(&id("source-told"), "1 post").await;
    window.keep_picture("sources").await;
    window.click(&id("rail-feed")).await;
    window.see_text(&id("feed-row"), "new: plan.md").await;
    window.see_text(&id("feed-row"), "Notes (source)").await;
}

#[tokio::test]
async fn what_a_program_sends_with_its_token_stands_in_the_feed_and_the_token_is_shown_once() {
    let machine = Machine::seeded(seed()).await.with_keyring().await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-schedules")).await;
    window.click(&id("source-new")).await;
    window.write(&id("source-name"), "Builds").await;
    window.choose(&id("source-kind"), "What programs on this computer send").await;
    window.keep_picture("source-of-programs").await;
    window.click(&id("source-make")).await;
    let header = window.see_text(&id("source-token"), "Authorization: Bearer ").await;
    let token = header.trim().trim_start_matches("Authorization: Bearer ").to_owned();
    let address = window.see_text(&id("source-token-address"), "/hooks/Builds").await;
    window.keep_picture("source-token").await;
    window.click(&id("source-token-done")).await;
    window.see_text(&id("source-address"), address.trim()).await;
    shows_no_trace(&window, &token).await;

    let send = |token: &str| {
        let sent = reqwest::Client::new().post(address.trim()).bearer_auth(token);
        sent.body("Build 7 is broken").send()
    };
    assert_eq!(send("not the token").await.expect("somebody hears it").status(), 401);
    assert_eq!(send(&token).await.expect("somebody hears it").status(), 202);
    window.see_text(&id("source-told"), "1 post").await;
    window.keep_picture("source-of-programs-told").await;
    window.click(&id("rail-feed")).await;
    window.see_text(&id("feed-row"), "Build 7 is broken").await;
    window.see_text(&id("feed-row"), "Builds (source)").await;
}
