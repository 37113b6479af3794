//! `coterie soul check`: what is wrong with a file, wherever it lies.

use crate::arguments::Global;
use crate::environment;
use crate::problems;
use crate::screen::{Failure, Screen};
use crate::session::{Session, answered};
use domain::{CheckedSoul, Fault, Query, SoulProblem};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

/// Needs no workspace. Where there is one, what the soul names is looked up there.
pub(crate) async fn check(global: &Global, screen: &Screen, file: &Path) -> Result<(), Failure> {
    let kind = std::fs::symlink_metadata(file).map_err(|error| unreadable(file, &error))?;
    // The workspace takes nothing else; reading a pipe would never end.
    if !kind.is_file() {
        let what =
            format!("{} is a link or no file, and only plain files are souls", file.display());
        let fault = Fault::bad_input(what, "put the text itself there");
        return Err(Failure::found(fault, &Vec::<SoulProblem>::new()));
    }
    let bytes = std::fs::read(file).map_err(|error| unreadable(file, &error))?;
    let name = file.file_name().unwrap_or_default();
    let mut found = door::check_soul(name, &bytes);
    if found.errors.is_empty()
        && let Some(looked_up) = looked_up(global, screen, name, &bytes).await
    {
        found.warnings = looked_up.warnings;
    }
    let file = file.display().to_string();
    let invalid = format!("{file} is not a valid soul");
    problems::tell(screen, &file, (&found.errors, &found.warnings), invalid)
}

/// What the workspace says of the text, if there is one: no check makes one.
async fn looked_up(
    global: &Global,
    screen: &Screen,
    name: &OsStr,
    bytes: &[u8],
) -> Option<CheckedSoul> {
    let places = environment::find_places(global).ok()?.places;
    if !places.database().exists() {
        return None;
    }
    let soul = Path::new(name).file_stem()?.to_str()?.to_owned();
    let text = std::str::from_utf8(bytes).ok()?.to_owned();
    let asked = ask(global, screen, Query::CheckSoul { soul, text }).await;
    if asked.is_err() {
        screen.aside("the workspace does not answer, so what the soul names was not looked up");
    }
    asked.ok()
}

async fn ask(global: &Global, screen: &Screen, query: Query) -> Result<CheckedSoul, Failure> {
    let session = Session::open(global, screen).await?;
    let answer = session.ask(query).await;
    session.close().await;
    Ok(answered!(answer?, SoulChecked)?)
}

fn unreadable(file: &Path, error: &std::io::Error) -> Fault {
    match error.kind() {
        ErrorKind::NotFound => Fault::not_found(
            format!("there is no file {}", file.display()),
            "give the path of a soul's file",
        ),
        _ => Fault::bad_input(
            format!("read {}: {error}", file.display()),
            "give the path of a soul's file",
        ),
    }
}
