//! Ticks that come by themselves: off until a person turns them on and says what
//! they may cost.

use super::give_out::tick;
use crate::budget;
use crate::shared::Shared;
use domain::{Budget, BudgetScope, Fault, FeedRules, Settings};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::table::{budgets, settings};
use store::{Durability, Read, StoreError, Write};

/// Turns them on, with what all agents together may use in the feed in a day: it
/// has to be said, so that it has been seen.
pub(crate) async fn turn_on(
    shared: &Arc<Shared>,
    every_minutes: u32,
    tokens_a_day: i64,
    microusd_a_day: i64,
) -> Result<Settings, Fault> {
    if !(1..=1440).contains(&every_minutes) {
        return Err(Fault::bad_input(
            format!("a tick comes every 1 to 1,440 minutes, not every {every_minutes}"),
            "choose one of these",
        ));
    }
    if tokens_a_day <= 0 || microusd_a_day <= 0 {
        return Err(Fault::bad_input(
            "what the feed may cost in a day is more than nothing",
            "say how many tokens and how many dollars it may use, or leave it off",
        ));
    }
    let (tokens, microusd) = (Some(tokens_a_day), Some(microusd_a_day));
    let cap = Budget { scope: BudgetScope::Feed, tokens, microusd };
    let now = shared.now_ms();
    budget::change(shared, move |write| {
        budgets::put(write, &cap)?;
        settings::put_fact(write, LAST, &now.to_string())?;
        let rules = settings::get(write)?.feed;
        put(write, FeedRules { on: true, every_minutes, ..rules })
    })
    .await?;
    cap_changed(shared);
    set(shared)
}

/// Whether ticks come by themselves: a person has turned them on, and what they may cost
/// has an end.
pub(crate) fn comes_by_itself(read: &Read<'_>) -> Result<bool, StoreError> {
    Ok(settings::get(read)?.feed.on && budget::is_feed_capped(read)?)
}

/// Whether ticks come is another matter where there is a limit now and was none, or the
/// other way round.
pub(crate) fn cap_changed(shared: &Shared) {
    shared.feed.look_again();
    // Heartbeats that souls say come with it.
    shared.schedules.changed.notify_one();
}

/// Turns them off; what waits is kept.
pub(crate) async fn turn_off(shared: &Arc<Shared>) -> Result<Settings, Fault> {
    let put = |write: &mut Write<'_>| {
        let rules = settings::get(write)?.feed;
        put(write, FeedRules { on: false, ..rules })
    };
    shared.store.write(Durability::Process, put).await?;
    cap_changed(shared);
    set(shared)
}

fn put(write: &mut Write<'_>, feed: FeedRules) -> Result<(), Fault> {
    let stands = settings::to_change(write)?;
    Ok(settings::put(write, &Settings { feed, ..stands })?)
}

fn set(shared: &Shared) -> Result<Settings, Fault> {
    shared.store.read(|read| Ok(settings::to_change(read)?))
}

/// When the last tick came by itself, or ticks were turned on, as a fact in the database.
const LAST: &str = "feed.last_tick_ms";

/// Has a tick come again and again while that is turned on. The time goes on while nobody has
/// the workspace open, and while everything is paused: what is due then comes once after it.
pub(crate) async fn tick_by_itself(shared: Arc<Shared>) {
    let mut last = None;
    loop {
        let pause = pause(&shared, &mut last).await;
        let next = pause.map_or(0, |pause| {
            shared.now_ms().saturating_add(i64::try_from(pause.as_millis()).unwrap_or(i64::MAX))
        });
        shared.feed.next_tick_ms.store(next, Ordering::Relaxed);
        let due = async {
            match pause {
                Some(pause) => tokio::time::sleep(pause).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = shared.feed.changed.notified() => {}
            () = due => {
                // Also where it comes to nothing: the next is not to come at once.
                came(&shared, &mut last).await;
                if let Err(fault) = tick(&shared).await {
                    tracing::warn!(%fault, "the feed is not given out");
                }
            }
        }
    }
}

/// A tick has come by itself, or the first is to come some time from now.
async fn came(shared: &Shared, last: &mut Option<i64>) {
    let now = shared.now_ms();
    *last = Some(now);
    let put = move |write: &mut Write<'_>| settings::put_fact(write, LAST, &now.to_string());
    if let Err(error) = shared.store.write(Durability::Process, put).await {
        tracing::warn!(%error, "when the last tick came is not on record");
    }
}

/// How long it is until the next; `None` while no tick comes by itself.
async fn pause(shared: &Shared, last: &mut Option<i64>) -> Option<Duration> {
    let look = |read: &Read<'_>| {
        let known = settings::fact(read, LAST)?.and_then(|text| text.parse::<i64>().ok());
        Ok::<_, StoreError>((settings::get(read)?, comes_by_itself(read)?, known))
    };
    let (settings, comes, known) = shared.store.read(look).ok()?;
    if settings.feed.on && !comes {
        tracing::warn!(
            "no tick comes by itself: the feed has no limit; coterie feed on gives it one"
        );
    }
    if !comes || settings.all_paused {
        return None;
    }
    let began = match known.max(*last) {
        Some(began) => began,
        None => {
            came(shared, last).await;
            shared.now_ms()
        }
    };
    let every = i64::from(settings.feed.every_minutes) * 60_000;
    // A clock that was put back delays it by no more than that.
    let left = began.saturating_add(every).saturating_sub(shared.now_ms()).min(every);
    Some(Duration::from_millis(u64::try_from(left).unwrap_or(0)))
}
