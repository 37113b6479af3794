//! How near a text is in particular: without a part of what it has with everything.
//!
//! Some texts are near to whatever is asked, and texts of one language to each other.
//! Strangers tell how much that is (`strangers.rs`). A good half of it is taken from the
//! cosine of a short text that stands alone: facts that are asked about in other words
//! are told apart better by what is left. A long one has more of its own, and less is
//! taken. Turns of a conversation keep theirs, since there it is those with much to say
//! that answer (docs/retrieval.md).

use super::{Asked, State};
use crate::across;
use crate::catalog::{Allowed, Row};
use crate::query::Query;
use crate::strangers::Question;

/// The part that is taken from the shortest. With all of it, a text that is said in a few
/// common words is as good as one about the matter.
const TAKEN: f32 = 0.6;
/// From how many words on nothing is taken.
const LONG: f32 = 100.0;
/// The part that is evened out of what is then left between scripts. With all of it, what is asked
/// in one's own language comes behind strangers of the other where those are many.
const EVENED: f32 = 0.5;
/// On how many texts it is measured what is usual.
const SAMPLE: usize = 200;
/// What usually lacks across scripts counts as much as so many texts of each sort.
const OF_USUAL: f32 = 2.0;

/// What texts have with everything, for one search.
pub(super) struct General<'a> {
    asked: Asked<'a>,
    question: Question,
    /// What they have on average, so that a text beside turns is not far below them.
    usual: f32,
}

impl State {
    /// `None` where the model was shown no strangers.
    pub(super) fn general<'a>(&self, query: &Query<'a>, allowed: &Allowed) -> Option<General<'a>> {
        let vector = query.vector?;
        let question = query.strangers?.question(vector)?;
        let asked = Asked { across: 0.0, ..Asked::of(query, vector) };
        let step = allowed.rows.len().div_ceil(SAMPLE).max(1);
        let sampled = allowed.rows.iter().copied().step_by(step);
        let mut compare = self.compare(&asked);
        let mut sample = Vec::new();
        for row in sampled.filter(|row| self.catalog.conversation(*row).is_none()) {
            let Some(cosine) = compare(row) else { continue };
            sample.push((row, cosine, self.as_strangers(&question, row)?));
        }
        drop(compare);
        let sum: f32 = sample.iter().map(|(_, _, general)| general).sum();
        let usual = sum / sample.len().max(1) as f32;
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for (row, cosine, general) in sample {
            let of_sort = if self.catalog.has(row, asked.dense) { &mut own } else { &mut other };
            of_sort.push(cosine - self.taken(row) * (general - usual));
        }
        // Most of it went with what is general. What is left may be in favour of either.
        let lacks = EVENED * across::apart(&own, &other, (1.0 - TAKEN) * query.across, OF_USUAL);
        Some(General { asked: Asked { across: lacks, ..asked }, question, usual })
    }

    /// A row's cosine, with what it lacks across scripts, as it counts beside others.
    pub(super) fn in_particular(
        &self,
        general: &General,
        asked: &Asked,
        row: Row,
        near: f32,
    ) -> f32 {
        if self.catalog.conversation(row).is_some() {
            return near;
        }
        let has = self.as_strangers(&general.question, row);
        has.map_or(near, |has| {
            near - self.lacks(asked, row) - self.taken(row) * (has - general.usual)
                + self.lacks(&general.asked, row)
        })
    }

    fn taken(&self, row: Row) -> f32 {
        TAKEN * (1.0 - self.catalog.lengths[row as usize] as f32 / LONG).max(0.0)
    }

    fn as_strangers(&self, question: &Question, row: Row) -> Option<f32> {
        let mut told = vec![0.0; self.flat.dimensions()];
        self.flat.read(self.standing.place(row)?, &mut told);
        Some(question.shared(&told))
    }
}
