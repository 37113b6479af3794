//! The step of the schema that brought schedules.

pub(super) const EIGHTEENTH: &str = "
CREATE TABLE schedules (
    id         BLOB PRIMARY KEY,
    agent      BLOB NOT NULL REFERENCES agents (id),
    -- JSON.
    plan       TEXT NOT NULL,
    times      TEXT NOT NULL,
    made_by    BLOB NOT NULL,
    paused     INTEGER NOT NULL,
    -- NULL when it is over.
    next_ms    INTEGER,
    created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX schedules_due ON schedules (next_ms) WHERE paused = 0;

-- What became of each of its times: in the transaction that gives it, or does not.
CREATE TABLE schedule_times (
    seq      INTEGER PRIMARY KEY,
    schedule BLOB NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    due_ms   INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    became   TEXT NOT NULL
) STRICT;
CREATE INDEX schedule_times_by_schedule ON schedule_times (schedule, seq);
";
