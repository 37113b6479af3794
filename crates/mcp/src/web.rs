//! HTTP as the SDK wants it, with an eye on the stream that a server of the
//! older era speaks through unasked.
//!
//! Such a server may ask us back on that stream as soon as we use a tool, and
//! what it says while the stream is not open yet is lost.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tokio::sync::watch;
use tokio::time::timeout;

/// A handle, cheap to clone.
#[derive(Clone)]
pub(crate) struct Web {
    http: reqwest::Client,
    seen: Arc<Seen>,
}

struct Seen {
    /// The server has given us a session, which such a stream belongs to.
    session: AtomicBool,
    /// The stream was opened, or the server would not have it.
    tried: watch::Sender<bool>,
}

type Failed = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, sse_stream::Error>>;

impl Web {
    pub(crate) fn new(http: reqwest::Client) -> Self {
        let seen = Seen { session: AtomicBool::new(false), tried: watch::Sender::new(false) };
        Web { http, seen: Arc::new(seen) }
    }

    /// Waits until the server can ask us back, but not for long.
    pub(crate) async fn can_be_asked(&self) {
        if self.seen.session.load(Ordering::Relaxed) {
            let mut tried = self.seen.tried.subscribe();
            let _ = timeout(TO_OPEN, tried.wait_for(|tried| *tried)).await;
        }
    }

    fn note(&self, session: Option<&Arc<str>>) {
        if session.is_some() {
            self.seen.session.store(true, Ordering::Relaxed);
        }
    }
}

/// What a post asks for.
struct Asked {
    /// `None` where it waits for no answer.
    id: Option<RequestId>,
    in_session: bool,
}

impl Asked {
    fn of(message: &ClientJsonRpcMessage, session: Option<&Arc<str>>) -> Self {
        let id = match message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            ClientJsonRpcMessage::Notification(_)
            | ClientJsonRpcMessage::Response(_)
            | ClientJsonRpcMessage::Error(_) => None,
        };
        Asked { id, in_session: session.is_some() }
    }

    /// An error that does not say of what it is one answers this post, whatever was asked with
    /// it: nobody else could take it up. Many servers say so, with a status of 400, that they
    /// know nothing of a session, as after they were started anew; where 404 is the rule, and
    /// is understood.
    fn heard(
        self,
        said: Result<StreamableHttpPostResponse, Failed>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        match (said, self.id) {
            (
                Ok(StreamableHttpPostResponse::Json(ServerJsonRpcMessage::Error(mut error), given)),
                Some(id),
            ) if error.id.is_none() => {
                if self.in_session && error.error.message.to_lowercase().contains("session") {
                    return Err(Failed::SessionExpired);
                }
                error.id = Some(id);
                let error = ServerJsonRpcMessage::Error(error);
                Ok(StreamableHttpPostResponse::Json(error, given))
            }
            (said, _) => said,
        }
    }
}

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
        self.note(session.as_ref());
        let asked = Asked::of(&message, session.as_ref());
        asked.heard(self.http.post_message(uri, message, session, proof, headers).await)
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
        let asked = Asked::of(&message, session.as_ref());
        let posted = self
            .http
            .post_message_with_response_limits(uri, message, session, proof, headers, limits);
        asked.heard(posted.await)
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
        let opened = self.http.get_stream(uri, session, after, proof, headers).await;
        self.seen.tried.send_replace(true);
        opened
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
        let opening =
            self.http.get_stream_with_max_sse_event_size(uri, session, after, proof, headers, most);
        let opened = opening.await;
        self.seen.tried.send_replace(true);
        opened
    }
}
