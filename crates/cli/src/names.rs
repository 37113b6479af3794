//! What people call things on the command line, and what things are called.
//!
//! A name is matched whole and without regard to case; an id always works.
//! What fits two things is refused with both.

use crate::ids;
use crate::visible::line;
use domain::{
    Agent, AgentId, AgentState, Author, Fault, FeedSourceId, GroupId, GroupKind, GroupView,
    McpServer, Overview, Participant, PassId, Provider, Soul,
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

    /// Who writes posts: `me`, an agent, or a source, by name or id.
    pub(crate) fn writer(&self, wanted: &str) -> Result<Author, Fault> {
        let source = self
            .overview
            .sources
            .iter()
            .find(|source| fits(&source.plan.name, wanted) || source.id.to_string() == wanted);
        match (self.agent(wanted), source) {
            (Ok(agent), _) => Ok(Author::Agent(agent.id)),
            (Err(_), _) if fits("me", wanted) => Ok(Author::User),
            (Err(_), Some(source)) => Ok(Author::Source(source.id)),
            (Err(fault), None) => Err(fault),
        }
    }

    /// A group by name or id, or an agent's direct one by the agent's name.
    /// Workspaces that are older than that rule may have a group and an agent of
    /// one name: `group:NAME` and `agent:NAME` tell them apart.
    pub(crate) fn group(&self, wanted: &str) -> Result<&GroupView, Fault> {
        let groups = &self.overview.groups;
        let by_id = groups.iter().find(|view| view.group.id.to_string() == wanted);
        let named = |wanted: &str, kind: GroupKind, archived: bool| {
            let of_kind = groups
                .iter()
                .filter(move |view| view.group.kind == kind && view.group.archived == archived);
            of_kind.filter(|view| fits(&self.group_name(view), wanted)).collect::<Vec<_>>()
        };
        let (group, direct) =
            (named(wanted, GroupKind::Group, false), named(wanted, GroupKind::Direct, false));
        if by_id.is_none() && !group.is_empty() && !direct.is_empty() {
            return Err(both(wanted));
        }
        let of = |prefix: &str, kind: GroupKind, archived: bool| match wanted.strip_prefix(prefix) {
            Some(name) => named(name, kind, archived),
            None => Vec::new(),
        };
        let order = [
            by_id.into_iter().collect(),
            group,
            direct,
            of("group:", GroupKind::Group, false),
            of("agent:", GroupKind::Direct, false),
            named(wanted, GroupKind::Group, true),
            named(wanted, GroupKind::Direct, true),
            of("group:", GroupKind::Group, true),
            of("agent:", GroupKind::Direct, true),
        ];
        let list = || {
            let open = groups.iter().filter(|view| !view.group.archived);
            open.map(|view| format!("{:?}", self.group_name(view))).collect()
        };
        one(order, |view| view.group.id.to_string())
            .unwrap_or_else(|| Err(unknown("group", wanted, list(), "coterie group list")))
    }

    /// The agents that a list with commas names. Where a name has one in it,
    /// the parts that it falls into are nobody's.
    pub(crate) fn agents(&self, wanted: &[String]) -> Result<Vec<AgentId>, Fault> {
        let parts: Vec<&str> = wanted.iter().flat_map(|list| list.split(',')).collect();
        let mut rest = parts.as_slice();
        let mut found = Vec::new();
        while !rest.is_empty() {
            let named = |count: &usize| self.agent(rest[..*count].join(",").trim()).ok();
            let Some((count, agent)) =
                (1..=rest.len()).find_map(|count| Some((count, named(&count)?)))
            else {
                // Says why it is nobody's, or whose it is.
                self.agent(rest[0].trim())?;
                break;
            };
            found.push(agent.id);
            rest = &rest[count..];
        }
        Ok(found)
    }

    /// A soul's name, as it is kept. A file that another one keeps from being
    /// a soul has to be called by its very name.
    pub(crate) fn soul(&self, wanted: &str) -> Result<String, Fault> {
        let wanted = wanted.strip_suffix(".md").unwrap_or(wanted);
        let souls = &self.overview.souls;
        let list = || souls.iter().map(|soul| soul.name.clone()).collect();
        let very = |soul: &&Soul| soul.name == wanted;
        let same = |soul: &&Soul| fits(&soul.name, wanted);
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

    /// Posts of the feed are in no overview, and have a number instead of a name.
    pub(crate) fn group_name_of(&self, id: GroupId) -> String {
        let view = self.overview.groups.iter().find(|view| view.group.id == id);
        let post = || format!("feed post {}", ids::end_of(id));
        view.map_or_else(post, |view| self.group_name(view))
    }

    pub(crate) fn kind_of(&self, group: GroupId) -> Option<GroupKind> {
        let view = self.overview.groups.iter().find(|view| view.group.id == group)?;
        Some(view.group.kind)
    }

    /// A tool as a person knows it.
    pub(crate) fn tool(&self, tool: &str) -> String {
        called(&self.overview.servers, tool)
    }

    /// The agents of a group by name, in their order.
    pub(crate) fn agents_of(&self, view: &GroupView) -> Vec<String> {
        let agents = view.members.iter().filter_map(|member| match member.who {
            Participant::Agent(agent) => Some(self.agent_name(agent)),
            Participant::User => None,
        });
        agents.collect()
    }

    /// Whose words they are: never a name alone, which might be an agent's.
    pub(crate) fn program_name(&self, id: PassId) -> String {
        let pass = self.overview.passes.iter().find(|pass| pass.id == id);
        let name = pass.map_or_else(|| id.to_string(), |pass| pass.rights.name.clone());
        format!("{name} (program)")
    }

    /// The same of what is told in the feed by itself.
    fn source_name(&self, id: FeedSourceId) -> String {
        let source = self.overview.sources.iter().find(|source| source.id == id);
        let name = source.map_or_else(|| id.to_string(), |source| source.plan.name.clone());
        format!("{name} (source)")
    }

    pub(crate) fn author(&self, author: Author) -> String {
        match author {
            Author::User => "you".to_owned(),
            Author::Agent(agent) => self.agent_name(agent),
            Author::Outside(pass) => self.program_name(pass),
            Author::Source(source) => self.source_name(source),
            Author::System => "Coterie".to_owned(),
        }
    }
}

/// In any letters: neither capitals tell names apart, nor whether an accented
/// letter is one character or two.
pub(crate) fn fits(name: &str, wanted: &str) -> bool {
    let letters = |text: &str| {
        let composed: String = text.nfc().collect();
        composed.to_lowercase().nfc().collect::<String>()
    };
    letters(name) == letters(wanted)
}

fn both(name: &str) -> Fault {
    Fault::bad_input(
        format!("{name:?} is a group, and an agent too"),
        format!(
            "say {:?} for the group or {:?} for the agent's direct chat, or rename the group",
            format!("group:{name}"),
            format!("agent:{name}")
        ),
    )
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

/// What tests of names know.
/// A tool, and behind it how its server calls the two, where that cannot be read out of the
/// name that agents know it by.
fn called(servers: &[McpServer], tool: &str) -> String {
    let Some((server, _)) = tool.split_once("__") else { return tool.to_owned() };
    let Some(server) = servers.iter().find(|one| one.setup.name == server) else {
        return tool.to_owned();
    };
    let own = server.tools.iter().find(|one| one.offered_as == tool).map(|one| &one.name);
    let own = own.filter(|own| !tool.ends_with(&format!("__{own}")));
    let known: Vec<_> = server.setup.title.iter().chain(own).map(|name| line(name)).collect();
    match known.is_empty() {
        true => tool.to_owned(),
        false => format!("{tool} ({})", known.join(": ")),
    }
}

#[cfg(test)]
pub(crate) mod known {
    use super::*;
    use domain::{KeyHome, Keys, Mark, SealedFile, Settings};

    pub(crate) fn names(agents: Vec<Agent>, groups: Vec<GroupView>) -> Names {
        Names::new(Overview {
            passes: Vec::new(),
            sources: Vec::new(),
            mark: Mark { epoch: 1, n: 0 },
            settings: Settings::default(),
            agents,
            groups,
            souls: Vec::new(),
            providers: Vec::new(),
            open_runs: Vec::new(),
            waiting: Vec::new(),
            starter_model: None,
            held_up: None,
            drafts: Vec::new(),
            approvals: Vec::new(),
            questions: Vec::new(),
            proposals: Vec::new(),
            grants: Vec::new(),
            servers: Vec::new(),
            skills: Vec::new(),
            keys: Keys {
                list: None,
                keys: Vec::new(),
                home: KeyHome::Keyring,
                keyring: None,
                keyring_name: String::new(),
                sealed: SealedFile::Absent,
                to_be_moved: 0,
                lent: 0,
                to_be_erased: 0,
            },
            data_dir: String::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::known::names;
    use super::*;
    use domain::{Caps, Group, Member, TurnPolicy};
    use serde_json::json;
    use uuid::Uuid;

    fn agent(n: u128, name: &str) -> Agent {
        Agent::new(AgentId(Uuid::from_u128(n)), name.into(), "ada".into(), 0)
    }

    fn group(n: u128, name: &str, kind: GroupKind, agent: &Agent) -> GroupView {
        let id = GroupId(Uuid::from_u128(n));
        let member = |who| Member {
            group: id,
            who,
            position: 0,
            muted: false,
            talkativeness: None,
            cursor: 0,
            joined_after: 0,
        };
        GroupView {
            group: Group {
                id,
                name: name.into(),
                kind,
                policy: TurnPolicy::Broadcast,
                default_agent: None,
                supervisor: None,
                caps: Caps::default(),
                archived: false,
                created_ms: 0,
                problem: None,
            },
            members: vec![member(Participant::User), member(Participant::Agent(agent.id))],
            last: None,
            messages_since_post: 0,
            answers_to_come: 0,
        }
    }

    #[test]
    fn a_group_and_an_agent_of_one_name_are_told_apart() {
        let (zoe, bo) = (agent(1, "Zoé"), agent(2, "Bo"));
        let groups = vec![
            group(11, "Zoé", GroupKind::Direct, &zoe),
            group(12, "Bo", GroupKind::Direct, &bo),
            group(13, "zoe\u{301}", GroupKind::Group, &bo),
            group(14, "agent:Bo", GroupKind::Group, &bo),
        ];
        let names = names(vec![zoe, bo], groups);
        let found = |wanted: &str| names.group(wanted).map(|view| view.group.id.0.as_u128());
        for wanted in ["Zoé", "zOÉ"] {
            let fault = found(wanted).unwrap_err();
            assert_eq!(fault.message, format!("{wanted:?} is a group, and an agent too"));
            let ways = format!("\"group:{wanted}\" for the group or \"agent:{wanted}\"");
            assert!(fault.fix.contains(&ways), "{fault}");
        }
        assert_eq!(found("agent:zoé"), Ok(11));
        assert_eq!(found("group:ZOÉ"), Ok(13));
        assert_eq!(found(&Uuid::from_u128(13).to_string()), Ok(13));
        assert_eq!(found("Bo"), Ok(12));
        assert_eq!(found("agent:Bo"), Ok(14), "a whole name comes before its parts");
        assert_eq!(found("group:Bo").unwrap_err().code, domain::FaultCode::NotFound);
    }

    #[test]
    fn a_list_names_agents_also_where_a_name_has_a_comma() {
        let names = names(vec![agent(1, "Smith,John"), agent(2, "Bo"), agent(3, "Ada")], vec![]);
        let found = |wanted: &[&str]| {
            let wanted: Vec<String> = wanted.iter().map(|one| (*one).to_owned()).collect();
            let found = names.agents(&wanted)?;
            Ok::<_, Fault>(found.into_iter().map(|id| id.0.as_u128()).collect::<Vec<_>>())
        };
        assert_eq!(found(&["Bo, ada"]), Ok(vec![2, 3]));
        assert_eq!(found(&["Bo,Smith,John,Ada"]), Ok(vec![2, 1, 3]));
        assert_eq!(found(&["smith,john", "Bo"]), Ok(vec![1, 2]));
        let fault = found(&["Bo,Smith,Ada"]).unwrap_err();
        assert_eq!(fault.message, "there is no agent called \"Smith\"");
        assert!(found(&["Bo,"]).is_err());
    }

    #[test]
    fn a_tool_is_called_as_its_server_calls_it_where_its_name_cannot_say_that() {
        let tool = |offered_as: &str, name: &str| {
            json!({"name": name, "offered_as": offered_as, "description": "", "on": true,
                "looks_only": false, "unfit": null})
        };
        let server = |name: &str, title: Option<&str>, tools: &[serde_json::Value]| {
            let place = json!({"kind": "address", "url": "https://a.example", "headers": {}});
            json!({"setup": {"name": name, "title": title, "place": place, "on": true},
                "state": {"is": "asleep"}, "tools": tools, "memory_bytes": null})
        };
        let all = json!([
            server("fk", None, &[tool("fk__look", "look"), tool("fk______1a2b3c4d", "查询天气")]),
            server("server-1a2b3c", Some("高德地图"), &[tool("server-1a2b3c__route", "route")]),
        ]);
        let all: Vec<McpServer> = serde_json::from_value(all).expect("servers");
        for (tool, expected) in [
            ("fk______1a2b3c4d", "fk______1a2b3c4d (查询天气)"),
            ("server-1a2b3c__route", "server-1a2b3c__route (高德地图)"),
            ("fk__look", "fk__look"),
            ("away__look", "away__look"),
            ("read_file", "read_file"),
        ] {
            assert_eq!(called(&all, tool), expected);
        }
    }
}
