//! What a cosine lacks between a query and a text in a script of the other sort.
//!
//! The model puts texts of one language close together, so that an unrelated text in
//! the query's language is nearer than the answer in another. How much that is
//! depends on the texts: from nothing to a tenth. So it is measured for each query,
//! on a sample of the texts that it may find: how much nearer those in its own sort
//! of script are on average than the others.

/// How many texts are compared for it.
pub(crate) const SAMPLE: usize = 1_000;
/// What is usual counts as much as so many texts of each sort.
const OF_USUAL: f32 = 4.0;
/// The part of it that is given back. With all of it, as many strangers as answers
/// come up from the other language.
const GIVEN_BACK: f32 = 0.75;

/// `own` and `other` are the cosines of texts in the query's sort of script and in the
/// other, `usual` is what they differ by on the whole.
pub(crate) fn lacking(own: &[f32], other: &[f32], usual: f32) -> f32 {
    (GIVEN_BACK * apart(own, other, usual, OF_USUAL)).max(0.0)
}

/// How much nearer those of the query's sort are on average, where what is usual counts
/// as so many texts of each.
pub(crate) fn apart(own: &[f32], other: &[f32], usual: f32, counts: f32) -> f32 {
    let average = |cosines: &[f32]| cosines.iter().sum::<f32>() / cosines.len().max(1) as f32;
    let seen = own.len().min(other.len()) as f32;
    ((average(own) - average(other)) * seen + usual * counts) / (seen + counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_holds_until_the_texts_say_otherwise() {
        let check = |own: &[f32], other: &[f32], expected: f32| {
            assert!((lacking(own, other, 0.08) - expected).abs() < 1e-4, "{own:?} {other:?}");
        };
        check(&[], &[0.8], 0.06);
        check(&[0.8; 4], &[0.8; 4], 0.03);
        check(&[0.85; 400], &[0.8; 400], 0.75 * (0.05 * 400.0 + 0.32) / 404.0);
        check(&[0.7; 400], &[0.8; 400], 0.0);
    }
}
