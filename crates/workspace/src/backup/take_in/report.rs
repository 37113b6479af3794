//! What became of what, as it is told to the person.

use domain::{GaveWay, Renamed, StaysOut, StaysOutWhy, TakenCount, TakenKind};
use std::collections::BTreeMap;

/// Of more than these it is only said how many there are.
const MOST_NAMES: usize = 5;

#[derive(Debug, Default, Clone)]
pub(super) struct Report {
    counts: BTreeMap<TakenKind, TakenCount>,
    stays_out: BTreeMap<(TakenKind, StaysOutWhy), StaysOut>,
    pub renamed: Vec<Renamed>,
    pub gave_way: Vec<GaveWay>,
    pub contested: u32,
    pub vouched: u32,
}

impl Report {
    pub(super) fn comes(&mut self, what: TakenKind, things: u32) {
        self.of(what, things, |count| &mut count.new);
    }

    pub(super) fn is_here(&mut self, what: TakenKind, things: u32) {
        self.of(what, things, |count| &mut count.here);
    }

    /// `name` is what the thing is called, or that in which these things are.
    pub(super) fn leaves_out(
        &mut self,
        what: TakenKind,
        why: StaysOutWhy,
        things: u32,
        name: Option<&str>,
    ) {
        if things == 0 {
            return;
        }
        self.of(what, things, |count| &mut count.left_out);
        let none = || StaysOut { what, why, things: 0, names: Vec::new() };
        let stays = self.stays_out.entry((what, why)).or_insert_with(none);
        stays.things += things;
        if let Some(name) = name.filter(|_| stays.names.len() < MOST_NAMES) {
            stays.names.push(name.to_owned());
        }
    }

    /// Says it where the name is another one.
    pub(super) fn named(&mut self, what: TakenKind, from: &str, to: &str) {
        if from != to {
            self.renamed.push(Renamed { what, from: from.to_owned(), to: to.to_owned() });
        }
    }

    pub(super) fn counts(&self) -> Vec<TakenCount> {
        self.counts.values().copied().collect()
    }

    pub(super) fn stays_out(&self) -> Vec<StaysOut> {
        self.stays_out.values().cloned().collect()
    }

    /// A kind of which there is nothing is not told of.
    fn of(&mut self, what: TakenKind, things: u32, which: fn(&mut TakenCount) -> &mut u32) {
        if things > 0 {
            let none = TakenCount { what, new: 0, here: 0, left_out: 0 };
            *which(self.counts.entry(what).or_insert(none)) += things;
        }
    }
}
