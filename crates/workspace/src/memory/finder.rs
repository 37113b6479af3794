//! The search index: brought up to date from the database, and asked.
//!
//! The index is derived: what it lacks is read from the database, in the
//! background and before each search. Vectors come after the words, since a model
//! has to be asked; without it words alone are compared, and everybody who looks
//! is told so.

use super::embedding::{Embedders, Embedding, NoVector, Patience};
use super::scope;
use crate::shared::Shared;
use domain::{Fault, FaultCode, Memory, MemoryId, MemoryKind, MemoryState, Standing};
use search::{Hit, Index, Item, Leg, Query};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use store::table::{memories, memory_vectors};
use store::{Store, StoreError};
use tokio::sync::Notify;

/// What is read from the database at a time.
const READ_AT_ONCE: u32 = 500;
/// What is embedded before somebody else may ask the model.
const EMBEDDED_AT_ONCE: usize = 4;

pub(crate) struct Finder {
    folder: PathBuf,
    pub(super) embedders: Embedders,
    /// Held for writing by whoever throws it away, so that nobody is at it then.
    opened: RwLock<Option<Opened>>,
    /// Held while it is brought up to date.
    catching_up: Mutex<()>,
    pub(super) changed: Notify,
    /// Whether there ever was a memory: most turns of a new workspace have
    /// nothing to look for.
    any: AtomicBool,
}

struct Opened {
    index: Index,
    /// Why it was empty when it was opened, if it should not have been.
    made_again: Option<String>,
}

/// What came of putting in a part of what the index lacks.
enum Part {
    Done,
    /// There was nothing left.
    Last,
    /// It is the index of another database: a backup was put back.
    Foreign,
}

/// Vectors of some memories, each with the version whose words they are of.
pub(super) type Made = Vec<(u64, u32, Vec<f32>)>;

impl Finder {
    pub(crate) fn new(folder: PathBuf, embedding: Embedding) -> Finder {
        let embedders = Embedders::new(embedding);
        Finder {
            folder,
            embedders,
            opened: RwLock::new(None),
            catching_up: Mutex::new(()),
            changed: Notify::new(),
            any: AtomicBool::new(false),
        }
    }

    /// Whether there is a memory, as far as this process knows.
    pub(super) fn has_any(&self) -> bool {
        self.any.load(Relaxed)
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
        self.changed.notify_one();
    }

    /// The best texts for a query, by words and by meaning, or why by words alone.
    /// Blocks, as far as there is patience.
    pub(super) fn search(
        &self,
        store: &Store,
        query: Query<'_>,
        patience: Patience,
    ) -> Result<(Vec<Hit>, Option<NoVector>), Fault> {
        if patience != Patience::Never || self.lacks_little(store)? {
            self.catch_up(store)?;
        }
        let (vector, why) = match self.embedders.query(query.text, patience) {
            Ok(vector) => (Some(vector), None),
            Err(why) => (None, Some(why)),
        };
        let across = (self.embedders.embedding.across)(query.text);
        let query = Query { vector: vector.as_deref(), across, ..query };
        let hits = self.with(|opened| opened.index.search(&query).map_err(unusable))?;
        Ok((hits, why))
    }

    /// Whether the index is nearly there: of what was said a moment ago a turn
    /// knows, for what is imported by the thousands it does not wait.
    fn lacks_little(&self, store: &Store) -> Result<bool, Fault> {
        let upto = self.with(|opened| opened.index.upto().map_err(unusable))?;
        let last = store.read(memories::last_change)?;
        Ok(last.abs_diff(upto) <= u64::from(READ_AT_ONCE))
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
        let model = &self.embedders.embedding.id;
        let kept = store.read(|read| memory_vectors::find(read, key, model))?;
        let Some(vector) = kept.and_then(|bytes| self.vector_of(&bytes)) else { return Ok(None) };
        let itself = HashSet::from([key]);
        let query = Query {
            vector: Some(&vector),
            pools: Some(&[scope::number(memory.scope)]),
            kinds: Some(&[sort(memory.kind, Standing::Holding)]),
            except: Some(&itself),
            leg: Leg::Vector,
            limit,
            ..Query::new(&memory.text)
        };
        let hits = self.with(|opened| opened.index.search(&query).map_err(unusable))?;
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
        let model = &self.embedders.embedding.id;
        store.read(|read| {
            let mut vectors = HashMap::new();
            for id in ids {
                let kept = memory_vectors::of(read, id, model)?;
                if let Some(vector) = kept.and_then(|bytes| self.vector_of(&bytes)) {
                    vectors.insert(id, vector);
                }
            }
            Ok(vectors)
        })
    }

    /// How many texts there are in the index, how many of them have a vector, and
    /// why it was made again. Blocks.
    pub(super) fn standing(&self) -> Result<(usize, usize, Option<String>), Fault> {
        self.with(|Opened { index, made_again }| {
            let (texts, without) = index.count();
            Ok((texts, texts - without, made_again.clone()))
        })
    }

    /// Throws the index away; the background makes it again. Blocks.
    pub(super) fn rebuild(&self) -> Result<(), Fault> {
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(Opened { index, .. }) = opened.take() {
            // What still writes in the background ends first.
            index.rest().map_err(unusable)?;
        }
        match std::fs::remove_dir_all(&self.folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let path = self.folder.display();
                let fix = "close every Coterie, delete the folder and start again";
                Err(Fault::new(FaultCode::Storage, format!("{path}: {error}"), fix))
            }
            Ok(()) | Err(_) => {
                self.ring();
                Ok(())
            }
        }
    }

    /// Puts in what the index lacks of the words. Blocks.
    pub(super) fn catch_up(&self, store: &Store) -> Result<(), Fault> {
        loop {
            // Somebody else may do the next part: who waits for it has not to
            // wait for all.
            let _catching_up = self.catching_up.lock().unwrap_or_else(PoisonError::into_inner);
            match self.with(|opened| self.next_part(store, &opened.index))? {
                Part::Done => {}
                Part::Last => return Ok(()),
                Part::Foreign => self.rebuild()?,
            }
        }
    }

    fn next_part(&self, store: &Store, index: &Index) -> Result<Part, Fault> {
        let since = index.upto().map_err(unusable)?;
        let (last, changed) = store.read(|read| {
            let last = memories::last_change(read)?;
            Ok::<_, StoreError>((last, memories::changed_since(read, since, READ_AT_ONCE)?))
        })?;
        if since > last {
            return Ok(Part::Foreign);
        }
        let Some(upto) = changed.last().map(|last| last.changed) else { return Ok(Part::Last) };
        let (there, gone): (Vec<_>, Vec<_>) =
            changed.into_iter().partition(|one| one.memory.state != MemoryState::Forgotten);
        let gone: Vec<u64> = gone.iter().map(|one| one.key).collect();
        let items: Vec<Item> = there.iter().map(|one| item(one.key, &one.memory)).collect();
        // Those whose words have changed have no vector any more.
        let unembedded = self.unembedded(store, items.iter().map(|item| item.key))?;
        let put = || {
            index.put(&items)?;
            fail::fail_point!("memories.indexing");
            index.remove(&gone)?;
            index.remove_vectors(&[unembedded, gone.clone()].concat())?;
            index.commit(upto)?;
            if gone.is_empty() { Ok(()) } else { index.purge() }
        };
        put().map_err(unusable)?;
        Ok(Part::Done)
    }

    /// Finds or makes vectors for some of the texts that have none; `None` when
    /// none is left, or the model cannot be used. Blocks.
    pub(super) fn some_vectors(&self, store: &Store) -> Result<Option<(Made, Made)>, Fault> {
        let keys = self.with(|opened| Ok(opened.index.without_vector(EMBEDDED_AT_ONCE)))?;
        let (mut kept, mut wanted) = (Made::new(), Vec::new());
        for key in keys {
            let (vector, memory) = store.read(|read| {
                let vector = memory_vectors::find(read, key, &self.embedders.embedding.id)?;
                Ok::<_, StoreError>((vector, memories::by_key(read, key)?))
            })?;
            let Some(memory) = memory else { continue };
            match vector.as_deref().and_then(|bytes| self.vector_of(bytes)) {
                Some(vector) => kept.push((key, memory.version, vector)),
                None => wanted.push((key, memory.version, memory.text)),
            }
        }
        if wanted.is_empty() {
            return Ok(Some((kept, Made::new())).filter(|(kept, _)| !kept.is_empty()));
        }
        let texts: Vec<&str> = wanted.iter().map(|(_, _, text)| text.as_str()).collect();
        let Ok(vectors) = self.embedders.passages(&texts) else { return Ok(None) };
        let made = wanted.iter().zip(vectors);
        let made = made.map(|((key, version, _), vector)| (*key, *version, vector)).collect();
        Ok(Some((kept, made)))
    }

    /// Those of the memories for which no vector is kept. Blocks.
    fn unembedded(
        &self,
        store: &Store,
        keys: impl Iterator<Item = u64>,
    ) -> Result<Vec<u64>, StoreError> {
        let model = &self.embedders.embedding.id;
        store.read(|read| {
            let mut unembedded = Vec::new();
            for key in keys {
                if memory_vectors::find(read, key, model)?.is_none() {
                    unembedded.push(key);
                }
            }
            Ok(unembedded)
        })
    }

    /// Blocks.
    pub(super) fn put_vectors(&self, store: &Store, vectors: &Made) -> Result<(), Fault> {
        let vectors: Vec<(u64, Vec<f32>)> =
            vectors.iter().map(|(key, _, vector)| (*key, vector.clone())).collect();
        self.with(|Opened { index, .. }| {
            index.put_vectors(&vectors).map_err(unusable)?;
            // What changed while the model was asked has other words now.
            let stale = self.unembedded(store, vectors.iter().map(|(key, _)| *key))?;
            index.remove_vectors(&stale).map_err(unusable)
        })
    }

    /// Builds the graph that makes searches among very many fast, if that is due;
    /// searches go on meanwhile. Blocks.
    pub(super) fn build_graph(&self, go_on: impl Fn() -> bool + Sync) -> Result<(), Fault> {
        self.with(|Opened { index, .. }| match index.wants_graph() {
            // One core, as for the model.
            true => index.build_graph(1, |_| go_on()).map_err(unusable),
            false => Ok(()),
        })
    }

    /// Gives back what is held for writing. Blocks.
    pub(super) fn rest(&self) {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(error)) = opened.as_ref().map(|opened| opened.index.rest()) {
            tracing::warn!(%error, "the search index keeps what it holds for writing");
        }
    }

    fn vector_of(&self, bytes: &[u8]) -> Option<Vec<f32>> {
        let numbers = bytes
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        Some(numbers.collect())
            .filter(|numbers: &Vec<f32>| numbers.len() == self.embedders.embedding.dimensions)
    }

    /// Does something with the index, which is opened for it if need be.
    fn with<T>(&self, work: impl FnOnce(&Opened) -> Result<T, Fault>) -> Result<T, Fault> {
        loop {
            let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(opened) = &*opened {
                return work(opened);
            }
            drop(opened);
            let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
            if opened.is_none() {
                *opened = Some(self.open()?);
            }
        }
    }

    fn open(&self) -> Result<Opened, Fault> {
        let Embedding { id, dimensions, .. } = &self.embedders.embedding;
        let found = Index::open(&self.folder, id, *dimensions).map_err(unusable)?;
        let made_again = found.texts_lost.or(found.vectors_lost);
        if let Some(why) = &made_again {
            tracing::warn!("the search index is made again: {why}");
        }
        Ok(Opened { index: found.index, made_again })
    }
}

/// On a thread that may wait.
pub(super) async fn blocking<T: Send + 'static>(
    shared: &Arc<Shared>,
    work: impl FnOnce(&Shared) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let with = shared.clone();
    let done = tokio::task::spawn_blocking(move || work(&with)).await;
    done.unwrap_or_else(|error| {
        Err(Fault::new(FaultCode::Internal, error.to_string(), "report this"))
    })
}

fn item(key: u64, memory: &Memory) -> Item {
    let tags = memory.tags.join(" ");
    Item {
        key,
        pool: scope::number(memory.scope),
        kind: sort(memory.kind, standing(memory.state)),
        at_ms: memory.valid_from_ms.unwrap_or(memory.created_at_ms),
        turn: None,
        text: if tags.is_empty() { memory.text.clone() } else { format!("{} {tags}", memory.text) },
    }
}

fn standing(state: MemoryState) -> Standing {
    match state {
        MemoryState::Current => Standing::Holding,
        MemoryState::Contested(_) => Standing::Contested,
        MemoryState::Superseded(_) | MemoryState::Wrong | MemoryState::Forgotten => Standing::Past,
    }
}

/// How the index calls a kind of memory that stands so. What holds and what
/// held once differ by the time alone, which the index does not know.
pub(super) fn sort(kind: MemoryKind, standing: Standing) -> u8 {
    let kind = MemoryKind::ALL.iter().position(|one| *one == kind).unwrap_or_default() as u8;
    kind + match standing {
        Standing::Holding | Standing::Any => 0,
        Standing::Contested => 8,
        Standing::Past => 16,
    }
}

fn unusable(error: search::Error) -> Fault {
    let fix = "run coterie memory rebuild; nothing that is remembered is lost";
    Fault::new(FaultCode::Storage, error.to_string(), fix)
}
