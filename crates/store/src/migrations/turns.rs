//! The step that makes turns cheaper.

pub(super) const TWENTYSEVENTH: &str = "
-- What every turn is told of the person's own wishes.
CREATE INDEX memories_preferred ON memories (scope)
    WHERE kind = 'preference' AND trust = 'person' AND state = 'current';
";
