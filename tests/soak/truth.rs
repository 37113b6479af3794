//! What must stand in the database when everybody has gone home: nothing is
//! owed, nothing is open, nothing is promised, and the counts agree.

use crate::company::Company;
use domain::{
    AgentState, Author, CallState, GroupView, Message, MessageId, Reason, Run, RunFilter, RunState,
    UsageBy, Verdict,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use store::table::spend::{self, Account};
use store::table::{
    agents, decisions, delegations, groups, messages, runs, tool_calls, transitions, usage, wakes,
};
use store::{Read, Store, StoreError};

/// What has happened, for those who read about it.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub messages: u64,
    pub runs: BTreeMap<String, u64>,
    pub calls_of_models: u64,
    pub tokens: i64,
    pub uses_of_tools: u64,
    pub tasks: u64,
    pub silences: BTreeMap<String, u64>,
}

/// Panics where something is not as it must be.
pub(crate) fn holds(
    database: &Path,
    posted: &[MessageId],
    company: &Company,
    views: &[GroupView],
) -> Tally {
    let (store, _) = Store::open(database, |_| {}).expect("the database opens");
    assert_eq!(store.check().expect("it can be checked"), "ok");
    let tally = store.read(|read| {
        let mut tally = Tally::default();
        everything_is_settled(read, &mut tally)?;
        nothing_is_promised_and_what_was_used_is_paid(read, &mut tally)?;
        states_follow_from_one_another(read)?;
        let said = what_was_said(read, &mut tally)?;
        posts_are_there_once(posted, &said);
        groups_count_right(views, company, &said);
        Ok::<_, StoreError>(tally)
    });
    tally.expect("the database can be read")
}

fn everything_is_settled(read: &Read<'_>, tally: &mut Tally) -> Result<(), StoreError> {
    let fates = wakes::fates(read)?;
    let open: Vec<_> = fates.iter().filter(|fate| !fate.done).take(5).collect();
    assert!(open.is_empty(), "never answered: {open:?}");
    let all = runs::page(read, &RunFilter::default(), None, u32::MAX)?;
    let ended: HashMap<_, &Run> = all.iter().map(|run| (run.id, run)).collect();
    for run in &all {
        let open = matches!(run.state, RunState::Running | RunState::Interrupted);
        assert!(!open, "left open: {run:?}");
        assert!(run.ended_ms.is_some(), "without an end: {run:?}");
        *tally.runs.entry(format!("{:?}", run.state)).or_default() += 1;
        for call in tool_calls::of_run(read, run.id)? {
            assert!(call.state != CallState::Dispatched, "its end is not on record: {call:?}");
            tally.uses_of_tools += 1;
        }
    }
    for fate in &fates {
        let by = fate.done_by.map(|run| ended[&run]);
        let same = by.is_none_or(|run| {
            (run.agent, run.group) == (fate.wake.agent, fate.wake.group)
                && fate.wake.message_seq <= run.reads_to
        });
        assert!(same, "answered by {by:?}: {fate:?}");
    }
    let mut woken: HashMap<_, usize> = HashMap::new();
    for fate in &fates {
        *woken.entry((fate.wake.agent, fate.wake.message)).or_default() += 1;
    }
    for group in groups::all(read)? {
        let mut said: HashMap<_, Vec<_>> = HashMap::new();
        for decision in decisions::of_group(read, group.id, u32::MAX)? {
            if decision.verdict == Verdict::Pass {
                *tally.silences.entry(name(&decision.reason)).or_default() += 1;
            } else {
                said.entry((decision.agent, decision.message)).or_default().push(decision);
            }
        }
        for (about, said) in said {
            let speak = said.iter().filter(|said| said.verdict == Verdict::Speak).count();
            // A wait gives a wake, or tells of one that was given before.
            let agreed = (speak.max(1)..=said.len()).contains(&woken.remove(&about).unwrap_or(0));
            assert!(agreed, "decisions to speak without as many wakes: {said:#?}");
        }
    }
    assert!(woken.is_empty(), "wakes that no decision gave: {woken:?}");
    Ok(())
}

fn name(reason: &Reason) -> String {
    let json = serde_json::to_value(reason).expect("a reason is plain data");
    json["kind"].as_str().unwrap_or_default().to_owned()
}

fn nothing_is_promised_and_what_was_used_is_paid(
    read: &Read<'_>,
    tally: &mut Tally,
) -> Result<(), StoreError> {
    let open = spend::open(read)?;
    assert!(open.is_empty(), "promised and never paid: {open:?}");
    let days = usage::sums(read, UsageBy::Day, 0)?;
    let used: i64 = days.iter().map(|day| day.input_tokens + day.output_tokens).sum();
    let cost: i64 = days.iter().filter_map(|day| day.cost_microusd).sum();
    tally.calls_of_models = days.iter().map(|day| u64::from(day.calls)).sum();
    tally.tokens = used;
    let first = tests::TestClock::default();
    let first = workspace::Clock::now_ms(&first) / (24 * 60 * 60 * 1000);
    let (mut paid, mut paid_microusd) = (0, 0);
    for day in first..first + 30 {
        let spent = spend::get(read, &Account { scope: "all".into(), day })?;
        paid += spent.tokens;
        paid_microusd += spent.microusd;
    }
    assert_eq!((paid, paid_microusd), (used, cost), "what was paid, and what was used");
    Ok(())
}

fn states_follow_from_one_another(read: &Read<'_>) -> Result<(), StoreError> {
    for agent in agents::all(read)? {
        let mut state = None;
        for transition in transitions::newest(read, agent.id, u32::MAX)?.iter().rev() {
            assert_eq!(transition.from, state, "{}: {transition:?}", agent.name);
            state = Some(transition.to);
        }
        assert_eq!(state, Some(agent.state), "{}", agent.name);
        let rests = match agent.parent {
            None => agent.state == AgentState::Idle,
            Some(_) => agent.state == AgentState::Terminated,
        };
        assert!(rests, "{} is {:?}", agent.name, agent.state);
    }
    Ok(())
}

fn what_was_said(read: &Read<'_>, tally: &mut Tally) -> Result<Vec<Message>, StoreError> {
    let mut said = Vec::new();
    for group in groups::all(read)? {
        said.extend(messages::page(read, group.id, 0, None, u32::MAX)?);
    }
    for agent in agents::all(read)? {
        tally.tasks += u64::from(delegations::of_child(read, agent.id)?.is_some());
    }
    tally.messages = said.len() as u64;
    Ok(said)
}

fn posts_are_there_once(posted: &[MessageId], said: &[Message]) {
    let there: Vec<_> =
        said.iter().filter(|message| message.author == Author::User).map(|it| it.id).collect();
    let distinct: HashSet<_> = there.iter().collect();
    assert_eq!(there.len(), distinct.len(), "a post is there twice");
    assert_eq!(distinct, posted.iter().collect(), "what is there, and what was posted");
    let runs: Vec<_> = said
        .iter()
        .filter(|message| matches!(message.author, Author::Agent(_)))
        .filter_map(|message| message.run.map(|run| (run, message.group)))
        .collect();
    let distinct: HashSet<_> = runs.iter().collect();
    // A task that is given stands in a group of its own beside the answer.
    assert_eq!(runs.len(), distinct.len(), "a run has answered twice");
}

fn groups_count_right(views: &[GroupView], company: &Company, said: &[Message]) {
    let mut rooms: HashMap<_, Vec<&Message>> = HashMap::new();
    said.iter().for_each(|message| rooms.entry(message.group).or_default().push(message));
    for view in views {
        let room = rooms.remove(&view.group.id).unwrap_or_default();
        let post = room.iter().rev().find(|message| message.author == Author::User);
        let since = post.map_or(0, |post| {
            room.iter().filter(|message| message.root == post.id && message.run.is_some()).count()
        });
        let name = &view.group.name;
        assert_eq!(view.messages_since_post as usize, since, "{name}");
        assert_eq!(view.answers_to_come, 0, "{name}");
        // What the workspace notes is nobody's word.
        let last = room.iter().rfind(|message| message.author != Author::System);
        assert_eq!(view.last.as_ref(), last.copied(), "{name}");
    }
    for place in &company.groups {
        let view = views.iter().find(|view| view.group.id == place.id).expect("it is listed");
        // The person is a member too.
        assert_eq!(view.members.len(), place.members.len() + 1, "{}", view.group.name);
    }
}
