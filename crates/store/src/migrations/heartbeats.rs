//! The step of the schema that brought heartbeats that souls say.

pub(super) const TWENTYEIGHTH: &str = "
-- Of the soul of its agent, in whose file alone it is changed.
ALTER TABLE schedules ADD COLUMN of_soul INTEGER NOT NULL DEFAULT 0;

-- Who is given very much has very many open wakes: those of one group are told apart in
-- the index, without a look at each of them.
DROP INDEX wakes_open;
CREATE INDEX wakes_open ON wakes (agent, seq, group_id) WHERE done = 0;
";
