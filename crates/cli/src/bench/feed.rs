//! The feed: how fast what was written is given out, and how long until all of it
//! is answered, with quotas lifted.
//!
//! Posts are written first, so that the queue is full. One tick gives all of them
//! out; then the agents answer, from a script that takes no time. What is admitted
//! goes together with others: measured is how long that takes from the moment that they
//! are taken until what was decided about all of them is stored. At the end single posts,
//! each with a tick of its own while nothing else happens, say how long a whole tick takes.

use super::admissions::Admissions;
use super::stage::Stage;
use super::{BUDGET, broken, cost, tell};
use crate::screen::{Failure, Screen};
use domain::{
    Budget, BudgetScope, Command, CommunityId, FeedRules, Query, Reply, SettingsPatch, Ticked,
};
use door::Durability;
use futures::stream::StreamExt;
use std::time::{Duration, Instant};

/// Posts that are given out one by one.
const SINGLE: usize = 500;
/// So long nothing is heard before it is asked whether all is answered.
const SILENCE: Duration = Duration::from_millis(20);

pub(super) async fn run(screen: &Screen, n: usize) -> Result<(), Failure> {
    let admissions = Admissions::listen()?;
    let stage = Stage::open(Durability::Process).await?;
    let square = set_up(&stage).await?;
    write(&stage, square, n).await?;
    let before = cost::own_memory(std::process::id())?;

    let begun = Instant::now();
    let ticked = tick(&stage).await?;
    let given_out = begun.elapsed();
    if ticked.events as usize != n || ticked.failed > 0 {
        return Err(broken("give out the posts", format!("{ticked:?} of {n}")));
    }
    let each_second = n as f64 / given_out.as_secs_f64();
    tell(screen, "feed_given_out", "events/s", each_second, Some((BUDGET, 1e3)));
    let took = admissions.took();
    tell(screen, "feed_admission_p50", "ms", at(&took, 0.5), None);
    tell(screen, "feed_admission_p99", "ms", at(&took, 0.99), Some((BUDGET, 2.0)));

    quiet(&stage).await?;
    let answered = begun.elapsed();
    let woken = f64::from(ticked.woken);
    tell(screen, "feed_answered", "turns/s", woken / answered.as_secs_f64(), None);
    let after = cost::own_memory(std::process::id())?;
    let each = after.saturating_sub(before) as f64 / n as f64;
    tell(screen, "feed_memory", "bytes/event", each, None);
    stage.door.close().await;

    let took = singles().await?;
    tell(screen, "feed_tick_p50", "ms", at(&took, 0.5), None);
    tell(screen, "feed_tick_p99", "ms", at(&took, 0.99), None);
    Ok(())
}

/// How long the tick for each of some posts takes while nothing else happens, the
/// shortest first.
async fn singles() -> Result<Vec<Duration>, Failure> {
    let stage = Stage::open(Durability::Process).await?;
    let square = set_up(&stage).await?;
    let mut took = Vec::with_capacity(SINGLE);
    for _ in 0..SINGLE {
        write(&stage, square, 1).await?;
        let begun = Instant::now();
        tick(&stage).await?;
        took.push(begun.elapsed());
        // And the answers to it, and the answers to those.
        quiet(&stage).await?;
        while tick(&stage).await?.events > 0 {
            quiet(&stage).await?;
        }
    }
    stage.door.close().await;
    took.sort_unstable();
    Ok(took)
}

fn at(took: &[Duration], share: f64) -> f64 {
    let last = took.len().saturating_sub(1) as f64;
    took.get((last * share).round() as usize).map_or(0.0, |took| took.as_secs_f64() * 1e3)
}

/// Returns once everything that was given out is answered.
async fn quiet(stage: &Stage) -> Result<(), Failure> {
    let mut events = stage.door.events(None);
    loop {
        match tokio::time::timeout(SILENCE, events.next()).await {
            Ok(Some(_)) => {}
            Ok(None) => return Err(broken("wait for answers", "the events ended")),
            Err(_) if to_come(stage).await? == 0 => return Ok(()),
            Err(_) => {}
        }
    }
}

/// A community, with nothing in the way of answering all of it.
async fn set_up(stage: &Stage) -> Result<CommunityId, Failure> {
    let feed = FeedRules {
        answers_per_item: 1,
        per_hour: 1_000_000,
        rest_minutes: 0,
        ..FeedRules::default()
    };
    let patch = SettingsPatch { feed: Some(feed), ..SettingsPatch::default() };
    stage.order(Command::ChangeSettings { patch }).await?;
    for scope in [BudgetScope::Feed, BudgetScope::Day, BudgetScope::AnyAgent] {
        let budget = Budget { scope, tokens: None, microusd: None };
        stage.order(Command::SetBudget { budget }).await?;
    }
    let (name, rules, members) = ("Square".to_owned(), String::new(), Vec::new());
    match stage.order(Command::NewCommunity { name, rules, members }).await? {
        Reply::Community(community) => Ok(community.id),
        other => Err(broken("make a community", format!("{other:?}"))),
    }
}

async fn write(stage: &Stage, community: CommunityId, n: usize) -> Result<(), Failure> {
    for n in 0..n {
        let text = format!("Post {n}: is this plan any good, and what do the numbers say?");
        stage.order(Command::WritePost { community, text }).await?;
    }
    Ok(())
}

async fn tick(stage: &Stage) -> Result<Ticked, Failure> {
    match stage.order(Command::Tick).await? {
        Reply::Ticked(ticked) => Ok(ticked),
        other => Err(broken("tick", format!("{other:?}"))),
    }
}

async fn to_come(stage: &Stage) -> Result<u32, Failure> {
    match stage.door.ask(domain::Call::Query(Query::FeedQueue)).await? {
        Reply::FeedQueue(queue) => Ok(queue.answers_to_come),
        other => Err(broken("ask for the queue", format!("{other:?}"))),
    }
}
