//! The step that makes turns cheaper.

pub(super) const TWENTYSEVENTH: &str = "
-- What a run may use, where requests have it; NULL where its context has it, or it has none.
ALTER TABLE runs ADD COLUMN tools INTEGER REFERENCES request_parts (id);

-- What every turn is told of the person's own wishes.
CREATE INDEX memories_preferred ON memories (scope)
    WHERE kind = 'preference' AND trust = 'person' AND state = 'current';
";

pub(super) const THIRTYSECOND: &str = "
-- What they show is kept.
CREATE INDEX tool_calls_pictured ON tool_calls (id) WHERE instr(result, '[picture: ') > 0;
";
