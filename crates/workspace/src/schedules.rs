//! Schedules: what agents are given at set times, with nobody there to say it.
//!
//! `said` reads a sentence, `ahead` tells which times follow from it: both are plain.
//! `change` is what a person does about schedules, `look` what they see of them.
//! `of_souls` keeps those in step that souls say.
//! `by_themselves` waits for the next time; `give` gives what is due, or writes down
//! why not, in one transaction with the next time. So a kill leaves a time to come or
//! done, and nothing is given twice.
//!
//! What comes of it counts on what agents may use by themselves in a day.

mod ahead;
mod by_themselves;
mod change;
mod give;
mod look;
mod of_souls;
mod said;
mod work;

pub(crate) use by_themselves::keep_to_times;
pub(crate) use change::{By, edit, new, pause, remove};
pub(crate) use give::run_now;
pub(crate) use look::{all, read_times};
pub(crate) use work::{ask, ask_for_digest, happens_by_itself};

use tokio::sync::Notify;

/// What is kept of schedules beside the database.
#[derive(Default)]
pub(crate) struct Schedules {
    /// One of them is new or another, or everybody goes on.
    pub changed: Notify,
}
