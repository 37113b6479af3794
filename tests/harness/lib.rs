//! A whole workspace on a temporary folder, with a scripted model and a clock
//! that only moves when a test moves it.
//!
//! ```ignore
//! let mut stage = harness::stage().agents(&["ada", "bo"]).model(says("yes")).open().await;
//! let group = stage.group(&["ada", "bo"], TurnPolicy::Broadcast).await;
//! stage.say(&group, "tea?").await;
//! assert_eq!(stage.transcript(&group).await, ["you: tea?", "ada: yes", "bo: yes"]);
//! ```

mod alone;
mod beside;
mod clock;
mod connected;
mod dice;
mod dying;
pub mod fake_server;
mod gguf_file;
mod left;
pub mod mcp_server;
mod script;
mod stage;
mod tool;

pub use alone::{Serves, bundled_embedding, bundled_places, open_alone, open_embedding, serves};
pub use beside::{engine, keeper};
pub use clock::TestClock;
pub use connected::{connected, connected_as, connected_in};
pub use dice::{Dice, number};
pub use dying::die_at;
pub use gguf_file::gguf_file;
pub use left::{found_by, in_files};
pub use script::{fails, says, says_nothing, speaker, thought};
pub use stage::{Setting, Stage, stage};
pub use tool::{Counter, tool_spec};
