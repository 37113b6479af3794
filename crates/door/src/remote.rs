//! The other side of the socket: asks the owner, from any number of tasks at
//! once.
//!
//! One task holds the connection and matches answers to requests by id; each
//! subscription has a connection of its own. A connection that breaks stays
//! broken: `door` finds out who owns the workspace then.

use crate::fault;
use crate::framing::{self, Line, Lines};
use crate::lock::{self, LONG_AGO};
use crate::socket::{self, Stream};
use domain::{
    Answer, Call, Command, Fault, FromOwner, Mark, Reply, Request, RequestId, Secret, ToOwner,
};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use serde::Deserialize;
use std::collections::{HashMap, VecDeque};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// How long the owner may take for its first word: it may be stopped.
const FIRST_WORD: Duration = Duration::from_secs(5);
/// Nothing that can be asked takes nearly as long, but a whole turn.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);
/// Requests that wait to be written, in bytes.
const WRITE_AHEAD: usize = 1024 * 1024;

/// A workspace that another process owns.
#[derive(Clone)]
pub(crate) struct Remote {
    data: Arc<Path>,
    epoch: u64,
    asks: mpsc::Sender<Asked>,
}

/// The connection broke before the answer came.
#[derive(Debug, PartialEq)]
pub(crate) struct Lost;

impl Remote {
    /// Fails if nobody owns the workspace, or the owner says nothing.
    pub(crate) async fn open(data: &Path) -> Result<Remote, Fault> {
        let data: Arc<Path> = data.into();
        let first_word = timeout(FIRST_WORD, greet(&data)).await;
        let epoch = first_word.unwrap_or_else(|_| Err(fault::silent_owner(&data)))?;
        let stream = call(&data).await?;
        let (asks, asked) = mpsc::channel(32);
        tokio::spawn(Exchange { asked, waiting: HashMap::new() }.run(stream));
        Ok(Remote { data, epoch, asks })
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(crate) async fn send(&self, request: Request) -> Result<Answer, Lost> {
        let (id, longest) = (request.id, longest_answer(&request.call));
        // The one place where a key may leave this process: it goes to the owner.
        let line = Secret::on_the_wire(|| framing::encode(&ToOwner::Request(request)));
        let Some(line) = line else {
            return Ok(Answer { id, result: Err(fault::too_long()) });
        };
        let (reply, replied) = oneshot::channel();
        let exchange = async {
            self.asks.send(Asked { id, line, reply }).await.map_err(|_| Lost)?;
            replied.await.map_err(|_| Lost)
        };
        let result = match longest {
            None => exchange.await?,
            Some(longest) => {
                let no_answer = |_| Ok(Err(fault::no_answer(longest.as_secs())));
                timeout(longest, exchange).await.unwrap_or_else(no_answer)?
            }
        };
        Ok(Answer { id, result })
    }

    /// Ends when the connection breaks.
    pub(crate) fn events(&self, after: Option<Mark>) -> BoxStream<'static, FromOwner> {
        let data = self.data.clone();
        stream::once(async move { Subscription::open(&data, after).await.ok() })
            .filter_map(async |subscription| subscription)
            .flat_map(|subscription| {
                stream::unfold(subscription, |mut subscription| async move {
                    let said = subscription.next().await?;
                    Some((said, subscription))
                })
            })
            .boxed()
    }
}

/// How long the owner may take. Whoever asks for a whole turn decides how long
/// to wait for it: it takes as long as the models and the tools do.
fn longest_answer(call: &Call) -> Option<Duration> {
    match call {
        // As long as it takes: a model answers, or a large file is read.
        Call::Command(
            Command::RunOnce { .. }
            | Command::ImportMemories { .. }
            | Command::ExportMemories { .. }
            | Command::ConsolidateMemories { .. }
            | Command::BackUp { .. }
            | Command::Restore { .. }
            | Command::LookThroughBackup { .. }
            | Command::TakeIn { .. },
        ) => None,
        Call::Command(_) | Call::Query(_) => Some(LONGEST_ANSWER),
    }
}

/// Which epoch the owner is in; also shows that somebody is there.
async fn greet(data: &Path) -> Result<u64, Fault> {
    let mut subscription = Subscription::open(data, Some(LONG_AGO)).await?;
    match subscription.next().await {
        Some(FromOwner::Resync { now }) => Ok(now.epoch),
        Some(FromOwner::Event(_) | FromOwner::Answer(_)) | None => Err(fault::silent_owner(data)),
    }
}

/// Connects to the socket that the lock file names.
async fn call(data: &Path) -> Result<Stream, Fault> {
    let owner = lock::read(data).ok_or_else(|| fault::no_owner(data))?;
    let path = owner.socket.ok_or_else(|| fault::no_owner(data))?;
    socket::connect(&path).await.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => fault::foreign_owner(data),
        ErrorKind::Unsupported => fault::folder(data, &error),
        _ => fault::no_owner(data),
    })
}

struct Asked {
    id: RequestId,
    line: Vec<u8>,
    reply: oneshot::Sender<Result<Reply, Fault>>,
}

/// The task that holds the connection for requests. When it ends, whoever
/// still waits finds the other end of the channel gone.
struct Exchange {
    asked: mpsc::Receiver<Asked>,
    /// The same request may be asked twice at the same time.
    waiting: HashMap<RequestId, Vec<oneshot::Sender<Result<Reply, Fault>>>>,
}

impl Exchange {
    async fn run(mut self, stream: Stream) {
        let (read, mut write) = tokio::io::split(stream);
        let mut lines = Lines::new(read);
        let mut unsent = VecDeque::new();
        // An owner that takes no more may have answered before that.
        let mut takes_more = true;
        loop {
            tokio::select! {
                line = lines.next() => match line {
                    Ok(Some(line)) => self.hear(line),
                    Ok(None) | Err(_) => return,
                },
                asked = self.asked.recv(), if takes_more && unsent.len() < WRITE_AHEAD => match asked {
                    Some(asked) => {
                        unsent.extend(&asked.line);
                        self.wait_for(asked);
                    }
                    None => return,
                },
                written = write.write(unsent.as_slices().0), if takes_more && !unsent.is_empty() => match written {
                    Ok(bytes) if bytes > 0 => drop(unsent.drain(..bytes)),
                    Ok(_) | Err(_) => takes_more = false,
                },
            }
        }
    }

    fn wait_for(&mut self, asked: Asked) {
        // Whoever stopped waiting is forgotten on this occasion.
        self.waiting.retain(|_, replies| replies.iter().any(|reply| !reply.is_closed()));
        self.waiting.entry(asked.id).or_default().push(asked.reply);
    }

    fn hear(&mut self, line: Line) {
        let FromOwner::Answer(answer) = read(line) else { return };
        match self.waiting.remove(&answer.id) {
            Some(replies) => {
                for reply in replies {
                    let _ = reply.send(answer.result.clone());
                }
            }
            None => tracing::debug!(?answer, "nobody waits for this answer"),
        }
    }
}

/// A line as what the owner says; one that cannot be read is a faulty answer,
/// to the request whose id is in it if there is one.
fn read(line: Line) -> FromOwner {
    #[derive(Deserialize)]
    struct Said {
        answer: Named,
    }
    #[derive(Deserialize)]
    struct Named {
        id: RequestId,
    }
    let nobodys = RequestId(uuid::Uuid::nil());
    let refuse = |id, fault| FromOwner::Answer(Answer { id, result: Err(fault) });
    match line {
        Line::TooLong => refuse(nobodys, fault::too_long()),
        Line::Whole(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
            let said = serde_json::from_slice::<Said>(&text);
            refuse(said.map_or(nobodys, |said| said.answer.id), fault::unreadable_answer(error))
        }),
    }
}

/// Events over a connection of their own.
struct Subscription {
    lines: Lines<ReadHalf<Stream>>,
    /// Held so that the owner does not take it for the end.
    _write: WriteHalf<Stream>,
}

impl Subscription {
    async fn open(data: &Path, after: Option<Mark>) -> Result<Subscription, Fault> {
        let (read, mut write) = tokio::io::split(call(data).await?);
        let line = framing::encode(&ToOwner::Subscribe { after }).expect("a mark is short");
        write.write_all(&line).await.map_err(|_| fault::owner_gone())?;
        Ok(Subscription { lines: Lines::new(read), _write: write })
    }

    async fn next(&mut self) -> Option<FromOwner> {
        loop {
            match read(self.lines.next().await.ok()??) {
                FromOwner::Answer(answer) => tracing::warn!(?answer, "among the events"),
                said @ (FromOwner::Event(_) | FromOwner::Resync { .. }) => return Some(said),
            }
        }
    }
}
