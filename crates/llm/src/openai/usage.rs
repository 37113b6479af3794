//! Token counts, under the names that servers give them.

use crate::http::count;
use domain::Usage;
use serde_json::Value;

const INPUT: &[&str] = &["/prompt_tokens", "/input_tokens"];
const OUTPUT: &[&str] = &["/completion_tokens", "/output_tokens"];
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
        output_tokens: count(usage, OUTPUT),
        cached_tokens: count(usage, CACHED).filter(can_be),
        cache_write_tokens: count(usage, CACHE_WRITE),
    })
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
