//! A server that lets in only whom its person let in.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mcp::{
    Abilities, Config, Elicitation, Elicited, Fault, Given, Host, InMemory, News, Patience, Place,
    Root, Sampled, Sampling, Servers, State, Tokens,
};
use serde_json::json;
use tokio::sync::Notify;
use tools::Tool;

use crate::guarded::{self, Door};
use crate::servers::{Drawer, config, named, ready, servers_with, status, used};

/// A browser in which somebody says yes, and what it was shown.
#[derive(Default)]
struct Browser {
    shown: Mutex<Vec<String>>,
    /// Nobody looks at it.
    unseen: AtomicBool,
    /// Somebody says no.
    refuses: AtomicBool,
    shows: Notify,
}

#[async_trait]
impl Host for Browser {
    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    async fn roots(&self) -> Vec<Root> {
        Vec::new()
    }

    async fn elicit(&self, _: Elicitation, _: Vec<String>) -> Result<Elicited, String> {
        Ok(Elicited::Declined)
    }

    async fn sample(&self, _: Sampling, _: Vec<String>) -> Result<Sampled, String> {
        Err("nobody answers".to_owned())
    }

    async fn show_page(&self, url: &str) -> Result<(), String> {
        self.shown.lock().unwrap().push(url.to_owned());
        self.shows.notify_one();
        if !self.unseen.load(Ordering::SeqCst) {
            let refuses = self.refuses.load(Ordering::SeqCst);
            let stray = leading_back(url, &[("code", "guessed"), ("state", "guessed")]);
            let url = if refuses { refusing(url) } else { url.to_owned() };
            tokio::spawn(async move {
                // Any page may send somebody there: that ends nothing.
                assert_eq!(reqwest::get(stray).await.unwrap().status(), 404);
                reqwest::get(url).await
            });
        }
        Ok(())
    }

    fn news(&self, _news: News) {}
}

/// Whoever has a server started last has it started, in whatever order the starts are prepared.
#[tokio::test]
async fn whoever_wants_to_sign_in_while_it_is_still_prepared_is_shown_the_page() {
    let base = guarded::start().await;
    let slow = Given::Secret("mcp/slow".to_owned());
    let headers = BTreeMap::from([("X-Slow".to_owned(), slow)]);
    let place = Place::Address { url: format!("{base}/mcp"), headers };
    let drawer = Drawer::default();
    let slow = drawer.slow.clone();
    let browser = Arc::new(Browser::default());
    let servers = servers_with(drawer, Patience::default(), move || browser.clone());
    let [first, second] = &slow.found;
    let puts = async {
        servers.put(Config { place, ..config(NAME, &[]) }).await.unwrap();
        second.notify_one();
    };
    let signs_in = async {
        slow.is_looked_for.notified().await;
        let meanwhile = async {
            slow.is_looked_for.notified().await;
            first.notify_one();
        };
        assert!(tokio::join!(servers.reload(NAME, true), meanwhile).0);
    };
    tokio::join!(puts, signs_in);
    ready(&servers, NAME).await;
    servers.stop().await;
}

/// Where the page leads whoever says no.
fn refusing(page: &str) -> String {
    let refusal = [("error", "access_denied"), ("error_description", "Not today.")];
    leading_back(page, &[&refusal[..], &[("state", &said(page, "state"))]].concat())
}

fn leading_back(page: &str, with: &[(&str, &str)]) -> String {
    let mut back = reqwest::Url::parse(&said(page, "redirect_uri")).unwrap();
    back.query_pairs_mut().extend_pairs(with);
    back.into()
}

fn said(page: &str, name: &str) -> String {
    let page = reqwest::Url::parse(page).unwrap();
    page.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned()
}

#[tokio::test]
async fn whoever_says_no_on_the_page_reads_that_it_was_refused_there() {
    let (servers, browser) = set_up(&Arc::new(Door::default())).await;
    browser.refuses.store(true, Ordering::SeqCst);
    assert!(servers.reload(NAME, true).await);
    let mut state = servers.watch(NAME).unwrap();
    let is_refused = |state: &State| match state {
        State::SignInNeeded { fault } => fault.to_string().contains("refused there"),
        _ => false,
    };
    state.wait_for(is_refused).await.unwrap();
    let told = asks(&servers).await.to_string();
    assert!(told.ends_with("it was refused there: Not today. (access_denied)"), "{told}");
    servers.stop().await;
}

#[tokio::test]
async fn whom_a_person_let_in_once_is_let_in_again_unasked() {
    let base = guarded::start().await;
    let place = Place::Address { url: format!("{base}/mcp"), headers: BTreeMap::new() };
    let guarded = || Config { place: place.clone(), ..config("guarded", &[]) };
    let browser = Arc::new(Browser::default());
    let tokens = Arc::new(InMemory::default());
    let servers = || {
        let browser = browser.clone();
        servers_with(
            Drawer { tokens: tokens.clone(), ..Drawer::default() },
            Patience::default(),
            move || browser.clone(),
        )
    };

    // Nobody is shown a page unasked.
    let first = servers();
    first.put(guarded()).await.unwrap();
    let mut state = first.watch("guarded").unwrap();
    state.wait_for(|state| matches!(state, State::SignInNeeded { .. })).await.unwrap();
    assert!(browser.shown.lock().unwrap().is_empty());

    assert!(first.reload("guarded", true).await);
    ready(&first, "guarded").await;
    let shown = browser.shown.lock().unwrap().clone();
    assert_eq!(shown.len(), 1);
    assert!(shown[0].starts_with(&format!("{base}/authorize?")), "{shown:?}");
    assert!(shown[0].contains("code_challenge_method=S256"), "{shown:?}");
    assert!(tokens.load().await.unwrap().unwrap().contains("let-in"));
    first.stop().await;

    let second = servers();
    second.put(guarded()).await.unwrap();
    ready(&second, "guarded").await;
    assert!(matches!(status(&second, "guarded").state, Some(State::Ready(_))));
    assert_eq!(browser.shown.lock().unwrap().len(), 1);
    second.stop().await;
}

/// With somebody who has signed in with it.
async fn signed_in(door: &Arc<Door>) -> (Servers, Arc<Browser>) {
    let (servers, browser) = set_up(door).await;
    assert!(servers.reload(NAME, true).await);
    ready(&servers, NAME).await;
    (servers, browser)
}

async fn set_up(door: &Arc<Door>) -> (Servers, Arc<Browser>) {
    let base = guarded::start_with(door.clone()).await;
    let place = Place::Address { url: format!("{base}/mcp"), headers: BTreeMap::new() };
    let browser = Arc::new(Browser::default());
    let ours = browser.clone();
    let tokens = Arc::new(InMemory::default());
    let servers =
        servers_with(Drawer { tokens, ..Drawer::default() }, Patience::default(), move || {
            ours.clone()
        });
    servers.put(Config { place, ..config(NAME, &[]) }).await.unwrap();
    asks(&servers).await;
    (servers, browser)
}

const NAME: &str = "guarded";

/// How it says that it asks somebody to sign in.
async fn asks(servers: &Servers) -> Fault {
    let mut state = servers.watch(NAME).unwrap();
    let asks = |state: &State| matches!(state, State::SignInNeeded { .. });
    let State::SignInNeeded { fault } = state.wait_for(asks).await.unwrap().clone() else {
        panic!()
    };
    fault
}

/// What an agent reads that uses this tool of it.
async fn told(servers: &Servers, tool: &str) -> String {
    told_of(&named(servers, &format!("{NAME}__{tool}")).expect("it is offered")).await
}

async fn told_of(tool: &Arc<dyn Tool>) -> String {
    used(tool, json!({})).await.text
}

fn shown(browser: &Browser) -> usize {
    browser.shown.lock().unwrap().len()
}

#[tokio::test]
async fn a_use_that_a_person_must_sign_in_for_again_fails_at_once_and_they_do_so_from_the_list() {
    let door = Arc::new(Door::default());
    let (servers, browser) = signed_in(&door).await;
    assert_eq!(told(&servers, "look").await, "done");
    let look = named(&servers, "guarded__look").unwrap();

    door.shut.store(true, Ordering::SeqCst);
    let why = "not done: the server asks to sign in; only the person can, in Settings under MCP \
               or with coterie mcp reload guarded --sign-in";
    assert_eq!(told_of(&look).await, why);
    assert_eq!(asks(&servers).await.to_string(), "the server asks to sign in");
    // Neither what is asked for next, nor anything else, shows anybody a page.
    assert_eq!(told_of(&look).await, why);
    assert_eq!(shown(&browser), 1);

    assert!(servers.reload(NAME, true).await);
    ready(&servers, NAME).await;
    assert_eq!((told(&servers, "look").await.as_str(), shown(&browser)), ("done", 2));
    servers.stop().await;
}

#[tokio::test]
async fn a_use_that_wants_more_leave_has_the_person_asked_for_it_beside_what_they_gave() {
    let door = Arc::new(Door::default());
    let (servers, browser) = signed_in(&door).await;
    // Not for all that there is.
    assert_eq!(door.leave.lock().unwrap().as_str(), "read");
    let wants = "the server asks to sign in: it wants leave for write";
    assert!(told(&servers, "write").await.starts_with(&format!("not done: {wants}; ")));
    assert_eq!(asks(&servers).await.to_string(), wants);
    assert_eq!(shown(&browser), 1);
    assert!(servers.reload(NAME, true).await);
    ready(&servers, NAME).await;
    assert_eq!(door.leave.lock().unwrap().as_str(), "read write");
    assert_eq!((told(&servers, "write").await.as_str(), shown(&browser)), ("done", 2));
    servers.stop().await;
}

#[tokio::test]
async fn while_a_person_does_not_come_back_from_the_page_nobody_waits_and_nothing_is_lost() {
    let door = Arc::new(Door::default());
    let (servers, browser) = signed_in(&door).await;
    browser.unseen.store(true, Ordering::SeqCst);
    browser.shows.notified().await;
    assert!(told(&servers, "write").await.starts_with("not done"));
    asks(&servers).await;
    assert!(servers.reload(NAME, true).await);
    browser.shows.notified().await;
    let waits = "not done: it waits until somebody has signed in with it";
    assert_eq!(told(&servers, "look").await, waits);
    // They think better of it.
    assert!(servers.reload(NAME, false).await);
    ready(&servers, NAME).await;
    assert_eq!(told(&servers, "look").await, "done");
    servers.stop().await;
}

#[tokio::test]
async fn nobody_is_sent_to_a_page_that_lets_in_without_a_proof_of_who_asked() {
    let door = Arc::new(Door { takes_no_proof: true, ..Door::default() });
    let (servers, browser) = set_up(&door).await;
    assert!(servers.reload(NAME, true).await);
    let why = asks(&servers).await.to_string();
    assert!(why.starts_with("the server asks to sign in: http://127.0.0.1:"), "{why}");
    assert!(why.contains("does not say that it takes a proof by PKCE (S256)"), "{why}");
    assert_eq!(shown(&browser), 0);
    servers.stop().await;
}

#[tokio::test]
async fn who_is_greeted_and_only_then_asked_who_they_are_is_shown_one_page() {
    let door = Arc::new(Door { greets_all: true, ..Door::default() });
    let (servers, browser) = signed_in(&door).await;
    assert_eq!((told(&servers, "look").await.as_str(), shown(&browser)), ("done", 1));
    servers.stop().await;
}
