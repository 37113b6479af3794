//! Our client with servers that we did not write, with servers that behave
//! badly, and under the official conformance suite.
#![expect(clippy::unwrap_used, reason = "a test ends where something it relies on fails")]

mod conformance;
mod fakes;
mod gone;
mod guarded;
mod parts;
mod real;
mod servers;
mod signing_in;
mod unanswered;
mod web;
