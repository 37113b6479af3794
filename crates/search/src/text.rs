//! The text index on the disk: tantivy holds the postings and what is known of
//! each text; how texts are ranked is `lexical`'s.

use crate::words::{self, Writing};
use crate::{Error, Item};
use std::path::Path;
use std::thread;
use std::time::Duration;
use tantivy::directory::error::LockError;
use tantivy::directory::{Directory, MmapDirectory};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{IndexWriter, ReloadPolicy, Searcher, TantivyDocument, TantivyError, Term};

/// What tantivy collects in memory before it writes a segment: its least.
const WRITER_BYTES: usize = 15_000_000;
/// Somebody else has the index open for longer only where something is wrong.
const MOST_TRIES: u32 = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

/// The columns and the words of each text.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) key: Field,
    pub(crate) pool: Field,
    pub(crate) kind: Field,
    pub(crate) at_ms: Field,
    pub(crate) conversation: Field,
    pub(crate) seq: Field,
    pub(crate) length: Field,
    pub(crate) asks: Field,
    pub(crate) dense: Field,
    pub(crate) spaced: Field,
    pub(crate) words: Field,
}

/// What a commit says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Committed {
    /// How far the caller's own record of changes is contained in the index.
    pub(crate) upto: u64,
    pub(crate) owes: Owes,
}

/// What is still to be done after it, however often the process ends before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owes {
    Nothing,
    Purge,
}

const OWES_PURGE: &str = "purge";

impl Committed {
    fn written(self) -> String {
        match self.owes {
            Owes::Nothing => self.upto.to_string(),
            Owes::Purge => format!("{} {OWES_PURGE}", self.upto),
        }
    }

    /// Of nothing, before the first.
    fn read(payload: &str) -> Committed {
        let mut words = payload.split(' ');
        let upto = words.next().and_then(|upto| upto.parse().ok()).unwrap_or(0);
        let owes = if words.next() == Some(OWES_PURGE) { Owes::Purge } else { Owes::Nothing };
        Committed { upto, owes }
    }
}

pub(crate) struct Text {
    index: tantivy::Index,
    reader: tantivy::IndexReader,
    /// Only while there is something to write: it holds memory and threads.
    writer: Option<IndexWriter>,
    pub(crate) fields: Fields,
}

impl Text {
    /// Opens the index in a folder, or makes an empty one in an empty folder.
    pub(crate) fn open(folder: &Path) -> Result<Text, Error> {
        let (schema, fields) = schema();
        let directory = MmapDirectory::open(folder).map_err(TantivyError::from)?;
        let index = tantivy::Index::open_or_create(directory, schema)?;
        whole(&index)?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Text { index, reader, writer: None, fields })
    }

    pub(crate) fn put(&mut self, items: &[Item]) -> Result<(), Error> {
        let fields = self.fields;
        let writer = self.writer()?;
        for item in items {
            writer.delete_term(Term::from_field_u64(fields.key, item.key));
            writer.add_document(document(fields, item))?;
        }
        Ok(())
    }

    pub(crate) fn remove(&mut self, keys: &[u64]) -> Result<(), Error> {
        let key_field = self.fields.key;
        let writer = self.writer()?;
        for key in keys {
            writer.delete_term(Term::from_field_u64(key_field, *key));
        }
        Ok(())
    }

    /// Makes what was put durable and visible, with what is said of it.
    pub(crate) fn commit(&mut self, said: Committed) -> Result<(), Error> {
        let writer = self.writer()?;
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&said.written());
        prepared.commit()?;
        self.reader.reload()?;
        Ok(())
    }

    /// Writes the words of texts that are gone out of the files, where a commit
    /// only marks them. The old files go with `sweep`. Waits for the disk.
    pub(crate) fn purge(&mut self) -> Result<(), Error> {
        // What is being merged already cannot be merged into something else.
        self.rest()?;
        let marked: Vec<_> = self.index.searchable_segment_metas()?;
        let marked = marked.iter().filter(|segment| segment.has_deletes());
        let ids: Vec<_> = marked.map(|segment| segment.id()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let writer = self.writer()?;
        writer.merge(&ids).wait()?;
        self.reader.reload()?;
        Ok(())
    }

    /// Deletes files that nobody searches any more. Waits for the disk.
    pub(crate) fn sweep(&mut self) -> Result<(), Error> {
        self.writer()?.garbage_collect_files().wait()?;
        Ok(())
    }

    /// Lets go of the writer's memory and threads, after its merges have ended.
    pub(crate) fn rest(&mut self) -> Result<(), Error> {
        if let Some(writer) = self.writer.take() {
            writer.wait_merging_threads()?;
            self.reader.reload()?;
        }
        Ok(())
    }

    /// What the last commit said.
    pub(crate) fn committed(&self) -> Result<Committed, Error> {
        let payload = self.index.load_metas()?.payload;
        Ok(Committed::read(&payload.unwrap_or_default()))
    }

    pub(crate) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    fn writer(&mut self) -> Result<&mut IndexWriter, Error> {
        if self.writer.is_none() {
            self.writer = Some(begin_to_write(&self.index)?);
        }
        Ok(self.writer.as_mut().expect("made above"))
    }
}

/// Whoever had it open before may still be ending.
fn begin_to_write(index: &tantivy::Index) -> Result<IndexWriter, Error> {
    let mut tries = 0;
    loop {
        match index.writer_with_num_threads(1, WRITER_BYTES) {
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) if tries < MOST_TRIES => {
                tries += 1;
                thread::sleep(BETWEEN_TRIES);
            }
            writer => return Ok(writer?),
        }
    }
}

/// Fails where a file of a segment is not what was written, or is not on tantivy's list of its
/// files: what is not on it is checked by nobody, and goes when nobody needs it only if it is.
fn whole(index: &tantivy::Index) -> Result<(), Error> {
    let directory = index.directory();
    let listed = directory.list_managed_files();
    let unreadable = TantivyError::from;
    for file in index.load_metas()?.list_segment_files() {
        let is_whole = match listed.contains(&file) {
            true => directory.validate_checksum(&file).map_err(unreadable)?,
            // Not every segment has a file of each kind.
            false => !directory.exists(&file).map_err(unreadable)?,
        };
        if !is_whole {
            return Err(Error::Damaged(file.display().to_string()));
        }
    }
    Ok(())
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let words = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(false),
    );
    let fields = Fields {
        key: schema.add_u64_field("key", NumericOptions::from(INDEXED) | FAST),
        pool: schema.add_u64_field("pool", FAST),
        kind: schema.add_u64_field("kind", FAST),
        at_ms: schema.add_i64_field("at_ms", FAST),
        conversation: schema.add_u64_field("conversation", FAST),
        seq: schema.add_u64_field("seq", FAST),
        length: schema.add_u64_field("length", FAST),
        asks: schema.add_u64_field("asks", FAST),
        dense: schema.add_bool_field("dense", FAST),
        spaced: schema.add_bool_field("spaced", FAST),
        words: schema.add_text_field("words", words),
    };
    (schema.build(), fields)
}

fn document(fields: Fields, item: &Item) -> TantivyDocument {
    let words = words::of_text(&item.text);
    let mut document = TantivyDocument::default();
    document.add_u64(fields.key, item.key);
    document.add_u64(fields.pool, item.pool);
    document.add_u64(fields.kind, u64::from(item.kind));
    document.add_i64(fields.at_ms, item.at_ms);
    if let Some(turn) = item.turn {
        document.add_u64(fields.conversation, turn.conversation);
        document.add_u64(fields.seq, turn.seq);
    }
    document.add_u64(fields.length, words.counted.len() as u64);
    let writing = Writing::of(&item.text);
    document.add_bool(fields.dense, writing.has(true));
    document.add_bool(fields.spaced, writing.has(false));
    document.add_u64(fields.asks, words::hundredths_that_ask(&item.text));
    let tokens = words.counted.into_iter().chain(words.uncounted).enumerate();
    let tokens =
        tokens.map(|(position, text)| Token { text, position, ..Token::default() }).collect();
    document
        .add_pre_tokenized_text(fields.words, PreTokenizedString { text: String::new(), tokens });
    document
}
