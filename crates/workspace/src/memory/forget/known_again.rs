//! Knows what was forgotten when somebody proposes it again of what had been said before.
//!
//! Of the words nothing is kept but hashes: of those that say what is so, in whatever order
//! and form they stand, and of what they state. Who says the words knows them again; nobody
//! reads them there. What is said after the forgetting may be remembered.

use crate::memory::foreign::words_of_matter;
use crate::memory::person;
use ::memory::{PERSON, Writer, standing_for, stated};
use domain::{Author, Memory, Message, Run, Statement};
use store::table::{forgotten_words, messages};
use store::{Read, StoreError, Write};

/// So that no other hash of the same words is this one.
const CONTEXT: &str = "coterie forgotten words 1";

/// No turn is given more at once.
const AT_MOST: u32 = 1_000;

pub(super) fn mark(write: &mut Write<'_>, versions: &[Memory]) -> Result<(), StoreError> {
    let (upto, name) = (messages::newest(write)?, person::name(write)?);
    for version in versions {
        for mark in marks(&version.text, version.statement.as_ref(), &name) {
            forgotten_words::put(write, &mark, upto)?;
        }
    }
    Ok(())
}

/// Whether a person had it forgotten, and none of these messages has said it since.
pub(crate) fn was_forgotten(
    read: &Read<'_>,
    text: &str,
    statement: Option<&Statement>,
    said_in: &[&Message],
) -> Result<bool, StoreError> {
    let own = words_of_matter(text);
    for mark in marks(text, statement, &person::name(read)?) {
        let Some(upto) = forgotten_words::upto(read, &mark)? else { continue };
        // Whoever names a later message may have read it in an earlier one.
        let says_it = |said: &str| !own.is_disjoint(&words_of_matter(said));
        let since = said_in.iter().filter(|message| message.seq > upto);
        if !since.filter_map(|message| message.text()).any(says_it) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What others than agents have said that a run was woken by, or has read for the first time.
pub(crate) fn heard_by(read: &Read<'_>, run: &Run) -> Result<Vec<Message>, StoreError> {
    let mut heard = messages::page(read, run.group, run.reads_after, None, AT_MOST)?;
    heard.extend(messages::find(read, run.cause.message)?);
    heard.retain(|message| !matches!(message.author, Author::Agent(_) | Author::System));
    Ok(heard)
}

fn marks(text: &str, statement: Option<&Statement>, name: &str) -> Vec<[u8; 32]> {
    let mut words: Vec<String> = words_of_matter(text).into_iter().collect();
    words.sort_unstable();
    let mut marks = Vec::new();
    if !words.is_empty() {
        marks.push(hash("words", &words.join(" ")));
    }
    let of_words = stated(text, Writer::Agent, name);
    for one in statement.into_iter().chain(&of_words) {
        let mark = hash("statement", &standing_for(&of_person(one, name)));
        if !marks.contains(&mark) {
            marks.push(mark);
        }
    }
    marks
}

/// The person has one name where their memories are compared.
fn of_person(one: &Statement, name: &str) -> Statement {
    let called = one.subject.trim().to_lowercase();
    let called = called.strip_prefix("the ").unwrap_or(&called);
    let is_person = called == PERSON || called == "用户" || called == name.to_lowercase();
    let subject = if is_person { PERSON.to_owned() } else { one.subject.clone() };
    Statement { subject, ..one.clone() }
}

fn hash(of: &str, words: &str) -> [u8; 32] {
    blake3::derive_key(CONTEXT, format!("{of}\0{words}").as_bytes())
}
