//! New groups that begin with a template: one that ships, and one of the person's own.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{group, id, member};
use std::fs;

const DUEL: &str = "title: Duel at dawn
about: Two, and no judge.
members: [bo, otto]
policy: broadcast
messages_per_post: 2
";

#[tokio::test]
async fn a_group_begins_with_a_template_that_says_who_sits_in_it_and_how_they_take_turns() {
    let machine = Machine::seeded(seed()).await;
    let folder = machine.data().join("templates/groups");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("duel.yaml"), DUEL).expect("a template");
    fs::write(folder.join("dusk.yaml"), "title: Dusk\n").expect("a template");
    let window = machine.open_window().await;
    window.see(&id("app")).await;

    window.click(&id("new-group")).await;
    window.see_text(&id("template-wrong"), "templates/groups/dusk.yaml").await;
    window.choose(&id("new-group-template"), "Debate").await;
    let begins = id("new-group-begins");
    window.see_text(&begins, "Otto names who speaks next, and ends it.").await;
    assert_eq!(window.texts(&format!("{begins} li")).await, ["Ada", "Bo", "Otto"]);
    window.keep_picture("group-from-a-template").await;
    let make = format!("{} button[type=submit]", id("new-group-dialog"));
    window.click(&make).await;
    window.see(&group("Debate")).await;
    for name in ["Ada", "Bo", "Otto"] {
        window.see(&member(name)).await;
    }

    window.click(&id("new-group")).await;
    window.choose(&id("new-group-template"), "Duel at dawn").await;
    window.see_text(&begins, "Two, and no judge.").await;
    window.click(&make).await;
    window.see(&group("Duel at dawn")).await;
    window.say("Who is right?").await;
    window.see_message("Bo: Bo is here.").await;
    window.see_message("Otto: Otto is here.").await;
    window.keep_picture("group-of-a-template").await;
}
