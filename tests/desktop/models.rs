//! From no provider to an answer: a server, its key, a test, a model.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{Window, id, key};
use domain::{Appearance, Call, Command, Language, SettingsPatch, Theme};
use serde_json::json;
use tests::fake_server::{CHAT, FakeServer, MODELS, Reply};

const WRONG: &str = "sk-planted-wrong-0123456789";
const RIGHT: &str = "sk-planted-right-0123456789";

fn refusal() -> Reply {
    Reply::refusal("401 Unauthorized", &json!({"error": {"message": "no such key"}}))
}

#[tokio::test]
async fn a_provider_is_set_up_and_answers() {
    let server = FakeServer::start().await;
    let machine = Machine::seeded(seed()).await.with_keyring().await;
    let window = machine.open_window().await;
    window.click(&id("rail-settings")).await;
    window.click(&id("provider-add")).await;
    window.write(&id("pick-find"), "openrouter").await;
    window.see(&id("pick[data-value=\"openrouter\"]")).await;
    window.keep_picture("set-up-presets").await;
    window.empty(&id("pick-find")).await;
    window.write(&id("pick-find"), &format!("another{}", key::ENTER)).await;
    window.write(&id("set-up-url"), &server.base_url()).await;

    // A key that is refused: what is wrong, and an empty field.
    server.once(MODELS, refusal());
    window.write(&id("set-up-key"), WRONG).await;
    window.click(&id("set-up-test")).await;
    window.see_text(&id("set-up-fault"), "refused the key").await;
    window.keep_picture("set-up-refused").await;
    shows_no_trace(&window, WRONG).await;

    // One that is right; and a stranger is not told.
    let list = json!({"data": [
        {"id": "small", "context_length": 8192},
        {"id": "large", "context_length": 131_072},
    ]});
    server.once(MODELS, Reply::json(&list));
    server.once(MODELS, refusal());
    window.write(&id("set-up-key"), RIGHT).await;
    window.click(&id("set-up-test")).await;
    window.see_text(&id("set-up-works"), "2 models").await;
    window.keep_picture("set-up-models").await;
    window.click(&format!("{} {}", id("role-row[data-name=\"large\"]"), id("role-default"))).await;
    window.click(&id("set-up-done")).await;
    window.see_gone(&id("set-up")).await;
    let row = id("provider-row[data-name=\"server\"]");
    window.see_text(&row, "the system keyring").await;
    window.keep_picture("settings-models").await;
    assert_eq!(server.asked(2).await.header("authorization"), Some(&*format!("Bearer {RIGHT}")));
    assert_eq!(server.asked(3).await.header("authorization"), None);

    server.always(CHAT, Reply::saying("Hello from the large one"));
    window.click(&id("rail-conversations")).await;
    window.say("Hello").await;
    window.see_message("Ada: Hello from the large one").await;
    let asked = server.asked(4).await;
    assert_eq!(asked.header("authorization"), Some(&*format!("Bearer {RIGHT}")));
    assert_eq!(asked.json()["model"], "large");
    shows_no_trace(&window, RIGHT).await;
}

#[tokio::test]
async fn the_model_of_an_agent_is_chosen_where_one_writes() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.click(&id("model-choice")).await;
    window.see(&id("pick[data-value=\"scripted/play\"]")).await;
    window.keep_picture("model-choice").await;
    window.click(&id("model-who")).await;
    window.click_text(".options [role=option]", "Ada").await;
    window.see_gone(".options").await;
    window.write(&id("pick-find"), &format!("reas{}", key::ENTER)).await;
    until("Ada has the model of the role", async || {
        (machine.agent("Ada").await.model.as_deref() == Some("reasoning")).then_some(())
    })
    .await;
    assert_eq!(machine.agent("Bo").await.model, None);
    window.click(&id("toast-undo")).await;
    until("Ada has none of its own", async || {
        machine.agent("Ada").await.model.is_none().then_some(())
    })
    .await;
}

#[tokio::test]
async fn setting_up_in_every_look() {
    let machine = Machine::seeded(seed()).await.with_keyring().await;
    let window = machine.open_window().await;
    for (look, theme, language) in
        [("dark", Theme::Dark, Language::En), ("zh", Theme::Light, Language::Zh)]
    {
        let appearance = Appearance { theme, language, ..Appearance::default() };
        let patch = SettingsPatch { appearance: Some(appearance), ..SettingsPatch::default() };
        machine.ask(Call::Command(Command::ChangeSettings { patch })).await;
        window.click(&id("rail-settings")).await;
        window.click(&id("settings-models")).await;
        window.click(&id("provider-add")).await;
        window.see(&id("pick[data-value=\"anthropic\"]")).await;
        window.keep_picture(&format!("{look}-set-up-presets")).await;
        window.click(&id("pick[data-value=\"anthropic\"]")).await;
        window.see(&id("set-up-key")).await;
        window.keep_picture(&format!("{look}-set-up-key")).await;
        window.press(&[key::ESCAPE]).await;
        window.see_gone(&id("set-up")).await;
    }
}

/// Not in the page, not in its fields, not in what it keeps.
pub(crate) async fn shows_no_trace(window: &Window, planted: &str) {
    let everything = "return JSON.stringify([
        document.documentElement.outerHTML,
        [...document.querySelectorAll('input, textarea')].map((one) => one.value),
        {...localStorage}, {...sessionStorage}, document.cookie, location.href])";
    let everything = window.run(everything, &[]).await;
    let everything = everything.as_str().expect("a text");
    assert!(everything.contains("page-"), "this is no page of ours");
    assert!(!everything.contains(planted), "the window shows a key");
}
