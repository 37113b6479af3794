//! Tells what has to do with a query from what is only nearest to it.

use super::{Asked, State};
use crate::query::{Hit, Query};
use crate::strangers::Compared;
use crate::words;

/// What the words of a search could come to, and how many texts it could find.
pub(super) struct Reach {
    pub(super) with_all: f32,
    pub(super) among: usize,
}

impl State {
    /// Says of each hit how far it stands out, where both have a vector.
    pub(super) fn tell_apart(&self, query: &Query, reach: &Reach, hits: &mut [Hit]) {
        let (Some(vector), Some(strangers)) = (query.vector, query.strangers) else { return };
        let asked = Asked::of(query, vector);
        let counts = if says_enough(query.text) { 1.0 } else { 0.0 };
        let mut numbers = vec![0.0; vector.len()];
        for hit in hits {
            let Some(row) = self.catalog.row(hit.key) else { continue };
            let Some(place) = self.standing.place(row) else { continue };
            self.flat.read(place, &mut numbers);
            let compared = Compared {
                nearer: strangers.nearer(vector, &numbers, self.lacks(&asked, row)),
                words: counts * hit.parts.lexical / reach.with_all.max(f32::MIN_POSITIVE),
                among: reach.among,
            };
            hit.parts.apart = Some(compared.apart());
        }
    }
}

/// Whether the words of a query say something by themselves: one character, as what is
/// left of 好的, is in many texts of which it says nothing.
fn says_enough(text: &str) -> bool {
    words::of_query(text).iter().any(|word| word.chars().nth(1).is_some())
}
