//! Stories about the real window: the program that people install, on a screen
//! of its own, moved by keys and pointer through WebKitWebDriver.
//!
//! Rules are told about elsewhere; here it has to work for somebody who looks
//! and clicks. Each story has a machine, a workspace and a window of its own,
//! and leaves pictures in `artifacts/screenshots`.

mod driver;
mod icon;
mod machine;
mod screen;
mod seed;
mod until;
mod window;

mod accessible;
mod approvals;
mod attachments;
mod backups;
mod branches;
mod conversation;
mod dragging;
mod drawing;
mod feed;
mod first_start;
mod fleet;
mod folding;
mod groups;
mod keys;
mod links;
mod looks;
mod manners;
mod memory;
mod messages;
mod models;
mod notices;
mod package;
mod policies;
mod programs;
mod questions;
mod queue;
mod reading;
mod running;
mod schedules;
mod searching;
mod servers;
mod sharing;
mod shortcuts;
mod skills;
mod souls;
mod trouble;
