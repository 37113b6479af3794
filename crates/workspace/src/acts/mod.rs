//! Tools that act on the workspace itself.

mod delegate;

pub(crate) use delegate::Delegate;
