//! Turns texts into vectors.

use crate::Error;
use crate::vectors::points;
use crate::words::Writing;
use fastembed::{
    InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel,
};
use ort::environment::Environment;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A model that gives texts of like meaning vectors that are near each other.
pub trait Embedder: Send {
    /// Which model, with how it is asked. Vectors of two ids are never compared.
    fn id(&self) -> &str;

    fn dimensions(&self) -> usize;

    /// The vector of what somebody looks for. Of length 1.
    fn query(&mut self, text: &str) -> Result<Vec<f32>, Error>;

    /// The vectors of texts that are to be found. Of length 1, in order; an empty one for
    /// a text of which the model makes none.
    fn passages(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error>;
}

/// Where the model and what runs it are.
#[derive(Debug, Clone)]
pub struct ModelFiles {
    /// `model.onnx`, `tokenizer.json` and the tokenizer's small files.
    pub folder: PathBuf,
    /// ONNX Runtime's library.
    pub runtime: PathBuf,
}

/// The multilingual E5 small: 384 dimensions, a hundred languages.
pub struct E5 {
    model: TextEmbedding,
}

impl E5 {
    /// With the prefixes that it was trained with: changing them changes the vectors.
    pub const ID: &'static str = "multilingual-e5-small-q4/query:,passage:";
    pub const DIMENSIONS: usize = 384;
    /// The SHA-256 of what its vectors come from, as in the manifest of the assets.
    /// Damaged weights give vectors too, and nothing else would tell.
    pub const HASHES: [(&'static str, &'static str); 2] = [
        ("model.onnx", "f9af30d37d3f603da4afd159976411ddd978704d9461e6997a239b1e766b5dde"),
        ("tokenizer.json", "5ac0c296d4e9764d16055fa4b90b4f0b8f089fb913276b85a88bb56fae1592ae"),
    ];
    /// How many texts it takes at once: more run no faster, and hold more memory.
    pub const BATCH: usize = 16;

    /// Loads the model. `threads` is how many cores one call may use.
    pub fn load(files: &ModelFiles, threads: usize) -> Result<E5, Error> {
        let fault = |why: String| Error::Model { model: "multilingual-e5-small".into(), why };
        let runtime = runtime(&files.runtime).map_err(|error| fault(error.to_string()))?;
        let tokenizer = tokenizer(&files.folder).map_err(fault)?;
        let weights = read(&files.folder.join("model.onnx")).map_err(fault)?;
        for (name, bytes) in
            [("model.onnx", &weights), ("tokenizer.json", &tokenizer.tokenizer_file)]
        {
            whole(name, bytes)
                .map_err(|why| fault(format!("{}: {why}", files.folder.join(name).display())))?;
        }
        let model = UserDefinedEmbeddingModel::new(weights, tokenizer).with_pooling(Pooling::Mean);
        let options =
            InitOptionsUserDefined::new().with_environment(runtime).with_intra_threads(threads);
        let model = TextEmbedding::try_new_from_user_defined(model, options)
            .map_err(|error| fault(error.to_string()))?;
        Ok(E5 { model })
    }

    /// What a cosine usually lacks between a query and a text that answers it in a
    /// script of the other sort. The model puts texts of one language close together,
    /// so that an unrelated text in the query's language is nearer than the answer in
    /// another. Measured on texts that have nothing to do with each other, from Chinese
    /// to English and the other way. A text that has a good part of the query's script
    /// lacks nothing (`words::Writing`).
    pub fn across(query: &str) -> f32 {
        if Writing::of(query).is_dense() { 0.072 } else { 0.052 }
    }

    fn embed(&mut self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let fault = |error: fastembed::Error| Error::Embed(error.to_string());
        let vectors = self.model.embed(texts, Some(E5::BATCH)).map_err(fault)?;
        match vectors.iter().all(|vector| points(vector)) {
            true => Ok(vectors),
            false => Err(Error::Embed("the model gave what is no vector".into())),
        }
    }
}

impl Embedder for E5 {
    fn id(&self) -> &str {
        E5::ID
    }

    fn dimensions(&self) -> usize {
        E5::DIMENSIONS
    }

    fn query(&mut self, text: &str) -> Result<Vec<f32>, Error> {
        let mut vectors = self.embed(&[format!("query: {text}")])?;
        vectors.pop().ok_or_else(|| Error::Embed("no vector came back".into()))
    }

    fn passages(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Error> {
        // A batch is as slow as its longest: texts of a length go together.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|at| texts[*at].len());
        let sorted: Vec<String> =
            order.iter().map(|at| format!("passage: {}", texts[*at])).collect();
        let mut vectors = vec![Vec::new(); texts.len()];
        for (at, vector) in order.into_iter().zip(self.embed(&sorted)?) {
            vectors[at] = vector;
        }
        Ok(vectors)
    }
}

/// That a file of the model is what it was when it was chosen.
fn whole(name: &str, bytes: &[u8]) -> Result<(), String> {
    let pinned = E5::HASHES.iter().find(|(file, _)| *file == name).map(|(_, hash)| *hash);
    let is = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match pinned {
        Some(pinned) if pinned != is => {
            Err("the file is damaged or of another model; put the right one in its place".into())
        }
        Some(_) | None => Ok(()),
    }
}

/// The tokenizer that lies beside a model.
pub(crate) fn tokenizer(folder: &Path) -> Result<TokenizerFiles, String> {
    let read = |name: &str| read(&folder.join(name));
    Ok(TokenizerFiles {
        tokenizer_file: read("tokenizer.json")?,
        config_file: read("config.json")?,
        special_tokens_map_file: read("special_tokens_map.json")?,
        tokenizer_config_file: read("tokenizer_config.json")?,
    })
}

/// ONNX Runtime, which a process has once. The first library to load stays.
pub(crate) fn runtime(library: &Path) -> Result<Environment, Box<dyn std::error::Error>> {
    static RUNTIME: Mutex<Option<Environment>> = Mutex::new(None);
    let mut runtime = RUNTIME.lock().expect("loading does not panic");
    if let Some(runtime) = runtime.as_ref() {
        return Ok(runtime.clone());
    }
    let loaded = ort::init_from(library)?.with_telemetry(false).build()?;
    Ok(runtime.insert(loaded).clone())
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}
