//! What servers want to be asked differently. Which server wants what stands in
//! its row of `crate::presets`.

use crate::accepted::IdForm;
use crate::presets;

/// How a question must be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quirks {
    pub(crate) limit: LimitField,
    pub(crate) seed: SeedField,
    /// Takes llama.cpp's grammars in the field `grammar`.
    pub(crate) gbnf: bool,
    /// Knows `stream_options`; the others send usage unasked, or never.
    pub(crate) stream_options: bool,
    /// Has a place for what the system says; to the others a person says it.
    pub(crate) system: bool,
    /// Lets the temperature be chosen.
    pub(crate) temperature: bool,
    /// How many stop strings it takes; the first ones are sent.
    pub(crate) stops: usize,
    pub(crate) ids: IdForm,
    /// Wants the tool's name beside each result.
    pub(crate) tool_names: bool,
    /// Lets a person speak right after a result.
    pub(crate) user_after_tool: bool,
    /// Wants its thinking back with every answer in the history, and refuses a
    /// history in which the field for it is missing.
    pub(crate) thought: bool,
    /// Holds an answer to any schema, with all of its limits; the others go by
    /// OpenAI's rules.
    pub(crate) whole_schema: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitField {
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeedField {
    Seed,
    RandomSeed,
}

/// What OpenAI takes as an id.
pub(crate) const SHORT: IdForm = IdForm::Word(40);

pub(crate) const PLAIN: Quirks = Quirks {
    limit: LimitField::MaxTokens,
    seed: SeedField::Seed,
    gbnf: false,
    stream_options: true,
    system: true,
    temperature: true,
    stops: usize::MAX,
    ids: IdForm::AsGiven,
    tool_names: false,
    user_after_tool: true,
    thought: false,
    whole_schema: false,
};

/// Holds for models whose name begins with one of these; with none, for all.
/// The first that applies wins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct For {
    pub(crate) models: &'static [&'static str],
    pub(crate) quirks: Quirks,
}

/// For a server under this name or at this host.
pub(super) fn of(provider: &str, host: &str, model: &str) -> Quirks {
    let applies = |row: &&For| {
        row.models.is_empty() || row.models.iter().any(|begin| model.starts_with(begin))
    };
    presets::quirks(provider, host).iter().find(applies).map_or(PLAIN, |row| row.quirks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_known_by_its_address_and_one_of_this_machine_by_its_name() {
        let check = |provider: &str, host: &str, model: &str, expected: Quirks| {
            assert_eq!(of(provider, host, model), expected, "{provider} {host} {model}");
        };
        let mistral = of("mistral", "api.mistral.ai", "m1");
        assert_eq!(mistral.seed, SeedField::RandomSeed);
        check("mine", "api.mistral.ai", "m1", mistral);
        check("acme", "example.com", "m1", PLAIN);
        check("lmstudio", "127.0.0.1", "m1", Quirks { whole_schema: true, ..PLAIN });
        assert!(of("llamaserver", "127.0.0.1", "m1").gbnf);
        assert!(!of("openai", "api.openai.com", "o3-mini").temperature);
        assert!(of("openai", "api.openai.com", "gpt-4.1").temperature);
    }
}
