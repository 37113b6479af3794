//! Reads a question together with each text that may answer it.
//!
//! No such model ships with Coterie: who has one puts its files into a folder.

use crate::Error;
use crate::embedder::{ModelFiles, read, runtime, tokenizer};
use fastembed::{RerankInitOptionsUserDefined, TextRerank, UserDefinedRerankingModel};

/// A cross-encoder as those of sentence-transformers are exported: `model.onnx`
/// takes both texts as one and gives `logits`.
pub struct CrossEncoder {
    model: TextRerank,
}

/// More of a text is not read. Most of these models take no more.
const MOST_TOKENS: usize = 512;
/// Texts of one call; a longer batch runs no faster, and holds more memory.
const BATCH: usize = 8;

impl CrossEncoder {
    /// Loads the model. `threads` is how many cores one call may use.
    pub fn load(files: &ModelFiles, threads: usize) -> Result<CrossEncoder, Error> {
        let fault = |why: String| Error::Reranker { folder: files.folder.clone(), why };
        let runtime = runtime(&files.runtime).map_err(|error| fault(error.to_string()))?;
        let tokenizer = tokenizer(&files.folder).map_err(fault)?;
        let weights = read(&files.folder.join("model.onnx")).map_err(fault)?;
        let options = RerankInitOptionsUserDefined::new()
            .with_environment(runtime)
            .with_intra_threads(threads)
            .with_max_length(MOST_TOKENS);
        let model = UserDefinedRerankingModel::new(weights, tokenizer);
        let model = TextRerank::try_new_from_user_defined(model, options)
            .map_err(|error| fault(error.to_string()))?;
        Ok(CrossEncoder { model })
    }

    /// How well each of the texts answers the question, in order. Higher is better.
    pub fn scores(&mut self, question: &str, texts: &[&str]) -> Result<Vec<f32>, Error> {
        let ranked = self
            .model
            .rerank(question, texts, false, Some(BATCH))
            .map_err(|error| Error::Rerank(error.to_string()))?;
        let mut scores = vec![f32::NEG_INFINITY; texts.len()];
        for one in ranked {
            scores[one.index] = one.score;
        }
        // What is no number is no opinion.
        match scores.iter().all(|score| score.is_finite()) {
            true => Ok(scores),
            false => Err(Error::Rerank("it gave what is no number".into())),
        }
    }
}
