//! Tools that act on the workspace itself.

mod children;
mod delegate;

pub(crate) use children::{
    child_of, end_orphans, end_those_without_a_call, full, resume_below, working_below,
};
pub(crate) use delegate::Delegate;
