//! The index: put texts and vectors in, search them.

mod apart;
mod general;

use crate::across::{self, SAMPLE};
use crate::catalog::{Allowed, Catalog, Row};
use crate::error::reading;
use crate::hybrid::{self, CANDIDATES, Candidate, Weighed};
use crate::lexical::{self, Scores};
use crate::query::{Hit, Leg, Parts, Query};
use crate::standing::Standing;
use crate::text::{Committed, Owes, Text};
use crate::vectors::{Flat, Graph, Place};
use crate::words::Writing;
use crate::{Error, Item};
use apart::Reach;
use general::General;
use numkong::Dot;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, RwLock};
use tantivy::Searcher;

/// Changes when what is on the disk is made differently. An older index is
/// thrown away and filled anew.
const VERSION: u32 = 4;

/// Up to how many vectors are compared one by one.
const COMPARED: usize = 20_000;
/// Following the graph past rows that may not be found wastes its steps: with
/// fewer than one in so many allowed, those are compared one by one.
const TOO_FEW: usize = 8;

/// How many texts by themselves draw the query to them.
const DRAWN_BY: usize = 3;
/// From how many words on they draw it as far as they can: half the way. What
/// a short one is about beside the query is chance, so it draws by less than its part.
const DRAWING_WORDS: f32 = 100.0;
const DRAWING_BENT: f32 = 2.0;

pub struct Index {
    folder: PathBuf,
    model: String,
    dimensions: usize,
    text: Mutex<Text>,
    state: RwLock<State>,
}

/// What a search reads, as of the last commit.
struct State {
    searcher: Searcher,
    catalog: Catalog,
    flat: Flat,
    standing: Standing,
    graph: Option<Graph>,
    /// How often vectors were taken out since it was opened.
    taken_out: u64,
}

/// An opened index, and what of it has to be filled again.
pub struct Opened {
    pub index: Index,
    /// Why the texts are gone: put all of them again.
    pub texts_lost: Option<String>,
    /// Why the vectors are gone: put all of them again. Those of another model, which are
    /// gone too, are not lost: none were made by this one.
    pub vectors_lost: Option<String>,
}

impl Index {
    /// Opens the index in a folder, for vectors of a model. What is damaged, or
    /// of another version or model, is thrown away: all of it is derived.
    pub fn open(folder: &Path, model: &str, dimensions: usize) -> Result<Opened, Error> {
        let made = |folder: &Path| {
            std::fs::create_dir_all(folder)
                .map_err(|source| Error::Disk { path: folder.to_owned(), source })
        };
        let texts = folder.join(format!("text-{VERSION}"));
        made(&texts)?;
        let (text, texts_lost) = match reading(|| Text::open(&texts)) {
            Ok(text) => (text, None),
            Err(error) => {
                removed(&texts)?;
                made(&texts)?;
                (Text::open(&texts)?, Some(error.to_string()))
            }
        };
        let vectors = folder.join(format!("vectors-{VERSION}"));
        made(&vectors)?;
        let (flat, vectors_lost) = match Flat::open(&vectors.join("flat"), model, dimensions) {
            Ok(flat) => (flat, None),
            Err(error) => {
                removed(&vectors)?;
                made(&vectors)?;
                let lost = match error {
                    Error::OtherModel { .. } => None,
                    error => Some(error.to_string()),
                };
                (Flat::open(&vectors.join("flat"), model, dimensions)?, lost)
            }
        };
        let graph = Graph::open(&vectors.join("graph"), dimensions)
            .filter(|graph| graph.covers <= flat.len());
        without_older(folder)?;
        let searcher = text.searcher();
        let catalog = reading(|| Catalog::read(&searcher, text.fields))?;
        let standing = Standing::of(&catalog, &flat);
        let index = Index {
            folder: vectors,
            model: model.to_owned(),
            dimensions,
            text: Mutex::new(text),
            state: RwLock::new(State { searcher, catalog, flat, standing, graph, taken_out: 0 }),
        };
        Ok(Opened { index, texts_lost, vectors_lost })
    }

    /// Opens one that compares words alone.
    pub fn open_words(folder: &Path) -> Result<Opened, Error> {
        Index::open(folder, "words alone", 0)
    }

    /// The model whose vectors it holds.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Puts texts in; they are found after the next commit.
    pub fn put(&self, items: &[Item]) -> Result<(), Error> {
        self.text().put(items)
    }

    /// Takes texts out; they are gone after the next commit.
    pub fn remove(&self, keys: &[u64]) -> Result<(), Error> {
        self.text().remove(keys)
    }

    /// Makes everything put and removed durable and visible. `upto` says how
    /// far the caller's record of changes is now in the index.
    pub fn commit(&self, upto: u64) -> Result<(), Error> {
        self.committed(upto, Owes::Nothing)
    }

    /// The same, and notes with it that `purge` is owed, until that is done.
    pub fn commit_to_purge(&self, upto: u64) -> Result<(), Error> {
        self.committed(upto, Owes::Purge)
    }

    /// Whether words of texts that are gone may still be in the files.
    pub fn owes_purge(&self) -> Result<bool, Error> {
        Ok(self.text().committed()?.owes == Owes::Purge)
    }

    fn committed(&self, upto: u64, owes: Owes) -> Result<(), Error> {
        let mut text = self.text();
        reading(|| text.commit(Committed { upto, owes }))?;
        let searcher = text.searcher();
        let catalog = reading(|| Catalog::read(&searcher, text.fields))?;
        let mut state = self.write();
        state.standing = Standing::of(&catalog, &state.flat);
        (state.searcher, state.catalog) = (searcher, catalog);
        Ok(())
    }

    /// What the last commit said; 0 for an index that is empty or was lost.
    pub fn upto(&self) -> Result<u64, Error> {
        Ok(self.text().committed()?.upto)
    }

    /// Gives back what writing holds.
    pub fn rest(&self) -> Result<(), Error> {
        self.text().rest()
    }

    /// Puts vectors in, durably; they are found at once.
    pub fn put_vectors(&self, vectors: &[(u64, Vec<f32>)]) -> Result<(), Error> {
        let mut state = self.write();
        let State { catalog, flat, standing, .. } = &mut *state;
        flat.put(vectors)?;
        for (key, _) in vectors {
            if let (Some(row), Some(place)) = (catalog.row(*key), flat.place(*key)) {
                standing.put(row, place);
            }
        }
        Ok(())
    }

    /// Takes vectors out, and their numbers out of the file. A graph that knows
    /// them is built again when somebody asks `wants_graph`; when nobody does
    /// before the process ends, the next one deletes it.
    pub fn remove_vectors(&self, keys: &[u64]) -> Result<(), Error> {
        let mut state = self.write();
        let State { catalog, flat, standing, graph, taken_out, .. } = &mut *state;
        if let Some(graph) = graph.as_mut()
            && flat.stood_before(keys, graph.covers)
        {
            Graph::unseal(&self.folder.join("graph"))?;
            graph.stale = true;
        }
        if !flat.remove(keys)?.is_empty() {
            *taken_out += 1;
        }
        for row in keys.iter().filter_map(|key| catalog.row(*key)) {
            standing.remove(row);
        }
        Ok(())
    }

    /// Writes the words of texts that are gone out of the files. What was
    /// removed must have been committed. Waits for the disk.
    pub fn purge(&self) -> Result<(), Error> {
        let mut text = self.text();
        reading(|| text.purge())?;
        let searcher = text.searcher();
        let catalog = reading(|| Catalog::read(&searcher, text.fields))?;
        let mut state = self.write();
        state.standing = Standing::of(&catalog, &state.flat);
        // The one before it holds the old files.
        (state.searcher, state.catalog) = (searcher, catalog);
        drop(state);
        text.sweep()?;
        let upto = text.committed()?.upto;
        text.commit(Committed { upto, owes: Owes::Nothing })
    }

    /// How many texts there are, and how many of them have no vector yet.
    pub fn count(&self) -> (usize, usize) {
        let state = self.read();
        let without = state.catalog.rows().filter(|row| state.standing.place(*row).is_none());
        let without = without.count();
        (state.catalog.texts(), without)
    }

    /// Some of the texts that have no vector yet.
    pub fn without_vector(&self, limit: usize) -> Vec<u64> {
        let state = self.read();
        let rows = state.catalog.rows().filter(|row| state.standing.place(*row).is_none());
        rows.take(limit).map(|row| state.catalog.keys[row as usize]).collect()
    }

    /// Whether so many vectors came since the graph was built that it is worth
    /// building again.
    pub fn wants_graph(&self) -> bool {
        let state = self.read();
        let known = state.graph.as_ref().map_or(0, |graph| graph.covers);
        if state.graph.as_ref().is_some_and(|graph| graph.stale) {
            return true;
        }
        state.flat.len() > COMPARED && state.flat.len() - known > COMPARED.max(known / 4)
    }

    /// Builds the graph of all vectors, while searches go on. `go_on` is told
    /// how many are in, and ends it by saying no.
    pub fn build_graph(
        &self,
        threads: usize,
        go_on: impl Fn(usize) -> bool + Sync,
    ) -> Result<(), Error> {
        let taken_out = self.read().taken_out;
        // Read through a mapping of its own, so that no search waits.
        let flat = Flat::open(&self.folder.join("flat"), &self.model, self.dimensions)?;
        if let Some(graph) = Graph::build(&flat, self.dimensions, threads, go_on)? {
            let path = self.folder.join("graph");
            graph.save(&path)?;
            let mut state = self.write();
            state.graph = Graph::open(&path, self.dimensions);
            // What was taken out meanwhile may be in it.
            if state.taken_out != taken_out
                && let Some(graph) = &mut state.graph
            {
                Graph::unseal(&path)?;
                graph.stale = true;
            }
        }
        Ok(())
    }

    /// The texts that fit a query best, best first.
    pub fn search(&self, query: &Query) -> Result<Vec<Hit>, Error> {
        reading(|| self.found(query))
    }

    fn found(&self, query: &Query) -> Result<Vec<Hit>, Error> {
        let words_field = self.text().fields.words;
        let state = self.read();
        let allowed = state.catalog.allowed(query);
        let general = || state.general(query, &allowed);
        let general = (query.leg == Leg::Hybrid).then(general).flatten();
        let query = &Query { across: state.lacking(query, &allowed), ..query.clone() };
        let reach = CANDIDATES.max(query.limit);
        let by_vector = || match query.vector {
            Some(vector) => state.nearest(&Asked::of(query, vector), &allowed, reach),
            None => Ok(Vec::new()),
        };
        let scores =
            || lexical::scores(&state.searcher, words_field, &state.catalog, &allowed, query);
        let by_words =
            |scores: &Scores| best(scores.found.iter().map(|row| (*row, scores.of(*row))), reach);
        let mut hits = match query.leg {
            Leg::Lexical => state
                .hits(&by_words(&scores()?), |score| Parts { lexical: score, ..Parts::default() }),
            Leg::Vector => {
                state.hits(&by_vector()?, |score| Parts { vector: Some(score), ..Parts::default() })
            }
            Leg::Hybrid => {
                let scores = scores()?;
                let vectors = by_vector()?;
                let legs =
                    Legs { scores: &scores, by_words: &by_words(&scores), by_vector: &vectors };
                let mut hits = state.hybrid(query, &allowed, &legs, general.as_ref());
                let reach = Reach { with_all: scores.with_all, among: allowed.rows.len() };
                let first = hits.len().min(query.limit);
                state.tell_apart(query, &reach, &mut hits[..first]);
                hits
            }
        };
        hits.truncate(query.limit);
        Ok(hits)
    }

    fn text(&self) -> std::sync::MutexGuard<'_, Text> {
        self.text.lock().expect("nobody panics while writing")
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().expect("nobody panics while writing")
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.state.write().expect("nobody panics while writing")
    }
}

impl State {
    /// The rows whose vectors are nearest, with their cosines, nearest first.
    fn nearest(
        &self,
        asked: &Asked,
        allowed: &Allowed,
        limit: usize,
    ) -> Result<Vec<(Row, f32)>, Error> {
        let few = allowed.rows.len() <= COMPARED.max(self.flat.len() / TOO_FEW);
        let Some(graph) = self.graph.as_ref().filter(|_| !few) else {
            let mut compare = self.compare(asked);
            return Ok(best(
                allowed.rows.iter().filter_map(|row| Some((*row, compare(*row)?))),
                limit,
            ));
        };
        let row_at = |place| self.standing.row(place);
        let may_be_found = |place| row_at(place).is_some_and(|row| allowed.contains(row));
        let proposed = graph.nearest(asked.vector, limit, may_be_found)?;
        let later = graph.covers as Place..self.flat.len() as Place;
        let rows = proposed
            .into_iter()
            .chain(later)
            .filter_map(row_at)
            .filter(|row| allowed.contains(*row));
        let mut compare = self.compare(asked);
        Ok(best(rows.filter_map(|row| Some((row, compare(row)?))), limit))
    }

    /// Compares a vector with a row's, if that has one.
    fn compare<'a>(&'a self, asked: &'a Asked) -> impl FnMut(Row) -> Option<f32> + 'a {
        let mut numbers = vec![0.0_f32; asked.vector.len()];
        move |row| {
            let place = self.standing.place(row)?;
            self.flat.read(place, &mut numbers);
            f32::dot(asked.vector, &numbers).map(|cosine| cosine as f32 + self.lacks(asked, row))
        }
    }

    /// What the cosine of a row's vector lacks across scripts.
    fn lacks(&self, asked: &Asked, row: Row) -> f32 {
        if self.catalog.has(row, asked.dense) { 0.0 } else { asked.across }
    }

    /// What the cosine lacks between this query and texts of the other sort of script.
    fn lacking(&self, query: &Query, allowed: &Allowed) -> f32 {
        let Some(vector) = query.vector.filter(|_| query.across > 0.0) else { return 0.0 };
        let dense = Writing::of(query.text).is_dense();
        let bare = Asked { vector, dense, across: 0.0 };
        let mut compare = self.compare(&bare);
        let (mut own, mut other) = (Vec::new(), Vec::new());
        let step = allowed.rows.len().div_ceil(SAMPLE).max(1);
        for row in allowed.rows.iter().step_by(step) {
            let of_sort = if self.catalog.has(*row, dense) { &mut own } else { &mut other };
            of_sort.extend(compare(*row));
        }
        across::lacking(&own, &other, query.across)
    }

    fn hybrid(
        &self,
        query: &Query,
        allowed: &Allowed,
        legs: &Legs,
        general: Option<&General>,
    ) -> Vec<Hit> {
        let mut rows = Vec::new();
        let mut known = HashSet::new();
        let mut add = |rows: &mut Vec<Row>, row| {
            if known.insert(row) {
                rows.push(row);
            }
        };
        for (row, _) in legs.by_words.iter().chain(legs.by_vector) {
            add(&mut rows, *row);
        }
        let seen = rows.len();
        for at in 0..seen {
            for row in
                self.around(rows[at]).into_iter().flatten().filter(|row| allowed.contains(*row))
            {
                add(&mut rows, row);
            }
        }
        let dense = Writing::of(query.text).is_dense();
        let weighed = Weighed { dense, with_all: legs.scores.with_all };
        let candidates_by = |vector: Option<&[f32]>| {
            let asked = vector.map(|vector| Asked::of(query, vector));
            self.candidates(&rows, legs.scores, asked.as_ref(), general)
        };
        let mut candidates = candidates_by(query.vector);
        let mut fused = hybrid::fuse(&candidates, seen, weighed);
        if let Some(drawn) = query.vector.and_then(|vector| self.drawn(vector, &candidates, &fused))
        {
            candidates = candidates_by(Some(&drawn));
            fused = hybrid::fuse(&candidates, seen, weighed);
        }
        let ranked = hybrid::with_context(&self.catalog, &candidates, &fused);
        let hit = |one: hybrid::Ranked| Hit {
            key: self.catalog.keys[one.row as usize],
            score: one.total,
            parts: one.parts,
        };
        ranked.into_iter().map(hit).collect()
    }

    fn candidates(
        &self,
        rows: &[Row],
        scores: &Scores,
        asked: Option<&Asked>,
        general: Option<&General>,
    ) -> Vec<Candidate> {
        let mut compare = asked.map(|asked| (asked, self.compare(asked)));
        let mut near = |row| {
            let (asked, compare) = compare.as_mut()?;
            let near = compare(row)?;
            Some(general.map_or(near, |general| self.in_particular(general, asked, row, near)))
        };
        let mut candidate = |row| Candidate { row, lexical: scores.of(row), vector: near(row) };
        rows.iter().map(|row| candidate(*row)).collect()
    }

    /// The query's vector, drawn towards the best candidates, if those are
    /// texts by themselves.
    fn drawn(&self, vector: &[f32], candidates: &[Candidate], fused: &[f32]) -> Option<Vec<f32>> {
        let ranked =
            best(candidates.iter().zip(fused).map(|(one, score)| (one.row, *score)), DRAWN_BY);
        if ranked.iter().any(|(row, _)| self.catalog.conversation(*row).is_some()) {
            return None;
        }
        let words: u32 = ranked.iter().map(|(row, _)| self.catalog.lengths[*row as usize]).sum();
        let words = words as f32 / DRAWN_BY as f32 / DRAWING_WORDS;
        let pull = words.min(1.0).powf(DRAWING_BENT);
        let mut drawn = vector.to_vec();
        let mut numbers = vec![0.0; vector.len()];
        let places = ranked.iter().filter_map(|(row, _)| self.standing.place(*row));
        for place in places {
            self.flat.read(place, &mut numbers);
            for (sum, number) in drawn.iter_mut().zip(&numbers) {
                *sum += pull / DRAWN_BY as f32 * number;
            }
        }
        let length = drawn.iter().map(|number| number * number).sum::<f32>().sqrt();
        drawn.iter_mut().for_each(|number| *number /= length);
        Some(drawn)
    }

    fn around(&self, row: Row) -> [Option<Row>; 3] {
        let before = self.catalog.before(row);
        [before, before.and_then(|row| self.catalog.before(row)), self.catalog.after(row)]
    }

    fn hits(&self, ranked: &[(Row, f32)], parts: impl Fn(f32) -> Parts) -> Vec<Hit> {
        let hit = |&(row, score): &(Row, f32)| Hit {
            key: self.catalog.keys[row as usize],
            score,
            parts: parts(score),
        };
        ranked.iter().map(hit).collect()
    }
}

/// What both legs found.
struct Legs<'a> {
    scores: &'a Scores,
    by_words: &'a [(Row, f32)],
    by_vector: &'a [(Row, f32)],
}

/// A vector that is compared, and what the text it stands for is like.
struct Asked<'a> {
    vector: &'a [f32],
    dense: bool,
    across: f32,
}

impl<'a> Asked<'a> {
    fn of(query: &Query, vector: &'a [f32]) -> Self {
        Asked { vector, dense: Writing::of(query.text).is_dense(), across: query.across }
    }
}

/// The rows with the highest scores, highest first; the lower row first where
/// two are equal.
fn best(scored: impl Iterator<Item = (Row, f32)>, limit: usize) -> Vec<(Row, f32)> {
    let mut scored: Vec<(Row, f32)> = scored.collect();
    let order = |a: &(Row, f32), b: &(Row, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if scored.len() > limit && limit > 0 {
        scored.select_nth_unstable_by(limit - 1, order);
        scored.truncate(limit);
    }
    scored.sort_unstable_by(order);
    scored
}

/// Deletes what an earlier version made, with the words in it.
fn without_older(folder: &Path) -> Result<(), Error> {
    for version in 1..VERSION {
        for older in [format!("text-{version}"), format!("vectors-{version}")] {
            let older = folder.join(older);
            if older.is_dir() {
                removed(&older)?;
            }
        }
    }
    Ok(())
}

fn removed(folder: &Path) -> Result<(), Error> {
    std::fs::remove_dir_all(folder)
        .map_err(|source| Error::Disk { path: folder.to_owned(), source })
}
