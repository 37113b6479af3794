//! Who reads which memories.

use domain::{AgentId, GroupId, MemoryFilter, MemoryScope};
use store::table::members;
use store::{Read, StoreError};

/// What an agent reads in a group: what every agent reads, its own, and what is
/// of this conversation.
pub(crate) fn read_in(agent: AgentId, group: GroupId) -> Vec<MemoryScope> {
    vec![
        MemoryScope::User,
        MemoryScope::Workspace,
        MemoryScope::Agent(agent),
        MemoryScope::Group(group),
    ]
}

/// The filter with the reader it names turned into scopes.
pub(super) fn with_reader(
    read: &Read<'_>,
    mut filter: MemoryFilter,
) -> Result<MemoryFilter, StoreError> {
    let Some(agent) = filter.agent.take() else { return Ok(filter) };
    let mut reads = vec![MemoryScope::User, MemoryScope::Workspace, MemoryScope::Agent(agent)];
    reads.extend(members::groups_of(read, agent)?.into_iter().map(MemoryScope::Group));
    let asked = |scope: &MemoryScope| filter.scopes.is_empty() || filter.scopes.contains(scope);
    reads.retain(asked);
    if reads.is_empty() {
        // A scope that holds nothing, since no scope at all would mean any.
        reads.push(MemoryScope::Group(GroupId(uuid::Uuid::nil())));
    }
    filter.scopes = reads;
    Ok(filter)
}

/// How the index calls a scope.
pub(super) fn number(scope: MemoryScope) -> u64 {
    match scope {
        MemoryScope::User => 1,
        MemoryScope::Workspace => 2,
        // The random half of an id, whose first bit is set.
        MemoryScope::Agent(AgentId(id)) | MemoryScope::Group(GroupId(id)) => id.as_u64_pair().1,
    }
}
