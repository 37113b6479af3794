//! The process that is killed: the owner of a workspace whose provider is
//! asked over HTTP and given up after a short silence.
//!
//! `endurance-child FOLDER`. Everybody comes in through its socket. Says
//! `open` when it owns the workspace; the end of stdin closes it, and `closed`
//! is the last word.
#![expect(clippy::print_stdout, reason = "the parent listens")]

use domain::{Fault, Provider};
use llm::Model;
use llm::openai::{Endpoint, Http, OpenAi};
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;
use tests::{Serves, open_alone};
use tokio::runtime::Runtime;
use workspace::{Clock, Models, SystemClock};

/// What the provider may take for its next word: enough on a busy machine.
const IDLE: Duration = Duration::from_secs(1);

fn main() {
    let folder = std::env::args().nth(1).expect("FOLDER");
    let runtime = Runtime::new().expect("threads can be started");
    let door = open_alone(folder.into(), Arc::new(SystemClock), impatient(), Vec::new());
    let door = runtime.block_on(door).expect("the workspace opens");
    assert!(door.owns(), "the dead process still owns the workspace");
    println!("open");
    let mut rest = String::new();
    std::io::stdin().read_to_string(&mut rest).expect("the parent writes text");
    runtime.block_on(door.close());
    println!("closed");
}

/// Every model of every provider, as the product asks it but for its patience.
fn impatient() -> impl Models + 'static {
    let http = Http::new(|| SystemClock.now_ms());
    Serves(move |provider: &Provider| {
        let address = provider.base_url.as_deref().unwrap_or_default();
        let endpoint = Endpoint::new(provider.name.clone(), address).map_err(Fault::from)?;
        let model: Arc<dyn Model> = Arc::new(OpenAi::new(http.clone(), endpoint.with_idle(IDLE)));
        Ok(model)
    })
}
