//! What of the texts would stand in the prompt of a turn that says so.

use super::Run;
use super::set::Question;
use crate::screen::Failure;
use search::{Hit, Leg};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// As many as a turn looks at, and is reminded of at most. That none of them says
/// again what another says, and that all find room, is left out here.
const LOOKED_AT: usize = 40;
const AT_MOST: usize = 5;

#[derive(Serialize)]
pub(super) struct InATurn {
    /// Of what some text answers.
    questions: Recalled,
    /// Of what has to do with none of the texts.
    requests: Recalled,
    /// Of the questions.
    categories: BTreeMap<String, Recalled>,
}

/// What so many turns are reminded of.
#[derive(Serialize, Default)]
struct Recalled {
    n: usize,
    /// How many of them of a text that answers.
    right: usize,
    /// Of how many texts each that do not, on average.
    foreign: f64,
}

impl InATurn {
    pub(super) fn of(run: &Run) -> Result<InATurn, Failure> {
        let (mut questions, mut requests) = (Recalled::default(), Recalled::default());
        let mut categories: BTreeMap<String, Recalled> = BTreeMap::new();
        for (at, question) in run.set.questions.iter().enumerate() {
            let mut hits = run.search(at, Leg::Hybrid, LOOKED_AT)?;
            hits.retain(|hit| hit.parts.concerns());
            hits.truncate(AT_MOST);
            if question.gold.is_empty() {
                requests.add(run, question, &hits);
                continue;
            }
            questions.add(run, question, &hits);
            let category = question.category.clone().unwrap_or_else(|| "all".into());
            categories.entry(category).or_default().add(run, question, &hits);
        }
        Ok(InATurn { questions, requests, categories })
    }
}

impl Recalled {
    fn add(&mut self, run: &Run, question: &Question, hits: &[Hit]) {
        let answers = |hit: &&Hit| question.gold.iter().any(|gold| gold == run.set.id(hit));
        let right = hits.iter().filter(answers).count();
        let foreign = (hits.len() - right) as f64;
        self.foreign = (self.foreign * self.n as f64 + foreign) / (self.n + 1) as f64;
        self.right += usize::from(right > 0);
        self.n += 1;
    }
}

impl fmt::Display for InATurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recalled { n, right, foreign } = self.questions;
        write!(f, "an answer in {right} of {n} questions, beside {foreign:.2} other texts")?;
        match &self.requests {
            Recalled { n: 0, .. } => Ok(()),
            Recalled { n, foreign, .. } => {
                write!(f, "; {foreign:.2} texts in each of {n} requests that none concerns")
            }
        }
    }
}
