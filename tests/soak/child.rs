//! The process that is measured: the owner of a workspace, and nothing else.
//!
//! `soak-child FOLDER`. Everybody comes in through its socket. Each line on
//! stdin moves its clock by so many seconds and is answered with `ok`; the end
//! of stdin closes the workspace, and `closed` is the last word. Warnings and
//! errors go to stderr.
#![expect(clippy::print_stdout, reason = "the parent listens")]

mod script;

use domain::{Fault, ModelInfo, Offer, Provider};
use door::{Door, Parts, Places};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use llm::scripted::Scripted;
use llm::{Delta, Model, ModelRequest};
use secrets::Secret;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tests::TestClock;
use tokio::runtime::Runtime;
use workspace::{Durability, KeyParts, Models, Start};

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
    let door = runtime.block_on(open(folder.into(), clock.clone()));
    println!("open");
    for line in std::io::stdin().lines() {
        let seconds = line.expect("the parent writes text").parse().expect("a number");
        clock.advance(Duration::from_secs(seconds));
        println!("ok");
    }
    runtime.block_on(door.close());
    println!("closed");
}

async fn open(folder: PathBuf, clock: Arc<TestClock>) -> Door {
    let places = Places {
        data: folder,
        assets: "no-assets".into(),
        engine: "no-engine".into(),
        onnxruntime: "no-onnxruntime".into(),
    };
    let parts = Parts {
        clock,
        chance: Arc::new(|| 0),
        models: Arc::new(Forgetful),
        keys: KeyParts::in_memory(),
        posts: Durability::Process,
        start: Start::Working,
        tools: Vec::new(),
    };
    Door::open(places, move |_| parts.clone()).await.expect("a new workspace opens")
}

/// Plays the script without keeping what it was asked: all memory that grows
/// here is the runtime's.
struct Forgetful;

impl Model for Forgetful {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        Scripted::from_fn(|request, _| script::answer(request)).ask(request)
    }
}

impl Models for Forgetful {
    fn serve(&self, _: &Provider, _: Option<Secret>) -> Result<Arc<dyn Model>, Fault> {
        Ok(Arc::new(Forgetful))
    }

    fn list(
        &self,
        provider: Provider,
        _: Option<Secret>,
    ) -> BoxFuture<'_, Result<Vec<ModelInfo>, Fault>> {
        Box::pin(async move { Ok(provider.models) })
    }

    fn discover(&self) -> BoxFuture<'_, Vec<Offer>> {
        Box::pin(async { Vec::new() })
    }
}
