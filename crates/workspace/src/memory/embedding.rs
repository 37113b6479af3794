//! The embedding model, loaded while somebody needs it.
//!
//! It takes a quarter of a gigabyte, so it goes when nobody has asked for a
//! while. Whoever searches goes before the background, which embeds a few texts at
//! a time. Nobody has to wait: who is in a hurry hears why there is no vector yet,
//! and the model comes meanwhile.

use crate::Places;
use crate::shared::Shared;
use search::{E5, Embedder, ModelFiles};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;
use tokio::time::Instant;

type Load = dyn Fn() -> Result<Box<dyn Embedder>, search::Error> + Send + Sync;

/// The model is let go after nobody has asked it for so long.
const IDLE: Duration = Duration::from_secs(300);

/// Which model makes vectors, and how it is loaded.
#[derive(Clone)]
pub struct Embedding {
    /// Vectors of two ids are never compared.
    pub id: String,
    pub dimensions: usize,
    /// See `search::Query::across`.
    pub across: fn(&str) -> f32,
    pub load: Arc<Load>,
    /// What it is loaded from: a model that could not be used is tried again when one
    /// of these has changed.
    pub files: Vec<PathBuf>,
}

impl Embedding {
    /// The one that ships with Coterie.
    pub fn bundled(places: &Places) -> Embedding {
        let folder = places.embedding_model().parent().unwrap_or(&places.assets).to_owned();
        let names = [
            "model.onnx",
            "tokenizer.json",
            "tokenizer_config.json",
            "config.json",
            "special_tokens_map.json",
        ];
        let of_model = names.iter().map(|name| folder.join(name));
        let all = of_model.chain([places.onnxruntime.clone()]).collect();
        let files = ModelFiles { folder, runtime: places.onnxruntime.clone() };
        Embedding {
            id: E5::ID.into(),
            dimensions: E5::DIMENSIONS,
            across: E5::across,
            // One core: agents' own models need the others.
            load: Arc::new(move || Ok(Box::new(E5::load(&files, 1)?))),
            files: all,
        }
    }
}

impl fmt::Debug for Embedding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Embedding({})", self.id)
    }
}

/// What somebody who wants a vector waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Until the model is loaded: there is no second try.
    Loading,
    /// While others ask it.
    Asking,
    /// Not even while texts are embedded in the background: a turn goes on.
    Never,
}

/// Why there is no vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoVector {
    Loading,
    Busy,
    /// Not before its files are others, or the next start.
    Trouble(String),
}

impl NoVector {
    /// For who reads what was found.
    pub(super) fn told(&self) -> String {
        match self {
            NoVector::Loading => "the model that compares meanings is being loaded".into(),
            NoVector::Busy => "the model that compares meanings is at work on new memories".into(),
            NoVector::Trouble(why) => why.clone(),
        }
    }
}

/// The model in one of its states.
enum Model {
    Resting,
    Loading,
    Free(Box<dyn Embedder>),
    /// With somebody who looks for something: for some milliseconds.
    Asked,
    /// With the background.
    Embedding,
    Broken {
        why: String,
        /// Of each of its files, as they were before they were loaded.
        files: Vec<Stamp>,
    },
}

/// The size of a file and when it was written; `None` where there is none.
type Stamp = Option<(u64, Option<SystemTime>)>;

struct State {
    model: Model,
    /// How many wait who go before the background.
    waiting: u32,
    used: Instant,
}

pub(super) struct Embedders {
    pub(super) embedding: Embedding,
    state: Mutex<State>,
    /// The state has changed.
    changed: Condvar,
    wanted: Notify,
    loaded: Notify,
}

impl Embedders {
    pub(super) fn new(embedding: Embedding) -> Embedders {
        let state = State { model: Model::Resting, waiting: 0, used: Instant::now() };
        Embedders {
            embedding,
            state: Mutex::new(state),
            changed: Condvar::new(),
            wanted: Notify::new(),
            loaded: Notify::new(),
        }
    }

    /// Why it cannot be used as its files are.
    pub(super) fn trouble(&self) -> Option<String> {
        match &self.with_other_files().model {
            Model::Broken { why, .. } => Some(why.clone()),
            Model::Resting | Model::Loading | Model::Free(_) | Model::Asked | Model::Embedding => {
                None
            }
        }
    }

    /// Somebody is about to need it: it is loaded in the background.
    pub(super) fn want(&self) {
        if matches!(self.with_other_files().model, Model::Resting) {
            self.wanted.notify_one();
        }
    }

    /// The vector of what somebody looks for. Blocks, as far as there is patience.
    pub(super) fn query(&self, text: &str, patience: Patience) -> Result<Vec<f32>, NoVector> {
        let mut state = self.with_other_files();
        state.waiting += 1;
        let got = loop {
            match (&state.model, patience) {
                (Model::Free(_), _) => break Ok(()),
                (Model::Broken { why, .. }, _) => break Err(NoVector::Trouble(why.clone())),
                (Model::Resting, Patience::Loading) => state = self.load(state),
                (Model::Resting, Patience::Asking | Patience::Never) => {
                    self.wanted.notify_one();
                    break Err(NoVector::Loading);
                }
                (Model::Loading, Patience::Asking | Patience::Never) => {
                    break Err(NoVector::Loading);
                }
                (Model::Embedding, Patience::Never) => break Err(NoVector::Busy),
                (Model::Loading, Patience::Loading)
                | (Model::Embedding, Patience::Loading | Patience::Asking)
                | (Model::Asked, _) => state = self.wait(state),
            }
        };
        state.waiting -= 1;
        self.changed.notify_all();
        got?;
        self.lend(state, Model::Asked, |model| {
            let vector = model.query(text)?;
            if search::points(&vector) { Ok(vector) } else { Err(no_vector()) }
        })
    }

    /// The vectors of texts that are to be found. Blocks, behind everybody else.
    pub(super) fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, NoVector> {
        let mut state = self.with_other_files();
        loop {
            state = match &state.model {
                Model::Free(_) if state.waiting == 0 => break,
                Model::Broken { why, .. } => return Err(NoVector::Trouble(why.clone())),
                Model::Resting => self.load(state),
                Model::Free(_) | Model::Loading | Model::Asked | Model::Embedding => {
                    self.wait(state)
                }
            };
        }
        self.lend(state, Model::Embedding, |model| {
            let vectors = model.passages(texts)?;
            let all = vectors.iter().all(|vector| search::points(vector));
            if all { Ok(vectors) } else { Err(no_vector()) }
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that could not be used rests again once somebody has changed its files.
    fn with_other_files(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if let Model::Broken { files, .. } = &state.model
            && *files != self.stamps()
        {
            state.model = Model::Resting;
        }
        state
    }

    fn stamps(&self) -> Vec<Stamp> {
        let stamp = |path: &PathBuf| {
            let file = std::fs::metadata(path).ok()?;
            Some((file.len(), file.modified().ok()))
        };
        self.embedding.files.iter().map(stamp).collect()
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads it, if it rests; others wait or do without meanwhile.
    fn load<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        if !matches!(state.model, Model::Resting) {
            return state;
        }
        state.model = Model::Loading;
        drop(state);
        let back = Back { embedders: self, model: None };
        let files = self.stamps();
        let loaded = (self.embedding.load)();
        back.give(match loaded {
            Ok(model) => Model::Free(model),
            Err(error) => broken(&error, files),
        });
        self.loaded.notify_one();
        self.lock()
    }

    /// Takes it away for as long as somebody asks it.
    fn lend<T>(
        &self,
        mut state: MutexGuard<'_, State>,
        to: Model,
        ask: impl FnOnce(&mut dyn Embedder) -> Result<T, search::Error>,
    ) -> Result<T, NoVector> {
        let model = match std::mem::replace(&mut state.model, to) {
            Model::Free(model) => model,
            other => {
                state.model = other;
                return Err(NoVector::Busy);
            }
        };
        drop(state);
        let back = Back { embedders: self, model: None };
        let mut model = model;
        match ask(model.as_mut()) {
            Ok(answer) => {
                back.give(Model::Free(model));
                Ok(answer)
            }
            Err(error) => {
                back.give(broken(&error, self.stamps()));
                Err(NoVector::Trouble(error.to_string()))
            }
        }
    }

    /// When it is to go if nobody asks; `None` where it is not there.
    fn until(&self) -> Option<Instant> {
        let state = self.lock();
        let is_there = matches!(state.model, Model::Free(_) | Model::Asked | Model::Embedding);
        is_there.then(|| state.used + IDLE)
    }

    /// Lets the model go, unless somebody has asked it since.
    fn rest(&self) {
        let mut state = self.lock();
        if matches!(state.model, Model::Free(_)) && state.used.elapsed() >= IDLE {
            let model = std::mem::replace(&mut state.model, Model::Resting);
            drop(state);
            // Giving a quarter of a gigabyte back takes a moment.
            drop(model);
        }
    }
}

/// It can be compared with nothing, and would be kept for ever.
fn no_vector() -> search::Error {
    search::Error::Embed("the model gave what is no vector".into())
}

fn broken(error: &search::Error, files: Vec<Stamp>) -> Model {
    tracing::warn!(%error, "memories are found by their words alone");
    Model::Broken { why: error.to_string(), files }
}

/// Brings the model back, or its absence where somebody panicked with it.
struct Back<'a> {
    embedders: &'a Embedders,
    model: Option<Model>,
}

impl Back<'_> {
    fn give(mut self, model: Model) {
        self.model = Some(model);
    }
}

impl Drop for Back<'_> {
    fn drop(&mut self) {
        let mut state = self.embedders.lock();
        state.model = self.model.take().unwrap_or(Model::Resting);
        state.used = Instant::now();
        self.embedders.changed.notify_all();
    }
}

/// Loads the model for who did not wait for it, and lets it go when nobody has
/// asked it for a while.
pub(crate) async fn keep_the_model(shared: Arc<Shared>) {
    let embedders = &shared.finder.embedders;
    loop {
        let idle = async {
            match embedders.until() {
                Some(until) => tokio::time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        let with = shared.clone();
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = embedders.loaded.notified() => {
                // What has no vector yet gets one now, and whoever made do with words
                // alone can look again.
                shared.finder.index.changed.notify_one();
                if let Err(fault) = super::in_step::tell(&shared).await {
                    tracing::warn!(%fault, "nobody heard that the model is there");
                }
            }
            () = embedders.wanted.notified() => {
                let load = move || drop(with.finder.embedders.load(with.finder.embedders.lock()));
                drop(tokio::task::spawn_blocking(load).await);
            }
            () = idle => {
                drop(tokio::task::spawn_blocking(move || with.finder.embedders.rest()).await);
            }
        }
    }
}
