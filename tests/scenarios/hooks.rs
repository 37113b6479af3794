//! What other programs on this machine send, over a real connection, and what becomes of it.

use domain::{
    Author, Command, FeedFilter, FeedSource, PostView, Query, Reply, Secret, SourcePlan,
    SourceView, Watches, hook_key,
};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tests::{Setting, Stage, says, stage};
use workspace::KeyParts;

const TOKEN: &str = "3f7a-planted-token-of-a-hook-91c2";
const MINUTE: Duration = Duration::from_secs(60);

fn setting() -> Setting {
    stage().model(says("I will look at it."))
}

async fn made(stage: &Stage, name: &str, per_hour: u32) -> FeedSource {
    let (community, rules, members) = ("Square".into(), String::new(), Vec::new());
    let new = Command::NewCommunity { name: community, rules, members };
    let Reply::Community(community) = stage.do_(new).await else { panic!("no community") };
    let watches = Watches::Hook;
    let plan = SourcePlan { name: name.into(), community: community.id, watches, per_hour };
    let Reply::Source(source) = stage.do_(Command::NewSource { plan }).await else {
        panic!("no source")
    };
    let value = Secret::new(TOKEN);
    stage.do_(Command::SetKey { name: hook_key(name), value }).await;
    *source
}

async fn view(stage: &Stage) -> SourceView {
    match stage.query(Query::Sources).await {
        Ok(Reply::Sources(mut all)) => all.remove(0),
        other => panic!("no sources: {other:?}"),
    }
}

async fn address(stage: &Stage) -> String {
    stage.until(async |stage: &Stage| view(stage).await.address.is_some()).await;
    view(stage).await.address.expect("it was just there")
}

/// What is sent to an address, with the token and a delivery id where there is one.
fn request(address: &str, delivery: Option<&str>) -> reqwest::RequestBuilder {
    let post = reqwest::Client::new().post(address).bearer_auth(TOKEN);
    match delivery {
        Some(delivery) => post.header("Idempotency-Key", delivery),
        None => post,
    }
}

async fn sent(request: reqwest::RequestBuilder) -> (u16, String) {
    let answer = request.send().await.expect("somebody hears it");
    (answer.status().as_u16(), answer.text().await.expect("an answer"))
}

/// Whether nobody hears what is sent there.
async fn is_deaf(address: &str) -> bool {
    request(address, None).body("x").send().await.is_err()
}

fn port_of(address: &str) -> String {
    address.split(['/', ':']).nth(4).expect("a port").to_owned()
}

const NEW: &str = r#"{"new":true,"ok":true}"#;
const KNOWN: &str = r#"{"new":false,"ok":true}"#;

/// What was told, the oldest first.
async fn told(stage: &Stage) -> Vec<String> {
    let feed = Query::Feed { filter: FeedFilter::default(), before: None, limit: 100 };
    let Ok(Reply::Posts(posts)) = stage.query(feed).await else { panic!("no posts") };
    let items = posts.into_iter().rev().filter_map(|view: PostView| view.item);
    items
        .filter(|item| matches!(item.message.author, Author::Source(_)))
        .map(|item| item.message.text().unwrap_or_default().to_owned())
        .collect()
}

async fn until_told(stage: &Stage, posts: usize) -> Vec<String> {
    stage.until(async |stage: &Stage| told(stage).await.len() >= posts).await;
    told(stage).await
}

#[tokio::test]
async fn what_a_program_sends_is_posted_and_answered_like_any_post_and_taken_once() {
    let stage = setting().open().await;
    let source = made(&stage, "My 构建", 6).await;
    let address = address(&stage).await;
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    assert!(address.ends_with("/hooks/My%20%E6%9E%84%E5%BB%BA"), "{address}");

    let json = || request(&address, Some("7")).header("content-type", "application/json");
    assert_eq!(sent(json().body(r#"{"build":7}"#)).await, (202, NEW.into()));
    assert_eq!(sent(json().body(r#"{"build":7}"#)).await, (200, KNOWN.into()));
    let expected = "A program sent this:\n\n```\n{\n  \"build\": 7\n}\n```";
    assert_eq!(until_told(&stage, 1).await, [expected]);
    assert_eq!(sent(json().body(r#"{"build":7}"#)).await, (200, KNOWN.into()));

    stage.do_(Command::Tick).await;
    let is_answered = async |stage: &Stage| match stage.query(Query::FeedQueue).await {
        Ok(Reply::FeedQueue(queue)) => queue.answers_to_come == 0,
        other => panic!("no queue: {other:?}"),
    };
    stage.until(is_answered).await;
    let asked = stage.model.requests().pop().expect("it was asked");
    let heard: Vec<_> = asked.turns.iter().map(|turn| turn.content.as_str()).collect();
    assert!(heard.concat().contains("My 构建 (source)"), "{heard:?}");
    let answers = stage.runs().await;
    assert_eq!(answers[0].cause.author, Author::Source(source.id));

    // After the next start it is known too, at the same address.
    let stage = stage.reopen().await;
    assert_eq!(self::address(&stage).await, address);
    assert_eq!(sent(json().body("{}")).await, (200, KNOWN.into()));
    assert_eq!(sent(request(&address, None).body("ready")).await, (202, NEW.into()));
    let posts = until_told(&stage, 2).await;
    assert_eq!(posts[1], "A program sent this:\n\n```\nready\n```");
    stage.workspace.close().await;
}

#[tokio::test]
async fn what_is_sent_first_of_all_is_kept_without_a_key() {
    const KEPT: &str = "pw-7Kq2zX9w!";
    let stage = setting().keys(KeyParts::in_memory()).open().await;
    made(&stage, "Builds", 6).await;
    let value = Secret::new(KEPT);
    stage.do_(Command::SetKey { name: "provider/mistral".into(), value }).await;
    let stage = stage.reopen().await;
    let address = address(&stage).await;
    let said = format!("it fails with {KEPT}");
    assert_eq!(sent(request(&address, None).body(said)).await, (202, NEW.into()));
    let expected = "A program sent this:\n\n```\nit fails with [redacted provider/mistral]\n```";
    assert_eq!(until_told(&stage, 1).await, [expected]);
    for name in ["coterie.db", "coterie.db-wal"] {
        let bytes = std::fs::read(stage.data().join(name)).unwrap_or_default();
        let found = bytes.windows(KEPT.len()).any(|at| at == KEPT.as_bytes());
        assert!(!found, "it stands in {name}");
    }
    stage.workspace.close().await;
}

#[tokio::test]
async fn nobody_gets_in_without_the_token_and_no_page_with_it() {
    let stage = setting().open().await;
    made(&stage, "Builds", 6).await;
    let address = address(&stage).await;
    let port = port_of(&address);
    let client = reqwest::Client::new();
    let status = async |request: reqwest::RequestBuilder| sent(request.body("x")).await.0;

    assert_eq!(status(client.post(&address)).await, 401);
    assert_eq!(status(client.post(&address).bearer_auth("another")).await, 401);
    let elsewhere = address.replace("Builds", "Others");
    assert_eq!(status(client.post(elsewhere).bearer_auth(TOKEN)).await, 401);
    assert_eq!(status(client.get(&address).bearer_auth(TOKEN)).await, 405);
    let origin = format!("http://127.0.0.1:{port}");
    assert_eq!(status(request(&address, None).header("Origin", origin)).await, 403);
    let rebound = format!("coterie.example:{port}");
    assert_eq!(status(request(&address, None).header("Host", rebound)).await, 421);
    let large = request(&address, None).body("x".repeat(64 * 1024 + 1));
    assert_eq!(sent(large).await.0, 413);
    let form = "application/x-www-form-urlencoded";
    assert_eq!(status(request(&address, None).header("Content-Type", form)).await, 415);

    // Nothing of all that was kept; on other addresses of this machine nobody hears.
    assert_eq!(status(request(&address, None)).await, 202);
    assert_eq!(until_told(&stage, 1).await.len(), 1);
    if let Ok(other) = TcpListener::bind(format!("127.0.0.2:{port}")) {
        drop(other);
        let there = address.replace("127.0.0.1", "127.0.0.2");
        assert!(request(&there, None).body("x").send().await.is_err(), "it hears there too");
    }
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_source_that_is_off_or_gone_hears_nobody() {
    let stage = setting().open().await;
    let source = made(&stage, "Builds", 6).await;
    let address = address(&stage).await;
    stage.do_(Command::SwitchSource { source: source.id, on: false }).await;
    stage.until(async |_: &Stage| is_deaf(&address).await).await;
    assert_eq!(view(&stage).await.address, None);
    stage.do_(Command::SwitchSource { source: source.id, on: true }).await;
    assert_eq!(self::address(&stage).await, address);
    assert_eq!(sent(request(&address, None).body("x")).await.0, 202);

    stage.do_(Command::RemoveSource { source: source.id }).await;
    let keys = stage.overview().await.keys.keys;
    assert!(keys.is_empty(), "{keys:?}");
    stage.until(async |_: &Stage| is_deaf(&address).await).await;
    stage.workspace.close().await;
}

#[tokio::test]
async fn what_comes_too_fast_is_refused_and_what_is_too_much_is_told_together() {
    let stage = setting().open().await;
    made(&stage, "Builds", 2).await;
    let address = address(&stage).await;
    stage.do_(Command::PauseAll).await;
    for n in 0..60 {
        let one = request(&address, None).body(format!("{TOKEN} and build {n}"));
        assert_eq!(sent(one).await.0, 202);
    }
    let (status, why) = sent(request(&address, None).body("one too many")).await;
    assert_eq!(status, 429, "{why}");
    assert!(told(&stage).await.is_empty(), "everything is paused");
    stage.do_(Command::ResumeAll).await;
    let posts = until_told(&stage, 2).await;
    assert_eq!(posts[0], "A program sent this:\n\n```\n[redacted hook/Builds] and build 0\n```");
    assert!(posts[1].starts_with("Programs sent 59 things:"), "{}", posts[1]);
    assert!(posts[1].ends_with("And 49 more, which are not shown."), "{}", posts[1]);

    stage.clock.advance(MINUTE);
    assert_eq!(sent(request(&address, None).body("later")).await.0, 202);
    stage.until(async |stage: &Stage| view(stage).await.held_back).await;
    assert_eq!(told(&stage).await.len(), 2);
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_port_that_another_program_has_is_said() {
    let stage = setting().open().await;
    let source = made(&stage, "Builds", 6).await;
    let address = address(&stage).await;
    let port = port_of(&address);
    let on = |on| Command::SwitchSource { source: source.id, on };
    stage.do_(on(false)).await;
    stage.until(async |_: &Stage| is_deaf(&address).await).await;
    let other = TcpListener::bind(format!("127.0.0.1:{port}")).expect("it is free");
    stage.do_(on(true)).await;
    stage.until(async |stage: &Stage| view(stage).await.problem.is_some()).await;
    let problem = view(&stage).await.problem.expect("it was just there");
    assert!(problem.message.contains("cannot be had"), "{problem}");

    drop(other);
    stage.do_(on(false)).await;
    stage.do_(on(true)).await;
    assert_eq!(self::address(&stage).await, address);
    assert_eq!(view(&stage).await.problem, None);
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_token_that_cannot_be_read_now_lets_nobody_in_until_it_can() {
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = secrets::Keyring::in_memory_locked_while(locked.clone());
    let stage = setting().keys(KeyParts { keyring, ..KeyParts::in_memory() }).open().await;
    made(&stage, "Builds", 6).await;
    let stage = stage.reopen().await;
    let address = address(&stage).await;
    locked.store(true, Ordering::SeqCst);
    assert_eq!(sent(request(&address, Some("1")).body("x")).await.0, 503);
    locked.store(false, Ordering::SeqCst);
    assert_eq!(sent(request(&address, Some("1")).body("x")).await.0, 202);
    stage.workspace.close().await;
}
