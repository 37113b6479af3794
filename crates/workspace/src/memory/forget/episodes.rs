//! What a memory says may stand in an episode too, as its person said it: that sentence
//! goes, and the rest of the episode stays.

use super::off_record;
use super::words::FORGOTTEN;
use crate::memory::put;
use ::memory::file::words_of_person;
use ::memory::sentences_that_say;
use domain::{Fault, Memory, MemoryChange, MemoryKind};
use search::words;
use store::table::{memories, memory_vectors, memory_versions};
use store::{Read, StoreError, Write};

/// The episodes in which the person says it, each with the sentences that do.
pub(super) fn that_say(
    read: &Read<'_>,
    memory: &Memory,
    versions: &[Memory],
) -> Result<Vec<(Memory, Vec<String>)>, StoreError> {
    let texts: Vec<String> = versions.iter().map(|version| version.text.clone()).collect();
    let signs: Vec<Vec<String>> = versions.iter().map(signs).collect();
    let mut saying = Vec::new();
    for episode in memories::of_kind(read, MemoryKind::Episode)? {
        // Reading all that somebody ever said takes long.
        let lower = episode.text.to_lowercase();
        let may_say = |signs: &Vec<String>| signs.iter().any(|sign| lower.contains(sign));
        if episode.id == memory.id || !signs.iter().any(may_say) {
            continue;
        }
        let said = words_of_person(&episode.text);
        let sentences: Vec<String> =
            sentences_that_say(&said, &texts).into_iter().map(str::to_owned).collect();
        if !sentences.is_empty() {
            saying.push((episode, sentences));
        }
    }
    Ok(saying)
}

/// Words of which at least one stands wherever somebody says it. The wording of a
/// memory is its own, as *lives* for *live*; what it is about is not.
fn signs(memory: &Memory) -> Vec<String> {
    let mut words = words::of_text(&memory.text).counted;
    words.retain(|word| word.chars().count() > 1);
    if words.is_empty() { vec![memory.text.to_lowercase()] } else { words }
}

/// Out of the episode as it is and was, and of what was told of it.
pub(super) fn leave_out(
    write: &mut Write<'_>,
    mut episode: Memory,
    sentences: &[String],
    now: i64,
) -> Result<(), Fault> {
    let without = |text: &str| {
        sentences.iter().fold(text.to_owned(), |text, said| text.replace(said.as_str(), FORGOTTEN))
    };
    let mut texts = Vec::new();
    for version in memory_versions::of(write, episode.id)? {
        let Some(mut was) = version.memory else { continue };
        let text = without(&was.text);
        texts.push(std::mem::replace(&mut was.text, text));
        memory_versions::rewrite(write, version.version, &was)?;
    }
    off_record(write, &episode, texts)?;
    memory_vectors::remove(write, episode.id)?;
    episode.text = without(&episode.text);
    put(write, &mut episode, MemoryChange::Edited, now)
}
