//! Ranks texts by the words they share with a query: Okapi BM25 in the form of
//! Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with
//! the smoothed idf that Lucene uses.
//!
//! tantivy's own ranking has its constants built in and counts the whole index;
//! here rarity and length are those of the rows a query may find.

use crate::catalog::{Allowed, Catalog, Row};
use crate::{Error, Query, words};
use std::collections::BTreeSet;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Searcher, TERMINATED, Term};

/// How soon a word said again counts less.
const K1: f32 = 0.9;
/// How much a long text must say it more often.
const B: f32 = 0.4;

/// Of the words that begin as an unfinished one does, as many as are looked up.
const MOST_WAYS_ON: usize = 100;

/// The score of each row that has a word of the query.
pub(crate) struct Scores {
    of_row: Vec<f32>,
    /// The rows with a score above zero, in no order.
    pub(crate) found: Vec<Row>,
    /// What a text of usual length with every word of the query would have.
    pub(crate) with_all: f32,
}

impl Scores {
    pub(crate) fn of(&self, row: Row) -> f32 {
        self.of_row[row as usize]
    }
}

pub(crate) fn scores(
    searcher: &Searcher,
    words_field: Field,
    catalog: &Catalog,
    allowed: &Allowed,
    query: &Query,
) -> Result<Scores, Error> {
    let mut scores = Scores { of_row: vec![0.0; catalog.len()], found: Vec::new(), with_all: 0.0 };
    let average = allowed.average_length().max(1.0);
    let mut add = |uses: Vec<(Row, u32)>| {
        let (texts, with_it) = (allowed.rows.len() as f32, uses.len() as f32);
        let rarity = (1.0 + (texts - with_it + 0.5) / (with_it + 0.5)).ln();
        scores.with_all += rarity;
        for (row, times) in uses {
            let times = times as f32;
            let length = catalog.lengths[row as usize] as f32 / average;
            let score = &mut scores.of_row[row as usize];
            if *score == 0.0 {
                scores.found.push(row);
            }
            *score += rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length));
        }
    };
    for word in words::of_query(query.text) {
        add(uses(searcher, words_field, &[word], allowed)?);
    }
    if let Some(beginning) =
        Some(query.text).filter(|_| query.unfinished).and_then(words::unfinished)
    {
        // Whatever it will be, it is one word.
        let ways = ways_on(searcher, words_field, &beginning)?;
        add(uses(searcher, words_field, &ways, allowed)?);
    }
    Ok(scores)
}

/// The words in the index that one begun so may come to be.
fn ways_on(searcher: &Searcher, field: Field, beginning: &str) -> Result<Vec<String>, Error> {
    let mut ways: BTreeSet<String> = words::stems_within(beginning).map(str::to_owned).collect();
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(field)?;
        let known = index.terms();
        let mut known =
            known.range().ge(beginning).into_stream().map_err(tantivy::TantivyError::from)?;
        let mut taken = 0;
        while taken < MOST_WAYS_ON && known.advance() {
            let Ok(word) = std::str::from_utf8(known.key()) else { continue };
            if !word.starts_with(beginning) {
                break;
            }
            ways.insert(word.to_owned());
            taken += 1;
        }
    }
    Ok(ways.into_iter().collect())
}

/// The allowed rows that have one of some words, and how often.
fn uses(
    searcher: &Searcher,
    field: Field,
    words: &[String],
    allowed: &Allowed,
) -> Result<Vec<(Row, u32)>, Error> {
    let mut uses = Vec::new();
    let mut first_row = 0;
    for segment in searcher.segment_readers() {
        let index = segment.inverted_index(field)?;
        for word in words {
            let word = Term::from_field_text(field, word);
            let postings = index.read_postings(&word, IndexRecordOption::WithFreqs);
            if let Some(mut postings) = postings.map_err(tantivy::TantivyError::from)? {
                while postings.doc() != TERMINATED {
                    let row = first_row + postings.doc();
                    if allowed.contains(row) {
                        uses.push((row, postings.term_freq()));
                    }
                    postings.advance();
                }
            }
        }
        first_row += segment.max_doc();
    }
    if words.len() > 1 {
        uses.sort_unstable();
        uses.dedup_by(|later, first| {
            let is_same = later.0 == first.0;
            if is_same {
                first.1 += later.1;
            }
            is_same
        });
    }
    Ok(uses)
}
