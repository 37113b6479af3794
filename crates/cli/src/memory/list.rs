//! `coterie memory list`: a page of what is remembered.

use super::filter::Which;
use super::find::shorter;
use super::told;
use crate::names::Names;
use crate::screen::{Failure, Format, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::words;
use clap::Args;
use domain::{Memory, MemoryPage, Query};

#[derive(Args)]
pub(crate) struct List {
    #[command(flatten)]
    which: Which,
    /// The N that changed last
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: u32,
    /// The page before this point, which the page after it names
    #[arg(long, value_name = "POINT")]
    before: Option<i64>,
}

pub(super) async fn run(session: &Session, list: List) -> Result<(), Failure> {
    let List { which, limit, before } = list;
    let names = session.names().await?;
    let query = Query::Memories { filter: which.filter(&names)?, before, limit };
    let page = answered!(session.ask(query).await?, Memories)?;
    match session.screen.format {
        Format::Jsonl => session.screen.many(&page.memories, |_| String::new()),
        Format::Plain | Format::Json => {
            session.screen.one(&page, |paint| plain(&page, before.is_some(), paint, &names));
        }
    }
    Ok(())
}

fn plain(page: &MemoryPage, is_later_page: bool, paint: Paint, names: &Names) -> String {
    if page.memories.is_empty() {
        return match (page.total, is_later_page) {
            (0, _) => "nothing like that is remembered; coterie memory add TEXT adds something",
            (_, _) => "there are no more",
        }
        .to_owned();
    }
    let more = match page.next {
        Some(next) => {
            let text = format!("of {} in all; the next page: --before {next}", page.total);
            paint.faint(&text) + "\n"
        }
        None => String::new(),
    };
    many(paint, &page.memories, names) + &more
}

/// Whoever stands out says so after its text.
pub(super) fn many(paint: Paint, memories: &[Memory], names: &Names) -> String {
    let shorter = shorter(memories);
    let rows = memories.iter().map(|memory| {
        let pinned = if memory.pinned { "pinned, " } else { "" };
        [
            shorter(memory.id),
            words::memory::kind(memory.kind).to_owned(),
            words::memory::scope(memory.scope, names),
            words::ago(memory.changed_at_ms),
            format!("{pinned}{}", words::memory::standing(memory)),
            told::text(memory),
        ]
    });
    table(paint, ["memory", "kind", "scope", "changed", "stands", ""], rows.collect())
}
