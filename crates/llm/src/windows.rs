//! How much well-known models read, for servers that list only their names.
//!
//! From LiteLLM's public table (`model_prices_and_context_window.json` of its
//! release 1.109.1, `max_input_tokens`), looked at on 2026-11-22. What a server or
//! a person says comes first. Where models of one beginning differ, the row has
//! the least of them.

/// For names that begin so; the longest that fits holds.
const ROWS: &[(&str, u32)] = &[
    // OpenAI
    ("gpt-3.5-turbo", 16_385),
    ("gpt-4", 8_192),
    ("gpt-4-1106", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("chatgpt-4o", 128_000),
    ("gpt-5", 272_000),
    ("gpt-5-chat", 128_000),
    ("gpt-5.1-chat", 128_000),
    ("gpt-5.2-chat", 128_000),
    ("gpt-5.3-chat", 128_000),
    ("gpt-5.4", 1_050_000),
    ("gpt-5.4-mini", 272_000),
    ("gpt-5.4-nano", 272_000),
    ("gpt-5.5", 1_050_000),
    ("gpt-5.6", 922_000),
    ("gpt-5.6-cyber", 400_000),
    ("gpt-6", 922_000),
    ("gpt-oss", 131_072),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4", 200_000),
    // Anthropic
    ("claude-", 200_000),
    // Google
    ("gemini-2.5", 1_048_576),
    ("gemini-2.5-computer-use", 128_000),
    ("gemini-3", 1_048_576),
    ("gemini-4", 1_048_576),
    ("gemini-flash", 1_048_576),
    ("gemini-pro", 1_048_576),
    ("gemma-3", 131_072),
    ("gemma-4", 131_072),
    // DeepSeek
    ("deepseek-chat", 131_072),
    ("deepseek-flash", 1_000_000),
    ("deepseek-r1", 65_536),
    ("deepseek-reasoner", 131_072),
    ("deepseek-v3", 65_536),
    ("deepseek-v4", 1_000_000),
    // xAI
    ("grok-4.20", 1_000_000),
    ("grok-4.3", 1_000_000),
    ("grok-4.5", 500_000),
    ("grok-4.6", 500_000),
    ("grok-4.7", 500_000),
    ("grok-build", 256_000),
    ("grok-code", 256_000),
    // Mistral, where somebody else serves it
    ("codestral", 128_000),
    ("devstral", 131_072),
    ("magistral", 262_144),
    ("ministral-3-3b", 131_072),
    ("ministral-3-8b", 262_144),
    ("ministral-3-14b", 262_144),
    ("mistral-large-3", 262_144),
    ("mistral-medium-3", 262_144),
    // Moonshot
    ("kimi-k2.", 262_144),
    ("kimi-k3", 1_048_576),
    ("moonshot-v1-8k", 8_192),
    ("moonshot-v1-32k", 32_768),
    ("moonshot-v1-128k", 131_072),
    ("moonshot-v1-auto", 131_072),
    // Zhipu
    ("glm-4.5", 128_000),
    ("glm-4.6", 200_000),
    ("glm-4.7", 200_000),
    ("glm-5", 200_000),
    ("glm-5.2", 1_000_000),
    ("glm-5.3", 1_000_000),
    // Qwen
    ("qwen-flash", 997_952),
    ("qwen-max", 30_720),
    ("qwen-plus", 129_024),
    ("qwen-turbo", 129_024),
    ("qwen3-coder", 262_144),
    ("qwen3-coder-flash", 997_952),
    ("qwen3-coder-plus", 997_952),
    ("qwen3-max", 258_048),
    ("qwen3-next", 262_144),
    ("qwen3-vl", 131_072),
    ("qwen3.5", 262_144),
    ("qwen3.5-plus", 991_808),
    ("qwen3.7-max", 991_808),
    ("qwen3.7-plus", 991_808),
    ("qwen3.8-flash", 991_808),
    ("qwen3.8-max", 991_808),
    ("qwq", 98_304),
    // Llama
    ("llama-3.1", 128_000),
    ("llama-3.3", 128_000),
    ("llama3.1", 128_000),
];

/// In tokens, by the last part of its name: services that pass models on write
/// whose they are before it.
pub fn known_window(model: &str) -> Option<u32> {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let fits = ROWS.iter().filter(|(begin, _)| name.starts_with(begin));
    fits.max_by_key(|(begin, _)| begin.len()).map(|(_, tokens)| *tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_by_how_its_name_begins() {
        let check = |model: &str, tokens| assert_eq!(known_window(model), tokens, "{model}");
        check("gpt-4", Some(8_192));
        check("gpt-4o-mini-2024-07-18", Some(128_000));
        check("gpt-4.1-nano", Some(1_047_576));
        check("gpt-5.4-mini-2026-03-17", Some(272_000));
        check("deepseek-chat", Some(131_072));
        check("Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", Some(262_144));
        check("openai/o3-mini", Some(200_000));
        check("house-model-7b", None);
        let mut names: Vec<&str> = ROWS.iter().map(|(begin, _)| *begin).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ROWS.len(), "each beginning has one row");
    }
}
