//! The step that brings what agents and servers want to know from the person.

pub(super) const FOURTEENTH: &str = "
CREATE TABLE questions (
    id          BLOB PRIMARY KEY,
    -- The use of a tool that waits.
    call        BLOB NOT NULL,
    run         BLOB NOT NULL REFERENCES runs (id),
    agent       BLOB NOT NULL REFERENCES agents (id),
    group_id    BLOB NOT NULL REFERENCES groups (id),
    -- Who asks; NULL where the agent does.
    server      TEXT,
    text        TEXT NOT NULL,
    asks        TEXT NOT NULL,
    state       TEXT NOT NULL,
    given       TEXT,
    asked_ms    INTEGER NOT NULL,
    expires_ms  INTEGER NOT NULL,
    answered_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_waiting ON questions (agent) WHERE state = 'waiting';
CREATE INDEX questions_by_time ON questions (asked_ms);
CREATE INDEX questions_of_call ON questions (call);
";
