//! Keys that a person has chosen.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{id, key};

#[tokio::test]
async fn other_keys_are_chosen_work_at_once_and_after_a_restart() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&id("composer")).await;
    window.press_with_control('/').await;
    let palette = id("shortcut[data-name=\"palette\"]");
    window.see_text(&palette, "Ctrl K").await;
    window.click(&palette).await;
    window.press_with_control('p').await;
    window.see_text(&palette, "Ctrl P").await;
    window.keep_picture("shortcuts").await;
    window.press(&[key::ESCAPE]).await;
    window.see_gone(&id("shortcuts")).await;
    window.press_with_control('p').await;
    window.see(&id("palette")).await;
    window.close().await;

    let again = machine.open_window().await;
    again.see(&id("composer")).await;
    again.press_with_control('p').await;
    again.see(&id("palette")).await;
    again.press(&[key::ESCAPE]).await;
    again.see_gone(&id("palette")).await;
    again.press_with_control('/').await;
    again.see_text(&palette, "Ctrl P").await;
}
