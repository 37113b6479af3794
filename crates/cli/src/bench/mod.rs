//! `coterie bench`: what the runtime costs on this machine.
//!
//! Each measurement is one JSON line with what it is compared to: a system
//! measured beside it in the same run, or a budget. The first line is how busy
//! the machine was. All but `engine` drive a real workspace through the door,
//! in a folder of its own that is removed again. docs/benchmarks.md says how to
//! read them.

mod admissions;
mod agents;
mod bus;
mod cost;
mod embed;
mod engine;
mod feed;
mod python;
mod recover;
mod redis;
mod retrieval;
mod search;
mod stage;
mod stop;
mod stream;
mod tool;
mod turn;

use crate::screen::{self, Failure, Screen};
use clap::Subcommand;
use serde::Serialize;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Durable posts a second, beside Redis Streams
    Bus {
        /// Only what is synced, each sync of which was made to take longer (bench/slow_sync.c)
        #[arg(long)]
        slow_disk: bool,
    },
    /// How fast one of many sleeping agents wakes, and what each costs
    Agents {
        /// How many
        #[arg(default_value_t = 10_000)]
        n: usize,
    },
    /// How fast what was written in the feed is given out, and answered
    Feed {
        /// How many posts wait
        #[arg(default_value_t = 10_000)]
        n: usize,
    },
    /// What the use of a tool costs beside what it does, and eight at once
    Tool,
    /// What a turn with a tool costs, and what a long one leaves on the disk
    Turn,
    /// How long a start takes after a kill in the middle of many turns
    Recover,
    /// How well and how fast texts are found, on a set of texts and questions
    Retrieval(retrieval::Retrieval),
    /// How long a search takes among many made-up texts
    Search {
        /// How many
        #[arg(default_value_t = 10_000)]
        texts: u64,
        /// Keep the index in this folder, and use it again
        #[arg(long, value_name = "FOLDER")]
        keep: Option<PathBuf>,
        /// Write down what was asked of the vectors, and the exact answers, for others to
        /// be measured by
        #[arg(long, value_name = "FILE")]
        questions: Option<PathBuf>,
    },
    /// How fast texts become vectors, beside ONNX Runtime for Python
    Embed,
    /// How soon a stop is felt, with every kind of provider and with the starter model
    Stop,
    /// What a streamed token costs, from the provider's bytes to the event
    Stream,
    /// How soon and how fast the starter model writes in its own process
    Engine {
        /// Another build of coterie-engine [default: the one that agents use]
        #[arg(long, value_name = "FILE")]
        program: Option<PathBuf>,
    },
}

pub(crate) async fn run(screen: &Screen, command: Command) -> Result<(), Failure> {
    let command = match command {
        Command::Retrieval(asked) => return retrieval::run(screen, asked).await,
        command => command,
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let load = cost::machine_load()?;
    tell(screen, "machine_load", "tasks", load, Some(("processors", processors as f64)));
    match command {
        Command::Bus { slow_disk } => bus::run(screen, slow_disk).await,
        Command::Agents { n } => agents::run(screen, n).await,
        Command::Feed { n } => feed::run(screen, n).await,
        Command::Tool => tool::run(screen).await,
        Command::Turn => turn::run(screen).await,
        Command::Retrieval(_) => unreachable!("done above"),
        Command::Search { texts, keep, questions } => {
            search::run(screen, texts, keep, questions).await
        }
        Command::Embed => embed::run(screen).await,
        Command::Recover => recover::run(screen).await,
        Command::Stop => stop::run(screen).await,
        Command::Stream => stream::run(screen).await,
        Command::Engine { program } => engine::run(screen, program).await,
    }
}

#[derive(Serialize)]
struct Measured {
    bench: &'static str,
    unit: &'static str,
    value: f64,
    baseline: Option<Baseline>,
    /// Value over baseline.
    ratio: Option<f64>,
}

#[derive(Serialize)]
struct Baseline {
    name: &'static str,
    value: f64,
}

const BUDGET: &str = "budget";

fn tell(
    screen: &Screen,
    bench: &'static str,
    unit: &'static str,
    value: f64,
    baseline: Option<(&'static str, f64)>,
) {
    let baseline = baseline.map(|(name, value)| Baseline { name, value: rounded(value) });
    let ratio = baseline.as_ref().map(|baseline| rounded(value / baseline.value));
    let measured = Measured { bench, unit, value: rounded(value), baseline, ratio };
    screen.text(&screen::line(&measured));
}

/// Four digits are more than a machine repeats.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 3 - value.abs().log10().floor() as i32;
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}

/// What went wrong outside of Coterie.
fn broken(doing: &str, error: impl std::fmt::Display) -> Failure {
    Failure::internal(format!("{doing}: {error}"))
}
