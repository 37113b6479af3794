//! The vectors of texts, and those nearest to a query's.
//!
//! All vectors stand in `flat`, as half-precision numbers in one mapped file.
//! A few thousand are compared one by one, which is exact. Where there are
//! more, `graph` proposes the likely ones and their own numbers decide.

mod flat;
mod graph;

pub use flat::points;
pub(crate) use flat::{Flat, Place};
pub(crate) use graph::Graph;

#[cfg(test)]
mod tests;
