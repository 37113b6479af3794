//! Writes one answer.

use std::time::{Duration, Instant};

use domain::engine::{Done, Fault, Finish, Generate, Tell};
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;

use crate::chat::Chat;
use crate::fault::{Result, failure};
use crate::line::Out;
use crate::open::Open;
use crate::prompt::{self, Prompt};
use crate::sampling::Sampler;
use crate::session::Session;
use crate::stops::{Passed, Stops};
use crate::utf8::Utf8;

const PROGRESS_EVERY: Duration = Duration::from_secs(1);

pub(crate) fn answer(
    session: &mut Session<'_>,
    chat: &Chat,
    ask: &Generate,
    open: &Open,
    out: &Out,
) -> Result<Done> {
    let mut done = Done {
        id: ask.id,
        finish: Finish::Cancelled,
        prompt_tokens: 0,
        cached_tokens: 0,
        generated_tokens: 0,
        prompt_ms: 0,
        generate_ms: 0,
        threads: session.threads(),
    };
    if open.is_cancelled(ask.id) {
        return Ok(done);
    }
    let begun = Instant::now();
    let Prompt { tokens: prompt, thinks } = prompt::read(session.model(), chat, ask)?;
    let (prompt_tokens, context) = (prompt.len() as u32, session.size());
    if prompt_tokens >= context {
        return Err(failure(
            Fault::ContextTooLong { prompt_tokens, context },
            format!(
                "read the prompt: it has {prompt_tokens} tokens, the model takes {context} with its answer"
            ),
        ));
    }
    let mut sampler = Sampler::new(session.model(), ask, chat.form())?;
    let shown = shown(session.model(), chat, ask);

    let cached = session.keep(&prompt);
    done.prompt_tokens = prompt_tokens;
    done.cached_tokens = cached as u32;
    let mut told = Instant::now();
    let read = session.read(&prompt, cached, |read_tokens| {
        if told.elapsed() >= PROGRESS_EVERY {
            told = Instant::now();
            out.tell(&Tell::Progress {
                id: ask.id,
                read_tokens: read_tokens as u32,
                prompt_tokens,
            });
        }
        !open.is_cancelled(ask.id)
    })?;
    done.prompt_ms = begun.elapsed().as_millis() as u64;

    if read {
        let begun = Instant::now();
        // Whoever reads the answer sees where its thought begins. An answer that
        // must match a grammar leaves no room for one.
        if thinks && ask.grammar.is_none() {
            say(ask.id, prompt::THOUGHT.to_owned(), out);
        }
        (done.finish, done.generated_tokens) =
            write(session, &mut sampler, &shown, ask, open, out)?;
        done.generate_ms = begun.elapsed().as_millis() as u64;
    }
    done.threads = session.threads();
    Ok(done)
}

/// How it ended, and how many tokens it took.
fn write(
    session: &mut Session<'_>,
    sampler: &mut Sampler<'_>,
    shown: &[LlamaToken],
    ask: &Generate,
    open: &Open,
    out: &Out,
) -> Result<(Finish, u32)> {
    let vocab = session.model().vocab();
    let mut utf8 = Utf8::default();
    let mut stops = Stops::new(&ask.stop);
    let mut written = 0;
    let finish = loop {
        if open.is_cancelled(ask.id) {
            return Ok((Finish::Cancelled, written));
        }
        if written >= ask.max_tokens {
            break Finish::Length;
        }
        let token = sampler.next(session.context())?;
        if vocab.is_eog(token) {
            break Finish::Stop;
        }
        written += 1;
        match stops.push(&utf8.push(&vocab.token_to_piece(token, shown.contains(&token), None))) {
            Passed::On(text) => say(ask.id, text, out),
            Passed::Stopped(text) => {
                say(ask.id, text, out);
                return Ok((Finish::Stop, written));
            }
        }
        if session.is_full() {
            break Finish::Length;
        }
        session.append(token)?;
    };
    say(ask.id, stops.finish(), out);
    Ok((finish, written))
}

/// The tokens that are shown although they are none of the text: the marks of a
/// call, where one may come.
fn shown(model: &LlamaModel, chat: &Chat, ask: &Generate) -> Vec<LlamaToken> {
    if ask.tools.is_empty() || ask.grammar.is_some() {
        return Vec::new();
    }
    let (vocab, form) = (model.vocab(), chat.form());
    [&form.trigger, &form.rest, &form.between]
        .into_iter()
        .flat_map(|mark| vocab.tokenize(mark.as_bytes(), false, true))
        .filter(|token| vocab.is_control(*token))
        .collect()
}

fn say(id: u64, text: String, out: &Out) {
    if !text.is_empty() {
        out.tell(&Tell::Piece { id, text });
    }
}
