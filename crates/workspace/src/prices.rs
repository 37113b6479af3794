//! What a call of a model costs, by the table of prices.
//!
//! Pure. A model without a price there costs an unknown amount.

use crate::models::LOCAL;
use domain::{Fault, FaultCode, Price, PriceChange, Usage};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The price that holds for a model: what a person says of it by its name, then what
/// they say of the fewest others too, then what its provider says. Their order in the
/// table is of no account. A model of one's own machine costs nothing.
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
    let fitting = prices.iter().filter(|price| fits(&price.model, model));
    // Of two that weigh the same the first counts.
    fitting.rev().max_by_key(|price| weight(price)).cloned()
}

/// What a person changes of the table.
pub(crate) fn change(
    prices: &mut Vec<Price>,
    change: PriceChange,
    now_ms: i64,
) -> Result<(), Fault> {
    let PriceChange { without, put } = change;
    if let Some(put) = &put {
        check(put, now_ms)?;
    }
    let at = |model: &str| prices.iter().position(|price| price.model == model);
    let gone = match &without {
        Some(model) => Some(at(model).ok_or_else(|| unsaid(model))?),
        None => put.as_ref().and_then(|put| at(&put.model)),
    };
    match (gone, put) {
        (Some(at), Some(put)) => {
            prices[at] = put.clone();
            // What was said of the same at another place.
            let mut n = 0;
            prices.retain(|price| {
                n += 1;
                n == at + 1 || price.model != put.model
            });
        }
        (Some(at), None) => drop(prices.remove(at)),
        (None, Some(put)) => prices.push(put),
        (None, None) => {}
    }
    Ok(())
}

fn unsaid(model: &str) -> Fault {
    let message = format!("nothing was said of the price of {model}");
    Fault::not_found(message, "coterie model prices shows what was said of which")
}

/// Whether it can hold for a model, and did on its day. Where a person lives it may be
/// tomorrow already.
fn check(price: &Price, now_ms: i64) -> Result<(), Fault> {
    let refused = |message: String, fix: &str| Err(Fault::new(FaultCode::BadInput, message, fix));
    if !names_models(&price.model) {
        let message = format!("{:?} names no model", price.model);
        return refused(message, "write PROVIDER/MODEL; each * in it stands for whatever is there");
    }
    let Some(as_of) = &price.as_of else { return Ok(()) };
    let Ok(said) = as_of.parse::<Date>() else {
        let message = format!("{as_of:?} is no day");
        return refused(message, "write the day on which this was the price as 2026-11-21");
    };
    if day(now_ms.saturating_add(DAY_MS)).is_some_and(|tomorrow| said > tomorrow) {
        let message = format!("what {} costs on {said} nobody knows yet", price.model);
        return refused(
            message,
            "a price counts at once: give the day on which it was seen, or none for today",
        );
    }
    Ok(())
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// In UTC.
pub(crate) fn day(moment_ms: i64) -> Option<Date> {
    let moment = Timestamp::from_millisecond(moment_ms).ok()?;
    Some(moment.to_zoned(TimeZone::UTC).date())
}

/// Whether a price can hold for any model.
fn names_models(pattern: &str) -> bool {
    match pattern.split_once('/') {
        Some((provider, model)) => !provider.is_empty() && !model.is_empty(),
        None => pattern.contains('*'),
    }
}

/// Whether a pattern means this model: each `*` in it stands for whatever is there.
fn fits(pattern: &str, model: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == model };
    let Some(mut left) = model.strip_prefix(start) else { return false };
    let mut parts = rest.split('*');
    let end = parts.next_back().unwrap_or_default();
    for part in parts {
        match left.split_once(part) {
            Some((_, after)) => left = after,
            None => return false,
        }
    }
    left.ends_with(end)
}

/// Who says it, whether of one model alone, and how much of its name.
fn weight(price: &Price) -> (bool, bool, usize) {
    let said = price.model.chars().filter(|c| *c != '*').count();
    (!price.by_provider, !price.model.contains('*'), said)
}

/// What a provider says now takes the place of all that it said before, and never of what
/// a person says of the same model.
pub(crate) fn take_up(prices: &mut Vec<Price>, provider: &str, said: Vec<Price>) {
    let is_said = |known: &Price| said.iter().any(|price| price.model == known.model);
    prices.retain(|known| !is_of(known, provider) || is_said(known));
    for price in said {
        let known = prices.iter().position(|known| known.model == price.model);
        match known {
            Some(at) if prices[at].by_provider => prices[at] = price,
            None => prices.push(price),
            Some(_) => {}
        }
    }
}

/// Whether it is what this provider said.
pub(crate) fn is_of(price: &Price, provider: &str) -> bool {
    let of = price.model.split_once('/').is_some_and(|(name, _)| name == provider);
    price.by_provider && of
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
    fn the_price_that_says_most_of_a_model_holds_and_a_persons_before_a_providers() {
        let by_provider =
            |model, input| Price { by_provider: true, ..price(model, input, None, 1) };
        let mut prices = vec![
            by_provider("lab/big", 8),
            by_provider("other/x", 7),
            price("*", 5, None, 5),
            price("lab/*", 1, None, 1),
            price("lab/*:free", 0, None, 0),
            price("lab/big-2", 9, None, 9),
            price("lab/b*g*", 2, None, 2),
        ];
        for _ in 0..prices.len() {
            let check = |model: &str, expected: i64| {
                let found = of(&prices, model).map(|price| price.input_microusd);
                assert_eq!(found, Some(expected), "{model}");
            };
            check("lab/big-2", 9);
            check("lab/big", 2);
            check("lab/small", 1);
            check("lab/small:free", 0);
            check("other/x", 5);
            check("local/starter", 0);
            // In whatever order they stand.
            prices.rotate_left(1);
        }
        prices.retain(|price| price.model != "*");
        assert_eq!(of(&prices, "other/x").map(|price| price.input_microusd), Some(7));
        assert_eq!(of(&prices, "other/y"), None);
    }

    #[test]
    fn a_price_takes_the_place_of_another_and_the_rest_stays() {
        let said = |model: &str| price(model, 1, None, 1);
        let mut prices = vec![said("lab/a"), said("lab/b"), said("lab/c")];
        let mut check = |without: Option<&str>, put: Option<&str>, expected: &[&str]| {
            let (without, put) = (without.map(Into::into), put.map(said));
            let changed = change(&mut prices, PriceChange { without, put }, 0);
            let models: Vec<_> = prices.iter().map(|price| price.model.as_str()).collect();
            assert_eq!(models, expected);
            changed.is_ok()
        };
        assert!(check(None, Some("lab/d"), &["lab/a", "lab/b", "lab/c", "lab/d"]));
        assert!(check(None, Some("lab/b"), &["lab/a", "lab/b", "lab/c", "lab/d"]));
        assert!(check(Some("lab/b"), Some("lab/e"), &["lab/a", "lab/e", "lab/c", "lab/d"]));
        assert!(check(Some("lab/c"), Some("lab/a"), &["lab/e", "lab/a", "lab/d"]));
        assert!(check(Some("lab/e"), None, &["lab/a", "lab/d"]));
        assert!(!check(Some("lab/e"), None, &["lab/a", "lab/d"]));
        assert!(!check(Some("lab/e"), Some("lab/f"), &["lab/a", "lab/d"]));
    }

    #[test]
    fn a_star_stands_for_whatever_is_there() {
        let check = |pattern: &str, model: &str, expected: bool| {
            assert_eq!(fits(pattern, model), expected, "{pattern} {model}");
        };
        check("lab/*", "lab/", true);
        check("lab/*", "lab2/x", false);
        check("*/big", "lab/big", true);
        check("*/big", "lab/big-2", false);
        check("lab/a*a", "lab/a", false);
        check("lab/a*a", "lab/aa", true);
        check("lab/*-mini-*", "lab/x-mini-2", true);
        check("lab/*-mini-*", "lab/x-mini", false);
        check("lab/**", "lab/x", true);
        check("lab/x", "lab/x-2", false);
    }

    #[test]
    fn what_a_provider_says_now_counts_and_what_a_person_says_holds() {
        let by_provider =
            |model, input| Price { by_provider: true, ..price(model, input, None, 1) };
        let mut prices =
            vec![by_provider("lab/a", 1), price("lab/b", 2, None, 2), price("own/*", 3, None, 3)];
        let said = ["lab/a", "lab/b", "lab/new"].map(|model| by_provider(model, 9));
        take_up(&mut prices, "own", vec![by_provider("own/x", 9), by_provider("own/gone", 9)]);
        take_up(&mut prices, "lab", said.to_vec());
        let rates: Vec<_> = ["lab/a", "lab/b", "lab/new", "own/x"]
            .map(|model| of(&prices, model).map(|price| price.input_microusd))
            .into();
        assert_eq!(rates, [Some(9), Some(2), Some(9), Some(3)]);
        // What it says no more is gone.
        take_up(&mut prices, "own", vec![by_provider("own/x", 9)]);
        assert!(!prices.iter().any(|price| price.model == "own/gone"));
        // Where the person takes back what they said, the provider's counts.
        prices.retain(|price| price.model != "own/*");
        assert_eq!(of(&prices, "own/x").map(|price| price.input_microusd), Some(9));
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
