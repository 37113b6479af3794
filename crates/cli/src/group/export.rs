//! `coterie group export`: a conversation in a file.

use crate::paths::whole;
use crate::screen::Failure;
use crate::session::{Session, answered};
use clap::ValueEnum;
use domain::{Command as Order, GroupExport, GroupFormat, GroupId};
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// What was said, to be read
    Markdown,
    /// One object with everything that is known of each message
    Json,
}

pub(super) async fn run(
    session: &Session,
    group: GroupId,
    file: &Path,
    format: Option<Format>,
) -> Result<(), Failure> {
    let is_json = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let usual = if is_json { Format::Json } else { Format::Markdown };
    let format = match format.unwrap_or(usual) {
        Format::Markdown => GroupFormat::Markdown,
        Format::Json => GroupFormat::Json,
    };
    let order = Order::ExportGroup { group, path: whole(file)?, format };
    let told = answered!(session.order(order).await?, GroupExport)?;
    let GroupExport { path, messages, .. } = &told;
    session.screen.one(&told, |_| match messages {
        1 => format!("1 message written to {path}"),
        n => format!("{n} messages written to {path}"),
    });
    Ok(())
}
