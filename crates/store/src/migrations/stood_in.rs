//! Who knows that another model answers.

pub(super) const TWENTYSIXTH: &str = "
-- Models that wait for a person, and whose agents' groups were told that another one
-- answers in their place.
CREATE TABLE stood_in (
    agent BLOB NOT NULL REFERENCES agents (id),
    model TEXT NOT NULL,
    PRIMARY KEY (agent, model)
) STRICT, WITHOUT ROWID;
";
