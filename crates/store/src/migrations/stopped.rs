//! The step for groups that a budget stops.

pub(super) const TWENTYNINTH: &str = "
-- Why what is owed there waits; NULL where nothing does.
ALTER TABLE groups ADD COLUMN problem TEXT;
";
