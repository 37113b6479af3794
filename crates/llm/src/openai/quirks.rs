//! What servers want to be asked differently: a row each.

/// How a question must be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quirks {
    pub(super) limit: LimitField,
    pub(super) seed: SeedField,
    /// Takes llama.cpp's grammars in the field `grammar`.
    pub(super) gbnf: bool,
    /// Knows `stream_options`; the others send usage unasked, or never.
    pub(super) stream_options: bool,
    /// Lets the temperature be chosen.
    pub(super) temperature: bool,
    /// How many stop strings it takes; the first ones are sent.
    pub(super) stops: usize,
    pub(super) ids: IdForm,
    /// Wants the tool's name beside each result.
    pub(super) tool_names: bool,
    /// Lets a person speak right after a result.
    pub(super) user_after_tool: bool,
}

/// Which ids of calls it takes. They may come from another server, when the
/// model was changed in the middle of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdForm {
    /// Any; some servers keep things of their own in theirs.
    AsGiven,
    /// At most 40 letters, digits, `_` and `-`.
    Short,
    /// Nine letters and digits.
    Nine,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitField {
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeedField {
    Seed,
    RandomSeed,
}

/// Applies where the provider's name or its host matches, and, if models are
/// given, the model's name begins with one of them. The first row wins.
struct Row {
    names: &'static [&'static str],
    hosts: &'static [&'static str],
    models: &'static [&'static str],
    quirks: Quirks,
}

const PLAIN: Quirks = Quirks {
    limit: LimitField::MaxTokens,
    seed: SeedField::Seed,
    gbnf: false,
    stream_options: true,
    temperature: true,
    stops: usize::MAX,
    ids: IdForm::AsGiven,
    tool_names: false,
    user_after_tool: true,
};

const ROWS: &[Row] = &[
    Row {
        names: &["llamaserver"],
        hosts: &[],
        models: &[],
        quirks: Quirks { gbnf: true, ..PLAIN },
    },
    // Models that reason in private have a fixed temperature and no stop strings.
    Row {
        names: &[],
        hosts: &["api.openai.com"],
        models: &["o1", "o3", "o4", "gpt-5"],
        quirks: Quirks {
            limit: LimitField::MaxCompletionTokens,
            temperature: false,
            stops: 0,
            ids: IdForm::Short,
            ..PLAIN
        },
    },
    Row {
        names: &[],
        hosts: &["api.openai.com"],
        models: &[],
        quirks: Quirks {
            limit: LimitField::MaxCompletionTokens,
            stops: 4,
            ids: IdForm::Short,
            ..PLAIN
        },
    },
    Row {
        names: &[],
        hosts: &["api.anthropic.com"],
        models: &[],
        quirks: Quirks { ids: IdForm::Short, ..PLAIN },
    },
    Row {
        names: &[],
        hosts: &["generativelanguage.googleapis.com"],
        models: &[],
        quirks: Quirks { tool_names: true, ..PLAIN },
    },
    // Refuses fields that it does not know.
    Row {
        names: &[],
        hosts: &["api.mistral.ai"],
        models: &[],
        quirks: Quirks {
            seed: SeedField::RandomSeed,
            stream_options: false,
            ids: IdForm::Nine,
            user_after_tool: false,
            ..PLAIN
        },
    },
];

pub(super) fn of(provider: &str, host: &str, model: &str) -> Quirks {
    let applies = |row: &&Row| {
        (row.names.contains(&provider) || row.hosts.contains(&host))
            && (row.models.is_empty() || row.models.iter().any(|begin| model.starts_with(begin)))
    };
    ROWS.iter().find(applies).map_or(PLAIN, |row| row.quirks)
}
