//! The environment of this process. Nothing else reads it.

use crate::arguments::Global;
use domain::{Fault, Secret};
use door::places::{self, Found};
use door::{Environment, Parts, Places, Redactor};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tracing_subscriber::EnvFilter;

pub(crate) fn find_places(global: &Global) -> Result<Found, Fault> {
    let arguments = places::Arguments { data: global.data.clone(), assets: global.assets.clone() };
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("coterie"));
    places::find(arguments, variable, &program)
}

/// The machine's own. Keys of providers are looked up when they are
/// needed.
pub(crate) fn parts(places: &Places) -> Parts {
    let environment: Environment = Arc::new(|name| variable(name)?.into_string().ok());
    Parts::real(places, environment)
}

/// The passphrase in this file, or in the one that COTERIE_PASSPHRASE_FILE names.
pub(crate) fn passphrase(file: Option<&Path>) -> Result<Option<Secret>, Fault> {
    let named = || variable("COTERIE_PASSPHRASE_FILE").filter(|name| !name.is_empty());
    let Some(file) = file.map(Path::to_owned).or_else(|| named().map(PathBuf::from)) else {
        return Ok(None);
    };
    let unread = |why: String| {
        let message = format!("read the passphrase in {}: {why}", file.display());
        Fault::bad_input(message, "name a file that holds it on one line")
    };
    let text = std::fs::read_to_string(&file).map_err(|error| unread(error.to_string()))?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(unread("it is empty".to_owned())),
        passphrase => Ok(Some(Secret::new(passphrase))),
    }
}

pub(crate) fn wants_no_color() -> bool {
    variable("NO_COLOR").is_some_and(|value| !value.is_empty())
        || variable("TERM").is_some_and(|term| term == "dumb")
}

/// Silent unless COTERIE_LOG asks for it, as in `COTERIE_LOG=info`: an error
/// is one line, printed at the end.
pub(crate) fn write_log(redactor: &Redactor) {
    let on_panic = redactor.clone();
    let told = move |panic: &std::panic::PanicHookInfo<'_>| {
        let _ = writeln!(on_panic.writer(std::io::stderr()), "{panic}");
    };
    std::panic::set_hook(Box::new(told));
    let Some(filter) = variable("COTERIE_LOG").and_then(|filter| filter.into_string().ok()) else {
        return;
    };
    let redactor = redactor.clone();
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_writer(move || redactor.writer(std::io::stderr()))
        .init();
}

#[expect(clippy::disallowed_methods, reason = "this is where the environment comes in")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
