//! `coterie backup` and `coterie restore`: the whole workspace in one file.

use crate::arguments::Global;
use crate::environment;
use crate::paths::whole;
use crate::screen::{Failure, Screen};
use crate::session::{Session, answered};
use crate::visible;
use clap::Args;
use domain::{Backup as Told, Command as Order, Restore as Laid};
use door::Places;
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Backup {
    /// A file that is not there yet
    file: PathBuf,
}

#[derive(Args)]
pub(crate) struct Restore {
    /// What coterie backup has written
    #[arg(required_unless_present = "cancel")]
    file: Option<PathBuf>,
    /// Put nothing in place: what was laid ready and still waits is forgotten
    #[arg(long, conflicts_with = "file")]
    cancel: bool,
}

pub(crate) async fn run(session: &Session, backup: Backup) -> Result<(), Failure> {
    let order = Order::BackUp { path: whole(&backup.file)? };
    let told = answered!(session.order(order).await?, Backup)?;
    session.screen.one(&told, |_| {
        let Told { path, files, bytes, left_out, .. } = &told;
        let left_out = match left_out {
            0 => String::new(),
            n => format!("; {n} left out, which are no plain files"),
        };
        let path = visible::line(path);
        format!("{files} files, {bytes} bytes written to {path}; keys are not in it{left_out}")
    });
    Ok(())
}

/// Where nobody has the workspace open it is put in place at once, whether or not what is
/// there now can be opened; else when its owner opens it the next time.
pub(crate) async fn restore(
    global: &Global,
    screen: &Screen,
    restore: Restore,
) -> Result<(), Failure> {
    let places = environment::find_places(global)?.places;
    let Some(file) = restore.file else { return cancel(global, screen, places).await };
    let path = whole(&file)?;
    let laid = match door::restore_unopened(places, path.clone()).await? {
        Some(laid) => {
            let session = Session::open(global, screen).await?;
            session.close().await;
            Laid { in_place: true, ..laid }
        }
        None => {
            let session = Session::open(global, screen).await?;
            let answer = session.order(Order::Restore { path }).await;
            session.close().await;
            answered!(answer?, Restore)?
        }
    };
    screen.one(&laid, |_| words(&laid));
    Ok(())
}

/// Without opening the workspace, which would put it in place.
async fn cancel(global: &Global, screen: &Screen, places: Places) -> Result<(), Failure> {
    if door::forget_restore_unopened(places).await?.is_none() {
        let session = Session::open(global, screen).await?;
        let answer = session.order(Order::ForgetRestore).await;
        session.close().await;
        answer?;
    }
    screen.one(&json!({ "cancelled": true }), |_| {
        "no backup is put in place; everything stays as it is".to_owned()
    });
    Ok(())
}

fn words(laid: &Laid) -> String {
    let Laid { path, files, replaced, in_place, .. } = laid;
    let (path, files) = (visible::line(path), format!("{files} files"));
    let aside = replaced.as_deref().map(visible::line);
    match (in_place, aside) {
        (true, None) => {
            format!("{files} restored from {path}; everybody rests until coterie resume")
        }
        (true, Some(aside)) => format!(
            "{files} restored from {path}; what was here is in {aside}; everybody rests until \
             coterie resume"
        ),
        (false, aside) => format!(
            "{files} found whole in {path}; they take the workspace's place when the process that \
             has it open ends and it is opened again; what is here goes to {}",
            aside.unwrap_or_default()
        ),
    }
}
