//! Knows again what a server wrote for the person to say.
//!
//! A prompt of a server becomes what the person writes, and may be sent as it is, changed
//! first, or said again another day. Whichever way it got into a message, it is the server's
//! word: nobody learns of it what the person is and wants. It is known by its sentences, of
//! which half are enough, so that no screen has to carry a mark along.

use ::memory::{fingerprint, sentences_of};
use domain::{Author, Message};
use serde::{Deserialize, Serialize};
use std::collections::{HashSet, VecDeque};
use store::table::settings;
use store::{Read, StoreError, Write};

/// What servers wrote last, as a fact in the database.
const FILLED: &str = "servers.filled";
/// Prompts that are known again, and sentences of each.
const MOST: usize = 200;
const MOST_SENTENCES: usize = 64;

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Filled {
    server: String,
    /// What is left of each: a text of a server is not ours to keep.
    sentences: Vec<String>,
}

/// Notes what a server wrote.
pub(crate) fn note(write: &mut Write<'_>, server: &str, text: &str) -> Result<(), StoreError> {
    let sentences = told_apart(text).take(MOST_SENTENCES).collect();
    let new = Filled { server: server.to_owned(), sentences };
    let Known(mut all) = Known::look(write)?;
    all.retain(|one| *one != new);
    all.push_front(new);
    all.truncate(MOST);
    settings::put_fact(write, FILLED, &serde_json::to_string(&all)?)
}

/// All that servers wrote.
pub(super) struct Known(VecDeque<Filled>);

impl Known {
    /// What is no list of ours was written by another Coterie, and is begun anew.
    pub(super) fn look(read: &Read<'_>) -> Result<Known, StoreError> {
        let kept = settings::fact(read, FILLED)?;
        Ok(Known(kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()))
    }

    /// The server that wrote what a person's message says, if one did.
    pub(super) fn server_of(&self, message: &Message) -> Option<&str> {
        let text =
            message.text().filter(|_| message.author == Author::User && !self.0.is_empty())?;
        let said: HashSet<String> = told_apart(text).collect();
        let is_it = |one: &&Filled| {
            let again = one.sentences.iter().filter(|sentence| said.contains(*sentence)).count();
            again > 0 && again * 2 >= one.sentences.len()
        };
        self.0.iter().find(is_it).map(|one| one.server.as_str())
    }
}

/// What tells each sentence of a text from others, each once.
fn told_apart(text: &str) -> impl Iterator<Item = String> {
    let mut seen = HashSet::new();
    let sentences = sentences_of(text).map(fingerprint).filter(|words| !words.is_empty());
    let hashes = sentences.map(|words| blake3::hash(words.as_bytes()).to_hex()[..16].to_owned());
    hashes.filter(move |hash| seen.insert(hash.clone()))
}
