//! Makes one ranking of what the words and the vectors find.
//!
//! Each step was chosen by measuring (docs/retrieval.md):
//!
//! 1. The best of each leg are the candidates. BM25 is divided by its highest, and
//!    where even that has little of what a text with the whole query would have, it
//!    counts much less: one word in common by chance says nothing. The cosine is
//!    stretched from the least of the candidates to the highest. What is near the
//!    best of its leg counts for more than in proportion; the weighed sum beats
//!    fusion by ranks, which loses how sure each leg is.
//! 2. A turn of a conversation stands for what is talked about around it: it
//!    takes a part of the scores of its neighbours, most of a question that it
//!    follows, since it may be the answer; and a part of the best of its
//!    conversation. The more of a turn asks, the less it is worth.
//! 3. That orders turns among themselves. A text that stands alone has nobody to
//!    take from, so turns share out anew what they had by themselves. Beside it
//!    they count a little less, since they are many.
//! 4. Texts by themselves have no neighbours; there the best three draw the
//!    query's vector to themselves (Rocchio, 1971), the more the longer they
//!    are, and the candidates are compared with that.

use crate::catalog::{Catalog, Row};
use crate::query::Parts;
use std::cmp::Ordering;
use std::collections::HashMap;

/// How many of each leg are candidates.
pub(crate) const CANDIDATES: usize = 100;

/// The vector's part of the sum. It is larger for queries in scripts without
/// spaces, where pairs of characters say less than words do.
const VECTOR_PART: f32 = 0.5;
const VECTOR_PART_DENSE: f32 = 0.7;

/// Both legs are bent by it: half of the best is a third of it.
const BENT: f32 = 1.5;

/// The words are sure from this part on of what a text with all of the query's would
/// have. Below, they count by the square of it.
const SURE: f32 = 0.5;
/// The same in scripts without spaces, where they count in proportion below it: pairs of
/// characters that no text has are mostly no words, and say less about the others.
const SURE_DENSE: f32 = 0.25;

/// What a turn takes of the one before it, if that asks and if it states something.
const OF_A_QUESTION_BEFORE: f32 = 0.8;
const OF_A_STATEMENT_BEFORE: f32 = 0.1;
/// And of the one before that, and of the one after it.
const OF_THE_SECOND_BEFORE: f32 = 0.2;
const OF_THE_ONE_AFTER: f32 = 0.3;
/// What a turn takes of the best of its conversation.
const OF_THE_BEST: f32 = 0.4;
/// What a turn loses that only asks.
const ASKING: f32 = 0.2;
/// A short question at the end of what somebody tells hardly counts.
const SHORT_QUESTION: f32 = 1.5;

/// What a turn counts beside a text that stands alone: there are very many of them,
/// each said in passing, so that one of them always comes near.
const OF_A_TURN: f32 = 0.75;

/// What both legs say of one row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    pub(crate) row: Row,
    pub(crate) lexical: f32,
    pub(crate) vector: Option<f32>,
}

/// What a query is, and what its words could come to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weighed {
    /// Mostly in a script without spaces.
    pub(crate) dense: bool,
    /// What BM25 gives a text of usual length with all of its words.
    pub(crate) with_all: f32,
}

/// Weighs both legs. The first `seen` candidates are those that a leg found;
/// the rest are their neighbours, and set no measure.
pub(crate) fn fuse(candidates: &[Candidate], seen: usize, query: Weighed) -> Vec<f32> {
    let part = if query.dense { VECTOR_PART_DENSE } else { VECTOR_PART };
    let found = &candidates[..seen];
    let highest_words = found.iter().map(|one| one.lexical).fold(f32::MIN_POSITIVE, f32::max);
    let of_all = highest_words / query.with_all.max(f32::MIN_POSITIVE);
    let sure = match query.dense {
        true => (of_all / SURE_DENSE).min(1.0),
        false => (of_all / SURE).min(1.0).powi(2),
    };
    let vectors = || found.iter().filter_map(|one| one.vector);
    let (lowest, highest) =
        (vectors().fold(f32::MAX, f32::min), vectors().fold(f32::MIN, f32::max));
    let bent = |score: f32| score.max(0.0).powf(BENT);
    let weigh = |one: &Candidate| {
        let words = sure * bent(one.lexical / highest_words);
        match one.vector {
            Some(_) if highest <= lowest => (1.0 - part) * words + part,
            Some(vector) => {
                (1.0 - part) * words + part * bent((vector - lowest) / (highest - lowest))
            }
            // Not embedded yet: its words stand for it.
            None => words,
        }
    };
    candidates.iter().map(weigh).collect()
}

/// A candidate in its place.
pub(crate) struct Ranked {
    pub(crate) row: Row,
    pub(crate) parts: Parts,
    pub(crate) total: f32,
    /// Decides between turns of the same score.
    in_context: f32,
}

impl Ranked {
    fn order(&self) -> (f32, f32) {
        (self.total, self.in_context)
    }
}

/// Ranks the candidates, turns by what their conversation says for them; the best first.
pub(crate) fn with_context(
    catalog: &Catalog,
    candidates: &[Candidate],
    fused: &[f32],
) -> Vec<Ranked> {
    let of_row: HashMap<Row, f32> =
        candidates.iter().zip(fused).map(|(one, score)| (one.row, *score)).collect();
    let score_of = |row: Option<Row>| row.and_then(|row| of_row.get(&row)).copied().unwrap_or(0.0);
    let asks = |row: Row| catalog.asks(row).powf(SHORT_QUESTION);
    let around = |row: Row| {
        let (before, after) = (catalog.before(row), catalog.after(row));
        let asked = before.map_or(0.0, asks);
        (OF_A_QUESTION_BEFORE * asked + OF_A_STATEMENT_BEFORE * (1.0 - asked)) * score_of(before)
            + OF_THE_SECOND_BEFORE * score_of(before.and_then(|row| catalog.before(row)))
            + OF_THE_ONE_AFTER * score_of(after)
    };
    let smoothed: Vec<f32> =
        candidates.iter().zip(fused).map(|(one, score)| score + around(one.row)).collect();
    let mut best: HashMap<u64, f32> = HashMap::new();
    for (one, score) in candidates.iter().zip(&smoothed) {
        if let Some(conversation) = catalog.conversation(one.row) {
            let best = best.entry(conversation).or_default();
            *best = best.max(*score);
        }
    }
    let in_context = candidates.iter().zip(&smoothed).map(|(one, smoothed)| {
        let conversation = catalog.conversation(one.row)?;
        Some(smoothed + OF_THE_BEST * best[&conversation] - ASKING * asks(one.row))
    });
    let in_context: Vec<Option<f32>> = in_context.collect();
    let dealt = dealt_anew(&in_context, fused);
    let ranked = candidates.iter().zip(fused).zip(dealt).zip(in_context);
    let ranked = ranked.map(|(((one, &fused), total), in_context)| Ranked {
        row: one.row,
        parts: Parts {
            lexical: one.lexical,
            vector: one.vector,
            fused,
            context: total - fused,
            apart: None,
        },
        total,
        in_context: in_context.unwrap_or(total),
    });
    let mut ranked: Vec<Ranked> = ranked.collect();
    let key = |one: &Ranked| catalog.keys[one.row as usize];
    let by_score =
        |a: &Ranked, b: &Ranked| b.order().partial_cmp(&a.order()).unwrap_or(Ordering::Equal);
    ranked.sort_by(|a, b| by_score(a, b).then(key(a).cmp(&key(b))));
    ranked
}

/// The scores that turns have by themselves, the best of them to the best turn in
/// its context and so on. A text that stands alone keeps its own.
fn dealt_anew(in_context: &[Option<f32>], fused: &[f32]) -> Vec<f32> {
    let mut turns: Vec<(usize, f32)> =
        in_context.iter().enumerate().filter_map(|(at, turn)| Some((at, (*turn)?))).collect();
    turns.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut scores: Vec<f32> = turns.iter().map(|(at, _)| fused[*at]).collect();
    scores.sort_by(|a, b| b.total_cmp(a));
    let mut dealt = fused.to_vec();
    for ((at, _), score) in turns.into_iter().zip(scores) {
        dealt[at] = OF_A_TURN * score;
    }
    dealt
}
