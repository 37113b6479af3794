//! A server that lets in only whom its person let in.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mcp::{
    Abilities, Config, Elicitation, Elicited, Host, InMemory, News, Patience, Place, Root, Sampled,
    Sampling, State, Tokens,
};

use crate::guarded;
use crate::servers::{Drawer, config, ready, servers_with, status};

/// A browser in which somebody says yes, and what it was shown.
#[derive(Default)]
struct Browser {
    shown: Mutex<Vec<String>>,
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
        let url = url.to_owned();
        tokio::spawn(async move { reqwest::get(url).await });
        Ok(())
    }

    fn news(&self, _news: News) {}
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
        servers_with(Drawer { tokens: tokens.clone() }, Patience::default(), move || {
            browser.clone()
        })
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
