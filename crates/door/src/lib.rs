//! The one way in: to a workspace in this process, or over its owner's socket.
//!
//! [`Door::open`] takes the workspace's lock and opens it, or finds that
//! another process has it and talks to that one. Whoever holds a [`Door`] need
//! not know which, and takes the workspace over when that process ends. `lock`
//! says who owns, `owner` serves the socket, `remote` calls it, `framing` cuts
//! the bytes into lines. [`places`] finds the folders before any of this, from
//! what a binary read out of its environment.

pub mod places;

mod door;
mod local;
mod remote;

mod lock;
mod owner;

mod fault;
mod framing;
mod socket;

#[cfg(test)]
mod socket_stories;
#[cfg(test)]
mod takeover_stories;

pub use door::{Door, forget_restore_unopened, owner, restore_unopened};
pub use lock::Owner;
pub use workspace::skills::{CheckedSkill, check_folder as check_skill};
pub use workspace::souls::{Checked, check_bytes as check_soul};
pub use workspace::{
    Durability, Environment, KeyParts, Parts, Places, Redactor, Start, leave_no_image,
};
