//! Whether the folders can be looked into whose changes are told in the feed.

use super::found::{at, failed};
use crate::derived::blocking;
use crate::shared::Shared;
use crate::sources;
use domain::{Check, CheckAbout, CheckState};
use std::path::Path;
use std::sync::Arc;

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
