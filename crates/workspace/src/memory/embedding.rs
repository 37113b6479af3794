//! Which model compares meanings: the one that ships, or one of a provider's.

use crate::Places;
use search::{E5, Embedder, ModelFiles, Strangers};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

type Load = dyn Fn() -> Result<Box<dyn Embedder>, search::Error> + Send + Sync;

/// Which model makes vectors, and how it is loaded.
#[derive(Clone)]
pub struct Embedding {
    /// Vectors of two ids are never compared.
    pub id: String,
    pub dimensions: usize,
    /// See `search::Query::across`.
    pub across: fn(&str) -> f32,
    pub scale: Scale,
    pub load: Arc<Load>,
    /// When one that could not be used is tried again.
    pub again: Again,
    /// How many texts it is given at a time, before somebody else may ask it.
    pub at_once: usize,
    /// Loading it is nothing, and nobody need wait for who asks it too.
    pub by_many: bool,
}

#[derive(Clone)]
pub enum Again {
    /// When one of the files that it is loaded from has changed.
    WithOtherFiles(Vec<PathBuf>),
    /// After a pause that is told each time.
    After(Arc<dyn Fn() -> Duration + Send + Sync>),
}

/// What the cosines of a model come to: some put all texts close together, and what is
/// near for one is nearest for another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The usual cosine of texts that have nothing to do with each other.
    pub unrelated: f32,
    /// And of texts that say the same.
    pub alike: f32,
}

impl Scale {
    /// Of the model that ships, measured as that of every other.
    pub const SHIPPED: Scale = Scale { unrelated: 0.737, alike: 0.823 };

    /// A cosine of the model that ships, as this one says it: in proportion from what
    /// has nothing to do with each other to what says the same, and on to 1.
    pub(super) fn of(self, shipped: f32) -> f32 {
        let Scale { unrelated, alike } = Scale::SHIPPED;
        if shipped > alike {
            let part = (shipped - alike) / (1.0 - alike);
            return self.alike + part * (1.0 - self.alike);
        }
        let part = (shipped - unrelated) / (alike - unrelated);
        self.unrelated + part * (self.alike - self.unrelated)
    }
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
            scale: Scale::SHIPPED,
            // One core: agents' own models need the others.
            load: Arc::new(move || Ok(Box::new(E5::load(&files, 1)?))),
            again: Again::WithOtherFiles(all),
            at_once: 4,
            by_many: false,
        }
    }

    /// By what is told whether texts have to do with each other.
    pub(super) fn strangers(&self) -> Strangers {
        let Scale { unrelated, alike } = self.scale;
        match self.id == E5::ID {
            true => Strangers::OfE5,
            false => Strangers::Usual { unrelated, alike },
        }
    }
}

impl fmt::Debug for Embedding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Embedding({})", self.id)
    }
}
