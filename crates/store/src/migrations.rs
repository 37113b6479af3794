//! The schema, as an ordered list of steps. A step that has shipped is never
//! edited; a change is a new step.

mod approvals;
mod branches;
mod brought;
mod drafts;
mod feed;
mod forgotten;
mod heartbeats;
mod hooks;
mod instead;
mod outside;
mod proposals;
mod questions;
mod schedules;
mod servers;
mod sources;
mod stood_in;
mod stopped;
mod turns;
mod vectors;

use rusqlite_migration::M;

pub(crate) const STEPS: &[M<'static>] = &[
    M::up(FIRST),
    M::up(SECOND),
    M::up(THIRD),
    M::up(FOURTH),
    M::up(FIFTH),
    M::up(SIXTH),
    M::up(SEVENTH),
    M::up(EIGHTH),
    M::up(NINTH),
    M::up(TENTH),
    M::up(ELEVENTH),
    M::up(approvals::TWELFTH),
    M::up(servers::THIRTEENTH),
    M::up(questions::FOURTEENTH),
    M::up(feed::FIFTEENTH),
    M::up(branches::SIXTEENTH),
    M::up(outside::SEVENTEENTH),
    M::up(schedules::EIGHTEENTH),
    M::up(drafts::NINETEENTH),
    M::up(feed::TWENTIETH),
    M::up(sources::TWENTYFIRST),
    M::up(proposals::TWENTYSECOND),
    M::up(hooks::TWENTYTHIRD),
    M::up(vectors::TWENTYFOURTH),
    M::up(instead::TWENTYFIFTH),
    M::up(stood_in::TWENTYSIXTH),
    M::up(turns::TWENTYSEVENTH),
    M::up(heartbeats::TWENTYEIGHTH),
    M::up(stopped::TWENTYNINTH),
    M::up(approvals::THIRTIETH),
    M::up(approvals::THIRTYFIRST),
    M::up(turns::THIRTYSECOND),
    M::up(brought::THIRTYTHIRD),
    M::up(forgotten::THIRTYFOURTH),
];

/// Ids are 16-byte uuids; the person is the nil uuid. Structured values are
/// JSON text, unit variants their bare word. Times are unix milliseconds.
const FIRST: &str = "
CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE providers (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE souls (
    name       TEXT PRIMARY KEY,
    path       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    hash       TEXT NOT NULL,
    file_hash  TEXT,
    problem    TEXT,
    warnings   TEXT NOT NULL,
    updated_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE soul_versions (
    soul    TEXT NOT NULL,
    version INTEGER NOT NULL,
    hash    TEXT NOT NULL,
    text    TEXT NOT NULL,
    source  TEXT NOT NULL,
    at_ms   INTEGER NOT NULL,
    PRIMARY KEY (soul, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
    id           BLOB PRIMARY KEY,
    name         TEXT NOT NULL COLLATE NOCASE,
    soul         TEXT NOT NULL,
    soul_version INTEGER NOT NULL,
    role         TEXT NOT NULL,
    description  TEXT NOT NULL,
    language     TEXT NOT NULL,
    avatar       TEXT NOT NULL,
    model        TEXT,
    state        TEXT NOT NULL,
    problem      TEXT,
    created_ms   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX agents_by_name ON agents (name) WHERE state <> 'terminated';
CREATE INDEX agents_by_soul ON agents (soul);

CREATE TABLE agent_transitions (
    seq        INTEGER PRIMARY KEY,
    agent      BLOB NOT NULL REFERENCES agents (id),
    from_state TEXT,
    to_state   TEXT NOT NULL,
    cause      TEXT NOT NULL,
    at_ms      INTEGER NOT NULL
) STRICT;
CREATE INDEX agent_transitions_by_agent ON agent_transitions (agent, seq);

CREATE TABLE groups (
    id                BLOB PRIMARY KEY,
    name              TEXT NOT NULL,
    kind              TEXT NOT NULL,
    policy            TEXT NOT NULL,
    default_agent     BLOB REFERENCES agents (id),
    messages_per_post INTEGER NOT NULL,
    chain_depth       INTEGER NOT NULL,
    pair_hops         INTEGER NOT NULL,
    runs_per_hour     INTEGER NOT NULL,
    archived          INTEGER NOT NULL,
    created_ms        INTEGER NOT NULL
) STRICT;

CREATE TABLE members (
    group_id     BLOB NOT NULL REFERENCES groups (id),
    who          BLOB NOT NULL,
    position     INTEGER NOT NULL,
    muted        INTEGER NOT NULL,
    cursor       INTEGER NOT NULL,
    joined_after INTEGER NOT NULL,
    left_ms      INTEGER,
    PRIMARY KEY (group_id, who)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_who ON members (who);

CREATE TABLE messages (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          BLOB NOT NULL UNIQUE,
    group_id    BLOB NOT NULL REFERENCES groups (id),
    parent      BLOB,
    author      BLOB,
    body        TEXT NOT NULL,
    chain_depth INTEGER NOT NULL,
    root        BLOB NOT NULL,
    run         BLOB,
    at_ms       INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_by_group ON messages (group_id, seq);
CREATE INDEX messages_by_root ON messages (root, seq);

-- A wake is work for one agent: looked at by its loop, claimed by a run,
-- done when that run has settled.
CREATE TABLE wakes (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    agent       BLOB NOT NULL REFERENCES agents (id),
    group_id    BLOB NOT NULL REFERENCES groups (id),
    message     BLOB NOT NULL,
    message_seq INTEGER NOT NULL,
    author      BLOB,
    root        BLOB NOT NULL,
    depth       INTEGER NOT NULL,
    reason      TEXT NOT NULL,
    attempts    INTEGER NOT NULL,
    claimed_by  BLOB,
    done_by     BLOB,
    done        INTEGER NOT NULL
) STRICT;
CREATE INDEX wakes_open ON wakes (agent, seq) WHERE done = 0;
CREATE INDEX wakes_open_by_root ON wakes (root) WHERE done = 0;
CREATE INDEX wakes_open_by_group ON wakes (group_id) WHERE done = 0;
CREATE INDEX wakes_open_by_run ON wakes (claimed_by) WHERE done = 0;

CREATE TABLE decisions (
    seq      INTEGER PRIMARY KEY,
    group_id BLOB NOT NULL REFERENCES groups (id),
    agent    BLOB NOT NULL REFERENCES agents (id),
    message  BLOB NOT NULL,
    root     BLOB NOT NULL,
    verdict  TEXT NOT NULL,
    reason   TEXT NOT NULL,
    run      BLOB,
    at_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_by_group ON decisions (group_id, seq);
CREATE INDEX decisions_by_message ON decisions (message, seq);

CREATE TABLE runs (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             BLOB NOT NULL UNIQUE,
    agent          BLOB NOT NULL REFERENCES agents (id),
    group_id       BLOB NOT NULL REFERENCES groups (id),
    state          TEXT NOT NULL,
    cause          TEXT NOT NULL,
    root           BLOB NOT NULL,
    depth          INTEGER NOT NULL,
    model          TEXT NOT NULL,
    soul_version   INTEGER NOT NULL,
    reads_after    INTEGER NOT NULL,
    reads_to       INTEGER NOT NULL,
    input_tokens   INTEGER,
    output_tokens  INTEGER,
    cached_tokens  INTEGER,
    outcome        TEXT,
    attempt        INTEGER NOT NULL,
    resumes        BLOB,
    context        TEXT NOT NULL,
    started_ms     INTEGER NOT NULL,
    first_token_ms INTEGER,
    ended_ms       INTEGER
) STRICT;
CREATE INDEX runs_by_agent ON runs (agent, started_ms);
CREATE INDEX runs_by_group ON runs (group_id, seq);
CREATE INDEX runs_open ON runs (state) WHERE state IN ('running', 'interrupted');
CREATE INDEX runs_interrupted ON runs (agent, group_id) WHERE state = 'interrupted';

CREATE TABLE steps (
    run   BLOB NOT NULL REFERENCES runs (id),
    n     INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    kind  TEXT NOT NULL,
    PRIMARY KEY (run, n)
) STRICT, WITHOUT ROWID;

-- One row a model call; NULL where the provider did not say.
CREATE TABLE usage (
    seq           INTEGER PRIMARY KEY,
    run           BLOB NOT NULL REFERENCES runs (id),
    agent         BLOB NOT NULL REFERENCES agents (id),
    group_id      BLOB NOT NULL REFERENCES groups (id),
    model         TEXT NOT NULL,
    input_tokens  INTEGER,
    output_tokens INTEGER,
    cached_tokens INTEGER,
    at_ms         INTEGER NOT NULL
) STRICT;

-- What the search indexes have yet to read.
CREATE TABLE outbox (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    message BLOB NOT NULL
) STRICT;
";

/// Tools, families of agents, budgets, and summaries of long conversations.
const SECOND: &str = "
-- Who delegates to it.
ALTER TABLE agents ADD COLUMN parent BLOB REFERENCES agents (id);
CREATE INDEX agents_by_parent ON agents (parent) WHERE parent IS NOT NULL;

-- How likely it is to speak in `weighted`; NULL leaves it to the soul.
ALTER TABLE members ADD COLUMN talkativeness INTEGER;
-- Who names the next speaker in `supervisor`.
ALTER TABLE groups ADD COLUMN supervisor BLOB REFERENCES agents (id);

-- The last run that tried to answer it, kept when it is released.
ALTER TABLE wakes ADD COLUMN tried_by BLOB;

-- The dispatch ledger: committed before a tool is used.
CREATE TABLE tool_calls (
    id        BLOB PRIMARY KEY,
    run       BLOB NOT NULL REFERENCES runs (id),
    model_id  TEXT NOT NULL,
    tool      TEXT NOT NULL,
    arguments TEXT NOT NULL,
    effects   TEXT NOT NULL,
    state     TEXT NOT NULL,
    result    TEXT,
    at_ms     INTEGER NOT NULL,
    ended_ms  INTEGER
) STRICT;
CREATE INDEX tool_calls_by_run ON tool_calls (run);
CREATE INDEX tool_calls_open ON tool_calls (run) WHERE state = 'dispatched';

-- Tasks that an agent has given to a child of its own.
CREATE TABLE delegations (
    child    BLOB PRIMARY KEY REFERENCES agents (id),
    call     BLOB NOT NULL,
    run      BLOB NOT NULL REFERENCES runs (id),
    root     BLOB NOT NULL,
    group_id BLOB NOT NULL REFERENCES groups (id),
    tools    TEXT
) STRICT;
CREATE INDEX delegations_by_root ON delegations (root);

-- Limits that a person has set; what is not here has its default. NULL is off.
CREATE TABLE budgets (
    scope    TEXT PRIMARY KEY,
    tokens   INTEGER,
    microusd INTEGER
) STRICT;

-- What each scope has used, a row a day (days since 1970, UTC; 0 for a scope
-- that ends by itself), with what is promised to calls in progress.
CREATE TABLE spend (
    scope             TEXT NOT NULL,
    day               INTEGER NOT NULL,
    tokens            INTEGER NOT NULL,
    microusd          INTEGER NOT NULL,
    -- Calls that cost nobody knows how much.
    unpriced          INTEGER NOT NULL DEFAULT 0,
    reserved_tokens   INTEGER NOT NULL,
    reserved_microusd INTEGER NOT NULL,
    PRIMARY KEY (scope, day)
) STRICT, WITHOUT ROWID;

-- One row for each model call in progress, with the most that it may use;
-- microusd is NULL where no price is known.
CREATE TABLE reservations (
    id            BLOB PRIMARY KEY,
    run           BLOB NOT NULL REFERENCES runs (id),
    model         TEXT NOT NULL,
    scopes        TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    microusd      INTEGER
) STRICT;

-- NULL where no price is known.
ALTER TABLE usage ADD COLUMN cost_microusd INTEGER;
-- The provider did not say; this is our own count.
ALTER TABLE usage ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0;
-- Input that the provider put into its prompt cache; a part of all input.
ALTER TABLE usage ADD COLUMN cache_write_tokens INTEGER;
-- From the question to the first sign of an answer, and to its end; NULL where
-- there was none.
ALTER TABLE usage ADD COLUMN first_token_ms INTEGER;
ALTER TABLE usage ADD COLUMN took_ms INTEGER;
CREATE INDEX usage_by_run ON usage (run);
ALTER TABLE runs ADD COLUMN cost_microusd INTEGER;
ALTER TABLE runs ADD COLUMN cache_write_tokens INTEGER;

-- What a model answered, by everything that it was asked. Kept for an hour.
CREATE TABLE response_cache (
    key      BLOB PRIMARY KEY,
    run      BLOB NOT NULL,
    agent    BLOB NOT NULL,
    group_id BLOB NOT NULL,
    model    TEXT NOT NULL,
    answer   TEXT NOT NULL,
    bytes    INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL
) STRICT;
CREATE INDEX response_cache_by_age ON response_cache (at_ms);

-- What stands for the older part of a conversation in an agent's prompt. The
-- messages themselves stay.
CREATE TABLE summaries (
    seq           INTEGER PRIMARY KEY,
    agent         BLOB NOT NULL REFERENCES agents (id),
    group_id      BLOB NOT NULL REFERENCES groups (id),
    run           BLOB NOT NULL,
    told          INTEGER NOT NULL,
    upto          INTEGER NOT NULL,
    shortened     INTEGER NOT NULL,
    asked         INTEGER NOT NULL,
    text          TEXT NOT NULL,
    tokens_before INTEGER NOT NULL,
    tokens_after  INTEGER NOT NULL,
    at_ms         INTEGER NOT NULL
) STRICT;
CREATE INDEX summaries_by_member ON summaries (agent, group_id, seq);
";

/// What models were sent.
const THIRD: &str = "
-- A turn of a request with all before it, or the tools that it offers. What
-- many requests begin with is stored once.
CREATE TABLE request_parts (
    id     INTEGER PRIMARY KEY,
    -- Of this part and all before it.
    hash   BLOB NOT NULL UNIQUE,
    before INTEGER REFERENCES request_parts (id),
    part   TEXT NOT NULL
) STRICT;

CREATE TABLE requests (
    run       BLOB NOT NULL REFERENCES runs (id),
    n         INTEGER NOT NULL,
    model     TEXT NOT NULL,
    last_turn INTEGER REFERENCES request_parts (id),
    tools     INTEGER NOT NULL REFERENCES request_parts (id),
    how       TEXT NOT NULL,
    at_ms     INTEGER NOT NULL,
    PRIMARY KEY (run, n)
) STRICT, WITHOUT ROWID;
";

/// What messages show beside their words.
const FOURTH: &str = "
-- JSON; NULL for most. The bytes lie in the folder `attachments`.
ALTER TABLE messages ADD COLUMN attachments TEXT;
CREATE INDEX messages_with_attachments ON messages (seq) WHERE attachments IS NOT NULL;
";

/// Whether a name is free is asked before each new one.
const FIFTH: &str = "
CREATE INDEX groups_by_name ON groups (name COLLATE NOCASE)
    WHERE kind = 'group' AND archived = 0;
";

/// Only what agents have said is looked for by its root, so a person's post
/// needs no place in this index.
const SIXTH: &str = "
DROP INDEX messages_by_root;
CREATE INDEX messages_by_root ON messages (root, seq) WHERE run IS NOT NULL;
";

/// What is remembered.
const SEVENTH: &str = "
CREATE TABLE memories (
    -- Names it in the index.
    key            INTEGER PRIMARY KEY,
    id             BLOB NOT NULL UNIQUE,
    kind           TEXT NOT NULL,
    scope          TEXT NOT NULL,
    text           TEXT NOT NULL,
    subject        TEXT,
    attribute      TEXT,
    value          TEXT,
    tags           TEXT NOT NULL,
    trust          TEXT NOT NULL,
    importance     INTEGER NOT NULL,
    pinned         INTEGER NOT NULL,
    source         TEXT NOT NULL,
    valid_from_ms  INTEGER,
    valid_to_ms    INTEGER,
    created_at_ms  INTEGER NOT NULL,
    changed_at_ms  INTEGER NOT NULL,
    -- Its bare word, and the other memory it is about, if it is about one.
    state          TEXT NOT NULL,
    state_by       BLOB,
    evidence       INTEGER NOT NULL,
    recalled       INTEGER NOT NULL,
    recalled_at_ms INTEGER,
    version        INTEGER NOT NULL,
    -- What is left of the text without case, width, spaces and punctuation.
    fingerprint    TEXT NOT NULL,
    -- Counts all changes of all memories: what the index has not seen yet has a
    -- higher one.
    changed        INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX memories_by_change ON memories (changed);
CREATE INDEX memories_by_words ON memories (scope, fingerprint) WHERE state = 'current';
CREATE INDEX memories_by_statement ON memories (scope, subject COLLATE NOCASE, attribute COLLATE NOCASE)
    WHERE state = 'current' AND subject IS NOT NULL;
CREATE INDEX memories_by_state ON memories (state, changed);
CREATE INDEX memories_by_other ON memories (state_by) WHERE state_by IS NOT NULL;
CREATE INDEX memories_pinned ON memories (scope) WHERE pinned = 1;

CREATE TABLE memory_versions (
    memory    BLOB NOT NULL REFERENCES memories (id),
    version   INTEGER NOT NULL,
    at_ms     INTEGER NOT NULL,
    change    TEXT NOT NULL,
    -- NULL: the person.
    by        BLOB,
    -- JSON; NULL once it is forgotten.
    as_it_was TEXT,
    PRIMARY KEY (memory, version)
) STRICT, WITHOUT ROWID;

-- Made once, so that an index that is lost is filled again without asking a
-- model: little-endian 32-bit floats.
CREATE TABLE memory_vectors (
    memory INTEGER NOT NULL REFERENCES memories (key),
    model  TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (memory, model)
) STRICT, WITHOUT ROWID;

-- How far a model has looked back at a group for what is worth remembering.
CREATE TABLE look_backs (
    group_id BLOB PRIMARY KEY REFERENCES groups (id),
    upto     INTEGER NOT NULL
) STRICT;

-- What the person said, in its order, whoever heard it.
CREATE INDEX messages_by_user ON messages (seq) WHERE author = x'00000000000000000000000000000000';

CREATE TABLE recalls (
    memory BLOB NOT NULL REFERENCES memories (id),
    run    BLOB NOT NULL REFERENCES runs (id),
    PRIMARY KEY (memory, run)
) STRICT, WITHOUT ROWID;
";

/// What is written and not said yet, and what was owed by who was taken out.
const EIGHTH: &str = "
CREATE TABLE drafts (
    group_id    BLOB PRIMARY KEY REFERENCES groups (id),
    text        TEXT NOT NULL,
    attachments TEXT NOT NULL,
    unsent      TEXT NOT NULL
) STRICT;

-- Wakes, by their seq, that were open when it left.
ALTER TABLE members ADD COLUMN owed TEXT;
";

/// Runs are looked for too.
const NINTH: &str = "
CREATE TABLE outbox_of_both (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The seq of one of the two.
    message INTEGER,
    run     INTEGER
) STRICT;
INSERT INTO outbox_of_both (message) SELECT seq FROM messages ORDER BY seq;
INSERT INTO outbox_of_both (run) SELECT seq FROM runs WHERE state <> 'running' ORDER BY seq;
DROP TABLE outbox;
ALTER TABLE outbox_of_both RENAME TO outbox;
";

/// A file that is imported twice adds nothing the second time, whatever has become
/// since of the memories that stood there for its entries.
const TENTH: &str = "
CREATE TABLE memory_stand_ins (
    wanted BLOB PRIMARY KEY,
    memory BLOB NOT NULL REFERENCES memories (id)
) STRICT, WITHOUT ROWID;
";

/// Each commit writes a page for each table and index that it touches, so that what is
/// not needed goes: indexes beside others that find the same, sums of what a few rows
/// say, and numbers of rows that are never deleted.
const ELEVENTH: &str = "
-- Who has work is in few groups, and who is in a group has little work.
DROP INDEX wakes_open_by_root;
DROP INDEX wakes_open_by_group;
DROP INDEX wakes_open_by_run;
-- Those of a group are found by its messages.
DROP INDEX decisions_by_group;
-- Agents are few beside what they say, and asked by their soul only when it changes.
DROP INDEX agents_by_soul;

-- What is promised is told by the promises.
ALTER TABLE spend DROP COLUMN reserved_tokens;
ALTER TABLE spend DROP COLUMN reserved_microusd;
CREATE TABLE open_reservations (
    id            BLOB PRIMARY KEY,
    run           BLOB NOT NULL REFERENCES runs (id),
    model         TEXT NOT NULL,
    scopes        TEXT NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    microusd      INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO open_reservations SELECT * FROM reservations;
DROP TABLE reservations;
ALTER TABLE open_reservations RENAME TO reservations;

-- No row of these is ever deleted, so that the next number is never one that was.
-- This does not touch what is stored (lang_altertable.html, section 7).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, ' AUTOINCREMENT', '')
    WHERE type = 'table' AND name IN ('messages', 'wakes', 'runs', 'outbox');
PRAGMA writable_schema = RESET;
";

#[cfg(test)]
mod tests {
    #[test]
    fn the_schema_is_valid() {
        rusqlite_migration::Migrations::from_slice(super::STEPS).validate().unwrap();
    }
}
