//! What a run stands on, as it is stored with it when it begins, never to
//! change: what a person reads who asks later why it went as it did.

use crate::servers;
use crate::shared::Shared;
use crate::skills::OwnSkill;
use crate::souls::SoulInForce;
use crate::stand::Stand;
use domain::{Agent, Group, RunContext};

pub(crate) fn of(
    shared: &Shared,
    agent: &Agent,
    group: &Group,
    soul: &SoulInForce,
    stand: &Stand,
) -> RunContext {
    RunContext {
        user: stand.you.clone(),
        workspace: shared.places.data.display().to_string(),
        agent_name: agent.name.clone(),
        agent_role: agent.role.clone(),
        agent_language: agent.language.clone(),
        agent_model: agent.model.clone(),
        parent: agent.parent,
        soul: soul.stem.clone(),
        soul_version: soul.version,
        soul_hash: soul.hash.clone(),
        members: stand.others.clone(),
        members_with_role: stand.as_listed.clone(),
        members_before: stand.before.clone(),
        model: stand.model.clone(),
        plans_with: Some(stand.plans_with()).filter(|name| *name != stand.model).map(Into::into),
        fallback: stand.candidates.answers[1..].last().map(|last| last.name.clone()),
        temperature: stand.effective.temperature,
        max_tokens: stand.effective.max_tokens,
        limits: stand.effective.limits,
        mcp_servers: servers::behind(&stand.hands.tools),
        skills: stand.hands.skills.iter().map(OwnSkill::context).collect(),
        tools: stand.hands.tools.specs(),
        roots: stand.hands.roots(),
        system_prompt: stand.system_prompt.clone(),
        links: Vec::new(),
        group_name: group.name.clone(),
        policy: group.policy,
        caps: group.caps,
    }
}
