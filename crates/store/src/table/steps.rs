//! Steps of runs, in order.

use crate::{Read, StoreError, Write, value};
use domain::{MemoryId, Record, RunId, Step, StepKind};
use rusqlite::params;

/// Appends a step and gives its number.
pub fn add(
    write: &mut Write<'_>,
    run: RunId,
    kind: &StepKind,
    at_ms: i64,
) -> Result<u32, StoreError> {
    let n = match write.last_step {
        // Nobody else has added one since.
        Some((of, n)) if of == run => n + 1,
        Some(_) | None => next(write, run)?,
    };
    write
        .db
        .prepare_cached("INSERT INTO steps (run, n, at_ms, kind) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![run.0, n, at_ms, value::json(kind)?])?;
    write.last_step = Some((run, n));
    write.saved(Record::Step(Step { run, n, at_ms, kind: kind.clone() }));
    Ok(n)
}

fn next(read: &Read<'_>, run: RunId) -> Result<u32, StoreError> {
    let next = "SELECT coalesce(max(n), 0) + 1 FROM steps WHERE run = ?1";
    Ok(read.db.prepare_cached(next)?.query_row([run.0], |row| row.get(0))?)
}

pub fn of_run(read: &Read<'_>, run: RunId) -> Result<Vec<Step>, StoreError> {
    read.list("SELECT n, at_ms, kind FROM steps WHERE run = ?1 ORDER BY n", [run.0], |row| {
        Ok(Step {
            run,
            n: row.get(0)?,
            at_ms: row.get(1)?,
            kind: value::from_json(2, &row.get::<_, String>(2)?)?,
        })
    })
}

/// The steps of a run that say what it was reminded of.
pub fn recalled_in(read: &Read<'_>, run: RunId) -> Result<Vec<StepKind>, StoreError> {
    read.list(
        r#"SELECT kind FROM steps WHERE run = ?1 AND kind LIKE '{"step":"recalled",%' ORDER BY n"#,
        [run.0],
        |row| value::from_json(0, &row.get::<_, String>(0)?),
    )
}

/// Puts another in the place of a step.
pub fn rewrite(write: &mut Write<'_>, step: Step) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("UPDATE steps SET kind = ?3 WHERE run = ?1 AND n = ?2")?
        .execute(params![step.run.0, step.n, value::json(&step.kind)?])?;
    write.saved(Record::Step(step));
    Ok(())
}

/// The runs in which this stands somewhere, as JSON has it.
pub fn that_say(read: &Read<'_>, json: &str) -> Result<Vec<RunId>, StoreError> {
    let sql = "SELECT DISTINCT run FROM steps WHERE instr(kind, ?1) > 0";
    read.list(sql, [json], |row| row.get(0).map(RunId))
}

/// The runs that looked back and remembered this.
pub fn that_remembered(read: &Read<'_>, memory: MemoryId) -> Result<Vec<RunId>, StoreError> {
    read.list(
        r#"SELECT run FROM steps WHERE kind LIKE '{"step":"reflected",%' AND instr(kind, ?1) > 0"#,
        [memory.0.to_string()],
        |row| row.get(0).map(RunId),
    )
}

/// The runs in which a model asked for one of these tools, whether it was carried out
/// or refused.
pub fn that_asked_for(read: &Read<'_>, tools: [&str; 2]) -> Result<Vec<RunId>, StoreError> {
    let [one, other] = tools.map(|tool| format!(r#""tool":"{tool}""#));
    read.list(
        r#"SELECT DISTINCT run FROM steps
           WHERE kind LIKE '{"step":"tool_proposed",%' AND (instr(kind, ?1) > 0 OR instr(kind, ?2) > 0)"#,
        params![one, other],
        |row| row.get(0).map(RunId),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Durability, Store};
    use domain::{MessageId, RunId};
    use tempfile::TempDir;
    use uuid::Uuid;

    #[tokio::test]
    async fn steps_count_from_one_in_each_run_whoever_adds_them_in_turn() {
        let folder = TempDir::new().unwrap();
        let (store, _) = Store::open(&folder.path().join("coterie.db"), |_| {}).unwrap();
        let numbers = store
            .write(Durability::Process, |write| {
                // The runs play no part here.
                write.db.pragma_update(None, "defer_foreign_keys", true)?;
                let mut numbers = Vec::new();
                for run in [1, 1, 2, 1, 2, 2] {
                    let kind = StepKind::Woken { by: MessageId(Uuid::nil()) };
                    numbers.push(add(write, RunId(Uuid::from_u128(run)), &kind, 5)?);
                }
                write.db.execute("DELETE FROM steps", [])?;
                Ok::<_, StoreError>(numbers)
            })
            .await
            .unwrap();
        assert_eq!(numbers, [1, 2, 1, 3, 2, 3]);
    }
}
