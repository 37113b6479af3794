//! What models of different ages take: a row each.

/// How a question must be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quirks {
    /// Can be asked to tell what it thinks.
    pub(super) thoughts: bool,
    /// Refuses a call of its own in the history that comes without a seal.
    pub(super) sealed_calls: bool,
    /// Takes a system prompt apart from the conversation; else it is the beginning of it.
    pub(super) system: bool,
    /// Takes tools beside a form for the answer; else it refuses the two together.
    pub(super) tools_beside_form: bool,
}

/// Applies to models whose name begins with one of these. The first row wins.
struct Row {
    models: &'static [&'static str],
    quirks: Quirks,
}

const ROWS: &[Row] = &[
    Row {
        models: &["gemma-1", "gemma-2", "gemma-3"],
        quirks: Quirks {
            thoughts: false,
            sealed_calls: false,
            system: false,
            tools_beside_form: false,
        },
    },
    Row {
        models: &["gemini-1", "gemini-2.0", "learnlm"],
        quirks: Quirks {
            thoughts: false,
            sealed_calls: false,
            system: true,
            tools_beside_form: false,
        },
    },
    Row {
        models: &["gemini-2"],
        quirks: Quirks {
            thoughts: true,
            sealed_calls: false,
            system: true,
            tools_beside_form: false,
        },
    },
    // The newer ones, and those to come.
    Row {
        models: &["gemini-"],
        quirks: Quirks {
            thoughts: true,
            sealed_calls: true,
            system: true,
            tools_beside_form: true,
        },
    },
    // Somebody else's.
    Row {
        models: &[""],
        quirks: Quirks {
            thoughts: false,
            sealed_calls: false,
            system: true,
            tools_beside_form: false,
        },
    },
];

pub(super) fn of(model: &str) -> Quirks {
    let name = model.rsplit('/').next().unwrap_or(model);
    let applies = |row: &&Row| row.models.iter().any(|begin| name.starts_with(begin));
    ROWS.iter().find(applies).expect("the last row applies to all").quirks
}
