//! `coterie memory import` and `export`: memories from files, and to them.

use super::filter::Which;
use super::scope::scope;
use crate::paths::whole;
use crate::screen::Failure;
use crate::session::{Session, answered};
use clap::{Args, ValueEnum};
use domain::{
    Command as Order, GaveWay, LeftOut, MemoryExport, MemoryFormat, MemoryImport, NewMemory, Trust,
};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Import {
    /// A file that coterie memory export wrote, MEMORY.md of OpenClaw or Hermes,
    /// conversations.json of ChatGPT or Claude, or a folder in which another program keeps these
    file: PathBuf,
    /// What the file is [default: as it looks]
    #[arg(long)]
    format: Option<Format>,
    /// Who reads it, in place of what the file says: user, workspace, agent:NAME or group:NAME
    #[arg(long)]
    scope: Option<String>,
    /// You vouch for the file: it is trusted as far as it says; else nothing in it is
    #[arg(long)]
    trusted: bool,
    /// Show what would come of it, and change nothing
    #[arg(long, visible_alias = "dry-run")]
    preview: bool,
    /// Go on no more with an import of this file that was cut off; what it took in stays
    #[arg(long, conflicts_with_all = ["format", "scope", "trusted", "preview"])]
    drop: bool,
}

#[derive(Args)]
#[command(mut_arg("standing", |arg| arg.default_value("any")))]
pub(crate) struct Export {
    /// A file that is not there yet
    file: PathBuf,
    /// jsonl or markdown [default: markdown for a name that ends in .md, else jsonl]
    #[arg(long)]
    format: Option<Format>,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One memory a line, with everything about it
    Jsonl,
    /// The same to be read and edited
    Markdown,
    /// Notes of another agent: MEMORY.md, USER.md, a file a day
    MemoryMd,
    /// conversations.json of ChatGPT
    Chatgpt,
    /// conversations.json of Claude
    Claude,
}

impl From<Format> for MemoryFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Jsonl => MemoryFormat::Jsonl,
            Format::Markdown => MemoryFormat::Markdown,
            Format::MemoryMd => MemoryFormat::MemoryMd,
            Format::Chatgpt => MemoryFormat::Chatgpt,
            Format::Claude => MemoryFormat::Claude,
        }
    }
}

pub(super) async fn import(session: &Session, import: Import) -> Result<(), Failure> {
    let Import { file, format, scope: word, trusted, preview, drop } = import;
    if drop {
        let path = whole(&file)?;
        session.order(Order::DropImport { path: path.clone() }).await?;
        let said = format!("the import of {path} is dropped; what it took in stays");
        session.screen.one(&path, |_| said);
        return Ok(());
    }
    let scope = match word {
        Some(word) => Some(scope(&word, &session.names().await?)?),
        None => None,
    };
    let order = Order::ImportMemories {
        path: whole(&file)?,
        format: format.map(MemoryFormat::from),
        scope,
        vouched: trusted,
        preview,
    };
    let told = *answered!(session.order(order).await?, MemoryImport)?;
    session.screen.one(&told, |_| plain(&told, preview));
    Ok(())
}

pub(super) async fn export(session: &Session, export: Export) -> Result<(), Failure> {
    let Export { file, format, which } = export;
    let is_markdown = file.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    let usual = if is_markdown { MemoryFormat::Markdown } else { MemoryFormat::Jsonl };
    let order = Order::ExportMemories {
        path: whole(&file)?,
        format: format.map_or(usual, MemoryFormat::from),
        filter: which.filter(&session.names().await?)?,
    };
    let told = answered!(session.order(order).await?, MemoryExport)?;
    let MemoryExport { path, memories, .. } = &told;
    session.screen.one(&told, |_| format!("{} written to {path}", counted(*memories)));
    Ok(())
}

fn plain(told: &MemoryImport, preview: bool) -> String {
    let MemoryImport { format, trust, found, added, repeated, contested, left_out, .. } = told;
    let does = if preview { "would be added" } else { "added" };
    let mut text = format!(
        "{} found in {}: {added} {does}, {repeated} there already, {left_out} left out\n",
        counted(*found),
        called(*format),
    );
    if *contested > 0 {
        let wait = "contradict what is more trusted, and wait for you: coterie memory list \
                    --standing contested";
        text += &format!("{contested} of them {wait}\n");
    }
    for GaveWay { was, now } in &told.gave_way {
        text += &format!("gives way: {} (now: {})\n", short(was), short(now));
    }
    for NewMemory { text: sample, .. } in &told.samples {
        text += &format!("  {}\n", short(sample));
    }
    for LeftOut { place, why } in &told.reasons {
        text += &format!("left out, {place}: {why}\n");
    }
    let more = (*left_out as usize).saturating_sub(told.reasons.len());
    if more > 0 {
        text += &format!("left out as well: {more} more\n");
    }
    text + match trust {
        Trust::Untrusted => {
            "what is added is untrusted; if you vouch for the whole file, import it with --trusted"
        }
        Trust::Agent => "what is added is trusted as an agent's word",
        Trust::Person => "what is added is trusted as far as the file says",
    }
}

fn counted(memories: u32) -> String {
    format!("{memories} {}", if memories == 1 { "memory" } else { "memories" })
}

fn called(format: MemoryFormat) -> &'static str {
    match format {
        MemoryFormat::Jsonl => "JSON lines",
        MemoryFormat::Markdown => "Coterie's Markdown",
        MemoryFormat::MemoryMd => "another agent's notes",
        MemoryFormat::Chatgpt => "conversations with ChatGPT",
        MemoryFormat::Claude => "conversations with Claude",
    }
}

/// The beginning of it, on a line.
fn short(text: &str) -> String {
    const MOST: usize = 76;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
