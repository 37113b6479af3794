//! What must hold in the database whenever a process has been killed, and what
//! must hold once everybody has answered.

use super::plan;
use super::tasks::Tasks;
use domain::{
    AgentId, Approval, ApprovalState, Author, CallState, Effects, Given, GroupId, GroupKind,
    Message, MessageId, Participant, Question, QuestionState, Run, RunFilter, RunId, RunState,
    Soul, TurnPolicy, Verdict,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;
use store::table::{
    agents, approvals, decisions, groups, members, messages, questions, runs, souls, tool_calls,
    transitions, wakes,
};
use store::{Read, Store, StoreError};
use workspace::souls::hash;

/// Everything that the rules are about.
pub(crate) struct Truth {
    integrity: String,
    pub messages: Vec<Message>,
    runs: Vec<Run>,
    wakes: Vec<wakes::Fate>,
    decisions: Vec<domain::Decision>,
    members: Vec<domain::Member>,
    groups: HashMap<GroupId, domain::Group>,
    chains: Vec<(domain::Agent, Vec<domain::Transition>)>,
    pub calls: Vec<domain::ToolCall>,
    /// The lines that the tools have left.
    effects: Vec<String>,
    /// What a person was asked, the newest first.
    approvals: Vec<Approval>,
    /// What it was to say, the newest first.
    questions: Vec<Question>,
    tasks: Option<Tasks>,
    /// How long each kept file is, by its name.
    files: HashMap<String, u64>,
    souls: Vec<SoulFile>,
}

struct SoulFile {
    soul: Soul,
    /// Every text that it has ever had.
    texts: HashSet<String>,
    in_file: Option<String>,
}

/// What holds at any moment, also in the middle of everything.
pub(crate) fn always(database: &Path, acknowledged: &BTreeSet<usize>) {
    let truth = look(database);
    truth.nothing_acknowledged_is_lost(acknowledged);
    truth.hold();
}

/// A copy of the database is there only when all of it is. Looked at in `folder`, as
/// looking leaves a log beside it.
pub(crate) fn is_whole(copy: &Path, folder: &Path) {
    let database = folder.join("copy.db");
    fs::copy(copy, &database).expect("the disk has room");
    let (store, _) = Store::open(&database, |_| {}).expect("a copy opens");
    assert_eq!(store.check().expect("a copy can be checked"), "ok");
    store.read(agents::all).expect("a copy can be read");
}

/// What holds when nobody owes an answer any more.
pub(crate) fn at_the_end(database: &Path) {
    let truth = look(database);
    truth.nothing_acknowledged_is_lost(&(0..plan::MESSAGES).collect());
    truth.hold();
    for fate in &truth.wakes {
        assert!(fate.done, "never answered: {fate:?}");
    }
    for call in &truth.calls {
        assert!(call.state != CallState::Dispatched, "its end is not on record: {call:?}");
    }
    for asked in &truth.approvals {
        assert!(!asked.state.is_open(), "nobody goes on with it: {asked:?}");
    }
    for asked in &truth.questions {
        assert!(asked.state != QuestionState::Waiting, "nobody goes on with it: {asked:?}");
    }
    for run in &truth.runs {
        assert!(
            matches!(
                run.state,
                RunState::Settled
                    | RunState::Resumed
                    | RunState::Interrupted
                    | RunState::Stopped
                    | RunState::Dropped
            ),
            "left over: {run:?}"
        );
    }
    let shows = |message: &Message| !message.attachments.is_empty();
    assert!(truth.messages.iter().any(shows), "nothing was shown");
    for SoulFile { soul, in_file, .. } in &truth.souls {
        assert_eq!(in_file.as_ref().map(hash), Some(soul.hash.clone()), "{soul:?}");
    }
    truth.tasks.iter().for_each(|tasks| tasks.hold_at_the_end(&truth));
}

fn look(database: &Path) -> Truth {
    let (store, _) = Store::open(database, |_| {}).expect("the database opens");
    let integrity = store.check().expect("the database can be checked");
    let looked: Result<Truth, StoreError> = store.read(|read| {
        let all = groups::all(read)?;
        let by_id = all.iter().map(|group| (group.id, group.clone())).collect();
        let mut truth = Truth {
            integrity,
            messages: Vec::new(),
            runs: all_runs(read)?,
            wakes: wakes::fates(read)?,
            decisions: Vec::new(),
            members: Vec::new(),
            groups: by_id,
            chains: Vec::new(),
            calls: Vec::new(),
            effects: effects(database),
            approvals: approvals::newest(read, u32::MAX)?,
            questions: questions::newest(read, u32::MAX)?,
            tasks: Some(Tasks::look(read)?),
            files: files(database),
            souls: all_souls(read, database)?,
        };
        for run in &truth.runs {
            truth.calls.extend(tool_calls::of_run(read, run.id)?);
        }
        for group in all {
            truth.messages.extend(messages::page(read, group.id, 0, None, u32::MAX)?);
            truth.decisions.extend(decisions::of_group(read, group.id, u32::MAX)?);
            truth.members.extend(members::of_group(read, group.id)?);
        }
        for agent in agents::all(read)? {
            let mut chain = transitions::newest(read, agent.id, u32::MAX)?;
            chain.reverse();
            truth.chains.push((agent, chain));
        }
        Ok(truth)
    });
    looked.expect("the database can be read")
}

fn effects(database: &Path) -> Vec<String> {
    let file = database.with_file_name("effects");
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn files(database: &Path) -> HashMap<String, u64> {
    let there = fs::read_dir(database.with_file_name("attachments"));
    let there = there.into_iter().flatten().flatten();
    let length = |file: fs::DirEntry| {
        let length = file.metadata().expect("it lies there").len();
        (file.file_name().to_string_lossy().into_owned(), length)
    };
    there.map(length).collect()
}

fn all_souls(read: &Read<'_>, database: &Path) -> Result<Vec<SoulFile>, StoreError> {
    let mut found = Vec::new();
    for soul in souls::all(read)? {
        let mut texts = HashSet::new();
        for version in souls::versions(read, &soul.name)? {
            let whole = souls::version(read, &soul.name, version.version)?;
            texts.extend(whole.map(|version| version.text));
        }
        let file = database.with_file_name("souls").join(format!("{}.md", soul.name));
        found.push(SoulFile { soul, texts, in_file: fs::read_to_string(file).ok() });
    }
    Ok(found)
}

/// Oldest first.
fn all_runs(read: &Read<'_>) -> Result<Vec<Run>, StoreError> {
    let mut all = runs::page(read, &RunFilter::default(), None, u32::MAX)?;
    all.reverse();
    Ok(all)
}

impl Truth {
    fn hold(&self) {
        assert_eq!(self.integrity, "ok");
        self.nothing_is_there_twice();
        self.every_decision_to_speak_has_its_wake();
        self.a_wake_is_done_by_one_settled_run_or_dismissed_with_a_reason();
        self.cursors_are_where_settled_turns_left_them();
        self.states_follow_from_one_another();
        self.nothing_risky_is_done_unasked();
        self.each_question_is_asked_once_and_its_answer_heard();
        self.no_use_of_a_tool_has_its_effect_twice();
        self.no_file_of_a_soul_is_torn();
        self.what_a_message_shows_is_there_whole();
        self.tasks.iter().for_each(|tasks| tasks.hold(self));
    }

    pub(crate) fn was_dropped(&self, first: RunId) -> bool {
        let mut tries = HashSet::from([first]);
        for run in &self.runs {
            if run.resumes.is_some_and(|earlier| tries.contains(&earlier)) {
                tries.insert(run.id);
            }
        }
        let dropped = |run: &&Run| tries.contains(&run.id) && run.state == RunState::Dropped;
        self.runs.iter().any(|run| dropped(&run))
    }

    /// A file has a whole text: one that is known, or the one that was on its way.
    fn no_file_of_a_soul_is_torn(&self) {
        for SoulFile { soul, texts, in_file } in &self.souls {
            let text = in_file.as_ref().unwrap_or_else(|| panic!("no file: {soul:?}"));
            let is_whole = texts.contains(text) || text.ends_with(" lives.\n");
            assert!(is_whole, "torn: {soul:?}: {text}");
        }
    }

    fn what_a_message_shows_is_there_whole(&self) {
        for shown in self.messages.iter().flat_map(|message| &message.attachments) {
            let length = self.files.get(&shown.hash).copied();
            assert_eq!(length, Some(u64::from(shown.bytes)), "{shown:?}");
        }
    }

    fn nothing_acknowledged_is_lost(&self, acknowledged: &BTreeSet<usize>) {
        let there: HashSet<_> = self.messages.iter().map(|message| message.id).collect();
        let lost: Vec<_> = acknowledged
            .iter()
            .filter(|n| !there.contains(&MessageId(plan::request("post", **n).0)))
            .collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    }

    fn nothing_is_there_twice(&self) {
        let mut seen = HashSet::new();
        for message in &self.messages {
            // What a person said, or what a run said.
            let once = match (message.author, message.run) {
                (Author::User | Author::Outside(_) | Author::Source(_), _) => {
                    message.text().map(str::to_owned)
                }
                // And what it asked of its children.
                (Author::Agent(_), Some(run)) => Some(format!("{run} {}", message.group)),
                (Author::Agent(_) | Author::System, _) => None,
            };
            assert!(once.is_none_or(|once| seen.insert(once)), "doubled: {message:?}");
        }
    }

    fn every_decision_to_speak_has_its_wake(&self) {
        let given = self.decisions.iter().filter(|decision| decision.verdict != Verdict::Pass);
        assert_eq!(given.count(), self.wakes.len());
    }

    fn a_wake_is_done_by_one_settled_run_or_dismissed_with_a_reason(&self) {
        let settled: HashMap<_, _> = self.settled().map(|run| (run.id, run)).collect();
        let mut busy = HashSet::new();
        for fate in self.wakes.iter().filter(|fate| fate.done) {
            let wake = &fate.wake;
            match fate.done_by {
                Some(run) => {
                    let run =
                        settled.get(&run).unwrap_or_else(|| panic!("no settled run: {fate:?}"));
                    assert_eq!((run.agent, run.group), (wake.agent, wake.group), "{fate:?}");
                    // What answers a question reaches the turn as what came of that use.
                    assert!(wake.message_seq <= run.reads_to, "answered unread: {fate:?}");
                    busy.insert(run.id);
                }
                None => {
                    let refused = |decision: &&domain::Decision| {
                        decision.verdict == Verdict::Pass
                            && (decision.agent, decision.message) == (wake.agent, wake.message)
                    };
                    assert!(self.decisions.iter().any(|it| refused(&it)), "no reason: {fate:?}");
                    let group = &self.groups[&wake.group];
                    let may_be_ended = match group.kind {
                        GroupKind::Group => group.policy == TurnPolicy::Rounds,
                        // With its parent's turn, or by a person.
                        GroupKind::Direct | GroupKind::Task | GroupKind::Post => true,
                    };
                    assert!(may_be_ended || self.is_answer(wake), "{fate:?}");
                }
            }
        }
        let idle: Vec<_> = settled.keys().filter(|run| !busy.contains(run)).collect();
        assert!(idle.is_empty(), "settled without anybody having asked: {idle:?}");
    }

    fn is_answer(&self, wake: &wakes::Wake) -> bool {
        let given = Some(Given::Message { message: wake.message });
        self.questions.iter().any(|asked| asked.agent == wake.agent && asked.given == given)
    }

    /// Each settled turn goes on where the one before it ended, so that every
    /// message was consumed by exactly one of them, and the cursor is where
    /// the last one ended.
    fn cursors_are_where_settled_turns_left_them(&self) {
        let mut read_to: HashMap<(AgentId, GroupId), i64> = HashMap::new();
        for run in self.settled() {
            let place = read_to.entry((run.agent, run.group)).or_insert(0);
            assert_eq!(run.reads_after, *place, "read twice or never: {run:?}");
            *place = run.reads_to;
        }
        for member in &self.members {
            if let Participant::Agent(agent) = member.who {
                let settled = read_to.get(&(agent, member.group)).copied().unwrap_or(0);
                assert_eq!(member.cursor, settled, "{member:?}");
            }
        }
    }

    /// And each that is said to have succeeded has had it.
    fn no_use_of_a_tool_has_its_effect_twice(&self) {
        let mut seen = HashSet::new();
        for effect in &self.effects {
            assert!(seen.insert(effect), "twice: {effect}");
        }
        for call in &self.calls {
            let effect = format!("{} {}", call.tool, call.id);
            match call.state {
                CallState::Succeeded => {
                    let is_inside = ["ask_user", "delegate", "look"].contains(&call.tool.as_str());
                    let is_known = is_inside || seen.contains(&effect);
                    assert!(is_known, "without effect: {call:?}");
                }
                CallState::OutcomeUnknown => assert_eq!(call.effects, Effects::Once, "{call:?}"),
                CallState::Skipped | CallState::Refused => {
                    assert!(!seen.contains(&effect), "not begun, but done: {call:?}");
                }
                CallState::Dispatched
                | CallState::Failed
                | CallState::Denied
                | CallState::Expired
                | CallState::Blocked
                | CallState::Cancelled => {}
            }
        }
        let known: HashSet<_> =
            self.calls.iter().map(|call| format!("{} {}", call.tool, call.id)).collect();
        for effect in seen {
            assert!(known.contains(effect), "done without being written down: {effect}");
        }
    }

    /// Nobody is asked the same twice, and what the agent has heard is what the person
    /// said.
    fn each_question_is_asked_once_and_its_answer_heard(&self) {
        let mut calls = HashSet::new();
        for asked in &self.questions {
            assert!(calls.insert(asked.call), "asked twice: {asked:?}");
            let Some(Given::Values { values }) = &asked.given else { continue };
            let told = self.calls.iter().find(|call| call.id == asked.call);
            let Some(result) = told.and_then(|call| call.result.as_ref()) else { continue };
            let said = values["answer"].as_str().unwrap_or_default();
            let cut_off = told.is_some_and(|call| call.state != CallState::Succeeded);
            assert!(cut_off || result.ends_with(said), "{said} was heard as {result}");
        }
    }

    /// What a person is asked about happens only when they said yes.
    fn nothing_risky_is_done_unasked(&self) {
        for effect in self.effects.iter().filter(|effect| effect.starts_with("risky ")) {
            let is_of_it = |asked: &&Approval| *effect == format!("risky {}", asked.call);
            let asked = self.approvals.iter().find(is_of_it);
            let asked = asked.unwrap_or_else(|| panic!("nobody was asked: {effect}"));
            assert_eq!(asked.state, ApprovalState::Used, "{asked:?}");
            assert!(!plan::says_no(asked.call), "it was denied: {asked:?}");
        }
        for asked in &self.approvals {
            assert_eq!(asked.answered_ms.is_none(), asked.state == ApprovalState::Waiting);
        }
    }

    fn states_follow_from_one_another(&self) {
        for (agent, chain) in &self.chains {
            let mut state = None;
            for transition in chain {
                assert_eq!(transition.from, state, "{}: {transition:?}", agent.name);
                state = Some(transition.to);
            }
            assert_eq!(state, Some(agent.state), "{}", agent.name);
        }
    }

    fn settled(&self) -> impl Iterator<Item = &Run> {
        // Whoever was stopped with its parent has answered, with silence.
        let has_ended = |run: &&Run| matches!(run.state, RunState::Settled | RunState::Stopped);
        self.runs.iter().filter(has_ended)
    }
}
