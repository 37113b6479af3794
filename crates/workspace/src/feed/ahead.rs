//! What would come of something in the feed before anybody writes it: who answers it at once,
//! who at a tick, and what their answers may cost.
//!
//! Decides as what is written is given out, by the same rules (`give_out::decide`, the caps of
//! the thread, the budgets), over an item that is never stored. It looks at this moment: what
//! else waits for the tick, and may use up somebody's hour before it, is not looked at.

use super::allot::Interest;
use super::give_out::{Allotted, decide};
use super::interests::Interests;
use super::round::{Answered, At, Round, Whom};
use super::write;
use crate::budget::{self, Left};
use crate::derived::blocking;
use crate::estimate::{self, Ahead};
use crate::shared::Shared;
use crate::turn_policy::Ruling;
use crate::turns;
use domain::{
    AgentId, Author, Body, BudgetScope, Community, CommunityId, Fault, FeedPlace, Group, GroupId,
    Message, MessageId, Post, Verdict, WouldAnswer,
};
use std::collections::HashMap;
use std::sync::Arc;
use store::Read;
use store::table::spend::Amount;
use store::table::{agents, communities};
use uuid::Uuid;

/// Who would answer this, as things stand. Says nothing of whether it may be written at all.
pub(crate) async fn would_answer(
    shared: &Arc<Shared>,
    place: FeedPlace,
    text: String,
) -> Result<WouldAnswer, Fault> {
    blocking(shared, move |shared| {
        let agents = shared.store.read(agents::living)?;
        let fitting = Interests::of(shared, &agents).fitting(shared, &text);
        shared.store.read(|read| {
            let draft = Draft::look(read, place, text, shared.now_ms())?;
            foreseen(read, shared, &draft, &fitting)
        })
    })
    .await
}

fn foreseen(
    read: &Read<'_>,
    shared: &Shared,
    draft: &Draft,
    fitting: &HashMap<AgentId, Interest>,
) -> Result<WouldAnswer, Fault> {
    let mut giving = Giving::begin(read, shared, draft)?;
    // What has no room now is decided about by the tick.
    let at_once = giving.give(Whom::TheNamed)?.map(|given| given.speak).unwrap_or_default();
    let (by_tick, waits, no_room) = match giving.give(Whom::Everybody(fitting))? {
        Ok(given) => (given.speak, given.waits, None),
        Err(scope) => (Vec::new(), Vec::new(), Some(scope)),
    };
    let Giving { mut later, ahead, .. } = giving;
    later.extend(waits);
    let Ahead { tokens_at_most, microusd_at_most, beyond, over } = ahead;
    Ok(WouldAnswer {
        at_once,
        by_tick,
        later,
        tokens_at_most,
        microusd_at_most,
        beyond,
        over,
        no_room,
    })
}

/// Something that is not written yet, where it would stand.
struct Draft {
    group: Group,
    post: Post,
    community: Community,
    message: Message,
    /// What would be read for an answer and is stored nowhere.
    unsaid: String,
}

impl Draft {
    fn look(read: &Read<'_>, place: FeedPlace, text: String, now: i64) -> Result<Draft, Fault> {
        match place {
            FeedPlace::Post { community } => Draft::post(read, community, text, now),
            FeedPlace::Comment { to } => Draft::comment(read, to, text, now),
        }
    }

    fn post(
        read: &Read<'_>,
        community: Option<CommunityId>,
        text: String,
        now: i64,
    ) -> Result<Draft, Fault> {
        let community = match community {
            Some(community) => communities::get(read, community)?,
            None => for_everybody(now),
        };
        let group = write::new_thread(read, GroupId(Uuid::nil()), write::name_of(&text), now)?;
        // A prompt would have these too, once the thread is stored.
        let unsaid = [community.name.as_str(), &community.rules, &text].join("\n");
        let message = unsent(group.id, None, text, now);
        let post = Post {
            seq: 0,
            group: group.id,
            community: community.id,
            message: Some(message.id),
            locked: false,
            at_ms: now,
        };
        Ok(Draft { group, post, community, message, unsaid })
    }

    fn comment(read: &Read<'_>, to: MessageId, text: String, now: i64) -> Result<Draft, Fault> {
        let (group, post) = write::item(read, to)?;
        let community = communities::get(read, post.community)?;
        let message = unsent(group.id, Some(to), text.clone(), now);
        Ok(Draft { group, post, community, message, unsaid: text })
    }
}

/// The community that a first post makes.
fn for_everybody(created_ms: i64) -> Community {
    Community {
        id: CommunityId(Uuid::nil()),
        name: String::new(),
        rules: String::new(),
        members: Vec::new(),
        archived: false,
        created_ms,
    }
}

/// A message of the person, by an id that none has that is stored.
fn unsent(group: GroupId, parent: Option<MessageId>, text: String, at_ms: i64) -> Message {
    let id = MessageId(Uuid::nil());
    Message {
        seq: 0,
        id,
        group,
        parent,
        author: Author::User,
        body: Body::Text { text, cut_short: false },
        attachments: Vec::new(),
        chain_depth: 0,
        root: id,
        run: None,
        at_ms,
    }
}

/// Giving it out in thought: first to those whom it names, then by a tick.
struct Giving<'a> {
    read: &'a Read<'a>,
    shared: &'a Shared,
    draft: &'a Draft,
    round: Round,
    left: Left,
    /// A budget has stopped the thread, and would again.
    is_stopped: bool,
    /// Who was given it so far, whether they answer now or later.
    given: Vec<AgentId>,
    /// Of those, who cannot answer now.
    later: Vec<AgentId>,
    ahead: Ahead,
}

/// What came of one time.
struct Given {
    speak: Vec<AgentId>,
    /// For whom it waits, as they have had as much as may be for now.
    waits: Vec<AgentId>,
}

impl<'a> Giving<'a> {
    fn begin(read: &'a Read<'a>, shared: &'a Shared, draft: &'a Draft) -> Result<Self, Fault> {
        let now = shared.now_ms();
        Ok(Giving {
            read,
            shared,
            draft,
            round: Round::read(read, now)?,
            left: Left::of(read, draft.group.id, None, now)?,
            is_stopped: budget::is_stopped(read, &draft.group, now)?,
            given: Vec::new(),
            later: Vec::new(),
            ahead: Ahead { microusd_at_most: Some(0), ..Ahead::default() },
        })
    }

    fn give(&mut self, whom: Whom<'_>) -> Result<Result<Given, BudgetScope>, Fault> {
        let Giving { read, shared, draft, .. } = *self;
        let Draft { group, post, community, message, unsaid } = draft;
        let at = At { group, post, community };
        let mut facts = self.round.facts_at(read, shared, at, message, whom)?;
        for candidate in &mut facts.candidates {
            candidate.has_it = self.given.contains(&candidate.seat.agent);
        }
        let answered = Answered { group, item: message.id, unsaid };
        let Allotted { mut rulings, waits } =
            match decide(read, shared, &mut self.round, &facts, answered)? {
                Ok(allotted) => allotted,
                Err(scope) => return Ok(Err(scope)),
            };
        turns::cap_unsent(group, &mut rulings, count(self.given.len()));
        let left = self.left.clone();
        let ahead = estimate::first_answers(read, shared, group, &mut rulings, unsaid, left)?;
        self.add(ahead);
        let speak = self.take(&rulings);
        let waits = waits.into_iter().map(|ruling| ruling.agent).collect();
        Ok(Ok(Given { speak, waits }))
    }

    /// Notes who was given it; gives those who answer now.
    fn take(&mut self, rulings: &[Ruling]) -> Vec<AgentId> {
        let mut speak = Vec::new();
        for Ruling { agent, verdict, .. } in rulings {
            match verdict {
                Verdict::Speak if !self.is_stopped => speak.push(*agent),
                Verdict::Speak | Verdict::Wait => self.later.push(*agent),
                Verdict::Pass => continue,
            }
            self.given.push(*agent);
            self.round.count(*agent);
        }
        speak
    }

    /// What was given before comes first where there is less room later.
    fn add(&mut self, more: Ahead) {
        let Ahead { tokens_at_most, microusd_at_most, beyond, over } = more;
        let microusd = microusd_at_most.unwrap_or(0);
        self.left.set_aside(Amount { tokens: tokens_at_most, microusd, unpriced: 0 }, true);
        let all = &mut self.ahead;
        all.tokens_at_most = all.tokens_at_most.saturating_add(tokens_at_most);
        let both = all.microusd_at_most.zip(microusd_at_most);
        all.microusd_at_most = both.map(|(one, two)| one.saturating_add(two));
        all.beyond.extend(beyond);
        all.over = all.over.or(over);
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
