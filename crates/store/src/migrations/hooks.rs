//! What other programs send to sources that hear them.

/// `text` is empty once it was told: the post has it, and may be forgotten. The rest
/// stays, so that what is sent again is known.
pub(super) const TWENTYTHIRD: &str = "
CREATE TABLE deliveries (
    seq      INTEGER PRIMARY KEY,
    source   BLOB NOT NULL REFERENCES feed_sources (id),
    delivery TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    text     TEXT,
    UNIQUE (source, delivery)
) STRICT;
CREATE INDEX deliveries_untold ON deliveries (source, seq) WHERE text IS NOT NULL;
CREATE INDEX deliveries_by_time ON deliveries (source, at_ms);
";
