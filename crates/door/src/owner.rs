//! The owner's side of the socket: answers requests and passes events on.
//!
//! What it serves is handed in as two functions; this file knows lines and
//! connections only. A connection costs a bounded amount of memory: its reader
//! stops while too many of its requests are being answered, and events are
//! pulled only as fast as the caller takes them, so that a slow subscriber
//! falls out of the workspace's ring and gets a `Resync`. When the owner closes
//! it waits for the answers that it owes, and for nobody who only listens.

use crate::fault;
use crate::framing::{self, Line, Lines};
use crate::socket::{Listener, Stream};
use domain::{Answer, Call, Command, Fault, FromOwner, Mark, Request, RequestId, ToOwner};
use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

/// Requests of one connection that are answered at the same time.
const AT_ONCE: usize = 32;
/// How long requests in progress may take when the owner closes.
const LAST_ANSWERS: Duration = Duration::from_secs(3);
/// Before the next try when no connection can be accepted, as when the
/// process has too many open files.
const PAUSE: Duration = Duration::from_millis(100);

/// What callers reach.
#[derive(Clone)]
pub(crate) struct Service {
    pub answer: Arc<dyn Fn(Request) -> BoxFuture<'static, Answer> + Send + Sync>,
    pub events: Arc<dyn Fn(Option<Mark>) -> BoxStream<'static, FromOwner> + Send + Sync>,
}

/// The socket being served, until it is closed.
pub(crate) struct Served {
    path: PathBuf,
    /// No new requests.
    closing: CancellationToken,
    /// No more answers either.
    closed: CancellationToken,
    connections: TaskTracker,
}

pub(crate) fn serve(listener: Listener, service: Service) -> Served {
    let served = Served {
        path: listener.path.clone(),
        closing: CancellationToken::new(),
        closed: CancellationToken::new(),
        connections: TaskTracker::new(),
    };
    let (closing, closed, connections) =
        (served.closing.clone(), served.closed.clone(), served.connections.clone());
    served.connections.spawn(async move {
        while let Some(accepted) = closing.run_until_cancelled(listener.accept()).await {
            match accepted {
                Ok(stream) => {
                    let conversation = converse(stream, service.clone(), closing.clone());
                    let closed = closed.clone();
                    connections
                        .spawn(async move { closed.run_until_cancelled(conversation).await });
                }
                Err(error) => {
                    tracing::warn!(%error, "accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    });
    served
}

impl Served {
    /// As if the process were killed.
    #[cfg(test)]
    pub(crate) fn abandon(&self) {
        self.closed.cancel();
        self.closing.cancel();
    }

    /// Whether anybody is connected.
    pub(crate) fn is_in_use(&self) -> bool {
        // The one that takes connections is among them.
        self.connections.len() > 1
    }

    /// Takes no more requests and waits for the answers in progress. The
    /// caller still holds the lock, so the path is still this owner's.
    pub(crate) async fn close(&self) {
        self.closing.cancel();
        if let Err(error) = crate::socket::remove(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "remove the socket");
        }
        self.connections.close();
        if tokio::time::timeout(LAST_ANSWERS, self.connections.wait()).await.is_err() {
            tracing::warn!("closed with requests unanswered");
        }
        self.closed.cancel();
    }
}

async fn converse(stream: Stream, service: Service, closing: CancellationToken) {
    let (read, write) = tokio::io::split(stream);
    let (answers, answered) = mpsc::channel(AT_ONCE);
    let (subscribe, subscribed) = mpsc::channel(1);
    let owing = Owing { places: Arc::new(Semaphore::new(AT_ONCE)), closing };
    let listening = listen(Lines::new(read), service.answer, answers, subscribe, owing.clone());
    let speaking = speak(write, answered, subscribed, service.events, owing);
    // Either side's end is the end: nobody to hear, or nothing more to say.
    tokio::pin!(listening, speaking);
    tokio::select! {
        () = &mut listening => speaking.await,
        () = &mut speaking => {}
    }
}

/// What one caller is owed. A place is taken when a request is read, and free
/// again when its answer has been written.
#[derive(Clone)]
struct Owing {
    places: Arc<Semaphore>,
    closing: CancellationToken,
}

impl Owing {
    async fn one_more(&self) -> OwnedSemaphorePermit {
        self.places.clone().acquire_owned().await.expect("never closed")
    }

    /// The owner closes, and the caller has all its answers.
    async fn is_over(&self) {
        self.closing.cancelled().await;
        let all = u32::try_from(AT_ONCE).unwrap_or(u32::MAX);
        let _all = self.places.acquire_many(all).await;
    }
}

/// An answer, with its place among those that are owed.
struct Owed {
    answer: Answer,
    place: OwnedSemaphorePermit,
}

/// Reads requests until the caller hangs up or the owner closes.
async fn listen<R: AsyncRead + Unpin>(
    mut lines: Lines<R>,
    answer: Arc<dyn Fn(Request) -> BoxFuture<'static, Answer> + Send + Sync>,
    answers: mpsc::Sender<Owed>,
    subscribe: mpsc::Sender<Option<Mark>>,
    owing: Owing,
) {
    let closing = &owing.closing;
    while let Some(Ok(Some(line))) = closing.run_until_cancelled(lines.next()).await {
        match read(line) {
            Ok(ToOwner::Request(request)) => {
                let place = owing.one_more().await;
                let id = request.id;
                let given_up = given_up(&request.call, closing);
                let answering = tokio::spawn(answer(request));
                let answers = answers.clone();
                // Runs on when the caller hangs up: what was ordered is done.
                tokio::spawn(async move {
                    if let Some(answered) = given_up.run_until_cancelled(answering).await {
                        let panicked = |_| Answer { id, result: Err(fault::panicked()) };
                        let answer = answered.unwrap_or_else(panicked);
                        let _ = answers.send(Owed { answer, place }).await;
                    }
                });
            }
            Ok(ToOwner::Subscribe { after }) => {
                let _ = subscribe.send(after).await;
            }
            Err((id, fault)) => {
                let (answer, place) = (Answer { id, result: Err(fault) }, owing.one_more().await);
                let _ = answers.send(Owed { answer, place }).await;
            }
        }
    }
}

/// When an answer is waited for no longer: a whole turn is asked for again at
/// the next owner, which goes on with it.
fn given_up(call: &Call, closing: &CancellationToken) -> CancellationToken {
    match call {
        Call::Command(Command::RunOnce { .. }) => closing.clone(),
        Call::Command(_) | Call::Query(_) => CancellationToken::new(),
    }
}

/// Writes answers and events until there can be no more answers.
async fn speak<W: AsyncWrite + Unpin>(
    mut write: W,
    mut answers: mpsc::Receiver<Owed>,
    mut subscribed: mpsc::Receiver<Option<Mark>>,
    subscribe: Arc<dyn Fn(Option<Mark>) -> BoxStream<'static, FromOwner> + Send + Sync>,
    owing: Owing,
) {
    let mut events: BoxStream<'static, FromOwner> = stream::pending().boxed();
    loop {
        let (say, place) = tokio::select! {
            biased;
            owed = answers.recv() => match owed {
                Some(Owed { answer, place }) => (FromOwner::Answer(answer), Some(place)),
                None => return,
            },
            // A second subscription takes the place of the first.
            Some(after) = subscribed.recv() => {
                events = subscribe(after).chain(stream::pending()).boxed();
                continue;
            }
            // The next owner tells what happens from now on.
            Some(event) = events.next(), if !owing.closing.is_cancelled() => (event, None),
        };
        let line = framing::encode(&say).or_else(|| framing::encode(&shortened(say)));
        let Some(line) = line else { continue };
        let written = tokio::select! {
            written = write.write_all(&line) => written.is_ok(),
            // Half an event is nobody's, and may never be read.
            () = owing.is_over() => false,
        };
        if !written {
            return;
        }
        drop(place);
    }
}

/// What is said in the place of something too long for a line.
fn shortened(say: FromOwner) -> FromOwner {
    match say {
        FromOwner::Answer(answer) => {
            FromOwner::Answer(Answer { id: answer.id, result: Err(fault::too_long()) })
        }
        FromOwner::Event(_) | FromOwner::Resync { .. } => say,
    }
}

/// A line as what it asks for, or why that cannot be known, and which request
/// it would have been.
fn read(line: Line) -> Result<ToOwner, (RequestId, Fault)> {
    match line {
        Line::TooLong => Err((NOBODYS, fault::too_long())),
        Line::Whole(text) => serde_json::from_slice(&text)
            .map_err(|error| (id_in(&text).unwrap_or(NOBODYS), unreadable(&text, &error))),
    }
}

/// What is wrong with a line is told in its own words, unless a key may be
/// among them.
fn unreadable(text: &[u8], error: &serde_json::Error) -> Fault {
    const WITH_KEYS: [&[u8]; 4] = [b"set_key", b"seal_keys", b"unlock_keys", b"change_passphrase"];
    let has = |word: &[u8]| text.windows(word.len()).any(|at| at == word);
    match WITH_KEYS.into_iter().any(has) {
        true => fault::unreadable(format_args!("it is another one at column {}", error.column())),
        false => fault::unreadable(error),
    }
}

/// The id in the answer to a line that had none.
const NOBODYS: RequestId = RequestId(Uuid::nil());

/// The id of a request whose call this version does not know.
fn id_in(text: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Said {
        request: Named,
    }
    #[derive(Deserialize)]
    struct Named {
        id: RequestId,
    }
    serde_json::from_slice::<Said>(text).ok().map(|said| said.request.id)
}
