//! The whole workspace in one file, made and put in place in the window.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{agent, id};

#[tokio::test]
async fn a_backup_is_made_and_put_in_place_in_the_window() {
    let machine = Machine::seeded(seed()).await;
    let path = machine.home().join("all.coterie").display().to_string();
    let window = machine.open_window().await;
    let say = |text: &str| {
        let said = machine.coterie(&["say", "ada", text, "--wait", "0"]);
        assert!(said.status.success(), "{said:?}");
    };
    say("before the backup");

    window.click(&id("rail-settings")).await;
    window.click(&id("settings-data")).await;
    window.write(&id("backup-path"), &path).await;
    window.click(&id("backup-do")).await;
    window.see_text(&id("backup-report"), &path).await;
    say("after the backup");

    window.write(&id("restore-path"), &path).await;
    window.click(&id("restore-look")).await;
    window.see_text(&id("restore-found"), "replaced").await;
    window.keep_picture("restore-found").await;
    window.click(&id("restore-do")).await;
    // The page is loaded again, on what was restored.
    window.see_gone(&id("restore-found")).await;
    window.see(&id("rail-settings")).await;
    let log = machine.coterie(&["group", "log", "ada"]);
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert!(log.contains("before the backup") && !log.contains("after the backup"), "{log}");
    assert_eq!(std::fs::read_dir(machine.data().join("replaced")).unwrap().count(), 1);
}

#[tokio::test]
async fn another_workspace_comes_in_in_the_window() {
    let there = Machine::seeded(seed().answer("kettle", "On the stove.")).await;
    let path = there.home().join("there.coterie").display().to_string();
    for words in [&["say", "ada", "Who has seen the kettle?"][..], &["export", &path]] {
        let done = there.coterie(words);
        assert!(done.status.success(), "{done:?}");
    }

    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-data")).await;
    window.write(&id("take-in-path"), &path).await;
    window.click(&id("take-in-look")).await;
    window.see_text(&id("take-in-preview"), "Ada is called Ada2 here").await;
    window.keep_picture("take-in-preview").await;
    window.click(&id("take-in-do")).await;
    window.see_text(&id("take-in-report"), "Its agents rest").await;
    window.click(&id("rail-conversations")).await;
    window.click(&agent("Ada2")).await;
    window.see_message("Ada2: On the stove.").await;
}
