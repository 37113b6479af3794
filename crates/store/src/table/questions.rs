//! What agents and servers want to know from the person.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, CallId, GroupId, Question, QuestionId, QuestionState, Record, RunId};
use rusqlite::{Row, params};

const COLUMNS: &str = "id, call, run, agent, group_id, server, text, asks, state, given, asked_ms, expires_ms, answered_ms";

/// Asks, or changes what was asked.
pub fn put(write: &mut Write<'_>, question: &Question) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO questions ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
        ))?
        .execute(params![
            question.id.0,
            question.call.0,
            question.run.0,
            question.agent.0,
            question.group.0,
            question.server,
            question.text,
            value::json(&question.asks)?,
            value::word(&question.state)?,
            question.given.as_ref().map(value::json).transpose()?,
            question.asked_ms,
            question.expires_ms,
            question.answered_ms,
        ])?;
    write.saved(Record::Question(question.clone()));
    Ok(())
}

pub fn find(read: &Read<'_>, id: QuestionId) -> Result<Option<Question>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM questions WHERE id = ?1"), [id.0], question)
}

/// What waits for an answer, oldest first.
pub fn waiting(read: &Read<'_>) -> Result<Vec<Question>, StoreError> {
    let waiting = "SELECT * FROM questions WHERE state = 'waiting' ORDER BY asked_ms, id";
    read.list(&waiting.replace('*', COLUMNS), [], question)
}

/// The same, of one agent, wherever it was asked or in one group.
pub fn waiting_of(
    read: &Read<'_>,
    agent: AgentId,
    group: Option<GroupId>,
) -> Result<Vec<Question>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM questions WHERE state = 'waiting' AND agent = ?1
                 AND (?2 IS NULL OR group_id = ?2) ORDER BY asked_ms, id"
        ),
        params![agent.0, group.map(|group| group.0)],
        question,
    )
}

/// All that one use has asked, oldest first.
pub fn of_call(read: &Read<'_>, call: CallId) -> Result<Vec<Question>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM questions WHERE call = ?1 ORDER BY asked_ms, id"),
        [call.0],
        question,
    )
}

/// Whether a use that has not ended waits for an answer, or was given one that it
/// has not told yet.
pub fn is_open(read: &Read<'_>, agent: AgentId, group: GroupId) -> Result<bool, StoreError> {
    let open = read.one(
        "SELECT 1 FROM questions JOIN tool_calls ON tool_calls.id = questions.call
         WHERE questions.agent = ?1 AND questions.group_id = ?2 AND server IS NULL
             AND tool_calls.state = 'dispatched' LIMIT 1",
        params![agent.0, group.0],
        |row| row.get::<_, i64>(0),
    )?;
    Ok(open.is_some())
}

/// The newest first.
pub fn newest(read: &Read<'_>, limit: u32) -> Result<Vec<Question>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM questions ORDER BY asked_ms DESC, id DESC LIMIT ?1"),
        [limit],
        question,
    )
}

fn question(row: &Row<'_>) -> rusqlite::Result<Question> {
    let given: Option<String> = row.get(9)?;
    Ok(Question {
        id: QuestionId(row.get(0)?),
        call: CallId(row.get(1)?),
        run: RunId(row.get(2)?),
        agent: AgentId(row.get(3)?),
        group: GroupId(row.get(4)?),
        server: row.get(5)?,
        text: row.get(6)?,
        asks: value::from_json(7, &row.get::<_, String>(7)?)?,
        state: value::from_word::<QuestionState>(8, &row.get::<_, String>(8)?)?,
        given: given.map(|given| value::from_json(9, &given)).transpose()?,
        asked_ms: row.get(10)?,
        expires_ms: row.get(11)?,
        answered_ms: row.get(12)?,
    })
}
