//! A server over HTTP that lets in only whom its person let in, and the one that lets people
//! in, in one; both by hand.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// How it lets people in.
#[derive(Default)]
pub(crate) struct Door {
    /// Nobody comes in any more by what they were given before.
    pub(crate) shut: AtomicBool,
    /// It greets everybody, and asks who it is only then.
    pub(crate) greets_all: bool,
    /// It does not say that it takes a proof of who began it.
    pub(crate) takes_no_proof: bool,
    /// What leave was asked for last.
    pub(crate) leave: Mutex<String>,
}

/// Where it is from now on.
pub(crate) async fn start() -> String {
    start_with(Arc::default()).await
}

pub(crate) async fn start_with(door: Arc<Door>) -> String {
    let socket = TcpListener::bind("127.0.0.1:0").await.expect("loopback");
    let base = format!("http://{}", socket.local_addr().expect("just bound"));
    let ours = base.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = socket.accept().await {
            tokio::spawn(serve(stream, ours.clone(), door.clone()));
        }
    });
    base
}

/// The server itself, and the one that lets people in.
async fn serve(stream: TcpStream, base: String, door: Arc<Door>) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = request(&mut stream).await {
        let path = request.path.split('?').next().unwrap_or_default();
        let metadata = format!("{base}/.well-known/oauth-protected-resource/mcp");
        let challenge = |more: &str| {
            format!("WWW-Authenticate: Bearer resource_metadata=\"{metadata}\", {more}\r\n")
        };
        let in_json = |body: Value| ("200 OK", String::new(), body.to_string());
        let is_known =
            request.bearer.as_deref() == Some("let-in") && !door.shut.load(Ordering::SeqCst);
        let is_in = is_known || (door.greets_all && is_greeting(&request));
        let may_write = door.leave.lock().expect("whole").contains("write");
        let (status, more, said) = match path {
            "/mcp" if !is_in => ("401 Unauthorized", challenge("scope=\"read\""), String::new()),
            "/mcp" => match request.json() {
                asked if asked["method"] == "initialize" => {
                    let said = initialized(&asked["id"], "guarded");
                    let tools = r#""capabilities":{"tools":{}}"#;
                    ("200 OK", String::new(), said.replace(r#""capabilities":{}"#, tools))
                }
                asked if asked["method"] == "tools/list" => {
                    let schema = json!({"type": "object"});
                    let tools =
                        ["look", "write"].map(|name| json!({"name": name, "inputSchema": schema}));
                    in_json(
                        json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": tools}}),
                    )
                }
                asked if asked["method"] == "tools/call" => {
                    match asked["params"]["name"].as_str() {
                        Some("write") if !may_write => {
                            let more = "error=\"insufficient_scope\", scope=\"write\"";
                            ("403 Forbidden", challenge(more), String::new())
                        }
                        _ => {
                            let result = json!({"content": [{"type": "text", "text": "done"}]});
                            in_json(json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
                        }
                    }
                }
                asked if asked.get("id").is_some() => {
                    let error = json!({"code": -32601, "message": "Method not found"});
                    let refused = json!({"jsonrpc": "2.0", "id": asked["id"], "error": error});
                    ("200 OK", String::new(), refused.to_string())
                }
                _ => ("202 Accepted", String::new(), String::new()),
            },
            "/.well-known/oauth-protected-resource/mcp" => {
                let about = json!({
                    "resource": format!("{base}/mcp"),
                    "authorization_servers": [base],
                    "scopes_supported": ["read", "write", "admin"],
                });
                ("200 OK", String::new(), about.to_string())
            }
            "/.well-known/oauth-authorization-server" => {
                let mut about = json!({
                    "issuer": base,
                    "authorization_endpoint": format!("{base}/authorize"),
                    "token_endpoint": format!("{base}/token"),
                    "registration_endpoint": format!("{base}/register"),
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                });
                if door.takes_no_proof {
                    about["code_challenge_methods_supported"].take();
                }
                ("200 OK", String::new(), about.to_string())
            }
            "/register" => {
                let mut known = request.json();
                known["client_id"] = json!("coterie-7");
                ("201 Created", String::new(), known.to_string())
            }
            "/authorize" => {
                let asked = reqwest::Url::parse(&format!("{base}{}", request.path));
                let asked = asked.expect("an address");
                let asked: BTreeMap<_, _> = asked.query_pairs().into_owned().collect();
                *door.leave.lock().expect("whole") =
                    asked.get("scope").cloned().unwrap_or_default();
                let back = format!("{}?code=yes&state={}", asked["redirect_uri"], asked["state"]);
                ("302 Found", format!("Location: {back}\r\n"), String::new())
            }
            "/token" => {
                let form = String::from_utf8_lossy(&request.body).into_owned();
                assert!(form.contains("code=yes") && form.contains("code_verifier="), "{form}");
                door.shut.store(false, Ordering::SeqCst);
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

fn is_greeting(request: &Request) -> bool {
    !request.json()["method"].as_str().is_some_and(|method| method.starts_with("tools/"))
}

pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) bearer: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What a server of that era answers to its first question.
pub(crate) fn initialized(id: &Value, name: &str) -> String {
    let about = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "serverInfo": {"name": name, "version": "1"},
    });
    json!({"jsonrpc": "2.0", "id": id, "result": about}).to_string()
}

pub(crate) async fn request(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let (mut first, mut length) = (String::new(), 0);
    let (mut bearer, mut session) = (None, None);
    stream.read_line(&mut first).await.ok().filter(|length| *length > 0)?;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let line = line.trim();
        if let Some(said) = line.strip_prefix("authorization: Bearer ") {
            bearer = Some(said.to_owned());
        }
        let line = line.to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(said) = line.strip_prefix("mcp-session-id:") {
            session = Some(said.trim().to_owned());
        }
        if let Some(said) = line.strip_prefix("content-length:") {
            length = said.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let mut words = first.split(' ').map(str::to_owned);
    Some(Request { method: words.next()?, path: words.next()?, bearer, session, body })
}
