//! Everything is found from one field, by keys alone.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{id, key};
use domain::{Call, Command, MemoryKind, MemoryScope, NewMemory};

#[tokio::test]
async fn the_palette_does_what_the_window_can_do_and_finds_souls_and_what_still_runs() {
    // Asks the calculator, and then thinks for ever.
    let seed = seed().endless_answer("391", "Let me see").calculation("fee", "17*23", "391");
    let machine = Machine::seeded(seed).await;
    let window = machine.open_window().await;
    window.say("@Ada what is the fee?").await;
    window.see_text(&id("streaming"), "Let me see").await;

    // A run that goes on.
    window.press_with_control('k').await;
    window.write(&id("palette-find"), "calculator").await;
    window.see_text(".palette [data-value^='run ']", "running").await;
    window.press(&[key::ENTER]).await;
    window.see_text(&id("page-runs"), "17*23").await;

    // An action: what it opens has the focus.
    window.press_with_control('k').await;
    window.write(&id("palette-find"), "new agent").await;
    window.see(".palette [data-value='action new_soul']").await;
    window.press(&[key::ENTER]).await;
    window.see(&id("new-soul")).await;
    window.write(&id("new-soul-name"), "Vera").await;
    window.press(&[key::ENTER]).await;
    window.see_gone(&id("new-soul")).await;

    // The soul that has come.
    window.click(&id("rail-settings")).await;
    window.see(&id("page-settings")).await;
    window.press_with_control('k').await;
    window.write(&id("palette-find"), "vera").await;
    window.see_text(".palette [data-value='soul vera'] mark", "vera").await;
    window.press(&[key::ENTER]).await;
    window.see_text(&id("page-souls"), "vera.md").await;

    // Everybody rests at one word.
    window.press_with_control('k').await;
    window.write(&id("palette-find"), "pause all").await;
    window.see_text(".palette mark", "Pause all").await;
    window.press(&[key::ENTER]).await;
    window.see_text(".toasts", "All agents are paused").await;
    window.press_with_control('k').await;
    window.write(&id("palette-find"), "resume all").await;
    window.see_text(".palette mark", "Resume all").await;
}

#[tokio::test]
async fn the_palette_leads_to_a_message_a_memory_a_conversation_and_a_page() {
    let machine = Machine::seeded(seed().answer("trees", "Shade cools a street.")).await;
    let memory = NewMemory {
        kind: MemoryKind::Fact,
        scope: MemoryScope::User,
        text: "Lin counts street trees in Lisbon".into(),
        statement: None,
        tags: Vec::new(),
        importance: None,
        valid_from_ms: None,
        valid_to_ms: None,
    };
    let window = machine.open_window().await;
    machine.ask(Call::Command(Command::AddMemory { memory })).await;
    window.say("@Ada how do trees cool a street?").await;
    window.see_message("Ada: Shade cools a street.").await;
    window.say("@Ada 小猫在哪棵树下睡觉？").await;
    window.see_message("user: @Ada 小猫在哪棵树下睡觉？").await;

    // A message, from another page.
    window.click(&id("rail-settings")).await;
    window.see(&id("page-settings")).await;
    window.press_with_control('k').await;
    window.write(&id("palette-find"), "shading").await;
    window.see_text(".palette mark", "Shade").await;
    window.keep_picture("palette").await;
    window.press(&[key::ENTER]).await;
    window.see_gone(&id("palette")).await;
    window.see_message("Ada: Shade cools a street.").await;

    // In Chinese, and a word that is not finished.
    window.press_with_control('k').await;
    window.write(&id("palette-find"), "小猫睡觉").await;
    window.see_text(".palette mark", "小猫").await;
    window.empty(&id("palette-find")).await;
    window.write(&id("palette-find"), "lisb").await;
    window.see_text(".palette mark", "Lisbon").await;
    window.press(&[key::ENTER]).await;
    window.see_text(&id("memory-text"), "Lin counts street trees in Lisbon").await;

    // By name, and by nothing at all.
    window.press_with_control('k').await;
    window.write(&id("palette-find"), "first gr").await;
    window.see_text(".palette mark", "First gr").await;
    window.press(&[key::ENTER]).await;
    window.see(&id("page-conversations")).await;
    window.press_with_control('k').await;
    window.write(&id("palette-find"), "xylophone").await;
    window.see_text(&id("palette-note"), "Nothing was found.").await;
    window.press(&[key::ESCAPE]).await;
    window.see_gone(&id("palette")).await;
    // The focus is where it was: what is typed now is written there.
    window.say("thank you").await;
    window.see_message("user: thank you").await;
}
