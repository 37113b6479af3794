//! What may not grow over a day: memory, and the log beside the database.
//!
//! Pure, so that it can be shown to notice what it is there for.

use std::ops::Range;

/// The log may take no more on the disk.
pub(crate) const LOG_MOST: u64 = 64 * 1024 * 1024;

const HOUR: usize = 60;
/// By then every conversation is as long as its window and every cache is full.
const WARM_UP: usize = 2 * HOUR;
/// Less than this says nothing about a day.
const LEAST: usize = HOUR;
/// Memory may grow by so many parts of a hundred: from the hour after the
/// warm-up to the last, and in a working day at the pace that it has.
const MOST_PERCENT: f64 = 10.0;
const DAY: usize = 8 * HOUR;

/// How the memory of a day went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Growth {
    /// The most of the hour after the warm-up, and of the last one, in bytes.
    pub warm: u64,
    pub last: u64,
    /// In a working day, in parts of a hundred, at the pace of all the time after
    /// the warm-up.
    pub percent_a_day: f64,
}

impl Growth {
    /// `None` where there was no time to warm up. A figure a minute, in bytes.
    pub(crate) fn of(minutes: &[u64]) -> Option<Growth> {
        let measured = minutes.get(WARM_UP..).filter(|measured| measured.len() >= LEAST)?;
        let most = |range: Range<usize>| measured[range].iter().copied().max().unwrap_or(0);
        let warm = most(0..HOUR);
        let last = most(measured.len() - HOUR..measured.len());
        let percent_a_day = 100.0 * pace(measured) * DAY as f64 / warm as f64;
        Some(Growth { warm, last, percent_a_day })
    }

    /// From the hour after the warm-up to the last.
    pub(crate) fn percent(self) -> f64 {
        100.0 * (self.last as f64 / self.warm as f64 - 1.0)
    }

    pub(crate) fn is_too_much(self) -> bool {
        self.percent() > MOST_PERCENT || self.percent_a_day > MOST_PERCENT
    }
}

/// By how much a minute changes: the median of what any two tell (Theil and Sen),
/// which a few odd minutes do not move.
fn pace(minutes: &[u64]) -> f64 {
    let mut paces: Vec<f64> = (0..minutes.len())
        .flat_map(|later| (0..later).map(move |earlier| (earlier, later)))
        .map(|(earlier, later)| {
            (minutes[later] as f64 - minutes[earlier] as f64) / (later - earlier) as f64
        })
        .collect();
    paces.sort_by(f64::total_cmp);
    paces.get(paces.len() / 2).copied().unwrap_or(0.0)
}

/// Some 48 MB, with what a busy minute takes on top.
fn a_day(hours: usize, percent_an_hour: f64) -> Vec<u64> {
    let minute = |minute: usize| {
        let filled = 1.0 - (-(minute as f64) / 25.0).exp();
        let leaked = percent_an_hour / 100.0 * minute as f64 / HOUR as f64;
        let busy = ((minute * 7919) % 17) as f64 / 17.0 * 0.03;
        (48e6 * (0.5 + 0.5 * filled) * (1.0 + leaked) * (1.0 + busy)) as u64
    };
    (0..hours * HOUR).map(minute).collect()
}

#[track_caller]
fn check(minutes: &[u64], is_too_much: bool) {
    let growth = Growth::of(minutes).expect("it is long enough");
    assert_eq!(growth.is_too_much(), is_too_much, "{growth:?}: {:.1} %", growth.percent());
}

#[test]
fn memory_that_a_day_needs_is_no_growth() {
    for hours in [3, 4, 8, 24] {
        check(&a_day(hours, 0.0), false);
        check(&a_day(hours, -1.0), false);
    }
    check(&a_day(8, 0.8), false);
    // A cache that fills once, and a minute in which much is going on.
    let mut odd = a_day(8, 0.0);
    odd[300..].iter_mut().for_each(|bytes| *bytes += 2_000_000);
    check(&odd, false);
}

#[test]
fn a_leak_is_noticed_however_slow() {
    for hours in [3, 4, 5, 8, 24] {
        check(&a_day(hours, 2.0), true);
        check(&a_day(hours, 1.5), true);
        check(&a_day(hours, 20.0), true);
    }
    // One that begins in the afternoon.
    let mut late = a_day(8, 0.0);
    late[360..].iter_mut().zip(0..).for_each(|(bytes, minute)| *bytes += minute * 60_000);
    check(&late, true);
}

#[test]
fn without_time_to_warm_up_nothing_is_said() {
    assert_eq!(Growth::of(&a_day(3, 20.0)[1..]), None);
    assert_eq!(Growth::of(&[]), None);
}
