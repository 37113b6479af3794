//! Recorded answers of every provider, read from bytes alone: how the bytes are
//! cut must never matter, and no bytes may cause a panic or an answer without
//! exactly one end.

#[path = "../../../../tests/harness/random.rs"]
mod random;

mod anthropic;
mod damage;
mod fragments;
mod frames;
mod gemini;
mod ollama;
mod openai;
mod told;
