//! Searching everywhere: messages, memories and runs, by their words.
//!
//! Messages and runs have an index of their own, derived from the database line
//! by line of its outbox: in the background, and before each search. Words alone
//! are compared, of memories too: a person who looks for something that was said
//! knows a word of it and reads on while typing, a vector for each message would
//! cost more than the message, and what is near in meaning is always something,
//! so that nothing would ever be not found. Memories are found by what they mean
//! in `memory`.

mod in_step;
mod snippet;
mod texts;

pub(crate) use in_step::{Ear, keep_in_step};

use crate::derived::{Derived, Lacking, blocking};
use crate::memory;
use crate::shared::Shared;
use domain::{
    Author, Fault, Found, FoundItem, FoundWhat, MemoryFilter, MemoryHit, MemoryScope, Message, Run,
    RunState, Search, SearchIn, Standing,
};
use search::{Hit, Index, Item, Leg, Query};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::table::{agents, feed_sources, groups, messages, moderations, outbox, passes, runs};
use store::{Read, Store, StoreError};
use texts::{Kind, pool};

/// What is read of the outbox at a time.
const READ_AT_ONCE: u32 = 500;
/// How long somebody who searches waits until everything new is in the index.
const PATIENCE: Duration = Duration::from_secs(2);
/// The most that is given of a kind, whatever is asked for.
const MOST: u32 = 100;

pub(crate) struct Everywhere {
    index: Derived,
}

impl Everywhere {
    pub(crate) fn new(folder: PathBuf) -> Everywhere {
        let fix = "close every Coterie, delete its folder `index` and start again; nothing is lost";
        Everywhere { index: Derived::new(folder, fix, Index::open_words) }
    }

    /// Hears what is committed.
    pub(crate) fn ear(&self) -> Ear {
        Ear::new(self.index.changed.clone())
    }

    /// Puts in what the index lacks. Blocks.
    fn catch_up(&self, shared: &Shared) -> Result<(), Fault> {
        self.index.catch_up(|since| {
            // Nobody waits for it any more; the next start goes on from here.
            if shared.closing.is_cancelled() {
                return Ok(Lacking { last: since, ..Lacking::default() });
            }
            lacking(&shared.store, since)
        })
    }

    /// How many lines of the outbox the index has not read. Blocks.
    fn unread(&self, store: &Store) -> Result<u64, Fault> {
        let last = store.read(outbox::last)?;
        let upto =
            self.index.with(|index| index.upto().map_err(|error| self.index.unusable(&error)))?;
        Ok(last.saturating_sub(upto))
    }
}

/// Writes what was said otherwise in the meantime out of the index's files. Blocks.
pub(crate) fn purge(shared: &Shared) -> Result<(), Fault> {
    shared.everywhere.catch_up(shared)?;
    let index = &shared.everywhere.index;
    index.with(|held| held.purge().map_err(|error| index.unusable(&error)))
}

/// Brings both indexes up to date. Blocks.
fn catch_up(shared: &Shared) -> Result<(), Fault> {
    // A workspace without a memory has no index of them.
    if shared.finder.has_any() {
        shared.finder.catch_up(&shared.store)?;
    }
    shared.everywhere.catch_up(shared)
}

/// How much of what was said, done and remembered is in no index yet. Blocks.
fn unread(shared: &Shared) -> Result<u32, Fault> {
    let mut unread = shared.everywhere.unread(&shared.store)?;
    if shared.finder.has_any() {
        unread += shared.finder.unread(&shared.store)?;
    }
    Ok(u32::try_from(unread).unwrap_or(u32::MAX))
}

fn lacking(store: &Store, since: u64) -> Result<Lacking, Fault> {
    store.read(|read| {
        let mut lacking = Lacking { last: outbox::last(read)?, ..Lacking::default() };
        for (line, text) in outbox::since(read, since, READ_AT_ONCE)? {
            lacking.upto = Some(line);
            match texts::item(read, text)? {
                Some(item) => lacking.put.push(item),
                None => lacking.gone.push(texts::key(text)),
            }
        }
        // One that was put and is gone by now stands in both.
        let Lacking { put, gone, .. } = &mut lacking;
        put.retain(|item: &Item| !gone.contains(&item.key));
        Ok(lacking)
    })
}

pub(crate) async fn search(shared: &Arc<Shared>, search: Search) -> Result<Found, Fault> {
    if search.text.trim().is_empty() {
        return Err(Fault::bad_input("there is nothing to look for", "say what to look for"));
    }
    shared.store.read(|read| {
        search.group.map(|group| groups::get(read, group)).transpose()?;
        search.agent.map(|agent| agents::get(read, agent)).transpose()?;
        Ok::<_, Fault>(())
    })?;
    // What takes longer goes on beside the search, which says what it lacks.
    let catch_up = blocking(shared, catch_up);
    let is_behind = match tokio::time::timeout(PATIENCE, catch_up).await {
        Ok(caught_up) => caught_up.map(|()| false)?,
        Err(_) => true,
    };
    blocking(shared, move |shared| {
        let mut items = Vec::new();
        for place in SearchIn::ALL {
            if search.places.is_empty() || search.places.contains(&place) {
                items.extend(found_in(shared, place, &search)?);
            }
        }
        // What came since the search began is not what it lacks.
        let unread = if is_behind { unread(shared)? } else { 0 };
        Ok(Found { items, unread })
    })
    .await
}

/// Blocks.
fn found_in(shared: &Shared, place: SearchIn, search: &Search) -> Result<Vec<FoundItem>, Fault> {
    let kind = match place {
        SearchIn::Messages => Kind::Message,
        SearchIn::Runs => Kind::Run,
        SearchIn::Memories => return memories(shared, search),
    };
    let pools = shared.store.read(|read| pools(read, search))?;
    let query = Query {
        unfinished: true,
        leg: Leg::Lexical,
        pools: pools.as_deref(),
        kinds: Some(&[kind as u8]),
        limit: MOST as usize,
        ..Query::new(&search.text)
    };
    let index = &shared.everywhere.index;
    let mut hits =
        index.with(|held| held.search(&query).map_err(|error| index.unusable(&error)))?;
    // Of those that fit as well as each other the newest comes first.
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.key.cmp(&a.key)));
    let limit = search.limit.min(MOST) as usize;
    shared.store.read(|read| {
        let mut items = match kind {
            Kind::Message => Vec::new(),
            Kind::Run => in_progress(read, search)?,
        };
        for hit in &hits {
            if items.len() >= limit {
                break;
            }
            items.extend(item(read, hit, search)?);
        }
        items.truncate(limit);
        Ok(items)
    })
}

/// Runs that have not ended, which no index knows: by what they have done so far.
fn in_progress(read: &Read<'_>, search: &Search) -> Result<Vec<FoundItem>, StoreError> {
    let mut found = Vec::new();
    for run in runs::open(read)? {
        let is_elsewhere = search.group.is_some_and(|group| group != run.group)
            || search.agent.is_some_and(|agent| agent != run.agent);
        if is_elsewhere || run.state != RunState::Running {
            continue;
        }
        let one = of_run(read, run, search)?;
        if one.snippet.iter().any(|piece| piece.found) {
            found.push(one);
        }
    }
    found.reverse();
    Ok(found)
}

fn of_run(read: &Read<'_>, run: Run, search: &Search) -> Result<FoundItem, StoreError> {
    let lines = texts::of_run(read, &run)?;
    let snippet = snippet::of(lines.iter().map(String::as_str), &search.text);
    let at_ms = run.started_ms;
    Ok(FoundItem { what: FoundWhat::Run { run: Box::new(run) }, snippet, at_ms })
}

/// Where somebody in somewhere stands in the index; `None` for all of it.
fn pools(read: &Read<'_>, search: &Search) -> Result<Option<Vec<u64>>, StoreError> {
    if search.group.is_none() && search.agent.is_none() {
        return Ok(None);
    }
    let groups: Vec<_> = match search.group {
        Some(group) => vec![group],
        None => groups::all(read)?.iter().map(|group| group.id).collect(),
    };
    let authors: Vec<Author> = match search.agent {
        Some(agent) => vec![Author::Agent(agent)],
        None => {
            let agents = agents::all(read)?;
            let agents = agents.iter().map(|agent| Author::Agent(agent.id));
            let passes = passes::all(read)?;
            let passes = passes.iter().map(|pass| Author::Outside(pass.id));
            let sources = feed_sources::all(read)?;
            let sources = sources.iter().map(|source| Author::Source(source.id));
            agents.chain(passes).chain(sources).chain([Author::User, Author::System]).collect()
        }
    };
    let of_group = |group| authors.iter().map(move |author| pool(group, *author));
    Ok(Some(groups.into_iter().flat_map(of_group).collect()))
}

/// What a hit stands for; `None` if it has gone since the index was asked.
fn item(read: &Read<'_>, hit: &Hit, search: &Search) -> Result<Option<FoundItem>, StoreError> {
    Ok(match texts::of_key(hit.key) {
        outbox::Text::Message(seq) => seen(read, seq)?.and_then(|message| {
            let snippet = snippet::of([message.text()?], &search.text);
            let what = FoundWhat::Message {
                message: message.id,
                seq,
                group: message.group,
                author: message.author,
                run: message.run,
            };
            Some(FoundItem { what, snippet, at_ms: message.at_ms })
        }),
        outbox::Text::Run(seq) => match runs::by_seq(read, seq)? {
            Some(run) => Some(of_run(read, run, search)?),
            None => None,
        },
    })
}

/// What is hidden in the feed is not shown by its words; its thread says that it is there.
fn seen(read: &Read<'_>, seq: i64) -> Result<Option<Message>, StoreError> {
    let Some(message) = messages::by_seq(read, seq)? else { return Ok(None) };
    let hidden = moderations::hidden(read, message.group)?;
    Ok((!hidden.contains(&message.id)).then_some(message))
}

fn memories(shared: &Shared, search: &Search) -> Result<Vec<FoundItem>, Fault> {
    let scopes = match (search.group, search.agent) {
        // No memory is both.
        (Some(_), Some(_)) => return Ok(Vec::new()),
        (Some(group), None) => vec![MemoryScope::Group(group)],
        (None, Some(agent)) => vec![MemoryScope::Agent(agent)],
        (None, None) => Vec::new(),
    };
    let filter = MemoryFilter { scopes, standing: Standing::Any, ..MemoryFilter::default() };
    let hits = memory::by_words(shared, &search.text, filter, search.limit.min(MOST))?;
    let item = |MemoryHit { memory, .. }| {
        let tags = memory.tags.join(" ");
        let snippet = snippet::of([memory.text.as_str(), &tags], &search.text);
        let at_ms = memory.valid_from_ms.unwrap_or(memory.created_at_ms);
        FoundItem { what: FoundWhat::Memory { memory: Box::new(memory) }, snippet, at_ms }
    };
    Ok(hits.into_iter().map(item).collect())
}
