//! What stands between a run and the providers: one call of a model, from the
//! question to an answer or a fault for good.
//!
//! ```text
//!  agent::run ──▶ Line ──▶ cache? ──▶ Metered ──▶ circuit ──▶ Measured ──▶ Recorded ──▶ provider
//!                  ▲ again, after a pause │
//!                  └── or the next model ─┘
//! ```
//! This is the only place where a call is made again. Each try is promised,
//! queued for and billed by itself, and holds no place while it waits for the
//! next one. When words were heard before a try failed, the next one's take
//! their place (`Delta::Anew`): nobody reads two answers.

mod asking;
mod cache;
mod circuit;
mod narrowed;
mod retry;
mod stand_ins;

pub(crate) use asking::Line;
pub(crate) use circuit::{Circuits, Pass};
pub(crate) use stand_ins::StandIns;

use crate::shared::Shared;
use crate::souls::CacheUse;
use crate::unwritten::Unwritten;
use crate::window::Window;
use domain::{Fault, Provider, Run};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// A model that may be asked.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// `provider/model`.
    pub name: String,
    pub window: Window,
    /// Who serves it, or why nobody does.
    pub provider: Result<Provider, Fault>,
}

/// Whom a turn asks for what. In each line the next one is asked only when
/// those before it have failed for good.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    pub answers: Vec<Candidate>,
    pub plans: Vec<Candidate>,
    pub notes: Vec<Candidate>,
    pub cache: CacheUse,
}

/// The same, ready to be asked.
pub(crate) struct Lines {
    pub answers: Line,
    pub plans: Line,
    pub notes: Line,
    gone: Gone,
}

/// The models that have failed for good in this turn.
#[derive(Debug, Clone, Default)]
struct Gone(Arc<Mutex<HashSet<String>>>);

impl Gone {
    fn add(&self, model: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(model.to_owned());
    }

    fn has(&self, model: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(model)
    }
}

impl Lines {
    pub(crate) fn new(
        shared: &Arc<Shared>,
        candidates: Candidates,
        run: &Run,
        unwritten: &Unwritten,
    ) -> Lines {
        let Candidates { answers, plans, notes, cache } = candidates;
        let gone = Gone::default();
        let line = |all| Line::new(shared, run, unwritten, all, gone.clone(), cache);
        let [answers, plans, notes] = [answers, plans, notes].map(line);
        Lines { answers, plans, notes, gone }
    }

    pub(crate) fn standing(&self) -> Standing {
        let lines = [&self.answers, &self.plans].map(Line::names);
        Standing { lines, gone: self.gone.clone() }
    }
}

/// Who is asked by now.
pub(crate) struct Standing {
    /// The names of each line.
    lines: [Vec<String>; 2],
    gone: Gone,
}

impl Standing {
    /// In the place of a model that was to be asked first.
    pub(crate) fn instead_of(&self, model: &str) -> Option<&str> {
        let is_first = |names: &&Vec<String>| names.first().is_some_and(|name| name == model);
        let line = self.lines.iter().find(is_first)?;
        line.iter().find(|name| !self.gone.has(name)).or(line.last()).map(String::as_str)
    }
}
