//! What is known of each text, in memory, as of one commit.
//!
//! A text's row is its place among the documents of all segments. Rows are
//! numbered anew at each commit, keys are for ever.

use crate::text::Fields;
use crate::{Error, Query, Turn};
use std::collections::HashMap;
use tantivy::Searcher;
use tantivy::columnar::Column;

pub(crate) type Row = u32;

/// No text there: the row before the first of a conversation.
const NONE: Row = Row::MAX;

#[derive(Default)]
pub(crate) struct Catalog {
    pub(crate) keys: Vec<u64>,
    pools: Vec<u64>,
    kinds: Vec<u8>,
    at_ms: Vec<i64>,
    pub(crate) lengths: Vec<u32>,
    asks: Vec<f32>,
    /// Whether a good part is in scripts without spaces, and in ones with them.
    written: Vec<(bool, bool)>,
    conversations: Vec<Option<u64>>,
    before: Vec<Row>,
    after: Vec<Row>,
    row_of: HashMap<u64, Row>,
    rows_of_pool: HashMap<u64, Vec<Row>>,
}

impl Catalog {
    pub(crate) fn read(searcher: &Searcher, fields: Fields) -> Result<Catalog, Error> {
        let mut catalog = Catalog::default();
        let mut turns = Vec::new();
        let name = |field| fields_name(searcher, field);
        for segment in searcher.segment_readers() {
            let fast = segment.fast_fields();
            let number = |field| Ok::<Column<u64>, Error>(fast.u64(&name(field))?);
            let (keys, pools, kinds, lengths) = (
                number(fields.key)?,
                number(fields.pool)?,
                number(fields.kind)?,
                number(fields.length)?,
            );
            let (conversations, seqs) = (number(fields.conversation)?, number(fields.seq)?);
            let at_ms = fast.i64(&name(fields.at_ms))?;
            let flag = |field| Ok::<Column<bool>, Error>(fast.bool(&name(field))?);
            let (dense, spaced) = (flag(fields.dense)?, flag(fields.spaced)?);
            let asks = number(fields.asks)?;
            for doc in 0..segment.max_doc() {
                let turn = conversations.first(doc).zip(seqs.first(doc));
                let turn = turn.map(|(conversation, seq)| Turn { conversation, seq });
                let row = catalog.keys.len() as Row;
                catalog.keys.push(keys.first(doc).unwrap_or_default());
                catalog.pools.push(pools.first(doc).unwrap_or_default());
                catalog.kinds.push(kinds.first(doc).unwrap_or_default() as u8);
                catalog.at_ms.push(at_ms.first(doc).unwrap_or_default());
                catalog.lengths.push(lengths.first(doc).unwrap_or_default() as u32);
                catalog.asks.push(asks.first(doc).unwrap_or_default() as f32 / 100.0);
                let is = |column: &Column<bool>| column.first(doc).unwrap_or_default();
                catalog.written.push((is(&dense), is(&spaced)));
                catalog.conversations.push(turn.map(|turn| turn.conversation));
                if !segment.is_deleted(doc) {
                    catalog.row_of.insert(catalog.keys[row as usize], row);
                    catalog.rows_of_pool.entry(catalog.pools[row as usize]).or_default().push(row);
                    turns.extend(turn.map(|turn| (turn.conversation, turn.seq, row)));
                }
            }
        }
        catalog.link(turns);
        Ok(catalog)
    }

    /// Notes who stands beside whom in each conversation.
    fn link(&mut self, mut turns: Vec<(u64, u64, Row)>) {
        self.before = vec![NONE; self.keys.len()];
        self.after = vec![NONE; self.keys.len()];
        turns.sort_unstable();
        for pair in turns.windows(2) {
            let ((left_conversation, _, left), (right_conversation, _, right)) = (pair[0], pair[1]);
            // Turns of one conversation in two pools are not to be read together.
            let together = left_conversation == right_conversation
                && self.pools[left as usize] == self.pools[right as usize];
            if together {
                self.after[left as usize] = right;
                self.before[right as usize] = left;
            }
        }
    }

    /// How many rows there are, with those of texts that are gone.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn row(&self, key: u64) -> Option<Row> {
        self.row_of.get(&key).copied()
    }

    /// How many texts there are.
    pub(crate) fn texts(&self) -> usize {
        self.row_of.len()
    }

    /// The rows of all texts there are.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.row_of.values().copied()
    }

    pub(crate) fn before(&self, row: Row) -> Option<Row> {
        Some(self.before[row as usize]).filter(|row| *row != NONE)
    }

    pub(crate) fn after(&self, row: Row) -> Option<Row> {
        Some(self.after[row as usize]).filter(|row| *row != NONE)
    }

    pub(crate) fn conversation(&self, row: Row) -> Option<u64> {
        self.conversations[row as usize]
    }

    /// The part of the text that asks, from 0 to 1.
    pub(crate) fn asks(&self, row: Row) -> f32 {
        self.asks[row as usize]
    }

    /// Whether a good part of the text is in a script of that sort.
    pub(crate) fn has(&self, row: Row, dense: bool) -> bool {
        let (has_dense, has_spaced) = self.written[row as usize];
        if dense { has_dense } else { has_spaced }
    }

    /// The rows a query may find.
    pub(crate) fn allowed(&self, query: &Query) -> Allowed {
        let mut allowed = Allowed { bits: vec![false; self.len()], rows: Vec::new(), length: 0 };
        match query.pools {
            Some(pools) => {
                for pool in pools {
                    self.allow(
                        query,
                        self.rows_of_pool.get(pool).into_iter().flatten(),
                        &mut allowed,
                    );
                }
            }
            None => self.allow(query, self.rows_of_pool.values().flatten(), &mut allowed),
        }
        allowed
    }

    fn allow<'a>(&self, query: &Query, rows: impl Iterator<Item = &'a Row>, allowed: &mut Allowed) {
        for &row in rows {
            let at = row as usize;
            let fits = query.kinds.is_none_or(|kinds| kinds.contains(&self.kinds[at]))
                && query.only.is_none_or(|only| only.contains(&self.keys[at]))
                && query.except.is_none_or(|except| !except.contains(&self.keys[at]))
                && query.since_ms.is_none_or(|since| self.at_ms[at] >= since)
                && query.until_ms.is_none_or(|until| self.at_ms[at] < until);
            if fits && !allowed.bits[at] {
                allowed.bits[at] = true;
                allowed.rows.push(row);
                allowed.length += u64::from(self.lengths[at]);
            }
        }
    }
}

/// The rows a query may find. How rare a word is, and how long a text, is
/// judged among them alone: who searches a few texts must not be answered by
/// what everybody else's say.
pub(crate) struct Allowed {
    bits: Vec<bool>,
    pub(crate) rows: Vec<Row>,
    length: u64,
}

impl Allowed {
    pub(crate) fn contains(&self, row: Row) -> bool {
        self.bits[row as usize]
    }

    /// How many words one of them has, on average.
    pub(crate) fn average_length(&self) -> f32 {
        self.length as f32 / self.rows.len().max(1) as f32
    }
}

fn fields_name(searcher: &Searcher, field: tantivy::schema::Field) -> String {
    searcher.schema().get_field_name(field).to_owned()
}
