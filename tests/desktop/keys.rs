//! Where keys live, on a machine with a keyring, without one, and between the two.

use crate::machine::Machine;
use crate::models::shows_no_trace;
use crate::seed::seed;
use crate::window::id;
use domain::{Call, Command, Provider, ProviderKind};

const KEY: &str = "sk-planted-kept-0123456789abcd";
const PASSPHRASE: &str = "planted horse battery";

/// A provider that wants a key nobody has given yet.
async fn wants_a_key(machine: &Machine) {
    let provider = Provider {
        name: "acme".into(),
        kind: ProviderKind::Openai,
        base_url: Some("http://127.0.0.1:9/v1".into()),
        key_env: None,
        key: Some("provider/acme".into()),
        models: Vec::new(),
    };
    machine.ask(Call::Command(Command::save_provider(provider))).await;
}

fn row(place: &str) -> String {
    id(&format!("key-row[data-name=\"provider/acme\"][data-place={place}]"))
}

#[tokio::test]
async fn a_key_is_set_in_the_keyring_and_moved_into_a_sealed_file() {
    let machine = Machine::seeded(seed()).await.with_keyring().await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    wants_a_key(&machine).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-keys")).await;
    window.see(&row("none")).await;
    window.click(&id("key-set")).await;
    window.write(&id("key-value"), KEY).await;
    window.keep_picture("keys-typing").await;
    window.click(&id("key-save")).await;
    window.see_text(&row("keyring"), "…abcd").await;
    window.see_text(&row("keyring"), "the system keyring").await;
    shows_no_trace(&window, KEY).await;
    window.keep_picture("keys").await;

    window.click(&id("keys-seal")).await;
    window.see_text(&id("seal-dialog"), "Nobody can bring back a passphrase").await;
    window.click(&id("seal-agree")).await;
    window.write(&id("seal-passphrase"), PASSPHRASE).await;
    window.write(&id("seal-again"), PASSPHRASE).await;
    window.keep_picture("keys-consent").await;
    window.click(&id("seal-do")).await;
    window.see(&id("keys-banner[data-state=apart]")).await;
    window.click(&id("move-to-sealed")).await;
    window.see(&row("sealed")).await;
    window.see_text(&id("toast"), "1 key was moved").await;
    window.see(&id("keys-banner[data-state=sealed]")).await;
    shows_no_trace(&window, PASSPHRASE).await;

    // Locked, it says so on every page, and is opened from there.
    window.click(&id("keys-lock")).await;
    for page in ["conversations", "souls", "runs"] {
        window.click(&id(&format!("rail-{page}"))).await;
        window.see(&id(&format!("page-{page}"))).await;
        window.see(&id("keys-banner[data-state=locked]")).await;
    }
    window.keep_picture("keys-locked").await;
    window.click(&id("banner-unlock")).await;
    window.write(&id("unlock-passphrase"), "another horse battery").await;
    window.click(&id("unlock-do")).await;
    window.see_text(&id("unlock-dialog"), "passphrase").await;
    window.write(&id("unlock-passphrase"), PASSPHRASE).await;
    window.click(&id("unlock-do")).await;
    window.see(&id("keys-banner[data-state=sealed]")).await;

    // And back, which leaves nothing behind.
    window.click(&id("banner-keys")).await;
    window.click(&id("move-to-keyring")).await;
    window.see(&row("keyring")).await;
    window.see_gone(&id("keys-banner")).await;
    for secret in [KEY, PASSPHRASE] {
        shows_no_trace(&window, secret).await;
    }
}

#[tokio::test]
async fn without_a_keyring_a_key_finds_its_place_only_by_consent() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    wants_a_key(&machine).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-keys")).await;
    window.see(&id("place-keyring[data-state=trouble]")).await;
    window.see(&id("keys-banner[data-state=nowhere]")).await;
    window.keep_picture("keys-nowhere").await;
    window.click(&id("banner-seal")).await;
    window.click(&id("seal-agree")).await;
    window.write(&id("seal-passphrase"), PASSPHRASE).await;
    window.write(&id("seal-again"), PASSPHRASE).await;
    window.click(&id("seal-do")).await;
    window.click(&id("key-set")).await;
    window.write(&id("key-value"), KEY).await;
    window.click(&id("key-save")).await;
    window.see(&row("sealed")).await;
    window.see(&id("keys-banner[data-state=sealed]")).await;
    window.keep_picture("keys-sealed").await;
}

#[tokio::test]
async fn a_keyring_that_goes_is_said_on_every_page() {
    let mut machine = Machine::seeded(seed()).await.with_keyring().await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    wants_a_key(&machine).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-keys")).await;
    window.click(&id("key-set")).await;
    window.write(&id("key-value"), KEY).await;
    window.click(&id("key-save")).await;
    window.see(&row("keyring")).await;
    machine.lose_keyring();
    window.click(&id("keys-check")).await;
    window.see(&id("keys-banner[data-state=unreachable]")).await;
    window.see(&id("place-keyring[data-state=trouble]")).await;
    window.click(&id("rail-conversations")).await;
    window.see(&id("keys-banner[data-state=unreachable]")).await;
    window.keep_picture("keys-unreachable").await;

    // A key that is entered again finds a place, and nothing is left to say of the keyring.
    window.click(&id("banner-keys")).await;
    window.click(&id("keys-seal")).await;
    window.click(&id("seal-agree")).await;
    window.write(&id("seal-passphrase"), PASSPHRASE).await;
    window.write(&id("seal-again"), PASSPHRASE).await;
    window.click(&id("seal-do")).await;
    window.see_text(&id("keys-banner[data-state=behind]"), "1 key lies in").await;
    window.keep_picture("keys-left-behind").await;
    window.click(&format!("{} {}", row("keyring"), id("key-acts"))).await;
    window.click_text("[role=menuitem]", "Replace").await;
    window.write(&id("key-value"), KEY).await;
    window.click(&id("key-save")).await;
    window.see(&row("sealed")).await;
    window.see(&id("keys-banner[data-state=sealed]")).await;
    window.see_gone(".note.danger").await;
}
