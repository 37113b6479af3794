//! Schedules: what is given to whom, and when next.

use crate::{Read, StoreError, Write, value};
use domain::{Record, Removed, Schedule, ScheduleId};
use rusqlite::{Row, params};

const COLUMNS: &str = "id, plan, times, made_by, paused, next_ms, created_ms, of_soul";

/// In the order in which they come next; those that are over last.
pub fn all(read: &Read<'_>) -> Result<Vec<Schedule>, StoreError> {
    let sql =
        format!("SELECT {COLUMNS} FROM schedules ORDER BY next_ms IS NULL, next_ms, created_ms");
    read.list(&sql, [], schedule)
}

/// Those whose time has come, the longest due first.
pub fn due(read: &Read<'_>, now_ms: i64) -> Result<Vec<Schedule>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM schedules WHERE paused = 0 AND next_ms <= ?1 ORDER BY next_ms"
    );
    read.list(&sql, [now_ms], schedule)
}

/// When the next time of any comes.
pub fn next_ms(read: &Read<'_>) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT min(next_ms) FROM schedules WHERE paused = 0";
    Ok(read.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

pub fn find(read: &Read<'_>, id: ScheduleId) -> Result<Option<Schedule>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM schedules WHERE id = ?1"), [id.0], schedule)
}

pub fn get(read: &Read<'_>, id: ScheduleId) -> Result<Schedule, StoreError> {
    find(read, id)?.ok_or_else(|| StoreError::NotFound(format!("schedule {id}")))
}

/// Inserts or replaces.
pub fn put(write: &mut Write<'_>, schedule: &Schedule) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT INTO schedules (agent, {COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (id) DO UPDATE
             SET agent = ?1, plan = ?3, times = ?4, paused = ?6, next_ms = ?7"
        ))?
        .execute(params![
            schedule.plan.agent.0,
            schedule.id.0,
            value::json(&schedule.plan)?,
            value::json(&schedule.times)?,
            value::participant(schedule.made_by),
            schedule.paused,
            schedule.next_ms,
            schedule.created_ms,
            schedule.of_soul,
        ])?;
    write.saved(Record::Schedule(schedule.clone()));
    Ok(())
}

/// With what became of its times.
pub fn remove(write: &mut Write<'_>, id: ScheduleId) -> Result<(), StoreError> {
    write.db.prepare_cached("DELETE FROM schedules WHERE id = ?1")?.execute([id.0])?;
    write.removed(Removed::Schedule { id });
    Ok(())
}

fn schedule(row: &Row<'_>) -> rusqlite::Result<Schedule> {
    Ok(Schedule {
        id: ScheduleId(row.get(0)?),
        plan: value::from_json(1, &row.get::<_, String>(1)?)?,
        times: value::from_json(2, &row.get::<_, String>(2)?)?,
        made_by: value::from_participant(row.get(3)?),
        paused: row.get(4)?,
        next_ms: row.get(5)?,
        created_ms: row.get(6)?,
        of_soul: row.get(7)?,
    })
}
