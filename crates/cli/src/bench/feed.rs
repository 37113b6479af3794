//! The feed: how fast what was written is given out, and how long until all of it
//! is answered, with quotas lifted.
//!
//! Posts are written first, so that the queue is full. One tick gives all of them
//! out; the agents answer meanwhile, from a script that takes no time. Single posts,
//! each with a tick of its own, say how long one takes to be given out: first while
//! everybody is busy with what was given out before, then while nothing else happens.
//! That is a little more than from the moment that it is taken until what was decided
//! about it is stored, since all of the tick is measured.

use super::stage::Stage;
use super::{BUDGET, broken, cost, tell};
use crate::screen::{Failure, Screen};
use domain::{
    Budget, BudgetScope, Command, CommunityId, FeedRules, FromOwner, Query, Record, Reply,
    RunState, SettingsPatch, Ticked, Update,
};
use door::Durability;
use futures::stream::StreamExt;
use std::time::{Duration, Instant};

/// Posts that are given out one by one.
const SINGLE: usize = 1_000;
/// The same while everybody is busy.
const SINGLE_BUSY: usize = 300;
/// So long nothing is heard before it is asked whether all is answered.
const SILENCE: Duration = Duration::from_millis(200);

pub(super) async fn run(screen: &Screen, n: usize) -> Result<(), Failure> {
    let stage = Stage::open(Durability::Process).await?;
    let square = set_up(&stage).await?;
    write(&stage, square, n).await?;
    let before = cost::own_memory(std::process::id())?;

    let mut events = stage.door.events(None);
    let begun = Instant::now();
    let ticked = tick(&stage).await?;
    let given_out = begun.elapsed();
    if ticked.events as usize != n || ticked.failed > 0 {
        return Err(broken("give out the posts", format!("{ticked:?} of {n}")));
    }
    tell(
        screen,
        "feed_given_out",
        "events/s",
        n as f64 / given_out.as_secs_f64(),
        Some((BUDGET, 1e3)),
    );

    let busy = singles(&stage, square, SINGLE_BUSY).await?;
    tell_singles(screen, ["feed_admission_busy_p50", "feed_admission_busy_p99"], &busy.took);

    let mut answered = begun.elapsed();
    loop {
        match tokio::time::timeout(SILENCE, events.next()).await {
            Ok(Some(FromOwner::Event(event))) => {
                if let Update::Saved { record: Record::Run(run) } = event.update
                    && run.state == RunState::Settled
                {
                    answered = begun.elapsed();
                }
            }
            Ok(Some(_)) => {}
            Ok(None) => return Err(broken("wait for answers", "the events ended")),
            Err(_) if to_come(&stage).await? == 0 => break,
            Err(_) => {}
        }
    }
    let woken = f64::from(ticked.woken + busy.woken);
    tell(screen, "feed_answered", "turns/s", woken / answered.as_secs_f64(), None);
    let after = cost::own_memory(std::process::id())?;
    let each = after.saturating_sub(before) as f64 / (n + SINGLE_BUSY) as f64;
    tell(screen, "feed_memory", "bytes/event", each, None);

    let quiet = singles(&stage, square, SINGLE).await?;
    tell_singles(screen, ["feed_admission_p50", "feed_admission_p99"], &quiet.took);
    stage.door.close().await;
    Ok(())
}

/// Posts that were given out one by one.
struct Singles {
    /// The shortest first.
    took: Vec<Duration>,
    woken: u32,
}

async fn singles(stage: &Stage, square: CommunityId, n: usize) -> Result<Singles, Failure> {
    let mut singles = Singles { took: Vec::with_capacity(n), woken: 0 };
    for _ in 0..n {
        write(stage, square, 1).await?;
        let begun = Instant::now();
        let ticked = tick(stage).await?;
        singles.took.push(begun.elapsed());
        singles.woken += ticked.woken;
    }
    singles.took.sort_unstable();
    Ok(singles)
}

fn tell_singles(screen: &Screen, [p50, p99]: [&'static str; 2], took: &[Duration]) {
    let at =
        |share: f64| took[((took.len() - 1) as f64 * share).round() as usize].as_secs_f64() * 1e3;
    tell(screen, p50, "ms", at(0.5), None);
    tell(screen, p99, "ms", at(0.99), Some((BUDGET, 2.0)));
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
