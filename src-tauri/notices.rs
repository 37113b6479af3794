//! What the person is told through the system while nobody looks at the window: that something
//! waits for them, in the page's words. A click on it brings the window.

use crate::window;
use notify_rust::{Notification, NotificationResponse};
use std::thread;
use tauri::AppHandle;
use tokio::sync::oneshot;

/// What a click on a notice is called where acts have names.
const CLICK: &str = "default";

/// Shows a notice, and says whether the person clicked on it once it is gone. Where the system has
/// nobody who shows such things, nothing is shown.
#[tauri::command]
pub(crate) async fn tell(app: AppHandle, title: String, text: String) -> bool {
    let (answer, answered) = oneshot::channel();
    // It stays for as long as the person lets it.
    let shown = thread::Builder::new().name("notice".to_owned()).spawn(move || {
        let clicked = is_clicked(&title, &text).unwrap_or_else(|error| {
            tracing::warn!(%error, "tell through the system that something waits");
            false
        });
        let _ = answer.send(clicked);
    });
    let clicked = shown.is_ok() && answered.await.unwrap_or(false);
    if clicked {
        window::bring(&app);
    }
    clicked
}

fn is_clicked(title: &str, text: &str) -> notify_rust::error::Result<bool> {
    let mut notice = Notification::new();
    notice.appname("Coterie").summary(title).body(text).action(CLICK, CLICK);
    let mut clicked = false;
    notice.show()?.wait_for_response(|response: &NotificationResponse| {
        clicked = response.is_default_action();
    })?;
    Ok(clicked)
}
