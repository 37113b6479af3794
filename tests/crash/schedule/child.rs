//! One life at an hour: gives what is due by then, and is killed somewhere on the way.
//!
//! `crash-schedule-child FOLDER HOUR FAILPOINT HITS`.
#![expect(clippy::print_stdout, reason = "the parent listens")]

#[path = "../asks.rs"]
mod asks;

use asks::{
    Outcome, ask, order, overview, resume_what_was_interrupted, tell_end, tell_events, use_script,
};
use domain::{
    CatchUp, Command, CommunityId, EndedRuns, FeedFilter, Query, Reply, RequestId, SchedulePlan,
    ScheduledWork, SourcePlan, Watches,
};
use door::Door;
use futures::StreamExt;
use llm::scripted::{Beat, Scripted};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tests::{TestClock, die_at, open_alone, serves};
use uuid::Uuid;

/// Far longer than all of it takes.
const LIFE: Duration = Duration::from_secs(90);

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().expect("FOLDER HOUR FAILPOINT HITS");
    let folder = PathBuf::from(word());
    let hour = word().parse().expect("a number");
    let (failpoint, hits) = (word(), word().parse().expect("a number"));
    die_at(&failpoint, hits);
    let lived = tokio::time::timeout(LIFE, live(folder, hour)).await;
    tell_end(lived.unwrap_or_else(|_| Err("it comes to no end".into())))
}

async fn live(folder: PathBuf, hour: u32) -> Outcome<()> {
    let answers = Scripted::from_fn(|_, _| vec![Beat::Text("It is done.".into())]);
    let clock = TestClock::default();
    clock.advance(Duration::from_secs(60 * 60) * hour);
    let opened = open_alone(folder, Arc::new(clock), serves(Arc::new(answers)), Vec::new());
    let door = opened.await.map_err(|fault| fault.to_string())?;
    tell_events(&door);
    use_script(&door).await?;
    let ada = overview(&door).await?.agents.into_iter().find(|agent| agent.name == "Ada");
    let ada = ada.ok_or("there is no Ada")?.id;
    let groups = overview(&door).await?.groups;
    let direct = groups.iter().find(|view| view.group.default_agent == Some(ada));
    let group = direct.ok_or("nobody talks with Ada")?.group.id;
    let plan = SchedulePlan {
        agent: ada,
        work: ScheduledWork::Say { group, text: "Look.".into() },
        words: "every hour".into(),
        zone: "UTC".into(),
        hours: None,
        catch_up: CatchUp::All { most: 24 },
    };
    let id = RequestId(Uuid::from_u128(0x5c4e_d01e));
    order(&door, id, Command::NewSchedule { plan }).await?;
    have_ends_told(&door).await?;
    resume_what_was_interrupted(&door).await?;
    let mut events = door.events(None);
    while !is_over(&door, hour).await? {
        events.next().await.ok_or("the events ended")?;
    }
    door.close().await;
    Ok(())
}

/// The end of each turn is told in the feed.
async fn have_ends_told(door: &Door) -> Outcome<()> {
    let community = CommunityId(Uuid::from_u128(0xfeed));
    let (name, rules, members) = ("Square".into(), String::new(), Vec::new());
    let new = Command::NewCommunity { name, rules, members };
    order(door, RequestId(community.0), new).await?;
    let watches = Watches::Runs { which: EndedRuns::All };
    let plan = SourcePlan { name: "Ends".into(), community, watches, per_hour: 60 };
    let id = RequestId(Uuid::from_u128(0x0050_04ce));
    order(door, id, Command::NewSource { plan }).await?;
    Ok(())
}

/// How many ends were told.
async fn told(door: &Door) -> Outcome<usize> {
    let feed = Query::Feed { filter: FeedFilter::default(), before: None, limit: 100 };
    let Reply::Posts(posts) = ask(door, feed).await? else { return Err("no feed".into()) };
    let items = posts.iter().filter_map(|post| post.item.as_ref()?.message.text());
    Ok(items.map(|text| text.matches("answered in").count()).sum())
}

/// Whether all that is due by then was given, answered and told.
async fn is_over(door: &Door, hour: u32) -> Outcome<bool> {
    let Reply::Schedules(all) = ask(door, Query::Schedules).await? else {
        return Err("no schedules".into());
    };
    let given = all.iter().map(|view| view.lately.len()).sum::<usize>();
    let owed = overview(door).await?.groups.iter().map(|view| view.answers_to_come).sum::<u32>();
    Ok(given == hour as usize && owed == 0 && told(door).await? == hour as usize)
}
