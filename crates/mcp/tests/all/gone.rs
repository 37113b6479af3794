//! A server over HTTP that is gone, and one that is there again.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use mcp::{Address, Ask, Config, Era, Fault, Patience, Place, Reach, Server, Setup, SignIn, State};
use serde_json::json;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use crate::guarded::{initialized, request};
use crate::parts::{Somebody, fake, ready, setup, until};
use crate::servers::{Drawer, config, servers_with, status};

/// As long as this is not aborted.
async fn listens(at: SocketAddr) -> (SocketAddr, JoinHandle<()>) {
    let socket = TcpListener::bind(at).await.unwrap();
    let at = socket.local_addr().unwrap();
    let listening = async move {
        let mut all = JoinSet::new();
        while let Ok((stream, _)) = socket.accept().await {
            all.spawn(serve(stream));
        }
    };
    (at, tokio::spawn(listening))
}

async fn serve(stream: TcpStream) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = request(&mut stream).await {
        let asked = request.json();
        let id = &asked["id"];
        let answer = |result| json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
        let body = match asked["method"].as_str() {
            Some("initialize") => {
                let tools = json!({"tools": {}});
                initialized(id, "web")
                    .replace(r#""capabilities":{}"#, &format!(r#""capabilities":{tools}"#))
            }
            Some("tools/list") => {
                answer(json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}))
            }
            Some("tools/call") => answer(json!({"content": [{"type": "text", "text": "here"}]})),
            _ => String::new(),
        };
        let status = if body.is_empty() { "202 Accepted" } else { "200 OK" };
        let text = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        if stream.get_mut().write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

const ANYWHERE: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

async fn end(listening: JoinHandle<()>) {
    listening.abort();
    let _ = listening.await;
}

fn is_away(state: &State) -> bool {
    matches!(state, State::Resting { fault: Fault::Unreachable(_), .. })
}

#[tokio::test]
async fn a_server_that_nobody_reaches_any_more_is_away_and_there_when_it_is_back() {
    let (at, listening) = listens(ANYWHERE).await;
    let address = Address {
        url: format!("http://{at}/mcp"),
        headers: Vec::new(),
        sign_in: SignIn::default(),
    };
    let web =
        Setup { reach: Reach::Address(address), era: Some(Era::Legacy), ..setup(fake(&["plain"])) };
    let server = Server::start(web, Arc::new(Somebody::default()));
    ready(&server).await;
    end(listening).await;
    let fault = loop {
        match server.call("look", Default::default(), &Ask::default()).await {
            // What was sent to it in its last moment may have come there.
            Err(Fault::Broken(_)) => {}
            other => break other.unwrap_err(),
        }
    };
    assert!(matches!(&fault, Fault::Unreachable(why) if why.contains("refused")), "{fault:?}");
    assert!(!fault.may_have_happened());
    until(&server, is_away).await;
    let (_, listening) = listens(at).await;
    ready(&server).await;
    let answer = server.call("look", Default::default(), &Ask::default()).await.unwrap();
    assert_eq!(answer.text(), "here");
    server.stop().await;
    end(listening).await;
}

#[tokio::test]
async fn whoever_wants_a_server_or_looks_at_it_has_it_looked_for_at_once() {
    let patience = Patience { first_rest: Duration::from_secs(3600), ..Patience::default() };
    let servers = servers_with(Drawer::default(), patience, || Arc::new(Somebody::default()));
    let (at, listening) = listens(ANYWHERE).await;
    end(listening).await;
    let place = Place::Address { url: format!("http://{at}/mcp"), headers: Default::default() };
    servers.put(Config { place, ..config("web", &[]) }).await.unwrap();
    let mut state = servers.watch("web").unwrap();
    state.wait_for(is_away).await.unwrap();
    let stop = Default::default();
    let away = servers.to_read("web", &stop).await.unwrap_err();
    assert!(matches!(&away, Fault::Away(why) if why.contains("refused")), "{away:?}");
    let State::Resting { failed, .. } = status(&servers, "web").state.unwrap() else { panic!() };
    assert_eq!(failed, 2, "it was looked for, and is tried later each time");
    let (_, listening) = listens(at).await;
    assert_eq!(servers.to_read("web", &stop).await.unwrap(), Default::default());

    // Nobody asks it anything, and whoever looks at the list sees it all the same.
    let long = Duration::from_secs(60);
    servers.look(long).await;
    assert!(matches!(status(&servers, "web").state, Some(State::Ready(_))));
    end(listening).await;
    servers.look(long).await;
    assert!(is_away(&status(&servers, "web").state.unwrap()));
    servers.stop().await;
}
