//! Runs, each with the context it stood on.

use super::happenings::{self, Happened};
use super::{outbox, requests};
use crate::{Read, StoreError, Write, value};
use domain::{
    AgentId, GroupId, MessageId, Record, Run, RunContext, RunFilter, RunId, RunState, Usage,
};
use rusqlite::{Row, params};
use serde::Deserialize;
use uuid::Uuid;

const COLUMNS: &str = "seq, id, agent, group_id, state, cause, root, depth, model, soul_version, reads_after, \
                       reads_to, input_tokens, output_tokens, cached_tokens, outcome, attempt, resumes, started_ms, \
                       first_token_ms, ended_ms, cost_microusd, cache_write_tokens, \
                       EXISTS (SELECT 1 FROM usage WHERE usage.run = runs.id AND usage.estimated), asked_instead";

/// Inserts a run that begins; its `seq` is given here. The tools of its context are the
/// largest part of it and the same in many runs: they stand where requests have them.
pub fn add(
    write: &mut Write<'_>,
    run: &mut Run,
    mut context: RunContext,
) -> Result<(), StoreError> {
    let tools = std::mem::take(&mut context.tools);
    let tools = (!tools.is_empty()).then(|| requests::put_tools(write, &tools)).transpose()?;
    write
        .db
        .prepare_cached(
            "INSERT INTO runs (id, agent, group_id, state, cause, root, depth, model, soul_version, reads_after,
                reads_to, attempt, resumes, context, started_ms, tools)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        )?
        .execute(params![
            run.id.0,
            run.agent.0,
            run.group.0,
            value::word(&run.state)?,
            value::json(&run.cause)?,
            run.root.0,
            run.depth,
            run.model,
            run.soul_version,
            run.reads_after,
            run.reads_to,
            run.attempt,
            run.resumes.map(|id| id.0),
            value::json(&context)?,
            run.started_ms,
            tools,
        ])?;
    run.seq = write.db.last_insert_rowid();
    write.saved(Record::Run(run.clone()));
    Ok(())
}

/// Stores how far a run has come.
pub fn update(write: &mut Write<'_>, run: &Run) -> Result<(), StoreError> {
    if matches!(run.state, RunState::Settled | RunState::Failed) && goes_on(write, run.id)? {
        happenings::add(write, Happened::Run(run.id))?;
    }
    write
        .db
        .prepare_cached(
            "UPDATE runs SET state = ?2, input_tokens = ?3, output_tokens = ?4, cached_tokens = ?5, outcome = ?6,
                first_token_ms = ?7, ended_ms = ?8, reads_to = ?9, cost_microusd = ?10,
                cache_write_tokens = ?11 WHERE id = ?1",
        )?
        .execute(params![
            run.id.0,
            value::word(&run.state)?,
            run.usage.input_tokens,
            run.usage.output_tokens,
            run.usage.cached_tokens,
            run.outcome.as_ref().map(value::json).transpose()?,
            run.first_token_ms,
            run.ended_ms,
            run.reads_to,
            run.cost_microusd,
            run.usage.cache_write_tokens,
        ])?;
    // Who searches looks at those that go on by themselves.
    if run.state != RunState::Running {
        outbox::add(write, outbox::Text::Run(run.seq))?;
    }
    let (estimated, asked_instead) = known_by_its_calls(write, run.id)?;
    write.saved(Record::Run(Run { estimated, asked_instead, ..run.clone() }));
    Ok(())
}

/// Whether some of what it used is our own count, and who was asked instead of its model.
fn known_by_its_calls(read: &Read<'_>, id: RunId) -> Result<(bool, Option<Box<str>>), StoreError> {
    let known = "SELECT EXISTS (SELECT 1 FROM usage WHERE run = ?1 AND estimated), asked_instead
         FROM runs WHERE id = ?1";
    let known =
        read.db.prepare_cached(known)?.query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?)));
    Ok(known?)
}

/// Its own model could not answer, and this one was asked in its place.
pub fn was_asked_instead(write: &mut Write<'_>, run: RunId, by: &str) -> Result<(), StoreError> {
    let keep = "UPDATE runs SET asked_instead = ?2 WHERE id = ?1";
    write.db.prepare_cached(keep)?.execute(params![run.0, by])?;
    Ok(())
}

fn goes_on(read: &Read<'_>, id: RunId) -> Result<bool, StoreError> {
    let sql = "SELECT state = 'running' FROM runs WHERE id = ?1";
    Ok(read.db.prepare_cached(sql)?.query_row([id.0], |row| row.get(0))?)
}

pub fn find(read: &Read<'_>, id: RunId) -> Result<Option<Run>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM runs WHERE id = ?1"), [id.0], run)
}

pub fn by_seq(read: &Read<'_>, seq: i64) -> Result<Option<Run>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM runs WHERE seq = ?1"), [seq], run)
}

pub fn get(read: &Read<'_>, id: RunId) -> Result<Run, StoreError> {
    find(read, id)?.ok_or_else(|| StoreError::NotFound(format!("run {id}")))
}

/// Whether the agent has answered the same message before.
pub fn answers_again(read: &Read<'_>, run: &Run) -> Result<bool, StoreError> {
    let again = "SELECT EXISTS (SELECT 1 FROM runs
         WHERE agent = ?1 AND root = ?2 AND id <> ?3 AND state = 'settled'
             AND json_extract(cause, '$.message') = ?4)";
    let of = params![run.agent.0, run.root.0, run.id.0, run.cause.message.0.to_string()];
    Ok(read.db.prepare_cached(again)?.query_row(of, |row| row.get(0))?)
}

/// All tries of the turn that this run is one of.
pub fn tries(read: &Read<'_>, run: RunId) -> Result<Vec<RunId>, StoreError> {
    read.list(
        "WITH RECURSIVE
             earlier (id) AS (
                 SELECT ?1
                 UNION SELECT runs.resumes FROM runs JOIN earlier ON runs.id = earlier.id
                 WHERE runs.resumes IS NOT NULL),
             tries (id) AS (
                 SELECT id FROM earlier
                 UNION SELECT runs.id FROM runs JOIN tries ON runs.resumes = tries.id)
         SELECT id FROM tries",
        [run.0],
        |row| row.get(0).map(RunId),
    )
}

/// Calls a group otherwise on the record of its runs, where its name is forgotten.
pub fn rename_group(write: &mut Write<'_>, group: GroupId, name: &str) -> Result<(), StoreError> {
    let rename =
        "UPDATE runs SET context = json_set(context, '$.group_name', ?2) WHERE group_id = ?1";
    write.db.prepare_cached(rename)?.execute(params![group.0, name])?;
    // By that name they were found too. Those that go on are looked at when they end.
    let over = "SELECT seq FROM runs WHERE group_id = ?1 AND state <> 'running'";
    for run in write.list(over, [group.0], |row| row.get(0))? {
        outbox::add(write, outbox::Text::Run(run))?;
    }
    Ok(())
}

pub fn context(read: &Read<'_>, id: RunId) -> Result<RunContext, StoreError> {
    let mut statement = read.db.prepare_cached("SELECT context, tools FROM runs WHERE id = ?1")?;
    let (text, tools): (String, Option<i64>) =
        statement.query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut context: RunContext = serde_json::from_str(&text)?;
    // Those from before they stood elsewhere have theirs with them.
    if let Some(tools) = tools {
        context.tools = requests::tools_of(read, tools)?;
    }
    Ok(context)
}

/// What agent and group were called when a run began.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Named {
    pub agent_name: String,
    pub group_name: String,
}

pub fn named(read: &Read<'_>, id: RunId) -> Result<Named, StoreError> {
    let mut statement = read.db.prepare_cached("SELECT context FROM runs WHERE id = ?1")?;
    let text: String = statement.query_row([id.0], |row| row.get(0))?;
    Ok(serde_json::from_str(&text)?)
}

/// Those that were told of something by its link.
pub fn that_link(read: &Read<'_>, link: &str) -> Result<Vec<RunId>, StoreError> {
    let sql = "SELECT id FROM runs WHERE instr(context, ?1) > 0";
    read.list(sql, [link], |row| row.get(0).map(RunId))
}

/// Rewrites what agents were told of themselves, wherever `without` gives another text.
/// It looks through all of it.
pub fn rewrite_prompts(
    write: &mut Write<'_>,
    without: impl Fn(&str) -> Option<String>,
) -> Result<(), StoreError> {
    let prompts = "SELECT seq, json_extract(context, '$.system_prompt') FROM runs";
    let mut found: Vec<(i64, String)> = Vec::new();
    {
        let mut statement = write.db.prepare_cached(prompts)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let prompt = row.get_ref(1)?.as_str().unwrap_or_default();
            if let Some(rewritten) = without(prompt) {
                found.push((row.get(0)?, rewritten));
            }
        }
    }
    let put = "UPDATE runs SET context = json_set(context, '$.system_prompt', ?2) WHERE seq = ?1";
    for (seq, prompt) in found {
        write.db.prepare_cached(put)?.execute(params![seq, prompt])?;
    }
    Ok(())
}

/// Newest first, before the given `seq`.
pub fn page(
    read: &Read<'_>,
    filter: &RunFilter,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Run>, StoreError> {
    read.list(&format!(
        "SELECT {COLUMNS} FROM runs
         WHERE seq < ?1 AND (?2 IS NULL OR agent = ?2) AND (?3 IS NULL OR group_id = ?3) AND (?4 IS NULL OR state = ?4)
         ORDER BY seq DESC LIMIT ?5"
    ),
        params![
            before.unwrap_or(i64::MAX),
            filter.agent.map(|id| id.0),
            filter.group.map(|id| id.0),
            filter.state.as_ref().map(value::word).transpose()?,
            limit
        ],
        run)
}

/// Those in a group that read up to this `seq` or further, oldest first.
pub fn that_read(read: &Read<'_>, group: GroupId, seq: i64) -> Result<Vec<Run>, StoreError> {
    let sql =
        format!("SELECT {COLUMNS} FROM runs WHERE group_id = ?1 AND reads_to >= ?2 ORDER BY seq");
    read.list(&sql, params![group.0, seq], run)
}

/// Running or interrupted, oldest first.
pub fn open(read: &Read<'_>) -> Result<Vec<Run>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM runs WHERE state IN ('running', 'interrupted') ORDER BY seq"
        ),
        [],
        run,
    )
}

/// The newest of each agent that has not ended, and those that are open, oldest first.
pub fn last(read: &Read<'_>) -> Result<Vec<Run>, StoreError> {
    // Each is one step in the index by agent, however many runs there are.
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM runs WHERE state IN ('running', 'interrupted') OR seq IN (
                 SELECT (SELECT seq FROM runs WHERE agent = agents.id
                         ORDER BY started_ms DESC, seq DESC LIMIT 1)
                 FROM agents WHERE state <> 'terminated')
             ORDER BY seq"
        ),
        [],
        run,
    )
}

/// The last runs of an agent in a group that are over, the newest first; none that lies
/// more than fifty runs of the group back.
pub fn latest_of(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
    limit: u32,
) -> Result<Vec<RunId>, StoreError> {
    read.list(
        "SELECT id FROM
         (SELECT id, agent, state FROM runs WHERE group_id = ?2 ORDER BY seq DESC LIMIT 50)
         WHERE agent = ?1 AND state <> 'running' LIMIT ?3",
        params![agent.0, group.0, limit],
        |row| row.get(0).map(RunId),
    )
}

/// The interrupted runs of an agent in a group, oldest first.
pub fn interrupted(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
) -> Result<Vec<Run>, StoreError> {
    read.list(&format!(
        "SELECT {COLUMNS} FROM runs WHERE agent = ?1 AND group_id = ?2 AND state = 'interrupted' ORDER BY seq"
    ), params![agent.0, group.0], run)
}

/// Whether so many runs of the agent began at or after this time; those that a
/// process's end cut off do not count.
pub fn as_many_begun_since(
    read: &Read<'_>,
    agent: AgentId,
    at_ms: i64,
    many: u32,
) -> Result<bool, StoreError> {
    let count = |which: &str| -> Result<u32, StoreError> {
        let sql = format!(
            "SELECT count(*) FROM
             (SELECT 1 FROM runs WHERE agent = ?1 AND started_ms >= ?2 {which} LIMIT ?3)"
        );
        let mut statement = read.db.prepare_cached(&sql)?;
        Ok(statement.query_row(params![agent.0, at_ms, many], |row| row.get(0))?)
    };
    // All of them stand in an index; which of them count, each has to be asked.
    Ok(count("")? >= many
        && count("AND state NOT IN ('interrupted', 'resumed', 'dropped')")? >= many)
}

fn run(row: &Row<'_>) -> rusqlite::Result<Run> {
    let outcome: Option<String> = row.get(15)?;
    let state: RunState = value::from_word(4, &row.get::<_, String>(4)?)?;
    Ok(Run {
        seq: row.get(0)?,
        id: RunId(row.get(1)?),
        agent: AgentId(row.get(2)?),
        group: GroupId(row.get(3)?),
        state,
        cause: value::from_json(5, &row.get::<_, String>(5)?)?,
        root: MessageId(row.get(6)?),
        depth: row.get(7)?,
        model: row.get(8)?,
        soul_version: row.get(9)?,
        reads_after: row.get(10)?,
        reads_to: row.get(11)?,
        usage: Usage {
            input_tokens: row.get(12)?,
            output_tokens: row.get(13)?,
            cached_tokens: row.get(14)?,
            cache_write_tokens: row.get(22)?,
        },
        estimated: row.get(23)?,
        asked_instead: row.get(24)?,
        outcome: outcome.map(|text| value::from_json(15, &text)).transpose()?,
        attempt: row.get(16)?,
        resumes: row.get::<_, Option<Uuid>>(17)?.map(RunId),
        started_ms: row.get(18)?,
        first_token_ms: row.get(19)?,
        ended_ms: row.get(20)?,
        cost_microusd: row.get(21)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Durability, Store};
    use domain::{Author, Cause, Effects, Reason, Risk, ToolSpec, ToolSpecs};
    use serde_json::json;
    use tempfile::TempDir;

    fn run(n: u128) -> Run {
        let message = MessageId(Uuid::from_u128(n));
        let cause = Cause { message, author: Author::User, reason: Reason::Mentioned };
        let [agent, group] = [1, 2].map(Uuid::from_u128);
        let run = Run::beginning(RunId(message.0), AgentId(agent), GroupId(group), cause, 5);
        Run { model: "lab/m".into(), ..run }
    }

    fn context(tools: &[&str]) -> RunContext {
        let spec = |name: &&str| ToolSpec {
            name: (*name).to_owned(),
            description: "Looks.".into(),
            input: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
            effects: Effects::None,
            risk: Risk::Low,
        };
        let context = json!({
            "agent_name": "Ada", "group_name": "Tea", "soul": "ada", "soul_version": 1,
            "soul_hash": "h", "policy": "mention", "model": "lab/m", "temperature": 0.5,
            "max_tokens": 100, "system_prompt": "You are Ada.",
        });
        let tools = ToolSpecs::from(tools.iter().map(spec).collect::<Vec<_>>());
        RunContext { tools, ..serde_json::from_value(context).unwrap() }
    }

    #[tokio::test]
    async fn what_runs_may_use_comes_back_with_each_of_them_and_is_stored_once() {
        let folder = TempDir::new().unwrap();
        let (store, _) = Store::open(&folder.path().join("coterie.db"), |_| {}).unwrap();
        let looked = store
            .write(Durability::Process, |write| {
                // Agent and group play no part here.
                write.db.pragma_update(None, "defer_foreign_keys", true)?;
                let offered: [&[&str]; 4] = [&["look", "read"], &["look", "read"], &["look"], &[]];
                for (n, tools) in (1..).zip(offered) {
                    add(write, &mut run(n), context(tools))?;
                    let found = super::context(write, RunId(Uuid::from_u128(n)))?;
                    assert_eq!(found, context(tools));
                }
                // As they were stored before tools stood elsewhere.
                let before = value::json(&context(&["look"]))?;
                write.db.execute(
                    "UPDATE runs SET context = ?1, tools = NULL WHERE seq = 4",
                    [before],
                )?;
                let found = super::context(write, RunId(Uuid::from_u128(4)))?;
                assert_eq!(found, context(&["look"]));
                let named = named(write, RunId(Uuid::from_u128(4)))?;
                assert_eq!((named.agent_name.as_str(), named.group_name.as_str()), ("Ada", "Tea"));
                let parts = "SELECT count(*) FROM request_parts";
                let parts: u32 = write.db.query_row(parts, [], |row| row.get(0))?;
                write.db.execute("DELETE FROM runs", [])?;
                Ok::<_, StoreError>(parts)
            })
            .await
            .unwrap();
        assert_eq!(looked, 2, "both of the first two, and one alone");
    }
}
