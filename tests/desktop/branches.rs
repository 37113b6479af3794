//! Another message in the place of one, and another answer, in the window.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{id, key};

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

/// A branch that is all in sight is no end that is followed.
#[tokio::test]
async fn another_version_stands_where_the_first_one_stood_also_from_a_short_branch() {
    let machine = Machine::seeded(seed().answer("tale", &"So it goes.\n\n".repeat(20))).await;
    let window = machine.open_window().await;
    let told = async || {
        until("it is told", async || {
            let idle = window.texts(&id("streaming")).await.is_empty();
            let last = window.messages().await.last().cloned()?;
            (idle && last.contains("So it goes")).then_some(())
        })
        .await;
    };
    for n in 1..=3 {
        window.say(&format!("Tell me tale {n}")).await;
        told().await;
    }
    window.focus(&id("transcript")).await;
    window.press(&[key::HOME]).await;
    window.click(&format!("[data-author=Ada] {}", id("answer-again"))).await;
    window.see_text(&id("version"), "2/2").await;
    told().await;
    window.click(&id("version-before")).await;
    window.see_text(&id("version"), "1/2").await;
    let stands = "const version = document.querySelector('[data-testid=version]');
        const box = version?.getBoundingClientRect();
        const inSight = Boolean(box && box.top >= 0 && box.bottom <= innerHeight);
        return inSight && version.parentElement.contains(document.activeElement)";
    until("it is in sight with the focus on its switch", async || {
        (window.run(stands, &[]).await == true).then_some(())
    })
    .await;
}
