//! Members of groups. Who leaves keeps the row, so that coming back finds the
//! cursor where it was.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, GroupId, Member, Participant, Record, Removed};
use rusqlite::{Row, params};

const COLUMNS: &str = "group_id, who, position, muted, cursor, joined_after, talkativeness";

/// In their order; without those who left.
pub fn of_group(read: &Read<'_>, group: GroupId) -> Result<Vec<Member>, StoreError> {
    read.list(&format!(
        "SELECT {COLUMNS} FROM members WHERE group_id = ?1 AND left_ms IS NULL ORDER BY position, who"
    ), [group.0], member)
}

/// Everybody who ever was one, with when they left.
pub fn ever_of_group(
    read: &Read<'_>,
    group: GroupId,
) -> Result<Vec<(Member, Option<i64>)>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS}, left_ms FROM members WHERE group_id = ?1 ORDER BY position, who"
    );
    read.list(&sql, [group.0], |row| Ok((member(row)?, row.get(7)?)))
}

pub fn groups_of(read: &Read<'_>, agent: AgentId) -> Result<Vec<GroupId>, StoreError> {
    read.list(
        "SELECT group_id FROM members WHERE who = ?1 AND left_ms IS NULL ORDER BY group_id",
        [agent.0],
        |row| Ok(GroupId(row.get(0)?)),
    )
}

pub fn find(
    read: &Read<'_>,
    group: GroupId,
    who: Participant,
) -> Result<Option<Member>, StoreError> {
    read.one(
        &format!(
            "SELECT {COLUMNS} FROM members WHERE group_id = ?1 AND who = ?2 AND left_ms IS NULL"
        ),
        params![group.0, value::participant(who)],
        member,
    )
}

/// Somebody who was a member and left.
pub fn former(
    read: &Read<'_>,
    group: GroupId,
    who: Participant,
) -> Result<Option<Member>, StoreError> {
    read.one(
        &format!(
            "SELECT {COLUMNS} FROM members WHERE group_id = ?1 AND who = ?2 AND left_ms IS NOT NULL"
        ),
        params![group.0, value::participant(who)],
        member,
    )
}

pub fn put(write: &mut Write<'_>, member: &Member) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO members ({COLUMNS}, left_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL)"
        ))?
        .execute(params![
            member.group.0,
            value::participant(member.who),
            member.position,
            member.muted,
            member.cursor,
            member.joined_after,
            member.talkativeness,
        ])?;
    write.saved(Record::Member(member.clone()));
    Ok(())
}

/// Moves the cursor forward; never back.
pub fn move_cursor(
    write: &mut Write<'_>,
    group: GroupId,
    who: Participant,
    seq: i64,
) -> Result<(), StoreError> {
    // Twice as fast as an update with RETURNING, which makes a table for the rows.
    let behind = write.one(
        &format!(
            "SELECT {COLUMNS}, left_ms FROM members
             WHERE group_id = ?1 AND who = ?2 AND cursor < ?3"
        ),
        params![group.0, value::participant(who), seq],
        |row| Ok((member(row)?, row.get::<_, Option<i64>>(7)?)),
    )?;
    let Some((member, left)) = behind else { return Ok(()) };
    write
        .db
        .prepare_cached("UPDATE members SET cursor = ?3 WHERE group_id = ?1 AND who = ?2")?
        .execute(params![group.0, value::participant(who), seq])?;
    if left.is_none() {
        write.saved(Record::Member(Member { cursor: seq, ..member }));
    }
    Ok(())
}

pub fn leave(
    write: &mut Write<'_>,
    group: GroupId,
    who: Participant,
    at_ms: i64,
) -> Result<(), StoreError> {
    let left = write
        .db
        .prepare_cached(
            "UPDATE members SET left_ms = ?3 WHERE group_id = ?1 AND who = ?2 AND left_ms IS NULL",
        )?
        .execute(params![group.0, value::participant(who), at_ms])?;
    if left == 0 {
        return Err(StoreError::NotFound("that member of the group".into()));
    }
    write.removed(Removed::Member { group, who });
    Ok(())
}

/// What an agent owed when it left, as the wakes' places.
pub fn owed(read: &Read<'_>, group: GroupId, who: Participant) -> Result<Vec<i64>, StoreError> {
    let owed = read.one(
        "SELECT owed FROM members
         WHERE group_id = ?1 AND who = ?2 AND left_ms IS NOT NULL AND owed IS NOT NULL",
        params![group.0, value::participant(who)],
        |row| value::from_json(0, &row.get::<_, String>(0)?),
    )?;
    Ok(owed.unwrap_or_default())
}

/// Of somebody who has left; coming back takes it away.
pub fn put_owed(
    write: &mut Write<'_>,
    group: GroupId,
    who: Participant,
    wakes: &[i64],
) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("UPDATE members SET owed = ?3 WHERE group_id = ?1 AND who = ?2")?
        .execute(params![group.0, value::participant(who), value::json(&wakes)?])?;
    Ok(())
}

fn member(row: &Row<'_>) -> rusqlite::Result<Member> {
    Ok(Member {
        group: GroupId(row.get(0)?),
        who: value::from_participant(row.get(1)?),
        position: row.get(2)?,
        muted: row.get(3)?,
        cursor: row.get(4)?,
        joined_after: row.get(5)?,
        talkativeness: row.get(6)?,
    })
}
