//! Pictures in a message, and files given to the window.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{Window, id, key};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

/// A picture of 64 by 48 pixels.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAIAAAAuKetIAAAAQ0lEQVR42u3PQQkAAAgEsAtmErMbxgp+hcEKLNP1WgQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQErhZI5lkAPmYVlwAAAABJRU5ErkJggg==";

/// Pastes a file as a browser does when one was copied.
const PASTE: &str = "const [base64, name, type] = arguments;
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], name, { type }));
    const area = document.querySelector('[data-testid=composer]');
    const event = new Event('paste', { bubbles: true, cancelable: true });
    Object.defineProperty(event, 'clipboardData', { value: data });
    area.dispatchEvent(event);";

/// As the shell tells of files that are dropped.
const DROP: &str = "window.dispatchEvent(new CustomEvent('coterie-files',
    { detail: { kind: 'dropped', paths: [arguments[0]] } }))";

/// Returns when the picture has been drawn: the page's rules let it.
async fn drawn(window: &Window, css: &str) {
    window.see(css).await;
    let script = "const image = document.querySelector(arguments[0]);
        return image.decode().then(() => image.naturalWidth, () => 0)";
    assert_eq!(window.run(script, &[css.into()]).await, json!(64), "{css} is not drawn");
}

#[tokio::test]
async fn a_picture_is_pasted_sent_and_stands_in_the_conversation() {
    let machine = Machine::seeded(seed().answer("this", "A very small picture.")).await;
    let window = machine.open_window().await;
    window.see(&id("composer")).await;
    window.run(PASTE, &[PNG.into(), "tiny.png".into(), "image/png".into()]).await;
    window.run(PASTE, &[PNG.into(), "other.png".into(), "image/png".into()]).await;
    drawn(&window, &id("attached[data-name=\"tiny.png\"] img")).await;
    let other = id("attached[data-name=\"other.png\"]");
    window.click(&format!("{other} {}", id("attached-remove"))).await;
    window.see_gone(&other).await;
    window.keep_picture("composer-with-a-picture").await;
    window.write(&id("composer"), &format!("What is this?{}", key::ENTER)).await;
    window.see_message("Ada: A very small picture.").await;
    let said = id("message[data-author=\"user\"]");
    drawn(&window, &format!("{said} {}", id("thumbnail"))).await;
    window.see_gone(&id("attachments")).await;
    window.click(&format!("{said} .open")).await;
    drawn(&window, &format!("{} img", id("attached-dialog"))).await;
    window.keep_picture("picture-in-a-message").await;
}

#[tokio::test]
async fn a_page_reads_only_what_was_dropped_on_the_window() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&id("composer")).await;
    window.run(DROP, &["/etc/hostname".into()]).await;
    window.see_text(&id("toast"), "was not dropped here").await;
    window.see_gone(&id("attachments")).await;
    // A model is named, not read.
    window.run(DROP, &["/nowhere/qwen3.gguf".into()]).await;
    window.see_text(&id("toast"), "qwen3.gguf").await;
    window.click(&id("rail-settings")).await;
    window.see_text(&id("model-file-facts"), "98 MB · Q4_1 · 135M parameters").await;
    window.see_text(&id("model-file-gpu"), "cannot use a graphics processor").await;
    window.see(&id("model-file-add")).await;
    window.keep_picture("models-on-this-computer").await;
}

#[tokio::test]
async fn of_a_pdf_the_text_is_shown_and_is_what_the_agent_reads() {
    let machine = Machine::seeded(seed().answer("Green tea is not fermented", "So I read.")).await;
    let window = machine.open_window().await;
    window.see(&id("composer")).await;
    let tea = include_bytes!("../../crates/engine/tests/pdf/tea.pdf");
    let pasted = [BASE64_STANDARD.encode(tea).into(), "tea.pdf".into(), "application/pdf".into()];
    window.run(PASTE, &pasted).await;
    let tea = id("attached[data-name=\"tea.pdf\"][data-kind=text]");
    window.click(&format!("{tea} .open")).await;
    let shown = id("attached-dialog");
    window.see_text(&shown, "a PDF with 3 pages; pictures are left out").await;
    window.see_text(&shown, "Green tea is not fermented.").await;
    window.keep_picture("pdf-text").await;
    window.press(&[key::ESCAPE]).await;
    window.see_gone(&shown).await;
    window.write(&id("composer"), &format!("What is in it?{}", key::ENTER)).await;
    window.see_message("Ada: So I read.").await;
    window.see(&format!("{} {tea}", id("message[data-author=\"user\"]"))).await;
    window.keep_picture("pdf-in-a-message").await;

    // One that gives no text says why, and nothing is attached.
    let broken = [
        BASE64_STANDARD.encode("%PDF-1.4 broken").into(),
        "b.pdf".into(),
        "application/pdf".into(),
    ];
    window.run(PASTE, &broken).await;
    window.see_text(&id("toast"), "b.pdf").await;
    window.see_gone(&id("attachments")).await;
}
