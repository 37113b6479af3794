//! Where an agent stands in a group before anything is said there: what it is
//! told of itself, which model it has, and with which tools it works.

mod fitting;

use crate::acts::{READ_RESOURCE, USE_SKILL};
use crate::approvals::{self, At};
use crate::calls::Candidates;
use crate::prompts::{Listed, Other, Standing};
use crate::roles::{Roles, Task};
use crate::served::Served;
use crate::shared::Shared;
use crate::skills::OwnSkill;
use crate::souls::{Asks, Effective, Front, Policy, SoulInForce, effective};
use crate::window::Window;
use crate::{day, memory, outside, place, profile, servers, sources, tokens};
use domain::{
    Agent, AgentId, Author, Community, Fault, Group, GroupId, GroupKind, Participant, PlanMode,
    Settings,
};
use std::collections::BTreeSet;
use store::table::{agents, communities, delegations, members, posts, settings};
use store::{Read, StoreError};
use tools::{Allowed, Offer, Place, Registry};

pub(crate) struct Stand {
    /// What it calls the person.
    pub you: String,
    pub effective: Effective,
    /// `provider/model`; empty while none is chosen.
    pub model: String,
    /// Who is asked first of those that somebody serves.
    pub served: Result<Served, Fault>,
    pub candidates: Candidates,
    /// The names of everybody else, in their order.
    pub others: Vec<String>,
    /// Of who was there before.
    pub before: Vec<String>,
    /// The same as the prompt lists them: with the role of each who has one.
    pub as_listed: Vec<String>,
    pub window: Window,
    pub hands: OwnHands,
    pub system_prompt: String,
}

/// The tools that an agent has in a turn, and where.
#[derive(Clone, Default)]
pub(crate) struct OwnHands {
    pub tools: Offer,
    pub place: Place,
    /// Those of servers that would be too much for its model to read of.
    pub left_out: BTreeSet<String>,
    /// Those that it can load.
    pub skills: Vec<OwnSkill>,
    /// Whether its model is told of tools at all.
    pub told: bool,
    /// What its soul has it ask about beyond what everybody asks about.
    pub asks: Asks,
}

impl OwnHands {
    pub(crate) fn roots(&self) -> Vec<String> {
        self.place.roots.iter().map(|root| root.display().to_string()).collect()
    }
}

impl Stand {
    pub(crate) fn look(
        read: &Read<'_>,
        shared: &Shared,
        agent: &Agent,
        group: &Group,
        soul: &SoulInForce,
        task: Task,
    ) -> Result<Stand, Fault> {
        let settings = settings::get(read)?;
        let effective = effective(agent.model.as_deref(), &soul.front, &settings);
        let Roles { candidates, served } = Roles::look(read, &effective, task)?;
        let window = window_of(&candidates);
        let model = candidates.answers.first().map(|first| first.name.clone()).unwrap_or_default();
        let you = name_of_person(&settings).to_owned();
        let Voices { here: others, before } = Voices::look(read, group.id, agent, &you)?;
        let hands = hands(
            read,
            shared,
            agent.id,
            soul,
            served.as_ref().ok(),
            (window, effective.limits.plan),
            Some(group.id),
        )?;
        let window = window.beside(tokens::of_tools(&hands.tools.specs()));
        let roots = hands.roots();
        let community = community(read, group)?;
        let now = shared.now_ms();
        let prompt =
            memory::Prompt { agent: agent.id, group: group.id, window_tokens: window.tokens };
        let day_of = |at_ms| day::of(&*shared.clock, at_ms);
        let preferences = memory::told_in_prompt(read, prompt, now, &day_of)?;
        let system_prompt = shared.prompts.system(&Standing {
            community: community.as_ref(),
            name: &agent.name,
            soul,
            group,
            others: &others,
            user: &you,
            // Why it cannot be read, the doctor says.
            profile: &profile::read(&shared.places).unwrap_or_default(),
            preferences: &preferences,
            roots: (!hands.tools.is_empty()).then_some(&roots[..]),
            left_out: &fitting::told(&hands.left_out),
            skills: &listed(shared, &hands.skills),
            window_tokens: window.tokens,
            for_demo_model: served.as_ref().is_ok_and(Served::is_demo),
        })?;
        let with_role = others.iter().filter(|other| !other.role.is_empty());
        let as_listed = with_role.map(|other| format!("{}, {}", other.name, other.role)).collect();
        let others = others.into_iter().map(|other| other.name).collect();
        Ok(Stand {
            you,
            effective,
            model,
            served,
            candidates,
            others,
            before,
            as_listed,
            window,
            hands,
            system_prompt,
        })
    }

    /// Who plans, as `provider/model`.
    pub(crate) fn plans_with(&self) -> &str {
        self.candidates.plans.first().map_or(&self.model, |first| &first.name)
    }
}

/// The system prompt that the agent would be asked with in the group, with such a soul.
pub(crate) fn system_prompt(
    read: &Read<'_>,
    shared: &Shared,
    agent: &Agent,
    group: &Group,
    soul: &SoulInForce,
) -> Result<String, Fault> {
    Ok(Stand::look(read, shared, agent, group, soul, Task::Answer)?.system_prompt)
}

/// Whether the model that the agent would be asked with is one to try Coterie with.
pub(crate) fn has_demo_model(
    read: &Read<'_>,
    shared: &Shared,
    agent: &Agent,
) -> Result<bool, StoreError> {
    let soul = shared.souls.worn(agent);
    let model = effective(agent.model.as_deref(), &soul.front, &*settings::get(read)?).model;
    let served = model.and_then(|model| Served::find(read, &model).ok());
    Ok(served.is_some_and(|served| served.is_demo()))
}

/// The tools that an agent has, by name.
pub(crate) fn tools_of(
    read: &Read<'_>,
    shared: &Shared,
    agent: &Agent,
    soul: &SoulInForce,
) -> Result<BTreeSet<String>, Fault> {
    let hands = hands_of(read, shared, agent, soul)?;
    Ok(hands.tools.names().map(str::to_owned).collect())
}

/// What an agent works with, wherever it is.
pub(crate) fn hands_of(
    read: &Read<'_>,
    shared: &Shared,
    agent: &Agent,
    soul: &SoulInForce,
) -> Result<OwnHands, Fault> {
    let effective = effective(agent.model.as_deref(), &soul.front, &*settings::get(read)?);
    let Roles { candidates, served } = Roles::look(read, &effective, Task::Answer)?;
    let reads = (window_of(&candidates), effective.limits.plan);
    Ok(hands(read, shared, agent.id, soul, served.as_ref().ok(), reads, None)?)
}

/// Of the model that would be asked first.
fn window_of(candidates: &Candidates) -> Window {
    let first = candidates.answers.iter();
    let first = first.clone().find(|one| one.provider.is_ok()).or(first.clone().next());
    first.map_or(Window::new(None, None), |first| first.window)
}

pub(crate) fn no_soul(agent: &Agent) -> Fault {
    Fault::not_found(
        format!(
            "{} has no soul of its own: souls/{}.md is missing or was never valid",
            agent.name, agent.soul
        ),
        format!("write souls/{}.md", agent.soul),
    )
}

/// The tools that the soul allows. A demo model is not told about tools, but it
/// can write plans with them.
fn hands(
    read: &Read<'_>,
    shared: &Shared,
    agent: AgentId,
    soul: &SoulInForce,
    served: Option<&Served>,
    (window, plan): (Window, PlanMode),
    group: Option<GroupId>,
) -> Result<OwnHands, StoreError> {
    let of_use = served.is_some_and(|served| match plan {
        _ if !served.is_demo() => true,
        // It plans only when its soul insists.
        PlanMode::Always => true,
        PlanMode::Auto | PlanMode::Never => false,
    });
    if !of_use {
        return Ok(OwnHands::default());
    }
    let skills = shared.skills.of(soul.front.skills.as_deref().unwrap_or_default());
    let mut place = place_with(read, shared, &soul.front, &skills)?;
    let all = shared.tools();
    let mut allowed = soul.front.tools.as_deref().map(Allowed::from_list).unwrap_or_default();
    // Whoever has folders, or names tools that need one, has one of its own too.
    let has_own = !place.roots.is_empty() || soul.front.tools.is_some();
    let with_own = has_own.then(|| place::with_own(&place, &shared.places.data, agent));
    let mut of_servers = true;
    // A child has no more than its parent gave it.
    let task = delegations::of_child(read, agent)?;
    let root = task.as_ref().map(|task| task.root);
    if let Some(given) = task.and_then(|task| task.tools) {
        let own = offered(&all, with_own.as_ref().unwrap_or(&place), &allowed, &soul.front);
        let both = given.into_iter().filter(|tool| own.has(tool));
        allowed = Allowed::Listed(both.collect());
        of_servers = false;
    }
    let offer = |place: &Place| match of_servers {
        true => offered(&all, place, &allowed, &soul.front),
        false => all.offer(place, &allowed),
    };
    let mut tools = offer(&place);
    if let Some(with_own) = with_own {
        let more = offer(&with_own);
        if !place.roots.is_empty() || more.len() > tools.len() {
            (tools, place) = (more, with_own);
        }
    }
    let at = group.map(|group| At { group, root });
    tools = tools.clone().without(&approvals::unused(read, at, tools.names())?);
    // Whoever cannot load them is not told of them.
    let loads = tools.has(USE_SKILL);
    let skills = if loads { skills } else { Vec::new() };
    let left_out = fitting::left_out(&tools, window);
    let tools = if left_out.is_empty() { tools } else { tools.without(&left_out) };
    place.results = Some(place::results(&place, &shared.places.data, agent, &tools));
    let asks = Policy::of(soul.front.policy.as_ref()).asks;
    Ok(OwnHands { tools, place, left_out, skills, told: true, asks })
}

/// A description is part of a prompt, and nobody's key belongs there.
fn listed(shared: &Shared, skills: &[OwnSkill]) -> Vec<Listed> {
    let redactor = shared.safe.redactor();
    let listed = skills.iter().map(|skill| Listed {
        name: skill.name.clone(),
        description: redactor.redact(&skill.in_force.text.front.description).into_owned(),
    });
    listed.collect()
}

/// Where tools find what a soul has, its skills among it.
pub(crate) fn place_of(
    read: &Read<'_>,
    shared: &Shared,
    front: &Front,
) -> Result<Place, StoreError> {
    let skills = shared.skills.of(front.skills.as_deref().unwrap_or_default());
    place_with(read, shared, front, &skills)
}

fn place_with(
    read: &Read<'_>,
    shared: &Shared,
    front: &Front,
    skills: &[OwnSkill],
) -> Result<Place, StoreError> {
    Ok(Place {
        near_hosts: settings::get(read)?.approvals.near_hosts.clone(),
        skills: skills.iter().map(|skill| skill.folder.clone()).collect(),
        resources: servers::to_read(shared, front.mcp.as_deref().unwrap_or_default()),
        ..place::of(shared, front)
    })
}

/// The tools that a soul allows in such a place, with those of the servers that it
/// names.
pub(crate) fn offered(all: &Registry, place: &Place, allowed: &Allowed, front: &Front) -> Offer {
    let own = match allowed {
        // Of ours: what a server brings is had by whoever names the server.
        Allowed::Everything => all.offer(place, &Allowed::Listed(servers::not_theirs(all))),
        Allowed::Usual | Allowed::Listed(_) => all.offer(place, allowed),
    };
    own.and(all.offer(place, &Allowed::Listed(brought(all, front))))
}

/// What a soul has beside the tools that it lists: those of the servers that it names, what
/// reads their resources, and what loads its skills.
pub(crate) fn brought(all: &Registry, front: &Front) -> BTreeSet<String> {
    let mut brought = servers::tools_of(all, front.mcp.as_deref().unwrap_or_default());
    if front.mcp.as_ref().is_some_and(|servers| !servers.is_empty()) {
        brought.insert(READ_RESOURCE.to_owned());
    }
    if front.skills.as_ref().is_some_and(|skills| !skills.is_empty()) {
        brought.insert(USE_SKILL.to_owned());
    }
    brought
}

fn community(read: &Read<'_>, group: &Group) -> Result<Option<Community>, StoreError> {
    if group.kind != GroupKind::Post {
        return Ok(None);
    }
    // Of a post that nobody has written yet there is only an estimate.
    let Some(post) = posts::find(read, group.id)? else { return Ok(None) };
    communities::get(read, post.community).map(Some)
}

/// What agents call the person.
pub(crate) fn name_of_person(settings: &Settings) -> &str {
    if settings.your_name.is_empty() { "User" } else { &settings.your_name }
}

/// What a model can call anybody but itself: the person, who was ever heard in the group, and
/// whoever lives.
pub(crate) fn everybody_else(
    read: &Read<'_>,
    group: GroupId,
    own: &Agent,
) -> Result<Vec<String>, StoreError> {
    let you = name_of_person(&*settings::get(read)?).to_owned();
    let Voices { here, before } = Voices::look(read, group, own, &you)?;
    let heard = here.into_iter().map(|other| other.name).chain(before);
    let living = agents::living(read)?.into_iter().map(|agent| agent.name);
    // The person reads along everywhere.
    let mut others = vec![you];
    others.extend(heard.chain(living).filter(|name| *name != own.name));
    Ok(others)
}

/// What agents call whoever wrote something; nothing where nobody did.
pub(crate) fn name_of(read: &Read<'_>, author: Author) -> Result<String, StoreError> {
    Ok(match author {
        Author::User => name_of_person(&*settings::get(read)?).to_owned(),
        Author::Agent(agent) => agents::get(read, agent)?.name,
        Author::Outside(pass) => outside::called(read, pass)?,
        Author::Source(source) => sources::called(read, source)?,
        Author::System => String::new(),
    })
}

/// Everybody else whose words a model could carry on in a group. What tells of itself there,
/// as a folder does, is nobody.
struct Voices {
    /// Who is there, the person included, in their order.
    here: Vec<Other>,
    /// What those are called who were: also where what they said is only told of in notes.
    before: Vec<String>,
}

impl Voices {
    fn look(read: &Read<'_>, group: GroupId, but: &Agent, you: &str) -> Result<Voices, StoreError> {
        let (mut here, mut before) = (Vec::new(), Vec::new());
        for (member, left_ms) in members::ever_of_group(read, group)? {
            let other = match member.who {
                Participant::User => Other { name: you.to_owned(), role: "person".into() },
                Participant::Agent(id) if id == but.id => continue,
                Participant::Agent(id) => {
                    let agent = agents::get(read, id)?;
                    Other { name: agent.name, role: agent.role }
                }
            };
            match left_ms {
                None => here.push(other),
                Some(_) => before.push(other.name),
            }
        }
        for pass in outside::speakers(read, group)? {
            let name = outside::label(&pass.rights.name);
            let role = format!("from outside, and never speaks for {you}");
            match pass.holds() {
                true => here.push(Other { name, role }),
                false => before.push(name),
            }
        }
        // Who came after them may be called the same.
        before.retain(|name| *name != but.name && here.iter().all(|other| other.name != *name));
        Ok(Voices { here, before })
    }
}
