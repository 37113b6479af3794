//! Tells what has happened: a post, and how far the source has come, in one transaction.

use super::folder::{self, Change, Found};
use super::words::{self, News};
use crate::derived::blocking;
use crate::shared::Shared;
use crate::{feed, keys};
use domain::{AgentId, Fault, FeedSource, FeedSourceId, Watches};
use std::sync::Arc;
use store::table::{deliveries, feed_sources, happenings, settings};
use store::{Durability, Read, StoreError, Write};

const HOUR_MS: i64 = 60 * 60 * 1000;
/// What is told at once; the rest comes right after it.
const AT_ONCE: u32 = 1_000;
/// What went may have gone so long before somebody looked.
const UNSEEN_MS: i64 = 60 * 1000;

/// What came of a look.
enum Told {
    All,
    /// There is more than was told at once.
    More,
    /// It has written as much as it may within an hour.
    HeldBack,
}

type Look = (Told, Vec<AgentId>);

/// Tells whatever any source has to tell, whether somebody noticed it or not.
pub(crate) async fn look_at_all(shared: &Arc<Shared>) -> Result<(), Fault> {
    look(shared, |_| true).await
}

/// The same of folders in which something may have changed, and of all else.
pub(super) async fn look_at_what_stirred(shared: &Arc<Shared>) -> Result<(), Fault> {
    look(shared, |id| shared.sources.now().stirred.contains(&id)).await
}

async fn look(
    shared: &Arc<Shared>,
    looks_into: impl Fn(FeedSourceId) -> bool,
) -> Result<(), Fault> {
    let _one_at_a_time = shared.sources.looking.lock().await;
    let (is_paused, mut all) = shared.store.read(|read| {
        Ok::<_, StoreError>((settings::get(read)?.all_paused, feed_sources::all(read)?))
    })?;
    if is_paused {
        return Ok(());
    }
    all.retain(FeedSource::watches_now);
    // What programs send was looked through as it came in.
    if all.iter().any(|source| source.plan.watches != Watches::Hook) {
        keys::known_before_turns(shared).await;
    }
    for source in all {
        let told = match &source.plan.watches {
            Watches::Files { .. } if !looks_into(source.id) => continue,
            Watches::Files { folder } => {
                shared.sources.now().stirred.remove(&source.id);
                tell_files(shared, source.id, folder.clone()).await
            }
            Watches::Runs { .. } | Watches::Contradictions => {
                tell_happenings(shared, source.id).await
            }
            Watches::Hook => {
                let told = tell_deliveries(shared, source.id).await;
                let door = shared.sources.door.borrow().clone();
                told.and_then(|told| door.transpose().map(|_| told))
            }
        };
        note(shared, source.id, told).await?;
    }
    Ok(())
}

/// Keeps how the source stands, and has the window look when that is new.
async fn note(shared: &Shared, id: FeedSourceId, told: Result<Told, Fault>) -> Result<(), Fault> {
    let is_new = {
        let mut now = shared.sources.now();
        let before = (now.problems.remove(&id), now.held_back.remove(&id));
        match told {
            Ok(Told::All | Told::More) => {}
            Ok(Told::HeldBack) => {
                now.held_back.insert(id);
                now.stirred.insert(id);
            }
            Err(fault) => {
                now.problems.insert(id, fault);
                now.stirred.insert(id);
            }
        }
        before != (now.problems.get(&id).cloned(), now.held_back.contains(&id))
    };
    if !is_new {
        return Ok(());
    }
    let again = move |write: &mut Write<'_>| {
        let source = feed_sources::get(write, id)?;
        feed_sources::put(write, &source)
    };
    Ok(shared.store.write(Durability::Process, again).await?)
}

async fn tell_happenings(shared: &Arc<Shared>, id: FeedSourceId) -> Result<Told, Fault> {
    loop {
        let with = shared.clone();
        let tell = move |write: &mut Write<'_>| happened(write, &with, id);
        let (told, woken) = shared.store.write(Durability::Process, tell).await?;
        fail::fail_point!("source.told");
        shared.wake(&woken);
        match told {
            Told::More => {}
            Told::All | Told::HeldBack => return Ok(told),
        }
    }
}

fn happened(write: &mut Write<'_>, shared: &Shared, id: FeedSourceId) -> Result<Look, Fault> {
    let source = feed_sources::get(write, id)?;
    let waiting = happenings::of_source(write, id, AT_ONCE)?;
    let Some((last, _)) = waiting.last().copied().filter(|_| source.watches_now()) else {
        return Ok((Told::All, Vec::new()));
    };
    let mut news = Vec::new();
    for (_, happened) in &waiting {
        news.extend(words::news(write, &source, *happened)?);
    }
    let mut woken = Vec::new();
    if !news.is_empty() {
        if may_not_write(write, &source, shared.now_ms())? {
            return Ok((Told::HeldBack, Vec::new()));
        }
        let depth = news.iter().map(|news| news.depth).max().unwrap_or(0);
        let lines: Vec<String> = news.into_iter().map(|News { line, .. }| line).collect();
        let text = words::together(&source.plan.watches, &lines);
        woken = post(write, shared, source, text, depth)?;
    }
    happenings::told(write, id, last)?;
    let told = if waiting.len() < AT_ONCE as usize { Told::All } else { Told::More };
    Ok((told, woken))
}

async fn tell_deliveries(shared: &Arc<Shared>, id: FeedSourceId) -> Result<Told, Fault> {
    let with = shared.clone();
    let tell = move |write: &mut Write<'_>| sent(write, &with, id);
    let (told, woken) = shared.store.write(Durability::Process, tell).await?;
    fail::fail_point!("source.told");
    shared.wake(&woken);
    Ok(told)
}

/// Each is a post, until there are as many as there may be; the rest is told together.
fn sent(write: &mut Write<'_>, shared: &Shared, id: FeedSourceId) -> Result<Look, Fault> {
    let mut all_woken = Vec::new();
    loop {
        let source = feed_sources::get(write, id)?;
        let waiting = deliveries::untold(write, id, AT_ONCE)?;
        if waiting.is_empty() || !source.watches_now() {
            return Ok((Told::All, all_woken));
        }
        let posts = feed_sources::posted_since(write, id, shared.now_ms() - HOUR_MS)?.len();
        let room = (source.plan.per_hour as usize).saturating_sub(posts);
        let together = match room {
            0 => return Ok((Told::HeldBack, all_woken)),
            1 => waiting.len(),
            _ => 1,
        };
        let (upto, _) = waiting[together - 1];
        let texts: Vec<String> = waiting.into_iter().take(together).map(|(_, text)| text).collect();
        all_woken.extend(post(write, shared, source, words::of_deliveries(&texts), 0)?);
        deliveries::told(write, id, upto)?;
    }
}

async fn tell_files(shared: &Arc<Shared>, id: FeedSourceId, folder: String) -> Result<Told, Fault> {
    let path = folder.clone();
    let found = blocking(shared, move |_| folder::look_into(&path)).await?;
    let with = shared.clone();
    let tell = move |write: &mut Write<'_>| files(write, &with, id, &folder, &found);
    let (told, woken) = shared.store.write(Durability::Process, tell).await?;
    fail::fail_point!("source.told");
    shared.wake(&woken);
    Ok(told)
}

fn files(
    write: &mut Write<'_>,
    shared: &Shared,
    id: FeedSourceId,
    folder: &str,
    found: &Found,
) -> Result<Look, Fault> {
    let source = feed_sources::get(write, id)?;
    let now = shared.now_ms();
    let Some((before, seen_ms)) = feed_sources::seen(write, id)?.filter(|_| source.watches_now())
    else {
        return Ok((Told::All, Vec::new()));
    };
    let changes = folder::changes(&before, found);
    if changes.is_empty() {
        return Ok((Told::All, Vec::new()));
    }
    if may_not_write(write, &source, now)? {
        return Ok((Told::HeldBack, Vec::new()));
    }
    let since = changed_since(&changes, seen_ms, now);
    let depth = feed_sources::depth_of_its_turns(write, id, since)?.unwrap_or(0);
    let woken = post(write, shared, source, words::of_files(folder, &changes), depth)?;
    feed_sources::put_seen(write, id, Some((&folder::written(found), now)))?;
    Ok((Told::All, woken))
}

/// From when on whoever was at work may have done it.
fn changed_since(changes: &[Change], seen_ms: i64, now: i64) -> i64 {
    let told = |change: &Change| change.changed_ms.filter(|at| *at > seen_ms && *at <= now);
    changes.iter().map(|one| told(one).unwrap_or(now - UNSEEN_MS)).min().unwrap_or(now)
}

fn may_not_write(read: &Read<'_>, source: &FeedSource, now: i64) -> Result<bool, StoreError> {
    let written = feed_sources::posted_since(read, source.id, now - HOUR_MS)?;
    Ok(written.len() >= source.plan.per_hour as usize)
}

fn post(
    write: &mut Write<'_>,
    shared: &Shared,
    source: FeedSource,
    text: String,
    depth: u32,
) -> Result<Vec<AgentId>, Fault> {
    let now = shared.now_ms();
    let text = shared.safe.redactor().redact_known(&text).into_owned();
    let woken = feed::post_of_source(write, shared, &source, text, depth)?;
    let posts = source.posts.saturating_add(1);
    feed_sources::put(write, &FeedSource { posts, posted_ms: Some(now), ..source })?;
    Ok(woken)
}
