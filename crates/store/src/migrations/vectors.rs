//! Models of providers that compare texts.

/// What is known of each that was chosen for it, and what they used.
pub(super) const TWENTYFOURTH: &str = "
CREATE TABLE vector_models (
    model      TEXT PRIMARY KEY,
    dimensions INTEGER NOT NULL,
    -- The usual cosine of texts that have nothing to do with each other, and of those
    -- that say the same.
    unrelated  REAL NOT NULL,
    alike      REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_usage (
    seq           INTEGER PRIMARY KEY,
    model         TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    -- NULL where no price is known.
    cost_microusd INTEGER,
    -- The provider did not say; this is our own count.
    estimated     INTEGER NOT NULL,
    at_ms         INTEGER NOT NULL
) STRICT;
";
