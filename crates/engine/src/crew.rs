//! Keeps the number of threads in step with how busy the machine is.
//!
//! Fewer at once, since every token under contention costs dearly; more only
//! when two looks in a row agree. `threads` has the rule, `busy` the numbers.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::busy::{self, Reading};
use crate::threads::threads;

/// How often to look during a long answer.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// What was true longer ago than this says nothing about now.
const STALE: Duration = Duration::from_secs(2);
/// How long to watch when nothing recent is known: enough clock ticks to tell.
const WATCH: Duration = Duration::from_millis(100);

pub(crate) struct Crew {
    cores: u32,
    fixed: Option<u32>,
    now: u32,
    wants_more: bool,
    last: Option<(Instant, Reading)>,
}

impl Crew {
    pub(crate) fn new(fixed: Option<u32>) -> Self {
        let cores = busy::cores();
        let now = fixed.unwrap_or_else(|| threads(cores, None)).max(1);
        Self { cores, fixed, now, wants_more: false, last: read() }
    }

    pub(crate) fn now(&self) -> u32 {
        self.now
    }

    /// Before an answer: the number to begin with.
    pub(crate) fn before(&mut self) -> u32 {
        if self.has_a_choice() {
            if self.last.as_ref().is_none_or(|(at, _)| at.elapsed() > STALE) {
                self.last = read();
                sleep(WATCH);
            }
            if let Some(wanted) = self.wanted() {
                self.now = wanted;
                self.wants_more = false;
            }
        }
        self.now
    }

    /// Between two steps of an answer: the number to go on with.
    pub(crate) fn during(&mut self) -> u32 {
        let due = self.last.as_ref().is_some_and(|(at, _)| at.elapsed() >= LOOK_EVERY);
        if self.has_a_choice()
            && due
            && let Some(wanted) = self.wanted()
        {
            self.settle(wanted);
        }
        self.now
    }

    fn settle(&mut self, wanted: u32) {
        if wanted < self.now || (wanted > self.now && self.wants_more) {
            self.now = wanted;
            self.wants_more = false;
        } else {
            self.wants_more = wanted > self.now;
        }
    }

    /// On two cores the rule has one answer, whatever the others do.
    fn has_a_choice(&self) -> bool {
        self.fixed.is_none() && threads(self.cores, None) > 1
    }

    fn wanted(&mut self) -> Option<u32> {
        let (_, earlier) = self.last.as_ref()?;
        let (at, reading) = read()?;
        let others = reading.others_since(earlier)?;
        self.last = Some((at, reading));
        Some(threads(self.cores, Some(others)))
    }
}

fn read() -> Option<(Instant, Reading)> {
    Some((Instant::now(), Reading::now()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_at_once_more_only_when_two_looks_agree() {
        let mut crew = Crew { cores: 8, fixed: None, now: 7, wants_more: false, last: None };
        let mut seen = Vec::new();
        for wanted in [3, 5, 3, 5, 7, 7, 1, 1] {
            crew.settle(wanted);
            seen.push(crew.now());
        }
        assert_eq!(seen, [3, 3, 3, 3, 7, 7, 1, 1]);
    }

    #[test]
    fn a_fixed_number_is_kept() {
        let mut crew = Crew::new(Some(3));
        assert_eq!((crew.before(), crew.during(), crew.now()), (3, 3, 3));
    }
}
