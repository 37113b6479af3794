//! Models: one request in, a stream of deltas out.
//!
//! Failure is the last delta and never a second channel; dropping the stream
//! cancels the call. One file per provider. Nothing here knows an agent, a
//! group or a database, and nothing retries: whoever calls decides that.

mod called;
pub mod discover;
mod fault;
pub mod history;
pub mod local;
mod model;
pub mod openai;
pub mod scripted;

pub use called::{Called, Calls};
pub use fault::{ModelFault, Trouble};
pub use model::{Delta, Finish, Grammar, Model, ModelRequest, Role, ToolCallDelta, Turn};
