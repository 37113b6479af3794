//! What must hold of the feed when everything has been answered.

use super::plan;
use domain::{
    AgentId, Caps, FeedEventState, FeedFilter, GroupId, MessageId, Outcome, Reason, Run, RunFilter,
    RunState, Usage,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use store::table::wakes::Fate;
use store::table::{admissions, agents, feed_events, messages, posts, runs, usage, wakes};
use store::{Read, Store, StoreError};

pub(super) fn at_the_end(database: &Path) {
    let (store, _) = Store::open(database, |_| {}).expect("the database opens");
    store
        .read(|read| {
            each_event_is_done(read)?;
            every_post_is_there_once(read)?;
            each_was_given_what_it_was_given_once(read)?;
            limits_hold(read)?;
            runs_and_usage_agree(read)
        })
        .expect("the database can be read");
}

fn each_event_is_done(read: &Read<'_>) -> Result<(), StoreError> {
    assert_eq!(feed_events::count(read, FeedEventState::Waiting)?, 0, "something waits");
    assert_eq!(feed_events::count(read, FeedEventState::Taken)?, 0, "something is taken");
    assert_eq!(feed_events::count(read, FeedEventState::Dead)?, 0, "something is dead");
    let mut items = 0;
    for post in posts::page(read, &FeedFilter::default(), None, 500)? {
        let said = messages::page(read, post.group, 0, None, 500)?;
        items += said.iter().filter(|message| message.text().is_some()).count();
    }
    let done = feed_events::count(read, FeedEventState::Done)?;
    assert_eq!(done as usize, items, "an event for each item, and for nothing else");
    Ok(())
}

fn every_post_is_there_once(read: &Read<'_>) -> Result<(), StoreError> {
    let mut texts = BTreeSet::new();
    for post in posts::page(read, &FeedFilter::default(), None, 500)? {
        let message = messages::find(read, post.message.expect("it is written"))?;
        texts.insert(message.and_then(|message| message.text().map(str::to_owned)));
    }
    let expected: BTreeSet<_> = (0..plan::POSTS).map(|n| Some(plan::text(n))).collect();
    assert_eq!(texts, expected);
    assert_eq!(posts::page(read, &FeedFilter::default(), None, 500)?.len(), plan::POSTS);
    Ok(())
}

/// One wake for an item and an agent, answered by one settled run or given up, beside those
/// that went back to the feed for want of room.
fn each_was_given_what_it_was_given_once(read: &Read<'_>) -> Result<(), StoreError> {
    let mut given: BTreeMap<(MessageId, AgentId), u32> = BTreeMap::new();
    let mut went_back = 0;
    for fate in wakes::fates(read)? {
        assert!(fate.done, "left open: {:?}", fate.wake);
        if posts::find(read, fate.wake.group)?.is_none() {
            continue;
        }
        if let Some(run) = fate.done_by {
            assert_eq!(runs::get(read, run)?.state, RunState::Settled);
        } else if is_without_room(read, &fate)? {
            went_back += 1;
            continue;
        }
        *given.entry((fate.wake.message, fate.wake.agent)).or_default() += 1;
        assert!(admissions::has(read, fate.wake.message, fate.wake.agent)?);
    }
    assert!(given.values().all(|times| *times == 1), "given twice: {given:?}");
    assert!(given.len() >= plan::POSTS, "somebody is given each post");
    assert!(went_back > 0, "there was little room at first");
    Ok(())
}

/// Whether the last run for it was refused by a budget, and settled with that on record.
fn is_without_room(read: &Read<'_>, fate: &Fate) -> Result<bool, StoreError> {
    let Some(run) = fate.wake.tried_by else { return Ok(false) };
    let Run { state, outcome, .. } = runs::get(read, run)?;
    let silent = |outcome| matches!(outcome, Outcome::Silent { reason: Reason::NoRoomYet { .. } });
    Ok(state == RunState::Dropped && outcome.is_some_and(silent))
}

fn limits_hold(read: &Read<'_>) -> Result<(), StoreError> {
    let caps = Caps::default();
    for agent in agents::all(read)? {
        let given = admissions::since(read, agent.id, 0, u32::MAX)?;
        assert!(given <= plan::PER_HOUR, "{} was given {given}", agent.name);
    }
    for post in posts::page(read, &FeedFilter::default(), None, 500)? {
        let said = messages::page(read, post.group, 0, None, 500)?;
        assert!(said.iter().all(|message| message.chain_depth <= caps.chain_depth));
        let by_agents = said.iter().filter(|message| message.run.is_some()).count();
        assert!(by_agents <= caps.messages_per_post as usize);
    }
    Ok(())
}

/// What the runs say that they used is what their calls used.
fn runs_and_usage_agree(read: &Read<'_>) -> Result<(), StoreError> {
    let mut by_group: HashMap<GroupId, Usage> = HashMap::new();
    for run in runs::page(read, &RunFilter::default(), None, 100_000)? {
        let (used, cost) = usage::of_run(read, run.id)?;
        assert_eq!((run.usage, run.cost_microusd), (used, cost), "of run {}", run.id);
        let sum = by_group.entry(run.group).or_default();
        *sum = sum.plus(run.usage);
    }
    let sums = usage::sums(read, domain::UsageBy::Group, 0)?;
    let told: i64 = sums.iter().map(|row| row.input_tokens + row.output_tokens).sum();
    let counted: i64 = by_group
        .values()
        .map(|used| {
            i64::from(used.input_tokens.unwrap_or(0)) + i64::from(used.output_tokens.unwrap_or(0))
        })
        .sum();
    assert_eq!(told, counted);
    Ok(())
}
