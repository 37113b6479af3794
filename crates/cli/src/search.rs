//! `coterie search`: words in all that was said, remembered and done.

use crate::names::Names;
use crate::run::group_of as group_of_run;
use crate::screen::{Failure, Format, Paint};
use crate::session::{Session, answered};
use crate::{ids, visible, words};
use clap::Args;
use domain::{
    Fault, FaultCode, Found, FoundItem, FoundWhat, GroupId, Piece, Query, Search as Sought,
    SearchIn,
};
use std::collections::HashSet;

#[derive(Args)]
pub(crate) struct Search {
    /// The words to look for, in any language; the last may be a beginning
    text: String,
    /// Only there: messages, memories or runs; several with commas
    #[arg(long = "in", value_name = "WHERE", value_delimiter = ',', value_parser = place)]
    places: Vec<SearchIn>,
    /// Only in this group, by name or id, or an agent's direct one by the agent's name
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
    /// Only what is this agent's: its messages, its runs, its own memories
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// The best N of each kind
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
}

fn place(word: &str) -> Result<SearchIn, String> {
    serde_json::from_value(word.into()).map_err(|_| "choose of messages, memories, runs".to_owned())
}

pub(crate) async fn run(session: &Session, search: Search) -> Result<(), Failure> {
    let Search { text, places, group, agent, limit } = search;
    let names = session.names().await?;
    let group = group.map(|group| names.group(&group).map(|view| view.group.id)).transpose()?;
    let agent = agent.map(|agent| names.agent(&agent).map(|agent| agent.id)).transpose()?;
    let search = Sought { text, places, group, agent, limit };
    let found = answered!(session.ask(Query::Search { search }).await?, Found)?;
    if found.unread > 0 {
        let unread = found.unread;
        session.screen.aside(&format!(
            "messages, runs and memories that are still being read and may lack here: {unread}; look again in a moment"
        ));
    }
    let in_feed = in_feed(session, &found, &names).await?;
    match session.screen.format {
        Format::Jsonl => session.screen.many(&found.items, |_| String::new()),
        Format::Plain | Format::Json => {
            session.screen.one(&found, |paint| plain(paint, &found, &names, &in_feed));
        }
    }
    Ok(())
}

/// Each under what it is and what it is called by other commands.
fn plain(paint: Paint, found: &Found, names: &Names, in_feed: &HashSet<GroupId>) -> String {
    if found.items.is_empty() {
        return "nothing was found".to_owned();
    }
    let item = |item: &FoundItem| {
        let what = told(&item.what, names, in_feed);
        let about = format!("{what}  {}", words::ago(item.at_ms));
        let text: String = item.snippet.iter().map(|piece| shown(paint, piece)).collect();
        format!("{}\n  {}\n", paint.faint(&visible::line(&about)), text.trim())
    };
    found.items.iter().map(item).collect()
}

fn told(what: &FoundWhat, names: &Names, in_feed: &HashSet<GroupId>) -> String {
    match what {
        FoundWhat::Message { seq, group, author, .. } => {
            let place = group_of(*group, names, in_feed);
            format!("message #{seq}  {} in {place}", names.author(*author))
        }
        FoundWhat::Memory { memory } => {
            let (id, kind) = (ids::end_of(memory.id), words::memory::kind(memory.kind));
            let scope = words::memory::scope(memory.scope, names);
            format!("memory {id}  {kind}  {scope}  {}", words::memory::standing(memory))
        }
        FoundWhat::Run { run } => {
            let (id, agent) = (ids::end_of(run.id), names.agent_name(run.agent));
            let state = words::run_state(run.state);
            format!("run {id}  {agent} in {}  {state}", group_of_run(run, names))
        }
    }
}

/// The conversation of a task that has ended is no group that anybody can name, and a
/// thread of the feed has a list of its own.
fn group_of(group: GroupId, names: &Names, in_feed: &HashSet<GroupId>) -> String {
    match is_listed(group, names) {
        true => names.group_name_of(group),
        false if in_feed.contains(&group) => "the feed".to_owned(),
        false => "(a task)".to_owned(),
    }
}

fn is_listed(group: GroupId, names: &Names) -> bool {
    names.overview.groups.iter().any(|view| view.group.id == group)
}

/// Those of the groups found in that are threads of the feed.
async fn in_feed(
    session: &Session,
    found: &Found,
    names: &Names,
) -> Result<HashSet<GroupId>, Fault> {
    let mut in_feed = HashSet::new();
    for item in &found.items {
        let FoundWhat::Message { group, seq, .. } = item.what else { continue };
        if is_listed(group, names) || in_feed.contains(&group) {
            continue;
        }
        match session.ask(Query::FeedItem { seq }).await {
            Ok(_) => drop(in_feed.insert(group)),
            Err(fault) if fault.code == FaultCode::NotFound => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(in_feed)
}

fn shown(paint: Paint, piece: &Piece) -> String {
    let text = visible::line(&piece.text);
    if piece.found { paint.strong(&text) } else { text }
}
