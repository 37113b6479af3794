//! What people call things on the command line, and what things are called.
//!
//! A name is matched whole and without regard to case; an id always works.
//! What fits two things is refused with both.

use domain::{
    Agent, AgentId, AgentState, Author, Fault, GroupId, GroupKind, GroupView, Overview,
    Participant, Provider, Soul,
};
use unicode_normalization::UnicodeNormalization;

pub(crate) struct Names {
    pub overview: Overview,
}

impl Names {
    pub(crate) fn new(overview: Overview) -> Self {
        Names { overview }
    }

    /// An agent by name or id. One that was ended gives way to a living one of
    /// the same name.
    pub(crate) fn agent(&self, wanted: &str) -> Result<&Agent, Fault> {
        let wanted = wanted.trim_start_matches('@');
        let named: Vec<&Agent> =
            self.overview.agents.iter().filter(|agent| fits(&agent.name, wanted)).collect();
        let living =
            named.iter().copied().filter(|agent| agent.state != AgentState::Terminated).collect();
        let by_id = self.overview.agents.iter().find(|agent| agent.id.to_string() == wanted);
        let list = || {
            let living =
                self.overview.agents.iter().filter(|agent| agent.state != AgentState::Terminated);
            living.map(|agent| agent.name.clone()).collect()
        };
        one([by_id.into_iter().collect(), living, named], |agent| agent.id.to_string())
            .unwrap_or_else(|| Err(unknown("agent", wanted, list(), "coterie agent list")))
    }

    /// A group by name or id, or an agent's direct one by the agent's name.
    pub(crate) fn group(&self, wanted: &str) -> Result<&GroupView, Fault> {
        let groups = &self.overview.groups;
        let by_id = groups.iter().find(|view| view.group.id.to_string() == wanted);
        let named = |kind: GroupKind, archived: bool| {
            let of_kind = groups
                .iter()
                .filter(move |view| view.group.kind == kind && view.group.archived == archived);
            of_kind.filter(|view| fits(&self.group_name(view), wanted)).collect::<Vec<_>>()
        };
        let order = [
            by_id.into_iter().collect(),
            named(GroupKind::Group, false),
            named(GroupKind::Direct, false),
            named(GroupKind::Group, true),
            named(GroupKind::Direct, true),
        ];
        let list = || {
            let open = groups.iter().filter(|view| !view.group.archived);
            open.map(|view| format!("{:?}", self.group_name(view))).collect()
        };
        one(order, |view| view.group.id.to_string())
            .unwrap_or_else(|| Err(unknown("group", wanted, list(), "coterie group list")))
    }

    /// A soul's name, as it is kept. A file that another one keeps from being
    /// a soul has to be called by its very name.
    pub(crate) fn soul(&self, wanted: &str) -> Result<String, Fault> {
        let wanted = wanted.strip_suffix(".md").unwrap_or(wanted);
        let souls = &self.overview.souls;
        let list = || souls.iter().map(|soul| soul.name.clone()).collect();
        let very = |soul: &&Soul| soul.name == wanted;
        let composed = wanted.nfc().collect::<String>();
        let same = |soul: &&Soul| fits(&soul.name.nfc().collect::<String>(), &composed);
        let found = souls
            .iter()
            .find(very)
            .or_else(|| souls.iter().filter(|soul| soul.version > 0).find(same))
            .or_else(|| souls.iter().find(same));
        found
            .map(|soul| soul.name.clone())
            .ok_or_else(|| unknown("soul", wanted, list(), "coterie soul list"))
    }

    pub(crate) fn provider(&self, wanted: &str) -> Result<&Provider, Fault> {
        let providers = &self.overview.providers;
        let list = || providers.iter().map(|provider| provider.name.clone()).collect();
        let found = providers.iter().find(|provider| fits(&provider.name, wanted));
        found.ok_or_else(|| unknown("provider", wanted, list(), "coterie provider list"))
    }

    pub(crate) fn agent_by_id(&self, id: AgentId) -> Option<&Agent> {
        self.overview.agents.iter().find(|agent| agent.id == id)
    }

    pub(crate) fn agent_name(&self, id: AgentId) -> String {
        let agent = self.agent_by_id(id);
        agent.map_or_else(|| id.to_string(), |agent| agent.name.clone())
    }

    /// A direct group is called after its agent, whatever that is called now.
    pub(crate) fn group_name(&self, view: &GroupView) -> String {
        match (view.group.kind, self.agents_of(view).as_slice()) {
            (GroupKind::Direct, [agent]) => agent.clone(),
            _ => view.group.name.clone(),
        }
    }

    pub(crate) fn group_name_of(&self, id: GroupId) -> String {
        let view = self.overview.groups.iter().find(|view| view.group.id == id);
        view.map_or_else(|| id.to_string(), |view| self.group_name(view))
    }

    /// The agents of a group by name, in their order.
    pub(crate) fn agents_of(&self, view: &GroupView) -> Vec<String> {
        let agents = view.members.iter().filter_map(|member| match member.who {
            Participant::Agent(agent) => Some(self.agent_name(agent)),
            Participant::User => None,
        });
        agents.collect()
    }

    pub(crate) fn author(&self, author: Author) -> String {
        match author {
            Author::User => "you".to_owned(),
            Author::Agent(agent) => self.agent_name(agent),
            Author::System => "Coterie".to_owned(),
        }
    }
}

fn fits(name: &str, wanted: &str) -> bool {
    name.to_lowercase() == wanted.to_lowercase()
}

/// The only one of the first kind of match there is; nothing if there is none.
fn one<T, const N: usize>(
    matches: [Vec<&T>; N],
    id: impl Fn(&T) -> String,
) -> Option<Result<&T, Fault>> {
    let found = matches.into_iter().find(|found| !found.is_empty())?;
    match found.as_slice() {
        [only] => Some(Ok(only)),
        several => {
            let ids: Vec<String> = several.iter().map(|one| id(one)).collect();
            Some(Err(Fault::bad_input(
                "more than one has this name",
                format!("use the id of the one you mean: {}", ids.join(", ")),
            )))
        }
    }
}

fn unknown(what: &str, wanted: &str, known: Vec<String>, list: &str) -> Fault {
    let fix = match known.as_slice() {
        [] => format!("{list} shows them"),
        known if known.len() <= 12 => format!("choose one of {}", known.join(", ")),
        _ => format!("{list} shows them all"),
    };
    Fault::not_found(format!("there is no {what} called {wanted:?}"), fix)
}
