//! Whom a text concerns, by what their souls say that interests them.
//!
//! An interest fits where all of its words are in the text. Where that says nothing
//! of anybody, vectors are compared, if there is a model for it: what they say is
//! less sure, so words come first.

use super::allot::Interest;
use crate::memory::{self, Meaning};
use crate::shared::Shared;
use domain::{Agent, AgentId};
use search::words;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Of texts, by the texts.
#[derive(Default)]
pub(super) struct Meanings {
    known: Mutex<HashMap<String, Arc<Meaning>>>,
}

/// The beginning of a text says what it is about.
const MOST_CHARACTERS: usize = 1_000;

/// What interests each of some agents, read once for all the texts that are compared with it.
pub(super) struct Interests {
    of: Vec<(AgentId, Vec<String>)>,
    /// The words of each, in the same order.
    words: Vec<Vec<HashSet<String>>>,
}

impl Interests {
    pub(super) fn of(shared: &Shared, agents: &[Agent]) -> Interests {
        let own = agents.iter().filter_map(|agent| {
            let soul = shared.souls.in_force(&agent.soul)?;
            Some((agent.id, soul.front.interests.clone()?))
        });
        Interests::new(own.collect())
    }

    fn new(of: Vec<(AgentId, Vec<String>)>) -> Interests {
        let words = of.iter().map(|(_, all)| all.iter().map(|one| words_of(one)).collect());
        Interests { words: words.collect(), of }
    }

    /// For each of them the interest that fits the text best, if one does.
    /// Blocks while vectors are made.
    pub(super) fn fitting(&self, shared: &Shared, text: &str) -> HashMap<AgentId, Interest> {
        let by_words = self.by_words(text);
        if !by_words.is_empty() {
            return by_words;
        }
        by_meaning(shared, text, &self.of).unwrap_or_default()
    }

    fn by_words(&self, text: &str) -> HashMap<AgentId, Interest> {
        let said = words_of(text);
        let best = |((agent, all), words): (&(AgentId, Vec<String>), &Vec<HashSet<String>>)| {
            let fits = all
                .iter()
                .zip(words)
                .filter(|(_, words)| !words.is_empty() && words.is_subset(&said));
            let (interest, _) = fits.max_by_key(|(interest, _)| interest.len())?;
            Some((*agent, Interest { interest: interest.clone(), percent: None, apart: 0 }))
        };
        self.of.iter().zip(&self.words).filter_map(best).collect()
    }
}

fn words_of(text: &str) -> HashSet<String> {
    words::of_text(text).counted.into_iter().collect()
}

/// `None` where there are no vectors.
fn by_meaning(
    shared: &Shared,
    text: &str,
    interests: &[(AgentId, Vec<String>)],
) -> Option<HashMap<AgentId, Interest>> {
    let all: Vec<&String> = interests.iter().flat_map(|(_, all)| all).collect();
    if all.is_empty() {
        return None;
    }
    let beginning: String = text.chars().take(MOST_CHARACTERS).collect();
    let said = memory::meaning_of(shared, &beginning)?;
    let meanings = shared.feed.meanings.of(shared, &all, &said)?;
    let best = |(agent, own): &(AgentId, Vec<String>)| {
        let of = |interest| Some((said.about(meanings.get(interest)?, all.len())?, interest));
        let nearest = own.iter().filter_map(of).filter(|(about, _)| *about >= 0.0);
        let (about, interest) = nearest.max_by(|one, other| one.0.total_cmp(&other.0))?;
        let near = said.near(meanings.get(interest)?)?;
        let percent = Some((near * 100.0).round() as u32);
        let apart = (about * 10_000.0) as u32;
        Some((*agent, Interest { interest: interest.clone(), percent, apart }))
    };
    Some(interests.iter().filter_map(best).collect())
}

impl Meanings {
    /// Of all these texts, to be compared with what was said; `None` where they cannot be
    /// made.
    fn of(
        &self,
        shared: &Shared,
        texts: &[&String],
        said: &Meaning,
    ) -> Option<HashMap<String, Arc<Meaning>>> {
        let mut found: HashMap<String, Arc<Meaning>> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let of = |text: &&&String| {
                let meaning = known.get(**text).filter(|known| said.near(known).is_some())?;
                Some(((**text).clone(), meaning.clone()))
            };
            texts.iter().filter_map(|text| of(&text)).collect()
        };
        let missing: Vec<&str> = texts
            .iter()
            .filter(|text| !found.contains_key(**text))
            .map(|text| text.as_str())
            .collect();
        if !missing.is_empty() {
            let made = memory::meanings_of(shared, &missing)?;
            found.extend(missing.iter().map(|text| (*text).to_owned()).zip(made));
            // Only these are in use: who changes a soul leaves nothing behind.
            *self.known.lock().unwrap_or_else(PoisonError::into_inner) = found.clone();
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn check(text: &str, interests: &[&str], expected: Option<&str>) {
        let agent = AgentId(Uuid::from_u128(1));
        let interests = interests.iter().map(|text| (*text).to_owned()).collect();
        let found = Interests::new(vec![(agent, interests)]).by_words(text);
        assert_eq!(found.get(&agent).map(|fits| fits.interest.as_str()), expected, "{text}");
    }

    #[test]
    fn an_interest_fits_where_all_its_words_are() {
        check("Is our plan any good?", &["claims", "plans"], Some("plans"));
        check("A difficult talk", &["difficult conversations"], None);
        check(
            "Difficult: a conversation",
            &["difficult conversations"],
            Some("difficult conversations"),
        );
        check("我想请人帮我改稿", &["改稿", "家电"], Some("改稿"));
        check("nothing of it", &[], None);
    }
}
