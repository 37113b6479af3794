//! Changing who an agent is, from outside and from inside the window.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{id, key};
use serde_json::json;
use std::fs;

#[tokio::test]
async fn a_soul_edited_in_any_editor_marks_the_conversations() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.say("Hello").await;
    window.see_message("Ada: Ada is here.").await;

    let file = machine.data().join("souls/ada.md");
    let text = fs::read_to_string(&file).unwrap();
    // As most editors save: the new file takes the old one's place.
    let draft = machine.data().join("souls/.ada.md.swp");
    fs::write(&draft, text.replace("role: Thinking partner", "role: Gardener")).unwrap();
    fs::rename(&draft, &file).unwrap();
    window.see_text(&id("notice-soul-changed"), "applies from here").await;
    window.see_text(&id("message[data-author=\"Ada\"]"), "Gardener").await;
    window.keep_picture("soul-changed").await;

    window.click(&id("see-what-changed")).await;
    window.see_text(&id("soul-changes"), "Gardener").await;
    window.keep_picture("soul-changes").await;
}

/// What is being written ends as who it began; the mark stands below it at once.
#[tokio::test]
async fn a_soul_edited_while_its_agent_writes_is_marked_at_once_and_answers_next() {
    let seed = seed().endless_answer("dig", "I dig and").answer_of_soul("pirate", "Arr.");
    let machine = Machine::seeded(seed).await;
    let window = machine.open_window().await;
    window.say("Please dig").await;
    window.see_text(&id("streaming"), "I dig and").await;

    let file = machine.data().join("souls/ada.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\nYou answer like a pirate.\n")).unwrap();
    window.see_text(&id("notice-soul-changed"), "Ada’s soul changed, applies from here").await;
    window.see_text(&id("streaming"), "I dig and").await;
    let order = "return [...document.querySelectorAll('[data-testid=streaming], [data-testid=notice-soul-changed]')]
        .map((one) => one.dataset.testid)";
    assert_eq!(window.run(order, &[]).await, json!(["streaming", "notice-soul-changed"]));
    window.keep_picture("soul-changed-while-writing").await;

    window.click(&id("stop")).await;
    window.see(&id("cut-short")).await;
    window.say("And now?").await;
    window.see_message("Ada: Arr.").await;
    assert_eq!(
        window.messages().await,
        ["user: Please dig", "Ada: I dig and", "user: And now?", "Ada: Arr."]
    );
}

#[tokio::test]
async fn a_broken_soul_is_named_in_the_conversation_which_leads_to_it() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.say("Hello").await;
    window.see_message("Ada: Ada is here.").await;
    let file = machine.data().join("souls/bo.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("temperature: 0.5", "temperature: 9")).unwrap();
    let trouble = id("soul-trouble");
    window.see_text(&trouble, "Bo’s soul file has an error at line 8, column 14").await;
    window.see_text(&trouble, "Version 1, the last good one, stays in force.").await;
    window.keep_picture("soul-trouble").await;
    window.say("@Bo are you there?").await;
    window.see_message("Bo: Bo is here.").await;

    window.click(&id("soul-trouble-open")).await;
    window.see(&id("soul-row[data-name=\"bo\"][aria-current=true]")).await;
    window.see(&id("soul-problems")).await;
    fs::write(&file, text).unwrap();
    window.see_gone(&id("soul-problems")).await;
    window.click(&id("rail-conversations")).await;
    window.see(&id("transcript")).await;
    window.see_gone(&trouble).await;
}

#[tokio::test]
async fn a_broken_soul_keeps_the_last_good_one_and_shows_the_place() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.click(&id("rail-souls")).await;
    window.click(&id("soul-row[data-name=\"bo\"]")).await;
    window.see_text(&id("soul-editor"), "You look for the weak spot").await;
    fs::write(machine.data().join("souls/bo.md"), "---\nname: [Bo\n---\nYou are Bo.\n").unwrap();
    window.see(&id("soul-problems")).await;
    window.keep_picture("soul-broken").await;
}

#[tokio::test]
async fn the_souls_page_saves_to_the_file() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.click(&id("rail-souls")).await;
    window.click(&id("soul-row[data-name=\"otto\"]")).await;
    let editor = format!("{} .cm-content", id("soul-editor"));
    window.see_text(&editor, "You are Otto").await;
    window.click(&editor).await;
    window.press_with_control(key::END).await;
    window.write(&editor, "Always name a day.").await;
    window.see(&id("soul-unsaved")).await;
    window.keep_picture("souls").await;
    window.click(&id("soul-save")).await;
    window.see_gone(&id("soul-unsaved")).await;

    let file = machine.data().join("souls/otto.md");
    until("the file holds the new line", async || {
        fs::read_to_string(&file).unwrap().contains("Always name a day.").then_some(())
    })
    .await;
    window.see_text(&id("soul-prompt"), "Always name a day.").await;
}
