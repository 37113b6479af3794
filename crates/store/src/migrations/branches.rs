//! The step that brings branches of a conversation.

pub(super) const SIXTEENTH: &str = "
-- A message that follows another one than the one before it in its group.
CREATE TABLE branches (
    seq      INTEGER PRIMARY KEY REFERENCES messages (seq),
    group_id BLOB NOT NULL REFERENCES groups (id),
    -- The seq of what it follows; 0 where it is the first.
    follows  INTEGER NOT NULL
) STRICT;
CREATE INDEX branches_of_group ON branches (group_id);

-- Messages that stand in branches that are not shown.
CREATE TABLE aside (
    seq      INTEGER PRIMARY KEY REFERENCES messages (seq),
    group_id BLOB NOT NULL REFERENCES groups (id)
) STRICT;
CREATE INDEX aside_of_group ON aside (group_id);
";
