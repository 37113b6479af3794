//! The window: shows the pages, and nothing that is not ours.
//!
//! It comes back where and as large as it was left. Who closes it ends the program, unless
//! they wished that it stays.

use crate::tray::Tray;
use crate::{files, graphics};
use std::io;
use std::process::{Command, Stdio};
use tauri::plugin::TauriPlugin;
use tauri::webview::NewWindowResponse;
use tauri::{
    App, AppHandle, Manager, Runtime, Url, WebviewWindow, WebviewWindowBuilder, WindowEvent,
};
use tauri_plugin_window_state::StateFlags;

/// How it is called in `tauri.conf.json`.
pub(crate) const LABEL: &str = "main";

/// Keeps where it is and how large.
pub(crate) fn keeping_its_place<R: Runtime>() -> TauriPlugin<R> {
    let kept = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    tauri_plugin_window_state::Builder::new().with_state_flags(kept).build()
}

pub(crate) fn open(app: &App, graphics: graphics::Settings, hidden: bool) -> tauri::Result<()> {
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
    stay_if_wished(&window);
    // Where it was is known by now: it does not jump there.
    if hidden { Ok(()) } else { window.show() }
}

/// Shows it and puts it before the others, wherever it was.
pub(crate) fn bring<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(LABEL) else { return };
    let brought =
        window.unminimize().and_then(|()| window.show()).and_then(|()| window.set_focus());
    if let Err(error) = brought {
        tracing::warn!(%error, "bring the window");
    }
}

/// Draws everything in the pages larger or smaller, as a browser does: to them the window has
/// become smaller or larger.
#[tauri::command]
pub(crate) fn zoom(window: WebviewWindow, percent: u32) {
    if let Err(error) = window.set_zoom(f64::from(percent) / 100.0) {
        tracing::warn!(%error, "draw everything larger or smaller");
    }
}

fn stay_if_wished(window: &WebviewWindow) {
    let closed = window.clone();
    window.on_window_event(move |event| {
        let WindowEvent::CloseRequested { api, .. } = event else { return };
        if !closed.state::<Tray>().stays() {
            return;
        }
        api.prevent_close();
        if let Err(error) = closed.hide() {
            tracing::warn!(%error, "hide the window");
        }
    });
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
