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

pub(crate) use check::{MOST_STEPS, checked};
pub(crate) use fill::Results;
pub(crate) use order::Progress;
pub(crate) use read::{Unread, read};
pub(crate) use unsaid::leave_unsaid;
