//! One run of one agent: ask the model, listen, and say what came of it.
//!
//! Knows no database, no group and no screen. What it is to think about
//! arrives as a [`Brief`]; what happens on the way goes to a [`Journal`]; what
//! came of it is a [`Said`]. Waiting and deciding are apart: `run` waits,
//! `speech` decides what of a model's words is the agent's own.

mod run;
mod speech;

pub use run::{Brief, Ended, Journal, Said, run};
pub use speech::Speech;
