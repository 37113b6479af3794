//! The icon beside the clock: who works, what waits, and the few things that are wanted while
//! the window is away. Its words come from the page, which knows the person's language.
//!
//! Where the system has no place for icons there is none, and nothing else changes: a new
//! start brings the window.

use crate::entrance::Entrance;
use crate::window;
use domain::{Call, Command, Manners};
use serde::Deserialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tauri::menu::{Menu, MenuEvent, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager, State, Wry};

/// How everybody stands, in the person's words.
#[derive(Debug, Deserialize)]
pub(crate) struct Stand {
    works: String,
    waits: String,
    open: String,
    /// Pauses everybody, or has them go on.
    pause: String,
    is_paused: bool,
    quit: String,
    /// Whoever closes the window leaves the agents at work.
    stays: bool,
}

#[derive(Default)]
pub(crate) struct Tray {
    icon: Mutex<Icon>,
    is_paused: AtomicBool,
    stays: AtomicBool,
}

#[derive(Default)]
enum Icon {
    #[default]
    NotYet,
    Shown(Box<Items>),
    /// The system takes none.
    Nowhere,
}

struct Items {
    icon: TrayIcon,
    works: MenuItem<Wry>,
    waits: MenuItem<Wry>,
    open: MenuItem<Wry>,
    pause: MenuItem<Wry>,
    quit: MenuItem<Wry>,
}

impl Tray {
    pub(crate) fn stays(&self) -> bool {
        self.stays.load(Ordering::Relaxed)
    }

    pub(crate) fn wish(&self, manners: &Manners) {
        self.stays.store(manners.stays, Ordering::Relaxed);
    }
}

/// Shows how everybody stands. On the thread that menus belong to, as it is not async.
#[tauri::command]
pub(crate) fn stand(app: AppHandle, stand: Stand, tray: State<'_, Tray>) {
    tray.stays.store(stand.stays, Ordering::Relaxed);
    tray.is_paused.store(stand.is_paused, Ordering::Relaxed);
    let mut icon = tray.icon.lock().unwrap_or_else(PoisonError::into_inner);
    let shown = match &*icon {
        Icon::NotYet => made(&app, &stand)
            .map(|items| *icon = items.map_or(Icon::Nowhere, |items| Icon::Shown(Box::new(items)))),
        Icon::Shown(items) => items.say(&stand),
        Icon::Nowhere => Ok(()),
    };
    if let Err(error) = shown {
        tracing::warn!(%error, "show the icon beside the clock");
    }
}

/// What the person wants the program to do who quits from the page.
#[tauri::command]
pub(crate) fn quit(app: AppHandle) {
    app.exit(0);
}

/// `None` where what shows such icons is not installed: it is loaded when it is needed, and
/// whoever loads it panics.
fn made(app: &AppHandle, stand: &Stand) -> tauri::Result<Option<Items>> {
    match catch_unwind(AssertUnwindSafe(|| Items::new(app, stand))) {
        Ok(items) => items.map(Some),
        Err(_) => {
            tracing::info!("this system has nothing that shows icons beside the clock");
            Ok(None)
        }
    }
}

impl Items {
    fn new(app: &AppHandle, stand: &Stand) -> tauri::Result<Items> {
        let item =
            |id: &str, text: &str, acts| MenuItem::with_id(app, id, text, acts, None::<&str>);
        let works = item("works", &stand.works, false)?;
        let waits = item("waits", &stand.waits, false)?;
        let open = item("open", &stand.open, true)?;
        let pause = item("pause", &stand.pause, true)?;
        let quit = item("quit", &stand.quit, true)?;
        let line = PredefinedMenuItem::separator(app)?;
        let menu = Menu::with_items(app, &[&works, &waits, &line, &open, &pause, &quit])?;
        let mut icon = TrayIconBuilder::with_id("coterie").menu(&menu).on_menu_event(chosen);
        if let Some(picture) = app.default_window_icon() {
            icon = icon.icon(picture.clone());
        }
        let items = Items { icon: icon.build(app)?, works, waits, open, pause, quit };
        items.hint(stand)?;
        Ok(items)
    }

    fn say(&self, stand: &Stand) -> tauri::Result<()> {
        self.works.set_text(&stand.works)?;
        self.waits.set_text(&stand.waits)?;
        self.open.set_text(&stand.open)?;
        self.pause.set_text(&stand.pause)?;
        self.quit.set_text(&stand.quit)?;
        self.hint(stand)
    }

    fn hint(&self, stand: &Stand) -> tauri::Result<()> {
        self.icon.set_tooltip(Some(format!("Coterie\n{}\n{}", stand.works, stand.waits)))
    }
}

fn chosen(app: &AppHandle, event: MenuEvent) {
    match event.id().as_ref() {
        "open" => window::bring(app),
        "pause" => pause_or_resume(app),
        "quit" => app.exit(0),
        _ => {}
    }
}

fn pause_or_resume(app: &AppHandle) {
    let is_paused = app.state::<Tray>().is_paused.load(Ordering::Relaxed);
    let entrance = app.state::<Arc<Entrance>>().inner().clone();
    tauri::async_runtime::spawn(async move {
        let command = if is_paused { Command::ResumeAll } else { Command::PauseAll };
        let done = match entrance.door().await {
            Ok(door) => door.ask(Call::Command(command)).await.map(drop),
            Err(fault) => Err(fault),
        };
        if let Err(fault) = done {
            tracing::warn!(%fault, "pause or resume everybody from the icon");
        }
    });
}
