//! What models take that answer to Messages: a row each.

/// How a question must be put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quirks {
    /// Lets the temperature be chosen.
    pub(super) temperature: bool,
    /// Thinks whenever it finds that good, and tells what if it is asked to.
    pub(super) thinks: bool,
    /// Holds an answer to a schema.
    pub(super) schema: bool,
}

/// Applies to models whose name begins with one of these. The first row wins.
struct Row {
    models: &'static [&'static str],
    quirks: Quirks,
}

const ROWS: &[Row] = &[
    Row {
        models: &[
            "claude-2",
            "claude-3",
            "claude-instant",
            "claude-opus-4-0",
            "claude-opus-4-2",
            "claude-sonnet-4-0",
            "claude-sonnet-4-2",
        ],
        quirks: Quirks { temperature: true, thinks: false, schema: false },
    },
    Row {
        models: &[
            "claude-opus-4-1",
            "claude-opus-4-5",
            "claude-opus-4-6",
            "claude-sonnet-4-5",
            "claude-sonnet-4-6",
            "claude-haiku-4-5",
        ],
        quirks: Quirks { temperature: true, thinks: false, schema: true },
    },
    Row {
        models: &["claude-opus-4-"],
        quirks: Quirks { temperature: false, thinks: false, schema: true },
    },
    // The newer ones, and those to come.
    Row { models: &["claude-"], quirks: Quirks { temperature: false, thinks: true, schema: true } },
    // Somebody else's, behind a server that speaks the same words.
    Row { models: &[""], quirks: Quirks { temperature: true, thinks: false, schema: false } },
];

pub(super) fn of(model: &str) -> Quirks {
    let applies = |row: &&Row| row.models.iter().any(|begin| model.starts_with(begin));
    ROWS.iter().find(applies).expect("the last row applies to all").quirks
}
