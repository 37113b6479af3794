//! Token counts, under the names that servers give them.

use crate::http::count;
use domain::Usage;
use serde_json::Value;

const INPUT: &[&str] = &["/prompt_tokens", "/input_tokens"];
const OUTPUT: &[&str] = &["/completion_tokens", "/output_tokens"];
const ALL: &[&str] = &["/total_tokens"];
/// OpenRouter's name for what it passes on from Anthropic.
const CACHE_WRITE: &[&str] = &["/prompt_tokens_details/cache_write_tokens"];
const CACHED: &[&str] = &[
    "/prompt_tokens_details/cached_tokens",
    "/input_tokens_details/cached_tokens",
    "/prompt_cache_hit_tokens",
    "/cached_tokens",
];

/// The counts in this chunk, if it has any. A missing count stays missing: it
/// is not zero.
pub(super) fn of(chunk: &Value) -> Option<Usage> {
    let places = [&chunk["usage"], &chunk["x_groq"]["usage"], &chunk["choices"][0]["usage"]];
    let usage = places.into_iter().find(|usage| usage.is_object())?;
    let input_tokens = count(usage, INPUT);
    // They are part of what was read, so more of them cannot be.
    let can_be = |cached: &u32| input_tokens.is_none_or(|input| *cached <= input);
    Some(Usage {
        input_tokens,
        output_tokens: written(input_tokens, count(usage, OUTPUT), count(usage, ALL)),
        cached_tokens: count(usage, CACHED).filter(can_be),
        cache_write_tokens: count(usage, CACHE_WRITE),
    })
}

/// What was written, with what was thought: xAI, and Google behind this interface, count
/// that in the sum alone.
fn written(read: Option<u32>, written: Option<u32>, all: Option<u32>) -> Option<u32> {
    let in_sum = all.zip(read).map(|(all, read)| all.saturating_sub(read));
    Some(written?.max(in_sum.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_are_found_under_every_name_and_stay_absent_where_absent() {
        let check = |chunk: Value, expected: Option<[Option<u32>; 3]>| {
            let found = of(&chunk)
                .map(|usage| [usage.input_tokens, usage.output_tokens, usage.cached_tokens]);
            assert_eq!(found, expected, "{chunk}");
        };
        check(json!({"usage": null}), None);
        check(json!({"usage": {}}), Some([None, None, None]));
        check(
            json!({"usage": {"prompt_tokens": 9, "completion_tokens": 0}}),
            Some([Some(9), Some(0), None]),
        );
        check(
            json!({"usage": {"prompt_tokens": 37, "completion_tokens": 30, "total_tokens": 567,
                "completion_tokens_details": {"reasoning_tokens": 500}}}),
            Some([Some(37), Some(530), None]),
        );
        check(
            json!({"usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14,
                "completion_tokens_details": {"reasoning_tokens": 4}}}),
            Some([Some(9), Some(5), None]),
        );
        check(
            json!({"usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}}}),
            Some([Some(9), Some(2), Some(8)]),
        );
        check(
            json!({"usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": null, "prompt_cache_hit_tokens": 4}}),
            Some([Some(9), Some(2), Some(4)]),
        );
        check(
            json!({"usage": {"prompt_tokens": 9, "completion_tokens": 2, "cached_tokens": 999_999_999_999_u64}}),
            Some([Some(9), Some(2), None]),
        );
        check(
            json!({"x_groq": {"usage": {"prompt_tokens": 1, "completion_tokens": 2}}}),
            Some([Some(1), Some(2), None]),
        );
        check(
            json!({"choices": [{"usage": {"prompt_tokens": 1, "completion_tokens": 2, "cached_tokens": 1}}]}),
            Some([Some(1), Some(2), Some(1)]),
        );
    }
}
