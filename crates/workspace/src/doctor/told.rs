//! Whether the folders can be looked into whose changes are told in the feed, and whether
//! all that is told there was given out.

use super::found::{at, count, degraded, failed};
use crate::derived::blocking;
use crate::shared::Shared;
use crate::sources;
use domain::{Check, CheckAbout, CheckState, FeedEventState, Finding};
use std::path::Path;
use std::sync::Arc;
use store::table::feed_events;

pub(super) async fn sources(shared: &Arc<Shared>) -> Vec<Check> {
    let looked = match blocking(shared, sources::folders).await {
        Ok(looked) => looked,
        Err(fault) => return vec![failed(CheckAbout::Database, CheckState::Broken, fault)],
    };
    let check = |(name, folder, problem)| {
        let about = CheckAbout::Source { name };
        match problem {
            None => at(about, Path::new::<String>(&folder)),
            Some(fault) => failed(about, CheckState::Degraded, fault),
        }
    };
    looked.into_iter().map(check).collect()
}

/// What failed too often, if anything did.
pub(super) fn feed(shared: &Shared) -> Option<Check> {
    let mut failed_events = match shared.store.read(feed_events::failed) {
        Ok(events) => events,
        Err(error) => return Some(failed(CheckAbout::Feed, CheckState::Broken, error.into())),
    };
    failed_events.retain(|event| event.state == FeedEventState::Dead);
    let first = failed_events.first()?;
    let detail = first.fault.as_ref().map(ToString::to_string).unwrap_or_default();
    let events = count(failed_events.len());
    Some(degraded(
        CheckAbout::Feed,
        format!("posts and comments that could not be given out: {events}; the first: {detail}"),
        "coterie feed queue lists them, coterie feed retry NUMBER tries again",
        Finding::FeedStuck { events, detail },
    ))
}
