//! What a streamed token costs: from a provider's bytes over HTTP, through the
//! decoder, what an agent may say, and the batches, to the event.
//!
//! The provider's threads belong to this process and are not counted. It sends one
//! token a chunk: as fast as it can, and a millisecond apart, where each token
//! also costs a wake-up of the network. At last our client alone, as far as the
//! deltas, beside the openai client for Python with the same bytes.

mod clients;
mod provider;

use super::stage::{self, Stage};
use super::{BUDGET, broken, cost, tell};
use crate::screen::{Failure, Screen};
use domain::{FromOwner, ProviderKind, Record, RunState, TurnPolicy, Update};
use door::Durability;
use futures::StreamExt;
use provider::{Pace, TEXT, THREADS, TOKENS};
use std::time::Duration;

pub(super) async fn run(screen: &Screen) -> Result<(), Failure> {
    let each = measure(Pace::EachAlone, 200).await?;
    tell(screen, "token", "µs cpu", each, Some((BUDGET, 10.0)));
    let each = measure(Pace::Paused(Duration::from_millis(1)), 5).await?;
    tell(screen, "token_one_by_one", "µs cpu", each, None);
    let both = tokio::task::spawn_blocking(beside_python);
    let (ours, theirs) = both.await.map_err(|error| broken("ask", error))??;
    if theirs.is_none() {
        screen.aside("there is no openai client to compare to (pip install openai)");
    }
    let baseline = theirs.map(|value| ("the openai client for Python", value));
    tell(screen, "token_parsed", "µs cpu", ours, baseline);
    Ok(())
}

/// What a token costs our client, and what it costs the one for Python.
fn beside_python() -> Result<(f64, Option<f64>), Failure> {
    let url = provider::start(Pace::ManyAtOnce)?;
    Ok((clients::ours(&url, 500)?, clients::pythons(&url, 20)?))
}

/// Microseconds of processor time a token, in a whole workspace.
async fn measure(pace: Pace, answers: usize) -> Result<f64, Failure> {
    let url = provider::start(pace)?;
    let stage = Stage::open(Durability::Process).await?;
    stage.answer_with(ProviderKind::Openai, url).await?;
    answer(&stage, 2).await?;
    let before = cost::processor_without(THREADS)?;
    answer(&stage, answers).await?;
    let used = cost::processor_without(THREADS)?.saturating_sub(before);
    stage.door.close().await;
    Ok(used.as_secs_f64() * 1e6 / (answers * TOKENS) as f64)
}

/// Each in a group of its own, so that no history adds to it.
async fn answer(stage: &Stage, answers: usize) -> Result<(), Failure> {
    let agents = stage.overview().await?.agents;
    for _ in 0..answers {
        let group = stage.group(&agents[..1], TurnPolicy::Broadcast).await?;
        let mut events = stage.door.events(None);
        stage::post(&stage.door, group, "What do you see?").await?;
        let mut seen = 0;
        loop {
            let said = events.next().await.ok_or_else(|| broken("listen", "the events ended"))?;
            let FromOwner::Event(event) = said else { continue };
            match event.update {
                Update::Live { live } if live.group == group => seen += live.text.len(),
                Update::Saved { record: Record::Run(run) } if run.state == RunState::Settled => {
                    break;
                }
                Update::Saved { record: Record::Run(run) } if run.state != RunState::Running => {
                    return Err(broken("answer", format!("{run:?}")));
                }
                Update::Live { .. }
                | Update::Saved { .. }
                | Update::Waiting { .. }
                | Update::UseProgress { .. }
                | Update::HeldUp { .. }
                | Update::MemoryIndex { .. }
                | Update::MemoryProgress { .. }
                | Update::BackupProgress { .. }
                | Update::Keys { .. }
                | Update::Servers { .. }
                | Update::Skills { .. }
                | Update::Page { .. }
                | Update::Removed { .. } => {}
            }
        }
        if seen != TEXT.len() * TOKENS {
            return Err(broken("listen", format!("{seen} bytes of text arrived")));
        }
    }
    Ok(())
}
