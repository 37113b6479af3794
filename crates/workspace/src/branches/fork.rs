//! A conversation of its own out of the beginning of another.

use super::{can_branch, find};
use crate::shared::Shared;
use crate::{approvals, groups};
use domain::{Fault, Group, GroupId, GroupKind, GroupView, Message, MessageId, RequestId};
use std::collections::HashMap;
use std::sync::Arc;
use store::table::{groups as group_table, members, messages};
use store::{Durability, StoreError, Write};
use uuid::Uuid;

/// Makes a group with the same members, in which everything up to this message
/// stands again, and the same is forbidden. It takes the request's id.
pub(crate) async fn fork(
    shared: &Arc<Shared>,
    request: RequestId,
    message: MessageId,
    name: Option<String>,
) -> Result<GroupView, Fault> {
    let upto = find(shared, message)?;
    let now = shared.now_ms();
    shared
        .store
        .write(Durability::Process, move |write| {
            let id = GroupId(request.0);
            if let Some(group) = group_table::find(write, id)? {
                return Ok(groups::view(write, group)?);
            }
            let old = group_table::get(write, upto.group)?;
            can_branch(&old)?;
            super::must_be_shown(write, &upto)?;
            let name = groups::name_for(write, name, &old.name, id)?;
            let kind = GroupKind::Group;
            let group = Group {
                id,
                name,
                kind,
                archived: false,
                created_ms: now,
                problem: None,
                ..old.clone()
            };
            group_table::put(write, &group)?;
            let last = copy(write, &old, &group, &upto)?;
            // Also who has left: what they said there stands here too.
            for (member, left_ms) in members::ever_of_group(write, old.id)? {
                let joined_after = if member.joined_after == 0 { 0 } else { last };
                let member = domain::Member { group: id, cursor: last, joined_after, ..member };
                members::put(write, &member)?;
                if let Some(left_ms) = left_ms {
                    members::leave(write, id, member.who, left_ms)?;
                }
            }
            approvals::block_as_in(write, old.id, id)?;
            Ok::<_, Fault>(groups::view(write, group)?)
        })
        .await
}

/// Gives the `seq` of the last message. A copy has its author and time, and no run:
/// who looks for what it came of finds that where it was written.
fn copy(
    write: &mut Write<'_>,
    old: &Group,
    new: &Group,
    upto: &Message,
) -> Result<i64, StoreError> {
    let before = Some(upto.seq.saturating_add(1));
    let said = messages::page(write, old.id, 0, before, u32::MAX)?;
    let ids: HashMap<MessageId, MessageId> =
        said.iter().map(|message| (message.id, MessageId(Uuid::now_v7()))).collect();
    let mut last = 0;
    for message in said {
        let id = ids[&message.id];
        let copied = messages::New {
            id,
            group: new.id,
            parent: message.parent.and_then(|parent| ids.get(&parent).copied()),
            author: message.author,
            body: message.body,
            attachments: message.attachments,
            chain_depth: message.chain_depth,
            root: ids.get(&message.root).copied().unwrap_or(id),
            run: None,
            at_ms: message.at_ms,
        };
        last = messages::add(write, copied)?.seq;
    }
    Ok(last)
}
