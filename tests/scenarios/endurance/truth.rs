//! What must stand in the database when all is over: every message had its
//! turn once, nothing is open, and the ledger says what was used.

use domain::{
    AgentId, Author, GroupId, Message, MessageId, Outcome, Participant, Reason, Run, RunFilter,
    RunId, RunState, StepKind, TurnPolicy, Usage, UsageBy, Verdict,
};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use store::table::spend::{self, Account};
use store::table::{decisions, groups, members, messages, runs, steps, usage, wakes};
use store::{Durability, Read, Store, StoreError};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What has happened, for those who read about it.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub runs: HashMap<RunState, u64>,
    pub answers: usize,
    pub silences: usize,
    pub tries_again: usize,
    pub calls_on_record: u64,
    pub tokens: i64,
}

/// What must not be, and would be noticed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Harm {
    RunsStill,
    UsedUnpaid,
    ReadTwice,
}

impl Harm {
    pub(super) const ALL: [Harm; 3] = [Harm::RunsStill, Harm::UsedUnpaid, Harm::ReadTwice];
}

/// Does this to a database in which all is well.
pub(super) async fn harm(database: &Path, harm: Harm) {
    let (store, _) = Store::open(database, |_| {}).expect("the database opens");
    let harmed = store.write(Durability::Process, move |write| {
        let runs = runs::page(write, &RunFilter::default(), None, u32::MAX)?;
        let settled = |run: &Run| run.state == RunState::Settled && run.reads_after > 0;
        let mut run = runs.into_iter().find(settled).expect("some were settled");
        match harm {
            Harm::RunsStill => run.state = RunState::Running,
            Harm::ReadTwice => run.reads_to -= 1,
            Harm::UsedUnpaid => {
                let used = usage::Used {
                    model: run.model.clone(),
                    usage: Usage { output_tokens: Some(1), ..Usage::default() },
                    cost_microusd: Some(0),
                    estimated: false,
                    first_token_ms: None,
                    took_ms: None,
                };
                usage::add(write, &run, &used, run.started_ms)?;
            }
        }
        runs::update(write, &run)
    });
    harmed.await.expect("the database can be written");
}

struct Truth {
    messages: Vec<Message>,
    /// Oldest first.
    runs: Vec<Run>,
    wakes: Vec<wakes::Fate>,
    silences: HashSet<(AgentId, MessageId)>,
    members: Vec<domain::Member>,
    policies: HashMap<GroupId, TurnPolicy>,
}

/// Panics where something is not as it must be.
pub(super) fn holds(database: &Path, posted: &[MessageId]) -> Tally {
    let (store, _) = Store::open(database, |_| {}).expect("the database opens");
    assert_eq!(store.check().expect("it can be checked"), "ok");
    let tally = store.read(|read| {
        let truth = look(read)?;
        let mut tally = truth.tally();
        tally.tries_again = tries_again(read, &truth.runs)?;
        truth.every_post_is_there_once_in_its_order(posted);
        truth.nothing_is_open();
        truth.each_wake_was_met_once();
        truth.each_message_was_consumed_once();
        truth.no_run_spoke_twice();
        what_was_used_is_paid(read, &truth, &mut tally)?;
        Ok::<_, StoreError>(tally)
    });
    tally.expect("the database can be read")
}

fn look(read: &Read<'_>) -> Result<Truth, StoreError> {
    let all = groups::all(read)?;
    let mut runs = runs::page(read, &RunFilter::default(), None, u32::MAX)?;
    runs.reverse();
    let mut truth = Truth {
        messages: Vec::new(),
        runs,
        wakes: wakes::fates(read)?,
        silences: HashSet::new(),
        members: Vec::new(),
        policies: all.iter().map(|group| (group.id, group.policy)).collect(),
    };
    for group in all {
        truth.messages.extend(messages::page(read, group.id, 0, None, u32::MAX)?);
        truth.members.extend(members::of_group(read, group.id)?);
        let passed = decisions::of_group(read, group.id, u32::MAX)?.into_iter();
        let passed = passed.filter(|decision| decision.verdict == Verdict::Pass);
        truth.silences.extend(passed.map(|decision| (decision.agent, decision.message)));
    }
    Ok(truth)
}

fn tries_again(read: &Read<'_>, runs: &[Run]) -> Result<usize, StoreError> {
    let mut tries = 0;
    for run in runs {
        let steps = steps::of_run(read, run.id)?;
        tries += steps.iter().filter(|it| matches!(it.kind, StepKind::Retried { .. })).count();
    }
    Ok(tries)
}

impl Truth {
    fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for run in &self.runs {
            *tally.runs.entry(run.state).or_default() += 1;
            match run.outcome {
                Some(Outcome::Replied { .. }) => tally.answers += 1,
                Some(Outcome::Silent { .. }) => tally.silences += 1,
                Some(Outcome::Failed { .. }) | None => {}
            }
        }
        tally
    }

    fn every_post_is_there_once_in_its_order(&self, posted: &[MessageId]) {
        let there = self.messages.iter().filter(|message| message.author == Author::User);
        let mut rooms: HashMap<GroupId, Vec<MessageId>> = HashMap::new();
        there.for_each(|message| rooms.entry(message.group).or_default().push(message.id));
        let all: Vec<_> = rooms.values().flatten().collect();
        assert_eq!(all.len(), posted.len(), "a post is there twice, or is lost");
        let place: HashMap<_, _> = posted.iter().zip(0..).collect::<HashMap<_, usize>>();
        for room in rooms.values() {
            let places: Vec<_> = room.iter().map(|id| place[id]).collect();
            assert!(places.is_sorted(), "not in the order in which they were posted: {places:?}");
        }
    }

    fn nothing_is_open(&self) {
        let open: Vec<_> = self.wakes.iter().filter(|fate| !fate.done).collect();
        assert!(open.is_empty(), "never answered: {open:#?}");
        for run in &self.runs {
            assert!(run.state != RunState::Running, "still runs: {run:?}");
            assert!(run.ended_ms.is_some(), "without an end: {run:?}");
        }
    }

    /// By one run that was settled or stopped by a person, or by a decision
    /// that says why not.
    fn each_wake_was_met_once(&self) {
        let runs: HashMap<RunId, &Run> = self.runs.iter().map(|run| (run.id, run)).collect();
        let mut busy = HashSet::new();
        for fate in &self.wakes {
            let wake = &fate.wake;
            let Some(run) = fate.done_by.map(|run| runs[&run]) else {
                let reason = self.silences.contains(&(wake.agent, wake.message));
                assert!(reason, "dismissed without a reason: {fate:?}");
                continue;
            };
            assert_eq!((run.agent, run.group), (wake.agent, wake.group), "{fate:?}");
            busy.insert(run.id);
            let in_rounds = self.policies[&wake.group] == TurnPolicy::Rounds;
            if run.state == RunState::Failed {
                // Whose turn it was failed, and the round goes on without it.
                let reason = self.silences.contains(&(run.agent, run.cause.message));
                assert!(in_rounds && reason, "failed, and done all the same: {fate:?} {run:?}");
                continue;
            }
            assert!(is_over(run), "answered by a run that was not over: {fate:?} {run:?}");
            assert!(wake.message_seq <= run.reads_to, "answered unread: {fate:?}");
            // A later round is about what was read in the first one.
            let read_now = wake.message_seq > run.reads_after;
            assert!(in_rounds || read_now, "read before: {fate:?} {run:?}");
        }
        let idle: Vec<_> = self.consuming().filter(|run| !busy.contains(&run.id)).collect();
        assert!(idle.is_empty(), "ran without having been asked: {idle:?}");
    }

    /// For each member, each run goes on where the one before it ended, and
    /// the last one ended where the cursor is.
    fn each_message_was_consumed_once(&self) {
        let mut read_to: HashMap<(AgentId, GroupId), i64> = HashMap::new();
        for run in self.consuming() {
            let place = read_to.entry((run.agent, run.group)).or_insert(0);
            assert_eq!(run.reads_after, *place, "read twice or never: {run:?}");
            *place = run.reads_to;
        }
        for member in &self.members {
            if let Participant::Agent(agent) = member.who {
                let read_to = read_to.get(&(agent, member.group)).copied().unwrap_or(0);
                assert_eq!(member.cursor, read_to, "{member:?}");
            }
        }
    }

    fn no_run_spoke_twice(&self) {
        let spoke = self.messages.iter().filter(|it| matches!(it.author, Author::Agent(_)));
        let spoke: Vec<_> = spoke.filter_map(|message| message.run.zip(Some(message.id))).collect();
        let replied: HashMap<RunId, MessageId> = self.runs.iter().filter_map(replied).collect();
        assert_eq!(spoke.len(), replied.len(), "answers, and runs that answered");
        for (run, message) in spoke {
            assert_eq!(replied.get(&run), Some(&message), "run {run} said something else");
        }
    }

    /// Runs that took what they read away with them.
    fn consuming(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(|run| is_over(run))
    }
}

/// Settled or stopped by a person, with how it ended.
fn is_over(run: &Run) -> bool {
    match (run.state, &run.outcome) {
        (RunState::Settled, outcome) => outcome.is_some(),
        (RunState::Stopped, Some(Outcome::Replied { .. })) => true,
        (RunState::Stopped, Some(Outcome::Silent { reason })) => *reason == Reason::StoppedByUser,
        _ => false,
    }
}

fn replied(run: &Run) -> Option<(RunId, MessageId)> {
    match run.outcome {
        Some(Outcome::Replied { message, .. }) => Some((run.id, message)),
        Some(Outcome::Silent { .. } | Outcome::Failed { .. }) | None => None,
    }
}

/// In all, and for each run that came to its end: nothing is promised any more, and what was paid
/// is what was used.
fn what_was_used_is_paid(
    read: &Read<'_>,
    truth: &Truth,
    tally: &mut Tally,
) -> Result<(), StoreError> {
    let open = spend::open(read)?;
    assert!(open.is_empty(), "promised and never paid: {open:?}");
    let rows = usage::sums(read, UsageBy::Day, 0)?;
    let used: i64 = rows.iter().map(|row| row.input_tokens + row.output_tokens).sum();
    let cost: i64 = rows.iter().filter_map(|row| row.cost_microusd).sum();
    tally.calls_on_record = rows.iter().map(|row| u64::from(row.calls)).sum();
    tally.tokens = used;
    let first = truth.runs.iter().map(|run| run.started_ms).min().expect("there were runs");
    let last = truth.runs.iter().filter_map(|run| run.ended_ms).max().expect("there were runs");
    let (mut paid, mut paid_microusd) = (0, 0);
    for day in first / DAY_MS..=last / DAY_MS + 1 {
        let spent = spend::get(read, &Account { scope: "all".into(), day })?;
        paid += spent.tokens;
        paid_microusd += spent.microusd;
    }
    assert_eq!((paid, paid_microusd), (used, cost), "what was paid, and what was used");
    for run in truth.runs.iter().filter(|run| run.state != RunState::Running) {
        let (of_calls, cost) = usage::of_run(read, run.id)?;
        let said = (run.usage.input_tokens, run.usage.output_tokens, run.cost_microusd);
        assert_eq!(said, (of_calls.input_tokens, of_calls.output_tokens, cost), "{run:?}");
    }
    Ok(())
}
