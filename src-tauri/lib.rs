//! The shell: one window on a workspace, with the door between them.
//!
//! It translates and has no rule of its own. `environment` finds the folders,
//! `graphics` how the window is drawn, `entrance` opens the workspace, `ipc` is
//! the command that the pages call for everything, `files` takes what a person
//! drops or chooses, `notices` tells through the system that something waits, `window`
//! shows the pages, `log` keeps what is worth knowing afterwards.

mod entrance;
mod environment;
mod files;
mod graphics;
mod ipc;
mod log;
mod notices;
mod window;

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
    let graphics = environment::prepare_graphics();
    let arguments = environment::Arguments::parse();
    anyhow::ensure!(
        environment::has_screen(),
        "there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set; \
         `coterie serve` needs none"
    );
    let places = environment::find_places(arguments);
    let redactor = Redactor::default();
    log::start(places.as_ref().ok().map(|places| places.data.join("logs")), &redactor);

    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    tauri::async_runtime::set(runtime.handle().clone());

    // The workspace opens while the window is being made; whoever asks for it waits.
    let entrance = Arc::new(Entrance::new(places, redactor));
    runtime.spawn({
        let entrance = entrance.clone();
        async move { entrance.door().await.map(drop) }
    });

    let app = tauri::Builder::default()
        .manage(entrance.clone())
        .manage(ipc::Subscription::default())
        .manage(files::Dropped::default())
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(tauri::generate_handler![
            ipc::door,
            ipc::reopen,
            notices::tell,
            files::read_dropped,
            files::choose_model_file,
            files::choose_memory_file,
            files::choose_backup,
            files::choose_place
        ])
        .setup(|app| Ok(window::open(app, graphics)?))
        .build(tauri::generate_context!())
        .context("start the window")?;
    runtime.spawn(window::close_on_signals(app.handle().clone()));
    app.run(move |_, event| {
        if let RunEvent::Exit = event {
            tauri::async_runtime::block_on(entrance.close());
        }
    });
    Ok(())
}
