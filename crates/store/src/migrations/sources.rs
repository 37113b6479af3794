//! The step of the schema that brought sources: what is told in the feed by itself.

pub(super) const TWENTYFIRST: &str = "
CREATE TABLE feed_sources (
    id         BLOB PRIMARY KEY,
    name       TEXT NOT NULL COLLATE NOCASE,
    -- The kind of what it watches.
    watches    TEXT NOT NULL,
    -- JSON.
    plan       TEXT NOT NULL,
    is_on      INTEGER NOT NULL,
    posts      INTEGER NOT NULL,
    posted_ms  INTEGER,
    -- Of a folder, as JSON: what was there when it was looked into last, and when that
    -- was. NULL before the first look.
    seen       TEXT,
    seen_ms    INTEGER,
    created_ms INTEGER NOT NULL,
    -- The row stays: posts bear its name.
    removed_ms INTEGER
) STRICT;
CREATE UNIQUE INDEX feed_sources_by_name ON feed_sources (name) WHERE removed_ms IS NULL;

-- What has happened and is not told yet: in the transaction in which it happened.
CREATE TABLE happenings (
    seq    INTEGER PRIMARY KEY,
    source BLOB NOT NULL REFERENCES feed_sources (id),
    -- One of the two.
    run    BLOB,
    memory BLOB
) STRICT;
CREATE INDEX happenings_by_source ON happenings (source, seq);
";
