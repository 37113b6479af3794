//! What risky uses of tools wait for.

/// What a person is asked before a risky use of a tool, and what they allowed for
/// longer than once.
pub(super) const TWELFTH: &str = "
CREATE TABLE approvals (
    call        BLOB PRIMARY KEY,
    run         BLOB NOT NULL REFERENCES runs (id),
    agent       BLOB NOT NULL REFERENCES agents (id),
    group_id    BLOB NOT NULL REFERENCES groups (id),
    tool        TEXT NOT NULL,
    arguments   TEXT NOT NULL,
    target      TEXT,
    alike       TEXT,
    binding     TEXT NOT NULL,
    state       TEXT NOT NULL,
    asked_ms    INTEGER NOT NULL,
    expires_ms  INTEGER NOT NULL,
    answered_ms INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_open ON approvals (agent) WHERE state IN ('waiting', 'allowed');
CREATE INDEX approvals_by_time ON approvals (asked_ms);

CREATE TABLE grants (
    id       BLOB PRIMARY KEY,
    agent    BLOB NOT NULL REFERENCES agents (id),
    group_id BLOB NOT NULL REFERENCES groups (id),
    tool     TEXT NOT NULL,
    covers   TEXT NOT NULL,
    always   INTEGER NOT NULL,
    schema   TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    used_ms  INTEGER,
    uses     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX grants_of ON grants (agent, group_id, tool);
";

pub(super) const THIRTIETH: &str = "
-- Also what a permission covers that was given meanwhile.
DROP INDEX approvals_open;
CREATE INDEX approvals_open ON approvals (agent) WHERE state IN ('waiting', 'allowed', 'covered');
";

pub(super) const THIRTYFIRST: &str = "
-- Of whom in the tasks of the agent; nothing where it is the agent itself.
ALTER TABLE grants ADD COLUMN soul TEXT;
";
