//! Reminds an agent, at the beginning of a turn, of what may matter in it.
//!
//! What is looked up stands behind the newest words that the agent reads, so that
//! everything before it stays as it was for a provider's prompt cache.
//! Which memories it were, and by what scores, is on record with the run.

use super::embedders::Patience;
use super::embedding::Scale;
use super::finder::Trusted;
use super::foreign::words_of_matter;
use super::look::{How, Look};
use super::meaning::cosine;
use super::scope;
use crate::day;
use crate::derived::blocking;
use crate::shared::Shared;
use crate::tokens;
use crate::window::Window;
use crate::workspace::Start;
use ::memory::{Found, Recall};
use agent::Brief;
use domain::{
    Fault, Memory, MemoryFilter, MemoryHit, MemoryScope, MemoryScores, Recalled, Run, StepKind,
    Trust,
};
use llm::Role;
use search::words;
use std::sync::Arc;
use store::table::{memories, memory_versions, messages, settings};
use store::{Read, StoreError};

/// How many come beside those that are pinned.
const AT_MOST: usize = 5;
/// From how many those are chosen.
const LOOKED_AT: u32 = 40;
/// The part of a window that they may take, and the most of it.
const SHARE: u32 = 12;
const MOST_TOKENS: u32 = 1_000;
/// What stands around them.
const FRAME_TOKENS: u32 = 80;
/// A longer question is about its end.
const QUERY_CHARACTERS: usize = 1_500;
/// Of a text without a word of the question a turn is reminded only if their
/// vectors are nearer than this. The model that ships gives unlike texts up to 0.85 where one
/// of them is very short, so this keeps most of what is foreign out, not all, and
/// costs some of what is only said in other words.
const NEAR: f32 = 0.84;
/// Two texts that have nothing to do with each other.
const FAR: f32 = 0.8;

fn is_near(hit: &MemoryHit, scale: Scale) -> bool {
    hit.scores.words > 0.0 || hit.scores.meaning.is_some_and(|near| near >= scale.of(NEAR))
}

/// Puts what may matter into the brief; gives the step that says so. A turn goes
/// on without, when nothing is found or finding fails.
pub(crate) async fn remind(
    shared: &Arc<Shared>,
    run: &Run,
    brief: &mut Brief,
    window: Window,
) -> Option<StepKind> {
    let scopes = scope::read_in(run.agent, run.group);
    if !shared.finder.has_any() || !may_be_reminded(shared, &scopes).unwrap_or(false) {
        return None;
    }
    let room = window.room(brief.request.max_tokens);
    let taken = tokens::of_request(&brief.request) + FRAME_TOKENS;
    let free = room.saturating_sub(taken);
    let budget = (window.tokens / SHARE).min(MOST_TOKENS).min(free);
    let query = end_of(&brief.asked, QUERY_CHARACTERS);
    let filter = MemoryFilter { scopes, ..MemoryFilter::default() };
    let looked = {
        let query = query.clone();
        let turns: Vec<&str> =
            brief.request.turns.iter().map(|turn| turn.content.as_str()).collect();
        let read = said(&turns.join("\n"));
        blocking(shared, move |shared| look_up(shared, &read, &query, filter, budget)).await
    };
    let (recalled, words_only) = match looked {
        Ok(looked) => looked,
        Err(fault) => {
            tracing::warn!(run = %run.id, %fault, "nothing could be recalled");
            return None;
        }
    };
    if recalled.is_empty() {
        return None;
    }
    let day_of = |at_ms| day::of(&*shared.clock, at_ms);
    let lines: Vec<String> = recalled.iter().map(|one| line(&one.found.memory, &day_of)).collect();
    let notes = shared.prompts.remembered(&lines.join("\n")).ok()?;
    let newest = brief.request.turns.iter_mut().rfind(|turn| turn.role == Role::User)?;
    newest.content = format!("{}\n\n{}", newest.content, notes.trim());
    let memories = recalled.iter().map(receipt).collect();
    Some(StepKind::Recalled { query, memories, words_only })
}

fn may_be_reminded(shared: &Shared, scopes: &[MemoryScope]) -> Result<bool, StoreError> {
    shared
        .store
        .read(|read| Ok(settings::get(read)?.memory.reminds && memories::any_in(read, scopes)?))
}

/// Chooses from what fits the question, and those that are pinned; `read` is what
/// the agent reads anyway, on one line. Blocks.
fn look_up(
    shared: &Shared,
    read: &str,
    query: &str,
    filter: MemoryFilter,
    budget: u32,
) -> Result<(Vec<Recall>, Option<String>), Fault> {
    let now = shared.now_ms();
    let scale = shared.finder.embedders.embedding().scale;
    let pinned = shared.store.read(|read| memories::pinned(read, &filter.scopes))?;
    let (mut found, words_only) = if query.trim().is_empty() {
        (Vec::new(), None)
    } else {
        // A process that does one thing has nobody else to load the model for it.
        let patience = match shared.start {
            Start::Working => Patience::Never,
            Start::Still => Patience::Loading,
        };
        // What nobody vouches for is not recalled, so it takes nobody's place either.
        let trusted = &[Trusted::Yes];
        let how = How::Meant(patience);
        let look = Look { text: query, filter, trusted, limit: LOOKED_AT, how };
        let found = look.find(shared)?;
        let near = found.hits.into_iter().filter(|hit| is_near(hit, scale) || hit.memory.pinned);
        (near.collect::<Vec<_>>(), found.words_only)
    };
    for memory in pinned {
        if found.iter().all(|hit| hit.memory.id != memory.id) {
            found.push(MemoryHit { memory, scores: NOT_LOOKED_FOR });
        }
    }
    found.retain(|hit| !is_read_anyway(shared, read, &hit.memory));
    let vectors = shared.finder.vectors(found.iter().map(|hit| hit.memory.id), &shared.store)?;
    let alike = |one: &Memory, other: &Memory| {
        let both = vectors.get(&one.id).zip(vectors.get(&other.id));
        both.map_or(0.0, |(one, other)| nearness(one, other, scale.of(FAR)))
    };
    let found = found.into_iter().map(|hit| Found {
        tokens: tokens::of(&hit.memory.text) + tokens::AROUND,
        scores: hit.scores,
        memory: hit.memory,
    });
    Ok((::memory::recall(found.collect(), now, AT_MOST, budget, alike), words_only))
}

/// Whether its words, or those that it comes of, are among those that the agent
/// reads, however their lines are laid: to be reminded of them would say everything
/// twice. `read` is on one line.
fn is_read_anyway(shared: &Shared, read: &str, memory: &Memory) -> bool {
    if memory.pinned {
        return false;
    }
    let text = said(&memory.text);
    if stands_in(read, &text) {
        return true;
    }
    let Some(message) = memory.source.message else { return false };
    let source = shared.store.read(|read| {
        let message = messages::find(read, message)?;
        Ok::<_, StoreError>(message.filter(|_| memory.version == 1 || !was_corrected(read, memory)))
    });
    let source = source.ok().flatten();
    let source = source.as_ref().and_then(|message| message.text()).map(said);
    source.is_some_and(|source| says(&source, memory) && stands_in(read, &source))
}

/// Whether it has said something else, so that the message it comes of does.
fn was_corrected(read: &Read<'_>, memory: &Memory) -> bool {
    let versions = memory_versions::of(read, memory.id).unwrap_or_default();
    let mut texts = versions.iter().filter_map(|version| version.memory.as_ref());
    texts.any(|earlier| earlier.text != memory.text)
}

/// Whether what a memory says is in what it comes of: a *No* says nothing without its
/// question.
fn says(source: &str, memory: &Memory) -> bool {
    let source = words::of_text(source);
    let all = |text: &str| {
        let said = |word: &String| source.counted.contains(word) || source.uncounted.contains(word);
        words_of_matter(text).iter().all(said)
    };
    all(&memory.text) || memory.statement.as_ref().is_some_and(|stated| all(&stated.value))
}

/// Whether words stand there whole: `Bo runs` is not in `Bo runs4fun`.
fn stands_in(read: &str, words: &str) -> bool {
    let goes_on = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    read.match_indices(words).any(|(at, _)| {
        let (before, after) = (&read[..at], &read[at + words.len()..]);
        !goes_on(before.chars().next_back()) && !goes_on(after.chars().next())
    })
}

/// Of a memory that is in every turn.
const NOT_LOOKED_FOR: MemoryScores =
    MemoryScores { total: 0.0, words: 0.0, meaning: None, fused: 0.0, weight: 1.0, reranked: None };

/// From 0 for texts that have nothing to do with each other to 1: a model may put all
/// texts close together.
fn nearness(one: &[f32], other: &[f32], far: f32) -> f32 {
    ((cosine(one, other) - far) / (1.0 - far)).clamp(0.0, 1.0)
}

fn receipt(recall: &Recall) -> Recalled {
    let Recall { found, .. } = recall;
    let scores = Some(found.scores).filter(|scores| *scores != NOT_LOOKED_FOR);
    Recalled {
        memory: found.memory.id,
        version: found.memory.version,
        pinned: found.memory.pinned,
        scores: scores.map(|scores| MemoryScores { weight: recall.weight, ..scores }),
    }
}

/// A memory as it stands in a prompt: what it says is data, whatever it says.
fn line(memory: &Memory, day_of: &dyn Fn(i64) -> String) -> String {
    let since = day_of(memory.valid_from_ms.unwrap_or(memory.created_at_ms));
    let from = match memory.trust {
        Trust::Person => "",
        Trust::Agent => ", noticed by an agent",
        Trust::Untrusted => ", from a tool or a file: not checked",
    };
    format!("{BEGINS}({since}{from}) {}", said(&memory.text))
}

/// Set in, as no line of the runtime is.
const BEGINS: &str = "  - ";

/// On one line, whatever a text holds.
pub(super) fn said(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What was sent, without the lines that a memory with these words had; `None`
/// where it had none.
pub(super) fn without(sent: &str, words: &[String]) -> Option<String> {
    let ends: Vec<String> = words.iter().map(|text| format!(") {}", said(text))).collect();
    let is_one = |line: &&str| {
        line.starts_with(BEGINS) && ends.iter().any(|end| line.ends_with(end.as_str()))
    };
    let told = |line| if is_one(&line) { "  - (forgotten)" } else { line };
    let lines: Vec<&str> = sent.split('\n').collect();
    let is_in = lines.iter().any(is_one);
    is_in.then(|| lines.into_iter().map(told).collect::<Vec<_>>().join("\n"))
}

fn end_of(text: &str, characters: usize) -> String {
    let skip = text.chars().count().saturating_sub(characters);
    text.chars().skip(skip).collect()
}
