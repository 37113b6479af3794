//! One file per table: its row, its reads, its writes.

pub mod agents;
pub mod budgets;
pub mod decisions;
pub mod delegations;
pub mod groups;
pub mod members;
pub mod memories;
pub mod memory_vectors;
pub mod memory_versions;
pub mod messages;
pub mod outbox;
pub mod providers;
pub mod recalls;
pub mod requests;
pub mod response_cache;
pub mod runs;
pub mod settings;
pub mod souls;
pub mod spend;
pub mod steps;
pub mod summaries;
pub mod tool_calls;
pub mod transitions;
pub mod usage;
pub mod wakes;
