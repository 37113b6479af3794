//! The step of the schema that brought servers of the Model Context Protocol.

pub(super) const THIRTEENTH: &str = "
CREATE TABLE mcp_servers (
    name  TEXT PRIMARY KEY,
    setup TEXT NOT NULL,
    -- What was learned of it when it was there last; NULL before that.
    known TEXT
) STRICT, WITHOUT ROWID;
";
