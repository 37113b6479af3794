//! Reminds an agent, at the beginning of a turn, of what may matter in it.
//!
//! What is looked up stands behind the newest words that the agent reads, so that
//! everything before it stays as it was for a provider's prompt cache.
//! Which memories it were, and by what scores, is on record with the run.

use super::carried::carried;
use super::embedders::Patience;
use super::finder::Trusted;
use super::foreign::words_of_matter;
use super::look::{How, Look};
use super::meaning::cosine;
use super::preferences::preferences;
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
    AgentId, Fault, GroupId, Memory, MemoryFilter, MemoryHit, MemoryScope, MemoryScores, Recalled,
    Run, StepKind, Trust,
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
/// Two texts that have nothing to do with each other.
const FAR: f32 = 0.8;

/// Whether a memory has to do with the question, and is not only the nearest that there
/// is. One that no vector was compared of does so by any word.
fn concerns(hit: &MemoryHit) -> bool {
    hit.scores.apart.map_or(hit.scores.words > 0.0, |apart| apart >= 0.0)
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
        let (agent, group, window_tokens) = (run.agent, run.group, window.tokens);
        let look = LookUp { agent, group, window_tokens, read, query, filter, budget };
        blocking(shared, move |shared| look.look(shared)).await
    };
    let Looked { recalled, in_prompt, words_only } = match looked {
        Ok(looked) => looked,
        Err(fault) => {
            tracing::warn!(run = %run.id, %fault, "nothing could be recalled");
            return None;
        }
    };
    if recalled.is_empty() && in_prompt.is_empty() && words_only.is_none() {
        return None;
    }
    let receipts = recalled.iter().map(|one| receipt(&one.found.memory, weighed(one)));
    let memories = receipts.chain(in_prompt).collect();
    if recalled.is_empty() {
        return Some(StepKind::Recalled { query, memories, words_only });
    }
    let day_of = |at_ms| day::of(&*shared.clock, at_ms);
    let lines: Vec<String> = recalled.iter().map(|one| line(&one.found.memory, &day_of)).collect();
    let notes = shared.prompts.remembered(&lines.join("\n")).ok()?;
    let newest = brief.request.turns.iter_mut().rfind(|turn| turn.role == Role::User)?;
    newest.content = format!("{}\n\n{}", newest.content, notes.trim());
    Some(StepKind::Recalled { query, memories, words_only })
}

fn may_be_reminded(shared: &Shared, scopes: &[MemoryScope]) -> Result<bool, StoreError> {
    shared
        .store
        .read(|read| Ok(settings::get(read)?.memory.reminds && memories::any_in(read, scopes)?))
}

/// What a turn is reminded of, and by what it is looked for.
struct LookUp {
    agent: AgentId,
    group: GroupId,
    window_tokens: u32,
    /// What the agent reads anyway, on one line.
    read: String,
    query: String,
    filter: MemoryFilter,
    budget: u32,
}

struct Looked {
    recalled: Vec<Recall>,
    /// Those that fit and stand in the prompt already.
    in_prompt: Vec<Recalled>,
    words_only: Option<String>,
}

impl LookUp {
    /// Chooses from what fits the question, those that are pinned, and what was fitting a
    /// moment ago. Blocks.
    fn look(self, shared: &Shared) -> Result<Looked, Fault> {
        let now = shared.now_ms();
        let scopes = self.filter.scopes.clone();
        let (anyway, standing) = shared.store.read(|read| {
            let standing = preferences(read, self.agent, self.group, self.window_tokens, now)?;
            let mut anyway = memories::pinned(read, &scopes)?;
            anyway.extend(carried(read, self.agent, self.group, &scopes)?);
            Ok::<_, StoreError>((anyway, standing))
        })?;
        let (mut found, words_only) = self.fitting(shared)?;
        for memory in anyway {
            if found.iter().all(|hit| hit.memory.id != memory.id) {
                found.push(MemoryHit { memory, scores: NOT_LOOKED_FOR });
            }
        }
        let stands = |hit: &MemoryHit| {
            standing.iter().any(|memory| memory.id == hit.memory.id)
                && stands_in(&self.read, &said(&hit.memory.text))
        };
        let (in_prompt, mut found): (Vec<_>, Vec<_>) = found.into_iter().partition(stands);
        found.retain(|hit| !is_read_anyway(shared, &self.read, &hit.memory));
        let ids = found.iter().map(|hit| hit.memory.id);
        let vectors = shared.finder.vectors(ids, &shared.store)?;
        let far = shared.finder.embedders.embedding().scale.of(FAR);
        let alike = |one: &Memory, other: &Memory| {
            let both = vectors.get(&one.id).zip(vectors.get(&other.id));
            both.map_or(0.0, |(one, other)| nearness(one, other, far))
        };
        let found = found.into_iter().map(|hit| Found {
            tokens: tokens::of(&hit.memory.text) + tokens::AROUND,
            scores: hit.scores,
            memory: hit.memory,
        });
        let recalled = ::memory::recall(found.collect(), now, AT_MOST, self.budget, alike);
        let in_prompt = in_prompt.iter().map(|hit| receipt(&hit.memory, hit.scores)).collect();
        Ok(Looked { recalled, in_prompt, words_only })
    }

    /// What has to do with the question, and why by words alone where it was.
    fn fitting(&self, shared: &Shared) -> Result<(Vec<MemoryHit>, Option<String>), Fault> {
        if self.query.trim().is_empty() {
            return Ok((Vec::new(), None));
        }
        // A process that only looks has nobody else to load the model for it.
        let patience = match shared.start {
            Start::Working => Patience::Briefly,
            Start::Still => Patience::Loading,
        };
        // What nobody vouches for is not recalled, so it takes nobody's place either.
        let trusted = &[Trusted::Yes];
        let how = How::Meant(patience);
        let filter = self.filter.clone();
        let look = Look { text: &self.query, filter, trusted, limit: LOOKED_AT, how };
        let found = look.find(shared)?;
        let concern = found.hits.into_iter().filter(|hit| concerns(hit) || hit.memory.pinned);
        Ok((concern.collect(), found.words_only))
    }
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

/// Of a memory that is in every turn, or was in one of the last.
const NOT_LOOKED_FOR: MemoryScores = MemoryScores {
    total: 0.0,
    words: 0.0,
    meaning: None,
    fused: 0.0,
    weight: 1.0,
    reranked: None,
    apart: None,
};

/// From 0 for texts that have nothing to do with each other to 1: a model may put all
/// texts close together.
fn nearness(one: &[f32], other: &[f32], far: f32) -> f32 {
    ((cosine(one, other) - far) / (1.0 - far)).clamp(0.0, 1.0)
}

/// Its scores with what its age and importance made of them.
fn weighed(recall: &Recall) -> MemoryScores {
    let scores = recall.found.scores;
    match scores == NOT_LOOKED_FOR {
        true => scores,
        false => MemoryScores { weight: recall.weight, ..scores },
    }
}

fn receipt(memory: &Memory, scores: MemoryScores) -> Recalled {
    Recalled {
        memory: memory.id,
        version: memory.version,
        pinned: memory.pinned,
        scores: Some(scores).filter(|scores| *scores != NOT_LOOKED_FOR),
    }
}

/// A memory as it stands in a prompt: what it says is data, whatever it says.
pub(super) fn line(memory: &Memory, day_of: &dyn Fn(i64) -> String) -> String {
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

/// On one line, whatever a text holds, and with nothing in it that reads as if the notes ended
/// or began there.
pub(super) fn said(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = line.to_lowercase();
    match ["[the notes end", "[from here on"].iter().any(|mark| lower.contains(mark)) {
        true => line.replace('[', "(").replace(']', ")"),
        false => line,
    }
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
