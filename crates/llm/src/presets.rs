//! Services and servers that many use: a row each.
//!
//! To add one, add a row. `quirks` says what its OpenAI door wants to be asked
//! differently from the others, for all its models or for some; most want
//! nothing. `docs/providers.md` says what a provider has to do to work.

use crate::accepted::IdForm;
use crate::openai::quirks::{For, LimitField, PLAIN, Quirks, SHORT, SeedField};
use domain::{Preset, ProviderKind};

struct Row {
    name: &'static str,
    title: &'static str,
    kind: ProviderKind,
    base_url: &'static str,
    key: Key,
    quirks: &'static [For],
}

enum Key {
    /// Wants none.
    None,
    /// The variable that usually holds it, and where a person gets one.
    In(&'static str, &'static str),
}

use Key::In;
use ProviderKind::{Anthropic, Gemini, Ollama, Openai};

const NO_QUIRKS: &[For] = &[];
const WHOLE_SCHEMA: &[For] = &[For { models: &[], quirks: Quirks { whole_schema: true, ..PLAIN } }];
const THOUGHT_BACK: &[For] = &[For { models: &[], quirks: Quirks { thought: true, ..PLAIN } }];

const ROWS: &[Row] = &[
    // In the cloud.
    Row {
        name: "openai",
        title: "OpenAI",
        kind: Openai,
        base_url: "https://api.openai.com/v1",
        key: In("OPENAI_API_KEY", "https://platform.openai.com/api-keys"),
        quirks: &[
            // Models that reason in private have a fixed temperature and no stop strings.
            For {
                models: &["o1", "o3", "o4", "gpt-5"],
                quirks: Quirks { temperature: false, stops: 0, ..OPENAI },
            },
            For { models: &[], quirks: OPENAI },
        ],
    },
    Row {
        name: "anthropic",
        title: "Anthropic",
        kind: Anthropic,
        base_url: "https://api.anthropic.com/v1",
        key: In("ANTHROPIC_API_KEY", "https://platform.claude.com/settings/keys"),
        quirks: &[For { models: &[], quirks: Quirks { ids: SHORT, ..PLAIN } }],
    },
    Row {
        name: "gemini",
        title: "Google Gemini",
        kind: Gemini,
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        key: In("GEMINI_API_KEY", "https://aistudio.google.com/apikey"),
        quirks: &[For { models: &[], quirks: Quirks { tool_names: true, ..PLAIN } }],
    },
    Row {
        name: "openrouter",
        title: "OpenRouter",
        kind: Openai,
        base_url: "https://openrouter.ai/api/v1",
        key: In("OPENROUTER_API_KEY", "https://openrouter.ai/settings/keys"),
        quirks: NO_QUIRKS,
    },
    Row {
        name: "deepseek",
        title: "DeepSeek",
        kind: Openai,
        base_url: "https://api.deepseek.com/v1",
        key: In("DEEPSEEK_API_KEY", "https://platform.deepseek.com/api_keys"),
        quirks: THOUGHT_BACK,
    },
    Row {
        name: "groq",
        title: "Groq",
        kind: Openai,
        base_url: "https://api.groq.com/openai/v1",
        key: In("GROQ_API_KEY", "https://console.groq.com/keys"),
        quirks: NO_QUIRKS,
    },
    Row {
        name: "mistral",
        title: "Mistral",
        kind: Openai,
        base_url: "https://api.mistral.ai/v1",
        key: In("MISTRAL_API_KEY", "https://console.mistral.ai/api-keys"),
        // Refuses fields that it does not know.
        quirks: &[For {
            models: &[],
            quirks: Quirks {
                seed: SeedField::RandomSeed,
                stream_options: false,
                ids: IdForm::Nine,
                user_after_tool: false,
                ..PLAIN
            },
        }],
    },
    Row {
        name: "xai",
        title: "xAI",
        kind: Openai,
        base_url: "https://api.x.ai/v1",
        key: In("XAI_API_KEY", "https://console.x.ai"),
        // Models that reason take no stop strings, and those are most.
        quirks: &[For { models: &[], quirks: Quirks { stops: 0, ..PLAIN } }],
    },
    Row {
        name: "together",
        title: "Together AI",
        kind: Openai,
        base_url: "https://api.together.xyz/v1",
        key: In("TOGETHER_API_KEY", "https://api.together.ai/settings/api-keys"),
        quirks: NO_QUIRKS,
    },
    Row {
        name: "fireworks",
        title: "Fireworks AI",
        kind: Openai,
        base_url: "https://api.fireworks.ai/inference/v1",
        key: In("FIREWORKS_API_KEY", "https://app.fireworks.ai/settings/users/api-keys"),
        quirks: NO_QUIRKS,
    },
    Row {
        name: "cerebras",
        title: "Cerebras",
        kind: Openai,
        base_url: "https://api.cerebras.ai/v1",
        key: In("CEREBRAS_API_KEY", "https://cloud.cerebras.ai"),
        quirks: NO_QUIRKS,
    },
    Row {
        name: "huggingface",
        title: "Hugging Face",
        kind: Openai,
        base_url: "https://router.huggingface.co/v1",
        key: In("HF_TOKEN", "https://huggingface.co/settings/tokens"),
        quirks: NO_QUIRKS,
    },
    Row {
        name: "moonshot",
        title: "Moonshot (Kimi)",
        kind: Openai,
        base_url: "https://api.moonshot.cn/v1",
        key: In("MOONSHOT_API_KEY", "https://platform.moonshot.cn/console/api-keys"),
        quirks: THOUGHT_BACK,
    },
    Row {
        name: "zhipu",
        title: "Zhipu (GLM)",
        kind: Openai,
        base_url: "https://open.bigmodel.cn/api/paas/v4",
        key: In("ZHIPU_API_KEY", "https://open.bigmodel.cn/usercenter/apikeys"),
        quirks: NO_QUIRKS,
    },
    Row {
        name: "dashscope",
        title: "Alibaba Model Studio (Qwen)",
        kind: Openai,
        base_url: "https://dashscope.aliyuncs.com/compatible-mode/v1",
        key: In("DASHSCOPE_API_KEY", "https://bailian.console.aliyun.com/?tab=model#/api-key"),
        quirks: NO_QUIRKS,
    },
    Row {
        name: "siliconflow",
        title: "SiliconFlow",
        kind: Openai,
        base_url: "https://api.siliconflow.cn/v1",
        key: In("SILICONFLOW_API_KEY", "https://cloud.siliconflow.cn/account/ak"),
        quirks: NO_QUIRKS,
    },
    // On one's own machine.
    Row {
        name: "ollama",
        title: "Ollama",
        kind: Ollama,
        base_url: "http://127.0.0.1:11434",
        key: Key::None,
        quirks: WHOLE_SCHEMA,
    },
    Row {
        name: "lmstudio",
        title: "LM Studio",
        kind: Openai,
        base_url: "http://127.0.0.1:1234/v1",
        key: Key::None,
        quirks: WHOLE_SCHEMA,
    },
    Row {
        name: "llamaserver",
        title: "llama-server",
        kind: Openai,
        base_url: "http://127.0.0.1:8080/v1",
        key: Key::None,
        quirks: &[For { models: &[], quirks: Quirks { gbnf: true, whole_schema: true, ..PLAIN } }],
    },
    Row {
        name: "vllm",
        title: "vLLM",
        kind: Openai,
        base_url: "http://127.0.0.1:8000/v1",
        key: Key::None,
        quirks: WHOLE_SCHEMA,
    },
    Row {
        name: "sglang",
        title: "SGLang",
        kind: Openai,
        base_url: "http://127.0.0.1:30000/v1",
        key: Key::None,
        quirks: WHOLE_SCHEMA,
    },
];

const OPENAI: Quirks =
    Quirks { limit: LimitField::MaxCompletionTokens, stops: 4, ids: SHORT, ..PLAIN };

/// All of them, those in the cloud first.
pub fn presets() -> Vec<Preset> {
    let preset = |row: &Row| {
        let (key_env, key_page) = match row.key {
            Key::None => (None, None),
            In(variable, page) => (Some(variable.to_owned()), Some(page.to_owned())),
        };
        Preset {
            name: row.name.to_owned(),
            title: row.title.to_owned(),
            kind: row.kind,
            base_url: row.base_url.to_owned(),
            key_env,
            key_page,
        }
    };
    ROWS.iter().map(preset).collect()
}

/// What the OpenAI door of this server wants. One of this machine is known by
/// its name alone, since they share an address.
pub(crate) fn quirks(provider: &str, host: &str) -> &'static [For] {
    let at_host = |row: &&Row| row.host() == host && !matches!(row.key, Key::None);
    let named = |row: &&Row| row.name == provider && matches!(row.key, Key::None);
    let found = ROWS.iter().find(at_host).or_else(|| ROWS.iter().find(named));
    found.map_or(NO_QUIRKS, |row| row.quirks)
}

impl Row {
    fn host(&self) -> &'static str {
        let after = self.base_url.split_once("//").map_or("", |(_, after)| after);
        after.split(['/', ':']).next().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Endpoint;
    use std::collections::HashSet;

    #[test]
    fn every_row_is_one_that_can_be_added_as_it_is() {
        let presets = presets();
        let names: HashSet<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
        assert_eq!(names.len(), presets.len(), "a name is taken once");
        for preset in &presets {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            assert!(preset.name.chars().all(plain), "{preset:?}");
            let endpoint = Endpoint::new(&*preset.name, &preset.base_url);
            let local = endpoint.map(|endpoint| endpoint.is_local()).map_err(|it| it.message);
            assert_eq!(local, Ok(preset.key_env.is_none()), "{preset:?}");
            assert!(!preset.base_url.ends_with('/') && !preset.title.is_empty(), "{preset:?}");
            let is_page = preset.key_page.as_ref().is_none_or(|page| page.starts_with("https://"));
            assert!(is_page && preset.key_page.is_some() == preset.key_env.is_some(), "{preset:?}");
        }
    }
}
