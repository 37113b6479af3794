//! HTTP as the SDK wants it, with an eye on what it would keep to itself.
//!
//! A server of the older era may ask us back as soon as we use a tool, on a stream of its
//! own, and what it says while that is not open yet is lost. Whoever asks is told at once
//! when no answer will come, and all are told when nobody is there any more.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue, Method};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::Fault;
use crate::depth::{Depth, too_deep};
use crate::fault::chain;
use crate::instead::{instead, too_long};

/// A handle, cheap to clone.
#[derive(Clone)]
pub(crate) struct Web {
    http: reqwest::Client,
    url: Arc<str>,
    seen: Arc<Seen>,
}

struct Seen {
    /// The server has given us a session, which such a stream belongs to.
    session: AtomicBool,
    /// Whether the stream could be opened, once that was tried.
    opened: watch::Sender<Option<bool>>,
    /// Why it cannot be reached any more.
    gone: watch::Sender<Option<String>>,
}

pub(crate) type Failed = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, sse_stream::Error>>;

impl Web {
    pub(crate) fn new(http: reqwest::Client, url: &str) -> Self {
        let (opened, gone) = Default::default();
        let seen = Arc::new(Seen { session: AtomicBool::new(false), opened, gone });
        Web { http, url: url.into(), seen }
    }

    /// Waits until the server can ask us back, but not for long.
    pub(crate) async fn can_be_asked(&self) {
        if self.seen.session.load(Ordering::Relaxed) {
            let mut opened = self.seen.opened.subscribe();
            let _ = timeout(TO_OPEN, opened.wait_for(Option::is_some)).await;
        }
    }

    /// Comes when somebody found nobody there.
    pub(crate) async fn gone(&self) {
        let _ = self.seen.gone.subscribe().wait_for(Option::is_some).await;
    }

    /// Looks whether anybody is there, whatever they say to that; gives whether nobody is.
    pub(crate) async fn is_gone(&self) -> bool {
        let visit = || async {
            let said = self.http.request(Method::OPTIONS, &*self.url).send().await;
            self.noted(said.map_err(Failed::Client)).is_ok()
        };
        // The first may have gone over a connection whose other end is no more.
        let _ = visit().await || visit().await;
        self.seen.gone.borrow().is_some()
    }

    /// Why a conversation with it is over that we did not end.
    pub(crate) fn why_over(&self) -> Fault {
        match self.seen.gone.borrow().clone() {
            Some(why) => Fault::Unreachable(why),
            None => Fault::Broken("the server closed the connection".to_owned()),
        }
    }

    fn note(&self, session: Option<&Arc<str>>) {
        if session.is_some() {
            self.seen.session.store(true, Ordering::Relaxed);
        }
    }

    fn noted<T>(&self, came: Result<T, Failed>) -> Result<T, Failed> {
        if let Err(failed) = &came
            && let Some(why) = found_nobody(failed)
        {
            self.seen.gone.send_replace(Some(why));
        }
        came
    }
}

/// Why what was sent has reached nobody, if that is how it failed.
pub(crate) fn found_nobody(failed: &Failed) -> Option<String> {
    match failed {
        Failed::Client(error) if error.is_connect() => Some(chain(error)),
        _ => None,
    }
}

/// A stream that its server knows no more, as after it was started anew, is not asked for again
/// and again: whoever waits for an answer on it knows that none comes.
fn given_up(failed: Failed) -> Failed {
    let refused = match &failed {
        Failed::Client(error) => error.status(),
        _ => None,
    };
    match refused.map(|status| status.as_u16()) {
        // The one failure of this kind that the SDK takes for the last word.
        Some(400 | 401 | 403 | 404 | 410) => Failed::ServerDoesNotSupportSse,
        _ => failed,
    }
}

/// What a post asks for.
struct Asked {
    /// `None` where it waits for no answer.
    id: Option<RequestId>,
    in_session: bool,
    /// Where the server speaks unasked some answer, too.
    may_be_answered_elsewhere: bool,
    most_bytes: usize,
}

impl Asked {
    /// An error that does not say of what it is one answers this post, whatever was asked with
    /// it: nobody else could take it up. Many servers say so, with a status of 400, that they
    /// know nothing of a session, as after they were started anew; where 404 is the rule, and
    /// is understood.
    fn heard(
        self,
        said: Result<StreamableHttpPostResponse, Failed>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        use StreamableHttpPostResponse::{Accepted, Json, Sse};
        let Some(id) = self.id else { return said };
        match said {
            Ok(Json(ServerJsonRpcMessage::Error(mut error), given)) if error.id.is_none() => {
                if self.in_session && error.error.message.to_lowercase().contains("session") {
                    return Err(Failed::SessionExpired);
                }
                error.id = Some(id);
                Ok(Json(ServerJsonRpcMessage::Error(error), given))
            }
            Ok(Accepted) if !self.may_be_answered_elsewhere => Ok(Json(instead(id, TAKEN), None)),
            Ok(Sse(events, given)) => Ok(Sse(with_excuse(events, id, self.most_bytes), given)),
            Err(Failed::ResponseBodyTooLarge { max_size }) => {
                Ok(Json(instead(id, too_long(max_size)), None))
            }
            said => said,
        }
    }
}

/// Says of an event that is too long, or too deep in itself, that it was the answer: no other
/// can come behind it.
fn with_excuse(events: Events, id: RequestId, most_bytes: usize) -> Events {
    let excuse = move |event: Result<Sse, sse_stream::Error>| {
        let why = match &event {
            Err(error) => is_too_long(error).then(|| too_long(most_bytes)),
            Ok(event) => is_too_deep(event).then(too_deep),
        };
        let said = why.and_then(|why| serde_json::to_string(&instead(id.clone(), why)).ok());
        said.map_or(event, |said| Ok(Sse::default().data(said)))
    };
    events.map(excuse).boxed()
}

/// Of an answer: what else the server says is answered by nobody.
fn is_too_deep(event: &Sse) -> bool {
    let is_it = |said: &String| said.contains("\"result\"") && Depth::of(said).is_too_deep();
    event.data.as_ref().is_some_and(is_it)
}

/// The SDK keeps the type of it to itself.
fn is_too_long(error: &sse_stream::Error) -> bool {
    chain(error).contains("exceeded the maximum size")
}

const TAKEN: &str = "it took what it was asked and answered nothing (HTTP 202 or 204)";
const TO_OPEN: Duration = Duration::from_secs(5);

impl StreamableHttpClient for Web {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        proof: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, proof, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        proof: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        self.note(session.as_ref());
        let asked = Asked {
            id: match &message {
                ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
                ClientJsonRpcMessage::Notification(_)
                | ClientJsonRpcMessage::Response(_)
                | ClientJsonRpcMessage::Error(_) => None,
            },
            in_session: session.is_some(),
            may_be_answered_elsewhere: *self.seen.opened.borrow() == Some(true),
            most_bytes: limits.max_sse_event_size,
        };
        let posted = self
            .http
            .post_message_with_response_limits(uri, message, session, proof, headers, limits);
        asked.heard(self.noted(posted.await))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        proof: Option<String>,
        headers: Headers,
    ) -> Result<(), Failed> {
        self.http.delete_session(uri, session, proof, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        after: Option<String>,
        proof: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failed> {
        let most = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, after, proof, headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        after: Option<String>,
        proof: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<Events, Failed> {
        let goes_on = after.is_some();
        let opening =
            self.http.get_stream_with_max_sse_event_size(uri, session, after, proof, headers, most);
        let opened = self.noted(opening.await);
        if goes_on {
            return opened.map_err(given_up);
        }
        self.seen.opened.send_replace(Some(opened.is_ok()));
        opened
    }
}
