//! A workspace in a process of its own, with nothing beside it: no assets, no
//! engine, no keyring, and models that a test has made.

use domain::{Fault, ModelInfo, Offer, Provider};
use door::{Door, Parts, Places};
use futures::future::BoxFuture;
use llm::Model;
use secrets::Secret;
use std::path::PathBuf;
use std::sync::Arc;
use tools::Tool;
use workspace::{Clock, Durability, Embedding, KeyParts, Models, Start};

/// Opens the workspace in a folder.
pub async fn open_alone(
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    models: impl Models + 'static,
    tools: Vec<Arc<dyn Tool>>,
) -> Result<Door, Fault> {
    let bundled = Embedding::bundled(&Places::bare(folder.clone()));
    open_embedding(folder, clock, models, tools, bundled).await
}

/// The same, with something that turns memories into vectors.
pub async fn open_embedding(
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    models: impl Models + 'static,
    tools: Vec<Arc<dyn Tool>>,
    embedding: Embedding,
) -> Result<Door, Fault> {
    let places = Places::bare(folder);
    let parts = Parts {
        clock,
        chance: Arc::new(|| 0),
        models: Arc::new(models),
        keys: KeyParts::in_memory(),
        posts: Durability::Process,
        start: Start::Working,
        embedding,
        tools,
    };
    Door::open(places, move |_| parts.clone()).await
}

/// The embedding model that `make assets` fetches.
pub fn bundled_embedding() -> Embedding {
    Embedding::bundled(&bundled_places())
}

/// Where that model and what runs it are.
pub fn bundled_places() -> Places {
    let assets = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../assets"));
    let library =
        if cfg!(target_os = "macos") { "libonnxruntime.dylib" } else { "libonnxruntime.so" };
    let onnxruntime = assets.join("onnxruntime").join(library);
    Places { assets, onnxruntime, ..Places::bare(PathBuf::new()) }
}

/// What a provider's models answer. It has the models that it was saved with,
/// and no other runs on this machine.
pub struct Serves<F>(pub F);

impl<F> Models for Serves<F>
where
    F: Fn(&Provider) -> Result<Arc<dyn Model>, Fault> + Send + Sync,
{
    fn serve(&self, provider: &Provider, _: Option<Secret>) -> Result<Arc<dyn Model>, Fault> {
        (self.0)(provider)
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

/// One model under every name.
pub fn serves(model: Arc<dyn Model>) -> impl Models + 'static {
    Serves(move |_: &Provider| Ok(model.clone()))
}
