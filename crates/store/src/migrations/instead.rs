//! Who answers for a model that cannot.

pub(super) const TWENTYFIFTH: &str = "
-- The model that was asked in the place of the run's own; NULL while it is asked itself.
ALTER TABLE runs ADD COLUMN asked_instead TEXT;
";
