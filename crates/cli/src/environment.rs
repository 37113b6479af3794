//! The environment of this process. Nothing else reads it.

use crate::arguments::Global;
use domain::Fault;
use door::places::{self, Found};
use door::{Environment, Parts, Places, Start};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use tracing_subscriber::EnvFilter;

pub(crate) fn find_places(global: &Global) -> Result<Found, Fault> {
    let arguments = places::Arguments { data: global.data.clone(), assets: global.assets.clone() };
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("coterie"));
    places::find(arguments, variable, &program)
}

/// What `serve` and `say` work with. Keys of providers are looked up when they are
/// needed.
pub(crate) fn parts(places: &Places) -> Parts {
    let environment: Environment = Arc::new(|name| variable(name)?.into_string().ok());
    Parts::real(places, environment)
}

/// What a command works with that is over in a moment: it wakes nobody whom it
/// does not mean.
pub(crate) fn parts_for_a_moment(places: &Places) -> Parts {
    Parts { start: Start::Still, ..parts(places) }
}

pub(crate) fn wants_no_color() -> bool {
    variable("NO_COLOR").is_some_and(|value| !value.is_empty())
        || variable("TERM").is_some_and(|term| term == "dumb")
}

/// Silent unless COTERIE_LOG asks for it, as in `COTERIE_LOG=info`: an error
/// is one line, printed at the end.
pub(crate) fn write_log() {
    let Some(filter) = variable("COTERIE_LOG").and_then(|filter| filter.into_string().ok()) else {
        return;
    };
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_writer(std::io::stderr)
        .init();
}

#[expect(clippy::disallowed_methods, reason = "this is where the environment comes in")]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
