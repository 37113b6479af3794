//! The step of the schema that brought what agents propose for their souls.

pub(super) const TWENTYSECOND: &str = "
CREATE TABLE soul_proposals (
    id          BLOB PRIMARY KEY,
    soul        TEXT NOT NULL,
    agent       BLOB NOT NULL REFERENCES agents (id),
    group_id    BLOB NOT NULL REFERENCES groups (id),
    run         BLOB NOT NULL REFERENCES runs (id),
    section     TEXT NOT NULL,
    -- NULL where there was no such section.
    before      TEXT,
    text        TEXT NOT NULL,
    why         TEXT NOT NULL,
    after_tool  TEXT,
    state       TEXT NOT NULL,
    at_ms       INTEGER NOT NULL,
    answered_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX soul_proposals_waiting ON soul_proposals (at_ms) WHERE state = 'waiting';
";
