//! Giving out what was written: from the queue to those who are to answer.
//!
//! An event is in the queue from the transaction on that wrote its item. Whoever
//! takes it has it for a while; it is done in the transaction that wakes those who
//! answer and says why the others do not. Several go together, as far as none fails. So a kill leaves it waiting or done,
//! and nobody is given the same item twice.

use super::allot::{Interest, allot};
use super::interests::Interests;
use super::round::{Answered, Facts, Round, Whom};
use crate::derived::blocking;
use crate::shared::Shared;
use crate::turn_policy::Ruling;
use crate::{groups, restarts, sources, turns};
use domain::{
    AgentId, Author, BudgetScope, Fault, FaultCode, FaultKind, FeedEvent, FeedEventState, Group,
    Message, MessageId, Participant, Reason, Ticked, Verdict,
};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use store::table::{
    admissions, agents, decisions, feed_events, groups as group_table, messages, posts, settings,
};
use store::{Durability, Read, StoreError, Write};

/// How long somebody has an event that they took.
const TAKEN_MS: i64 = 60_000;
/// So many are given out together: a commit costs more than most of them do, and nobody
/// else writes meanwhile.
const AT_ONCE: u32 = 4;
/// An event that fails so often waits for a person.
const TRIES: u32 = 5;

/// Something was written in a thread: it is put into the queue, and those whom a
/// person names are given it at once. Gives those.
pub(crate) fn heard(
    write: &mut Write<'_>,
    shared: &Shared,
    group: &Group,
    message: &Message,
) -> Result<Vec<AgentId>, Fault> {
    feed_events::add(write, message.id, group.id, message.at_ms)?;
    if message.author != Author::User {
        return Ok(Vec::new());
    }
    let mut round = Round::read(write, message.at_ms)?;
    let named = round.facts(write, shared, group, message, Whom::TheNamed)?;
    // What has no room now waits for a tick.
    Ok(match give(write, shared, group, message, &mut round, named, Asked::AtOnce)? {
        Decided::Woken(woken) | Decided::OutOfQuota(woken) => woken,
        Decided::NoRoom => Vec::new(),
    })
}

/// Gives out all that waits at this moment, with what sources have to tell; what comes of
/// it waits for the next tick, and so does what fails. Those who are to answer begin when all is given out: their
/// turns would have it wait for them.
pub(crate) async fn tick(shared: &Arc<Shared>) -> Result<Ticked, Fault> {
    // Whoever rests could only be passed over.
    if is_all_paused(shared)? {
        return Err(all_paused());
    }
    // Whoever stopped for what has passed is given something too.
    shared.wake(&restarts::look(shared).await?);
    sources::look_at_all(shared).await?;
    let _one_at_a_time = shared.feed.giving_out.lock().await;
    let upto = shared.store.read(feed_events::last)?;
    let mut after = 0;
    let mut ticked = Ticked::default();
    let mut woken = Woken { shared, agents: HashSet::new() };
    // Somebody may pause everything meanwhile: the rest waits then.
    while !is_all_paused(shared)? {
        let taken = take(shared, after..upto).await?;
        let Some(last) = taken.last() else { return Ok(ticked) };
        after = last.seq;
        fail::fail_point!("feed.taken");
        let given = match give_out(shared, &taken, &mut ticked, &mut woken).await {
            Ok(given) => given,
            Err(_) => give_out_each(shared, &taken, &mut ticked, &mut woken).await?,
        };
        if given == Given::UpToTheBudget {
            let waiting = |read: &Read<'_>| feed_events::count(read, FeedEventState::Waiting);
            ticked.without_room = shared.store.read(waiting)?;
            return Ok(ticked);
        }
        // They were the last of those that there were.
        if taken.len() < AT_ONCE as usize {
            return Ok(ticked);
        }
        // Whoever wants to write meanwhile is not to wait for all of it.
        tokio::task::yield_now().await;
    }
    Ok(ticked)
}

fn is_all_paused(shared: &Shared) -> Result<bool, StoreError> {
    shared.store.read(|read| Ok(settings::get(read)?.all_paused))
}

/// Those who are to answer. They begin when this goes, whatever became of the tick.
struct Woken<'a> {
    shared: &'a Shared,
    agents: HashSet<AgentId>,
}

impl Drop for Woken<'_> {
    fn drop(&mut self) {
        self.shared.wake(&self.agents.drain().collect::<Vec<_>>());
    }
}

/// How far events were given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    All,
    /// Some wait, for what may be used today has no room for another answer.
    UpToTheBudget,
}

/// One of them is to blame: the others are not to wait for it.
async fn give_out_each(
    shared: &Arc<Shared>,
    events: &[FeedEvent],
    ticked: &mut Ticked,
    woken: &mut Woken<'_>,
) -> Result<Given, Fault> {
    let mut all = Given::All;
    for event in events {
        match give_out(shared, std::slice::from_ref(event), ticked, woken).await {
            Ok(Given::All) => {}
            Ok(Given::UpToTheBudget) => all = Given::UpToTheBudget,
            Err(fault) => {
                tracing::warn!(event = event.seq, %fault, "an event of the feed is not given out");
                ticked.failed += 1;
                put_back(shared, event, fault).await?;
            }
        }
    }
    Ok(all)
}

/// What is asked for waits until everybody goes on.
fn all_paused() -> Fault {
    Fault::new(
        FaultCode::Refused,
        "everything is paused: what was written waits",
        "coterie resume has everybody go on",
    )
    .of(FaultKind::AllPaused)
}

/// Has an event tried again that failed too often.
pub(crate) async fn retry(shared: &Arc<Shared>, event: i64) -> Result<(), Fault> {
    let revive = move |write: &mut Write<'_>| match feed_events::find(write, event)? {
        Some(found) if feed_events::revive(write, event)? => Ok(posts::told(write, found.group)?),
        Some(_) | None => Err(Fault::not_found(
            format!("no event {event} of the feed waits for you"),
            "coterie feed queue lists those that do",
        )),
    };
    shared.store.write(Durability::Process, revive).await
}

/// The next of those whose number is above the first and up to the second.
async fn take(shared: &Arc<Shared>, among: Range<i64>) -> Result<Vec<FeedEvent>, Fault> {
    let now = shared.now_ms();
    let take =
        move |write: &mut Write<'_>| feed_events::take(write, among, now, now + TAKEN_MS, AT_ONCE);
    Ok(shared.store.write_first(Durability::Process, take).await?)
}

/// What went wrong stands with it; after too many tries it waits for a person.
async fn put_back(shared: &Arc<Shared>, event: &FeedEvent, fault: Fault) -> Result<(), Fault> {
    let (seq, group) = (event.seq, event.group);
    let state = match event.tries < TRIES {
        true => FeedEventState::Waiting,
        false => FeedEventState::Dead,
    };
    let put = move |write: &mut Write<'_>| {
        feed_events::put(write, seq, state, Some(&fault))?;
        posts::told(write, group)
    };
    Ok(shared.store.write(Durability::Process, put).await?)
}

/// Gives out these, as far as there is room for the answers, or none.
#[tracing::instrument(name = "admission", level = "debug", skip_all)]
async fn give_out(
    shared: &Arc<Shared>,
    events: &[FeedEvent],
    ticked: &mut Ticked,
    woken: &mut Woken<'_>,
) -> Result<Given, Fault> {
    fail::fail_point!("feed.giving", |_| {
        Err(Fault::new(FaultCode::Internal, "the test has it fail", ""))
    });
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let fitting = fitting(shared, events).await?;
    let (with, all) = (shared.clone(), events.to_vec());
    let give = move |write: &mut Write<'_>| {
        let (mut called, mut decided, mut out_of_quota) = (Vec::new(), 0, 0);
        let mut round = Round::read(write, with.now_ms())?;
        for (event, fitting) in all.iter().zip(&fitting) {
            match give_one(write, &with, &mut round, event, fitting)? {
                Decided::Woken(more) => {
                    called.extend(more);
                    decided += 1;
                }
                // What needs less may have room still.
                Decided::NoRoom => feed_events::leave(write, event)?,
                Decided::OutOfQuota(more) => {
                    called.extend(more);
                    feed_events::leave(write, event)?;
                    out_of_quota += 1;
                }
            }
        }
        Ok::<_, Fault>((called, decided, out_of_quota))
    };
    // All that agents write meanwhile answers what was given out before.
    let (called, decided, out_of_quota) =
        shared.store.write_first(Durability::Process, give).await?;
    fail::fail_point!("feed.given", |_| Ok(Given::All));
    ticked.events += count(decided);
    ticked.woken += count(called.len());
    ticked.out_of_quota += count(out_of_quota);
    woken.agents.extend(called);
    let all = decided + out_of_quota == events.len();
    Ok(if all { Given::All } else { Given::UpToTheBudget })
}

/// Whom each of them concerns. Vectors take their time, and nobody else could write
/// meanwhile.
async fn fitting(
    shared: &Arc<Shared>,
    events: &[FeedEvent],
) -> Result<Vec<HashMap<AgentId, Interest>>, Fault> {
    let items: Vec<MessageId> = events.iter().map(|event| event.item).collect();
    blocking(shared, move |shared| {
        let (texts, agents) = shared.store.read(|read| {
            let text_of = |item: &MessageId| {
                let message = messages::find(read, *item)?;
                Ok(message.and_then(|message| message.text().map(str::to_owned)))
            };
            let texts = items.iter().map(text_of).collect::<Result<Vec<_>, StoreError>>()?;
            Ok::<_, StoreError>((texts, agents::living(read)?))
        })?;
        let interests = Interests::of(shared, &agents);
        let fitting = |text: Option<String>| match text {
            Some(text) => interests.fitting(shared, &text),
            None => HashMap::new(),
        };
        Ok(texts.into_iter().map(fitting).collect())
    })
    .await
}

/// What became of an item.
enum Decided {
    /// Those who are to answer.
    Woken(Vec<AgentId>),
    /// There is no room for the answers today: nothing is decided.
    NoRoom,
    /// Those who are to answer now. Others were given as much as may be within an hour: for
    /// them it waits.
    OutOfQuota(Vec<AgentId>),
}

/// When it is decided.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// As it is written, for those whom it names: about the others a tick decides.
    AtOnce,
    ByTick,
}

/// Does nothing for an event that somebody else has by now.
fn give_one(
    write: &mut Write<'_>,
    shared: &Shared,
    round: &mut Round,
    event: &FeedEvent,
    fitting: &HashMap<AgentId, Interest>,
) -> Result<Decided, Fault> {
    let taken = feed_events::find(write, event.seq)?;
    let is_ours =
        |taken: &FeedEvent| taken.state == FeedEventState::Taken && taken.tries == event.tries;
    if !taken.is_some_and(|taken| is_ours(&taken)) {
        return Ok(Decided::Woken(Vec::new()));
    }
    let group = group_table::get(write, event.group)?;
    let decided = match messages::find(write, event.item)? {
        Some(message) => {
            let facts = round.facts(write, shared, &group, &message, Whom::Everybody(fitting))?;
            give(write, shared, &group, &message, round, facts, Asked::ByTick)?
        }
        None => Decided::Woken(Vec::new()),
    };
    if matches!(decided, Decided::Woken(_)) {
        feed_events::put(write, event.seq, FeedEventState::Done, None)?;
    }
    Ok(decided)
}

/// Decides, and writes down what was decided: in one transaction.
fn give(
    write: &mut Write<'_>,
    shared: &Shared,
    group: &Group,
    message: &Message,
    round: &mut Round,
    mut facts: Facts,
    whom: Asked,
) -> Result<Decided, Fault> {
    let held = held_before(write, message)?;
    if !held.is_empty() {
        // About everybody else it was decided then.
        facts.candidates.retain(|one| one.has_it || held.contains(&one.seat.agent));
    }
    let answered = Answered { group, item: message.id, unsaid: "" };
    let Ok(Allotted { rulings, waits }) = decide(write, shared, round, &facts, answered)? else {
        return Ok(Decided::NoRoom);
    };
    let woken = turns::give_as_ruled(write, shared, group, message, rulings)?;
    let is_seated = |who| facts.members.iter().any(|member| member.who == who);
    let mut behind = i64::try_from(facts.members.len()).unwrap_or(i64::MAX);
    for agent in &woken {
        admissions::add(write, message.id, *agent, group.id, round.now)?;
        round.count(*agent);
        let who = Participant::Agent(*agent);
        if !is_seated(who) {
            groups::seat(write, group.id, who, behind, 0)?;
            behind = behind.saturating_add(1);
        }
    }
    if waits.is_empty() {
        return Ok(Decided::Woken(woken));
    }
    if whom == Asked::ByTick {
        for Ruling { agent, reason, .. } in &waits {
            turns::waits(write, message, *agent, reason)?;
        }
    }
    Ok(Decided::OutOfQuota(woken))
}

/// Who is given an item, and who is not.
pub(super) struct Allotted {
    pub rulings: Vec<Ruling>,
    /// For whom it waits.
    pub waits: Vec<Ruling>,
}

/// Decides, or says which budget has no room for the answers.
pub(super) fn decide(
    read: &Read<'_>,
    shared: &Shared,
    round: &mut Round,
    facts: &Facts,
    answered: Answered<'_>,
) -> Result<Result<Allotted, BudgetScope>, Fault> {
    let mut rulings = allot(&facts.item, &facts.candidates, &round.rules);
    let waits = held_back(facts, &rulings);
    rulings.retain(|ruling| waits.iter().all(|waiting| waiting.agent != ruling.agent));
    let room = round.take_room(read, shared, answered, &rulings)?;
    Ok(room.map(|()| Allotted { rulings, waits }))
}

/// Those for whom it waits since an earlier tick.
fn held_before(read: &Read<'_>, message: &Message) -> Result<HashSet<AgentId>, StoreError> {
    let mut held = HashSet::new();
    for decision in decisions::about(read, message.id)? {
        let waits = decision.verdict == Verdict::Wait && passes(&decision.reason);
        match waits {
            true => held.insert(decision.agent),
            false => held.remove(&decision.agent),
        };
    }
    Ok(held)
}

/// What an hour or less puts right.
fn passes(reason: &Reason) -> bool {
    matches!(reason, Reason::FeedQuota { .. } | Reason::CoolingDown { .. })
}

/// Those for whom an item waits until they may be given something again: to whom a person speaks, and
/// everybody where nobody else answers what a person or a source has said. What agents say to
/// each other is left.
fn held_back(facts: &Facts, rulings: &[Ruling]) -> Vec<Ruling> {
    if matches!(facts.item.author, Author::Agent(_) | Author::System) {
        return Vec::new();
    }
    let is_answered = rulings.iter().any(|ruling| ruling.verdict != Verdict::Pass);
    let is_spoken_to = |agent| {
        let mut candidates = facts.candidates.iter();
        candidates.any(|one| one.seat.agent == agent && (one.mentioned || one.is_answered))
    };
    let refused = rulings.iter().filter(|ruling| passes(&ruling.reason));
    refused.filter(|one| !is_answered || is_spoken_to(one.agent)).cloned().collect()
}
