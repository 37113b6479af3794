//! The process that is killed: the owner of a workspace whose provider is
//! asked over HTTP and given up after a short silence.
//!
//! `endurance-child FOLDER`. Everybody comes in through its socket. Says
//! `open` when it owns the workspace; the end of stdin closes it, and `closed`
//! is the last word.
#![expect(clippy::print_stdout, reason = "the parent listens")]

use domain::{Fault, ModelInfo, Offer, Provider};
use door::{Door, Parts, Places};
use futures::future::BoxFuture;
use llm::Model;
use llm::openai::{Endpoint, Http, OpenAi};
use secrets::Secret;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use workspace::{Clock, Durability, KeyParts, Models, Start, SystemClock};

/// What the provider may take for its next word: enough on a busy machine.
const IDLE: Duration = Duration::from_secs(1);

fn main() {
    let folder = std::env::args().nth(1).expect("FOLDER");
    let runtime = Runtime::new().expect("threads can be started");
    let door = runtime.block_on(open(folder.into()));
    assert!(door.owns(), "the dead process still owns the workspace");
    println!("open");
    let mut rest = String::new();
    std::io::stdin().read_to_string(&mut rest).expect("the parent writes text");
    runtime.block_on(door.close());
    println!("closed");
}

async fn open(folder: PathBuf) -> Door {
    let places = Places {
        data: folder,
        assets: "no-assets".into(),
        engine: "no-engine".into(),
        onnxruntime: "no-onnxruntime".into(),
    };
    let parts = Parts {
        clock: Arc::new(SystemClock),
        chance: Arc::new(|| 0),
        models: Arc::new(Impatient { http: Http::new(|| SystemClock.now_ms()) }),
        keys: KeyParts::in_memory(),
        posts: Durability::Process,
        start: Start::Working,
        tools: Vec::new(),
    };
    Door::open(places, move |_| parts.clone()).await.expect("the workspace opens")
}

/// Every model of every provider, as the product asks it but for its patience.
struct Impatient {
    http: Http,
}

impl Models for Impatient {
    fn serve(&self, provider: &Provider, _: Option<Secret>) -> Result<Arc<dyn Model>, Fault> {
        let address = provider.base_url.as_deref().unwrap_or_default();
        let endpoint = Endpoint::new(provider.name.clone(), address).map_err(Fault::from)?;
        Ok(Arc::new(OpenAi::new(self.http.clone(), endpoint.with_idle(IDLE))))
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
