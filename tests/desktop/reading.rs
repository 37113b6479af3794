//! A conversation is quoted, searched, gone back in and taken along.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{Window, id, key};
use serde_json::json;
use std::fs;

#[tokio::test]
async fn a_conversation_is_quoted_searched_and_written_to_a_file() {
    let seed = seed().answer("Which tea", "Green tea.").answer("Why", "It is fresh.");
    let machine = Machine::seeded(seed).await;
    let window = machine.open_window().await;
    window.say("Which tea?").await;
    window.see_message("Ada: Green tea.").await;
    window.click(&format!("[data-author=Ada] {}", id("quote"))).await;
    window.see_text(&format!("[data-region=composer] {}", id("quoted")), "Green tea.").await;
    window.keep_picture("composer-with-a-quote").await;
    window.write(&id("composer"), &format!("Why?{}", key::ENTER)).await;
    window.see_message("Ada: It is fresh.").await;
    window.see_text(&format!("[data-author-kind=user] {}", id("quoted")), "Green tea.").await;

    window.press_with_control('f').await;
    window.write(&id("find-text"), "TEA").await;
    window.see_text(&id("find-place"), "1 of 2").await;
    window.press(&[key::ENTER]).await;
    window.see_text(&id("find-place"), "2 of 2").await;
    let set_off = "return [...CSS.highlights.get('found')].map(String)";
    assert_eq!(window.run(set_off, &[]).await, json!(["tea"]));
    window.keep_picture("find-in-a-conversation").await;
    window.press(&[key::ESCAPE]).await;
    window.see_gone(&id("find-bar")).await;

    let file = machine.home().join("tea.md");
    window.click(&id("group-acts")).await;
    window.click_text("[role=menuitem]", "Export").await;
    window.write(&id("export-group-path"), file.to_str().expect("a path")).await;
    window.keep_picture("export-a-conversation").await;
    window.click(&id("export-group-do")).await;
    window.see_text(&id("export-group-report"), "4 messages written").await;
    let written = fs::read_to_string(&file).expect("it is there");
    assert!(written.contains("> Ada: Green tea.\n\nWhy?\n"), "{written}");
}

/// Four, each longer than the window.
async fn tell_tales(window: &Window) {
    for n in 1..=4 {
        window.say(&format!("Tell me tale {n}")).await;
        until("it is told", async || {
            let idle = window.texts(&id("streaming")).await.is_empty();
            let last = window.messages().await.last().cloned()?;
            (idle && last.contains("So it goes")).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_marks_beside_a_long_conversation_lead_to_what_was_said() {
    let machine = Machine::seeded(seed().answer("tale", &"So it goes.\n\n".repeat(20))).await;
    let window = machine.open_window().await;
    tell_tales(&window).await;
    let first = "const own = [...document.querySelectorAll('[data-testid=message]')].find((one) => one.innerText.includes('tale 1'));
        const box = own?.getBoundingClientRect();
        return Boolean(box && box.top >= 0 && box.bottom <= innerHeight)";
    assert_eq!(window.run(first, &[]).await, false, "it is out of sight");
    window.see(&format!("{}:nth-child(4)", id("jump"))).await;
    window.keep_picture("jump-rail").await;
    window.focus(&format!("{}:last-child", id("jump"))).await;
    window.press(&[key::UP, key::UP, key::UP, key::ENTER]).await;
    until("the first message is in sight", async || {
        (window.run(first, &[]).await == true).then_some(())
    })
    .await;
}

/// The browser's own way to a page is a slow one, and would end where a row on it is measured.
#[tokio::test]
async fn keys_move_by_a_page_to_the_start_and_to_the_end() {
    let machine = Machine::seeded(seed().answer("tale", &"So it goes.\n\n".repeat(20))).await;
    let window = machine.open_window().await;
    tell_tales(&window).await;
    window.focus(&id("transcript")).await;
    let (end, height) = (place(&window).await, height(&window).await);
    assert!(end > 2.0 * height, "it is long: {end} of {height}");

    window.press(&[key::PAGE_UP]).await;
    // Rows that come into sight are measured then, so that a page is not the same everywhere.
    see_place(&window, "a page up", |at| end - at > 0.5 * height).await;
    window.press(&[key::HOME]).await;
    see_place(&window, "the start", |at| at < 1.0).await;
    window.press(&[key::PAGE_DOWN]).await;
    see_place(&window, "a page down", |at| at > 0.5 * height && at < 1.5 * height).await;
    window.press(&[key::END]).await;
    until("the end is in sight", async || {
        let below = number(&window, "scrollHeight").await - place(&window).await - height;
        (below < 3.0).then_some(())
    })
    .await;
}

async fn place(window: &Window) -> f64 {
    number(window, "scrollTop").await
}

async fn height(window: &Window) -> f64 {
    number(window, "clientHeight").await
}

async fn number(window: &Window, of: &str) -> f64 {
    let script = "return document.querySelector('[data-testid=transcript]')[arguments[0]]";
    window.run(script, &[of.into()]).await.as_f64().expect("a number of pixels")
}

async fn see_place(window: &Window, what: &str, fits: impl Fn(f64) -> bool) {
    until(&format!("{what} is in sight"), async || fits(place(window).await).then_some(())).await;
}
