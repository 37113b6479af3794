//! Plans as data: found in a model's text, checked, put in order. Nothing here
//! waits or does anything.

pub(crate) mod check;
pub(crate) mod fill;
pub(crate) mod loose;
pub(crate) mod order;
pub(crate) mod read;
pub(crate) mod unsaid;

#[cfg(test)]
mod tests;

/// The JSON value that a text begins with, as models write it, and how many bytes it
/// takes; `None` where it begins with none, or breaks off in the middle.
pub fn loose_json(text: &str) -> Option<(serde_json::Value, usize)> {
    loose::value(text).ok()
}

pub(crate) use check::{MOST_STEPS, checked};
pub(crate) use fill::Results;
pub(crate) use order::Progress;
pub(crate) use read::{Unread, is_nothing_else, read};
pub(crate) use unsaid::leave_unsaid;
