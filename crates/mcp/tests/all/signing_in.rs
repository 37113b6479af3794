//! A server that lets in only whom its person let in.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mcp::{
    Abilities, Config, Elicitation, Elicited, Host, InMemory, News, Place, Root, Sampled, Sampling,
    State, Tokens,
};
use serde_json::json;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::servers::{Drawer, config, ready, servers_with, status};
use crate::web::{initialized, request};

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
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", socket.local_addr().unwrap());
    let ours = base.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = socket.accept().await {
            tokio::spawn(serve(stream, ours.clone()));
        }
    });
    let place = Place::Address { url: format!("{base}/mcp"), headers: BTreeMap::new() };
    let guarded = || Config { place: place.clone(), ..config("guarded", &[]) };
    let browser = Arc::new(Browser::default());
    let tokens = Arc::new(InMemory::default());
    let servers = || {
        let browser = browser.clone();
        servers_with(Drawer { tokens: tokens.clone() }, move || browser.clone())
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

/// The server itself, and the one that lets people in.
async fn serve(stream: TcpStream, base: String) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = request(&mut stream).await {
        let path = request.path.split('?').next().unwrap_or_default();
        let (status, more, said) = match path {
            "/mcp" if request.bearer.as_deref() != Some("let-in") => {
                let metadata = format!("{base}/.well-known/oauth-protected-resource/mcp");
                let ask = format!("WWW-Authenticate: Bearer resource_metadata=\"{metadata}\"\r\n");
                ("401 Unauthorized", ask, String::new())
            }
            "/mcp" => match request.json() {
                asked if asked["method"] == "initialize" => {
                    ("200 OK", String::new(), initialized(&asked["id"], "guarded"))
                }
                asked if asked.get("id").is_some() => {
                    let error = json!({"code": -32601, "message": "Method not found"});
                    let refused = json!({"jsonrpc": "2.0", "id": asked["id"], "error": error});
                    ("200 OK", String::new(), refused.to_string())
                }
                _ => ("202 Accepted", String::new(), String::new()),
            },
            "/.well-known/oauth-protected-resource/mcp" => {
                let about =
                    json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]});
                ("200 OK", String::new(), about.to_string())
            }
            "/.well-known/oauth-authorization-server" => {
                let about = json!({
                    "issuer": base,
                    "authorization_endpoint": format!("{base}/authorize"),
                    "token_endpoint": format!("{base}/token"),
                    "registration_endpoint": format!("{base}/register"),
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                });
                ("200 OK", String::new(), about.to_string())
            }
            "/register" => {
                let mut known = request.json();
                known["client_id"] = json!("coterie-7");
                ("201 Created", String::new(), known.to_string())
            }
            "/authorize" => {
                let asked = reqwest::Url::parse(&format!("{base}{}", request.path)).unwrap();
                let asked: BTreeMap<_, _> = asked.query_pairs().into_owned().collect();
                let back = format!("{}?code=yes&state={}", asked["redirect_uri"], asked["state"]);
                ("302 Found", format!("Location: {back}\r\n"), String::new())
            }
            "/token" => {
                let form = String::from_utf8_lossy(&request.body).into_owned();
                assert!(form.contains("code=yes") && form.contains("code_verifier="), "{form}");
                let token =
                    json!({"access_token": "let-in", "token_type": "Bearer", "expires_in": 3600});
                ("200 OK", String::new(), token.to_string())
            }
            _ => ("404 Not Found", String::new(), String::new()),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\n{more}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{said}",
            said.len()
        );
        if stream.get_mut().write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}
