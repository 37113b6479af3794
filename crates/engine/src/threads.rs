//! How many threads to think with: the rule, as a plain function.
//!
//! llama.cpp's threads wait for each other by spinning, many times for every
//! token. When another process takes the core of one of them, all of them
//! stand still, and the answer does not slow down but stops. So one core is
//! always left over, and one more for every core that others are using.

/// `cores` are physical ones that we may use; `others` is how many of them
/// other processes kept busy lately (2.0: two of them all the time), `None`
/// where the system does not say.
pub(crate) fn threads(cores: u32, others: Option<f32>) -> u32 {
    let taken = others.unwrap_or(0.0).max(0.0).round() as u32;
    cores.saturating_sub(1).saturating_sub(taken).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_core_is_left_over_and_one_for_each_that_others_use() {
        for (cores, others, expected) in [
            (1, None, 1),
            (2, None, 1),
            (2, Some(0.0), 1),
            (2, Some(2.0), 1),
            (4, None, 3),
            (4, Some(0.0), 3),
            (4, Some(0.3), 3), // a desktop that does nothing in particular
            (4, Some(0.6), 2),
            (4, Some(1.0), 2),
            (4, Some(2.0), 1),
            (4, Some(9.0), 1),
            (8, Some(0.2), 7),
            (8, Some(1.5), 5),
            (8, Some(8.0), 1),
            (16, Some(-0.1), 15), // two counters read a moment apart
            (0, None, 1),
        ] {
            assert_eq!(threads(cores, others), expected, "{cores} cores, {others:?} taken");
        }
    }
}
