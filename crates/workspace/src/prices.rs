//! What a call of a model costs, by the table of prices.
//!
//! Pure. A model without a price there costs an unknown amount.

use crate::models::LOCAL;
use domain::{Price, Usage};

/// The first price that fits. A model of one's own machine costs nothing.
pub(crate) fn of(prices: &[Price], model: &str) -> Option<Price> {
    let local = model.split_once('/').is_some_and(|(provider, _)| provider == LOCAL);
    if local {
        return Some(Price {
            model: model.to_owned(),
            input_microusd: 0,
            cached_microusd: None,
            cache_write_microusd: None,
            output_microusd: 0,
            as_of: None,
            by_provider: false,
        });
    }
    let fits = |price: &&Price| match price.model.strip_suffix('*') {
        Some(start) => model.starts_with(start),
        None => price.model == model,
    };
    prices.iter().find(fits).cloned()
}

/// What providers say now takes the place of what they said before. What a person
/// says of a model holds, by its name or among others.
pub(crate) fn take_up(prices: &mut Vec<Price>, said: Vec<Price>) {
    for price in said {
        let known = prices.iter().position(|known| known.model == price.model);
        match known {
            Some(at) if prices[at].by_provider => prices[at] = price,
            None if of(prices, &price.model).is_none() => prices.push(price),
            Some(_) | None => {}
        }
    }
}

/// In millionths of a dollar, rounded up.
pub(crate) fn cost(price: &Price, usage: Usage) -> i64 {
    let Usage { input_tokens, output_tokens, cached_tokens, cache_write_tokens } = usage;
    let [input, output, cached, written] =
        [input_tokens, output_tokens, cached_tokens, cache_write_tokens]
            .map(|tokens| i128::from(tokens.unwrap_or(0)));
    let cached = cached.min(input);
    let written = written.min(input - cached);
    let rate = |microusd: i64| i128::from(microusd.max(0));
    let as_input = |special: Option<i64>| rate(special.unwrap_or(price.input_microusd));
    let parts = (input - cached - written) * rate(price.input_microusd)
        + cached * as_input(price.cached_microusd)
        + written * as_input(price.cache_write_microusd)
        + output * rate(price.output_microusd);
    i64::try_from((parts + MILLION - 1) / MILLION).unwrap_or(i64::MAX)
}

const MILLION: i128 = 1_000_000;

/// What a call costs at the most, should nothing come out of the cache, or
/// everything, or all go into it.
pub(crate) fn most(price: &Price, input_tokens: u32, output_tokens: u32) -> i64 {
    let (input, output) = (Some(input_tokens), Some(output_tokens));
    let usage = Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
    let read = cost(price, Usage { cached_tokens: input, ..usage });
    let written = cost(price, Usage { cache_write_tokens: input, ..usage });
    cost(price, usage).max(read).max(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(model: &str, input: i64, cached: Option<i64>, output: i64) -> Price {
        Price {
            model: model.into(),
            input_microusd: input,
            cached_microusd: cached,
            cache_write_microusd: None,
            output_microusd: output,
            as_of: None,
            by_provider: false,
        }
    }

    fn usage(input: u32, cached: u32, output: u32) -> Usage {
        Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            cached_tokens: Some(cached),
            cache_write_tokens: None,
        }
    }

    #[test]
    fn the_first_price_that_fits_holds_and_what_runs_here_is_free() {
        let prices =
            [price("lab/big", 9, None, 9), price("lab/*", 1, None, 1), price("*", 5, None, 5)];
        let check = |model: &str, expected: i64| {
            assert_eq!(of(&prices, model).map(|price| price.input_microusd), Some(expected));
        };
        check("lab/big", 9);
        check("lab/big-2", 1);
        check("other/x", 5);
        check("local/starter", 0);
        assert_eq!(of(&prices[..2], "other/x"), None);
    }

    #[test]
    fn what_a_provider_says_now_counts_and_what_a_person_says_holds() {
        let by_provider =
            |model, input| Price { by_provider: true, ..price(model, input, None, 1) };
        let mut prices =
            vec![by_provider("lab/a", 1), price("lab/b", 2, None, 2), price("own/*", 3, None, 3)];
        let said = ["lab/a", "lab/b", "lab/new", "own/x"].map(|model| by_provider(model, 9));
        take_up(&mut prices, said.to_vec());
        let rates: Vec<_> = prices.iter().map(|it| (&*it.model, it.input_microusd)).collect();
        assert_eq!(rates, [("lab/a", 9), ("lab/b", 2), ("own/*", 3), ("lab/new", 9)]);
    }

    #[test]
    fn what_came_from_the_cache_has_its_own_price() {
        // Three dollars, thirty cents and fifteen dollars a million.
        let price = price("lab/m", 3_000_000, Some(300_000), 15_000_000);
        assert_eq!(cost(&price, usage(1_000_000, 0, 0)), 3_000_000);
        assert_eq!(cost(&price, usage(1_000_000, 900_000, 100_000)), 300_000 + 270_000 + 1_500_000);
        assert_eq!(cost(&price, usage(1, 1, 0)), 1, "a part of a millionth counts as one");
        assert_eq!(cost(&price, Usage::default()), 0);
    }

    #[test]
    fn what_went_into_the_cache_has_its_own_price_too() {
        // As Anthropic does it: a tenth out of the cache, a quarter more into it.
        let price = Price {
            cache_write_microusd: Some(3_750_000),
            ..price("lab/m", 3_000_000, Some(300_000), 15_000_000)
        };
        let written =
            |tokens| Usage { cache_write_tokens: Some(tokens), ..usage(1_000_000, 500_000, 0) };
        assert_eq!(cost(&price, written(0)), 150_000 + 1_500_000);
        assert_eq!(cost(&price, written(400_000)), 150_000 + 1_500_000 + 300_000);
        let more_than_there_was = cost(&price, written(u32::MAX));
        assert_eq!(more_than_there_was, cost(&price, written(500_000)));
        let unsaid = Price { cache_write_microusd: None, ..price };
        assert_eq!(cost(&unsaid, written(400_000)), cost(&unsaid, written(0)));
    }

    #[test]
    fn the_most_is_never_less_than_what_it_becomes() {
        for price in [price("a", 3, Some(1), 7), price("b", 3, Some(9), 7), price("c", 3, None, 7)]
        {
            for write_rate in [None, Some(2), Some(20)] {
                let price = Price { cache_write_microusd: write_rate, ..price.clone() };
                for cached in [0, 400_000, 1_000_000] {
                    let cache_write_tokens = Some(1_000_000 - cached);
                    let usage = Usage { cache_write_tokens, ..usage(1_000_000, cached, 500_000) };
                    let became = cost(&price, usage);
                    assert!(most(&price, 1_000_000, 500_000) >= became, "{price:?} {cached}");
                }
            }
        }
    }
}
