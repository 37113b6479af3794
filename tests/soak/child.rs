//! The process that is measured: the owner of a workspace, and nothing else.
//!
//! `soak-child FOLDER`. Everybody comes in through its socket. Each line on
//! stdin moves its clock by so many seconds and is answered with `ok`; the end
//! of stdin closes the workspace, and `closed` is the last word. Warnings and
//! errors go to stderr.
#![expect(clippy::print_stdout, reason = "the parent listens")]

mod script;

use futures::stream::BoxStream;
use llm::scripted::Scripted;
use llm::{Delta, Model, ModelRequest};
use std::sync::Arc;
use std::time::Duration;
use tests::{TestClock, open_alone, serves};
use tokio::runtime::Runtime;

/// As in the programs.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::WARN)
        .with_ansi(false)
        .init();
    let folder = std::env::args().nth(1).expect("FOLDER");
    let clock = Arc::new(TestClock::default());
    let runtime = Runtime::new().expect("threads can be started");
    let door = open_alone(folder.into(), clock.clone(), serves(Arc::new(Forgetful)), Vec::new());
    let door = runtime.block_on(door).expect("a new workspace opens");
    println!("open");
    for line in std::io::stdin().lines() {
        let seconds = line.expect("the parent writes text").parse().expect("a number");
        clock.advance(Duration::from_secs(seconds));
        println!("ok");
    }
    runtime.block_on(door.close());
    println!("closed");
}

/// Plays the script without keeping what it was asked: all memory that grows
/// here is the runtime's.
struct Forgetful;

impl Model for Forgetful {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        Scripted::from_fn(|request, _| script::answer(request)).ask(request)
    }
}
