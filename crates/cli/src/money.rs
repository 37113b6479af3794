//! US dollars as people write them, and as millionths.
//!
//! What has no price is not free: a sum of nothing is only written as $0.00
//! where everything in it costs nothing.

use crate::names::Names;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::words;
use domain::{Price, Query, UsageBy, UsageRow};

pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// When the day of the budgets began.
pub(crate) fn today_ms() -> i64 {
    words::now_ms().div_euclid(DAY_MS) * DAY_MS
}

/// How sums of some time are to be written.
pub(crate) struct Cost {
    prices: Vec<Price>,
    /// A model was used whose price nobody knows.
    some_unpriced: bool,
}

const NO_PRICE: &str = "no price";

impl Cost {
    pub(crate) async fn since(
        session: &Session,
        names: &Names,
        since_ms: i64,
    ) -> Result<Cost, Failure> {
        let by_model = Query::Usage { by: UsageBy::Model, since_ms };
        let rows = answered!(session.ask(by_model).await?, Usage)?;
        Ok(Cost::of_models(names.overview.settings.prices.clone(), &rows))
    }

    fn of_models(prices: Vec<Price>, models: &[UsageRow]) -> Cost {
        let some_unpriced = models.iter().any(|row| is_unpriced(&prices, row));
        Cost { prices, some_unpriced }
    }

    pub(crate) fn of_model(&self, row: &UsageRow) -> String {
        if is_unpriced(&self.prices, row) {
            NO_PRICE.to_owned()
        } else {
            dollars(row.cost_microusd)
        }
    }

    /// Of a sum over several models.
    pub(crate) fn of(&self, microusd: i64, tokens: i64) -> String {
        if microusd == 0 && tokens > 0 && self.some_unpriced {
            NO_PRICE.to_owned()
        } else {
            dollars(microusd)
        }
    }
}

fn is_unpriced(prices: &[Price], row: &UsageRow) -> bool {
    let used = row.input_tokens + row.output_tokens > 0;
    used && row.cost_microusd == 0 && !is_free(prices, &row.key)
}

/// A model of one's own machine, or one whose price was set to nothing.
fn is_free(prices: &[Price], model: &str) -> bool {
    let fits = |price: &&Price| match price.model.strip_suffix('*') {
        Some(start) => model.starts_with(start),
        None => price.model == model,
    };
    let nothing = |price: &Price| price.input_microusd == 0 && price.output_microusd == 0;
    model.starts_with("local/") || prices.iter().find(fits).is_some_and(nothing)
}

/// Millionths of a dollar; the error says what would be right.
pub(crate) fn usd(word: &str) -> Result<i64, String> {
    let wrong = || "give US dollars as 2 or 0.25, with six places at most".to_owned();
    let (whole, parts) = word.trim_start_matches('$').split_once('.').unwrap_or((word, ""));
    let whole = whole.trim_start_matches('$');
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let fits = digits(whole) && digits(parts) && whole.len() <= 9 && parts.len() <= 6;
    if !fits || whole.len() + parts.len() == 0 {
        return Err(wrong());
    }
    format!("{whole}{parts:0<6}").parse().map_err(|_| wrong())
}

/// With two places at least, and as many more as say something.
pub(crate) fn dollars(microusd: i64) -> String {
    let sign = if microusd < 0 { "-" } else { "" };
    let text = format!("{:07}", microusd.unsigned_abs());
    let (whole, parts) = text.split_at(text.len() - 6);
    let parts = parts.trim_end_matches('0');
    format!("{sign}${whole}.{parts:0<2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_price_is_not_free() {
        let used = |model: &str, cost_microusd: i64| UsageRow {
            key: model.to_owned(),
            calls: 1,
            input_tokens: 20,
            output_tokens: 3,
            cached_tokens: 0,
            cost_microusd,
        };
        let free = Price {
            model: "home/*".to_owned(),
            input_microusd: 0,
            cached_microusd: None,
            output_microusd: 0,
        };
        let (unpriced, local, home, priced) =
            (used("acme/x", 0), used("local/s", 0), used("home/y", 0), used("acme/z", 5));
        let rows = [unpriced.clone(), local.clone(), home.clone(), priced.clone()];
        let cost = Cost::of_models(vec![free.clone()], &rows);
        let written = rows.map(|row| cost.of_model(&row));
        assert_eq!(written, ["no price", "$0.00", "$0.00", "$0.000005"]);
        assert_eq!(
            [cost.of(0, 23), cost.of(0, 0), cost.of(5, 46)],
            ["no price", "$0.00", "$0.000005"]
        );
        assert_eq!(Cost::of_models(vec![free], &[local, home, priced]).of(0, 23), "$0.00");
    }

    #[test]
    fn dollars_are_read_as_they_are_written() {
        for (word, microusd, written) in [
            ("2", 2_000_000, "$2.00"),
            ("$2.50", 2_500_000, "$2.50"),
            ("0.000001", 1, "$0.000001"),
            (".25", 250_000, "$0.25"),
            ("0", 0, "$0.00"),
            ("1234.5", 1_234_500_000, "$1234.50"),
        ] {
            assert_eq!(usd(word), Ok(microusd), "{word}");
            assert_eq!(dollars(microusd), written);
        }
        for wrong in ["", ".", "-1", "1e3", "0.0000001", "two", "1,5", "12345678901"] {
            assert!(usd(wrong).is_err(), "{wrong}");
        }
    }
}
