//! What of another workspace comes in.
//!
//! Conversations and posts in which something was said; whoever has a part in these, who
//! remembers something of their own, and who wears a soul that is new here. Nobody needs an
//! empty chat, and every workspace begins with the same agents.

use super::souls::Souls;
use super::{Report, count};
use domain::{
    Agent, AgentId, AgentState, Author, Community, Group, GroupId, GroupKind, Memory, MemoryScope,
    MemoryState, Participant, Post, TakenCount, TakenKind,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use store::table::{agents, communities, groups, members, memories, messages, posts, reactions};
use store::{Read, StoreError};

#[derive(Default)]
pub(super) struct Chosen {
    pub agents: Vec<Agent>,
    pub communities: Vec<Community>,
    /// Also those that are posts.
    pub groups: Vec<Group>,
    /// By their groups.
    pub posts: HashMap<GroupId, Post>,
    /// Whoever has said something in these groups.
    pub authors: HashSet<Author>,
    /// How many messages there are in them.
    pub messages: u32,
    /// All but the forgotten: they have no words.
    pub memories: Vec<Memory>,
    /// What does not come, with why.
    stays: BTreeMap<TakenKind, (u32, u32)>,
}

impl Chosen {
    pub(super) fn of(
        here: &Read<'_>,
        from: &Read<'_>,
        souls: &Souls,
    ) -> Result<Chosen, StoreError> {
        let mut chosen = Chosen::default();
        chosen.choose_groups(here, from)?;
        chosen.choose_communities(here, from)?;
        let all = memories::changed_since(from, 0, u32::MAX)?.into_iter();
        let all = all.map(|one| one.memory);
        chosen.memories = all.filter(|one| one.state != MemoryState::Forgotten).collect();
        chosen.choose_agents(here, from, souls)?;
        Ok(chosen)
    }

    fn choose_groups(&mut self, here: &Read<'_>, from: &Read<'_>) -> Result<(), StoreError> {
        let mut said: HashMap<GroupId, Vec<(Author, u32)>> = HashMap::new();
        for (group, author, messages) in messages::by_author(from)? {
            said.entry(group).or_default().push((author, messages));
        }
        for group in groups::all(from)? {
            let said = said.remove(&group.id).unwrap_or_default();
            let messages = said.iter().map(|(_, messages)| messages).sum();
            let post = posts::find(from, group.id)?;
            let kind = match group.kind {
                GroupKind::Direct | GroupKind::Group => TakenKind::Conversation,
                GroupKind::Post => TakenKind::Post,
                // What agents told each other on the way belongs to a turn.
                GroupKind::Task => {
                    self.left_out(TakenKind::Message, messages);
                    continue;
                }
            };
            let is_unwritten = post.as_ref().is_some_and(|post| post.message.is_none());
            if groups::find(here, group.id)?.is_some() {
                self.is_here(kind, 1);
                self.is_here(TakenKind::Message, messages);
            } else if messages == 0 || is_unwritten {
                self.left_out(kind, 1);
                self.left_out(TakenKind::Message, messages);
            } else {
                self.messages += messages;
                self.authors.extend(said.into_iter().map(|(author, _)| author));
                self.posts.extend(post.map(|post| (group.id, post)));
                self.groups.push(group);
            }
        }
        Ok(())
    }

    fn choose_communities(&mut self, here: &Read<'_>, from: &Read<'_>) -> Result<(), StoreError> {
        for community in communities::all(from)? {
            let has_post = self.posts.values().any(|post| post.community == community.id);
            if communities::find(here, community.id)?.is_some() {
                self.is_here(TakenKind::Community, 1);
            } else if has_post {
                self.communities.push(community);
            } else {
                self.left_out(TakenKind::Community, 1);
            }
        }
        Ok(())
    }

    fn choose_agents(
        &mut self,
        here: &Read<'_>,
        from: &Read<'_>,
        souls: &Souls,
    ) -> Result<(), StoreError> {
        let has_part = self.who_has_part(from)?;
        for agent in agents::all(from)? {
            let lives = agent.state != AgentState::Terminated;
            if agents::find(here, agent.id)?.is_some() {
                self.is_here(TakenKind::Agent, 1);
            } else if has_part.contains(&agent.id) || lives && souls.is_new(&agent.soul) {
                self.agents.push(agent);
            } else if lives {
                self.left_out(TakenKind::Agent, 1);
            }
        }
        Ok(())
    }

    fn who_has_part(&self, from: &Read<'_>) -> Result<HashSet<AgentId>, StoreError> {
        let mut all = HashSet::new();
        for group in &self.groups {
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
        all.extend(self.authors.iter().filter_map(|author| match author {
            Author::Agent(agent) => Some(*agent),
            Author::User | Author::Outside(_) | Author::Source(_) | Author::System => None,
        }));
        all.extend(self.communities.iter().flat_map(|one| one.members.iter().copied()));
        all.extend(self.memories.iter().filter_map(|memory| match memory.scope {
            MemoryScope::Agent(agent) => Some(agent),
            MemoryScope::User | MemoryScope::Workspace | MemoryScope::Group(_) => None,
        }));
        Ok(all)
    }

    /// By the name of its folder.
    pub(super) fn has_agent(&self, id: &str) -> bool {
        self.agents.iter().any(|agent| agent.id.to_string() == id)
    }

    fn is_here(&mut self, kind: TakenKind, things: u32) {
        self.stays.entry(kind).or_default().0 += things;
    }

    fn left_out(&mut self, kind: TakenKind, things: u32) {
        self.stays.entry(kind).or_default().1 += things;
    }

    /// Memories tell of themselves when they come.
    pub(super) fn tell(&self, report: &mut Report) {
        let posts = count(self.posts.len());
        let new = [
            (TakenKind::Agent, count(self.agents.len())),
            (TakenKind::Conversation, count(self.groups.len()) - posts),
            (TakenKind::Message, self.messages),
            (TakenKind::Community, count(self.communities.len())),
            (TakenKind::Post, posts),
        ];
        for (what, new) in new {
            let (here, left_out) = self.stays.get(&what).copied().unwrap_or_default();
            if new + here + left_out > 0 {
                *report.of(what) = TakenCount { what, new, here, left_out };
            }
        }
    }
}
