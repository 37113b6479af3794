//! Models: one request in, a stream of deltas out.
//!
//! Failure is the last delta and never a second channel; dropping the stream
//! cancels the call. One folder per provider; what those that are reached over
//! HTTP share is in `http`. Nothing here knows an agent, a group or a database,
//! and nothing retries: whoever calls decides that. Only a form of answer that a
//! model refuses is left for a plainer one at once (`form`), and so is a field of
//! the question (`openai::untaken`).

mod accepted;
pub mod anthropic;
mod called;
mod chats;
pub mod discover;
mod fault;
mod form;
pub mod gemini;
pub mod history;
pub mod http;
mod kept;
pub mod local;
mod model;
pub mod ollama;
pub mod openai;
mod presets;
mod prices;
pub mod scripted;
mod thoughts;
mod vectors;
mod windows;

pub use called::{Called, Calls};
pub use fault::{ModelFault, Trouble};
pub use model::{
    Delta, Finish, Grammar, Image, ImageKind, Model, ModelRequest, Role, ToolCallDelta, Turn,
};
pub use presets::presets;
pub use prices::known_prices;
pub use vectors::{Prefixes, Purpose, Texts, Vectors};
pub use windows::known_window;
