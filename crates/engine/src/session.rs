//! One conversation's worth of memory (the KV cache) over a loaded model, and
//! what stands in it.
//!
//! A prompt that begins like the last one is not read again from the start.
//! Prompts are read in small batches, sized so that a cancel between two of
//! them is felt within a moment.

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use domain::engine::Fault;
use llama_cpp_2::LlamaStateSeqFlags;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;

use crate::crew::Crew;
use crate::fault::{Result, failure};
use crate::memory;

/// Tokens in one call at most; llama.cpp gains nothing from more on a CPU.
const LARGEST_BATCH: usize = 512;
/// Below this, weights are fetched again for too few tokens.
const SMALLEST_BATCH: usize = 8;
/// What one batch should take, so that a cancel is heard within 100 ms. (Twice
/// as long would read about a tenth faster.)
const BATCH_TIME: Duration = Duration::from_millis(80);

/// The one sequence in the cache.
const SEQUENCE: i32 = 0;

pub(crate) struct Session<'m> {
    backend: &'m LlamaBackend,
    model: &'m LlamaModel,
    context: LlamaContext<'m>,
    /// The tokens in the cache, in order.
    held: Vec<LlamaToken>,
    size: u32,
    crew: Crew,
    threads: u32,
    batch: usize,
}

impl<'m> Session<'m> {
    pub(crate) fn new(
        backend: &'m LlamaBackend,
        model: &'m LlamaModel,
        context: Option<u32>,
        threads: Option<u32>,
    ) -> Result<Self> {
        let trained = model.n_ctx_train().max(1);
        let size = context.unwrap_or(trained).clamp(1, trained);
        memory::check(cache_bytes(model, size), &format!("hold {size} tokens"))?;
        let crew = Crew::new(threads);
        let threads = crew.now();
        let context = open_context(backend, model, size, threads)?;
        let size = context.n_ctx().min(trained);
        Ok(Self { backend, model, context, held: Vec::new(), size, crew, threads, batch: 32 })
    }

    pub(crate) fn model(&self) -> &'m LlamaModel {
        self.model
    }

    pub(crate) fn context(&self) -> &LlamaContext<'m> {
        &self.context
    }

    /// Tokens that fit, prompt and answer together.
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    /// Whether a token after the held ones is the last that the window has room for.
    pub(crate) fn is_full(&self) -> bool {
        self.held.len() as u32 + 1 >= self.size
    }

    pub(crate) fn threads(&self) -> u32 {
        self.threads
    }

    /// Keeps what the cache shares with `prompt` and forgets the rest. Gives
    /// the number of prompt tokens that need no reading.
    pub(crate) fn keep(&mut self, prompt: &[LlamaToken]) -> usize {
        // The last one is always read again: it is what the first answer token follows from.
        let limit = prompt.len().saturating_sub(1);
        let shared = self
            .held
            .iter()
            .zip(&prompt[..limit])
            .take_while(|(held, wanted)| held == wanted)
            .count();
        if shared == self.held.len() {
            return shared;
        }
        let forgotten =
            self.context.clear_kv_cache_seq(Some(SEQUENCE as u32), Some(shared as u32), None);
        // Some architectures can only forget everything.
        if forgotten != Ok(true) {
            self.forget_all();
            return 0;
        }
        self.held.truncate(shared);
        shared
    }

    /// Reads the prompt from token `from` on. `go_on` hears how many tokens
    /// are read after every batch; false stops, and then this gives false.
    pub(crate) fn read(
        &mut self,
        prompt: &[LlamaToken],
        from: usize,
        mut go_on: impl FnMut(usize) -> bool,
    ) -> Result<bool> {
        let threads = self.crew.before();
        self.use_threads(threads);
        let mut read = from;
        while read < prompt.len() {
            if !go_on(read) {
                return Ok(false);
            }
            let end = prompt.len().min(read + self.batch);
            let begun = Instant::now();
            self.decode(&prompt[read..end], end == prompt.len())?;
            // The odd rest at the end says nothing about speed.
            if end - read == self.batch {
                self.batch = next_batch(self.batch, begun.elapsed());
            }
            read = end;
            self.look_around();
        }
        Ok(true)
    }

    /// Adds one token of the answer.
    pub(crate) fn append(&mut self, token: LlamaToken) -> Result<()> {
        self.look_around();
        self.decode(&[token], true)
    }

    fn decode(&mut self, tokens: &[LlamaToken], wants_logits: bool) -> Result<()> {
        let mut batch = LlamaBatch::new(tokens.len(), 1);
        for (offset, &token) in tokens.iter().enumerate() {
            let position = (self.held.len() + offset) as i32;
            let logits = wants_logits && offset + 1 == tokens.len();
            batch
                .add(token, position, &[SEQUENCE], logits)
                .expect("the batch was made for this many");
        }
        if let Err(error) = self.context.decode(&mut batch) {
            // What the cache holds now is anybody's guess.
            self.forget_all();
            return Err(failure(Fault::Internal, format!("read {} tokens: {error}", tokens.len())));
        }
        self.held.extend_from_slice(tokens);
        Ok(())
    }

    fn forget_all(&mut self) {
        self.context.clear_kv_cache();
        self.held.clear();
    }

    fn look_around(&mut self) {
        let threads = self.crew.during();
        self.use_threads(threads);
    }

    /// The binding fixes a context's threads when it is made. So this makes
    /// another one and carries the cache over, which costs a copy and saves
    /// reading it all again. When that fails, the old number stays.
    fn use_threads(&mut self, threads: u32) {
        if threads == self.threads {
            return;
        }
        match self.with_threads(threads) {
            Ok(context) => {
                self.context = context;
                self.threads = threads;
            }
            Err(why) => tracing::warn!("stay at {} threads: {}", self.threads, why.message),
        }
    }

    fn with_threads(&self, threads: u32) -> Result<LlamaContext<'m>> {
        // For a moment there are three: the old one, the copy and the new one.
        memory::check(2 * cache_bytes(self.model, self.size), "change the number of threads")?;
        let mut context = open_context(self.backend, self.model, self.size, threads)?;
        if !self.held.is_empty() {
            let flags = LlamaStateSeqFlags::empty();
            let copy = self.context.state_seq_get(SEQUENCE, flags);
            copy.and_then(|copy| context.state_seq_set(&copy, SEQUENCE))
                .map_err(|error| failure(Fault::Internal, format!("copy the cache: {error}")))?;
        }
        Ok(context)
    }
}

fn open_context<'m>(
    backend: &LlamaBackend,
    model: &'m LlamaModel,
    size: u32,
    threads: u32,
) -> Result<LlamaContext<'m>> {
    let params = LlamaContextParams::default()
        .with_n_ctx(NonZeroU32::new(size))
        .with_n_batch(LARGEST_BATCH as u32)
        .with_n_ubatch(LARGEST_BATCH as u32)
        .with_n_threads(threads as i32)
        .with_n_threads_batch(threads as i32)
        .with_no_perf(true);
    model.new_context(backend, params).map_err(|_| {
        failure(Fault::OutOfMemory, format!("hold {size} tokens: llama.cpp got no memory for them"))
    })
}

/// What the cache takes: a key and a value of 16 bits each, per layer, head and token.
fn cache_bytes(model: &LlamaModel, size: u32) -> u64 {
    let per_head = model.n_embd().max(0) as u64 / u64::from(model.n_head().max(1));
    u64::from(size) * u64::from(model.n_layer()) * u64::from(model.n_head_kv()) * per_head * 2 * 2
}

/// Towards `BATCH_TIME`, at most doubling, since one slow batch may be chance.
fn next_batch(batch: usize, took: Duration) -> usize {
    let fitting = batch as f64 * BATCH_TIME.as_secs_f64() / took.as_secs_f64().max(1e-6);
    (fitting as usize).clamp(batch / 2, batch * 2).clamp(SMALLEST_BATCH, LARGEST_BATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_grows_and_shrinks_towards_the_time_it_should_take() {
        for (batch, took_ms, expected) in [
            (32, 80, 32),
            (32, 160, 16),
            (32, 8000, 16),
            (32, 60, 42),
            (32, 1, 64),
            (512, 1, 512),
            (8, 900, 8),
        ] {
            assert_eq!(
                next_batch(batch, Duration::from_millis(took_ms)),
                expected,
                "{batch} in {took_ms} ms"
            );
        }
    }

    /// The starter model, where the checkout has it.
    fn starter_model() -> Option<std::path::PathBuf> {
        let models = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
        let files = std::fs::read_dir(models).into_iter().flatten().flatten();
        files.map(|file| file.path()).find(|path| {
            path.to_string_lossy().ends_with(".gguf") && path.to_string_lossy().contains("SmolLM2")
        })
    }

    #[test]
    fn changing_the_number_of_threads_loses_nothing() {
        let Some(path) = starter_model() else {
            eprintln!("SKIPPED for want of assets: no model in assets/models");
            return;
        };
        let backend = LlamaBackend::init().unwrap();
        let model = LlamaModel::load_from_file(&backend, path, &Default::default()).unwrap();
        let prompt = model.vocab().tokenize(b"The quick brown fox jumps over the", true, false);
        let write = |changes: &[u32]| {
            let mut session = Session::new(&backend, &model, Some(256), Some(1)).unwrap();
            assert!(session.read(&prompt, 0, |_| true).unwrap());
            let mut tokens = Vec::new();
            for threads in changes {
                let token = session.context().token_data_array().sample_token_greedy();
                tokens.push(token);
                session.use_threads(*threads);
                assert_eq!(session.threads(), *threads);
                session.decode(&[token], true).unwrap();
            }
            (tokens, session.held.len())
        };
        assert_eq!(write(&[1, 2, 2, 1, 2, 1, 1, 1]), write(&[1; 8]));
    }
}
