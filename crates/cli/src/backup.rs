//! `coterie backup`, `coterie restore` and `coterie import`: the whole workspace in one file.

use crate::arguments::Global;
use crate::environment;
use crate::paths::whole;
use crate::screen::{Failure, Screen};
use crate::session::{Session, answered};
use crate::visible;
use clap::Args;
use domain::{
    Backup as Told, Command as Order, GaveWay, Renamed, Restore as Laid, StaysOut, StaysOutWhy,
    TakenCount, TakenIn, TakenKind,
};
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

#[derive(Args)]
pub(crate) struct Import {
    /// What coterie backup has written of another workspace
    file: PathBuf,
    /// You vouch for it: its memories are trusted as far as they were there; else none is
    #[arg(long)]
    trusted: bool,
    /// Show what would come of it, and change nothing
    #[arg(long, visible_alias = "preview")]
    dry_run: bool,
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
    let mut restored = None;
    let laid = match door::restore_unopened(places, path.clone()).await? {
        Some(laid) => {
            let session = Session::open(global, screen).await?;
            let overview = session.overview().await;
            session.close().await;
            restored = overview?.settings.restored;
            Laid { in_place: true, ..laid }
        }
        None => {
            let session = Session::open(global, screen).await?;
            let answer = session.order(Order::Restore { path }).await;
            session.close().await;
            answered!(answer?, Restore)?
        }
    };
    let holds = restored.as_ref().map(crate::words::restored);
    screen.one(&laid, |_| words(&laid, holds.as_deref()));
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

pub(crate) async fn import(session: &Session, import: Import) -> Result<(), Failure> {
    let Import { file, trusted, dry_run } = import;
    let order = Order::TakeIn {
        path: whole(&file)?,
        vouched: trusted,
        preview: dry_run,
        looked_through: None,
    };
    let told = answered!(session.order(order).await?, TakenIn)?;
    session.screen.one(&told, |_| report(&told, trusted));
    Ok(())
}

fn report(told: &TakenIn, trusted: bool) -> String {
    let TakenIn { path, counts, stays_out, renamed, gave_way, files, preview, .. } = told;
    let TakenIn { contested, vouched, .. } = told;
    let any_new = |kind| counts.iter().any(|count| count.what == kind && count.new > 0);
    let mut text = match preview {
        true => format!("from {} would come in; nothing was changed\n", visible::line(path)),
        false => format!("taken in from {}\n", visible::line(path)),
    };
    for TakenCount { what, new, here, left_out } in counts {
        let what = many(*what);
        text += &format!("  {what}: {new} new, {here} here already, {left_out} left out\n");
    }
    for StaysOut { what, why, things, names } in stays_out {
        let is_all = *things as usize <= names.len();
        let more = (!is_all && !names.is_empty()).then(|| "…".to_owned());
        let names = names.iter().map(|name| visible::line(name)).chain(more);
        let names = names.collect::<Vec<_>>().join(", ");
        let which = if names.is_empty() { names } else { format!(" ({names})") };
        text += &format!("  left out, {things} {}: {}{which}\n", many(*what), because(*why));
    }
    if *vouched > 0 {
        text += &format!("  trusted as they were there from now on, memories: {vouched}\n");
    }
    if *contested > 0 {
        let wait = "contradict what is here, and wait for you: coterie memory list \
                    --standing contested";
        text += &format!("  {contested} of its memories {wait}\n");
    }
    for GaveWay { was, now } in gave_way {
        let [was, now] = [was, now].map(|words| visible::line(words));
        text += &format!("  a memory here gives way: {was} (now: {now})\n");
    }
    for Renamed { what, from, to } in renamed {
        let [from, to] = [from, to].map(|name| visible::line(name));
        text += &format!("  the {} {from} is called {to} here\n", one(*what));
    }
    for file in files {
        text += &format!("  {}\n", visible::line(file));
    }
    let goes_on = counts.iter().any(|one| one.what == TakenKind::Conversation && one.here > 0);
    if goes_on && any_new(TakenKind::Message) {
        text += "who is in a group that was here already stays as it is here\n";
    }
    if !trusted && (any_new(TakenKind::Memory) || *contested > 0) {
        text +=
            "its memories are untrusted; if you vouch for all of it, import it with --trusted\n";
    }
    text + "no turns, budgets, schedules, sources, settings, providers, servers, permissions or \
            keys come in; its agents rest until coterie agent resume: read their souls first"
}

fn because(why: StaysOutWhy) -> &'static str {
    match why {
        StaysOutWhy::Empty => "there is nothing in it",
        StaysOutWhy::Unneeded => "every workspace has one, and nothing that comes in is of it",
        StaysOutWhy::OfTask => "agents told each other about tasks",
        StaysOutWhy::WentOn => "the conversation is otherwise here, and stays so",
        StaysOutWhy::Unreadable => "no soul can be made of it",
        StaysOutWhy::NameTaken => "something else has its name here",
        StaysOutWhy::OfNobody => "its agent stays out",
        StaysOutWhy::OtherWords => "it is here in other words, which stay",
        StaysOutWhy::Forgotten => "you have forgotten it here",
        StaysOutWhy::NoReader => "who may read it is not here",
        StaysOutWhy::Unfit => "it can be no memory here",
    }
}

fn one(kind: TakenKind) -> &'static str {
    match kind {
        TakenKind::Soul => "soul",
        TakenKind::Agent => "agent",
        TakenKind::Conversation => "group",
        TakenKind::Message => "message",
        TakenKind::Community => "community",
        TakenKind::Post => "post",
        TakenKind::Memory => "memory",
        TakenKind::File => "file",
    }
}

fn many(kind: TakenKind) -> &'static str {
    match kind {
        TakenKind::Soul => "souls",
        TakenKind::Agent => "agents",
        TakenKind::Conversation => "groups",
        TakenKind::Message => "messages",
        TakenKind::Community => "communities",
        TakenKind::Post => "posts",
        TakenKind::Memory => "memories",
        TakenKind::File => "files",
    }
}

/// `holds` says what is in the workspace since.
fn words(laid: &Laid, holds: Option<&str>) -> String {
    let Laid { path, files, replaced, in_place, .. } = laid;
    let (path, files) = (visible::line(path), format!("{files} files"));
    let aside = replaced.as_deref().map(visible::line);
    if !in_place {
        return format!(
            "{files} found whole in {path}; they take the workspace's place when the process that \
             has it open ends and it is opened again; what is here goes to {}",
            aside.unwrap_or_default()
        );
    }
    let aside = aside.map_or(String::new(), |aside| format!("; what was here is in {aside}"));
    let holds = holds.map_or(String::new(), |holds| format!("\n{holds}"));
    format!("{files} restored from {path}{aside}{holds}")
}
