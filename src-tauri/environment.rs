//! The command line and the environment of this process. Nothing else reads
//! or changes them.

use crate::graphics;
use clap::Parser;
use domain::Fault;
use door::{Environment, KeyParts, Parts, Places, Redactor, places};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use tracing_subscriber::EnvFilter;

/// Agents that live on your own machine.
#[derive(Parser)]
#[command(name = "coterie-desktop", version)]
pub(crate) struct Arguments {
    /// The workspace's folder [default: $COTERIE_DATA, else this system's place for application data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// What ships with Coterie: models and libraries [default: $COTERIE_ASSETS, else as installed]
    #[arg(long, value_name = "DIR")]
    pub(crate) assets: Option<PathBuf>,
    /// Start without showing the window
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Open another window where one shows this workspace already
    #[arg(long)]
    pub(crate) another: bool,
    /// What to show: a link that begins with coterie://
    pub(crate) link: Option<String>,
}

pub(crate) fn find_places(arguments: &Arguments) -> Result<Places, Fault> {
    let Arguments { data, assets, .. } = arguments;
    let arguments = places::Arguments { data: data.clone(), assets: assets.clone() };
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("coterie-desktop"));
    places::find(arguments, variable, &program).map(|found| found.places)
}

/// Keys of providers are looked up when they are needed.
pub(crate) fn parts(places: &Places, redactor: Redactor) -> Parts {
    let environment: Environment = Arc::new(|name| variable(name)?.into_string().ok());
    let parts = Parts::real(places, environment);
    Parts { keys: KeyParts { redactor, ..parts.keys }, ..parts }
}

/// Whether there is somewhere to show a window; GTK would only panic.
pub(crate) fn has_screen() -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Sets what `graphics` asks for, and says what it was. Only for the start of
/// the process, while it has one thread.
pub(crate) fn prepare_graphics() -> graphics::Settings {
    let settings = graphics::settings(variable);
    for (name, value) in &settings {
        #[expect(unsafe_code, reason = "GTK and WebKit are told in no other way")]
        // SAFETY: no other thread is there to read the environment meanwhile.
        unsafe {
            std::env::set_var(name, value);
        }
    }
    settings
}

/// What goes into the log; COTERIE_LOG asks for more or less, as in `COTERIE_LOG=debug`.
pub(crate) fn log_filter() -> EnvFilter {
    let asked = variable("COTERIE_LOG").and_then(|filter| filter.into_string().ok());
    EnvFilter::new(asked.as_deref().unwrap_or("info"))
}

#[expect(clippy::disallowed_methods, reason = "this is where the environment comes in")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
