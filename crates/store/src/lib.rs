//! SQLite, the truth. The only SQL of the project lives here.
//!
//! One thread owns the write connection and commits in groups (`writer`);
//! readers use short-lived turns on a few read connections (`readers`). What a
//! transaction saves is handed to `on_commit` after the commit, in the order
//! of the commits: durable before visible.
//!
//! One file per table under `table`: its row, its reads, its writes. Rules
//! about who may do what are not here; `workspace` composes these functions
//! inside one transaction.

mod backup;
mod error;
mod log;
mod migrations;
mod place;
mod readers;
mod store;
pub mod table;
mod value;
mod writer;

pub use error::StoreError;
pub use readers::Read;
pub use store::{Opened, Store, check_copy, schema};
pub use writer::{Durability, Write};
