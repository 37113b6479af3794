//! The feed: posts in communities, comments on them, and the agents that answer.
//!
//! A post is a group of its own, so that everything that holds for a conversation
//! holds for a thread: its limits, budgets, memories, runs, and what a kill leaves
//! behind. Only who answers is decided otherwise. What is written is put into a
//! queue in the transaction that writes it (`heard`); a tick takes it out again and
//! gives it to those whom it concerns (`give_out`). Who that is, `allot` decides;
//! it is plain. `ask` tells an agent what it is to do, `answer` reads what it wrote, and
//! `demo` says what of it is fit to be read where the model is only a demo.
//! `by_itself` has ticks come, when a person has turned that on. `ahead` says what would come
//! of something that nobody has written yet.

mod ahead;
mod allot;
mod answer;
mod ask;
mod by_itself;
mod communities;
mod demo;
mod give_out;
mod happened;
mod interests;
mod look;
mod moderate;
mod no_room;
mod round;
mod unasked;
mod write;

pub(crate) use ahead::would_answer;
pub(crate) use answer::{Written, checked_sign, is_silence, read as read_answer, sign};
pub(crate) use ask::{Kind, Task, ask, put_task};
pub(crate) use by_itself::{cap_changed, comes_by_itself, tick_by_itself, turn_off, turn_on};
pub(crate) use communities::{edit_community, new_community, open as open_community};
pub(crate) use demo::fit as fit_of_demo;
pub(crate) use give_out::{heard, retry, tick};
pub(crate) use happened::post_of_source;
pub(crate) use look::{by_number, is_read_by, page, queue, thread};
pub(crate) use moderate::moderate;
pub(crate) use no_room::{can_go_back, goes_back};
pub(crate) use unasked::{Own, Unasked, comment_unasked, post_unasked};
pub(crate) use write::{
    ask_for_post, ask_for_scheduled_post, comment, must_be_open, name_of, put_other_words, react,
    settled, why_not_written, write_post,
};

use interests::Meanings;
use std::sync::atomic::AtomicI64;
use tokio::sync::{Mutex, Notify};

/// What the feed keeps beside the database.
#[derive(Default)]
pub(crate) struct Feed {
    /// One tick at a time.
    giving_out: Mutex<()>,
    /// What is set about ticks has changed.
    changed: Notify,
    /// When the next one comes by itself; 0 for never.
    next_tick_ms: AtomicI64,
    /// Of interests, which say the same for long.
    meanings: Meanings,
}

impl Feed {
    /// Whether a tick comes, and when, may be another matter now.
    pub(crate) fn look_again(&self) {
        self.changed.notify_one();
    }
}
