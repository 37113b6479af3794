//! The steps of the schema that brought the feed.

/// The feed. A post is a group: what it says are messages, and who answers has wakes.
pub(super) const FIFTEENTH: &str = "
CREATE TABLE communities (
    id         BLOB PRIMARY KEY,
    name       TEXT NOT NULL COLLATE NOCASE,
    rules      TEXT NOT NULL,
    -- JSON; empty stands for everybody.
    members    TEXT NOT NULL,
    archived   INTEGER NOT NULL,
    created_ms INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX communities_by_name ON communities (name) WHERE archived = 0;

CREATE TABLE posts (
    seq       INTEGER PRIMARY KEY,
    group_id  BLOB NOT NULL UNIQUE REFERENCES groups (id),
    community BLOB NOT NULL REFERENCES communities (id),
    -- NULL until it is written.
    message   BLOB,
    locked    INTEGER NOT NULL,
    at_ms     INTEGER NOT NULL
) STRICT;
CREATE INDEX posts_by_community ON posts (community, seq);

CREATE TABLE reactions (
    item  BLOB NOT NULL,
    who   BLOB NOT NULL,
    sign  TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    PRIMARY KEY (item, who, sign)
) STRICT, WITHOUT ROWID;

CREATE TABLE moderations (
    seq      INTEGER PRIMARY KEY,
    group_id BLOB NOT NULL REFERENCES groups (id),
    item     BLOB NOT NULL,
    how      TEXT NOT NULL,
    why      TEXT,
    at_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX moderations_by_group ON moderations (group_id, seq);

-- What was written and not decided upon yet: in the transaction that wrote it.
CREATE TABLE feed_events (
    seq            INTEGER PRIMARY KEY,
    item           BLOB NOT NULL UNIQUE,
    group_id       BLOB NOT NULL REFERENCES groups (id),
    state          TEXT NOT NULL,
    tries          INTEGER NOT NULL,
    taken_until_ms INTEGER,
    fault          TEXT,
    at_ms          INTEGER NOT NULL
) STRICT;
CREATE INDEX feed_events_open ON feed_events (seq) WHERE state <> 'done';

-- Who was given what: nobody the same item twice.
CREATE TABLE admissions (
    item     BLOB NOT NULL,
    agent    BLOB NOT NULL REFERENCES agents (id),
    group_id BLOB NOT NULL REFERENCES groups (id),
    at_ms    INTEGER NOT NULL,
    PRIMARY KEY (item, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX admissions_by_agent ON admissions (agent, at_ms);
";

/// What an agent was given of a thread is found without a look at all the rest.
pub(super) const TWENTIETH: &str =
    "CREATE INDEX admissions_in ON admissions (agent, group_id, at_ms);";
