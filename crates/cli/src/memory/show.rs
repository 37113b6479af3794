//! `coterie memory show` and `history`: all that is on record of one memory.

use super::find::detail;
use super::told;
use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::Session;
use crate::table::{pairs, table};
use crate::{ids, words};
use domain::{Memory, MemoryDetail, MemoryState, MemoryVersion};

pub(super) async fn run(session: &Session, wanted: &str) -> Result<(), Failure> {
    let detail = detail(session, wanted).await?;
    let names = session.names().await?;
    session.screen.one(&detail, |paint| plain(paint, &detail, &names));
    Ok(())
}

fn plain(paint: Paint, detail: &MemoryDetail, names: &Names) -> String {
    let MemoryDetail { memory, versions, related, recalled_by } = detail;
    let mut text = match memory.state {
        MemoryState::Forgotten => "(forgotten: its words are gone)\n\n".to_owned(),
        MemoryState::Current
        | MemoryState::Superseded(_)
        | MemoryState::Contested(_)
        | MemoryState::Wrong => format!("{}\n\n", memory.text.trim_end()),
    };
    text += &pairs(paint, &facts(memory, versions.len(), names));
    if !related.is_empty() {
        text += &format!("\n{}\n", paint.strong("related"));
        text += &super::list::many(paint, related, names);
    }
    if !recalled_by.is_empty() {
        text += &format!("\n{}\n", paint.strong("read in"));
        for run in recalled_by {
            text += &format!("run {run}\n");
        }
    }
    text
}

fn facts(memory: &Memory, versions: usize, names: &Names) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("memory", memory.id.to_string()),
        ("kind", words::memory::kind(memory.kind).to_owned()),
        ("scope", words::memory::scope(memory.scope, names)),
        ("read by", words::memory::readers(memory.scope, names)),
        ("stands", words::memory::standing(memory)),
    ];
    if let Some(statement) = &memory.statement {
        facts.push(("statement", words::memory::statement(statement)));
    }
    let validity = words::memory::validity(memory);
    if !validity.is_empty() {
        facts.push(("was so", validity));
    }
    if !memory.tags.is_empty() {
        facts.push(("tags", memory.tags.join(", ")));
    }
    if memory.pinned {
        facts.push(("pinned", "in every turn of those who read it".to_owned()));
    }
    let changed = match versions {
        ..=1 => "never".to_owned(),
        _ => format!(
            "{}; version {}, coterie memory history {}",
            words::ago(memory.changed_at_ms),
            memory.version,
            ids::end_of(memory.id)
        ),
    };
    facts.extend([
        ("importance", format!("{} of 100", memory.importance)),
        ("trusted", words::memory::trust(memory.trust).to_owned()),
        ("from", words::memory::source(&memory.source)),
        ("said", words::memory::said(memory.evidence)),
        ("recalled", words::memory::recalled(memory)),
        (
            "added",
            format!(
                "{}, {}",
                words::memory::moment(memory.created_at_ms),
                words::ago(memory.created_at_ms)
            ),
        ),
        ("changed", changed),
    ]);
    facts
}

/// The first version first.
pub(super) async fn history(session: &Session, wanted: &str) -> Result<(), Failure> {
    let versions = detail(session, wanted).await?.versions;
    let names = session.names().await?;
    session.screen.many(&versions, |paint| {
        let rows = versions.iter().map(|version| row(version, &names));
        table(paint, ["version", "when", "what", "by", "stands", ""], rows.collect())
    });
    Ok(())
}

fn row(version: &MemoryVersion, names: &Names) -> [String; 6] {
    let then = version.memory.as_ref();
    [
        version.version.to_string(),
        words::ago(version.at_ms),
        words::memory::change(version.change).to_owned(),
        version.by.map_or("you".to_owned(), |agent| names.agent_name(agent)),
        then.map(words::memory::standing).unwrap_or_default(),
        then.map_or("(forgotten)".to_owned(), told::text),
    ]
}
