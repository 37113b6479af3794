//! The window: shows the pages, and nothing that is not ours.

use tauri::webview::NewWindowResponse;
use tauri::{App, AppHandle, Url, WebviewWindowBuilder};

pub(crate) fn open(app: &App) -> tauri::Result<()> {
    let config = &app.config().app.windows[0];
    WebviewWindowBuilder::from_config(app, config)?
        .on_navigation(|url| {
            let stays = is_ours(url);
            if !stays {
                open_elsewhere(url);
            }
            stays
        })
        .on_new_window(|url, _| {
            open_elsewhere(&url);
            NewWindowResponse::Deny
        })
        .build()?;
    Ok(())
}

/// Ends the process as closing the window does, with turns put away.
#[cfg(unix)]
pub(crate) async fn close_on_signals(app: AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    let (Ok(mut terminate), Ok(mut interrupt)) = signals else {
        tracing::warn!("signals end this process without putting turns away");
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    app.exit(0);
}

#[cfg(not(unix))]
pub(crate) async fn close_on_signals(app: AppHandle) {
    if tokio::signal::ctrl_c().await.is_ok() {
        app.exit(0);
    }
}

/// How Tauri addresses the pages in the program: differently on Windows.
fn is_ours(url: &Url) -> bool {
    url.scheme() == "tauri" || url.host_str() == Some("tauri.localhost")
}

/// Agents write links: they go to the person's browser, and only such as a
/// browser or a mail program is meant for.
fn open_elsewhere(url: &Url) {
    if !matches!(url.scheme(), "http" | "https" | "mailto") {
        return;
    }
    if let Err(error) = open::that_detached(url.as_str()) {
        tracing::warn!(%error, "open a link");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pages_in_the_program_are_ours() {
        let is_ours = |url: &str| is_ours(&url.parse().unwrap());
        assert!(is_ours("tauri://localhost/index.html"));
        assert!(is_ours("http://tauri.localhost/"));
        assert!(!is_ours("https://example.org/tauri.localhost"));
        assert!(!is_ours("http://localhost/"));
        assert!(!is_ours("file:///etc/passwd"));
    }
}
