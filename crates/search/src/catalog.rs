//! What is known of each text, in memory, as of one commit.
//!
//! A text's row is its place among the documents of all segments. Rows are
//! numbered anew at each commit, keys are for ever.
//!
//! It is there for each message that was ever said, and for a moment twice when it is
//! read anew: what most texts do not have takes no room, and what is looked for lies in
//! sorted lists.

use crate::text::Fields;
use crate::{Error, Query};
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
    /// In hundredths.
    asks: Vec<u8>,
    /// Whether a good part is in scripts without spaces, and in ones with them.
    written: Vec<(bool, bool)>,
    turns: Turns,
    /// The rows of all texts that there are, in the order of their keys.
    by_key: Vec<Row>,
    /// The same, pool by pool.
    by_pool: Vec<Row>,
}

/// What rows have that were said in conversations; nothing where none was.
#[derive(Default)]
struct Turns {
    conversations: Vec<Option<u64>>,
    before: Vec<Row>,
    after: Vec<Row>,
}

impl Catalog {
    pub(crate) fn read(searcher: &Searcher, fields: Fields) -> Result<Catalog, Error> {
        let rows = searcher.segment_readers().iter().map(|segment| segment.max_doc() as usize);
        let mut catalog = Catalog::with_room(rows.sum());
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
                let row = catalog.keys.len() as Row;
                catalog.keys.push(keys.first(doc).unwrap_or_default());
                catalog.pools.push(pools.first(doc).unwrap_or_default());
                catalog.kinds.push(kinds.first(doc).unwrap_or_default() as u8);
                catalog.at_ms.push(at_ms.first(doc).unwrap_or_default());
                catalog.lengths.push(lengths.first(doc).unwrap_or_default() as u32);
                catalog.asks.push(asks.first(doc).unwrap_or_default() as u8);
                let is = |column: &Column<bool>| column.first(doc).unwrap_or_default();
                catalog.written.push((is(&dense), is(&spaced)));
                turns.extend(turn.map(|(conversation, seq)| (conversation, seq, row)));
                if !segment.is_deleted(doc) {
                    catalog.by_key.push(row);
                }
            }
        }
        catalog.order();
        catalog.link(turns);
        Ok(catalog)
    }

    fn with_room(rows: usize) -> Catalog {
        Catalog {
            keys: Vec::with_capacity(rows),
            pools: Vec::with_capacity(rows),
            kinds: Vec::with_capacity(rows),
            at_ms: Vec::with_capacity(rows),
            lengths: Vec::with_capacity(rows),
            asks: Vec::with_capacity(rows),
            written: Vec::with_capacity(rows),
            turns: Turns::default(),
            by_key: Vec::with_capacity(rows),
            by_pool: Vec::new(),
        }
    }

    fn order(&mut self) {
        let Catalog { keys, pools, by_key, by_pool, .. } = self;
        by_pool.clone_from(by_key);
        by_key.sort_unstable_by_key(|row| keys[*row as usize]);
        by_pool.sort_unstable_by_key(|row| (pools[*row as usize], *row));
    }

    /// Notes who stands beside whom in each conversation.
    fn link(&mut self, mut turns: Vec<(u64, u64, Row)>) {
        if turns.is_empty() {
            return;
        }
        let mut linked = Turns {
            conversations: vec![None; self.keys.len()],
            before: vec![NONE; self.keys.len()],
            after: vec![NONE; self.keys.len()],
        };
        for (conversation, _, row) in &turns {
            linked.conversations[*row as usize] = Some(*conversation);
        }
        turns.retain(|(_, _, row)| self.row(self.keys[*row as usize]) == Some(*row));
        turns.sort_unstable();
        for pair in turns.windows(2) {
            let ((left_conversation, _, left), (right_conversation, _, right)) = (pair[0], pair[1]);
            // Turns of one conversation in two pools are not to be read together.
            let together = left_conversation == right_conversation
                && self.pools[left as usize] == self.pools[right as usize];
            if together {
                linked.after[left as usize] = right;
                linked.before[right as usize] = left;
            }
        }
        self.turns = linked;
    }

    /// How many rows there are, with those of texts that are gone.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn row(&self, key: u64) -> Option<Row> {
        let at = self.by_key.binary_search_by_key(&key, |row| self.keys[*row as usize]).ok()?;
        Some(self.by_key[at])
    }

    /// How many texts there are.
    pub(crate) fn texts(&self) -> usize {
        self.by_key.len()
    }

    /// The rows of all texts there are.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.by_key.iter().copied()
    }

    fn of_pool(&self, pool: u64) -> &[Row] {
        let pool_of = |row: &Row| self.pools[*row as usize];
        let first = self.by_pool.partition_point(|row| pool_of(row) < pool);
        let count = self.by_pool[first..].partition_point(|row| pool_of(row) == pool);
        &self.by_pool[first..first + count]
    }

    pub(crate) fn before(&self, row: Row) -> Option<Row> {
        self.turns.before.get(row as usize).copied().filter(|row| *row != NONE)
    }

    pub(crate) fn after(&self, row: Row) -> Option<Row> {
        self.turns.after.get(row as usize).copied().filter(|row| *row != NONE)
    }

    pub(crate) fn conversation(&self, row: Row) -> Option<u64> {
        self.turns.conversations.get(row as usize).copied().flatten()
    }

    /// The part of the text that asks, from 0 to 1.
    pub(crate) fn asks(&self, row: Row) -> f32 {
        f32::from(self.asks[row as usize]) / 100.0
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
                    self.allow(query, self.of_pool(*pool), &mut allowed);
                }
            }
            None => self.allow(query, &self.by_key, &mut allowed),
        }
        allowed
    }

    fn allow(&self, query: &Query, rows: &[Row], allowed: &mut Allowed) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Committed, Owes, Text};
    use crate::{Item, Turn};
    use std::mem::size_of_val;
    use tempfile::TempDir;

    fn catalog(items: &[Item]) -> Catalog {
        let folder = TempDir::new().unwrap();
        let mut text = Text::open(folder.path()).unwrap();
        text.put(items).unwrap();
        text.commit(Committed { upto: 1, owes: Owes::Nothing }).unwrap();
        Catalog::read(&text.searcher(), text.fields).unwrap()
    }

    fn said(key: u64, turn: Option<Turn>) -> Item {
        // In no order that the catalog has itself.
        let key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Item { key, pool: key % 7, kind: 0, at_ms: 5, turn, text: "tea?".into() }
    }

    fn bytes(catalog: &Catalog) -> usize {
        let Catalog { keys, pools, kinds, at_ms, lengths, asks, written, turns, by_key, by_pool } =
            catalog;
        let Turns { conversations, before, after } = turns;
        let of_text = size_of_val(&keys[..])
            + size_of_val(&pools[..])
            + size_of_val(&kinds[..])
            + size_of_val(&at_ms[..])
            + size_of_val(&lengths[..])
            + size_of_val(&asks[..])
            + size_of_val(&written[..]);
        let of_turns =
            size_of_val(&conversations[..]) + size_of_val(&before[..]) + size_of_val(&after[..]);
        let lists = size_of_val(&by_key[..]) + size_of_val(&by_pool[..]);
        // Nothing is kept free for more: another commit reads another catalog.
        assert_eq!(keys.capacity(), keys.len());
        assert_eq!(by_key.capacity(), by_key.len());
        of_text + of_turns + lists
    }

    #[test]
    fn a_text_by_itself_takes_some_forty_bytes_and_is_found_by_its_key_and_its_pool() {
        const TEXTS: u64 = 1_000;
        let items: Vec<Item> = (0..TEXTS).map(|key| said(key, None)).collect();
        let catalog = catalog(&items);
        assert!(bytes(&catalog) <= 40 * items.len(), "{} bytes", bytes(&catalog));
        let key_of = |row: Row| catalog.keys[row as usize];
        assert!(items.iter().all(|item| catalog.row(item.key).map(key_of) == Some(item.key)));
        assert_eq!(catalog.row(3), None);
        for pool in 0..8 {
            let mut found: Vec<u64> =
                catalog.of_pool(pool).iter().map(|row| key_of(*row)).collect();
            let of_pool = items.iter().filter(|item| item.pool == pool);
            let mut expected: Vec<u64> = of_pool.map(|item| item.key).collect();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{pool}");
        }
    }

    #[test]
    fn turns_of_a_conversation_stand_beside_each_other_past_one_that_is_replaced() {
        let turn = |seq| Some(Turn { conversation: 9, seq });
        let items: Vec<Item> =
            [0, 7, 14, 7].map(|key| Item { pool: 1, ..said(key, turn(key)) }).into();
        let catalog = catalog(&items);
        let row = |nth: usize| catalog.row(items[nth].key).unwrap();
        assert_eq!(catalog.texts(), 3);
        assert_eq!((catalog.before(row(0)), catalog.after(row(0))), (None, Some(row(1))));
        assert_eq!((catalog.before(row(2)), catalog.after(row(2))), (Some(row(1)), None));
        assert_eq!(catalog.conversation(row(1)), Some(9));
        assert!(catalog.rows().all(|row| catalog.asks(row) > 0.0));
    }
}
