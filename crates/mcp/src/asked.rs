//! One question to a server, until its answer.

use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{
    CallToolResult, CancelledNotificationParam, ClientRequest, ContentBlock, InputResponses,
    ProgressToken, RequestId, RequestMetaObject, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tools::Progress;

use crate::handler::Handler;
use crate::{Fault, Patience};

/// How a question is asked.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// The same when the same use is tried again; the server is told.
    pub key: Option<String>,
    /// Tells the server to stop, and waits no longer.
    pub stop: CancellationToken,
    /// Hears how far the server says that it is; only the newest is kept for whoever is
    /// slow to listen.
    pub progress: Option<watch::Sender<Option<Progress>>>,
}

/// How often a server may ask something back before it answers.
const MOST_ROUNDS: usize = 10;

/// Asks, supplies whatever the server needs to know first, and asks again.
pub(crate) async fn ask(
    peer: &Peer<RoleClient>,
    handler: &Handler,
    patience: Patience,
    with: &Ask,
    request: impl Fn(Option<InputResponses>, Option<String>) -> ClientRequest,
) -> Result<ServerResult, rmcp::ServiceError> {
    let (mut supplied, mut state) = (None, None);
    let mut deadline = Instant::now() + patience.altogether;
    let _open = handler.open.begin(with.key.clone());
    let (mut sent_to_pages, mut done) = (false, handler.done_elsewhere.subscribe());
    for round in 0..MOST_ROUNDS {
        let asked = request(supplied.clone(), state.clone());
        let result = once(peer, handler, patience.silence, &mut deadline, with, asked).await;
        let result = match result {
            Err(rmcp::ServiceError::McpError(refused)) if !sent_to_pages => {
                sent_to_pages = true;
                let asked = Instant::now();
                let key = with.key.as_deref();
                tokio::select! {
                    gone = handler.go_to_pages(refused, key, &mut done, patience.silence) => {
                        gone.map_err(rmcp::ServiceError::McpError)?;
                    }
                    () = with.stop.cancelled() => return Err(stopped()),
                }
                // A person's time is not the server's.
                deadline += asked.elapsed();
                continue;
            }
            result => result?,
        };
        supplied = None;
        let ServerResult::InputRequiredResult(needs) = result else { return Ok(result) };
        let needed = needs.input_requests.unwrap_or_default();
        if needed.is_empty() && needs.request_state.is_none() {
            return Err(rmcp::ServiceError::UnexpectedResponse);
        }
        if needed.is_empty() {
            // It wants nothing but time.
            let rest = Duration::from_millis(100 << round.min(6));
            tokio::select! {
                () = sleep_until((Instant::now() + rest).min(deadline)) => {}
                () = with.stop.cancelled() => return Err(stopped()),
            }
        } else {
            let asked = Instant::now();
            let answers = tokio::select! {
                answers = handler.supply(needed, with.key.as_deref()) => answers,
                () = with.stop.cancelled() => return Err(stopped()),
            };
            // A person's time is not the server's.
            deadline += asked.elapsed();
            supplied = Some(answers.map_err(rmcp::ServiceError::McpError)?);
        }
        state = needs.request_state;
    }
    Err(rmcp::ServiceError::InputRequiredRoundsExceeded { max_rounds: MOST_ROUNDS })
}

async fn once(
    peer: &Peer<RoleClient>,
    handler: &Handler,
    silence: Duration,
    deadline: &mut Instant,
    with: &Ask,
    request: ClientRequest,
) -> Result<ServerResult, rmcp::ServiceError> {
    let mut options = PeerRequestOptions::no_options();
    if let Some(key) = &with.key {
        let mut meta = RequestMetaObject::new();
        meta.0.0.insert("io.coterie/key".to_owned(), key.clone().into());
        options = options.with_meta(meta);
    }
    let (tell, mut told) = watch::channel(None);
    // Held until it is known by which token its progress goes.
    let mut waiting = handler.waiting.lock().await;
    let mut handle = peer.send_cancellable_request(request, options).await?;
    waiting.insert(handle.progress_token.clone(), tell);
    drop(waiting);
    let mut unanswered = Unanswered {
        peer: peer.clone(),
        handler: handler.clone(),
        id: Some(handle.id.clone()),
        token: handle.progress_token.clone(),
    };
    let mut quiet_until = Instant::now() + silence;
    let (mut asked, mut asked_since) = (handler.asked(), None);
    loop {
        match (*asked.borrow_and_update() > 0, asked_since) {
            (true, None) => asked_since = Some(Instant::now()),
            (false, Some(since)) => {
                // A person's time is not the server's.
                *deadline += since.elapsed();
                quiet_until = Instant::now() + silence;
                asked_since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
        tokio::select! {
            biased;
            Ok(()) = told.changed() => {
                quiet_until = Instant::now() + silence;
                if let Some(listener) = &with.progress {
                    listener.send_replace(told.borrow_and_update().clone());
                }
            }
            answer = &mut handle.rx => {
                unanswered.id = None;
                return answer.map_err(|_| rmcp::ServiceError::TransportClosed)?;
            }
            Ok(()) = asked.changed() => {}
            () = sleep_until(quiet_until.min(*deadline)), if asked_since.is_none() => {
                return Err(timed_out(silence));
            }
            () = with.stop.cancelled() => return Err(stopped()),
        }
    }
}

/// Dropped before its answer, it tells the server that nobody waits for it.
struct Unanswered {
    peer: Peer<RoleClient>,
    handler: Handler,
    id: Option<RequestId>,
    token: ProgressToken,
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (peer, handler) = (self.peer.clone(), self.handler.clone());
        let (id, token) = (self.id.take(), self.token.clone());
        runtime.spawn(async move {
            handler.waiting.lock().await.remove(&token);
            if let Some(id) = id {
                let reason = Some("nobody waits for it any more".to_owned());
                let _ =
                    peer.notify_cancelled(CancelledNotificationParam::new(Some(id), reason)).await;
            }
        });
    }
}

fn stopped() -> rmcp::ServiceError {
    rmcp::ServiceError::Cancelled { reason: None }
}

fn timed_out(timeout: Duration) -> rmcp::ServiceError {
    rmcp::ServiceError::Timeout { timeout }
}

/// An answer without any content is one, too.
pub(crate) fn tool_result(result: ServerResult) -> Result<CallToolResult, Fault> {
    match result {
        ServerResult::CallToolResult(result) => Ok(result),
        ServerResult::EmptyResult(_) | ServerResult::TaskAckResult(_) => {
            Ok(CallToolResult::default())
        }
        ServerResult::CustomResult(custom) if only_meta(&custom.0) => Ok(CallToolResult::default()),
        ServerResult::CustomResult(custom) => part_by_part(custom.0).ok_or_else(something_else),
        _ => Err(something_else()),
    }
}

fn something_else() -> Fault {
    Fault::Broken("the server answered something else than was asked".to_owned())
}

/// One part that makes no sense takes none of the others with it. `None` for what is no result
/// at all.
fn part_by_part(mut told: Value) -> Option<CallToolResult> {
    for part in told.get_mut("content")?.as_array_mut()? {
        if let Err(error) = ContentBlock::deserialize(&*part) {
            let unread = format!("[a part of this answer cannot be read: {error}]");
            *part = serde_json::to_value(ContentBlock::text(unread)).ok()?;
        }
    }
    serde_json::from_value(told).ok()
}

fn only_meta(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.keys().all(|key| key == "_meta"))
}
