//! Bytes to events: the frame of an answer, not its meaning.
//!
//! An answer is an event stream, or lines of JSON.
//! Servers are asked for an event stream, and some answer with one JSON object
//! or a web page instead, whatever their headers say: the first byte tells.

use super::broken::Broken;
use super::lines;
use futures::stream::{self, BoxStream, Stream, StreamExt};
use sse_stream::{Error, SseByteStream};
use std::error::Error as _;
use std::fmt::Display;
use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Far above the longest event seen, which is a file as one tool call.
pub(super) const MOST_PER_EVENT: usize = 4 << 20;
const MOST_PER_ANSWER: usize = 64 << 20;

#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// The data of one event of a stream, or one line.
    Data(String),
    /// The data of an event that the body broke off in, or that only lacks its
    /// blank line: the data tells which.
    Last(String),
    /// The data of an event named `error`.
    Error(String),
    /// The one JSON document that is the whole answer.
    Whole(Vec<u8>),
}

/// How an answer is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frames {
    /// Server-sent events.
    Events,
    /// JSON objects, one a line.
    Lines,
}

pub(super) type Chunks = BoxStream<'static, Result<Vec<u8>, Broken>>;

pub(super) fn events<B, E>(
    frames: Frames,
    body: impl Stream<Item = Result<B, E>> + Send + 'static,
) -> BoxStream<'static, Result<Event, Broken>>
where
    B: AsRef<[u8]> + Send,
    E: Display + Send,
{
    let mut left = MOST_PER_ANSWER;
    let chunks = body.map(move |chunk| {
        let chunk = chunk.map_err(|error| Broken::Connection(error.to_string()))?;
        let bytes = chunk.as_ref();
        left = left.checked_sub(bytes.len()).ok_or(Broken::TooBig(MOST_PER_ANSWER))?;
        Ok(bytes.to_vec())
    });
    stream::once(sort(frames, chunks.boxed())).flatten().boxed()
}

/// Looks at the first byte that says something.
async fn sort(frames: Frames, mut chunks: Chunks) -> BoxStream<'static, Result<Event, Broken>> {
    let mut head = Vec::new();
    let is_filler = |byte: &u8| byte.is_ascii_whitespace() || [0xEF, 0xBB, 0xBF].contains(byte);
    loop {
        match head.iter().find(|byte| !is_filler(byte)) {
            Some(b'<') => return one(Err(Broken::WebPage)),
            Some(b'{' | b'[') if frames == Frames::Events => return whole(head, chunks),
            Some(_) => {
                let all = stream::once(async move { Ok(head) }).chain(chunks).boxed();
                return match frames {
                    Frames::Events => stream_of(all),
                    Frames::Lines => lines::of(all),
                };
            }
            None if head.len() > MOST_PER_EVENT => return one(Err(Broken::TooBig(MOST_PER_EVENT))),
            None => {}
        }
        match chunks.next().await {
            Some(Ok(chunk)) => head.extend(chunk),
            Some(Err(broken)) => return one(Err(broken)),
            None => return stream::empty().boxed(),
        }
    }
}

fn one(event: Result<Event, Broken>) -> BoxStream<'static, Result<Event, Broken>> {
    stream::once(async move { event }).boxed()
}

fn whole(head: Vec<u8>, chunks: Chunks) -> BoxStream<'static, Result<Event, Broken>> {
    let all = async move {
        let mut all = head;
        let mut chunks = chunks;
        while let Some(chunk) = chunks.next().await {
            all.extend(chunk?);
        }
        Ok(Event::Whole(all))
    };
    stream::once(all).boxed()
}

/// The events of a stream. An end of the body ends the last event too: some
/// servers leave out its blank line. The decoder asks for the end only when it
/// has given every event before it, so what comes after that is the last one.
fn stream_of(chunks: Chunks) -> BoxStream<'static, Result<Event, Broken>> {
    let since_event = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&since_event);
    let has_ended = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&has_ended);
    let end = stream::once(async move {
        told.store(true, Relaxed);
        Ok(b"\n\n".to_vec())
    });
    let counted = chunks.chain(end).map(move |chunk| {
        let chunk = chunk?;
        // The decoder keeps an unfinished event in memory, however long it gets.
        let so_far = counter.fetch_add(chunk.len(), Relaxed) + chunk.len();
        if so_far > MOST_PER_EVENT {
            Err(Broken::TooBig(MOST_PER_EVENT))
        } else {
            Ok(Cursor::new(chunk))
        }
    });
    SseByteStream::new(counted)
        .filter_map(move |event| {
            since_event.store(0, Relaxed);
            let is_last = has_ended.load(Relaxed);
            let event = match event {
                Ok(event) => {
                    let is_error = event.event.as_deref() == Some("error");
                    event.data.map(|data| {
                        Ok(match (is_error, is_last) {
                            (true, _) => Event::Error(data),
                            (false, true) => Event::Last(data),
                            (false, false) => Event::Data(data),
                        })
                    })
                }
                Err(Error::Utf8Parse(cut)) if is_last && cut.error_len().is_none() => {
                    Some(Err(Broken::Ended))
                }
                Err(error) => Some(Err(broken(error))),
            };
            async move { event }
        })
        .boxed()
}

fn broken(error: Error) -> Broken {
    match error {
        Error::Body(inner) => match inner.downcast::<Broken>() {
            Ok(broken) => *broken,
            Err(other) => Broken::Connection(other.to_string()),
        },
        Error::Utf8Parse(_) => Broken::Garbled("its text is not UTF-8".into()),
        other => Broken::Garbled(other.source().map_or(other.to_string(), ToString::to_string)),
    }
}
