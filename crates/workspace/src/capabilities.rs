//! The capability graph: what an agent can use, what each of it needs, and what of that
//! is not there.
//!
//! It says the same as `stand` does before a turn, since it asks the same: the tools that
//! are there are those that the agent is offered.

use crate::acts::USE_SKILL;
use crate::approvals::blocks_all_of;
use crate::shared::Shared;
use crate::skills;
use crate::souls::{Front, SoulInForce};
use crate::stand::{self, OwnHands, brought};
use crate::{keeper, place, servers};
use domain::{
    AgentId, BlockedUse, Capabilities, Capability, CapabilityKind, Fault, FaultKind, McpServer,
    McpState, McpTool, Need, NeedOf, Risk, Skill, ToolSpec,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::table::{agents, delegations, groups, settings};
use store::{Read, StoreError};
use tools::{Allowed, Registry};

pub(crate) fn of(shared: &Shared, agent: AgentId) -> Result<Capabilities, Fault> {
    let (servers, skills) = (servers::all(shared)?, skills::all(shared)?);
    shared.store.read(|read| {
        let agent = agents::get(read, agent)?;
        let soul = shared.souls.worn(&agent);
        let hands = stand::hands_of(read, shared, &agent, &soul)?;
        let task = delegations::of_child(read, agent.id)?;
        let blocked = blocked(read)?;
        let look = Look::new(shared, soul, hands, task.and_then(|task| task.tools), blocked);
        let mut all = look.own_tools();
        all.extend(look.server_tools(&servers));
        all.extend(look.skills(&skills));
        all.extend(look.delegates());
        let left_out = place::left_out(shared, look.front());
        Ok(Capabilities { agent: agent.id, roots: look.hands.roots(), left_out, all })
    })
}

struct Look<'s> {
    shared: &'s Shared,
    soul: Arc<SoulInForce>,
    hands: OwnHands,
    /// What the agent's parent gave it, if anybody did.
    given: Option<Vec<String>>,
    /// What the person has said that no agent does, each with the name of its group.
    blocked: Vec<(BlockedUse, String)>,
    registry: Arc<Registry>,
    /// By name.
    has: BTreeSet<String>,
    allowed: Allowed,
    /// What it has beside the tools that its soul lists.
    brought: BTreeSet<String>,
}

impl<'s> Look<'s> {
    fn new(
        shared: &'s Shared,
        soul: Arc<SoulInForce>,
        hands: OwnHands,
        given: Option<Vec<String>>,
        blocked: Vec<(BlockedUse, String)>,
    ) -> Self {
        let registry = shared.tools();
        Look {
            shared,
            has: hands.tools.names().map(str::to_owned).collect(),
            allowed: soul.front.tools.as_deref().map(Allowed::from_list).unwrap_or_default(),
            brought: brought(&registry, &soul.front),
            soul,
            hands,
            given,
            blocked,
            registry,
        }
    }

    fn front(&self) -> &Front {
        &self.soul.front
    }

    /// Those that no server brings, and those that the soul names and nobody knows.
    fn own_tools(&self) -> Vec<Capability> {
        let known = servers::not_theirs(&self.registry);
        let specs = self.registry.specs().filter(|spec| known.contains(&spec.name));
        let tools = specs.map(|spec| {
            let allowed = match self.brought.contains(&spec.name) {
                true => Allowed::Listed(BTreeSet::from([spec.name.clone()])),
                false => self.allowed.clone(),
            };
            let needs = self.registry.needs(&spec.name, &self.hands.place, &allowed);
            self.tool(CapabilityKind::Tool, spec.clone(), needs.unwrap_or_default())
        });
        let listed = match &self.allowed {
            Allowed::Listed(names) => names.iter().cloned().collect(),
            Allowed::Usual | Allowed::Everything => Vec::new(),
        };
        let unknown = listed
            .into_iter()
            .filter(|name| self.registry.spec(name).is_none() && !servers::is_theirs(name))
            .map(|name| unknown(CapabilityKind::Tool, name));
        tools.chain(unknown).collect()
    }

    fn server_tools(&self, servers: &[McpServer]) -> Vec<Capability> {
        let named: Vec<&str> = self.front().mcp.iter().flatten().map(|name| name.trim()).collect();
        let mut all = Vec::new();
        for server in servers {
            let name = server.setup.name.as_str();
            let is_named = named.iter().any(|one| *one == name || *one == "*");
            all.extend(server.tools.iter().map(|tool| self.server_tool(server, tool, is_named)));
        }
        let is_there = |name: &str| servers.iter().any(|server| server.setup.name == name);
        let missing = named.iter().filter(|name| **name != "*" && !is_there(name));
        all.extend(missing.map(|name| unknown(CapabilityKind::ServerTool, (*name).to_owned())));
        all
    }

    fn server_tool(&self, server: &McpServer, tool: &McpTool, is_named: bool) -> Capability {
        let name = tool.offered_as.clone();
        let lists = matches!(&self.allowed, Allowed::Listed(names) if names.contains(&name));
        // One that cannot be used may be called like one that can.
        let spec = self.registry.spec(&name).filter(|_| tool.unfit.is_none()).cloned();
        let (server_name, stands) = (server.setup.name.clone(), spec.is_some());
        let mut needs = vec![
            Need::new(NeedOf::Allowed, is_named || lists),
            Need::new(NeedOf::SwitchedOn { server: server_name.clone() }, tool.on),
        ];
        if let Some(detail) = tool.unfit.clone() {
            needs.push(Need::new(NeedOf::Valid { path: tool.name.clone(), detail }, false));
        } else if tool.on {
            let detail = if stands { String::new() } else { standing(&server.state) };
            needs.push(Need::new(NeedOf::Server { name: server_name.clone(), detail }, stands));
        }
        if self.hands.left_out.contains(&name) {
            needs.push(Need::new(NeedOf::Room { server: server_name }, false));
        }
        let described = ToolSpec {
            name,
            description: tool.description.clone(),
            input: serde_json::Value::Null,
            effects: domain::Effects::Once,
            risk: Risk::High,
        };
        let all = self.tool(CapabilityKind::ServerTool, spec.unwrap_or(described), needs);
        Capability { there: all.there && tool.unfit.is_none(), ..all }
    }

    /// With what every tool needs beside its own.
    fn tool(&self, kind: CapabilityKind, spec: ToolSpec, mut needs: Vec<Need>) -> Capability {
        let asks = self.hands.asks.about(&spec.name);
        let blocked = self.blocked.iter().filter(|(one, _)| blocks_all_of(one, &spec.name));
        needs.extend(blocked.map(|(_, group)| {
            let what = NeedOf::Unblocked { group: group.clone() };
            Need::new(what, false)
        }));
        if let Some(given) = &self.given {
            needs.push(Need::new(NeedOf::Given, given.contains(&spec.name)));
        }
        if !self.hands.told {
            needs = vec![Need::new(NeedOf::Model, false)];
        }
        Capability {
            kind,
            there: self.has.contains(&spec.name),
            name: spec.name,
            description: spec.description,
            risk: if asks { Risk::High } else { spec.risk },
            needs,
        }
    }

    fn skills(&self, skills: &[Skill]) -> Vec<Capability> {
        let named: BTreeSet<&String> = self.front().skills.iter().flatten().collect();
        let skill = |name: &String| {
            let Some(skill) = skills.iter().find(|skill| skill.name == *name) else {
                return unknown(CapabilityKind::Skill, name.clone());
            };
            let detail = skill.problem.as_ref().map(|problem| problem.message.clone());
            let valid = NeedOf::Valid {
                path: skill.path.clone(),
                detail: detail.filter(|_| skill.hash.is_none()).unwrap_or_default(),
            };
            let loads =
                Need::new(NeedOf::Tool { name: USE_SKILL.into() }, self.has.contains(USE_SKILL));
            let mut needs = vec![Need::new(valid, skill.hash.is_some()), loads];
            let uses = skill.tools.iter().filter_map(|one| one.tool.clone());
            needs.extend(uses.map(|name| {
                let met = self.has.contains(&name);
                Need::new(NeedOf::Tool { name }, met)
            }));
            Capability {
                kind: CapabilityKind::Skill,
                there: self.hands.skills.iter().any(|own| own.name == *name),
                name: name.clone(),
                description: skill.description.clone(),
                risk: Risk::Low,
                needs,
            }
        };
        named.into_iter().map(skill).collect()
    }

    fn delegates(&self) -> Vec<Capability> {
        let delegates = self.front().delegates.iter().flatten();
        let delegate = |name: &String| {
            let soul = self.shared.souls.called(name);
            let detail = if soul.is_some() { None } else { self.why_no_delegate(name) };
            let path = format!("souls/{name}.md");
            let valid = NeedOf::Valid { path, detail: detail.unwrap_or_default() };
            let gives = self.has.contains("delegate");
            Capability {
                kind: CapabilityKind::Delegate,
                name: name.clone(),
                there: gives && soul.is_some(),
                needs: vec![
                    Need::new(valid, soul.is_some()),
                    Need::new(NeedOf::Tool { name: "delegate".into() }, gives),
                ],
                description: soul.map(|soul| soul.front.description.clone()).unwrap_or_default(),
                risk: Risk::Low,
            }
        };
        delegates.map(delegate).collect()
    }

    /// With the names that there are, where there is none like it.
    fn why_no_delegate(&self, name: &str) -> Option<String> {
        let fault = keeper::to_wear(self.shared, name).err()?;
        let Some(FaultKind::SoulUnknown { .. }) = fault.kind.as_deref() else {
            return Some(fault.message);
        };
        let souls = self.shared.souls.all_in_force();
        let names: Vec<&str> = souls.iter().map(|soul| soul.front.name.as_str()).collect();
        Some(format!("{}; there are: {}", fault.message, names.join(", ")))
    }
}

/// What no agent does, each with the name of the group that it is said of.
fn blocked(read: &Read<'_>) -> Result<Vec<(BlockedUse, String)>, StoreError> {
    let with_name = |one: &BlockedUse| {
        let group = one.group.map(|group| groups::get(read, group)).transpose()?;
        Ok((one.clone(), group.map(|group| group.name).unwrap_or_default()))
    };
    settings::get(read)?.approvals.blocked.iter().map(with_name).collect()
}

fn unknown(kind: CapabilityKind, name: String) -> Capability {
    let needs = vec![Need::new(NeedOf::Known, false)];
    Capability { kind, name, description: String::new(), risk: Risk::Low, there: false, needs }
}

/// Why a server brings nothing at the moment.
fn standing(state: &McpState) -> String {
    match state {
        McpState::Off => "it is switched off".to_owned(),
        McpState::Asleep => "it starts with the window or coterie serve".to_owned(),
        McpState::Starting => "it is starting".to_owned(),
        McpState::Ready { .. } => "it no longer brings it".to_owned(),
        McpState::Resting { why, .. } | McpState::SignIn { why } | McpState::Failed { why } => {
            why.clone()
        }
    }
}
