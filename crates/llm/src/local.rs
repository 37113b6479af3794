//! The model on this machine: keeps `coterie-engine` running while it is
//! wanted, and nobody else knows that it is a process.
//!
//! It starts with the first request, holds one model at a time, answers one
//! request after the other in the order they came, and stops when nothing was
//! asked for a while. Should it crash, the request that was running fails and
//! the next one starts it again.

mod calls;
mod engine;
mod fault;
mod look;
mod pdf;
mod program;
mod queue;
mod turns;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use tokio::sync::{mpsc, watch};

pub use look::template_wrong;
pub use pdf::pdf_text;

use crate::{Delta, Model, ModelFault, ModelRequest, Trouble};
use queue::Job;

/// What the local model needs to know, chosen by whoever opens the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The program `coterie-engine`. Beside it may lie its build for
    /// processors without AVX2, `coterie-engine-baseline`.
    pub engine: PathBuf,
    /// Where a model's plain name is looked up, with `.gguf` after it.
    pub models: PathBuf,
    /// Tokens that prompt and answer may take together; never more than the
    /// model was made for.
    pub context: u32,
    /// The same for a file of the person's own.
    pub own_context: u32,
    /// How long the engine keeps its memory when nobody asks.
    pub idle: Duration,
    /// After how long without a sign of life it counts as stuck.
    pub stall: Duration,
}

impl Setup {
    pub fn new(engine: impl Into<PathBuf>, models: impl Into<PathBuf>) -> Self {
        Self {
            engine: engine.into(),
            models: models.into(),
            context: 4096,
            own_context: 4096,
            idle: Duration::from_secs(5 * 60),
            stall: Duration::from_secs(3 * 60),
        }
    }
}

/// Whether the engine can use a graphics processor: it is built without that
/// unless somebody asks for it, so that it runs everywhere.
pub const HAS_GPU: bool = cfg!(feature = "gpu");

/// What the engine is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Off,
    /// The process is starting or reading its model's file.
    Starting {
        model: String,
    },
    /// It holds this model.
    Ready {
        model: String,
        pid: u32,
        context: u32,
    },
}

pub struct Local {
    setup: Setup,
    state: watch::Sender<State>,
    /// Where requests wait; there from the first one on.
    jobs: Mutex<Option<mpsc::Sender<Job>>>,
}

impl Local {
    /// Starts nothing yet.
    pub fn new(setup: Setup) -> Self {
        Self { setup, state: watch::Sender::new(State::Off), jobs: Mutex::new(None) }
    }

    /// What the engine is doing, now and from now on.
    pub fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// The names of the models that lie in the models folder, in order.
    pub fn models(&self) -> Vec<String> {
        let Ok(files) = std::fs::read_dir(&self.setup.models) else { return Vec::new() };
        let mut names: Vec<String> =
            files.flatten().filter_map(|file| model_name(&file.path())).collect();
        names.sort();
        names
    }

    /// The queue's entrance. Its task is spawned by the first request, so that
    /// a `Local` can be made before the runtime is there.
    fn entrance(&self) -> mpsc::Sender<Job> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(jobs) = jobs.as_ref().filter(|jobs| !jobs.is_closed()) {
            return jobs.clone();
        }
        let (entrance, queue) = mpsc::channel(64);
        tokio::spawn(queue::run(self.setup.clone(), queue, self.state.clone()));
        jobs.insert(entrance).clone()
    }

    /// Must be called within a Tokio runtime.
    fn ask_within(&self, request: ModelRequest, context: Option<u32>) -> BoxStream<'static, Delta> {
        let path = match model_path(&self.setup.models, &request.model) {
            Ok(path) => path,
            Err(fault) => return stream::iter([Delta::failed(fault)]).boxed(),
        };
        let entrance = self.entrance();
        let (deltas, answer) = mpsc::unbounded_channel();
        let enter = async move {
            // When the queue is gone, so is `deltas`, and the answer ends below.
            let _ = entrance.send(Job { request, path, context, deltas }).await;
            stream::unfold(Some(answer), next_delta)
        };
        stream::once(enter).flatten().boxed()
    }
}

/// The engine, with models that are given more or less to read than it is usual.
pub struct Within {
    local: Arc<Local>,
    /// By the model's name.
    windows: HashMap<String, u32>,
}

impl Within {
    pub fn of(local: &Arc<Local>, windows: HashMap<String, u32>) -> Self {
        Within { local: local.clone(), windows }
    }
}

impl Model for Within {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let context = self.windows.get(&request.model).copied();
        self.local.ask_within(request, context)
    }
}

impl Model for Local {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        self.ask_within(request, None)
    }
}

async fn next_delta(
    answer: Option<mpsc::UnboundedReceiver<Delta>>,
) -> Option<(Delta, Option<mpsc::UnboundedReceiver<Delta>>)> {
    let mut answer = answer?;
    let delta = answer.recv().await.unwrap_or_else(|| Delta::failed(fault::gone()));
    let rest = match delta {
        Delta::Done { .. } | Delta::Failed { .. } => None,
        Delta::Text(_)
        | Delta::Reasoning(_)
        | Delta::ToolCall(_)
        | Delta::Unshown(_)
        | Delta::Counted(_)
        | Delta::Kept(_)
        | Delta::Anew => Some(answer),
    };
    Some((delta, rest))
}

/// A plain name lies in the models folder; a whole path is the user's own file.
fn model_path(models: &Path, name: &str) -> Result<PathBuf, ModelFault> {
    let path = Path::new(name);
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    if name.is_empty() || path.file_name() != Some(path.as_os_str()) {
        return Err(ModelFault::new(
            Trouble::UnknownModel,
            format!(
                "open local model {name:?}: neither a name in the models folder nor a whole path"
            ),
            "choose one that coterie model list shows, or give the whole path of a GGUF file",
        ));
    }
    let file = if name.ends_with(".gguf") { name.to_owned() } else { format!("{name}.gguf") };
    Ok(models.join(file))
}

fn model_name(path: &Path) -> Option<String> {
    (path.extension()? == "gguf").then(|| path.file_stem()?.to_str().map(str::to_owned))?
}
