//! Token counts. What was read from the cache and what was written to it are
//! counted apart from the rest of the input.

use crate::http::count;
use domain::Usage;
use serde_json::Value;

/// Counts so far: they grow, and the last ones are the whole.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    /// Input that was neither read from the cache nor written to it.
    fresh: Option<u32>,
    read: Option<u32>,
    written: Option<u32>,
    output: Option<u32>,
}

impl Counts {
    /// Takes in a `usage`. Some servers leave out at the end what they said at
    /// the beginning, or say zero.
    pub(super) fn hear(&mut self, usage: &Value) {
        let grow =
            |known: &mut Option<u32>, name: &str| *known = (*known).max(count(usage, &[name]));
        grow(&mut self.fresh, "/input_tokens");
        grow(&mut self.read, "/cache_read_input_tokens");
        grow(&mut self.written, "/cache_creation_input_tokens");
        grow(&mut self.output, "/output_tokens");
    }

    /// In our words all input is input, and what came out of the cache or went
    /// into it is a part of that.
    pub(super) fn usage(self) -> Usage {
        let of_cache = |tokens: Option<u32>| tokens.unwrap_or(0);
        Usage {
            input_tokens: self.fresh.map(|fresh| {
                fresh.saturating_add(of_cache(self.read)).saturating_add(of_cache(self.written))
            }),
            output_tokens: self.output,
            cached_tokens: self.read,
            cache_write_tokens: self.written,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn input_is_all_that_was_read_and_a_missing_count_stays_missing() {
        let check = |usages: &[Value], expected: [Option<u32>; 4]| {
            let mut counts = Counts::default();
            usages.iter().for_each(|usage| counts.hear(usage));
            let Usage { input_tokens, output_tokens, cached_tokens, cache_write_tokens } =
                counts.usage();
            let found = [input_tokens, output_tokens, cached_tokens, cache_write_tokens];
            assert_eq!(found, expected, "{usages:?}");
        };
        check(&[], [None; 4]);
        check(&[json!(null)], [None; 4]);
        check(&[json!({"output_tokens": 3})], [None, Some(3), None, None]);
        let begin = json!({"input_tokens": 5, "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 20, "output_tokens": 1});
        check(std::slice::from_ref(&begin), [Some(125), Some(1), Some(100), Some(20)]);
        check(
            &[begin.clone(), json!({"output_tokens": 9})],
            [Some(125), Some(9), Some(100), Some(20)],
        );
        let end = json!({"input_tokens": 0, "output_tokens": 9, "cache_read_input_tokens": null});
        check(&[begin, end], [Some(125), Some(9), Some(100), Some(20)]);
    }
}
