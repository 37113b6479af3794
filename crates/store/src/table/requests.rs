//! What models were sent, whole.
//!
//! A conversation that grows is sent again and again, and begins each time as
//! it did the time before. So its turns are stored as a chain: each one knows
//! the one before it, a request knows its last one, and what has been stored
//! once is not stored again.

use crate::{Read, StoreError, Write, value};
use domain::{AnswerFormat, RunId, SentRequest, SentTurn, ToolSpecs};
use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Names a part by what it says, and a turn also by everything before it.
pub type Hash = [u8; 32];

/// A request that is about to be sent; its number is given here.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    pub request: SentRequest,
    /// One for each turn: of it and all before it.
    pub turns: Vec<Hash>,
}

/// How a model was to answer.
#[derive(Serialize, Deserialize)]
struct How {
    temperature: f32,
    max_tokens: u32,
    stop: Vec<String>,
    seed: Option<u64>,
    format: Option<AnswerFormat>,
}

/// Appends a request to those of its run and gives its number.
pub fn add(write: &mut Write<'_>, run: RunId, outgoing: &Outgoing) -> Result<u32, StoreError> {
    let Outgoing { request, turns } = outgoing;
    let tools = put_tools(write, &request.tools)?;
    let (mut last, mut stored) = (None, turns.len());
    while let Some(hash) = stored.checked_sub(1).map(|at| &turns[at]) {
        last = known(write, hash)?;
        if last.is_some() {
            break;
        }
        stored -= 1;
    }
    for (turn, hash) in request.turns.iter().zip(turns).skip(stored) {
        last = Some(add_part(write, hash, last, &value::json(turn)?)?);
    }
    let how = How {
        temperature: request.temperature,
        max_tokens: request.max_tokens,
        stop: request.stop.clone(),
        seed: request.seed,
        format: request.format.clone(),
    };
    let n = of_run(write, run)? + 1;
    write
        .db
        .prepare_cached(
            "INSERT INTO requests (run, n, model, last_turn, tools, how, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            run.0,
            n,
            request.model,
            last,
            tools,
            value::json(&how)?,
            request.at_ms
        ])?;
    Ok(n)
}

/// Takes back a request that was not sent in the end. What it said stays for
/// those that say it again.
pub fn remove(write: &mut Write<'_>, run: RunId, n: u32) -> Result<(), StoreError> {
    let remove = "DELETE FROM requests WHERE run = ?1 AND n = ?2";
    write.db.prepare_cached(remove)?.execute(params![run.0, n])?;
    Ok(())
}

/// Rewrites what was ever sent, wherever `without` gives another turn for one of those
/// that `is_about` finds. It looks through all of it.
pub fn rewrite(
    write: &mut Write<'_>,
    is_about: impl Fn(i64, &str) -> bool,
    without: impl Fn(&SentTurn) -> Option<SentTurn>,
) -> Result<(), StoreError> {
    let mut found = Vec::new();
    {
        let mut parts = write.db.prepare_cached("SELECT id, part FROM request_parts")?;
        let mut rows = parts.query([])?;
        while let Some(row) = rows.next()? {
            let part = row.get_ref(1)?.as_str().unwrap_or_default();
            let id = row.get(0)?;
            // Tools stand there too, and are no turns.
            let turn = is_about(id, part).then(|| serde_json::from_str::<SentTurn>(part).ok());
            if let Some(rewritten) = turn.flatten().and_then(|turn| without(&turn)) {
                found.push((id, rewritten));
            }
        }
    }
    for (id, turn) in found {
        write
            .db
            .prepare_cached("UPDATE request_parts SET part = ?2 WHERE id = ?1")?
            .execute(params![id, value::json(&turn)?])?;
    }
    Ok(())
}

/// The parts of all that these runs have sent.
pub fn parts_of(read: &Read<'_>, runs: &[RunId]) -> Result<HashSet<i64>, StoreError> {
    let mut parts = HashSet::new();
    for run in runs {
        let of_run = read.list(
            "WITH RECURSIVE chain (id) AS (
                 SELECT last_turn FROM requests WHERE run = ?1 AND last_turn IS NOT NULL
                 UNION
                 SELECT p.before FROM chain JOIN request_parts p ON p.id = chain.id
                 WHERE p.before IS NOT NULL
             )
             SELECT id FROM chain",
            [run.0],
            |row| row.get::<_, i64>(0),
        )?;
        parts.extend(of_run);
    }
    Ok(parts)
}

/// How many requests a run has sent.
pub fn of_run(read: &Read<'_>, run: RunId) -> Result<u32, StoreError> {
    let newest = "SELECT coalesce(max(n), 0) FROM requests WHERE run = ?1";
    Ok(read.db.prepare_cached(newest)?.query_row([run.0], |row| row.get(0))?)
}

pub fn find(read: &Read<'_>, run: RunId, n: u32) -> Result<Option<SentRequest>, StoreError> {
    let row = read.one(
        "SELECT model, last_turn, tools, how, at_ms FROM requests WHERE run = ?1 AND n = ?2",
        params![run.0, n],
        |row| {
            let how: How = value::from_json(3, &row.get::<_, String>(3)?)?;
            let ids: (Option<i64>, i64) = (row.get(1)?, row.get(2)?);
            let (model, at_ms): (String, i64) = (row.get(0)?, row.get(4)?);
            Ok((model, ids, how, at_ms))
        },
    )?;
    let Some((model, (last_turn, tools), how, at_ms)) = row else { return Ok(None) };
    let How { temperature, max_tokens, stop, seed, format } = how;
    let turns = turns(read, last_turn)?;
    let tools = tools_of(read, tools)?;
    let request =
        SentRequest { n, model, turns, tools, temperature, max_tokens, stop, seed, format, at_ms };
    Ok(Some(request))
}

fn known(read: &Read<'_>, hash: &Hash) -> Result<Option<i64>, StoreError> {
    read.one("SELECT id FROM request_parts WHERE hash = ?1", [hash], |row| row.get(0))
}

fn add_part(
    write: &mut Write<'_>,
    hash: &Hash,
    before: Option<i64>,
    part: &str,
) -> Result<i64, StoreError> {
    write
        .db
        .prepare_cached("INSERT INTO request_parts (hash, before, part) VALUES (?1, ?2, ?3)")?
        .execute(params![hash, before, part])?;
    Ok(write.db.last_insert_rowid())
}

/// Everything up to and with this turn.
fn turns(read: &Read<'_>, last: Option<i64>) -> Result<Vec<SentTurn>, StoreError> {
    read.list(
        "WITH RECURSIVE chain (part, before, back) AS (
             SELECT part, before, 0 FROM request_parts WHERE id = ?1
             UNION ALL
             SELECT p.part, p.before, chain.back + 1
             FROM chain JOIN request_parts p ON p.id = chain.before
         )
         SELECT part FROM chain ORDER BY back DESC",
        [last],
        |row: &Row<'_>| value::from_json(0, &row.get::<_, String>(0)?),
    )
}

/// Stores tools as a part, if they are not there, and gives its place.
pub(super) fn put_tools(write: &mut Write<'_>, tools: &ToolSpecs) -> Result<i64, StoreError> {
    let json = tools.json();
    let hash = *blake3::hash(json.as_bytes()).as_bytes();
    match known(write, &hash)? {
        Some(part) => Ok(part),
        None => add_part(write, &hash, None, json),
    }
}

pub(super) fn tools_of(read: &Read<'_>, id: i64) -> Result<ToolSpecs, StoreError> {
    let part = "SELECT part FROM request_parts WHERE id = ?1";
    let found = read.one(part, [id], |row| value::from_json(0, &row.get::<_, String>(0)?))?;
    Ok(found.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Durability, Store};
    use domain::SentRole;
    use tempfile::TempDir;
    use uuid::Uuid;

    fn outgoing(texts: &[&str]) -> Outgoing {
        let turn = |text: &&str| SentTurn {
            role: SentRole::User,
            content: (*text).to_owned(),
            calls: Vec::new(),
            answers: None,
            images: Vec::new(),
            kept: None,
        };
        // Stands for a real hash, which workspace makes.
        let hash = |upto: usize| {
            let mut hash = [0; 32];
            let text = texts[..=upto].join("\n");
            hash[..text.len()].copy_from_slice(text.as_bytes());
            hash
        };
        let request = SentRequest {
            n: 0,
            model: "lab/m".into(),
            turns: texts.iter().map(turn).collect(),
            tools: ToolSpecs::default(),
            temperature: 0.5,
            max_tokens: 100,
            stop: vec!["\nBo:".into()],
            seed: Some(7),
            format: Some(AnswerFormat::Gbnf { grammar: "root ::= \"x\"".into() }),
            at_ms: 5,
        };
        Outgoing { turns: (0..texts.len()).map(hash).collect(), request }
    }

    #[tokio::test]
    async fn each_request_is_read_as_it_was_sent_and_no_turn_is_stored_twice() {
        let folder = TempDir::new().unwrap();
        let (store, _) = Store::open(&folder.path().join("coterie.db"), |_| {}).unwrap();
        let run = RunId(Uuid::from_u128(1));
        let conversations: [&[&str]; 4] =
            [&["s", "a"], &["s", "a", "b", "c"], &["s", "x", "b"], &["s", "a", "b", "c"]];
        let numbers = store
            .write(Durability::Process, move |write| {
                // The run itself plays no part here.
                write.db.pragma_update(None, "defer_foreign_keys", true)?;
                let mut numbers = Vec::new();
                for texts in conversations {
                    numbers.push(add(write, run, &outgoing(texts))?);
                }
                let parts: u32 =
                    write
                        .db
                        .query_row("SELECT count(*) FROM request_parts", [], |row| row.get(0))?;
                assert_eq!(parts, 1 + 4 + 2, "the tools, one conversation, and where it forked");
                let found: Vec<_> = numbers
                    .iter()
                    .map(|n| find(write, run, *n).map(|found| found.map(|found| found.turns)))
                    .collect::<Result<_, _>>()?;
                let expected = conversations.map(|texts| Some(outgoing(texts).request.turns));
                assert_eq!(found, expected);
                let first = SentRequest { n: 1, ..outgoing(conversations[0]).request };
                assert_eq!(find(write, run, 1)?, Some(first));
                assert_eq!(find(write, run, 5)?, None);
                write.db.execute("DELETE FROM requests", [])?;
                Ok::<_, StoreError>(numbers)
            })
            .await
            .unwrap();
        assert_eq!(numbers, [1, 2, 3, 4]);
    }
}
