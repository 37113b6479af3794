//! The embedding model, loaded while somebody needs it.
//!
//! The one that ships takes a quarter of a gigabyte, so it goes when nobody has asked for a
//! while. Whoever searches goes before the background, which embeds a few texts at
//! a time. Nobody has to wait: who is in a hurry hears why there is no vector yet,
//! and the model comes meanwhile.

use super::embedding::{Again, Embedding};
use crate::shared::Shared;
use search::Embedder;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;
use tokio::time::Instant;

/// The model is let go after nobody has asked it for so long.
const IDLE: Duration = Duration::from_secs(300);

/// How long a turn waits for the model to be loaded. That takes some tenths of a second of a
/// processor that has nothing else to do.
const MOMENT: Duration = Duration::from_secs(2);

/// What somebody who wants a vector waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Until the model is loaded: there is no second try.
    Loading,
    /// While others ask it.
    Asking,
    /// For a moment, while the model is loaded: a turn that is about to wait for its own
    /// model's answer. What is embedded in the background takes longer.
    Briefly,
    Never,
}

/// Why there is no vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoVector {
    Loading,
    Busy,
    /// Another model compares meanings now.
    Changed,
    /// Not before its files are others, or the next start.
    Trouble(String),
}

impl NoVector {
    /// For who reads what was found.
    pub(super) fn told(&self) -> String {
        match self {
            NoVector::Loading => "the model that compares meanings is being loaded".into(),
            NoVector::Changed => "another model compares meanings from now on".into(),
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
        until: Until,
    },
}

/// Until when a model that could not be used is left alone.
enum Until {
    /// Its files are others than these, as they were before they were loaded.
    OtherFiles(Vec<Stamp>),
    Then(Instant),
}

/// The size of a file and when it was written; `None` where there is none.
type Stamp = Option<(u64, Option<SystemTime>)>;

struct State {
    embedding: Arc<Embedding>,
    model: Model,
    /// How many wait who go before the background.
    waiting: u32,
    used: Instant,
}

/// A vector, and the model that it is of.
pub(super) struct Meant {
    pub(super) vector: Vec<f32>,
    pub(super) by: Arc<Embedding>,
}

pub(super) struct Embedders {
    state: Mutex<State>,
    /// The state has changed.
    changed: Condvar,
    wanted: Notify,
    loaded: Notify,
    /// It could not be used.
    broke: Notify,
}

impl Embedders {
    pub(super) fn new(embedding: Embedding) -> Embedders {
        let embedding = Arc::new(embedding);
        let (model, used) = (Model::Resting, Instant::now());
        Embedders {
            state: Mutex::new(State { embedding, model, waiting: 0, used }),
            changed: Condvar::new(),
            wanted: Notify::new(),
            loaded: Notify::new(),
            broke: Notify::new(),
        }
    }

    /// The model that is asked now.
    pub(super) fn embedding(&self) -> Arc<Embedding> {
        self.lock().embedding.clone()
    }

    /// Another model is asked from now on. Who is at the one before gets its vectors
    /// still, and sees whose they are.
    pub(super) fn change(&self, embedding: Embedding) {
        let mut state = self.lock();
        state.embedding = Arc::new(embedding);
        state.model = Model::Resting;
        self.changed.notify_all();
    }

    /// What kept it from being used may be over.
    pub(super) fn try_again(&self) {
        let mut state = self.lock();
        if matches!(state.model, Model::Broken { .. }) {
            state.model = Model::Resting;
        }
    }

    /// Why it cannot be used for now.
    pub(super) fn trouble(&self) -> Option<String> {
        match &self.tried_again().model {
            Model::Broken { why, .. } => Some(why.clone()),
            Model::Resting | Model::Loading | Model::Free(_) | Model::Asked | Model::Embedding => {
                None
            }
        }
    }

    /// Somebody is about to need it: it is loaded in the background.
    pub(super) fn want(&self) {
        if matches!(self.tried_again().model, Model::Resting) {
            self.wanted.notify_one();
        }
    }

    /// The vector of what somebody looks for. Blocks, as far as there is patience.
    pub(super) fn query(&self, text: &str, patience: Patience) -> Result<Meant, NoVector> {
        let mut state = self.tried_again();
        if state.embedding.by_many {
            return self.query_beside_others(state, text);
        }
        state.waiting += 1;
        // No test's clock: it is a thread that waits.
        let until = std::time::Instant::now() + MOMENT;
        let got = loop {
            match (&state.model, patience) {
                (Model::Free(_), _) => break Ok(()),
                (Model::Broken { why, .. }, _) => break Err(NoVector::Trouble(why.clone())),
                (Model::Resting, Patience::Loading) => state = self.load(state),
                (Model::Resting, Patience::Asking | Patience::Never) => {
                    self.wanted.notify_one();
                    break Err(NoVector::Loading);
                }
                (Model::Resting | Model::Loading, Patience::Briefly) => {
                    self.wanted.notify_one();
                    let left = until.saturating_duration_since(std::time::Instant::now());
                    if left.is_zero() {
                        break Err(NoVector::Loading);
                    }
                    state = self.wait_for(state, left);
                }
                (Model::Loading, Patience::Asking | Patience::Never) => {
                    break Err(NoVector::Loading);
                }
                (Model::Embedding, Patience::Briefly | Patience::Never) => {
                    break Err(NoVector::Busy);
                }
                (Model::Loading, Patience::Loading)
                | (Model::Embedding, Patience::Loading | Patience::Asking)
                | (Model::Asked, _) => state = self.wait(state),
            }
        };
        state.waiting -= 1;
        self.changed.notify_all();
        got?;
        let by = state.embedding.clone();
        let vector = self.lend(state, Model::Asked, |model| {
            let vector = model.query(text)?;
            if search::points(&vector) { Ok(vector) } else { Err(no_vector()) }
        })?;
        Ok(Meant { vector, by })
    }

    /// Of a model that nobody has for themselves.
    fn query_beside_others(
        &self,
        state: MutexGuard<'_, State>,
        text: &str,
    ) -> Result<Meant, NoVector> {
        if let Model::Broken { why, .. } = &state.model {
            return Err(NoVector::Trouble(why.clone()));
        }
        let by = state.embedding.clone();
        drop(state);
        let asked = (by.load)().and_then(|mut model| model.query(text));
        match asked {
            Ok(vector) if search::points(&vector) => Ok(Meant { vector, by }),
            Ok(_) => Err(NoVector::Trouble(no_vector().to_string())),
            Err(error) => {
                let back = Back { embedders: self, embedding: by.clone(), model: None };
                back.give(broken(&error, &by, Vec::new()));
                Err(NoVector::Trouble(error.to_string()))
            }
        }
    }

    /// The vectors of texts that are to be found, by this model and no other that is asked
    /// by then; an empty one for a text of which it makes nothing. Blocks, behind everybody
    /// else.
    pub(super) fn passages(
        &self,
        by: &Arc<Embedding>,
        texts: &[&str],
    ) -> Result<Vec<Vec<f32>>, NoVector> {
        let mut state = self.tried_again();
        loop {
            if !Arc::ptr_eq(&state.embedding, by) {
                return Err(NoVector::Changed);
            }
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
            let is_one = |vector: &Vec<f32>| vector.is_empty() || search::points(vector);
            let all = vectors.iter().all(is_one);
            if all { Ok(vectors) } else { Err(no_vector()) }
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that could not be used rests again once it may be tried.
    fn tried_again(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        let may_be = match &state.model {
            Model::Broken { until: Until::OtherFiles(files), .. } => {
                *files != stamps(&state.embedding)
            }
            Model::Broken { until: Until::Then(then), .. } => Instant::now() >= *then,
            Model::Resting | Model::Loading | Model::Free(_) | Model::Asked | Model::Embedding => {
                false
            }
        };
        if may_be {
            state.model = Model::Resting;
        }
        state
    }

    /// When one that could not be used is to be tried again, where that is a matter of
    /// time.
    fn again_at(&self) -> Option<Instant> {
        match self.lock().model {
            Model::Broken { until: Until::Then(then), .. } => Some(then),
            Model::Broken { until: Until::OtherFiles(_), .. }
            | Model::Resting
            | Model::Loading
            | Model::Free(_)
            | Model::Asked
            | Model::Embedding => None,
        }
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for<'a>(
        &self,
        state: MutexGuard<'a, State>,
        longest: Duration,
    ) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout(state, longest);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Loads it, if it rests; others wait or do without meanwhile.
    fn load<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        if !matches!(state.model, Model::Resting) {
            return state;
        }
        state.model = Model::Loading;
        let embedding = state.embedding.clone();
        drop(state);
        let back = Back { embedders: self, embedding: embedding.clone(), model: None };
        let before = stamps(&embedding);
        let loaded = (embedding.load)();
        back.give(match loaded {
            Ok(model) => Model::Free(model),
            Err(error) => broken(&error, &embedding, before),
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
        let embedding = state.embedding.clone();
        drop(state);
        let back = Back { embedders: self, embedding: embedding.clone(), model: None };
        let mut model = model;
        match ask(model.as_mut()) {
            Ok(answer) => {
                back.give(Model::Free(model));
                Ok(answer)
            }
            Err(error) => {
                back.give(broken(&error, &embedding, stamps(&embedding)));
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

fn broken(error: &search::Error, embedding: &Embedding, files: Vec<Stamp>) -> Model {
    tracing::warn!(%error, "memories are found by their words alone");
    let until = match &embedding.again {
        Again::WithOtherFiles(_) => Until::OtherFiles(files),
        Again::After(pause) => Until::Then(Instant::now() + pause()),
    };
    Model::Broken { why: error.to_string(), until }
}

fn stamps(embedding: &Embedding) -> Vec<Stamp> {
    let stamp = |path: &PathBuf| {
        let file = std::fs::metadata(path).ok()?;
        Some((file.len(), file.modified().ok()))
    };
    match &embedding.again {
        Again::WithOtherFiles(files) => files.iter().map(stamp).collect(),
        Again::After(_) => Vec::new(),
    }
}

/// Brings the model back, or its absence where somebody panicked with it.
struct Back<'a> {
    embedders: &'a Embedders,
    embedding: Arc<Embedding>,
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
        if !Arc::ptr_eq(&state.embedding, &self.embedding) {
            // Another one is asked meanwhile.
            return;
        }
        state.model = self.model.take().unwrap_or(Model::Resting);
        state.used = Instant::now();
        if matches!(state.model, Model::Broken { .. }) {
            self.embedders.broke.notify_one();
        }
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
        let again = async {
            match embedders.again_at() {
                Some(then) => tokio::time::sleep_until(then).await,
                None => std::future::pending().await,
            }
        };
        let with = shared.clone();
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = again => {
                embedders.try_again();
                shared.finder.index.changed.notify_one();
            }
            () = embedders.loaded.notified() => {
                // What has no vector yet gets one now, and whoever made do with words
                // alone can look again.
                shared.finder.index.changed.notify_one();
                tell(&shared).await;
            }
            () = embedders.broke.notified() => tell(&shared).await,
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

async fn tell(shared: &Arc<Shared>) {
    if let Err(fault) = super::in_step::tell(shared).await {
        tracing::warn!(%fault, "nobody heard whether the model is there");
    }
}
