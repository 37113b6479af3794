//! What agents propose for their souls.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, GroupId, ProposalId, Record, RunId, SoulProposal};
use rusqlite::{Row, params};

const COLUMNS: &str = "id, soul, agent, group_id, run, section, before, text, why, after_tool, state, at_ms, answered_ms";

/// Inserts or replaces.
pub fn put(write: &mut Write<'_>, proposal: &SoulProposal) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO soul_proposals ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
        ))?
        .execute(params![
            proposal.id.0,
            proposal.soul,
            proposal.agent.0,
            proposal.group.0,
            proposal.run.0,
            proposal.section,
            proposal.before,
            proposal.text,
            proposal.why,
            proposal.after_tool,
            value::word(&proposal.state)?,
            proposal.at_ms,
            proposal.answered_ms,
        ])?;
    write.saved(Record::Proposal(proposal.clone()));
    Ok(())
}

pub fn find(read: &Read<'_>, id: ProposalId) -> Result<Option<SoulProposal>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM soul_proposals WHERE id = ?1"), [id.0], proposal)
}

/// Those that nobody has answered, oldest first.
pub fn waiting(read: &Read<'_>) -> Result<Vec<SoulProposal>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM soul_proposals WHERE state = 'waiting' ORDER BY at_ms, id"),
        [],
        proposal,
    )
}

fn proposal(row: &Row<'_>) -> rusqlite::Result<SoulProposal> {
    Ok(SoulProposal {
        id: ProposalId(row.get(0)?),
        soul: row.get(1)?,
        agent: AgentId(row.get(2)?),
        group: GroupId(row.get(3)?),
        run: RunId(row.get(4)?),
        section: row.get(5)?,
        before: row.get(6)?,
        text: row.get(7)?,
        why: row.get(8)?,
        after_tool: row.get(9)?,
        state: value::from_word(10, &row.get::<_, String>(10)?)?,
        at_ms: row.get(11)?,
        answered_ms: row.get(12)?,
    })
}
