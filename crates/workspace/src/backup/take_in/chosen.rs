//! What of another workspace comes in.
//!
//! Conversations and posts in which something was said; whoever has a part in these, who
//! remembers something of their own, and who wears a soul that is new here. Nobody needs a chat
//! in which nothing was said and of which nobody remembers anything, and every workspace begins
//! with the same agents.

use super::count;
use super::report::Report;
use super::souls::Souls;
use domain::{
    Agent, AgentId, AgentState, Author, Community, Group, GroupId, GroupKind, Memory, MemoryScope,
    MemoryState, MessageId, Participant, Post, StaysOutWhy, TakenKind,
};
use std::collections::{HashMap, HashSet};
use store::table::{
    agents, branches, communities, groups, members, memories, messages, posts, reactions, runs,
};
use store::{Read, StoreError};

#[derive(Default)]
pub(super) struct Chosen {
    pub agents: Vec<Agent>,
    pub communities: Vec<Community>,
    /// Also those that are posts.
    pub groups: Vec<Group>,
    /// By their groups.
    pub posts: HashMap<GroupId, Post>,
    /// Those that are here, and of which more was said there.
    pub go_on: Vec<GroupId>,
    /// Whoever has said something in these groups.
    pub authors: HashSet<Author>,
    /// All but the forgotten: they have no words.
    pub memories: Vec<Memory>,
}

impl Chosen {
    pub(super) fn of(
        here: &Read<'_>,
        from: &Read<'_>,
        souls: &Souls,
        report: &mut Report,
    ) -> Result<Chosen, StoreError> {
        let all = memories::changed_since(from, 0, u32::MAX)?.into_iter();
        let all = all.map(|one| one.memory);
        let memories = all.filter(|one| one.state != MemoryState::Forgotten).collect();
        let chosen = Chosen { memories, ..Chosen::default() };
        let mut choosing = Choosing { here, from, chosen, report };
        choosing.choose_groups()?;
        choosing.choose_communities()?;
        choosing.choose_agents(souls)?;
        Ok(choosing.chosen)
    }

    /// By the name of its folder.
    pub(super) fn has_agent(&self, id: &str) -> bool {
        self.agents.iter().any(|agent| agent.id.to_string() == id)
    }
}

struct Choosing<'a> {
    here: &'a Read<'a>,
    from: &'a Read<'a>,
    chosen: Chosen,
    report: &'a mut Report,
}

impl Choosing<'_> {
    fn choose_groups(&mut self) -> Result<(), StoreError> {
        let mut said: HashMap<GroupId, Vec<(Author, u32)>> = HashMap::new();
        for (group, author, messages) in messages::by_author(self.from)? {
            said.entry(group).or_default().push((author, messages));
        }
        let remembered = self.chosen.memories.iter().filter_map(|memory| match memory.scope {
            MemoryScope::Group(group) => Some(group),
            MemoryScope::User | MemoryScope::Workspace | MemoryScope::Agent(_) => None,
        });
        let remembered: HashSet<GroupId> = remembered.collect();
        for group in groups::all(self.from)? {
            let said = said.remove(&group.id).unwrap_or_default();
            let messages = said.iter().map(|(_, messages)| messages).sum();
            let authors = said.into_iter().map(|(author, _)| author);
            let post = posts::find(self.from, group.id)?;
            let kind = match group.kind {
                GroupKind::Direct | GroupKind::Group => TakenKind::Conversation,
                GroupKind::Post => TakenKind::Post,
                // What agents told each other on the way belongs to a turn.
                GroupKind::Task => {
                    let (what, why) = (TakenKind::Message, StaysOutWhy::OfTask);
                    self.report.leaves_out(what, why, messages, None);
                    continue;
                }
            };
            let is_unwritten = post.as_ref().is_some_and(|post| post.message.is_none());
            let is_needed = messages > 0 || remembered.contains(&group.id);
            if groups::find(self.here, group.id)?.is_some() {
                self.report.is_here(kind, 1);
                if self.choose_new(&group)? {
                    self.chosen.authors.extend(authors);
                    self.chosen.go_on.push(group.id);
                }
            } else if is_unwritten || !is_needed {
                self.report.leaves_out(kind, StaysOutWhy::Empty, 1, Some(&group.name));
                let what = TakenKind::Message;
                self.report.leaves_out(what, StaysOutWhy::Empty, messages, Some(&group.name));
            } else {
                self.report.comes(kind, 1);
                self.report.comes(TakenKind::Message, messages);
                self.chosen.authors.extend(authors);
                self.chosen.posts.extend(post.map(|post| (group.id, post)));
                self.chosen.groups.push(group);
            }
        }
        Ok(())
    }

    /// Whether something comes of a conversation that is here: what was said after all that
    /// is here, in whatever branch, where nothing else was. Two that went on apart are not made
    /// one.
    fn choose_new(&mut self, group: &Group) -> Result<bool, StoreError> {
        let here = messages::in_order(self.here, group.id)?;
        let there = messages::in_order(self.from, group.id)?;
        let known: HashSet<MessageId> = here.iter().map(|(_, id)| *id).collect();
        let new = there.iter().filter(|(_, id)| !known.contains(id)).count();
        self.report.is_here(TakenKind::Message, count(there.len() - new));
        let ids = |all: &[(i64, MessageId)]| -> Vec<MessageId> {
            all.iter().map(|(_, id)| *id).collect()
        };
        let goes_on = there.len() - new == here.len()
            && ids(&here) == ids(&there[..here.len()])
            && !is_in_hand(self.here, self.from, group.id, &here, &there)?;
        if goes_on {
            self.report.comes(TakenKind::Message, count(new));
        } else {
            let (what, why) = (TakenKind::Message, StaysOutWhy::WentOn);
            self.report.leaves_out(what, why, count(new), Some(&group.name));
        }
        Ok(goes_on && new > 0)
    }

    fn choose_communities(&mut self) -> Result<(), StoreError> {
        for community in communities::all(self.from)? {
            let has_post = self.chosen.posts.values().any(|post| post.community == community.id);
            if communities::find(self.here, community.id)?.is_some() {
                self.report.is_here(TakenKind::Community, 1);
            } else if has_post {
                self.report.comes(TakenKind::Community, 1);
                self.chosen.communities.push(community);
            } else {
                let (what, why) = (TakenKind::Community, StaysOutWhy::Empty);
                self.report.leaves_out(what, why, 1, Some(&community.name));
            }
        }
        Ok(())
    }

    fn choose_agents(&mut self, souls: &Souls) -> Result<(), StoreError> {
        let has_part = self.who_has_part()?;
        for agent in agents::all(self.from)? {
            let lives = agent.state != AgentState::Terminated;
            if agents::find(self.here, agent.id)?.is_some() {
                self.report.is_here(TakenKind::Agent, 1);
            } else if has_part.contains(&agent.id) || lives && souls.is_new(&agent.soul) {
                self.report.comes(TakenKind::Agent, 1);
                self.chosen.agents.push(agent);
            } else if lives {
                let (what, why) = (TakenKind::Agent, StaysOutWhy::Unneeded);
                self.report.leaves_out(what, why, 1, Some(&agent.name));
            }
        }
        Ok(())
    }

    fn who_has_part(&self) -> Result<HashSet<AgentId>, StoreError> {
        let Choosing { from, chosen, .. } = self;
        let mut all = HashSet::new();
        for group in &chosen.groups {
            all.extend(group.default_agent);
            all.extend(group.supervisor);
            let members = members::ever_of_group(from, group.id)?;
            let reacted = reactions::of_group(from, group.id)?.into_iter().map(|one| one.who);
            let who = members.into_iter().map(|(member, _)| member.who).chain(reacted);
            all.extend(who.filter_map(|who| match who {
                Participant::Agent(agent) => Some(agent),
                Participant::User => None,
            }));
        }
        all.extend(chosen.authors.iter().filter_map(|author| match author {
            Author::Agent(agent) => Some(*agent),
            Author::User | Author::Outside(_) | Author::Source(_) | Author::System => None,
        }));
        all.extend(chosen.communities.iter().flat_map(|one| one.members.iter().copied()));
        all.extend(chosen.memories.iter().filter_map(|memory| match memory.scope {
            MemoryScope::Agent(agent) => Some(agent),
            MemoryScope::User | MemoryScope::Workspace | MemoryScope::Group(_) => None,
        }));
        Ok(all)
    }
}

/// Whether somebody is at work here over what would be shown otherwise.
fn is_in_hand(
    here: &Read<'_>,
    from: &Read<'_>,
    group: GroupId,
    known: &[(i64, MessageId)],
    there: &[(i64, MessageId)],
) -> Result<bool, StoreError> {
    if runs::open(here)?.iter().all(|run| run.group != group) {
        return Ok(false);
    }
    let (aside_here, aside_there) = (branches::aside(here, group)?, branches::aside(from, group)?);
    let mut both = known.iter().zip(there);
    let is_shown_alike = both
        .all(|((here, _), (there, _))| aside_here.contains(here) == aside_there.contains(there));
    Ok(!is_shown_alike)
}
