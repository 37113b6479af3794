//! `coterie memory status` and `rebuild`: the index that memories are found by.

use crate::arguments::Global;
use crate::quiet::interrupt;
use crate::screen::{Failure, Format, Paint, Screen};
use crate::session::{Session, answered};
use crate::table::pairs;
use clap::Args;
use domain::{
    Command as Order, Fault, FaultCode, FromOwner, ImportCutOff, MemoryFilter, MemoryIndex, Query,
    Update,
};
use futures::StreamExt;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;
use tokio::time::Instant;

#[derive(Args)]
pub(crate) struct Rebuild {
    /// Wait no longer for the index to be whole; 0 leaves it to the next window or `coterie serve`
    /// [default: as long as it takes]
    #[arg(long, value_name = "SECONDS")]
    pub wait: Option<u64>,
}

/// Where nothing comes of it for so long, nothing will.
const STALLED: Duration = Duration::from_secs(180);

/// How often throwing it away is tried, and after which pause again.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) async fn look(session: &Session) -> Result<MemoryIndex, Fault> {
    answered!(session.ask(Query::MemoryIndex).await?, MemoryIndex)
}

pub(super) async fn status(session: &Session) -> Result<(), Failure> {
    let mut index = look(session).await?;
    if session.door.owns() && index.memories > 0 && index.words_only.is_none() {
        // Nobody is at work who would know: the files of the model may be there and be none.
        let (text, filter) = ("memory".to_owned(), MemoryFilter::default());
        let limit = 1;
        let look_up =
            Query::SearchMemories { text, filter, limit, min_score: None, at_once: false };
        drop(session.ask(look_up).await?);
        index = look(session).await?;
    }
    session.screen.one(&index, |paint| plain(&index, paint));
    Ok(())
}

fn plain(index: &MemoryIndex, paint: Paint) -> String {
    let MemoryIndex { memories, words, meaning, left_out, model, words_only, made_again, cut_off } =
        index;
    // One that was forgotten just now may still be counted.
    let of = |n: u32, rest: &str| match n >= *memories {
        true => format!("all {memories}"),
        false => format!("{n} of {memories}; {rest}"),
    };
    if *memories == 0 && cut_off.is_empty() {
        return "nothing is remembered yet".to_owned();
    }
    let mut rows = vec![
        ("memories", memories.to_string()),
        ("found by words", of(*words, "the next search takes the rest in")),
        (
            "found by meaning",
            of(*meaning, "the rest comes while coterie serve or a window is open"),
        ),
        ("model", model.clone()),
    ];
    if *left_out > 0 {
        rows.push(("left out", format!("{left_out}, of which the model makes nothing")));
    }
    if let Some(why) = words_only {
        rows.push(("words alone", why.clone()));
    }
    if let Some(why) = made_again {
        rows.push(("made again", why.clone()));
    }
    rows.extend(cut_off.iter().map(|one| ("cut off", cut_off_import(one))));
    pairs(paint, &rows)
}

/// An import that does not go on, why, and what helps.
pub(crate) fn cut_off_import(import: &ImportCutOff) -> String {
    let ImportCutOff { path, why } = import;
    format!(
        "the import of {path} cannot go on: {why}; it is tried again at each start of a window or \
         coterie serve, until coterie memory import {path} --drop"
    )
}

/// What is not found by its meaning, and what helps.
pub(super) fn not_yet(index: &MemoryIndex) -> String {
    let MemoryIndex { memories, meaning, left_out, .. } = index;
    let left = memories.saturating_sub(meaning + left_out);
    let are = if left == 1 { "1 memory is" } else { &format!("{left} memories are") };
    format!(
        "{are} found by words alone so far; coterie serve or a window finds out what they mean, \
         and so does coterie memory rebuild"
    )
}

/// Throws the index away, before anything in this process works on it; then
/// opens the workspace for as long as it takes to make it again.
pub(crate) async fn open_to_rebuild(
    global: &Global,
    screen: &Screen,
    rebuild: &Rebuild,
) -> Result<Session, Failure> {
    let session = Session::open(global, screen).await?;
    if let Err(fault) = throw_away(&session).await {
        session.close().await;
        return Err(fault.into());
    }
    if rebuild.wait == Some(0) || !session.door.owns() {
        return Ok(session);
    }
    session.close().await;
    Session::open_to_work(global, screen).await
}

/// Whoever has the workspace open may be writing into the index at that moment,
/// and then it cannot be deleted.
async fn throw_away(session: &Session) -> Result<(), Fault> {
    for _ in 1..TRIES {
        match session.order(Order::RebuildMemoryIndex).await {
            Err(fault) if fault.code == FaultCode::Storage => tokio::time::sleep(PAUSE).await,
            done => return done.map(drop),
        }
    }
    session.order(Order::RebuildMemoryIndex).await.map(drop)
}

/// Stays until the index, which was thrown away, is whole again.
pub(super) async fn rebuild(session: &Session, rebuild: Rebuild) -> Result<(), Failure> {
    let before = session.overview().await?.mark;
    let mut interrupted = interrupt().await;
    let mut events = session.door.events(Some(before));
    let mut index = look(session).await?;
    if rebuild.wait == Some(0) {
        let owns = session.door.owns();
        session.screen.one(&index, |_| {
            match owns {
                true => "the index is thrown away; the next window or coterie serve makes it again",
                false => "the index is made again by the process that has the workspace open",
            }
            .to_owned()
        });
        return Ok(());
    }
    let until = rebuild.wait.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut progress = Progress::new(session);
    let mut moved = Instant::now();
    while !is_whole(&index) {
        progress.tell(&index);
        let stalled = moved + STALLED;
        let said = tokio::select! {
            said = events.next() => said,
            () = &mut interrupted => {
                progress.end();
                session.screen.aside(&left(&index, session.door.owns()));
                return Ok(());
            }
            () = tokio::time::sleep_until(until.map_or(stalled, |until| until.min(stalled))) => {
                progress.end();
                return Err(Failure::with(too_late(&index, rebuild.wait, stalled), &index));
            }
        };
        let now = match said {
            Some(FromOwner::Event(event)) => {
                if session.screen.format == Format::Jsonl {
                    session.screen.one(&event, |_| String::new());
                }
                match event.update {
                    Update::MemoryIndex { index } => index,
                    Update::Saved { .. }
                    | Update::Removed { .. }
                    | Update::Live { .. }
                    | Update::Waiting { .. }
                    | Update::UseProgress { .. }
                    | Update::HeldUp { .. }
                    | Update::MemoryProgress { .. }
                    | Update::BackupProgress { .. }
                    | Update::Keys { .. }
                    | Update::Servers { .. }
                    | Update::Skills { .. }
                    | Update::Page { .. } => continue,
                }
            }
            Some(FromOwner::Resync { .. }) => look(session).await?,
            Some(FromOwner::Answer(_)) => continue,
            None => {
                progress.end();
                return Err(owner_gone().into());
            }
        };
        if now != index {
            (index, moved) = (now, Instant::now());
        }
    }
    progress.end();
    session.screen.one(&index, |paint| plain(&index, paint));
    Ok(())
}

/// As far as it can be without a model.
fn is_whole(index: &MemoryIndex) -> bool {
    let MemoryIndex { memories, words, meaning, left_out, words_only, .. } = index;
    words >= memories && (meaning + left_out >= *memories || words_only.is_some())
}

fn left(index: &MemoryIndex, owns: bool) -> String {
    let goes_on = match owns {
        true => "the next window or coterie serve goes on with it",
        false => "it goes on in the process that has the workspace open",
    };
    format!("no longer waiting; {}; {goes_on}", so_far(index))
}

fn so_far(index: &MemoryIndex) -> String {
    let MemoryIndex { memories, words, meaning, .. } = index;
    format!("of {memories} memories {words} are found by words, {meaning} by meaning")
}

fn too_late(index: &MemoryIndex, wait: Option<u64>, stalled: Instant) -> Fault {
    let so_far = so_far(index);
    match wait.filter(|_| Instant::now() < stalled) {
        Some(seconds) => Fault::new(
            FaultCode::TimedOut,
            format!("the index was not whole within {seconds} s: {so_far}"),
            "wait longer with --wait; what is done is kept",
        ),
        None => Fault::new(
            FaultCode::TimedOut,
            format!("the index came no further for {} s: {so_far}", STALLED.as_secs()),
            "run coterie doctor, which says what is wrong",
        ),
    }
}

fn owner_gone() -> Fault {
    Fault::new(
        FaultCode::Storage,
        "the process that had this workspace open has ended",
        "run coterie memory rebuild again; nothing that is remembered is lost",
    )
}

/// How far it is, on a line that is written over.
struct Progress {
    shown: bool,
    told: bool,
}

impl Progress {
    fn new(session: &Session) -> Progress {
        Progress { shown: session.screen.is_plain() && io::stderr().is_terminal(), told: false }
    }

    fn tell(&mut self, index: &MemoryIndex) {
        if self.shown {
            self.told = true;
            // Nobody reads it if it cannot be written.
            let _ = write!(io::stderr(), "\r\x1b[K{}", so_far(index));
        }
    }

    fn end(&mut self) {
        if self.told {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
