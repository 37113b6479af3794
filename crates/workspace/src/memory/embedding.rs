//! The embedding model, loaded while somebody needs it.
//!
//! It takes a quarter of a gigabyte, so it goes when nobody has asked for a
//! while. Whoever searches goes before the background: texts are embedded a
//! few at a time, and the lock is fair.

use crate::Places;
use search::{E5, Embedder, ModelFiles};
use std::fmt;
use std::sync::Arc;
use tokio::sync::Mutex;

type Load = dyn Fn() -> Result<Box<dyn Embedder>, search::Error> + Send + Sync;

/// Which model makes vectors, and how it is loaded.
#[derive(Clone)]
pub struct Embedding {
    /// Vectors of two ids are never compared.
    pub id: String,
    pub dimensions: usize,
    /// See `search::Query::across`.
    pub across: fn(&str) -> f32,
    pub load: Arc<Load>,
}

impl Embedding {
    /// The one that ships with Coterie.
    pub fn bundled(places: &Places) -> Embedding {
        let folder = places.embedding_model().parent().unwrap_or(&places.assets).to_owned();
        let files = ModelFiles { folder, runtime: places.onnxruntime.clone() };
        Embedding {
            id: E5::ID.into(),
            dimensions: E5::DIMENSIONS,
            across: E5::across,
            // One core: agents' own models need the others.
            load: Arc::new(move || Ok(Box::new(E5::load(&files, 1)?))),
        }
    }
}

impl fmt::Debug for Embedding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Embedding({})", self.id)
    }
}

/// The model in one of its states.
enum Model {
    Resting,
    Loaded(Box<dyn Embedder>),
    Broken,
}

pub(super) struct Embedders {
    pub(super) embedding: Embedding,
    model: Mutex<Model>,
    /// Why it cannot be used, until the next start.
    trouble: std::sync::Mutex<Option<String>>,
}

impl Embedders {
    pub(super) fn new(embedding: Embedding) -> Embedders {
        Embedders { embedding, model: Mutex::new(Model::Resting), trouble: Default::default() }
    }

    pub(super) fn trouble(&self) -> Option<String> {
        self.trouble.lock().ok()?.clone()
    }

    /// Asks the model, after loading it if need be. `None`: it cannot be used.
    /// Blocks.
    pub(super) fn ask<T>(
        &self,
        ask: impl FnOnce(&mut dyn Embedder) -> Result<T, search::Error>,
    ) -> Option<T> {
        let mut model = self.model.blocking_lock();
        if let Model::Resting = *model {
            *model = match (self.embedding.load)() {
                Ok(loaded) => Model::Loaded(loaded),
                Err(error) => self.broken(&error),
            };
        }
        let Model::Loaded(loaded) = &mut *model else { return None };
        match ask(loaded.as_mut()) {
            Ok(answer) => Some(answer),
            Err(error) => {
                *model = self.broken(&error);
                None
            }
        }
    }

    fn broken(&self, error: &search::Error) -> Model {
        tracing::warn!(%error, "memories are found by their words alone");
        if let Ok(mut trouble) = self.trouble.lock() {
            *trouble = Some(error.to_string());
        }
        Model::Broken
    }

    /// Lets the model go. Blocks while somebody asks it.
    pub(super) fn rest(&self) {
        let mut model = self.model.blocking_lock();
        if let Model::Loaded(_) = *model {
            *model = Model::Resting;
        }
    }
}
