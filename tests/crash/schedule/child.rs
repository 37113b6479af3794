//! One life at an hour: gives what is due by then, and is killed somewhere on the way.
//!
//! `crash-schedule-child FOLDER HOUR FAILPOINT HITS`.
#![expect(clippy::print_stdout, reason = "the parent listens")]

#[path = "../asks.rs"]
mod asks;

use asks::{Outcome, ask, order, overview, resume_what_was_interrupted, tell_events, use_script};
use domain::{CatchUp, Command, Query, Reply, RequestId, SchedulePlan, ScheduledWork};
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
    match lived.unwrap_or_else(|_| Err("it comes to no end".into())) {
        Ok(()) => {
            println!("quiet");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            println!("wrong: {wrong}");
            ExitCode::FAILURE
        }
    }
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
    resume_what_was_interrupted(&door).await?;
    let mut events = door.events(None);
    while !is_over(&door, hour).await? {
        events.next().await.ok_or("the events ended")?;
    }
    door.close().await;
    Ok(())
}

/// Whether all that is due by then was given and answered.
async fn is_over(door: &Door, hour: u32) -> Outcome<bool> {
    let Reply::Schedules(all) = ask(door, Query::Schedules).await? else {
        return Err("no schedules".into());
    };
    let given = all.iter().map(|view| view.lately.len()).sum::<usize>();
    let owed = overview(door).await?.groups.iter().map(|view| view.answers_to_come).sum::<u32>();
    Ok(given == hour as usize && owed == 0)
}
