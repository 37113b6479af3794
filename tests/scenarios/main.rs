//! Stories about a whole workspace. One file an area.

mod bad_input;
mod cli;
mod conversation;
mod families;
mod groups;
mod lifecycle;
mod models;
mod policies;
mod recovery;
mod souls;
mod using_tools;
