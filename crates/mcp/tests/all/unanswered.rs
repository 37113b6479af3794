//! Servers that give no answer which anybody could read, over HTTP and pipes: whoever asked
//! knows at once.

use std::sync::Arc;

use mcp::{Address, Ask, Connection, Era, Fault, Patience, Reach, Setup, SignIn};
use processes::Log;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};

use crate::guarded::{initialized, request};
use crate::parts::{Somebody, fake, object, said, setup};

const LONG: &str = "its answer is longer than 1 MiB, which is the most that is read of one";
const TAKEN: &str = "it took what it was asked and answered nothing (HTTP 202 or 204)";

async fn connect(reach: Reach) -> Result<Connection, Fault> {
    let plain = setup(fake(&["plain"]));
    let patience = Patience { most_bytes: 1 << 20, ..plain.patience };
    let setup = Setup { reach, patience, ..plain };
    Connection::open(&setup, Arc::new(Somebody::default()), &Log::default()).await
}

/// How such a server is.
#[derive(Clone, Copy)]
enum Manners {
    Plain,
    SpeaksUnasked,
    /// It answers nothing at all.
    TakesAll,
    /// As if it were started anew in the middle of each use: it refuses to go on with it so.
    Forgets(&'static str),
}

async fn web(manners: Manners) -> Reach {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", socket.local_addr().unwrap());
    let (tell, told) = mpsc::channel(4);
    let told = Arc::new(Mutex::new(told));
    tokio::spawn(async move {
        while let Ok((stream, _)) = socket.accept().await {
            tokio::spawn(serve(stream, manners, tell.clone(), told.clone()));
        }
    });
    Reach::Address(Address { url, headers: Vec::new(), sign_in: SignIn::default() })
}

/// What it says unasked.
type Told = Arc<Mutex<mpsc::Receiver<Value>>>;

async fn serve(stream: TcpStream, manners: Manners, tell: mpsc::Sender<Value>, told: Told) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = request(&mut stream).await {
        let asked = request.json();
        let id = &asked["id"];
        let answer = |text: String| {
            let result = json!({"content": [{"type": "text", "text": text}]});
            json!({"jsonrpc": "2.0", "id": id, "result": result})
        };
        let json = "200 OK\r\nContent-Type: application/json";
        let in_session = "200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: one";
        let events = "200 OK\r\nContent-Type: text/event-stream";
        let nothing = ("202 Accepted", String::new());
        let long = "x".repeat(2 << 20);
        let used = asked["params"]["name"].as_str().unwrap_or_default();
        let speaks = matches!(manners, Manners::SpeaksUnasked);
        let (head, body) = match (request.method.as_str(), asked["method"].as_str(), used) {
            ("GET", ..) if speaks => {
                let head = format!("HTTP/1.1 {events}\r\n\r\n");
                stream.get_mut().write_all(head.as_bytes()).await.unwrap();
                while let Some(said) = told.lock().await.recv().await {
                    let event = format!("data: {said}\n\n");
                    stream.get_mut().write_all(event.as_bytes()).await.unwrap();
                }
                return;
            }
            ("GET", ..) if let Manners::Forgets(status) = manners => (status, String::new()),
            ("GET", ..) => ("405 Method Not Allowed", String::new()),
            _ if matches!(manners, Manners::TakesAll) => nothing,
            (_, Some("initialize"), _) if speaks => (in_session, initialized(id, "web")),
            (_, Some("initialize"), _) => (json, initialized(id, "web")),
            (_, Some("tools/call"), "elsewhere") => {
                tell.send(answer("here".to_owned())).await.unwrap();
                nothing
            }
            (_, Some("tools/call"), "begin") => (events, "retry: 1\nid: 1\ndata: \n\n".to_owned()),
            (_, Some("tools/call"), "end") => (events, String::new()),
            (_, Some("tools/call"), "long") => (json, answer(long).to_string()),
            (_, Some("tools/call"), "long-event") => {
                (events, format!("id: 1\ndata: {}\n\n", answer(long)))
            }
            _ => nothing,
        };
        let text = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        // It is closed on us where it says too much.
        if stream.get_mut().write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn fault(connection: &Connection, tool: &str) -> Fault {
    connection.call(tool, object(json!({})), &Ask::default()).await.unwrap_err()
}

#[tokio::test]
async fn a_request_that_is_taken_and_not_answered_is_known_for_that_at_once() {
    let connection = connect(web(Manners::Plain).await).await.unwrap();
    assert_eq!(connection.about().era, Era::Legacy);
    let taken = fault(&connection, "take").await;
    assert_eq!(taken, Fault::Broken(TAKEN.to_owned()));
    assert!(taken.may_have_happened());
    connection.close().await;
    let never = connect(web(Manners::TakesAll).await).await.err();
    assert_eq!(never, Some(Fault::Unreachable(TAKEN.to_owned())));
}

#[tokio::test]
async fn a_server_that_speaks_unasked_may_answer_there() {
    let connection = connect(web(Manners::SpeaksUnasked).await).await.unwrap();
    assert_eq!(said(&connection, "elsewhere", json!({})).await, "here");
    connection.close().await;
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_known_for_that_at_once() {
    let connection = connect(web(Manners::Plain).await).await.unwrap();
    for tool in ["long", "long-event"] {
        assert_eq!(fault(&connection, tool).await, Fault::Broken(LONG.to_owned()), "{tool}");
    }
    connection.close().await;

    let connection = connect(Reach::Program(fake(&["plain"]))).await.unwrap();
    assert_eq!(fault(&connection, "long").await, Fault::Broken(LONG.to_owned()));
    assert_eq!(said(&connection, "echo", json!({"text": "on"})).await, "on");
    connection.close().await;
}

#[tokio::test]
async fn an_answer_whose_stream_ends_before_it_and_is_not_gone_on_with_is_waited_for_no_more() {
    let cut = Fault::Broken("its connection was closed before it had answered".to_owned());
    assert!(cut.may_have_happened());
    for status in ["400 Bad Request", "404 Not Found"] {
        let connection = connect(web(Manners::Forgets(status)).await).await.unwrap();
        for tool in ["begin", "end"] {
            assert_eq!(fault(&connection, tool).await, cut, "{status} {tool}");
        }
        connection.close().await;
    }
}
