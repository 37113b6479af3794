//! Languages and themes, and a picture of every page in each.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{Window, agent, group, id};
use domain::{Appearance, Call, Command, Language, SettingsPatch, Theme};
use serde_json::json;

#[tokio::test]
async fn the_settings_change_language_and_theme_at_once() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-appearance")).await;
    window.choose(&id("setting-theme"), "Dark").await;
    window.see("html[data-theme=dark]").await;
    window.choose(&id("setting-language"), "简体中文").await;
    window.see("html[lang^=zh]").await;
    window.see_text(&id("settings-appearance"), "外观").await;
    window.see(&format!("{}[title=对话]", id("rail-conversations"))).await;
    drop(window);

    let again = machine.open_window().await;
    again.see("html[data-theme=dark]").await;
}

#[tokio::test]
async fn everything_becomes_larger_by_keys_and_is_so_after_a_restart() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&id("composer")).await;
    let own = room_in(&window).await;
    window.press_with_control('=').await;
    see_room(&window, own / 1.1).await;
    window.press_with_control('+').await;
    see_room(&window, own / 1.25).await;
    window.press_with_control('-').await;
    see_room(&window, own / 1.1).await;
    window.press_with_control('0').await;
    see_room(&window, own).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-appearance")).await;
    window.choose(&id("setting-zoom"), "150 %").await;
    see_room(&window, own / 1.5).await;
    window.keep_picture("larger").await;
    window.close().await;

    let again = machine.open_window().await;
    again.see(&id("composer")).await;
    see_room(&again, own / 1.5).await;
}

/// Pixels of the page from side to side.
async fn room_in(window: &Window) -> f64 {
    window.run("return window.innerWidth", &[]).await.as_f64().expect("a width")
}

async fn see_room(window: &Window, wanted: f64) {
    until(&format!("the page is {wanted} pixels wide"), async || {
        ((room_in(window).await - wanted).abs() < 2.0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_menu_of_a_row_covers_none_of_its_words() {
    let machine = Machine::seeded(seed().answer("long", &"So it goes. ".repeat(20))).await;
    let window = machine.open_window().await;
    window.say("Say something long").await;
    window.see_text(&group("First group"), "So it goes").await;
    let edges = "const row = document.querySelector(arguments[0]).parentElement;
        const [words, menu] = ['.prev', '[data-testid=row-menu]'].map((one) => row.querySelector(one));
        if (getComputedStyle(menu.closest('.menu')).opacity !== '1') return null;
        return [words, menu].map((one) => one.getBoundingClientRect()).map((box) => [box.left, box.right])";
    for row in [agent("Ines"), group("First group")] {
        window.point_at(&row).await;
        let [words, menu]: [[f64; 2]; 2] = until("the menu is there", async || {
            serde_json::from_value(window.run(edges, &[row.as_str().into()]).await).ok()
        })
        .await;
        assert!(
            words[1] <= menu[0],
            "{row}: words end at {}, the menu begins at {}",
            words[1],
            menu[0]
        );
    }
    window.keep_picture("row-menu").await;
}

#[tokio::test]
async fn every_page_in_every_look() {
    let table = "Here is the short of it:\n\n| day | what |\n|---|---|\n| Mon | read |\n| Tue | write |\n\n```rust\nfn main() {\n    println!(\"tea\");\n}\n```\n\nThen **rest**, and see `notes.md`. What is left is\n\n$$\\frac{a + b}{2} = \\sqrt{ab}$$";
    let seed = seed().answer("what is wrong", "Nothing, but *rest* comes late.");
    let machine = Machine::seeded(seed.answer("the plan", table)).await;
    let window = machine.open_window().await;
    window.say("What is the plan?").await;
    window.see_text(&id("message[data-author=\"Ada\"]"), "Then rest").await;
    window.see(".md-code .tok-keyword").await;
    window.see(".md-math mfrac").await;
    let formulas = "return document.querySelectorAll('.md-math math').length";
    assert_eq!(window.run(formulas, &[]).await, json!(1), "a formula is drawn once");
    window.say("@Bo and what is wrong with it?").await;
    window.see_message("Bo: Nothing, but rest comes late.").await;

    for (look, theme, language) in [
        ("light", Theme::Light, Language::En),
        ("dark", Theme::Dark, Language::En),
        ("zh", Theme::Light, Language::Zh),
    ] {
        let appearance = Appearance { theme, language, ..Appearance::default() };
        let patch = SettingsPatch { appearance: Some(appearance), ..SettingsPatch::default() };
        machine.ask(Call::Command(Command::ChangeSettings { patch })).await;
        let theme = if theme == Theme::Dark { "dark" } else { "light" };
        let tongue = if language == Language::Zh { "zh" } else { "en" };
        window.see(&format!("html[data-theme={theme}][lang^={tongue}]")).await;
        pictures(&window, look).await;
    }
    window.resize(700, 560).await;
    window.click(&id("rail-conversations")).await;
    window.see(&id("transcript")).await;
    window.keep_picture("narrow").await;
}

async fn pictures(window: &Window, look: &str) {
    let page = async |name: &str| window.click(&id(&format!("rail-{name}"))).await;
    page("conversations").await;
    window.click(&group("First group")).await;
    window.see(&id("transcript")).await;
    window.keep_picture(&format!("{look}-conversations")).await;
    page("souls").await;
    window.click(&id("soul-row[data-name=\"ada\"]")).await;
    window.see_text(&id("soul-prompt"), "Ada").await;
    window.keep_picture(&format!("{look}-souls")).await;
    page("runs").await;
    window.click(&id("run-row td")).await;
    window.see(&id("run-detail")).await;
    window.keep_picture(&format!("{look}-runs")).await;
    page("settings").await;
    for section in
        ["models", "keys", "you", "appearance", "desktop", "skills", "limits", "budgets", "data"]
    {
        window.click(&id(&format!("settings-{section}"))).await;
        window.see(&id(&format!("settings-{section}[aria-current=page]"))).await;
        window.keep_picture(&format!("{look}-settings-{section}")).await;
    }
}
