//! Finding a run by a part of its id.

use crate::names::Names;
use crate::session::{Session, answered};
use crate::{ids, words};
use domain::{Fault, Query, Run, RunFilter, RunId};

/// Runs asked for at a time while looking for one.
const PAGE: u32 = 200;

const LIST: &str = "coterie run list";

/// What to call a run in a list of these.
pub(super) fn shorter(runs: &[Run]) -> impl Fn(&Run) -> String {
    let shorter = ids::shorter(runs.iter().map(|run| run.id));
    move |run| shorter(run.id)
}

/// A run by its id, or by a beginning or an end of it that no other run has.
pub(super) async fn find(session: &Session, wanted: &str) -> Result<RunId, Fault> {
    if let Ok(id) = wanted.parse() {
        return Ok(id);
    }
    let part = ids::part("run", wanted, LIST)?;
    let mut found = Vec::new();
    let mut before = None;
    loop {
        let query = Query::Runs { filter: RunFilter::default(), before, limit: PAGE };
        let page = answered!(session.ask(query).await?, Runs)?;
        before = page.iter().map(|run| run.seq).min();
        if before.is_none() {
            break;
        }
        found.extend(page.into_iter().filter(|run| ids::fits(run.id, &part)));
    }
    match found.as_slice() {
        [] => Err(ids::unknown("run", wanted, LIST)),
        [run] => Ok(run.id),
        // Newest first.
        several => {
            let names = session.names().await?;
            let told: Vec<String> = several.iter().map(|run| told(run, &names)).collect();
            Err(ids::ambiguous(wanted, "runs", &told))
        }
    }
}

fn told(run: &Run, names: &Names) -> String {
    format!("{} ({}, {})", run.id, names.agent_name(run.agent), words::ago(run.started_ms))
}
