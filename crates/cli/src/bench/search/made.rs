//! Texts and vectors that are made up, the same ones every time.
//!
//! Words are as frequent as in a language (Zipf); vectors stand in clusters, as
//! those of real texts do.

/// How many different words there are, and how many a text has.
const WORDS: u64 = 50_000;
const LENGTH: u64 = 20;
const CLUSTERS: u64 = 1_000;
/// How far the texts of a cluster stand from its middle. With this much a
/// text's ten nearest are no clearer than among real ones.
const SPREAD: f32 = 0.6;

/// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift
/// generators, scrambled" (2016).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From 0 to below 1.
    fn part(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }
}

/// A text of words of which a few stand everywhere and most hardly anywhere.
pub(super) fn text(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let word = |dice: &mut Dice| (WORDS as f64).powf(f64::from(dice.part())) as u64;
    let words: Vec<String> = (0..LENGTH).map(|_| format!("w{}", word(&mut dice))).collect();
    words.join(" ")
}

/// A few words of a text, as somebody who remembers it would look for it.
pub(super) fn question(seed: u64) -> String {
    let text = text(seed);
    let words: Vec<&str> = text.split(' ').step_by(4).collect();
    words.join(" ")
}

/// A vector of length 1, near the middle of one of the clusters.
pub(super) fn vector(seed: u64, dimensions: usize) -> Vec<f32> {
    let mut middle = Dice::new(u64::MAX / 2 + Dice::new(seed).next() % CLUSTERS);
    let mut around = Dice::new(seed);
    let mut numbers: Vec<f32> =
        (0..dimensions).map(|_| (middle.part() - 0.5) + SPREAD * (around.part() - 0.5)).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
    numbers.iter_mut().for_each(|number| *number /= length);
    numbers
}
