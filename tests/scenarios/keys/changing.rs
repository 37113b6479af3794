//! Providers and keys that are changed while somebody is at them.

use super::{ACME, Keyed, acme, asking_acme, key, keys, set};
use domain::{
    AgentState, Command, FaultCode, FaultKind, ModelInfo, ModelRole, Provider, Query, Secret,
};
use llm::scripted::Gate;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use tests::fake_server::{FakeServer, Reply as Answer};
use tests::{Stage, stage};
use workspace::{Connected, KeyParts, Places};

const CHAT: &str = "POST /v1/chat/completions";
const NEW: &str = "acme-of-another-server-0123";

fn at(server: &FakeServer) -> Provider {
    Provider { base_url: Some(server.base_url()), ..acme() }
}

fn with_key(provider: Provider, key: &str, replaces: Option<Provider>) -> Command {
    let replaces = replaces.map(Box::new);
    Command::SaveProvider { provider, key: Some(Secret::new(key)), replaces }
}

/// Everybody asks acme, at this server, with its key.
async fn asking(server: &FakeServer) -> Stage {
    let models = Connected::new(&Places::bare("nowhere".into()));
    let stage = stage().without_model().models(models).keys(KeyParts::in_memory()).open().await;
    stage.do_(with_key(at(server), ACME, None)).await;
    stage.do_(Command::UseModel { role: ModelRole::Default, model: "acme/m".into() }).await;
    stage
}

async fn there(stage: &Stage) -> Option<Provider> {
    stage.overview().await.providers.into_iter().find(|one| one.name == "acme")
}

/// The keys that a server was shown.
fn shown(server: &FakeServer) -> Vec<String> {
    let all = server.requests();
    all.iter().filter_map(|one| one.header("authorization").map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_new_address_and_its_key_come_together_and_no_server_sees_the_others() {
    let (before, after) = (FakeServer::start().await, FakeServer::start().await);
    before.always(CHAT, Answer::refusal("401 Unauthorized", &json!({})));
    after.always(CHAT, Answer::saying("yes"));
    let stage = asking(&before).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "tea?").await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Error);

    stage.do_(with_key(at(&after), NEW, there(&stage).await)).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some("Ada: yes"));
    assert!(shown(&before).iter().all(|key| key.ends_with(ACME)), "{:?}", shown(&before));
    assert!(shown(&after).iter().all(|key| key.ends_with(NEW)), "{:?}", shown(&after));
}

#[tokio::test]
async fn a_key_is_shown_to_no_server_but_the_one_that_it_was_entered_for() {
    let (its, other) = (FakeServer::start().await, FakeServer::start().await);
    let stage = asking(&its).await;
    let kept = there(&stage).await.expect("is there");
    let moved = Provider { base_url: Some(other.base_url()), ..kept.clone() };
    let save = stage.command(Command::save_provider(moved.clone())).await;
    let list = stage.query(Query::ModelsOf { provider: moved, key: None }).await;
    for refused in [save.expect_err("is refused"), list.expect_err("is refused")] {
        let server = its.base_url().trim_end_matches("/v1").to_owned();
        let kind = FaultKind::KeyOfAnotherServer { name: "provider/acme".into(), server };
        assert_eq!((refused.code, refused.kind.as_deref()), (FaultCode::Key, Some(&kind)));
    }
    assert!(other.requests().is_empty());
    assert_eq!(there(&stage).await, Some(kept.clone()));
    // Elsewhere on the same server it may be asked.
    let address = its.base_url().replace("/v1", "/v2");
    stage.do_(Command::save_provider(Provider { base_url: Some(address), ..kept })).await;
}

#[tokio::test]
async fn a_key_that_outlives_its_provider_is_for_its_server_still() {
    let (its, other) = (FakeServer::start().await, FakeServer::start().await);
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = secrets::Keyring::in_memory_locked_while(locked.clone());
    let models = Connected::new(&Places::bare("nowhere".into()));
    let parts = KeyParts { keyring, ..KeyParts::in_memory() };
    let mut stage = stage().without_model().models(models).keys(parts).open().await;
    stage.do_(with_key(at(&its), ACME, None)).await;
    let kept = there(&stage).await.expect("is there");
    locked.store(true, Relaxed);
    stage.do_(Command::RemoveProvider { provider: "acme".into() }).await;
    locked.store(false, Relaxed);
    stage = stage.reopen().await;

    let left = key(&stage, "provider/acme").await.expect("it could not be erased");
    let server = its.base_url().trim_end_matches("/v1").to_owned();
    assert_eq!((left.only_for.as_ref(), left.used_by.len()), (Some(&server), 0));
    let elsewhere = Provider { base_url: Some(other.base_url()), ..kept.clone() };
    let list = Query::ModelsOf { provider: elsewhere.clone(), key: None };
    let refused = stage.query(list).await.expect_err("is refused");
    let kind = FaultKind::KeyOfAnotherServer { name: "provider/acme".into(), server };
    assert_eq!(refused.kind.as_deref(), Some(&kind));
    stage.command(Command::save_provider(elsewhere.clone())).await.expect_err("is refused");
    assert!(other.requests().is_empty());

    // Its own server may be asked with it again, and another one with a key of its own.
    stage.do_(Command::save_provider(kept.clone())).await;
    assert_eq!(key(&stage, "provider/acme").await.expect("is there").used_by, ["acme"]);
    stage.do_(with_key(elsewhere, NEW, Some(kept))).await;
    assert_eq!(key(&stage, "provider/acme").await.expect("is there").only_for, None);
}

#[tokio::test]
async fn what_is_refused_leaves_the_key_that_was_there() {
    let server = FakeServer::start().await;
    server.always(CHAT, Answer::saying("yes"));
    let stage = asking(&server).await;
    let kept = there(&stage).await;
    let odd = Provider { base_url: Some("nonsense".into()), ..acme() };
    stage.command(with_key(odd, NEW, None)).await.expect_err("is no address");
    for unfit in ["acme-0123\n4567-89ab", "acme-ключ-0123-4567", "  "] {
        let refused = stage.command(set("provider/acme", unfit)).await.expect_err("is no key");
        assert_eq!(refused.code, FaultCode::BadInput, "{refused}");
        stage.command(with_key(at(&server), unfit, None)).await.expect_err("is no key");
    }
    assert_eq!(there(&stage).await, kept);
    let ada = stage.direct("Ada").await;
    stage.say(ada, "tea?").await;
    assert_eq!(shown(&server), [format!("Bearer {ACME}")]);
}

#[tokio::test]
async fn nothing_is_saved_over_what_was_changed_or_removed_meanwhile() {
    let stage = asking_acme(Keyed::saying("yes"), KeyParts::in_memory()).await;
    stage.do_(Command::save_provider(acme())).await;
    let seen = there(&stage).await.expect("is there");
    let listed = || Command::SaveProvider {
        provider: Provider { models: vec![ModelInfo::new("n", None)], ..seen.clone() },
        key: None,
        replaces: Some(Box::new(seen.clone())),
    };
    let changed = Some(FaultKind::ProviderChanged { name: "acme".into() });

    stage.do_(set("provider/acme", ACME)).await;
    let refused = stage.command(listed()).await.expect_err("it has a key now");
    assert_eq!(
        (refused.code, refused.kind.map(|kind| *kind)),
        (FaultCode::Conflict, changed.clone())
    );
    assert_eq!(keys(&stage).await.keys.len(), 1);
    stage.do_(Command::RemoveProvider { provider: "acme".into() }).await;
    let refused = stage.command(listed()).await.expect_err("it is gone");
    assert_eq!(refused.kind.map(|kind| *kind), changed);
    assert_eq!(there(&stage).await, None);
    stage.command(with_key(acme(), ACME, Some(seen))).await.expect_err("it is gone");
    assert_eq!(keys(&stage).await.keys.len(), 0, "no key without its provider");
}

#[tokio::test]
async fn a_turn_goes_on_with_the_key_that_was_entered_while_it_lasted() {
    let (server, gate) = (FakeServer::start().await, Gate::new());
    let function = json!({"name": "calculator", "arguments": r#"{"expression": "1+1"}"#});
    let call = json!({"index": 0, "id": "call_a", "function": function});
    let calls = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]});
    server.once(CHAT, Answer::stream(&[calls]).held_by(&gate));
    server.once(CHAT, Answer::saying("yes"));
    let stage = asking(&server).await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "tea?").await;
    server.asked(1).await;
    stage.do_(set("provider/acme", NEW)).await;
    gate.open();
    stage.quiet().await;
    assert_eq!(shown(&server), [format!("Bearer {ACME}"), format!("Bearer {NEW}")]);
}
