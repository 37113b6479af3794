//! The step of the schema that brought what comes with a change of a memory.

pub(super) const THIRTYTHIRD: &str = "
-- What the words of a change brought beside it, or what it left of a memory by itself: who takes
-- the change back takes that back too.
CREATE TABLE memory_brought (
    memory        BLOB NOT NULL REFERENCES memories (id),
    version       INTEGER NOT NULL,
    other         BLOB NOT NULL REFERENCES memories (id),
    other_version INTEGER NOT NULL,
    PRIMARY KEY (memory, version, other)
) STRICT, WITHOUT ROWID;
";
