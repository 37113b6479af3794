//! The step of the schema that keeps what was forgotten from being learned again.

pub(super) const THIRTYFOURTH: &str = "
-- By what it is known that something was forgotten: hashes of what it said, never the words.
CREATE TABLE forgotten_words (
    mark BLOB PRIMARY KEY,
    upto INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";
