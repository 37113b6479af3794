//! What is remembered, as it stands now. How it came to be so is in
//! `memory_versions`.
//!
//! `changed` counts all changes of all memories, so that an index knows from
//! where on it has to read.

use super::happenings::{self, Happened};
use super::memory_versions;
use crate::{Read, StoreError, Write, value};
use domain::{
    AgentId, Memory, MemoryChange, MemoryFilter, MemoryId, MemoryKind, MemoryScope, MemoryState,
    MessageId, Record, Standing, Statement,
};
use rusqlite::{Row, params};
use uuid::Uuid;

const COLUMNS: &str = "id, kind, scope, text, subject, attribute, value, tags, trust, importance, pinned, source,
    valid_from_ms, valid_to_ms, created_at_ms, changed_at_ms, state, state_by, evidence, recalled, recalled_at_ms,
    version";

/// What the index is told of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// Names the memory in the index.
    pub key: u64,
    /// Grows with each change of any memory.
    pub changed: u64,
    pub memory: Memory,
}

/// Adds a memory, or puts it as it is now in the place of how it was. What it
/// was before stays as a version.
pub fn put(
    write: &mut Write<'_>,
    memory: &Memory,
    fingerprint: &str,
    change: MemoryChange,
    by: Option<AgentId>,
) -> Result<(), StoreError> {
    let statement = memory.statement.as_ref();
    let (state, state_by) = state_columns(memory.state);
    let sql = format!(
        "INSERT INTO memories ({COLUMNS}, fingerprint, changed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
             ?23, (SELECT coalesce(max(changed), 0) + 1 FROM memories))
         ON CONFLICT (id) DO UPDATE SET kind = ?2, scope = ?3, text = ?4, subject = ?5, attribute = ?6, value = ?7,
             tags = ?8, trust = ?9, importance = ?10, pinned = ?11, source = ?12, valid_from_ms = ?13,
             valid_to_ms = ?14, changed_at_ms = ?16, state = ?17, state_by = ?18, evidence = ?19, version = ?22,
             fingerprint = ?23, changed = excluded.changed"
    );
    write.db.prepare_cached(&sql)?.execute(params![
        memory.id.0,
        value::word(&memory.kind)?,
        value::json(&memory.scope)?,
        memory.text,
        statement.map(|statement| &statement.subject),
        statement.map(|statement| &statement.attribute),
        statement.map(|statement| &statement.value),
        value::json(&memory.tags)?,
        value::word(&memory.trust)?,
        memory.importance,
        memory.pinned,
        value::json(&memory.source)?,
        memory.valid_from_ms,
        memory.valid_to_ms,
        memory.created_at_ms,
        memory.changed_at_ms,
        state,
        state_by.map(|other| other.0),
        memory.evidence,
        memory.recalled,
        memory.recalled_at_ms,
        memory.version,
        fingerprint,
    ])?;
    if change == MemoryChange::Contested {
        happenings::add(write, Happened::Memory(memory.id))?;
    }
    memory_versions::add(write, memory, change, by)?;
    write.saved(Record::Memory(memory.clone()));
    Ok(())
}

/// Notes that it was read in a turn, which changes nothing of it.
pub fn recalled(write: &mut Write<'_>, id: MemoryId, at_ms: i64) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "UPDATE memories SET recalled = recalled + 1, recalled_at_ms = ?2 WHERE id = ?1",
        )?
        .execute(params![id.0, at_ms])?;
    Ok(())
}

pub fn find(read: &Read<'_>, id: MemoryId) -> Result<Option<Memory>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM memories WHERE id = ?1"), [id.0], memory)
}

/// The memory that an index knows by this key.
pub fn by_key(read: &Read<'_>, key: u64) -> Result<Option<Memory>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM memories WHERE key = ?1"), [key as i64], memory)
}

/// Of a kind, whether they hold or not, the forgotten left out.
pub fn of_kind(read: &Read<'_>, kind: MemoryKind) -> Result<Vec<Memory>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM memories WHERE kind = ?1 AND state <> 'forgotten'");
    read.list(&sql, [value::word(&kind)?], memory)
}

/// How many there are, the forgotten left out.
pub fn count(read: &Read<'_>) -> Result<u32, StoreError> {
    let sql = "SELECT count(*) FROM memories WHERE state <> 'forgotten'";
    Ok(read.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// Whether there is one in any of these scopes that holds.
pub fn any_in(read: &Read<'_>, scopes: &[MemoryScope]) -> Result<bool, StoreError> {
    for scope in scopes {
        let sql = "SELECT 1 FROM memories WHERE scope = ?1 AND state = 'current' LIMIT 1";
        if read.one(sql, [value::json(scope)?], |_| Ok(()))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What was remembered of a message, or by those that it woke, with their tools.
pub fn of_message(read: &Read<'_>, message: MessageId) -> Result<Vec<Memory>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM memories WHERE state <> 'forgotten'
                 AND (json_extract(source, '$.message') = ?1
                      OR (json_extract(source, '$.message') IS NULL
                          AND json_extract(source, '$.run') IN (SELECT lower(
                              substr(hex(id), 1, 8) || '-' || substr(hex(id), 9, 4) || '-' ||
                              substr(hex(id), 13, 4) || '-' || substr(hex(id), 17, 4) || '-' ||
                              substr(hex(id), 21))
                              FROM runs WHERE json_extract(cause, '$.message') = ?1)))
             ORDER BY key"
        ),
        [message.0.to_string()],
        memory,
    )
}

/// Whether what was remembered of a message was forgotten.
pub fn was_forgotten(read: &Read<'_>, message: MessageId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM memories WHERE state = 'forgotten'
                 AND json_extract(source, '$.message') = ?1 LIMIT 1";
    Ok(read.one(sql, [message.0.to_string()], |_| Ok(()))?.is_some())
}

/// Those of these scopes that are read in every turn, the last changed first. Left to
/// itself SQLite looks through everything that holds, here and for what is preferred.
pub fn pinned(read: &Read<'_>, scopes: &[MemoryScope]) -> Result<Vec<Memory>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM memories INDEXED BY memories_pinned
             WHERE pinned = 1 AND state = 'current' AND scope IN (SELECT value FROM json_each(?1))
             ORDER BY changed DESC"
        ),
        [list_of_json(scopes)?],
        memory,
    )
}

/// What the person has said that they like or want, in these scopes, as far as it holds;
/// the most important first.
pub fn preferences(
    read: &Read<'_>,
    scopes: &[MemoryScope],
    now_ms: i64,
    limit: u32,
) -> Result<Vec<Memory>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memories INDEXED BY memories_preferred
         WHERE kind = 'preference' AND trust = 'person' AND state = 'current'
             AND scope IN (SELECT value FROM json_each(?1))
             AND coalesce(valid_from_ms, ?2) <= ?2 AND coalesce(valid_to_ms, ?2 + 1) > ?2
         ORDER BY pinned DESC, importance DESC, key DESC LIMIT ?3"
    );
    read.list(&sql, params![list_of_json(scopes)?, now_ms, limit], memory)
}

/// What the person has said of themselves and of theirs, in these scopes, as far as it holds;
/// the most important first.
pub fn of_person(
    read: &Read<'_>,
    scopes: &[MemoryScope],
    now_ms: i64,
    limit: u32,
) -> Result<Vec<Memory>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memories INDEXED BY memories_by_statement
         WHERE scope IN (SELECT value FROM json_each(?1))
             AND subject IS NOT NULL AND subject COLLATE NOCASE BETWEEN 'user' AND 'user''s~'
             AND kind IN ('fact', 'relationship') AND trust = 'person' AND state = 'current'
             AND coalesce(valid_from_ms, ?2) <= ?2 AND coalesce(valid_to_ms, ?2 + 1) > ?2
         ORDER BY pinned DESC, importance DESC, key DESC LIMIT ?3"
    );
    read.list(&sql, params![list_of_json(scopes)?, now_ms, limit], memory)
}

/// A page, the last changed first, that ends before a change.
pub fn page(
    read: &Read<'_>,
    filter: &MemoryFilter,
    now_ms: i64,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Changed>, StoreError> {
    let (fits, given) = fits(filter, now_ms)?;
    let mut given = given;
    given.extend([before.unwrap_or(i64::MAX).into(), i64::from(limit).into()]);
    read.list(
        &format!(
            "SELECT {COLUMNS}, key, changed FROM memories WHERE {fits} AND changed < ?8
             ORDER BY changed DESC LIMIT ?9"
        ),
        rusqlite::params_from_iter(given),
        changed,
    )
}

/// How many fit.
pub fn count_of(read: &Read<'_>, filter: &MemoryFilter, now_ms: i64) -> Result<u32, StoreError> {
    let (fits, given) = fits(filter, now_ms)?;
    let sql = format!("SELECT count(*) FROM memories WHERE {fits}");
    let mut statement = read.db.prepare_cached(&sql)?;
    Ok(statement.query_row(rusqlite::params_from_iter(given), |row| row.get(0))?)
}

/// The index keys of those that bear a tag.
pub fn with_tag(read: &Read<'_>, tag: &str) -> Result<Vec<u64>, StoreError> {
    read.list(
        "SELECT key FROM memories WHERE EXISTS
             (SELECT 1 FROM json_each(tags) WHERE value = ?1 COLLATE NOCASE)",
        [tag],
        key,
    )
}

/// The index keys of those that are read in every turn.
pub fn keys_of_pinned(read: &Read<'_>) -> Result<Vec<u64>, StoreError> {
    read.list("SELECT key FROM memories WHERE pinned = 1", [], key)
}

/// The index keys of those that were so, or were noted, in a part of these times.
pub fn keys_within(
    read: &Read<'_>,
    since_ms: Option<i64>,
    until_ms: Option<i64>,
) -> Result<Vec<u64>, StoreError> {
    read.list(
        &format!(
            "SELECT key FROM memories
             WHERE (?1 IS NULL OR {SO_UNTIL} > ?1) AND (?2 IS NULL OR {SO_FROM} < ?2)"
        ),
        params![since_ms, until_ms],
        key,
    )
}

/// The index keys of those that hold at another time than now.
pub fn not_now(read: &Read<'_>, now_ms: i64) -> Result<Vec<u64>, StoreError> {
    let sql = format!(
        "SELECT key FROM memories
         WHERE state = 'current' AND (valid_from_ms > ?1 OR valid_to_ms <= ?1 AND NOT {HAPPENED})"
    );
    read.list(&sql, [now_ms], key)
}

/// The index keys of those that something else took the place of, or that were
/// never so.
pub fn superseded(read: &Read<'_>) -> Result<Vec<u64>, StoreError> {
    read.list("SELECT key FROM memories WHERE state IN ('superseded', 'wrong')", [], key)
}

/// What changed after a point, the oldest change first.
pub fn changed_since(read: &Read<'_>, since: u64, limit: u32) -> Result<Vec<Changed>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS}, key, changed FROM memories WHERE changed > ?1 ORDER BY changed LIMIT ?2"
        ),
        params![since as i64, limit],
        changed,
    )
}

/// How many have changed after a point.
pub fn count_since(read: &Read<'_>, since: u64) -> Result<u32, StoreError> {
    let sql = "SELECT count(*) FROM memories WHERE changed > ?1";
    Ok(read.db.prepare_cached(sql)?.query_row([since as i64], |row| row.get(0))?)
}

/// The number of the last change; 0 before the first.
pub fn last_change(read: &Read<'_>) -> Result<u64, StoreError> {
    let sql = "SELECT coalesce(max(changed), 0) FROM memories";
    let last: i64 = read.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(last as u64)
}

/// What a statement is about, whatever its attribute is called.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    pub subject: &'a str,
    pub attributes: &'a [&'a str],
}

/// Those that a new one may repeat or contradict: of its scope, and current,
/// with the same words or about the same thing.
pub fn rivals(
    read: &Read<'_>,
    scope: MemoryScope,
    fingerprint: &str,
    about: Option<About<'_>>,
) -> Result<Vec<Memory>, StoreError> {
    alike(read, "current", scope, fingerprint, about)
}

/// The same of those that wait for a person to decide.
pub fn waiting(
    read: &Read<'_>,
    scope: MemoryScope,
    fingerprint: &str,
    about: Option<About<'_>>,
) -> Result<Vec<Memory>, StoreError> {
    alike(read, "contested", scope, fingerprint, about)
}

/// The same of those that gave way to another.
pub fn gave_way(
    read: &Read<'_>,
    scope: MemoryScope,
    fingerprint: &str,
    about: Option<About<'_>>,
) -> Result<Vec<Memory>, StoreError> {
    alike(read, "superseded", scope, fingerprint, about)
}

fn alike(
    read: &Read<'_>,
    state: &'static str,
    scope: MemoryScope,
    fingerprint: &str,
    about: Option<About<'_>>,
) -> Result<Vec<Memory>, StoreError> {
    let scope = value::json(&scope)?;
    // Spelled out, so that the index of those in this state is used.
    let such = format!("SELECT {COLUMNS} FROM memories WHERE state = '{state}' AND scope = ?1");
    let same = format!("{such} AND fingerprint = ?2 ORDER BY key");
    let mut alike = read.list(&same, params![scope, fingerprint], memory)?;
    if let Some(About { subject, attributes }) = about {
        let about = format!(
            "{such} AND subject = ?2 COLLATE NOCASE AND attribute = ?3 COLLATE NOCASE ORDER BY key"
        );
        for attribute in attributes {
            let about = read.list(&about, params![scope, subject, attribute], memory)?;
            alike.extend(about.into_iter().filter(|one| one.statement.is_some()));
        }
        let mut seen = std::collections::HashSet::new();
        alike.retain(|one| seen.insert(one.id));
    }
    Ok(alike)
}

/// Those that a person has said were never so, of any scope, with the same words or about
/// the same thing.
pub fn wrong(
    read: &Read<'_>,
    fingerprint: &str,
    about: Option<About<'_>>,
) -> Result<Vec<Memory>, StoreError> {
    everywhere(read, "state = 'wrong'", fingerprint, about)
}

/// The same of those that hold, and that no person vouches for.
pub fn unvouched(
    read: &Read<'_>,
    fingerprint: &str,
    about: Option<About<'_>>,
) -> Result<Vec<Memory>, StoreError> {
    everywhere(read, "state = 'current' AND trust <> 'person'", fingerprint, about)
}

/// Those of other scopes that hold, about the same thing.
pub fn elsewhere(
    read: &Read<'_>,
    scope: MemoryScope,
    about: About<'_>,
) -> Result<Vec<Memory>, StoreError> {
    // One scope after the other, so that the index of what is stated is used.
    let sql = format!(
        "WITH RECURSIVE each (one) AS (
             SELECT min(scope) FROM memories INDEXED BY memories_by_words WHERE state = 'current'
             UNION ALL
             SELECT (SELECT min(scope) FROM memories INDEXED BY memories_by_words
                     WHERE state = 'current' AND scope > one)
             FROM each WHERE one IS NOT NULL)
         SELECT {COLUMNS} FROM each CROSS JOIN memories ON scope = one AND one <> ?1
         WHERE state = 'current' AND subject IS NOT NULL
             AND subject = ?2 COLLATE NOCASE AND attribute = ?3 COLLATE NOCASE
         ORDER BY key"
    );
    let scope = value::json(&scope)?;
    let mut elsewhere = Vec::new();
    for attribute in about.attributes {
        elsewhere.extend(read.list(&sql, params![scope, about.subject, attribute], memory)?);
    }
    Ok(elsewhere)
}

/// Those of any scope that wait for a person to decide, with the same words or about the same
/// thing.
pub fn waiting_anywhere(
    read: &Read<'_>,
    fingerprint: &str,
    about: Option<About<'_>>,
) -> Result<Vec<Memory>, StoreError> {
    everywhere(read, "state = 'contested'", fingerprint, about)
}

/// Those that hold and that no person vouches for, and those that held once: they gave way.
pub fn unvouched_ever(
    read: &Read<'_>,
    fingerprint: &str,
    about: Option<About<'_>>,
) -> Result<Vec<Memory>, StoreError> {
    let which = "state IN ('current', 'superseded') AND trust <> 'person'";
    everywhere(read, which, fingerprint, about)
}

fn everywhere(
    read: &Read<'_>,
    which: &str,
    fingerprint: &str,
    about: Option<About<'_>>,
) -> Result<Vec<Memory>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM memories WHERE {which}
             AND (fingerprint = ?1 OR subject = ?2 COLLATE NOCASE
                  AND attribute COLLATE NOCASE IN (SELECT value FROM json_each(?3)))
         ORDER BY changed DESC"
    );
    let (subject, attributes) = match about {
        Some(About { subject, attributes }) => (Some(subject), attributes),
        None => (None, &[][..]),
    };
    read.list(&sql, params![fingerprint, subject, value::json(&attributes)?], memory)
}

/// Those whose state names this one: what it took the place of, or what
/// contradicts it.
pub fn about(read: &Read<'_>, id: MemoryId) -> Result<Vec<Memory>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM memories WHERE state_by = ?1 ORDER BY changed DESC");
    read.list(&sql, [id.0], memory)
}

/// When a memory began to be so; where nobody knows, when it was noted.
const SO_FROM: &str =
    "coalesce(valid_from_ms, min(created_at_ms, coalesce(valid_to_ms, created_at_ms)))";
/// Until when it was so. What has no end counts by its beginning: it would stand among
/// whatever was so later.
const SO_UNTIL: &str = "coalesce(valid_to_ms, coalesce(valid_from_ms, created_at_ms) + 1)";

/// What happened from one time to another is never over (`Memory::is_over`).
const HAPPENED: &str = "(kind = 'episode' AND valid_from_ms IS NOT NULL)";

/// What a filter asks of a row, with the first seven parameters.
fn fits(
    filter: &MemoryFilter,
    now_ms: i64,
) -> Result<(String, Vec<rusqlite::types::Value>), StoreError> {
    let MemoryFilter { kinds, scopes, agent: _, tag, pinned, since_ms, until_ms, standing } =
        filter;
    let words: Vec<String> =
        kinds.iter().map(value::word).collect::<Result<_, serde_json::Error>>()?;
    let given = |list: String, is_any: bool| if is_any { None } else { Some(list) };
    let stands = match standing {
        Standing::Holding => {
            format!(
                "state = 'current' AND coalesce(valid_from_ms, ?6) <= ?6
                 AND ({HAPPENED} OR coalesce(valid_to_ms, ?6 + 1) > ?6)"
            )
        }
        Standing::Contested => "state = 'contested' AND ?6 IS NOT NULL".to_owned(),
        Standing::Past => {
            format!(
                "(state IN ('superseded', 'wrong')
                  OR state = 'current' AND valid_to_ms <= ?6 AND NOT {HAPPENED})"
            )
        }
        Standing::Any => "?6 IS NOT NULL".to_owned(),
    };
    let fits = format!(
        "(?1 IS NULL OR kind IN (SELECT value FROM json_each(?1)))
         AND (?2 IS NULL OR scope IN (SELECT value FROM json_each(?2)))
         AND (?3 IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?3 COLLATE NOCASE))
         AND (?4 IS NULL OR {SO_UNTIL} > ?4)
         AND (?5 IS NULL OR {SO_FROM} < ?5)
         AND (NOT ?7 OR pinned = 1)
         AND {stands}"
    );
    let given = vec![
        given(value::json(&words)?, kinds.is_empty()).into(),
        given(list_of_json(scopes)?, scopes.is_empty()).into(),
        tag.clone().into(),
        (*since_ms).into(),
        (*until_ms).into(),
        now_ms.into(),
        (*pinned).into(),
    ];
    Ok((fits, given))
}

/// Scopes as the column has them, in a list that SQLite reads.
fn list_of_json(scopes: &[MemoryScope]) -> Result<String, StoreError> {
    let scopes: Vec<String> =
        scopes.iter().map(value::json).collect::<Result<_, serde_json::Error>>()?;
    Ok(value::json(&scopes)?)
}

fn state_columns(state: MemoryState) -> (&'static str, Option<MemoryId>) {
    match state {
        MemoryState::Current => ("current", None),
        MemoryState::Superseded(by) => ("superseded", Some(by)),
        MemoryState::Contested(with) => ("contested", Some(with)),
        MemoryState::Wrong => ("wrong", None),
        MemoryState::Forgotten => ("forgotten", None),
    }
}

fn state_of(word: &str, other: Option<Uuid>) -> Option<MemoryState> {
    let other = other.map(MemoryId);
    Some(match word {
        "current" => MemoryState::Current,
        "superseded" => MemoryState::Superseded(other?),
        "contested" => MemoryState::Contested(other?),
        "wrong" => MemoryState::Wrong,
        "forgotten" => MemoryState::Forgotten,
        _ => return None,
    })
}

fn key(row: &Row<'_>) -> rusqlite::Result<u64> {
    row.get::<_, i64>(0).map(|key| key as u64)
}

fn changed(row: &Row<'_>) -> rusqlite::Result<Changed> {
    let key: i64 = row.get("key")?;
    let changed: i64 = row.get("changed")?;
    Ok(Changed { key: key as u64, changed: changed as u64, memory: memory(row)? })
}

fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    let statement: (Option<String>, Option<String>, Option<String>) =
        (row.get(4)?, row.get(5)?, row.get(6)?);
    let statement = match statement {
        (Some(subject), Some(attribute), Some(value)) => {
            Some(Statement { subject, attribute, value })
        }
        _ => None,
    };
    let state: String = row.get(16)?;
    let unknown =
        || rusqlite::Error::InvalidColumnType(16, state.clone(), rusqlite::types::Type::Text);
    Ok(Memory {
        id: MemoryId(row.get(0)?),
        kind: value::from_word(1, &row.get::<_, String>(1)?)?,
        scope: value::from_json(2, &row.get::<_, String>(2)?)?,
        text: row.get(3)?,
        statement,
        tags: value::from_json(7, &row.get::<_, String>(7)?)?,
        trust: value::from_word(8, &row.get::<_, String>(8)?)?,
        importance: row.get(9)?,
        pinned: row.get(10)?,
        source: value::from_json(11, &row.get::<_, String>(11)?)?,
        valid_from_ms: row.get(12)?,
        valid_to_ms: row.get(13)?,
        created_at_ms: row.get(14)?,
        changed_at_ms: row.get(15)?,
        state: state_of(&state, row.get(17)?).ok_or_else(unknown)?,
        evidence: row.get(18)?,
        recalled: row.get(19)?,
        recalled_at_ms: row.get(20)?,
        version: row.get(21)?,
    })
}
