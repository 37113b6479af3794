//! Does what the lines ask, one after the other: hold this model, answer that.

use std::sync::mpsc::Receiver;
use std::time::Instant;

use domain::engine::{Fault, Generate, Load, Loaded, Tell};
use llama_cpp_2::llama_backend::LlamaBackend;

use crate::answer::answer;
use crate::chat::Chat;
use crate::fault::{Failure, Result, failure};
use crate::line::{Job, Out};
use crate::model;
use crate::open::Open;
use crate::session::Session;

/// Comes back when there is nothing more to read.
pub(crate) fn serve(jobs: &Receiver<Job>, open: &Open, out: &Out) {
    let backend = LlamaBackend::init().expect("this is the only place that does so");
    let mut next = wait_for_load(jobs, open, out);
    while let Some(load) = next {
        next = match hold(&backend, &load, jobs, open, out) {
            Ok(another) => another,
            Err(why) => {
                fail(None, why, out);
                wait_for_load(jobs, open, out)
            }
        };
    }
}

/// Answers with that model until another one is asked for, and gives that.
fn hold(
    backend: &LlamaBackend,
    load: &Load,
    jobs: &Receiver<Job>,
    open: &Open,
    out: &Out,
) -> Result<Option<Load>> {
    let begun = Instant::now();
    let model = model::load(backend, load, open)?;
    let mut session = Session::new(backend, &model, load.context, load.threads)?;
    let chat = Chat::of(&model, load.words);
    out.tell(&Tell::Loaded(Loaded {
        model: model::name(&model, load),
        context: session.size(),
        size_bytes: model.size(),
        load_ms: begun.elapsed().as_millis() as u64,
        calls: chat.form().clone(),
        template_wrong: chat.wrong().map(str::to_owned),
    }));
    while let Some(job) = next(jobs, open) {
        match job {
            Job::Load(another) => return Ok(Some(another)),
            Job::Generate(generate) => {
                let answered = answer(&mut session, &chat, &generate, open, out);
                close(&generate, answered.map(Tell::Done), open, out);
            }
        }
    }
    Ok(None)
}

fn wait_for_load(jobs: &Receiver<Job>, open: &Open, out: &Out) -> Option<Load> {
    while let Some(job) = next(jobs, open) {
        match job {
            Job::Load(load) => return Some(load),
            Job::Generate(generate) => {
                close(
                    &generate,
                    Err(failure(Fault::NoModel, "answer: no model is loaded")),
                    open,
                    out,
                );
            }
        }
    }
    None
}

fn next(jobs: &Receiver<Job>, open: &Open) -> Option<Job> {
    jobs.recv().ok().filter(|_| !open.is_ending())
}

fn close(generate: &Generate, answered: Result<Tell>, open: &Open, out: &Out) {
    // Closed first: whoever reads the answer may use the id's last word as a sign that it is free.
    open.close(generate.id);
    match answered {
        Ok(done) => out.tell(&done),
        Err(why) => fail(Some(generate.id), why, out),
    }
}

fn fail(id: Option<u64>, why: Failure, out: &Out) {
    out.tell(&Tell::Failed { id, fault: why.fault, message: why.message });
}
