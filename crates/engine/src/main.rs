//! `coterie-engine`: one local model, spoken to in JSON lines on stdin and
//! stdout (`domain::engine` is the language).
//!
//! A process of its own because llama.cpp answers some mistakes by aborting:
//! the parent sees a process end and starts another. Logs go to stderr. It
//! ends when stdin does, also in the middle of an answer, so it never outlives
//! its parent. (A parent-death signal would do the same, but Linux ties it to
//! the parent's *thread*, and an async parent's threads come and go.)

// From the outside in: lines, one ask after the other, one answer …
mod answer;
mod line;
mod open;
mod serve;
// … a model in memory and what it holds …
mod bounded;
mod fault;
mod gguf;
mod look;
mod memory;
mod model;
mod pdf;
mod session;
// … from messages to tokens and back to text …
mod calls;
mod chat;
mod gate;
mod prompt;
mod sampling;
mod stops;
mod told;
mod utf8;
// … and how many threads to use for it.
mod busy;
mod crew;
mod threads;

use std::io;

use tracing::level_filters::LevelFilter;

fn main() -> io::Result<()> {
    tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_max_level(LevelFilter::WARN)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .init();
    match std::env::args().nth(1).as_deref() {
        Some("look") => return look::look(io::stdin(), io::stdout()),
        Some("pdf") => return pdf::read(io::stdin(), io::stdout()),
        Some(_) | None => {}
    }
    llama_cpp_2::send_logs_to_tracing(llama_cpp_2::LogOptions::default());

    let open = open::Open::new();
    let out = line::Out::new(io::stdout());
    let jobs = line::read_on_a_thread(io::stdin(), &open, &out);
    serve::serve(&jobs, &open, &out);
    Ok(())
}
