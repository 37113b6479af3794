//! The command that the pages call for everything that the workspace does.

use crate::entrance::Entrance;
use crate::exact;
use crate::tray::Tray;
use domain::{Answer, Event, Fault, FaultCode, FromOwner, Mark, Record, Request, ToOwner, Update};
use futures::StreamExt;
use std::sync::{Arc, Mutex, PoisonError};
use tauri::ipc::{Channel, InvokeResponseBody, JavaScriptChannelId, Response};
use tauri::{AppHandle, Manager, State, Webview};
use tokio::task::AbortHandle;

/// No owner has this epoch, so it is always answered by a `Resync`.
const LONG_AGO: Mark = Mark { epoch: 0, n: 0 };

/// What the page listens to. A newer one takes its place: a page that was
/// loaded again, or lost track, begins anew.
#[derive(Default)]
pub(crate) struct Subscription(Mutex<Option<AbortHandle>>);

/// A request gets its answer; a subscription gets nothing here, and then what
/// happens over its channel for as long as the window is open.
#[tauri::command]
pub(crate) async fn door(
    say: ToOwner,
    events: Option<JavaScriptChannelId>,
    entrance: State<'_, Arc<Entrance>>,
    webview: Webview,
) -> Result<Response, Fault> {
    match (say, events) {
        (ToOwner::Request(request), _) => said(&Some(answer(&entrance, request).await)),
        (ToOwner::Subscribe { after }, Some(events)) => {
            subscribe(webview.app_handle(), after, events.channel_on(webview.clone()));
            said(&None)
        }
        (ToOwner::Subscribe { .. }, None) => {
            Err(Fault::bad_input("subscribe: there is no channel to send events to", ""))
        }
    }
}

fn said(answer: &Option<Answer>) -> Result<Response, Fault> {
    exact::json(answer).map(Response::new).map_err(|error| {
        let message = format!("the answer cannot be handed to the page: {error}");
        Fault::new(FaultCode::Internal, message, "reload the window")
    })
}

/// Has the workspace opened anew, where this process is the one that has it open. The page
/// is loaded again then.
#[tauri::command]
pub(crate) async fn reopen(entrance: State<'_, Arc<Entrance>>) -> Result<bool, Fault> {
    Ok(entrance.reopen().await)
}

async fn answer(entrance: &Entrance, request: Request) -> Answer {
    match entrance.door().await {
        Ok(door) => door.send(request).await,
        Err(fault) => Answer { id: request.id, result: Err(fault) },
    }
}

fn subscribe(app: &AppHandle, after: Option<Mark>, channel: Channel<InvokeResponseBody>) {
    let listening = tokio::spawn(listen(app.clone(), after, channel)).abort_handle();
    let subscription = app.state::<Subscription>();
    let mut current = subscription.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(before) = current.replace(listening) {
        before.abort();
    }
}

/// Ends with the workspace of this process. When the workspace belongs to
/// another process and that one goes away, this one goes on with whoever owns
/// it then, which may be itself.
async fn listen(app: AppHandle, mut after: Option<Mark>, channel: Channel<InvokeResponseBody>) {
    let entrance = app.state::<Arc<Entrance>>().inner();
    while let Ok(door) = entrance.door().await {
        let mut events = door.events(after);
        while let Some(said) = events.next().await {
            // Before the page shows it: whoever sees the wish and closes the window has it.
            if let FromOwner::Event(Event { update: Update::Saved { record }, .. }) = &said
                && let Record::Settings(settings) = record
            {
                app.state::<Tray>().wish(&settings.manners);
            }
            let sent = exact::json(&said).map(|json| channel.send(InvokeResponseBody::Json(json)));
            if !matches!(sent, Ok(Ok(()))) {
                return;
            }
        }
        if door.owns() {
            return;
        }
        tracing::info!("the process that had this workspace open has ended");
        entrance.leave(&door).await;
        after = Some(LONG_AGO);
    }
}
