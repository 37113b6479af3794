//! The feed: communities, posts with their threads, and who is given what of it.
//!
//! A post is a group of its own: its first message is the post, and comments are
//! messages that answer another. What is here is what a group does not say.

use crate::{
    AgentId, Author, BudgetScope, CommunityId, Fault, GroupId, Message, MessageId, Reaction, Run,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A place for posts, with rules that hold in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Community {
    pub id: CommunityId,
    pub name: String,
    /// Read by whoever writes there.
    pub rules: String,
    /// Who may be given something to answer; empty stands for every agent.
    pub members: Vec<AgentId>,
    pub archived: bool,
    pub created_ms: i64,
}

/// What is given replaces what stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct CommunityPatch {
    pub name: Option<String>,
    pub rules: Option<String>,
    pub members: Option<Vec<AgentId>>,
    pub archived: Option<bool>,
}

/// What makes a group a post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Post {
    /// Order over the whole feed.
    pub seq: i64,
    pub group: GroupId,
    pub community: CommunityId,
    /// The post itself; `None` until the agent has written it that was asked to.
    pub message: Option<MessageId>,
    /// Nobody comments any more.
    pub locked: bool,
    pub at_ms: i64,
}

/// A post, or a comment on one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FeedItem {
    pub message: Message,
    /// Kept out of sight; agents do not read it either.
    pub hidden: bool,
    pub reactions: Vec<Reaction>,
    /// To it: that many agents may still be given it, beside those whom it names.
    pub answers: LeftOf,
    /// How far it is with deciding who answers it; `None` where nobody is to.
    pub event: Option<FeedEventState>,
}

/// How much of the most that may be is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LeftOf {
    pub left: u32,
    pub of: u32,
}

/// Which posts are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct FeedFilter {
    /// `None` for all that are not archived.
    pub community: Option<CommunityId>,
    /// Who wrote the post; what is said about it is anybody's.
    pub author: Option<Author>,
    /// Only those with something in them that the person has not seen.
    #[ts(as = "Option<bool>", optional)]
    pub unread: bool,
}

/// A post as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PostView {
    pub post: Post,
    /// `None` while it is being written.
    pub item: Option<FeedItem>,
    pub comments: u32,
    /// Of the post and its comments, those that the person has not seen.
    pub unread: u32,
    /// Answers that are owed and on their way.
    pub answers_to_come: u32,
    /// And those that do not come by themselves: their agent rests, or they were interrupted.
    pub answers_held: u32,
    pub last_ms: i64,
}

/// A post with all that was said about it, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Thread {
    pub view: PostView,
    pub comments: Vec<FeedItem>,
    /// By agents, until a person speaks again.
    pub answers: LeftOf,
    /// What a person did to keep order in it.
    pub moderated: Vec<Moderated>,
}

/// What a person can do to keep order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Moderation {
    Hide,
    Show,
    /// The thread that it is in.
    Lock,
    Unlock,
    /// Its words are gone for good; that it was there stays.
    Remove,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Moderated {
    pub item: MessageId,
    pub how: Moderation,
    pub why: Option<String>,
    pub at_ms: i64,
}

/// Something was written in the feed, and who answers it is to be decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FeedEvent {
    pub seq: i64,
    pub item: MessageId,
    pub group: GroupId,
    pub state: FeedEventState,
    /// How often it was taken up, counted before it is.
    pub tries: u32,
    /// What went wrong the last time.
    pub fault: Option<Fault>,
    pub at_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FeedEventState {
    Waiting,
    /// Somebody is at it.
    Taken,
    Done,
    /// It failed too often, and waits for a person.
    Dead,
}

/// How the feed stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FeedQueue {
    pub waiting: u32,
    pub taken: u32,
    pub done: u32,
    /// Those that could not be given out, oldest first: they are tried again, or wait for the
    /// person after too many tries.
    pub failed: Vec<FeedEvent>,
    /// Answers that are owed and on their way, over all threads.
    pub answers_to_come: u32,
    /// What waits does so for want of room in this budget.
    pub no_room: Option<BudgetScope>,
    /// Answers that agents owe that rest: they give them when they go on.
    pub held: Vec<HeldAnswers>,
    /// Answers that came to nothing when Coterie ended; a person takes them up again.
    pub interrupted: Vec<Run>,
    /// What each agent may still be given in this hour.
    pub quotas: Vec<FeedQuota>,
    /// Templates of the person's own that are not used, and why.
    pub problems: Vec<String>,
    /// Ticks are to come by themselves, and none does: what they may cost has no end.
    pub without_cap: bool,
    /// When the next tick comes by itself, if any does.
    pub next_tick_ms: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HeldAnswers {
    pub agent: AgentId,
    pub answers: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FeedQuota {
    pub agent: AgentId,
    #[serde(flatten)]
    pub answers: LeftOf,
}

/// What somebody did in the feed on one day, and what was decided for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FeedDay {
    /// `2026-11-21`, from midnight to midnight UTC, as budgets count days.
    pub day: String,
    pub who: Author,
    /// Posts and comments that they wrote, also those that are out of sight now.
    pub posts: u32,
    pub comments: u32,
    /// Posts and comments that the agent was given to answer.
    pub given: u32,
    /// Those that it was not, whatever the reason.
    pub refused: u32,
}

/// Where something is to be written in the feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FeedPlace {
    /// A post of its own; `None` stands for a new community that every agent reads.
    Post { community: Option<CommunityId> },
    /// Below this post or comment.
    Comment { to: MessageId },
}

/// Who would answer something, if it were written in the feed now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WouldAnswer {
    /// As soon as it is written: those whom it names.
    pub at_once: Vec<AgentId>,
    /// Beside those, at a tick, in the order in which they would.
    pub by_tick: Vec<AgentId>,
    /// For whom it waits: who rests, or was given as much as may be for now.
    pub later: Vec<AgentId>,
    /// Of the answers of those who are woken, at the most. The cost is `None` when a price
    /// is missing.
    pub tokens_at_most: i64,
    pub microusd_at_most: Option<i64>,
    /// Who would answer too, but is not woken: what is left of the budget `over`
    /// may not be enough for them as well.
    pub beyond: Vec<AgentId>,
    pub over: Option<BudgetScope>,
    /// The budget that has no room today for what a tick would give out: that waits.
    pub no_room: Option<BudgetScope>,
}

/// What came of a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct Ticked {
    /// Posts and comments that were decided upon.
    pub events: u32,
    /// Answers that were given out.
    pub woken: u32,
    /// Events that failed and are tried again, or wait for a person.
    pub failed: u32,
    /// Posts and comments that wait, because what the feed may use today has no room for
    /// another answer.
    #[serde(default)]
    pub without_room: u32,
    /// Those of people and sources that wait, because who is to answer was given as much as
    /// may be within an hour.
    #[serde(default)]
    pub out_of_quota: u32,
}
