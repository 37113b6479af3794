//! Looking at what is remembered: pages, searches, one memory whole.

use super::embedders::{NoVector, Patience};
use super::finder::{Trusted, sort};
use super::imports_waiting;
use super::{found, scope};
use crate::derived::blocking;
use crate::shared::Shared;
use domain::{
    Fault, FoundMemories, MemoryDetail, MemoryFilter, MemoryHit, MemoryId, MemoryIndex, MemoryKind,
    MemoryPage, MemoryScores, MemoryState, Standing,
};
use search::{Hit, Leg, Query};
use std::collections::HashSet;
use std::sync::Arc;
use store::table::{memories, memory_versions, recalls};
use store::{Read, StoreError};

/// The longest list that is given, whatever is asked for.
const LONGEST: u32 = 500;
/// How many of the best a reranker looks at: each is as much work as a vector.
const RERANKED: usize = 20;
/// Of the runs that read a memory.
const MOST_RUNS: u32 = 50;

pub(crate) fn page(
    shared: &Shared,
    filter: MemoryFilter,
    before: Option<i64>,
    limit: u32,
) -> Result<MemoryPage, Fault> {
    let now = shared.now_ms();
    // Who looks through them is about to search.
    shared.finder.want();
    shared.store.read(|read| {
        let filter = scope::with_reader(read, filter)?;
        let limit = limit.min(LONGEST);
        let total = memories::count_of(read, &filter, now)?;
        let page = memories::page(read, &filter, now, before, limit)?;
        let is_full = page.len() == limit as usize;
        let next = page.last().filter(|_| is_full).map(|last| last.changed as i64);
        Ok(MemoryPage { memories: page.into_iter().map(|one| one.memory).collect(), total, next })
    })
}

pub(crate) async fn search(
    shared: &Arc<Shared>,
    text: String,
    filter: MemoryFilter,
    limit: u32,
    min_score: Option<f32>,
    at_once: bool,
) -> Result<FoundMemories, Fault> {
    blocking(shared, move |shared| {
        let patience = if at_once { Patience::Asking } else { Patience::Loading };
        let how = How::Meant(patience);
        let limit = limit.min(LONGEST);
        let look = Look { text: &text, filter, trusted: &Trusted::BOTH, limit, how };
        let mut found = look.find(shared)?;
        found.hits.retain(|hit| min_score.is_none_or(|least| hit.scores.total >= least));
        Ok(found)
    })
    .await
}

/// Those that have the words themselves, the last of which may still be being
/// written. Blocks.
pub(crate) fn by_words(
    shared: &Shared,
    text: &str,
    filter: MemoryFilter,
    limit: u32,
) -> Result<Vec<MemoryHit>, Fault> {
    let trusted = &Trusted::BOTH;
    Ok(Look { text, filter, trusted, limit, how: How::Worded }.find(shared)?.hits)
}

/// A search as it is made on a thread that may wait.
pub(super) struct Look<'a> {
    pub text: &'a str,
    pub filter: MemoryFilter,
    /// What may take a place among those that are found.
    pub trusted: &'a [Trusted],
    pub limit: u32,
    pub how: How,
}

/// What of a text is compared.
pub(super) enum How {
    /// What it means, with its words.
    Meant(Patience),
    /// Its words alone.
    Worded,
}

impl Look<'_> {
    pub(super) fn find(self, shared: &Shared) -> Result<FoundMemories, Fault> {
        let now = shared.now_ms();
        if self.text.trim().is_empty() {
            let fix = "say what to look for, or list them: coterie memory list";
            return Err(Fault::bad_input("there is nothing to look for", fix));
        }
        let asked = shared.store.read(|read| Asked::of(read, self.filter, self.trusted, now))?;
        let finder = &shared.finder;
        let (leg, unfinished, patience) = match self.how {
            How::Meant(patience) => (Leg::Hybrid, false, patience),
            How::Worded => (Leg::Lexical, true, Patience::Never),
        };
        let reranks = leg == Leg::Hybrid && finder.reranking.is_there();
        let limit = if reranks { RERANKED.max(self.limit as usize) } else { self.limit as usize };
        let query = Query {
            leg,
            unfinished,
            pools: asked.pools.as_deref(),
            kinds: Some(&asked.sorts),
            only: asked.only.as_ref(),
            except: asked.except.as_ref(),
            limit,
            ..Query::new(self.text)
        };
        let (hits, why) = finder.search(&shared.store, query, patience)?;
        let mut hits = shared.store.read(|read| with_memories(read, &hits))?;
        if reranks {
            let best = hits.len().min(RERANKED);
            finder.reranking.order(self.text, &mut hits[..best], patience);
            hits.truncate(self.limit as usize);
        }
        let to_come = matches!(why, Some(NoVector::Loading));
        Ok(FoundMemories { hits, words_only: why.map(|why| why.told()), to_come })
    }
}

/// A filter as the index understands it.
struct Asked {
    pools: Option<Vec<u64>>,
    sorts: Vec<u8>,
    only: Option<HashSet<u64>>,
    except: Option<HashSet<u64>>,
}

impl Asked {
    fn of(
        read: &Read<'_>,
        filter: MemoryFilter,
        trusted: &[Trusted],
        now: i64,
    ) -> Result<Asked, StoreError> {
        let filter = scope::with_reader(read, filter)?;
        let pools: Vec<u64> = filter.scopes.iter().map(|one| scope::number(*one)).collect();
        let ended = || memories::not_now(read, now).map(|keys| keys.into_iter().collect());
        let kinds: &[MemoryKind] =
            if filter.kinds.is_empty() { &MemoryKind::ALL } else { &filter.kinds };
        let standings: &[Standing] = match filter.standing {
            // What has ended stands in the index as what holds.
            Standing::Holding => &[Standing::Holding],
            Standing::Contested => &[Standing::Contested],
            Standing::Past => &[Standing::Past, Standing::Holding],
            Standing::Any => &[Standing::Holding, Standing::Contested, Standing::Past],
        };
        let of_kind = |kind: MemoryKind| {
            let each = standings.iter().flat_map(|one| trusted.iter().map(move |two| (*one, *two)));
            each.map(move |(standing, trusted)| sort(kind, standing, trusted))
        };
        let mut chosen: Option<HashSet<u64>> = None;
        if let Some(tag) = &filter.tag {
            narrow(&mut chosen, memories::with_tag(read, tag)?);
        }
        if filter.pinned {
            narrow(&mut chosen, memories::keys_of_pinned(read)?);
        }
        if filter.since_ms.or(filter.until_ms).is_some() {
            narrow(&mut chosen, memories::keys_within(read, filter.since_ms, filter.until_ms)?);
        }
        let (only, except) = match filter.standing {
            Standing::Holding => (chosen, Some(ended()?)),
            Standing::Past => {
                let mut past: HashSet<u64> = ended()?;
                past.extend(memories::superseded(read)?);
                past.retain(|key| chosen.as_ref().is_none_or(|chosen| chosen.contains(key)));
                (Some(past), None)
            }
            Standing::Contested | Standing::Any => (chosen, None),
        };
        Ok(Asked {
            pools: Some(pools).filter(|pools| !pools.is_empty()),
            sorts: kinds.iter().copied().flat_map(of_kind).collect(),
            only,
            except,
        })
    }
}

/// Leaves only these of what was chosen so far.
fn narrow(chosen: &mut Option<HashSet<u64>>, to: Vec<u64>) {
    let to: HashSet<u64> = to.into_iter().collect();
    *chosen = Some(match chosen.take() {
        Some(chosen) => chosen.intersection(&to).copied().collect(),
        None => to,
    });
}

fn with_memories(read: &Read<'_>, hits: &[Hit]) -> Result<Vec<MemoryHit>, StoreError> {
    let mut found = Vec::with_capacity(hits.len());
    for hit in hits {
        // It may have gone since the index was asked.
        let Some(memory) = memories::by_key(read, hit.key)? else { continue };
        if memory.state == MemoryState::Forgotten {
            continue;
        }
        let scores = MemoryScores {
            total: hit.score,
            words: hit.parts.lexical,
            meaning: hit.parts.vector,
            fused: hit.parts.fused,
            weight: 1.0,
            reranked: None,
            apart: hit.parts.apart,
        };
        found.push(MemoryHit { memory, scores });
    }
    Ok(found)
}

pub(crate) fn detail(shared: &Shared, id: MemoryId) -> Result<MemoryDetail, Fault> {
    shared.store.read(|read| {
        let memory = found(read, id)?;
        let mut related = memories::about(read, id)?;
        if let MemoryState::Superseded(other) | MemoryState::Contested(other) = memory.state {
            related.extend(memories::find(read, other)?);
        }
        Ok(MemoryDetail {
            versions: memory_versions::of(read, id)?,
            recalled_by: recalls::of(read, id, MOST_RUNS)?,
            related,
            memory,
        })
    })
}

/// Whether the person's own reranker can be used; `None` where they have none.
pub(crate) async fn reranker(shared: &Arc<Shared>) -> Result<Option<Result<(), String>>, Fault> {
    blocking(shared, |shared| Ok(shared.finder.reranking.verdict())).await
}

/// How far the index is.
pub(crate) async fn index(shared: &Arc<Shared>) -> Result<MemoryIndex, Fault> {
    blocking(shared, |shared| {
        let memories = shared.store.read(memories::count)?;
        let (words, meaning, made_again) =
            if memories == 0 { (0, 0, None) } else { shared.finder.index.standing()? };
        let model = shared.finder.embedders.embedding().id.clone();
        let left_out = shared.finder.left_out.count(&model).min(words.saturating_sub(meaning));
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Ok(MemoryIndex {
            memories,
            words: count(words),
            meaning: count(meaning),
            left_out: count(left_out),
            model,
            words_only: shared.finder.embedders.trouble(),
            made_again,
            cut_off: shared.store.read(imports_waiting)?,
        })
    })
    .await
}
