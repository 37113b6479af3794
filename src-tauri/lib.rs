//! The shell: one window on a workspace, with the door between them.
//!
//! It translates and has no rule of its own. `environment` finds the folders,
//! `graphics` how the window is drawn, `entrance` opens the workspace, `ipc` is
//! the command that the pages call for everything, `files` takes what a person
//! drops or chooses, `notices` tells through the system that something waits, `window`
//! shows the pages, `tray` has an icon for while it is away, `alone` leads a second start to
//! it, `links` carries what a start is to show, `with_system` starts it with the system, `log`
//! keeps what is worth knowing afterwards.

mod alone;
mod entrance;
mod environment;
mod exact;
mod files;
mod graphics;
mod ipc;
mod links;
mod log;
mod notices;
mod tray;
mod window;
mod with_system;

use anyhow::Context;
use clap::Parser;
use door::Redactor;
use entrance::Entrance;
use std::sync::Arc;
use tauri::RunEvent;

/// Shows the window and returns when it is closed, or with why it cannot be
/// shown. A workspace that cannot be opened is no such reason: the window says
/// so itself.
///
/// It is the first thing that the process does: no other thread may run yet.
pub fn run() -> anyhow::Result<()> {
    door::leave_no_image();
    let graphics = environment::prepare_graphics();
    let arguments = environment::Arguments::parse();
    anyhow::ensure!(
        environment::has_screen(),
        "there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set; \
         `coterie serve` needs none"
    );
    let places = environment::find_places(&arguments);
    let data = places.as_ref().ok().map(|places| places.data.clone());
    let redactor = Redactor::default();
    log::start(data.as_ref().map(|data| data.join("logs")), &redactor);

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    tauri::async_runtime::set(runtime.handle().clone());

    let entrance = Arc::new(Entrance::new(places, redactor));
    let links = links::Links::default();
    if let Some(link) = &arguments.link {
        links.add(link.clone());
    }
    let mut app = tauri::Builder::default();
    // Before all else: whoever finds a window is gone then.
    if let Some(alone) = alone::plugin(&arguments, data.as_deref()) {
        app = app.plugin(alone);
    }
    let app = app
        .manage(entrance.clone())
        .manage(ipc::Subscription::default())
        .manage(files::Dropped::default())
        .manage(tray::Tray::default())
        .manage(links)
        .plugin(tauri_plugin_dialog::init())
        .plugin(window::keeping_its_place())
        .plugin(with_system::plugin(&arguments))
        .invoke_handler(tauri::generate_handler![
            ipc::door,
            ipc::reopen,
            window::zoom,
            notices::tell,
            files::read_dropped,
            files::choose_model_file,
            files::choose_memory_file,
            files::choose_memory_folder,
            files::choose_backup,
            files::choose_place,
            links::take_links,
            tray::stand,
            tray::quit,
            with_system::starts_with_system,
            with_system::start_with_system
        ])
        .setup({
            let entrance = entrance.clone();
            move |app| {
                // The workspace opens while the window is being made; whoever asks for it waits.
                tauri::async_runtime::spawn(async move { entrance.door().await.map(drop) });
                Ok(window::open(app, graphics, arguments.hidden)?)
            }
        })
        .build(tauri::generate_context!())
        .context("start the window")?;
    runtime.spawn(window::close_on_signals(app.handle().clone()));
    app.run(move |_app, event| match event {
        RunEvent::Exit => tauri::async_runtime::block_on(entrance.close()),
        // There links come from the system, and a click on a program that runs wants its window.
        #[cfg(target_os = "macos")]
        RunEvent::Opened { urls } => {
            urls.into_iter().for_each(|link| links::follow(_app, link.into()));
        }
        #[cfg(target_os = "macos")]
        RunEvent::Reopen { .. } => window::bring(_app),
        _ => {}
    });
    Ok(())
}
