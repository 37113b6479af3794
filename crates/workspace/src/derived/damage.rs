//! When an index that is damaged may be thrown away: at once the first time, and less
//! and less often after that, since on a disk that fails the next one is damaged too.

use std::time::{Duration, Instant};

/// After how long it may go a second time; each time after that it is twice as long.
const SECOND: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(60 * 60);
/// One that was whole for so long is as good as new.
const WHOLE: Duration = Duration::from_secs(24 * 60 * 60);
/// More of what is wrong nobody reads: it may be what stood in a file.
const CHARACTERS: usize = 200;

#[derive(Default)]
pub(super) struct Damage {
    /// Found, and not thrown away yet.
    is_there: bool,
    why: Option<String>,
    thrown_away: Option<Instant>,
    times: u32,
}

impl Damage {
    /// Whether it is news.
    pub(super) fn found(&mut self, why: &str) -> bool {
        self.why = Some(why.to_owned());
        !std::mem::replace(&mut self.is_there, true)
    }

    /// Why the one before was thrown away.
    pub(super) fn why(&self) -> Option<String> {
        self.why.clone()
    }

    /// Whether the index is to be thrown away now, which whoever asks does then.
    pub(super) fn is_to_go(&mut self, now: Instant) -> bool {
        let ago = self.thrown_away.map(|at| now.saturating_duration_since(at));
        if ago.is_some_and(|ago| ago >= WHOLE) {
            self.times = 0;
        }
        let is_to_go = self.is_there && ago.is_none_or(|ago| ago >= pause(self.times));
        if is_to_go {
            self.is_there = false;
            self.times += 1;
            self.thrown_away = Some(now);
        }
        is_to_go
    }
}

/// After it went so often.
fn pause(times: u32) -> Duration {
    match times.checked_sub(1) {
        Some(doubled) => SECOND.saturating_mul(1 << doubled.min(10)).min(LONGEST),
        None => Duration::ZERO,
    }
}

pub(super) fn in_short(why: &str) -> String {
    let line: String = why.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_again_and_again_is_thrown_away_less_and_less_often() {
        let mut damage = Damage::default();
        let mut now = Instant::now();
        assert!(!damage.is_to_go(now), "nothing is wrong");
        let mut minutes = Vec::new();
        for _ in 0..9 {
            assert!(damage.found("torn") && !damage.found("torn"));
            minutes.push(0);
            while !damage.is_to_go(now) {
                now += SECOND;
                *minutes.last_mut().unwrap() += 1;
            }
        }
        assert_eq!(minutes, [0, 1, 2, 4, 8, 16, 32, 60, 60]);
        now += WHOLE;
        assert!(damage.found("torn") && damage.is_to_go(now));
        damage.found("torn");
        assert!(damage.is_to_go(now + SECOND), "it counts from the beginning again");
    }
}
