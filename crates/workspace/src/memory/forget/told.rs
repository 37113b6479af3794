//! What the program itself told of a memory: in posts of sources, and in the record that
//! a digest is written from. Its words stand there as they were then, and go with it.

use crate::brief::quoted_words;
use crate::{digest, feed, sources};
use domain::{MemoryId, Message, RunId, Watches};
use std::collections::BTreeSet;
use store::table::{feed_sources, messages, runs, summaries};
use store::{StoreError, Write};

/// How it was told, with what is told now, and who read it.
#[derive(Default)]
pub(super) struct Told {
    pub(super) words: Vec<(String, String)>,
    pub(super) read_by: BTreeSet<RunId>,
}

/// Takes it out of posts; the records of those who read them are still to be rewritten.
pub(super) fn out_of_posts(
    write: &mut Write<'_>,
    memory: MemoryId,
    texts: &[String],
) -> Result<Told, StoreError> {
    let mut told = Told::default();
    told.words.extend(texts.iter().flat_map(|text| digest::told_of_memory(text)));
    told.words.extend(texts.iter().flat_map(|text| sources::told_of_memory(text)));
    told.read_by.extend(runs::that_link(write, &format!("coterie://memory/{memory}"))?);
    for source in feed_sources::all(write)? {
        if !matches!(source.plan.watches, Watches::Contradictions) {
            continue;
        }
        for post in messages::of_source(write, source.id)? {
            rewrite(write, &post, &mut told)?;
        }
    }
    Ok(told)
}

fn rewrite(write: &mut Write<'_>, post: &Message, told: &mut Told) -> Result<(), StoreError> {
    let Some(was) = post.text() else { return Ok(()) };
    let replaced = |text: String, (was, now): &(String, String)| text.replace(was.as_str(), now);
    let now = told.words.iter().fold(was.to_owned(), replaced);
    if now == was {
        return Ok(());
    }
    // Its beginning stands elsewhere too, and may be cut in the middle of the words.
    for short in [feed::name_of, digest::short, quoted_words as fn(&str) -> String] {
        told.words.push((short(was), short(&now)));
    }
    let readers = runs::that_read(write, post.group, post.seq)?;
    told.read_by.extend(readers.into_iter().map(|run| run.id));
    summaries::void_from(write, post.group, post.seq)?;
    feed::put_other_words(write, post, now)
}
