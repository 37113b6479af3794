//! The door for other programs on this machine: what they send, a source tells.
//!
//! It is open while a source that hears them is on, on loopback and nowhere else. What
//! is taken is on the disk before the program hears so, and by its delivery id it is
//! taken once. `request` decides what may be asked for at all.

mod request;

use crate::shared::Shared;
use crate::workspace::Start;
use crate::{keys, letters};
use domain::{Fault, FaultCode, FeedSource, Watches, hook_key};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, RETRY_AFTER};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use request::{Refusal, Wanted};
use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use store::table::{deliveries, feed_sources, settings};
use store::{Durability, StoreError, Write};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use uuid::Uuid;

const LARGEST: usize = 64 * 1024;
/// What one source takes within a minute.
const MOST_A_MINUTE: u32 = 60;
const MINUTE_MS: i64 = 60 * 1000;
const MOST_AT_ONCE: usize = 16;
const TO_SPEAK: Duration = Duration::from_secs(5);
const TO_END: Duration = Duration::from_secs(15);
/// Which port was chosen for this workspace.
const PORT: &str = "hooks/port";

/// The open door, until it is dropped.
pub(super) struct Listening(JoinHandle<()>);

impl Listening {
    /// Returns when nobody is heard any more.
    async fn close(mut self) {
        self.0.abort();
        // It ends by being stopped, and cannot fail.
        let _ = (&mut self.0).await;
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Where programs send what this source is to tell.
pub(super) fn address(port: u16, source: &str) -> String {
    format!("http://127.0.0.1:{port}/hooks/{}", utf8_percent_encode(source, NON_ALPHANUMERIC))
}

/// Opens the door where a source wants it, and closes it where none does any more.
pub(super) async fn keep(
    shared: &Arc<Shared>,
    listening: &mut Option<Listening>,
) -> Result<(), Fault> {
    let mut hooks = shared.store.read(feed_sources::all)?;
    hooks.retain(|source| source.plan.watches == Watches::Hook);
    let wanted = hooks.iter().any(FeedSource::watches_now);
    let is_shut = listening.is_none() && shared.sources.door.borrow().is_none();
    if (wanted && listening.is_some()) || (!wanted && is_shut) {
        return Ok(());
    }
    if let Some(open) = listening.take() {
        open.close().await;
    }
    let bound = match wanted {
        true => Some(bind(shared).await),
        false => None,
    };
    let door = match bound {
        None => None,
        Some(Ok((socket, port))) => {
            *listening = Some(Listening(tokio::spawn(listen(shared.clone(), socket, port))));
            Some(Ok(port))
        }
        Some(Err(fault)) => Some(Err(fault)),
    };
    if shared.sources.door.send_replace(door.clone()) != door {
        tell(shared, hooks).await?;
    }
    Ok(())
}

/// Returns when it is known how the door stands that a source wants, where it is opened
/// in this process.
pub(super) async fn opened(shared: &Shared) {
    if shared.start == Start::Working {
        let mut door = shared.sources.door.subscribe();
        tokio::select! {
            _ = door.wait_for(Option::is_some) => {}
            () = shared.closing.cancelled() => {}
        }
    }
}

/// Has the window look where they hear now.
async fn tell(shared: &Shared, hooks: Vec<FeedSource>) -> Result<(), StoreError> {
    let again = move |write: &mut Write<'_>| {
        for source in &hooks {
            if let Some(stands) = feed_sources::find(write, source.id)? {
                feed_sources::put(write, &stands)?;
            }
        }
        Ok(())
    };
    shared.store.write(Durability::Process, again).await
}

/// The port stays the same for as long as the workspace has it: programs know it.
async fn bind(shared: &Arc<Shared>) -> Result<(TcpListener, u16), Fault> {
    let chosen = shared.store.read(|read| settings::fact(read, PORT))?;
    let chosen: u16 = chosen.and_then(|port| port.parse().ok()).unwrap_or(0);
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, chosen)).await;
    let bound = bound.and_then(|socket| Ok((socket.local_addr()?.port(), socket)));
    let (port, socket) = bound.map_err(|error| {
        Fault::new(
            FaultCode::Refused,
            format!(
                "nothing that programs send is heard, since port {chosen} cannot be had: {error}"
            ),
            "end the program that has this port, then turn the source off and on",
        )
    })?;
    if port != chosen {
        let keep = move |write: &mut Write<'_>| settings::put_fact(write, PORT, &port.to_string());
        shared.store.write(Durability::Power, keep).await?;
    }
    Ok((socket, port))
}

async fn listen(shared: Arc<Shared>, socket: TcpListener, port: u16) {
    // With the door go those who stand in it.
    let mut inside = JoinSet::new();
    loop {
        while inside.len() >= MOST_AT_ONCE {
            inside.join_next().await;
        }
        let accepted = socket.accept().await;
        while inside.try_join_next().is_some() {}
        match accepted {
            Ok((stream, from)) if from.ip().is_loopback() => {
                inside.spawn(serve(shared.clone(), stream, port));
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "a program that sends something cannot be heard");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn serve(shared: Arc<Shared>, stream: TcpStream, port: u16) {
    let answer = service_fn(|request| {
        let shared = shared.clone();
        async move { Ok::<_, Infallible>(answered(take(&shared, port, request).await)) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(TO_SPEAK)
        .keep_alive(false)
        .max_buf_size(16 * 1024)
        .serve_connection(TokioIo::new(stream), answer);
    match tokio::time::timeout(TO_END, served).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a program broke off what it sent"),
        Err(_) => tracing::debug!("a program took too long to send something"),
    }
}

/// What became of what was sent.
#[derive(Debug, PartialEq, Eq)]
enum Taken {
    Kept,
    /// It was sent before.
    Known,
}

async fn take(
    shared: &Arc<Shared>,
    port: u16,
    request: Request<Incoming>,
) -> Result<Taken, Refusal> {
    let (head, body) = request.into_parts();
    let Wanted { source, token, delivery, form } = request::read(&head, port)?;
    let source = let_in(shared, &source, &token).await?;
    let body = Limited::new(body, LARGEST).collect().await.map_err(|error| match error
        .is::<LengthLimitError>(
    ) {
        true => Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "send 64 KiB at the most"),
        false => Refusal::new(StatusCode::BAD_REQUEST, "it broke off"),
    })?;
    let text = request::text(form, &body.to_bytes())?;
    keys::known_before_turns(shared).await;
    let text = shared.safe.redactor().redact_known(&text).into_owned();
    let delivery = delivery.unwrap_or_else(|| Uuid::now_v7().to_string());
    let now = shared.now_ms();
    let keep = move |write: &mut Write<'_>| {
        let stands = feed_sources::get(write, source.id)?;
        if !stands.watches_now() {
            return Ok(Err(Refusal::unknown()));
        }
        if deliveries::since(write, source.id, now - MINUTE_MS)? >= MOST_A_MINUTE {
            let why = format!("{MOST_A_MINUTE} in a minute are taken; send it again later");
            return Ok(Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, why)));
        }
        Ok::<_, StoreError>(Ok(match deliveries::add(write, source.id, &delivery, &text, now)? {
            true => Taken::Kept,
            false => Taken::Known,
        }))
    };
    let kept = shared.store.write(Durability::Power, keep).await.map_err(|error| {
        tracing::warn!(%error, "what a program sent cannot be kept");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "it cannot be kept now; send it again later")
    })?;
    if kept == Ok(Taken::Kept) {
        shared.sources.bell.notify_one();
    }
    kept
}

/// The source that is on under this name, for whoever shows its token.
async fn let_in(shared: &Arc<Shared>, name: &str, token: &str) -> Result<FeedSource, Refusal> {
    let all = shared.store.read(feed_sources::all).map_err(|_| {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "nothing can be looked up now")
    })?;
    let is_meant = |source: &FeedSource| {
        let hears = source.plan.watches == Watches::Hook && source.watches_now();
        hears && letters::same(&source.plan.name, name)
    };
    let source = all.into_iter().find(is_meant).ok_or_else(Refusal::unknown)?;
    let kept = keys::value_of(shared, &hook_key(&source.plan.name)).await;
    let kept = kept.map_err(|fault| match fault.code {
        FaultCode::NotFound => Refusal::unknown(),
        _ => Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "its token cannot be read now: the place of the keys is locked or gone",
        ),
    })?;
    // Hashes are compared in the same time wherever they differ.
    let hash = |token: &str| blake3::hash(token.as_bytes());
    match hash(kept.expose()) == hash(token) {
        true => Ok(source),
        false => Err(Refusal::unknown()),
    }
}

fn answered(taken: Result<Taken, Refusal>) -> Response<Full<Bytes>> {
    let (status, said) = match taken {
        Ok(Taken::Kept) => (StatusCode::ACCEPTED, serde_json::json!({"ok": true, "new": true})),
        Ok(Taken::Known) => (StatusCode::OK, serde_json::json!({"ok": true, "new": false})),
        Err(Refusal { status, why }) => (status, serde_json::json!({"ok": false, "why": why})),
    };
    let mut response = Response::new(Full::new(Bytes::from(said.to_string())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("application/json"));
    if status == StatusCode::TOO_MANY_REQUESTS {
        headers.insert(RETRY_AFTER, hyper::header::HeaderValue::from_static("60"));
    }
    response
}
