//! `coterie tick`: gives out what was written in the feed, and follows until it is
//! answered.

use crate::names::Names;
use crate::quiet::{self, PATIENCE};
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::{transcript, words};
use clap::Args;
use domain::{
    Command as Order, Fault, FeedQueue, Message, MessageId, Outcome, Query, Reason, Run, RunFilter,
    Ticked,
};
use serde::Serialize;
use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Args)]
pub(crate) struct Tick {
    /// Tick again for what is answered, until nothing waits any more
    #[arg(long)]
    all: bool,
    /// How long to stay for the answers; 0 leaves them to whatever has the workspace open, or to
    /// the next that has
    #[arg(long, value_name = "SECONDS", default_value_t = PATIENCE)]
    pub wait: u64,
}

/// Runs that are looked at.
const MOST: u32 = 500;

#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    ticked: Ticked,
    /// What was written meanwhile, oldest first.
    written: Vec<Message>,
}

pub(crate) async fn run(session: &Session, tick: Tick) -> Result<(), Failure> {
    let newest = newest_run(session).await?;
    let (mut all, mut waiting, mut held) = (Ticked::default(), 0, 0);
    loop {
        let before = session.overview().await?.mark;
        let mut interrupted = quiet::interrupt().await;
        let reply = quiet::ordered(session, Order::Tick, &mut interrupted).await?;
        let ticked = answered!(reply, Ticked)?;
        all.events += ticked.events;
        all.woken += ticked.woken;
        all.failed += ticked.failed;
        all.without_room = ticked.without_room;
        all.out_of_quota = ticked.out_of_quota;
        if tick.wait == 0 {
            break;
        }
        let wait = Duration::from_secs(tick.wait);
        let stopped = quiet::stay(session, before, wait, interrupted).await?;
        stopped.tell(session);
        let goes_on = matches!(stopped, quiet::Stopped::Quiet) && tick.all && ticked.events > 0;
        let queue = answered!(session.ask(Query::FeedQueue).await?, FeedQueue)?;
        waiting = queue.waiting;
        held = held_up(&queue);
        if !goes_on || waiting == 0 {
            break;
        }
    }
    let came = runs_since(session, newest).await?;
    let put_back = put_back(&came);
    let items: BTreeSet<MessageId> = put_back.iter().map(|(run, _)| run.cause.message).collect();
    // A later tick may have given them out.
    let items = u32::try_from(items.len()).unwrap_or(u32::MAX).min(waiting);
    all.without_room = all.without_room.max(items);
    let told = Told { ticked: all, written: written(session, &came).await? };
    let names = session.names().await?;
    let plain = |paint| {
        let Ticked { events, woken, failed, without_room, out_of_quota } = told.ticked;
        let mut text = match events {
            0 if without_room > 0 || out_of_quota > 0 || failed > 0 => String::new(),
            0 => "nothing new in the feed\n".to_owned(),
            _ => format!("decided on {events} posts and comments; {woken} answers given out\n"),
        };
        if failed > 0 {
            text += &format!("{failed} failed; coterie feed queue says why\n");
        }
        if without_room > 0 {
            text += &format!(
                "{without_room} wait: what the feed may use today has no room for another answer; raise it with coterie budget set feed\n"
            );
        }
        if out_of_quota > 0 {
            text += &format!(
                "{out_of_quota} wait: who is to answer has had as much as agents are given in an hour; they have more in the next\n"
            );
        }
        if held > 0 {
            text += &format!("answers that are held up: {held}; coterie feed queue says why\n");
        }
        for (run, reason) in &put_back {
            let why = words::reason(reason, |agent| names.agent_name(agent));
            text += &format!("{} did not answer: {why}\n", names.agent_name(run.agent));
        }
        for message in &told.written {
            text += &transcript::entry(paint, &names, message);
        }
        text
    };
    match trouble_since(session, newest, &names).await? {
        None => session.screen.one(&told, plain),
        Some(fault) => {
            if session.screen.is_plain() {
                session.screen.text(&plain(session.screen.paint));
            }
            return Err(Failure::with(fault, &told));
        }
    }
    Ok(())
}

/// Answers that do not come by themselves.
fn held_up(queue: &FeedQueue) -> usize {
    let owed: u32 = queue.held.iter().map(|held| held.answers).sum();
    owed as usize + queue.interrupted.len()
}

/// The newest run that there is.
pub(crate) async fn newest_run(session: &Session) -> Result<i64, Fault> {
    Ok(runs(session, 1).await?.first().map_or(0, |run| run.seq))
}

/// What has gone wrong with a turn since then, if anything has.
pub(crate) async fn trouble_since(
    session: &Session,
    newest: i64,
    names: &Names,
) -> Result<Option<Fault>, Fault> {
    Ok(quiet::failure(&runs_since(session, newest).await?, names))
}

async fn runs_since(session: &Session, newest: i64) -> Result<Vec<Run>, Fault> {
    let mut runs = runs(session, MOST).await?;
    runs.retain(|run| run.seq > newest);
    Ok(runs)
}

/// Those that a budget had no room for after all, oldest first.
fn put_back(runs: &[Run]) -> Vec<(&Run, &Reason)> {
    let put_back = runs.iter().rev().filter_map(|run| match &run.outcome {
        Some(Outcome::Silent { reason: reason @ Reason::NoRoomYet { .. } }) => Some((run, reason)),
        _ => None,
    });
    put_back.collect()
}

async fn written(session: &Session, runs: &[Run]) -> Result<Vec<Message>, Fault> {
    let mut written = Vec::new();
    for run in runs {
        if let Some(Outcome::Replied { message, .. }) = run.outcome {
            written.push(answered!(session.ask(Query::Message { message }).await?, Message)?);
        }
    }
    written.sort_by_key(|message| message.seq);
    Ok(written)
}

async fn runs(session: &Session, limit: u32) -> Result<Vec<Run>, Fault> {
    let query = Query::Runs { filter: RunFilter::default(), before: None, limit };
    answered!(session.ask(query).await?, Runs)
}
