//! What is looked at before items are given out.
//!
//! Several are given out in one transaction, and most of what decides about them is
//! the same for all: who there is, what each was given lately, what may be spent.
//! `Round` reads it once, and counts on with what it gives itself.

use super::allot::{Candidate, Interest, Item};
use super::{demo, no_room};
use crate::budget::Left;
use crate::shared::Shared;
use crate::turn_policy::{Ruling, Seat};
use crate::{acts, estimate, mentions, stand};
use domain::{
    Agent, AgentId, AgentState, Author, BudgetScope, Community, CommunityId, Fault, FeedRules,
    Group, GroupKind, Member, Message, MessageId, Participant, Post, Verdict,
};
use std::collections::HashSet;
use std::collections::hash_map::{Entry, HashMap};
use std::sync::Arc;
use store::table::{
    admissions, agents, communities, groups, members, messages, moderations, posts, settings,
};
use store::{Read, StoreError};

const HOUR_MS: i64 = 60 * 60 * 1000;

/// What holds for everything that is given out in one transaction.
pub(super) struct Round {
    pub rules: FeedRules,
    pub now: i64,
    /// What may still be used today, once somebody has asked.
    left: Option<Left>,
    /// Who may be given anything at all.
    agents: Vec<Agent>,
    given: HashMap<AgentId, Given>,
    /// So many were given something in this round.
    counted: u32,
    communities: HashMap<CommunityId, Arc<Community>>,
}

/// Who is asked about.
#[derive(Clone, Copy)]
pub(super) enum Whom<'a> {
    /// Those alone whom the message names.
    TheNamed,
    /// With what fits the interests of some.
    Everybody(&'a HashMap<AgentId, Interest>),
}

impl Whom<'_> {
    fn interest(self, agent: AgentId) -> Option<Interest> {
        match self {
            Whom::TheNamed => None,
            Whom::Everybody(fitting) => fitting.get(&agent).cloned(),
        }
    }
}

/// What an agent was given of the whole feed.
#[derive(Debug, Clone, Copy)]
struct Given {
    this_hour: u32,
    last_ms: Option<i64>,
    /// As which of those of that moment; 0 where it was before this round.
    last_as: u32,
}

/// An agent, by its place among all, whom an item of a thread may concern.
struct Reader {
    at: usize,
    mentioned: bool,
    /// The community, or it was named by a person.
    reads: bool,
}

/// A thread, whether it is stored or not.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub group: &'a Group,
    pub post: &'a Post,
    pub community: &'a Community,
}

/// What answers are given out to.
#[derive(Clone, Copy)]
pub(super) struct Answered<'a> {
    pub group: &'a Group,
    pub item: MessageId,
    /// Of what is read for an answer, that which is not stored.
    pub unsaid: &'a str,
}

/// What is looked at for one item.
pub(super) struct Facts {
    pub item: Item,
    pub candidates: Vec<Candidate>,
    /// Who sits in the thread.
    pub members: Vec<Member>,
}

impl Round {
    pub(super) fn read(read: &Read<'_>, now: i64) -> Result<Round, Fault> {
        let mut agents = agents::living(read)?;
        agents.retain(|agent| agent.state != AgentState::Terminated);
        // Who has a task for now has nothing else to do.
        acts::without_those_at_a_task(read, &mut agents)?;
        Ok(Round {
            rules: settings::get(read)?.feed,
            now,
            left: None,
            agents,
            given: HashMap::new(),
            counted: 0,
            communities: HashMap::new(),
        })
    }

    /// Takes room for the answers of all who are to speak, beside those that were given
    /// before, or says which budget has none for them.
    pub(super) fn take_room(
        &mut self,
        read: &Read<'_>,
        shared: &Shared,
        answered: Answered<'_>,
        rulings: &[Ruling],
    ) -> Result<Result<(), BudgetScope>, Fault> {
        let Answered { group, item, unsaid } = answered;
        let speaks = |ruling: &&Ruling| ruling.verdict != Verdict::Pass;
        if !rulings.iter().any(|ruling| speaks(&ruling)) {
            return Ok(Ok(()));
        }
        let before = match self.left.take() {
            Some(left) => left,
            None => self.left_today(read, shared)?,
        };
        let (mut left, mut room) = (before.clone(), Ok(()));
        if left.is_limited() {
            for ruling in rulings.iter().filter(speaks) {
                let agent = agents::get(read, ruling.agent)?;
                let most = estimate::at_most(read, shared, group, &agent, unsaid)?;
                let needed = no_room::needed(read, item, agent.id)?;
                room = room.and_then(|()| left.take(most.or_more(needed)));
            }
        }
        self.left = Some(if room.is_ok() { left } else { before });
        Ok(room)
    }

    /// Without what those may use who were given something and have asked nobody yet.
    fn left_today(&self, read: &Read<'_>, shared: &Shared) -> Result<Left, Fault> {
        let mut left = Left::of_feed(read, self.now)?;
        if !left.is_limited() {
            return Ok(left);
        }
        for agent in &self.agents {
            for wake in estimate::yet_to_ask(read, agent.id)? {
                let group = groups::get(read, wake.group)?;
                if group.kind == GroupKind::Post {
                    let most = estimate::at_most(read, shared, &group, agent, "")?;
                    left.set_aside(most, true);
                }
            }
        }
        Ok(left)
    }

    /// Somebody was just given something.
    pub(super) fn count(&mut self, agent: AgentId) {
        self.counted = self.counted.saturating_add(1);
        if let Some(given) = self.given.get_mut(&agent) {
            given.this_hour = given.this_hour.saturating_add(1);
            given.last_ms = given.last_ms.max(Some(self.now));
            given.last_as = self.counted;
        }
    }

    pub(super) fn facts(
        &mut self,
        read: &Read<'_>,
        shared: &Shared,
        group: &Group,
        message: &Message,
        whom: Whom<'_>,
    ) -> Result<Facts, StoreError> {
        let post = posts::get(read, group.id)?;
        let community = self.community(read, post.community)?;
        let at = At { group, post: &post, community: &community };
        self.facts_at(read, shared, at, message, whom)
    }

    /// The same where nothing of it has to be stored.
    pub(super) fn facts_at(
        &mut self,
        read: &Read<'_>,
        shared: &Shared,
        at: At<'_>,
        message: &Message,
        whom: Whom<'_>,
    ) -> Result<Facts, StoreError> {
        let At { group, post, community } = at;
        let item = Item {
            author: message.author,
            depth: message.chain_depth,
            is_post: post.message == Some(message.id),
            is_archived: community.archived,
            is_locked: post.locked,
            is_out_of_sight: message.text().is_none()
                || moderations::hidden(read, group.id)?.contains(&message.id),
        };
        let mut readers = self.readers(community, message);
        if let Whom::TheNamed = whom {
            readers.retain(|one| one.mentioned);
        }
        let is_in_english = demo::knows(message.text().unwrap_or_default());
        let answered = answered(read, post, message)?;
        let thread = Thread::look(read, group, message.id)?;
        let rests_since = self.now - i64::from(self.rules.rest_minutes) * 60_000;
        let mut candidates = Vec::new();
        for Reader { at, mentioned, reads } in readers {
            let id = self.agents[at].id;
            let Given { this_hour, last_ms, last_as } = self.given_to(read, id)?;
            let last_here = thread.last_given.get(&id);
            let agent = &self.agents[at];
            let understands = (is_in_english && speaks_english(shared, agent))
                || !stand::has_demo_model(read, shared, agent)?;
            candidates.push(Candidate {
                reads,
                understands,
                has_it: thread.have_it.contains(&id),
                mentioned,
                is_answered: answered == Some(Author::Agent(id)),
                interest: whom.interest(id),
                given_this_hour: this_hour,
                rests: last_here.is_some_and(|last| *last > rests_since),
                is_in_thread: last_here.is_some(),
                given_ms: last_ms,
                given_as: last_as,
                seat: thread.seat(agent),
            });
        }
        Ok(Facts { item, candidates, members: thread.members })
    }

    /// Who may be given an item of the thread, and of those who do not read it whom it
    /// names: it is said of them why not. Whom a person names may be anybody.
    fn readers(&self, community: &Community, message: &Message) -> Vec<Reader> {
        let names: Vec<&str> = self.agents.iter().map(|agent| agent.name.as_str()).collect();
        let named = match message.author {
            // A file may be called anything.
            Author::Source(_) => Vec::new(),
            Author::User | Author::Agent(_) | Author::Outside(_) | Author::System => {
                mentions::find(message.text().unwrap_or_default(), &names)
            }
        };
        let reads =
            |agent: &Agent| community.members.is_empty() || community.members.contains(&agent.id);
        let by_person = message.author == Author::User;
        let reader = |(at, agent): (usize, &Agent)| {
            let mentioned = named.contains(&at);
            let reads = reads(agent) || (mentioned && by_person);
            (reads || mentioned).then_some(Reader { at, mentioned, reads })
        };
        self.agents.iter().enumerate().filter_map(reader).collect()
    }

    fn community(
        &mut self,
        read: &Read<'_>,
        id: CommunityId,
    ) -> Result<Arc<Community>, StoreError> {
        Ok(match self.communities.entry(id) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => new.insert(Arc::new(communities::get(read, id)?)).clone(),
        })
    }

    fn given_to(&mut self, read: &Read<'_>, agent: AgentId) -> Result<Given, StoreError> {
        if let Some(given) = self.given.get(&agent) {
            return Ok(*given);
        }
        let since = self.now - HOUR_MS;
        let given = Given {
            this_hour: admissions::since(read, agent, since, self.rules.per_hour)?,
            last_ms: admissions::last(read, agent)?,
            last_as: 0,
        };
        self.given.insert(agent, given);
        Ok(given)
    }
}

/// Whoever is to be somebody by a text that its model cannot read says nothing that is fit.
fn speaks_english(shared: &Shared, agent: &Agent) -> bool {
    shared.souls.in_force(&agent.soul).is_none_or(|soul| demo::knows(&soul.persona))
}

/// What was given in one thread, and who sits there.
struct Thread {
    members: Vec<Member>,
    last_given: HashMap<AgentId, i64>,
    have_it: HashSet<AgentId>,
}

impl Thread {
    fn look(read: &Read<'_>, group: &Group, item: MessageId) -> Result<Thread, StoreError> {
        Ok(Thread {
            members: members::of_group(read, group.id)?,
            last_given: admissions::last_in(read, group.id)?.into_iter().collect(),
            have_it: admissions::of_item(read, item)?.into_iter().collect(),
        })
    }

    fn seat(&self, agent: &Agent) -> Seat {
        let who = Participant::Agent(agent.id);
        let member = self.members.iter().find(|member| member.who == who);
        Seat {
            agent: agent.id,
            name: agent.name.clone(),
            role: agent.role.clone(),
            position: member.map_or(0, |member| member.position),
            state: agent.state,
            muted: member.is_some_and(|member| member.muted),
            weight: 0,
        }
    }
}

/// Who wrote what the message answers: without a word of its own that is the post.
fn answered(read: &Read<'_>, post: &Post, message: &Message) -> Result<Option<Author>, StoreError> {
    let parent = message.parent.or(post.message).filter(|parent| *parent != message.id);
    let parent = parent.map(|parent| messages::find(read, parent)).transpose()?.flatten();
    Ok(parent.map(|parent| parent.author))
}
