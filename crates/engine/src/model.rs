//! Loads a GGUF, or says in one word why not.

use std::fs;

use domain::engine::{Fault, Load};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;

use crate::fault::{Result, failure};
use crate::open::Open;
use crate::{gguf, memory};

/// All of them, where the build can use a graphics processor. What is more than a
/// model has counts as all, and more than there is room for is not loaded.
const GPU_LAYERS: u32 =
    if cfg!(any(feature = "cuda", feature = "metal", feature = "vulkan")) { 10_000 } else { 0 };

/// Stops early, as a failure, when the parent goes away meanwhile.
pub(crate) fn load(backend: &LlamaBackend, ask: &Load, open: &Open) -> Result<LlamaModel> {
    gguf::check(&ask.path)?;
    let what = format!("load model {}", ask.path.display());
    memory::check(fs::metadata(&ask.path).map_or(0, |meta| meta.len()), &what)?;

    let ending = open.clone();
    let params = LlamaModelParams::default().with_n_gpu_layers(GPU_LAYERS);
    let params = params.with_progress_callback(move |_| !ending.is_ending());
    LlamaModel::load_from_file(backend, &ask.path, &params).map_err(|_| {
        failure(Fault::ModelUnusable, format!("{what}: llama.cpp cannot run this file"))
    })
}

/// The name the file gives its model, else the file's own.
pub(crate) fn name(model: &LlamaModel, ask: &Load) -> String {
    let given = model.meta_val_str("general.name").ok().filter(|name| !name.trim().is_empty());
    given.unwrap_or_else(|| ask.path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
}
