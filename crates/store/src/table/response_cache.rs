//! What models answered, by everything that they were asked.
//!
//! For a while only, and only so much: what is too old or too many goes when
//! something new comes.

use crate::{Read, StoreError, Write};
use domain::{AgentId, GroupId, Run, RunId};
use rusqlite::params;
use std::ops::RangeInclusive;

/// The hash of a whole question.
pub type Key = [u8; 32];

/// An answer that can be given again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// `provider/model`.
    pub model: String,
    pub answer: String,
    pub at_ms: i64,
}

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub answers: u32,
    pub bytes: u64,
}

/// What was answered to this at these times. A clock may have been set back since:
/// what seems to come from later is no newer than the rest.
pub fn find(
    read: &Read<'_>,
    key: &Key,
    times: RangeInclusive<i64>,
) -> Result<Option<Answered>, StoreError> {
    read.one(
        "SELECT model, answer, at_ms FROM response_cache WHERE key = ?1 AND at_ms BETWEEN ?2 AND ?3",
        params![key, times.start(), times.end()],
        |row| Ok(Answered { model: row.get(0)?, answer: row.get(1)?, at_ms: row.get(2)? }),
    )
}

/// Keeps an answer. Whatever is older than `since_ms` goes, and then the
/// oldest, until what is left keeps within the bounds.
pub fn put(
    write: &mut Write<'_>,
    key: &Key,
    run: &Run,
    answered: &Answered,
    since_ms: i64,
    bounds: Bounds,
) -> Result<(), StoreError> {
    let Answered { model, answer, at_ms } = answered;
    write
        .db
        .prepare_cached(
            "INSERT INTO response_cache (key, run, agent, group_id, model, answer, bytes, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (key) DO UPDATE SET run = ?2, agent = ?3, group_id = ?4, model = ?5,
                 answer = ?6, bytes = ?7, at_ms = ?8",
        )?
        .execute(params![
            key,
            run.id.0,
            run.agent.0,
            run.group.0,
            model,
            answer,
            i64::try_from(answer.len()).unwrap_or(i64::MAX),
            at_ms,
        ])?;
    write.db.prepare_cached("DELETE FROM response_cache WHERE at_ms < ?1")?.execute([since_ms])?;
    let bytes = i64::try_from(bounds.bytes).unwrap_or(i64::MAX);
    write
        .db
        .prepare_cached(
            "DELETE FROM response_cache WHERE key IN (
                 SELECT key FROM (
                     SELECT key, row_number() OVER newest AS n, sum(bytes) OVER newest AS bytes
                     FROM response_cache
                     WINDOW newest AS (ORDER BY at_ms DESC, rowid DESC ROWS UNBOUNDED PRECEDING)
                 ) WHERE n > ?1 OR bytes > ?2)",
        )?
        .execute(params![bounds.answers, bytes])?;
    Ok(())
}

/// What an answer was made of, where that is to be forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MadeOf {
    Run(RunId),
    Agent(AgentId),
    Group(GroupId),
    Anything,
}

/// Forgets every answer that was made of this; gives how many there were.
///
/// An answer is made of all that stood in its question. A message or a memory
/// that is to go has stood in questions of its group or its agent.
pub fn forget(write: &mut Write<'_>, made_of: MadeOf) -> Result<usize, StoreError> {
    let (column, id) = match made_of {
        MadeOf::Run(run) => ("run", run.0),
        MadeOf::Agent(agent) => ("agent", agent.0),
        MadeOf::Group(group) => ("group_id", group.0),
        MadeOf::Anything => return Ok(write.db.execute("DELETE FROM response_cache", [])?),
    };
    let sql = format!("DELETE FROM response_cache WHERE {column} = ?1");
    Ok(write.db.execute(&sql, [id])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Durability, Store};
    use domain::{Author, Cause, MessageId, Reason};
    use uuid::Uuid;

    fn run() -> Run {
        let [message, run, agent, group] = [4, 1, 2, 3].map(Uuid::from_u128);
        let message = MessageId(message);
        let cause = Cause { message, author: Author::User, reason: Reason::AskedByUser };
        let run = Run::beginning(RunId(run), AgentId(agent), GroupId(group), cause, 1);
        Run { model: "lab/m".into(), ..run }
    }

    fn answered(answer: &str, at_ms: i64) -> Answered {
        Answered { model: "lab/m".into(), answer: answer.into(), at_ms }
    }

    #[tokio::test]
    async fn what_is_too_old_or_too_much_goes_and_the_newest_stays() {
        let folder = tempfile::TempDir::new().unwrap();
        let (store, _) = Store::open(&folder.path().join("coterie.db"), |_| {}).unwrap();
        let keep = async |n: u8, answer: &'static str, at_ms, bounds| {
            let work = move |write: &mut Write<'_>| {
                put(write, &[n; 32], &run(), &answered(answer, at_ms), at_ms - 10, bounds)
            };
            store.write(Durability::Process, work).await.unwrap();
        };
        let left = || {
            let is_there =
                |n: &u8| store.read(|read| find(read, &[*n; 32], 0..=20)).unwrap().is_some();
            (1..=9).filter(is_there).collect::<Vec<u8>>()
        };
        let three = Bounds { answers: 3, bytes: 100 };
        for n in 1..=4 {
            keep(n, "four", i64::from(n), three).await;
        }
        assert_eq!(left(), [2, 3, 4]);
        keep(2, "anew", 5, three).await;
        assert_eq!(left(), [2, 3, 4], "the same question takes no second place");
        keep(5, "four", 6, Bounds { answers: 3, bytes: 8 }).await;
        assert_eq!(left(), [2, 5], "twice four bytes");
        keep(6, "four", 16, three).await;
        assert_eq!(left(), [5, 6], "the one from 5 is too old at 16");
        let found = store.read(|read| find(read, &[5; 32], 7..=20)).unwrap();
        assert_eq!(found, None, "too old to be given again");
        let found = store.read(|read| find(read, &[6; 32], 0..=15)).unwrap();
        assert_eq!(found, None, "from a time that is still to come");
    }
}
