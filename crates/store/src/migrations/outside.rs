//! The step that brings programs from outside.

pub(super) const SEVENTEENTH: &str = "
CREATE TABLE passes (
    id         BLOB PRIMARY KEY,
    name       TEXT NOT NULL COLLATE NOCASE,
    -- What it may do, as JSON.
    rights     TEXT NOT NULL,
    at_ms      INTEGER NOT NULL,
    used_ms    INTEGER,
    uses       INTEGER NOT NULL,
    -- NULL as long as it holds. The row stays: messages bear its name.
    revoked_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX passes_by_name ON passes (name) WHERE revoked_ms IS NULL;

-- As an author of messages and wakes a program is its pass's id behind a byte of
-- its own, so that it is never taken for an agent.
CREATE INDEX messages_by_program ON messages (author, at_ms) WHERE length(author) = 17;
";
