//! Draws who speaks in `weighted`.
//!
//! Pure: the lot hangs on the message's id and on the members' weights alone,
//! so that anybody can draw it again from what the decisions record.

/// A lot that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lot {
    /// All weights together.
    pub of: u32,
    /// From 0 up to `of`, without it.
    pub roll: u32,
    /// Whose share it fell into; nobody's when nobody has one.
    pub drawn: Option<usize>,
}

/// The shares lie behind each other in the members' order.
pub(crate) fn draw(weights: &[u32], seed: u128) -> Lot {
    let of = weights.iter().fold(0_u32, |sum, weight| sum.saturating_add(*weight));
    let roll = u32::try_from(scattered(seed) % u64::from(of.max(1))).unwrap_or_default();
    let mut end = 0_u32;
    let drawn = weights.iter().position(|weight| {
        end = end.saturating_add(*weight);
        roll < end
    });
    Lot { of, roll, drawn }
}

/// Ids of the same moment begin alike: every bit of them counts here
/// (SplitMix64 over both halves).
fn scattered(seed: u128) -> u64 {
    let halves = [(seed >> 64) as u64, seed as u64];
    halves.into_iter().fold(0, |mixed, half| mix(mixed ^ half))
}

fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lot_falls_into_the_share_that_holds_it() {
        let weights = [50, 0, 100, 7];
        for seed in 0..500 {
            let Lot { of, roll, drawn } = draw(&weights, seed);
            assert_eq!((of, drawn.is_some(), roll < of), (157, true, true));
            let expected = match roll {
                0..50 => 0,
                50..150 => 2,
                _ => 3,
            };
            assert_eq!(drawn, Some(expected), "roll {roll}");
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_lot() {
        let seed = 0x0191_9a3c_55aa_7000_8000_0000_0000_0001;
        assert_eq!(draw(&[50, 50, 50], seed), Lot { of: 150, roll: 61, drawn: Some(1) });
    }

    #[test]
    fn everybody_is_drawn_as_often_as_their_weight_says() {
        let mut drawn = [0_u32; 3];
        for seed in 0..4000 {
            drawn[draw(&[10, 30, 0], seed).drawn.unwrap()] += 1;
        }
        assert_eq!(drawn[2], 0);
        assert!((850..1150).contains(&drawn[0]), "a quarter of 4000: {drawn:?}");
    }

    #[test]
    fn nobody_is_drawn_where_nobody_wants_to_speak() {
        assert_eq!(draw(&[0, 0], 7), Lot { of: 0, roll: 0, drawn: None });
        assert_eq!(draw(&[], 7).drawn, None);
    }
}
