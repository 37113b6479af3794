//! What is asked of the index, and what it answers.

use crate::Strangers;
use std::collections::HashSet;

/// A search.
#[derive(Debug, Clone)]
pub struct Query<'a> {
    pub text: &'a str,
    /// The last word is still being written: words that begin so fit it too.
    pub unfinished: bool,
    /// The text's vector, from the model the index was made with. Without it
    /// the words alone decide.
    pub vector: Option<&'a [f32]>,
    /// What the model's cosine usually lacks between this text and one that says the
    /// same in a script of the other sort, as of `E5::across`; how much it is among the
    /// texts that may be found is measured on them. 0 for a model that lacks nothing.
    pub across: f32,
    /// By what is told whether a text has to do with this one at all. `None`: nobody
    /// asks, and what is nearest is enough.
    pub strangers: Option<Strangers>,
    /// Only these pools are looked into, and only their texts are counted when
    /// a word's rarity is judged. `None`: all.
    pub pools: Option<&'a [u64]>,
    /// Only these kinds. `None`: all.
    pub kinds: Option<&'a [u8]>,
    /// Only texts with these keys. `None`: all.
    pub only: Option<&'a HashSet<u64>>,
    /// No text with one of these keys.
    pub except: Option<&'a HashSet<u64>>,
    /// Not before.
    pub since_ms: Option<i64>,
    /// Not at or after.
    pub until_ms: Option<i64>,
    pub leg: Leg,
    pub limit: usize,
}

impl<'a> Query<'a> {
    pub fn new(text: &'a str) -> Self {
        Query {
            text,
            unfinished: false,
            vector: None,
            across: 0.0,
            strangers: None,
            pools: None,
            kinds: None,
            only: None,
            except: None,
            since_ms: None,
            until_ms: None,
            leg: Leg::Hybrid,
            limit: 10,
        }
    }
}

/// Which of the two ways of finding is used. The single ones are for measuring
/// and explaining.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leg {
    Hybrid,
    Lexical,
    Vector,
}

/// A text that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub key: u64,
    /// Higher is better; comparable only within one search.
    pub score: f32,
    pub parts: Parts,
}

/// Where a hit's score comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parts {
    /// BM25 of the query's words; 0 if none of them is in the text.
    pub lexical: f32,
    /// Cosine with the query's vector, if both have one; with what it lacks across
    /// scripts, and for a text that stands alone without a part of what it has with
    /// everything.
    pub vector: Option<f32>,
    /// Both, normalised and weighed.
    pub fused: f32,
    /// What the turns around it add.
    pub context: f32,
    /// How much more it has to do with the query than the nearest of as many texts
    /// would have by chance, in meaning and in words; `None` where nobody asked or
    /// vectors are missing.
    pub apart: Option<f32>,
}

impl Parts {
    /// Whether it has to do with the query, and is not only the nearest that there is.
    /// Without vectors every word in common says so.
    pub fn concerns(&self) -> bool {
        self.apart.map_or(self.lexical > 0.0, |apart| apart >= 0.0)
    }
}
