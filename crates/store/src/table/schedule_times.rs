//! What became of the times of schedules.

use crate::{Read, StoreError, Write, value};
use domain::{ScheduleId, ScheduleTime};
use rusqlite::{Row, params};

const COLUMNS: &str = "schedule, due_ms, at_ms, became";

pub fn add(write: &mut Write<'_>, time: &ScheduleTime) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!("INSERT INTO schedule_times ({COLUMNS}) VALUES (?1, ?2, ?3, ?4)"))?
        .execute(params![time.schedule.0, time.due_ms, time.at_ms, value::json(&time.became)?])?;
    Ok(())
}

/// Of one schedule, the newest first.
pub fn newest(
    read: &Read<'_>,
    schedule: ScheduleId,
    limit: u32,
) -> Result<Vec<ScheduleTime>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM schedule_times WHERE schedule = ?1 ORDER BY seq DESC LIMIT ?2"
    );
    read.list(&sql, params![schedule.0, limit], time)
}

fn time(row: &Row<'_>) -> rusqlite::Result<ScheduleTime> {
    Ok(ScheduleTime {
        schedule: ScheduleId(row.get(0)?),
        due_ms: row.get(1)?,
        at_ms: row.get(2)?,
        became: value::from_json(3, &row.get::<_, String>(3)?)?,
    })
}
