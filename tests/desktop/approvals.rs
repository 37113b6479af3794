//! What a person is asked before an agent does something risky: seen, answered
//! and taken back in the window.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::id;

#[tokio::test]
async fn a_question_is_answered_in_its_line_and_what_was_allowed_is_taken_back_in_settings() {
    // Longer than any line of the conversation.
    let content = "tea ".repeat(80);
    let machine = Machine::seeded(seed().writing("write it down", "plan.md", &content)).await;
    let file = machine.data().join("desk/plan.md");
    let window = machine.open_window().await;
    window.say("Please write it down").await;
    window.see_text(&id("approval-target"), "desk/plan.md").await;
    window.see_text(&id("approval-arguments"), "tea tea").await;
    window.see_text(&id("approval-risk"), "High risk").await;
    window.see_text(&id("streaming"), "Ada waits for your answer").await;
    let too_wide = format!(
        "const box = document.querySelector('{}'); return box.scrollWidth > box.clientWidth;",
        id("transcript")
    );
    assert_eq!(window.run(&too_wide, &[]).await, false);
    window.see_text(&id("approvals-badge"), "1").await;
    window.keep_picture("approval-card").await;
    assert!(!file.exists());
    window.click(&id("approval-always")).await;
    window.see_message("Ada: It is written.").await;
    assert_eq!(std::fs::read_to_string(&file).expect("it is written"), content);
    window.see_gone(&id("approvals-badge")).await;

    // What is always allowed is not asked about.
    std::fs::remove_file(&file).expect("it is there");
    window.say("Please write it down again").await;
    until("the file is written again", async || file.exists().then_some(())).await;

    window.click(&id("rail-approvals")).await;
    window.see(&id("approval-row[data-state=used]")).await;
    window.keep_picture("approvals").await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-grants")).await;
    window.see_text(&id("grant-row"), "desk/plan.md").await;
    window.keep_picture("grants").await;
    window.click(&id("grant-revoke")).await;
    window.see_gone(&id("grant-row")).await;
}

#[tokio::test]
async fn what_waits_is_whole_above_what_was_answered_however_little_room_there_is() {
    let machine = Machine::seeded(seed().writing("write it down", "plan.md", "tea")).await;
    let window = machine.open_window().await;
    for _ in 0..2 {
        window.say("Please write it down").await;
        window.click(&id("approval-deny")).await;
        window.see_gone(&id("approval-card")).await;
    }
    window.say("Please write it down").await;
    window.see(&id("approval-card")).await;
    window.click(&id("rail-approvals")).await;
    window.see(&id("approval-row")).await;
    window.resize(900, 420).await;
    window.see_text(&id("approval-target"), "desk/plan.md").await;
    let is_whole = format!(
        "const card = document.querySelector('{}'); return card.scrollHeight <= card.clientHeight;",
        id("page-approvals [data-testid=approval-card]")
    );
    assert_eq!(window.run(&is_whole, &[]).await, true);
    window.keep_picture("approvals-low").await;
}
