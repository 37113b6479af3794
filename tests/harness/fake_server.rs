//! A server that speaks OpenAI's chat completions, as badly as a test wants.
//!
//! It writes raw TCP, so it can split bytes anywhere, stall, cut off in the
//! middle of a token, garble and never end. Replies are laid out beforehand, a
//! queue for each method and path; what has no reply gets a 404. Everything
//! that happens to it can be awaited.

use llm::scripted::Gate;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

pub const CHAT: &str = "POST /v1/chat/completions";
pub const VECTORS: &str = "POST /v1/embeddings";
pub const MODELS: &str = "GET /v1/models";

/// Serves until it is dropped.
pub struct FakeServer {
    port: u16,
    state: Arc<State>,
    accepting: AbortHandle,
}

#[derive(Default)]
struct State {
    replies: Mutex<HashMap<String, VecDeque<Reply>>>,
    /// What a path answers when its queue is empty.
    standing: Mutex<HashMap<String, Reply>>,
    /// What a question is refused for, before anything else is answered.
    rule: Mutex<Option<Rule>>,
    requests: Mutex<Vec<Request>>,
    counts: watch::Sender<Counts>,
}

/// The refusal of a question that breaks the rule.
type Rule = fn(&Value) -> Option<Reply>;

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    asked: usize,
    hung_up: usize,
}

/// What a client sent.
#[derive(Debug, Clone)]
pub struct Request {
    /// For example `POST /v1/chat/completions`.
    pub line: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// What it gets back. The body is sent whole and ends properly, unless told otherwise.
#[derive(Debug, Clone)]
pub struct Reply {
    status: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    piece: usize,
    framing: Framing,
    end: End,
    held: Option<Gate>,
}

#[derive(Debug, Clone, Copy)]
enum Framing {
    /// Each piece is a chunk, so the client sees the same pieces.
    Chunked,
    /// The body ends where the connection ends.
    UntilClose,
}

#[derive(Debug, Clone)]
enum End {
    Proper,
    /// The connection closes without the last chunk.
    Cut,
    /// Nothing more comes, and the connection stays.
    Silence,
    /// This, again and again, with a pause in between.
    Forever(Vec<u8>, Duration),
    /// Not even the status line comes.
    NoHead,
}

impl FakeServer {
    pub async fn start() -> FakeServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback has a free port");
        let port = listener.local_addr().expect("just bound").port();
        let state = Arc::new(State::default());
        let accepting = tokio::spawn(accept(listener, Arc::clone(&state))).abort_handle();
        FakeServer { port, state, accepting }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Lays out the next answer to a question.
    pub fn answer(&self, reply: Reply) {
        self.once(CHAT, reply);
    }

    /// Lays out one reply behind those already waiting at this line.
    pub fn once(&self, line: &str, reply: Reply) {
        lock(&self.state.replies).entry(line.into()).or_default().push_back(reply);
    }

    /// What this line answers whenever nothing is laid out.
    pub fn always(&self, line: &str, reply: Reply) {
        lock(&self.state.standing).insert(line.into(), reply);
    }

    /// Refuses each question that this has a refusal for; or answers it so.
    pub fn refuses(&self, rule: Rule) {
        *lock(&self.state.rule) = Some(rule);
    }

    /// The list of models, each owned by this.
    pub fn models(&self, owner: &str, names: &[&str]) {
        let models: Vec<Value> = names
            .iter()
            .map(|name| json!({"id": name, "object": "model", "owned_by": owner}))
            .collect();
        self.always(MODELS, Reply::json(&json!({"object": "list", "data": models})));
    }

    pub fn requests(&self) -> Vec<Request> {
        lock(&self.state.requests).clone()
    }

    /// The nth request, from 1; waits until it came.
    pub async fn asked(&self, nth: usize) -> Request {
        self.until(|counts| counts.asked >= nth).await;
        lock(&self.state.requests)[nth - 1].clone()
    }

    /// Waits until clients left so many replies before their end.
    pub async fn hung_up(&self, times: usize) {
        self.until(|counts| counts.hung_up >= times).await;
    }

    async fn until(&self, reached: impl FnMut(&Counts) -> bool) {
        let mut counts = self.state.counts.subscribe();
        counts.wait_for(reached).await.expect("the sender lives in self");
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Request {
    /// Names in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

impl Reply {
    pub fn raw(body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status: "200 OK".into(),
            headers: Vec::new(),
            body: body.into(),
            piece: usize::MAX,
            framing: Framing::Chunked,
            end: End::Proper,
            held: None,
        }
    }

    pub fn json(body: &Value) -> Reply {
        Reply::raw(body.to_string()).header("content-type", "application/json")
    }

    /// An event stream with these chunks as its events, then `[DONE]`.
    pub fn stream(chunks: &[Value]) -> Reply {
        let mut body: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
        body += "data: [DONE]\n\n";
        Reply::raw(body).header("content-type", "text/event-stream")
    }

    /// A whole streamed answer, a word an event, with its usage.
    pub fn saying(text: &str) -> Reply {
        let mut chunks: Vec<Value> = text.split_inclusive(' ').map(words).collect();
        chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
        chunks.push(json!({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3}}));
        Reply::stream(&chunks)
    }

    /// A refusal, for example `429 Too Many Requests`.
    pub fn refusal(status: &str, body: &Value) -> Reply {
        Reply { status: status.into(), ..Reply::json(body) }
    }

    /// Never even begins.
    pub fn nothing() -> Reply {
        Reply { end: End::NoHead, ..Reply::raw("") }
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sent in pieces of so many bytes.
    #[must_use]
    pub fn in_pieces(self, bytes: usize) -> Reply {
        Reply { piece: bytes, ..self }
    }

    /// Says nothing about its length: it ends with the connection.
    #[must_use]
    pub fn until_close(self) -> Reply {
        Reply { framing: Framing::UntilClose, ..self }
    }

    /// Ends right before this text, without saying so.
    #[must_use]
    pub fn cut_before(self, text: &str) -> Reply {
        Reply { end: End::Cut, ..self.only_until(text) }
    }

    /// Falls silent right before this text.
    #[must_use]
    pub fn silent_before(self, text: &str) -> Reply {
        Reply { end: End::Silence, ..self.only_until(text) }
    }

    /// From right before this text on, only says this again and again.
    #[must_use]
    pub fn forever_before(self, text: &str, again: &str, pause: Duration) -> Reply {
        Reply { end: End::Forever(again.into(), pause), ..self.only_until(text) }
    }

    /// Not begun before this is open.
    #[must_use]
    pub fn held_by(self, gate: &Gate) -> Reply {
        Reply { held: Some(gate.clone()), ..self }
    }

    /// With this byte in place of the first one of this text.
    #[must_use]
    pub fn garbled_at(mut self, text: &str, byte: u8) -> Reply {
        let at = self.place_of(text);
        self.body[at] = byte;
        self
    }

    fn only_until(mut self, text: &str) -> Reply {
        self.body.truncate(self.place_of(text));
        self
    }

    fn place_of(&self, text: &str) -> usize {
        let mut windows = self.body.windows(text.len().max(1));
        windows
            .position(|window| window == text.as_bytes())
            .unwrap_or_else(|| panic!("{text:?} is in the reply"))
    }
}

/// One event with some words of an answer.
pub fn words(text: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    while let Ok((socket, _)) = listener.accept().await {
        let state = Arc::clone(&state);
        connections.spawn(async move {
            // A client that leaves is counted inside; there is nobody to tell the rest to.
            let _ = serve(socket, &state).await;
        });
    }
}

async fn serve(mut socket: TcpStream, state: &State) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let request = read_request(&mut socket).await?;
    let reply = reply_to(&request, state);
    lock(&state.requests).push(request);
    state.counts.send_modify(|counts| counts.asked += 1);
    let written = write(&mut socket, &reply).await;
    let stayed = match (&written, &reply.end) {
        (Ok(()), End::Silence | End::NoHead) => {
            socket.read(&mut [0; 64]).await.is_ok_and(|read| read > 0)
        }
        (written, _) => written.is_ok(),
    };
    if !stayed {
        state.counts.send_modify(|counts| counts.hung_up += 1);
    }
    written
}

fn reply_to(request: &Request, state: &State) -> Reply {
    let line = &request.line;
    let rule = lock(&state.rule).filter(|_| line == CHAT || line == VECTORS);
    if let Some(refusal) = rule.and_then(|rule| rule(&request.json())) {
        return refusal;
    }
    let queued = lock(&state.replies).get_mut(line).and_then(VecDeque::pop_front);
    queued.or_else(|| lock(&state.standing).get(line).cloned()).unwrap_or_else(|| Reply {
        status: "404 Not Found".into(),
        ..Reply::raw("404 page not found")
    })
}

async fn read_request(socket: &mut TcpStream) -> io::Result<Request> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if socket.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = bytes.split_off(head_end + 4);
    while body.len() < length {
        if socket.read_buf(&mut body).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(Request { line, headers, body })
}

async fn write(socket: &mut TcpStream, reply: &Reply) -> io::Result<()> {
    if let Some(gate) = &reply.held {
        gate.pass().await;
    }
    if matches!(reply.end, End::NoHead) {
        return Ok(());
    }
    let mut head = format!("HTTP/1.1 {}\r\nconnection: close\r\n", reply.status);
    if matches!(reply.framing, Framing::Chunked) {
        head += "transfer-encoding: chunked\r\n";
    }
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    socket.write_all((head + "\r\n").as_bytes()).await?;
    for piece in reply.body.chunks(reply.piece) {
        write_piece(socket, piece, reply.framing).await?;
        // Lets the reader take this piece before the next one joins it.
        tokio::task::yield_now().await;
    }
    match (&reply.end, reply.framing) {
        (End::Proper, Framing::Chunked) => socket.write_all(b"0\r\n\r\n").await?,
        (End::Forever(again, pause), _) => loop {
            write_piece(socket, again, reply.framing).await?;
            tokio::time::sleep(*pause).await;
        },
        (End::Proper | End::Cut | End::Silence | End::NoHead, _) => {}
    }
    socket.flush().await
}

async fn write_piece(socket: &mut TcpStream, piece: &[u8], framing: Framing) -> io::Result<()> {
    let framed = match framing {
        Framing::UntilClose => piece.to_vec(),
        Framing::Chunked => {
            let mut framed = format!("{:x}\r\n", piece.len()).into_bytes();
            framed.extend_from_slice(piece);
            framed.extend_from_slice(b"\r\n");
            framed
        }
    };
    socket.write_all(&framed).await
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while holding it")
}
