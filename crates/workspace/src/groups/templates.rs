//! Groups that a person can begin with: who sits in them, how they take turns, and how
//! far they may go.
//!
//! The members wear souls that ship. Whoever has such an agent already brings that one;
//! a soul that was deleted is written again, and the agent is made.

use crate::shared::Shared;
use crate::{first_start, groups, keeper, lifecycle};
use domain::{
    Agent, AgentId, AgentState, Caps, Fault, GroupPatch, GroupTemplate, GroupView, RequestId,
    SoulSource, TemplateMember, TemplateView, TurnPolicy,
};
use std::sync::Arc;
use store::table::agents;
use uuid::Uuid;

struct Plan {
    policy: TurnPolicy,
    messages_per_post: u32,
    souls: &'static [&'static str],
    supervisor: Option<&'static str>,
}

fn plan(template: GroupTemplate) -> Plan {
    match template {
        GroupTemplate::PairReview => Plan {
            policy: TurnPolicy::Rounds,
            messages_per_post: 2,
            souls: &["ada", "bo"],
            supervisor: None,
        },
        GroupTemplate::Debate => Plan {
            policy: TurnPolicy::Supervisor,
            messages_per_post: 8,
            souls: &["ada", "bo", "otto"],
            supervisor: Some("otto"),
        },
        GroupTemplate::WritersRoom => Plan {
            policy: TurnPolicy::Rounds,
            messages_per_post: 2,
            souls: &["ada", "bo", "linxia"],
            supervisor: None,
        },
        GroupTemplate::ResearchTeam => Plan {
            policy: TurnPolicy::Supervisor,
            messages_per_post: 12,
            souls: &["ines", "ada", "bo", "otto"],
            supervisor: Some("otto"),
        },
    }
}

/// What each comes to here.
pub(crate) fn templates(shared: &Shared) -> Result<Vec<TemplateView>, Fault> {
    let living = shared.store.read(agents::living)?;
    let view = |template: GroupTemplate| {
        let plan = plan(template);
        let member = |soul: &&str| {
            let agent = wearing(&living, soul);
            let name = agent.map(|agent| agent.name.clone());
            let name = name.unwrap_or_else(|| first_start::name_of(soul).to_owned());
            TemplateMember { soul: (*soul).to_owned(), name, agent: agent.map(|agent| agent.id) }
        };
        TemplateView {
            template,
            policy: plan.policy,
            caps: plan.caps(),
            members: plan.souls.iter().map(member).collect(),
            supervisor: plan.supervisor.map(str::to_owned),
        }
    };
    Ok(GroupTemplate::ALL.into_iter().map(view).collect())
}

/// Makes such a group. It takes the request's id, and its new members ids out of that, so
/// that doing it twice is doing it once.
pub(crate) async fn create_from(
    shared: &Arc<Shared>,
    request: RequestId,
    template: GroupTemplate,
    name: Option<String>,
) -> Result<GroupView, Fault> {
    let plan = plan(template);
    let mut members: Vec<(&str, AgentId)> = Vec::new();
    for soul in plan.souls {
        members.push((soul, member(shared, request, soul).await?));
    }
    let ids = members.iter().map(|(_, agent)| *agent).collect();
    let group = groups::create(shared, request, name, ids, Some(plan.policy)).await?.group.id;
    let supervisor = members.iter().find(|(soul, _)| Some(*soul) == plan.supervisor);
    let patch = GroupPatch {
        caps: Some(plan.caps()),
        supervisor: supervisor.map(|(_, agent)| *agent),
        ..GroupPatch::default()
    };
    groups::edit(shared, group, patch).await
}

/// The agent that wears this soul, or else a new one.
async fn member(shared: &Arc<Shared>, request: RequestId, soul: &str) -> Result<AgentId, Fault> {
    let living = shared.store.read(agents::living)?;
    if let Some(agent) = wearing(&living, soul) {
        return Ok(agent.id);
    }
    if shared.souls.in_force(soul).is_none()
        && let Some(text) = first_start::bundled(soul)
    {
        let source = SoulSource::Bundled;
        keeper::save(shared, soul.to_owned(), text.to_owned(), None, source).await?;
    }
    let id = RequestId(Uuid::new_v5(&request.0, soul.as_bytes()));
    Ok(lifecycle::create(shared, id, soul.to_owned(), None, None, None).await?.id)
}

/// One that works comes before one that rests.
fn wearing<'a>(living: &'a [Agent], soul: &str) -> Option<&'a Agent> {
    let rests = |agent: &&Agent| matches!(agent.state, AgentState::Paused | AgentState::Error);
    living
        .iter()
        .filter(|agent| agent.soul == soul && agent.parent.is_none())
        .min_by_key(|agent| rests(agent))
}

impl Plan {
    fn caps(&self) -> Caps {
        Caps { messages_per_post: self.messages_per_post, ..Caps::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_has_souls_that_ship_and_caps_that_hold() {
        for template in GroupTemplate::ALL {
            let plan = plan(template);
            assert!(plan.souls.iter().all(|soul| first_start::bundled(soul).is_some()));
            assert!(plan.supervisor.is_none_or(|soul| plan.souls.contains(&soul)));
            assert_eq!(crate::limits::checked(plan.caps()), Ok(plan.caps()));
        }
    }
}
