//! The window: shows the pages, and nothing that is not ours.

use crate::{files, graphics};
use std::io;
use std::process::{Command, Stdio};
use tauri::webview::NewWindowResponse;
use tauri::{App, AppHandle, Url, WebviewWindowBuilder};

pub(crate) fn open(app: &App, graphics: graphics::Settings) -> tauri::Result<()> {
    let config = &app.config().app.windows[0];
    let for_new_windows = graphics.clone();
    let window = WebviewWindowBuilder::from_config(app, config)?
        .on_navigation(move |url| {
            let stays = is_ours(url);
            if !stays {
                open_elsewhere(url, &graphics);
            }
            stays
        })
        .on_new_window(move |url, _| {
            open_elsewhere(&url, &for_new_windows);
            NewWindowResponse::Deny
        })
        .build()?;
    files::watch(&window);
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
fn open_elsewhere(url: &Url, graphics: &graphics::Settings) {
    if !matches!(url.scheme(), "http" | "https" | "mailto") {
        return;
    }
    let opened = if graphics.is_empty() {
        open::that_detached(url.as_str())
    } else {
        open_without(graphics, open::commands(url.as_str()))
    };
    if let Err(error) = opened {
        tracing::warn!(%error, "open a link");
    }
}

/// The first of these programs that is installed, without what was set for
/// the window's own sake.
fn open_without(graphics: &graphics::Settings, openers: Vec<Command>) -> io::Result<()> {
    let mut result = Err(io::ErrorKind::NotFound.into());
    for mut opener in openers {
        graphics::leave_out(graphics, &mut opener);
        // Ctrl-C in a terminal is for us.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut opener, 0);
        opener.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        result = opener.spawn().map(|mut opener| {
            // It may stay for as long as what it opened.
            std::thread::spawn(move || opener.wait());
        });
        if result.is_ok() {
            break;
        }
    }
    result
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
