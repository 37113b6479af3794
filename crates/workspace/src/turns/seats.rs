//! Who sits in a group, with what its policy asks about each.

use crate::souls;
use crate::turn_policy::Seat;
use domain::{Agent, Group, Member, Participant, Settings, TurnPolicy};
use store::table::{agents, members, souls as soul_table};
use store::{Read, StoreError};

/// The agents of a group, in their order.
pub(crate) fn seats(read: &Read<'_>, group: &Group) -> Result<Vec<Seat>, StoreError> {
    let mut seats = Vec::new();
    for member in members::of_group(read, group.id)? {
        if let Participant::Agent(id) = member.who {
            let agent = agents::get(read, id)?;
            let weight = match group.policy {
                TurnPolicy::Weighted => weight(read, &member, &agent)?,
                TurnPolicy::DefaultResponder
                | TurnPolicy::Mention
                | TurnPolicy::Rounds
                | TurnPolicy::RoundRobin
                | TurnPolicy::Supervisor
                | TurnPolicy::Broadcast
                | TurnPolicy::Manual => 0,
            };
            seats.push(Seat {
                agent: id,
                name: agent.name,
                role: agent.role,
                position: member.position,
                state: agent.state,
                muted: member.muted,
                weight,
            });
        }
    }
    Ok(seats)
}

/// What the member was given in this group, else what its soul says.
fn weight(read: &Read<'_>, member: &Member, agent: &Agent) -> Result<u32, StoreError> {
    if let Some(own) = member.talkativeness {
        return Ok(u32::from(own));
    }
    let version = soul_table::version(read, &agent.soul, agent.soul_version)?;
    let soul = version.and_then(|version| souls::parse(&agent.soul, &version.text).ok());
    let front = soul.map_or_else(|| souls::Front::of(&agent.soul), |soul| soul.front);
    let effective = souls::effective(None, &front, &Settings::default());
    Ok(u32::from(effective.talkativeness))
}
