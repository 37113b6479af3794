//! A server of the older era over HTTP, by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures::FutureExt;
use mcp::{Address, Ask, Connection, Era, Fault, Part, Reach, Setup, SignIn};
use processes::Log;
use serde_json::{Map, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use crate::guarded::{initialized, request};
use crate::parts::{Somebody, fake, setup};

#[derive(Default)]
struct Gate {
    /// Somebody wants to hear what the server says unasked.
    asked: Notify,
    opens: Notify,
}

/// What such a server asks back before that stream is open is lost.
#[tokio::test]
async fn nobody_uses_a_server_that_cannot_ask_back_yet() {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", socket.local_addr().unwrap());
    let gate = Arc::new(Gate::default());
    let at_gate = gate.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = socket.accept().await {
            tokio::spawn(serve(stream, at_gate.clone()));
        }
    });
    let address = Address { url, headers: Vec::new(), sign_in: SignIn::default() };
    let reach = Reach::Address(address);
    let setup = Setup { reach, era: Some(Era::Legacy), ..setup(fake(&["plain"])) };
    let log = Log::default();
    let mut opening = Box::pin(Connection::open(&setup, Arc::new(Somebody::default()), &log));
    tokio::select! {
        _ = &mut opening => panic!("it is not open before the server can ask back"),
        () = gate.asked.notified() => {}
    }
    assert!((&mut opening).now_or_never().is_none());
    gate.opens.notify_one();
    let connection = opening.await.unwrap();
    assert_eq!(connection.about().name.as_deref(), Some("web"));
    connection.close().await;
}

/// Its headers may be keys.
#[tokio::test]
async fn what_a_server_is_shown_goes_to_no_other_that_it_names() {
    let (here, there) = (TcpListener::bind("127.0.0.1:0"), TcpListener::bind("127.0.0.1:0"));
    let (here, there) = (here.await.unwrap(), there.await.unwrap());
    let url = format!("http://{}/mcp", here.local_addr().unwrap());
    let to = format!("http://{}/stolen", there.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = here.accept().await {
            let mut stream = BufReader::new(stream);
            while request(&mut stream).await.is_some() {
                let moved = format!(
                    "HTTP/1.1 307 Temporary Redirect\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"
                );
                if stream.get_mut().write_all(moved.as_bytes()).await.is_err() {
                    break;
                }
            }
        }
    });
    let headers = vec![("x-api-key".to_owned(), "a-key-of-mine".to_owned())];
    let address = Address { url, headers, sign_in: SignIn::default() };
    let setup = Setup { reach: Reach::Address(address), ..setup(fake(&["plain"])) };
    let opened = Connection::open(&setup, Arc::new(Somebody::default()), &Log::default()).await;
    assert!(opened.is_err());
    assert!(there.accept().now_or_never().is_none(), "the other server was asked");
}

/// It says so as servers made with the SDK's examples do: without the number of what was asked.
#[tokio::test]
async fn a_server_that_was_started_anew_is_greeted_anew() {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", socket.local_addr().unwrap());
    let starts = Arc::new(AtomicU32::new(1));
    let started = starts.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = socket.accept().await {
            tokio::spawn(serve_session(stream, started.clone()));
        }
    });
    let address = Address { url, headers: Vec::new(), sign_in: SignIn::default() };
    let reach = Reach::Address(address);
    let setup = Setup { reach, era: Some(Era::Legacy), ..setup(fake(&["plain"])) };
    let somebody = Arc::new(Somebody::default());
    let connection = Connection::open(&setup, somebody, &Log::default()).await.unwrap();
    for start in 1..4 {
        starts.store(start, Ordering::SeqCst);
        let answer = connection.call("start", Map::new(), &Ask::default()).await.unwrap();
        assert_eq!(answer.parts, [Part::Text(start.to_string())]);
    }
    let refused = connection.call("refuse", Map::new(), &Ask::default()).await.unwrap_err();
    let Fault::Refused { message, .. } = refused else { panic!("{refused}") };
    assert_eq!(message, "Bad Request: not like that");
    connection.close().await;
}

/// Knows the sessions since it was started last.
async fn serve_session(stream: TcpStream, starts: Arc<AtomicU32>) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = request(&mut stream).await {
        let (body, start) = (request.json(), starts.load(Ordering::SeqCst));
        let fails = |why: &str| {
            let error = json!({"code": -32000, "message": why});
            ("400 Bad Request", json!({"jsonrpc": "2.0", "error": error, "id": null}).to_string())
        };
        let id = &body["id"];
        let (status, said) = match (body["method"].as_str(), body["params"]["name"].as_str()) {
            (Some("initialize"), _) => ("200 OK", initialized(id, "web")),
            _ if request.method != "POST" => ("405 Method Not Allowed", String::new()),
            _ if request.session != Some(start.to_string()) => {
                fails("Bad Request: No valid session ID provided")
            }
            (_, Some("refuse")) => fails("Bad Request: not like that"),
            (Some("tools/call"), _) => {
                let content = json!([{"type": "text", "text": start.to_string()}]);
                let result = json!({"content": content});
                ("200 OK", json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
            }
            _ => ("202 Accepted", String::new()),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nMcp-Session-Id: {start}\r\n\
             Content-Length: {}\r\n\r\n{said}",
            said.len()
        );
        if stream.get_mut().write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn serve(stream: TcpStream, gate: Arc<Gate>) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = request(&mut stream).await {
        let body = request.json();
        let answer = match request.method.as_str() {
            "GET" => {
                gate.asked.notify_one();
                gate.opens.notified().await;
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".to_owned()
            }
            "POST" if body.get("id").is_some() => {
                let said = initialized(&body["id"], "web");
                format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: one\r\n\
                     Content-Length: {}\r\n\r\n{said}",
                    said.len()
                )
            }
            _ => "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_owned(),
        };
        if stream.get_mut().write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}
