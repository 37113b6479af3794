//! The person's own reranker: a cross-encoder that reads a question together with
//! each of the best that were found, and says anew which fits best.
//!
//! None ships with Coterie; who has one puts it into the folder `reranker` beside
//! the database. Without it nothing changes, and one that cannot be used changes
//! nothing either. It is loaded when somebody first looks for something, and goes
//! when nobody has for a while. A turn does not wait for that.

use super::embedders::Patience;
use crate::Places;
use domain::MemoryHit;
use search::{CrossEncoder, ModelFiles};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// The model is let go after nobody has asked it for so long.
const IDLE: Duration = Duration::from_secs(300);

pub(super) struct Reranking {
    files: ModelFiles,
    model: Arc<Mutex<Model>>,
}

enum Model {
    Resting,
    Ready(Box<CrossEncoder>, Instant),
    /// Until the next start; what is wrong with it.
    Broken(String),
}

impl Reranking {
    pub(super) fn new(places: &Places) -> Reranking {
        let files = ModelFiles { folder: places.reranker(), runtime: places.onnxruntime.clone() };
        Reranking { files, model: Arc::new(Mutex::new(Model::Resting)) }
    }

    /// Whether the person has one.
    pub(super) fn is_there(&self) -> bool {
        self.files.folder.join("model.onnx").is_file()
    }

    /// Puts the best into its order. They share their totals out anew, so that
    /// what follows may go on comparing them. Blocks, as far as there is patience.
    pub(super) fn order(&self, question: &str, best: &mut [MemoryHit], patience: Patience) {
        let Some(mut model) = self.at_hand(patience) else { return };
        let Model::Ready(ready, used) = &mut *model else { return };
        *used = Instant::now();
        let texts: Vec<&str> = best.iter().map(|hit| hit.memory.text.as_str()).collect();
        match ready.scores(question, &texts) {
            Ok(scores) => share_out(best, &scores),
            Err(error) => {
                tracing::warn!(%error, "what was found keeps its order");
                *model = Model::Broken(error.to_string());
            }
        }
    }

    /// What is wrong with the one that the person has, as far as that shows when it
    /// is loaded; `None` where they have none. Blocks.
    pub(super) fn verdict(&self) -> Option<Result<(), String>> {
        if !self.is_there() {
            return None;
        }
        let mut model = lock(&self.model);
        load(&mut model, &self.files);
        match &*model {
            Model::Broken(why) => Some(Err(why.clone())),
            Model::Resting | Model::Ready(..) => Some(Ok(())),
        }
    }

    /// Lets the model go if nobody has asked it for a while. Blocks while it works.
    pub(super) fn rest(&self) {
        let mut model = lock(&self.model);
        if matches!(&*model, Model::Ready(_, used) if used.elapsed() >= IDLE) {
            *model = Model::Resting;
        }
    }

    fn at_hand(&self, patience: Patience) -> Option<MutexGuard<'_, Model>> {
        if !matches!(patience, Patience::Briefly | Patience::Never) {
            let mut model = lock(&self.model);
            load(&mut model, &self.files);
            return Some(model);
        }
        let model = match self.model.try_lock() {
            Ok(model) => model,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        if matches!(*model, Model::Resting) {
            let (model, files) = (self.model.clone(), self.files.clone());
            std::thread::spawn(move || load(&mut lock(&model), &files));
        }
        Some(model)
    }
}

fn lock(model: &Mutex<Model>) -> MutexGuard<'_, Model> {
    model.lock().unwrap_or_else(PoisonError::into_inner)
}

fn load(model: &mut Model, files: &ModelFiles) {
    if matches!(model, Model::Resting) {
        // One core: agents' own models need the others.
        *model = match CrossEncoder::load(files, 1) {
            Ok(loaded) => Model::Ready(Box::new(loaded), Instant::now()),
            Err(error) => {
                tracing::warn!(%error, "what is found keeps its order");
                Model::Broken(error.to_string())
            }
        };
    }
}

fn share_out(best: &mut [MemoryHit], scores: &[f32]) {
    let totals: Vec<f32> = best.iter().map(|hit| hit.scores.total).collect();
    for (hit, score) in best.iter_mut().zip(scores) {
        hit.scores.reranked = Some(*score);
    }
    // Of those that it finds equal the one stays first that was.
    best.sort_by(|one, other| {
        let (one, other) = (one.scores.reranked, other.scores.reranked);
        other.unwrap_or_default().total_cmp(&one.unwrap_or_default())
    });
    for (hit, total) in best.iter_mut().zip(totals) {
        hit.scores.total = total;
    }
}
