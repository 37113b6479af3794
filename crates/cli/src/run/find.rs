//! Finding a run by a part of its id.
//!
//! An id begins with the time: runs of the same minute begin alike. Its end is
//! left to chance, so that is what lists show of it. Both ends are understood.

use crate::names::Names;
use crate::session::{Session, answered};
use crate::words;
use domain::{Fault, Query, Run, RunFilter, RunId};

/// Runs asked for at a time while looking for one.
const PAGE: u32 = 200;

/// How much of an id is no slip of the finger.
const LEAST_OF_ID: usize = 4;

/// The last group of an id's digits. Among a million runs two will hardly ever
/// share it.
const SHOWN: usize = 12;

/// More than this many runs are not told one by one.
const MOST_TOLD: usize = 5;

/// What to call a run in a list of these.
pub(super) fn shorter(runs: &[Run]) -> impl Fn(&Run) -> String {
    let mut ends: Vec<String> = runs.iter().map(|run| end_of(run.id)).collect();
    ends.sort_unstable();
    let is_enough = ends.windows(2).all(|pair| pair[0] != pair[1]);
    move |run| if is_enough { end_of(run.id) } else { run.id.to_string() }
}

fn end_of(id: RunId) -> String {
    let id = id.to_string();
    id[id.len() - SHOWN..].to_owned()
}

/// A run by its id, or by a beginning or an end of it that no other run has.
pub(super) async fn find(session: &Session, wanted: &str) -> Result<RunId, Fault> {
    if let Ok(id) = wanted.parse() {
        return Ok(id);
    }
    let unknown =
        || Fault::not_found(format!("there is no run {wanted}"), "coterie run list shows them");
    let part = wanted.to_lowercase();
    if !part.chars().all(|c| c.is_ascii_hexdigit() || c == '-') {
        return Err(unknown());
    }
    if part.chars().count() < LEAST_OF_ID {
        return Err(Fault::bad_input(
            format!("{wanted:?} is too little of a run's id"),
            format!("give {LEAST_OF_ID} characters of it at least; coterie run list shows enough"),
        ));
    }
    let mut found = Vec::new();
    let mut before = None;
    loop {
        let query = Query::Runs { filter: RunFilter::default(), before, limit: PAGE };
        let page = answered!(session.ask(query).await?, Runs)?;
        before = page.iter().map(|run| run.seq).min();
        if before.is_none() {
            break;
        }
        found.extend(page.into_iter().filter(|run| fits(run.id, &part)));
    }
    match found.as_slice() {
        [] => Err(unknown()),
        [run] => Ok(run.id),
        several => Err(ambiguous(wanted, several, &session.names().await?)),
    }
}

/// With or without the dashes.
fn fits(id: RunId, part: &str) -> bool {
    let fits = |id: &str, part: &str| id.starts_with(part) || id.ends_with(part);
    let bare = |text: &str| text.replace('-', "");
    let id = id.to_string();
    fits(&id, part) || (!part.contains('-') && fits(&bare(&id), part))
}

/// Newest first.
fn ambiguous(wanted: &str, found: &[Run], names: &Names) -> Fault {
    let told: Vec<String> = found
        .iter()
        .take(MOST_TOLD)
        .map(|run| {
            let began = words::ago(run.started_ms);
            format!("{} ({}, {began})", run.id, names.agent_name(run.agent))
        })
        .collect();
    let more = match found.len().saturating_sub(MOST_TOLD) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    Fault::bad_input(
        format!("{wanted} stands for {} runs: {}{more}", found.len(), told.join(", ")),
        "give more of the id of the one you mean",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> RunId {
        text.parse().unwrap()
    }

    #[test]
    fn an_id_is_known_by_either_end_with_or_without_dashes() {
        let run = id("019ab123-4567-7abc-8def-0123456789ab");
        for part in
            ["019a", "019ab123-4", "019ab1234567", "89ab", "0123456789ab", "8def-0123456789ab"]
        {
            assert!(fits(run, part), "{part}");
        }
        for part in ["b123", "019b", "019ab123-45677", "7abc"] {
            assert!(!fits(run, part), "{part}");
        }
    }
}
