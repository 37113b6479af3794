//! A server that lets in only whom its person let in (OAuth 2.1): signed in with once, and
//! never again.

#[expect(dead_code, reason = "another test of this server asks by which method it is called")]
#[path = "../../../crates/mcp/tests/all/guarded.rs"]
mod guarded;

use super::secrets::shows_nowhere;
use super::{allow, asked, does, key_names, last_said, put, ready, servers, with};
use domain::{Command, FromOwner, McpPlace, McpSetup, McpState, Secret, Update};
use futures::StreamExt;
use llm::scripted::Scripted;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tests::Stage;
use workspace::KeyParts;

/// What the server takes for its person.
const TOKEN: &str = "let-in";

fn setup(url: String) -> McpSetup {
    McpSetup {
        name: "things".into(),
        title: None,
        place: McpPlace::Address { url, headers: BTreeMap::new() },
        on: true,
        trusted: false,
        may_sample: false,
        switched_off: BTreeSet::new(),
    }
}

/// The next page that a person is shown.
async fn page(events: &mut (impl futures::Stream<Item = FromOwner> + Unpin)) -> String {
    loop {
        if let FromOwner::Event(event) = events.next().await.expect("it is open")
            && let Update::Page { server, url } = event.update
        {
            assert_eq!(server, "things");
            return url;
        }
    }
}

#[tokio::test]
async fn whoever_signed_in_once_is_not_asked_again_and_what_lets_them_in_lies_with_the_keys() {
    let base = guarded::start().await;
    let stage = with(Scripted::saying("here")).open().await;
    put(&stage, setup(format!("{base}/mcp")), &[]).await.expect("it is set up");
    let asks =
        async |stage: &Stage| matches!(servers(stage).await[0].state, McpState::SignIn { .. });
    stage.until(asks).await;
    assert_eq!(key_names(&stage).await, [""; 0], "nobody has let us in yet");

    let mut events = stage.events();
    stage.do_(Command::ReloadServer { server: "things".into(), sign_in: true }).await;
    let url = page(&mut events).await;
    assert!(url.starts_with(&format!("{base}/authorize?")), "{url}");
    assert!(url.contains("code_challenge_method=S256"), "{url}");
    // The person's browser, in which they say yes.
    reqwest::get(url).await.expect("it leads back to us");
    ready(&stage).await;
    let keys = key_names(&stage).await;
    assert!(!keys.is_empty() && keys.iter().all(|key| key.starts_with("mcp/things/")), "{keys:?}");
    shows_nowhere(stage.data(), TOKEN);

    let stage = stage.reopen().await;
    ready(&stage).await;
    assert_eq!(key_names(&stage).await, keys);
    shows_nowhere(stage.data(), TOKEN);

    stage.do_(Command::RemoveServer { server: "things".into(), forget: false }).await;
    assert_eq!(key_names(&stage).await, [""; 0]);
    stage.workspace.close().await;
}

#[tokio::test]
async fn nobody_is_sent_to_a_page_while_what_it_gives_could_not_be_kept() {
    let base = guarded::start().await;
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = secrets::Keyring::in_memory_locked_while(locked.clone());
    let keys = KeyParts { keyring, ..KeyParts::in_memory() };
    let stage = with(Scripted::saying("here")).keys(keys).open().await;
    put(&stage, setup(format!("{base}/mcp")), &[]).await.expect("it is set up");
    let said = async |stage: &Stage| match servers(stage).await.remove(0).state {
        McpState::SignIn { why } | McpState::Failed { why } => Some(why),
        _ => None,
    };
    stage.until(async |stage: &Stage| said(stage).await.is_some()).await;
    let reload = || Command::ReloadServer { server: "things".into(), sign_in: true };

    locked.store(true, Ordering::SeqCst);
    let mut events = stage.events();
    stage.do_(reload()).await;
    let is_told = async |stage: &Stage| said(stage).await.is_some_and(|why| why.contains("locked"));
    stage.until(is_told).await;

    // The first page that anybody is shown is the one after it was opened again.
    locked.store(false, Ordering::SeqCst);
    stage.do_(reload()).await;
    let url = page(&mut events).await;
    reqwest::get(url).await.expect("it leads back to us");
    ready(&stage).await;
    assert!(!key_names(&stage).await.is_empty());
    stage.workspace.close().await;
}

#[tokio::test]
async fn who_signed_in_is_let_in_again_once_the_keys_are_unlocked() {
    let base = guarded::start().await;
    let stage = with(Scripted::saying("here")).open().await;
    let passphrase = || Secret::new("correct horse battery staple");
    stage.do_(Command::SealKeys { passphrase: passphrase() }).await;
    put(&stage, setup(format!("{base}/mcp")), &[]).await.expect("it is set up");
    let state = async |stage: &Stage| servers(stage).await.remove(0).state;
    stage.until(async |stage: &Stage| matches!(state(stage).await, McpState::SignIn { .. })).await;
    let mut events = stage.events();
    stage.do_(Command::ReloadServer { server: "things".into(), sign_in: true }).await;
    reqwest::get(page(&mut events).await).await.expect("it leads back to us");
    ready(&stage).await;

    let stage = stage.reopen().await;
    stage
        .until(async |stage: &Stage| match state(stage).await {
            McpState::Failed { why } => why.contains("locked"),
            _ => false,
        })
        .await;
    stage.do_(Command::UnlockKeys { passphrase: passphrase() }).await;
    ready(&stage).await;
    stage.workspace.close().await;
}

#[tokio::test]
async fn whoever_has_to_sign_in_again_reads_so_at_once_and_does_it_from_the_list() {
    let door = Arc::new(guarded::Door::default());
    let base = guarded::start_with(door.clone()).await;
    let stage = with(does("things__look", json!({}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, setup(format!("{base}/mcp")), &[]).await.expect("it is set up");
    let sign_in = async |stage: &Stage| {
        let mut events = stage.events();
        let order = Command::ReloadServer { server: "things".into(), sign_in: true };
        stage.do_(order).await;
        reqwest::get(page(&mut events).await).await.expect("it leads back to us");
        ready(stage).await;
    };
    sign_in(&stage).await;

    door.shut.store(true, Ordering::SeqCst);
    stage.post(ada, "look, please").await;
    allow(&stage, &asked(&stage).await).await;
    let said = last_said(&stage, ada).await;
    assert!(said.contains("not done: the server asks to sign in"), "{said}");
    assert!(said.contains("coterie mcp reload things --sign-in"), "{said}");
    let asks =
        async |stage: &Stage| matches!(servers(stage).await[0].state, McpState::SignIn { .. });
    stage.until(asks).await;

    sign_in(&stage).await;
    stage.post(ada, "and now?").await;
    allow(&stage, &asked(&stage).await).await;
    assert!(last_said(&stage, ada).await.contains("done"));
    stage.workspace.close().await;
}
