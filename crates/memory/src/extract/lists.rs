//! Takes apart what is said of several things in one list: `I'm allergic to nuts, eggs and milk`.
//!
//! Each of them is one statement, so that who takes one of them back takes back that one. An *and*
//! may as well stand inside what is one thing, *mac and cheese*: what may be one stays one, since
//! a list that was not seen is only compared less, and what was torn says what nobody said.

mod chinese;
mod english;
mod fixed;

/// The same said of each thing by itself; `None` where it is said of one, or may be.
pub(super) fn each(clause: &str) -> Option<Vec<String>> {
    let each = chinese::each(clause).or_else(|| english::each(clause))?;
    let mut told: Vec<String> = each.iter().map(|one| one.to_lowercase()).collect();
    told.sort_unstable();
    told.dedup();
    (told.len() > 1 && told.len() == each.len()).then_some(each)
}
