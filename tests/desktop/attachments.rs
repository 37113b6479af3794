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

/// Pastes a picture of this size.
const PAINT: &str = "const [width, height] = arguments;
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    canvas.getContext('2d').fillRect(0, 0, width, height);
    return new Promise((done) => canvas.toBlob((blob) => {
        const data = new DataTransfer();
        data.items.add(new File([blob], `${width}x${height}.png`, { type: 'image/png' }));
        const event = new Event('paste', { bubbles: true, cancelable: true });
        Object.defineProperty(event, 'clipboardData', { value: data });
        document.querySelector('[data-testid=composer]').dispatchEvent(event);
        done();
    }, 'image/png'))";

#[tokio::test]
async fn a_picture_fills_its_frame_whatever_its_shape() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&id("composer")).await;
    let shapes: [(u32, u32, [u32; 2]); 4] = [
        (600, 300, [320, 160]),
        (300, 600, [110, 220]),
        (64, 48, [64, 48]),
        (3000, 2000, [320, 213]),
    ];
    for (width, height, _) in shapes {
        window.run(PAINT, &[width.into(), height.into()]).await;
        window
            .see(&format!("{} img", id(&format!("attached[data-name=\"{width}x{height}.png\"]"))))
            .await;
    }
    window.say("Look at these.").await;
    let boxes = "const frame = document.querySelector(arguments[0]);
        const image = frame.querySelector('img');
        return image.decode().then(() => [image, frame].map((one) => {
            const { width, height } = one.getBoundingClientRect();
            return [width, height];
        }))";
    let near = |one: [f64; 2], other: [f64; 2], by: f64| {
        one.iter().zip(other).all(|(one, other)| (one - other).abs() < by)
    };
    for (width, height, drawn) in shapes {
        let name = id(&format!("attached[data-name=\"{width}x{height}.png\"]"));
        let said = format!("{} {name}", id("message[data-author=\"user\"]"));
        window.see(&format!("{said} img")).await;
        let found = window.run(boxes, &[said.as_str().into()]).await;
        let [image, frame]: [[f64; 2]; 2] = serde_json::from_value(found).expect("two boxes");
        assert!(near(image, drawn.map(f64::from), 1.5), "{name}: {image:?}");
        // Its line around it is one pixel on each side.
        let around = image.map(|side| side + 2.0);
        assert!(near(frame, around, 0.5), "{name}: {image:?} in {frame:?}");
    }
    window.keep_picture("pictures-of-all-shapes").await;
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
