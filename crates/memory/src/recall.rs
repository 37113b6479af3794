//! Chooses which of the memories that were found go into a turn.
//!
//! The search says what fits; here it is weighed a little by how recent, how
//! important and how often said each one is, by a tenth at most, so that nothing
//! of that ever beats a clearly better fit. Then they are taken one by
//! one, each the best that does not say what is already taken (maximal marginal
//! relevance, Carbonell and Goldstein, 1998), while the tokens last.

use domain::{Memory, MemoryScores, MemoryState, Trust};

/// How much fitting counts against being new, in the choice of the next one.
const FIT: f32 = 0.7;
/// The most that all else changes a score, and what of it each has.
const TENTH: f32 = 0.1;
const RECENCY: f32 = 0.5;
const IMPORTANCE: f32 = 0.35;
const OFTEN: f32 = 0.15;
/// After this long, recency is worth half.
const HALF_LIFE_MS: f32 = 30.0 * 24.0 * 3_600_000.0;

/// A memory that the search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub memory: Memory,
    pub scores: MemoryScores,
    /// What it takes in the prompt.
    pub tokens: u32,
}

/// A memory that goes into the turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    pub found: Found,
    /// What age, importance and how often it was said make of its score.
    pub weight: f32,
}

impl Recall {
    fn score(&self) -> f32 {
        self.found.scores.total * self.weight
    }
}

/// The memories for a turn: all pinned ones that fit, then up to `at_most`
/// others, within `budget_tokens`. `alike` says how near two of them are, 0 to 1.
pub fn recall(
    found: Vec<Found>,
    now_ms: i64,
    at_most: usize,
    budget_tokens: u32,
    alike: impl Fn(&Memory, &Memory) -> f32,
) -> Vec<Recall> {
    let holding = found.into_iter().filter(|found| holds(&found.memory, now_ms));
    let mut left: Vec<Recall> =
        holding.map(|found| Recall { weight: weight(&found.memory, now_ms), found }).collect();
    left.sort_by(|a, b| b.score().total_cmp(&a.score()));
    let (pinned, mut left): (Vec<Recall>, Vec<Recall>) =
        left.into_iter().partition(|one| one.found.memory.pinned);
    let mut tokens = budget_tokens;
    let mut taken = Vec::new();
    for one in pinned {
        if one.found.tokens <= tokens {
            tokens -= one.found.tokens;
            taken.push(one);
        }
    }
    let best = left.first().map_or(1.0, Recall::score).max(f32::MIN_POSITIVE);
    let mut others = 0;
    while others < at_most {
        left.retain(|one| one.found.tokens <= tokens);
        let worth = |one: &Recall| {
            let said =
                taken.iter().map(|other: &Recall| alike(&one.found.memory, &other.found.memory));
            FIT * one.score() / best - (1.0 - FIT) * said.fold(0.0, f32::max)
        };
        let next = (0..left.len())
            .max_by(|a, b| worth(&left[*a]).total_cmp(&worth(&left[*b])).then(b.cmp(a)));
        let Some(next) = next else { break };
        let one = left.remove(next);
        tokens -= one.found.tokens;
        taken.push(one);
        others += 1;
    }
    taken
}

/// Whether it is so now, as far as anybody knows. What a tool or a page said is
/// not taken for true before a person says so.
fn holds(memory: &Memory, now_ms: i64) -> bool {
    memory.state == MemoryState::Current
        && memory.trust > Trust::Untrusted
        && memory.valid_from_ms.is_none_or(|from| from <= now_ms)
        && !memory.is_over(now_ms)
}

fn weight(memory: &Memory, now_ms: i64) -> f32 {
    let age_ms = (now_ms - memory.changed_at_ms).max(0) as f32;
    // From 1 for what was just said down to -1 for what was long ago.
    let recent = 2.0 * 0.5_f32.powf(age_ms / HALF_LIFE_MS) - 1.0;
    let important = (f32::from(memory.importance.min(100)) - 50.0) / 50.0;
    let often = 1.0 - 1.0 / memory.evidence.max(1) as f32;
    1.0 + TENTH * (RECENCY * recent + IMPORTANCE * important + OFTEN * often)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory;
    use proptest::prelude::*;

    const NOW: i64 = 1_000 * 24 * 3_600_000;

    fn found(text: &str, score: f32) -> Found {
        let scores = MemoryScores {
            total: score,
            words: 0.0,
            meaning: None,
            fused: score,
            weight: 1.0,
            reranked: None,
            apart: None,
        };
        Found { memory: Memory { changed_at_ms: NOW, ..memory(text) }, scores, tokens: 10 }
    }

    fn texts(recalled: &[Recall]) -> Vec<&str> {
        recalled.iter().map(|one| one.found.memory.text.as_str()).collect()
    }

    fn unlike(_: &Memory, _: &Memory) -> f32 {
        0.0
    }

    #[test]
    fn the_best_fit_comes_first_and_the_tokens_end_it() {
        let all = vec![found("a", 0.3), found("b", 0.9), found("c", 0.6)];
        assert_eq!(texts(&recall(all.clone(), NOW, 5, 100, unlike)), ["b", "c", "a"]);
        assert_eq!(texts(&recall(all.clone(), NOW, 2, 100, unlike)), ["b", "c"]);
        assert_eq!(texts(&recall(all, NOW, 5, 25, unlike)), ["b", "c"]);
    }

    #[test]
    fn pinned_ones_come_first_and_do_not_count_among_the_others() {
        let mut all = vec![found("a", 0.9), found("b", 0.8), found("p", 0.1)];
        all[2].memory.pinned = true;
        assert_eq!(texts(&recall(all, NOW, 1, 100, unlike)), ["p", "a"]);
    }

    #[test]
    fn what_no_longer_holds_is_not_recalled() {
        let mut all = vec![
            found("old", 0.9),
            found("later", 0.9),
            found("contested", 0.9),
            found("now", 0.1),
        ];
        all[0].memory.valid_to_ms = Some(NOW);
        all[1].memory.valid_from_ms = Some(NOW + 1);
        all[2].memory.state = MemoryState::Contested(all[3].memory.id);
        assert_eq!(texts(&recall(all, NOW, 5, 100, unlike)), ["now"]);
    }

    #[test]
    fn what_is_said_already_gives_way_to_something_else() {
        let all = vec![found("tea", 1.0), found("tea again", 0.95), found("coffee", 0.7)];
        let alike = |a: &Memory, b: &Memory| {
            if a.text.starts_with("tea") && b.text.starts_with("tea") { 1.0 } else { 0.0 }
        };
        assert_eq!(texts(&recall(all, NOW, 2, 100, alike)), ["tea", "coffee"]);
    }

    #[test]
    fn age_and_importance_decide_between_equals_but_never_beat_a_clear_fit() {
        let mut old = found("old", 1.0);
        old.memory.changed_at_ms = 0;
        let mut trifle = found("trifle", 1.0);
        trifle.memory.importance = 0;
        let all = vec![old.clone(), trifle.clone(), found("new", 1.0)];
        assert_eq!(texts(&recall(all, NOW, 1, 100, unlike)), ["new"]);
        old.memory.importance = 0;
        let mut dear = found("dear", 0.7);
        dear.memory.importance = 100;
        dear.memory.evidence = 1_000;
        assert_eq!(texts(&recall(vec![dear, old], NOW, 1, 100, unlike)), ["old"]);
    }

    proptest! {
        #[test]
        fn the_budget_always_holds(scores in prop::collection::vec((0.01_f32..1.0, 1_u32..50, any::<bool>()), 0..30), budget in 0_u32..200) {
            let all = scores.iter().enumerate().map(|(at, (score, tokens, pinned))| {
                let mut one = found(&format!("{at}"), *score);
                one.tokens = *tokens;
                one.memory.pinned = *pinned;
                one
            });
            let recalled = recall(all.collect(), NOW, 5, budget, unlike);
            prop_assert!(recalled.iter().map(|one| one.found.tokens).sum::<u32>() <= budget);
            prop_assert!(recalled.iter().filter(|one| !one.found.memory.pinned).count() <= 5);
        }
    }
}
