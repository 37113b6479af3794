//! What models of well-known services cost, for services that do not say it.
//!
//! From LiteLLM's public table, as `tools/prices.py` wrote it to `prices.tsv`.
//! What a service or a person says comes first.

use crate::http::Endpoint;
use domain::{ModelInfo, Price};
use std::collections::HashMap;

const TABLE: &str = include_str!("prices.tsv");

/// What those of a service's models cost that the table knows, as of its day.
pub fn known_prices(service: &Endpoint, models: &[ModelInfo]) -> Vec<Price> {
    let rows: HashMap<&str, Row<'_>> = TABLE
        .lines()
        .filter_map(row)
        .filter(|row| row.host == service.host())
        .map(|row| (row.model, row))
        .collect();
    let price = |model: &ModelInfo| {
        let row = rows.get(model.name.as_str())?;
        Some(Price {
            model: format!("{}/{}", service.name(), model.name),
            input_microusd: row.input,
            cached_microusd: row.cached,
            cache_write_microusd: row.written,
            output_microusd: row.output,
            as_of: day().map(str::to_owned),
            by_provider: true,
        })
    };
    models.iter().filter_map(price).collect()
}

struct Row<'a> {
    host: &'a str,
    model: &'a str,
    input: i64,
    cached: Option<i64>,
    written: Option<i64>,
    output: i64,
}

fn row(line: &str) -> Option<Row<'_>> {
    let mut cells = line.split('\t');
    let (host, model) = (cells.next()?, cells.next()?);
    let mut rate = || cells.next().map(|cell| cell.parse::<i64>().ok());
    let (input, cached, written, output) = (rate()??, rate()?, rate()?, rate()??);
    Some(Row { host, model, input, cached, written, output })
}

fn day() -> Option<&'static str> {
    TABLE.strip_prefix("# as of ")?.split_once(',').map(|(day, _)| day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn prices(name: &str, url: &str, models: &[&str]) -> Vec<(String, i64, Option<i64>, i64)> {
        let service = Endpoint::new(name, url).unwrap();
        let models: Vec<_> = models.iter().map(|name| ModelInfo::new(*name, None)).collect();
        let rates =
            |it: Price| (it.model, it.input_microusd, it.cached_microusd, it.output_microusd);
        known_prices(&service, &models).into_iter().map(rates).collect()
    }

    #[test]
    fn a_model_has_the_price_of_the_service_that_runs_it() {
        let openai = "https://api.openai.com/v1";
        let expected = ("mine/gpt-5".to_owned(), 1_250_000, Some(125_000), 10_000_000);
        assert_eq!(prices("mine", openai, &["gpt-5", "gpt-5-of-my-own"]), [expected]);
        assert_eq!(prices("openai", "http://127.0.0.1:8080/v1", &["gpt-5"]), []);
        assert_eq!(prices("openai", "https://api.openai.com.evil.example/v1", &["gpt-5"]), []);
    }

    #[test]
    fn the_table_is_whole_and_names_each_model_once() {
        let mut lines = TABLE.lines();
        assert!(
            lines.next().unwrap().starts_with("# as of 20")
                && day().is_some_and(|it| it.len() == 10)
        );
        let mut seen = HashSet::new();
        for line in lines {
            let row = row(line).unwrap_or_else(|| panic!("{line}"));
            assert!(seen.insert((row.host, row.model)), "twice: {line}");
            let rates = [Some(row.input), row.cached, row.written, Some(row.output)];
            // More than 1,000 dollars a million is a slip of the table.
            assert!(
                rates.into_iter().flatten().all(|rate| (0..1_000_000_000).contains(&rate)),
                "{line}"
            );
            let reached = crate::presets();
            assert!(reached.iter().any(|preset| preset.base_url.contains(row.host)), "{line}");
        }
    }
}
