//! The search index: brought up to date from the database, and asked.
//!
//! The index is derived: what it lacks is read from the database, in the
//! background and before each search. Vectors come after the words, since a model
//! has to be asked; without it words alone are compared, and everybody who looks
//! is told so.

use super::embedders::{Embedders, Meant, NoVector, Patience};
use super::embedding::Embedding;
use super::left_out::LeftOut;
use super::reranking::Reranking;
use super::scope;
use crate::Places;
use crate::derived::{Derived, Lacking};
use domain::{Fault, Memory, MemoryId, MemoryKind, MemoryState, Standing, Trust};
use search::{Hit, Index, Item, Leg, Opened, Query, Turn};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use store::table::{memories, memory_vectors};
use store::{Store, StoreError};

/// What is read from the database at a time.
const READ_AT_ONCE: u32 = 500;

pub(crate) struct Finder {
    pub(super) index: Derived,
    pub(super) embedders: Embedders,
    pub(super) left_out: LeftOut,
    /// The model that is asked where a person has chosen none.
    pub(super) shipped: Embedding,
    pub(super) reranking: Reranking,
    /// Whether there ever was a memory: most turns of a new workspace have
    /// nothing to look for.
    any: AtomicBool,
}

/// Vectors of some memories, each with the version whose words they are of.
pub(super) type Made = Vec<(u64, u32, Vec<f32>)>;

/// Vectors of one model for memories that had none in the index.
pub(super) struct Batch {
    /// The model.
    pub(super) id: String,
    /// That stand in the database.
    pub(super) kept: Made,
    /// That are to be kept there.
    pub(super) made: Made,
}

impl Finder {
    pub(crate) fn new(places: &Places, embedding: Embedding) -> Finder {
        let fix = "run coterie memory rebuild; nothing that is remembered is lost";
        Finder {
            index: Derived::new(places.memory_index(), fix, index_of(&embedding)),
            shipped: embedding.clone(),
            embedders: Embedders::new(embedding),
            left_out: LeftOut::default(),
            reranking: Reranking::new(places),
            any: AtomicBool::new(false),
        }
    }

    /// Whether there is a memory, as far as this process knows.
    pub(crate) fn has_any(&self) -> bool {
        self.any.load(Relaxed)
    }

    /// Another model compares meanings from now on. What it has not seen yet is found by
    /// its words, and gets a vector in the background. Blocks.
    pub(super) fn change(&self, embedding: Embedding) {
        self.index.open_with(index_of(&embedding));
        self.embedders.change(embedding);
        self.index.changed.notify_one();
    }

    /// Somebody is about to look for something.
    pub(crate) fn want(&self) {
        if self.has_any() {
            self.embedders.want();
        }
    }

    /// Something was remembered or changed.
    pub(crate) fn ring(&self) {
        self.any.store(true, Relaxed);
        self.index.changed.notify_one();
    }

    /// The best texts for a query: by words and by meaning, or by what its leg says;
    /// and why by words alone, where it was to be by meaning too. Blocks, as far as
    /// there is patience.
    pub(super) fn search(
        &self,
        store: &Store,
        query: Query<'_>,
        patience: Patience,
    ) -> Result<(Vec<Hit>, Option<NoVector>), Fault> {
        // Of what was said a moment ago a turn knows; for what is imported by the
        // thousands it does not wait.
        // An index that cannot say how far it has read is filled anew.
        let unread = || self.unread(store).or_else(|_| store.read(memories::last_change));
        let is_in_a_turn = matches!(patience, Patience::Briefly | Patience::Never);
        if !is_in_a_turn || unread()? <= u64::from(READ_AT_ONCE) {
            self.catch_up(store)?;
        }
        let vector = match query.leg {
            Leg::Lexical => Ok(None),
            Leg::Hybrid | Leg::Vector => self.embedders.query(query.text, patience).map(Some),
        };
        let (meant, why) = vector.map_or_else(|why| (None, Some(why)), |meant| (meant, None));
        let Some(Meant { vector, by }) = meant else { return Ok((self.look(&query)?, why)) };
        let across = (by.across)(query.text);
        let strangers = Some(by.strangers());
        let by_meaning = Query { vector: Some(&vector), across, strangers, ..query.clone() };
        match self.look_by(&by, &by_meaning)? {
            Some(hits) => Ok((hits, None)),
            None => Ok((self.look(&query)?, Some(NoVector::Loading))),
        }
    }

    /// How many changes the index has not read. Blocks.
    pub(crate) fn unread(&self, store: &Store) -> Result<u64, Fault> {
        let unusable = |error| self.index.unusable(&error);
        let upto = self.index.with(|index| index.upto().map_err(unusable))?;
        Ok(store.read(memories::last_change)?.abs_diff(upto))
    }

    /// Those of its scope and kind that hold and are nearest to a memory, with how
    /// near they are; `None` while it has no vector. Blocks.
    pub(super) fn beside(
        &self,
        store: &Store,
        key: u64,
        memory: &Memory,
        limit: usize,
    ) -> Result<Option<Vec<(Memory, f32)>>, Fault> {
        let embedding = self.embedders.embedding();
        let kept = store.read(|read| memory_vectors::find(read, key, &embedding.id))?;
        let Some(vector) = kept.and_then(|bytes| vector_of(&bytes, &embedding)) else {
            return Ok(None);
        };
        let itself = HashSet::from([key]);
        let query = Query {
            vector: Some(&vector),
            pools: Some(&[scope::number(memory.scope)]),
            kinds: Some(
                &Trusted::BOTH.map(|trusted| sort(memory.kind, Standing::Holding, trusted)),
            ),
            except: Some(&itself),
            leg: Leg::Vector,
            limit,
            ..Query::new(&memory.text)
        };
        let Some(hits) = self.look_by(&embedding, &query)? else { return Ok(None) };
        let beside = store.read(|read| {
            let mut beside = Vec::new();
            for hit in hits {
                if let Some(other) = memories::by_key(read, hit.key)?
                    && other.state == MemoryState::Current
                {
                    beside.push((other, hit.score));
                }
            }
            Ok::<_, StoreError>(beside)
        })?;
        Ok(Some(beside))
    }

    /// The vectors of these memories that are kept. Blocks.
    pub(super) fn vectors(
        &self,
        ids: impl Iterator<Item = MemoryId>,
        store: &Store,
    ) -> Result<HashMap<MemoryId, Vec<f32>>, StoreError> {
        let embedding = self.embedders.embedding();
        store.read(|read| {
            let mut vectors = HashMap::new();
            for id in ids {
                let kept = memory_vectors::of(read, id, &embedding.id)?;
                if let Some(vector) = kept.and_then(|bytes| vector_of(&bytes, &embedding)) {
                    vectors.insert(id, vector);
                }
            }
            Ok(vectors)
        })
    }

    /// Puts in what the index lacks of the words. Blocks.
    pub(crate) fn catch_up(&self, store: &Store) -> Result<(), Fault> {
        self.index.catch_up(|since| self.lacking(store, since))
    }

    fn lacking(&self, store: &Store, since: u64) -> Result<Lacking, Fault> {
        let (last, changed) = store.read(|read| {
            let last = memories::last_change(read)?;
            Ok::<_, StoreError>((last, memories::changed_since(read, since, READ_AT_ONCE)?))
        })?;
        let upto = changed.last().map(|last| last.changed);
        let (there, gone): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|one| one.memory.state != MemoryState::Forgotten);
        let put: Vec<Item> = there.iter().map(|one| item(one.key, &one.memory)).collect();
        // Those whose words have changed have no vector any more.
        let embedding = self.embedders.embedding();
        let stale = unembedded(store, &embedding, put.iter().map(|item| item.key))?;
        Ok(Lacking { last, upto, put, gone: gone.iter().map(|one| one.key).collect(), stale })
    }

    /// Finds or makes vectors for some of the texts that have none; `None` when
    /// none is left, or the model cannot be used. Blocks.
    pub(super) fn some_vectors(&self, store: &Store) -> Result<Option<Batch>, Fault> {
        let embedding = self.embedders.embedding();
        let some = embedding.at_once + self.left_out.count(&embedding.id);
        let keys = self.index.with(|index| match index.model() == embedding.id {
            true => Ok(index.without_vector(some)),
            false => Ok(Vec::new()),
        })?;
        let (mut kept, mut wanted) = (Made::new(), Vec::new());
        for key in keys {
            let (vector, memory) = store.read(|read| {
                let vector = memory_vectors::find(read, key, &embedding.id)?;
                Ok::<_, StoreError>((vector, memories::by_key(read, key)?))
            })?;
            let Some(memory) = memory else { continue };
            if self.left_out.has(&embedding.id, key, memory.version) {
                continue;
            }
            match vector.as_deref().and_then(|bytes| vector_of(bytes, &embedding)) {
                Some(vector) => kept.push((key, memory.version, vector)),
                None => wanted.push((key, memory.version, memory.text)),
            }
            if kept.len() + wanted.len() == embedding.at_once {
                break;
            }
        }
        let id = embedding.id.clone();
        if wanted.is_empty() {
            let batch = Batch { id, kept, made: Made::new() };
            return Ok(Some(batch).filter(|batch| !batch.kept.is_empty()));
        }
        let texts: Vec<&str> = wanted.iter().map(|(_, _, text)| text.as_str()).collect();
        // Where another model compares meanings by now, it has been rung for.
        let Ok(vectors) = self.embedders.passages(&embedding, &texts) else { return Ok(None) };
        let all = wanted.iter().zip(vectors);
        let all = all.map(|((key, version, _), vector)| (*key, *version, vector));
        let (made, nothing): (Made, Made) = all.partition(|(.., vector)| !vector.is_empty());
        self.left_out.add(&id, nothing.iter().map(|(key, version, _)| (*key, *version)));
        Ok(Some(Batch { id, kept, made }))
    }

    /// Blocks.
    pub(super) fn put_vectors(&self, store: &Store, batch: &Batch) -> Result<(), Fault> {
        let all = batch.kept.iter().chain(&batch.made);
        let vectors: Vec<(u64, Vec<f32>)> =
            all.map(|(key, _, vector)| (*key, vector.clone())).collect();
        let unusable = |error| self.index.unusable(&error);
        let embedding = self.embedders.embedding();
        self.index.with(|index| {
            if index.model() != batch.id || embedding.id != batch.id {
                return Ok(());
            }
            index.put_vectors(&vectors).map_err(unusable)?;
            // What changed while the model was asked has other words now.
            let stale = unembedded(store, &embedding, vectors.iter().map(|(key, _)| *key))?;
            index.remove_vectors(&stale).map_err(unusable)
        })
    }

    /// Builds the graph that makes searches among very many fast, if that is due;
    /// searches go on meanwhile. Blocks.
    pub(super) fn build_graph(&self, go_on: impl Fn() -> bool + Sync) -> Result<(), Fault> {
        self.index.with(|index| match index.wants_graph() {
            // One core, as for the model.
            true => index.build_graph(1, |_| go_on()).map_err(|error| self.index.unusable(&error)),
            false => Ok(()),
        })
    }

    /// Gives back what is held for writing. Blocks.
    pub(super) fn rest(&self) {
        self.index.rest();
        self.reranking.rest();
    }

    fn look(&self, query: &Query<'_>) -> Result<Vec<Hit>, Fault> {
        self.index.with(|index| index.search(query).map_err(|error| self.index.unusable(&error)))
    }

    /// By the vectors of this model; `None` where the index holds those of another.
    fn look_by(&self, model: &Embedding, query: &Query<'_>) -> Result<Option<Vec<Hit>>, Fault> {
        self.index.with(|index| match index.model() == model.id {
            true => index.search(query).map(Some).map_err(|error| self.index.unusable(&error)),
            false => Ok(None),
        })
    }
}

fn index_of(
    embedding: &Embedding,
) -> impl Fn(&Path) -> Result<Opened, search::Error> + Send + Sync + 'static {
    let Embedding { id, dimensions, .. } = embedding.clone();
    move |folder: &Path| Index::open(folder, &id, dimensions)
}

/// Those of the memories for which no vector is kept. Blocks.
fn unembedded(
    store: &Store,
    embedding: &Embedding,
    keys: impl Iterator<Item = u64>,
) -> Result<Vec<u64>, StoreError> {
    store.read(|read| {
        let mut unembedded = Vec::new();
        for key in keys {
            let kept = memory_vectors::find(read, key, &embedding.id)?;
            if kept.and_then(|bytes| vector_of(&bytes, embedding)).is_none() {
                unembedded.push(key);
            }
        }
        Ok(unembedded)
    })
}

fn vector_of(bytes: &[u8], embedding: &Embedding) -> Option<Vec<f32>> {
    let numbers =
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    // What a damaged model gave stands there too, and is made again.
    Some(numbers.collect()).filter(|numbers: &Vec<f32>| {
        numbers.len() == embedding.dimensions && search::points(numbers)
    })
}

fn item(key: u64, memory: &Memory) -> Item {
    let tags = memory.tags.join(" ");
    Item {
        key,
        pool: scope::number(memory.scope),
        kind: sort(memory.kind, standing(memory.state), Trusted::of(memory.trust)),
        at_ms: memory.valid_from_ms.unwrap_or(memory.created_at_ms),
        turn: memory.source.conversation.as_deref().map(|name| turn(name, key)),
        text: if tags.is_empty() { memory.text.clone() } else { format!("{} {tags}", memory.text) },
    }
}

/// Memories of one conversation came in, and got their keys, as it was told.
fn turn(conversation: &str, key: u64) -> Turn {
    let hash = blake3::hash(conversation.as_bytes());
    let first = std::array::from_fn(|at| hash.as_bytes()[at]);
    Turn { conversation: u64::from_le_bytes(first), seq: key }
}

fn standing(state: MemoryState) -> Standing {
    match state {
        MemoryState::Current => Standing::Holding,
        MemoryState::Contested(_) => Standing::Contested,
        MemoryState::Superseded(_) | MemoryState::Wrong | MemoryState::Forgotten => Standing::Past,
    }
}

/// Whether somebody vouches for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trusted {
    Yes,
    No,
}

impl Trusted {
    pub(super) const BOTH: [Trusted; 2] = [Trusted::Yes, Trusted::No];

    fn of(trust: Trust) -> Trusted {
        match trust {
            Trust::Untrusted => Trusted::No,
            Trust::Agent | Trust::Person => Trusted::Yes,
        }
    }
}

/// How the index calls a kind of memory that stands so. What holds and what
/// held once differ by the time alone, which the index does not know.
pub(super) fn sort(kind: MemoryKind, standing: Standing, trusted: Trusted) -> u8 {
    let kind = MemoryKind::ALL.iter().position(|one| *one == kind).unwrap_or_default() as u8;
    let standing = match standing {
        Standing::Holding | Standing::Any => 0,
        Standing::Contested => 8,
        Standing::Past => 16,
    };
    let trusted = match trusted {
        Trusted::Yes => 0,
        Trusted::No => 32,
    };
    kind + standing + trusted
}
