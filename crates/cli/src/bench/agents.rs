//! Many agents asleep: how fast one of them wakes, what each costs, and how
//! long they take to start.
//!
//! Latency is taken in this process, from the event of the committed message
//! to the event of the committed start of the agent's turn. Memory and start
//! are those of `coterie serve` on the same folder, beside one that has only
//! the agents that ship.

use super::stage::{self, Stage};
use super::{BUDGET, broken, cost, tell};
use crate::screen::{Failure, Screen};
use domain::{Command, Event, FromOwner, GroupId, GroupKind, Record, RunState, Update};
use door::{Door, Durability};
use futures::stream::{self, BoxStream, StreamExt};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const WAKES: usize = 1_000;
/// Agents made at the same time.
const TOGETHER: usize = 64;
const ASLEEP: Duration = Duration::from_secs(5);

pub(super) async fn run(screen: &Screen, n: usize) -> Result<(), Failure> {
    let few = Stage::open(Durability::Process).await?;
    few.door.clone().close().await;
    let many = Stage::open(Durability::Process).await?;
    make(&many, n).await?;

    let mut latencies = wake(&many).await?;
    if latencies.len() != WAKES {
        return Err(broken("wake", format!("{} of {WAKES} woke", latencies.len())));
    }
    many.door.clone().close().await;
    latencies.sort_unstable();
    let at = |share: f64| {
        let place = ((latencies.len() - 1) as f64 * share).round() as usize;
        latencies[place].as_secs_f64() * 1e3
    };
    tell(screen, "wake_p50", "ms", at(0.5), Some((BUDGET, 0.3)));
    tell(screen, "wake_p99", "ms", at(0.99), Some((BUDGET, 3.0)));

    let few = Served::start(&few).await?;
    let many = Served::start(&many).await?;
    if many.agents != few.agents + n {
        let wrong = format!("{} are there, {} without the {n}", many.agents, few.agents);
        return Err(broken("serve all agents", wrong));
    }
    let each = many.memory.saturating_sub(few.memory) as f64 / n as f64;
    tell(screen, "idle_agent", "bytes", each, Some((BUDGET, 8192.0)));
    let start = many.start.saturating_sub(few.start).as_secs_f64();
    let budget = 1e3 * n as f64 / 1e4;
    tell(screen, "agents_start", "ms", start * 1e3, Some((BUDGET, budget)));
    tell(screen, "agents_asleep", "% cpu", many.asleep * 100.0, None);
    let megabytes = few.memory as f64 / 1e6;
    tell(screen, "serve_idle", "MB", megabytes, Some((BUDGET, 60.0)));
    Ok(())
}

pub(super) async fn make(stage: &Stage, n: usize) -> Result<(), Failure> {
    let soul = stage.overview().await?.agents[0].soul.clone();
    let commands = (0..n).map(|n| Command::NewAgent {
        soul: soul.clone(),
        name: Some(format!("a{n}")),
        model: None,
        parent: None,
    });
    let made = stream::iter(commands).map(|command| stage.order(command));
    made.buffer_unordered(TOGETHER)
        .fold(Ok(()), |so_far, made| async { so_far.and(made.map(drop)) })
        .await
}

/// Wakes one agent after the other, all over the list.
async fn wake(stage: &Stage) -> Result<Vec<Duration>, Failure> {
    let overview = stage.overview().await?;
    let direct: Vec<GroupId> = overview
        .groups
        .iter()
        .filter(|view| view.group.kind == GroupKind::Direct)
        .map(|view| view.group.id)
        .collect();
    let mut events = stage.door.events(None);
    let mut latencies = Vec::new();
    // A step without a common divisor visits everybody once.
    for n in 0..WAKES + 100 {
        let group = direct[n * 7919 % direct.len()];
        stage::post(&stage.door, group, "Tea?").await?;
        latencies.push(begun_after_commit(&mut events, group).await?);
    }
    Ok(latencies.split_off(100))
}

/// Reads on until the turn is settled, so that the next wake finds everybody
/// asleep.
async fn begun_after_commit(
    events: &mut BoxStream<'static, FromOwner>,
    here: GroupId,
) -> Result<Duration, Failure> {
    let (mut committed, mut latency) = (None::<Instant>, None);
    while let Some(said) = events.next().await {
        let FromOwner::Event(Event { update: Update::Saved { record }, .. }) = said else {
            continue;
        };
        match record {
            Record::Message(message) if message.group == here && message.run.is_none() => {
                committed = Some(Instant::now());
            }
            Record::Run(run) if run.group == here && run.state == RunState::Running => {
                latency = latency.or(committed.map(|committed| committed.elapsed()));
            }
            Record::Run(run) if run.group == here && run.state == RunState::Settled => {
                let unseen = || broken("wait for a turn", "nobody saw it begin after the message");
                return latency.ok_or_else(unseen);
            }
            Record::Run(run) if run.group == here => {
                return Err(broken("wait for a turn", format!("{run:?}")));
            }
            _ => {}
        }
    }
    Err(broken("wait for a turn", "the events ended"))
}

/// `coterie serve`, measured and ended.
struct Served {
    start: Duration,
    memory: u64,
    /// The share of one processor that it uses while everybody sleeps.
    asleep: f64,
    /// Who is there, as it says itself.
    agents: usize,
}

impl Served {
    async fn start(stage: &Stage) -> Result<Served, Failure> {
        let (data, assets) = (stage.data(), stage.assets().to_owned());
        let measured = tokio::task::spawn_blocking(move || serve(&data, &assets));
        let (mut served, process) =
            measured.await.map_err(|error| broken("measure coterie serve", error))??;
        // Asked when everything else has been measured.
        let door = Door::connect(&stage.data()).await?;
        served.agents = stage::overview(&door).await?.agents.len();
        drop(process);
        Ok(served)
    }
}

/// `coterie serve` that has told its address.
pub(super) struct Started {
    pub start: Duration,
    pub process: Ending,
}

pub(super) async fn started(stage: &Stage) -> Result<Started, Failure> {
    let (data, assets) = (stage.data(), stage.assets().to_owned());
    let started = tokio::task::spawn_blocking(move || start(&data, &assets));
    started.await.map_err(|error| broken("start coterie serve", error))?
}

fn start(data: &Path, assets: &Path) -> Result<Started, Failure> {
    let program = std::env::current_exe().map_err(|error| broken("find this program", error))?;
    let begun = Instant::now();
    let child = std::process::Command::new(program)
        .arg("--data")
        .arg(data)
        .arg("--assets")
        .arg(assets)
        .arg("serve")
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| broken("start coterie serve", error))?;
    let mut child = Ending(child);
    let stdout = child.0.stdout.take().ok_or_else(|| broken("listen", "no stdout"))?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).map_err(|error| broken("listen", error))?;
    Ok(Started { start: begun.elapsed(), process: child })
}

fn serve(data: &Path, assets: &Path) -> Result<(Served, Ending), Failure> {
    let Started { start, process: child } = start(data, assets)?;
    // What starting leaves to do is done by now.
    std::thread::sleep(ASLEEP);
    let before = cost::processor(child.0.id())?;
    std::thread::sleep(ASLEEP);
    let used = cost::processor(child.0.id())?.saturating_sub(before);
    let asleep = used.as_secs_f64() / ASLEEP.as_secs_f64();
    let memory = cost::memory(child.0.id())?;
    Ok((Served { start, memory, asleep, agents: 0 }, child))
}

/// Kills its process when it goes.
pub(super) struct Ending(Child);

impl Drop for Ending {
    fn drop(&mut self) {
        // It is gone either way.
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}
