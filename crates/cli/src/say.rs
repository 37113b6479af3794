//! `coterie say`: posts a message and follows it until the group is quiet.

use crate::names::Names;
use crate::quiet::{self, PATIENCE, Stopped};
use crate::screen::{Failure, Format, Screen};
use crate::session::{Session, answered};
use crate::transcript::Transcript;
use crate::{approval, attach, below, budget, from_server, question, waiting, why, words};
use clap::Args;
use domain::{
    AgentId, AgentState, ApprovalState, Command, Decision, Event, Fault, FaultCode, FromOwner,
    GroupId, Mark, Member, Message, MessageId, Participant, Query, QuestionState, Reason, Record,
    Run, RunFilter, RunId, Update, Verdict, Waiting,
};
use futures::StreamExt;
use futures::future::BoxFuture;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::Instant;

#[derive(Args)]
pub(crate) struct Say {
    /// A group by name or id, or an agent's direct one by the agent's name
    group: String,
    /// What to say; nothing where files say it all
    #[arg(required_unless_present_any = ["attach", "resource", "prompt"])]
    text: Option<String>,
    /// A picture or a text file to show with it; may be given several times
    #[arg(long, value_name = "FILE", num_args = 1..)]
    attach: Vec<PathBuf>,
    /// What an MCP server has at an address, to show with it; may be given several times
    #[arg(long, value_names = ["SERVER", "URI"], num_args = 2)]
    resource: Vec<String>,
    /// A prompt of an MCP server to say, with its arguments; `coterie mcp prompts` lists
    /// them. What you say besides stands below it
    #[arg(long, value_names = ["SERVER/PROMPT", "NAME=VALUE"], num_args = 1..)]
    prompt: Vec<String>,
    /// The message it answers, by its number or id
    #[arg(long, value_name = "MSG")]
    reply_to: Option<String>,
    /// A message of yours in whose place it is said, by its number or id; that one and what
    /// followed stay in another branch
    #[arg(long, value_name = "MSG", conflicts_with = "reply_to")]
    instead_of: Option<String>,
    /// How long to wait for the group to fall quiet; 0 does not wait: a window or `coterie serve`
    /// answers, or where neither has the workspace open, the next that opens it
    #[arg(long, value_name = "SECONDS", default_value_t = PATIENCE)]
    pub wait: u64,
}

/// What came of a message.
#[derive(Serialize)]
struct Said {
    message: Message,
    /// What was said after it.
    messages: Vec<Message>,
    decisions: Vec<Decision>,
    runs: Vec<Run>,
}

pub(crate) async fn run(session: &Session, say: Say) -> Result<(), Failure> {
    let names = session.names().await?;
    let group = names.group(&say.group)?.group.id;
    let message = async |wanted: &Option<String>| match wanted {
        Some(wanted) => why::message(session, group, wanted).await.map(|found| Some(found.id)),
        None => Ok(None),
    };
    let (reply_to, instead_of) = (message(&say.reply_to).await?, message(&say.instead_of).await?);
    let before = names.overview.mark;
    let mut interrupted = quiet::interrupt().await;
    let (text, brought) =
        from_server::said(session, say.text.unwrap_or_default(), &say.prompt).await?;
    budget::ahead::tell(session, &names, group, &text, reply_to).await?;
    let mut attachments = attach::keep(session, &say.attach).await?;
    attachments.extend(from_server::shown(session, &say.resource).await?);
    attachments.extend(brought);
    let post = match instead_of {
        Some(message) => Command::EditMessage { message, text, attachments },
        None => Command::Post { group, text, reply_to, attachments },
    };
    let posted = quiet::ordered(session, post, &mut interrupted).await?;
    let message = answered!(posted, Message)?;
    let mut following = Following {
        session,
        names,
        message,
        seen: Seen::default(),
        told: Told::default(),
        transcript: Transcript::new(&session.screen),
    };
    if say.wait == 0 {
        return following.leave().await;
    }
    let stopped = following.follow(before, Duration::from_secs(say.wait), interrupted).await?;
    following.transcript.end();
    following.report(stopped.noted(session), say.wait)
}

struct Following<'a> {
    session: &'a Session,
    names: Names,
    message: Message,
    seen: Seen,
    told: Told,
    transcript: Transcript<'a>,
}

/// What came of the message so far, each by its number.
#[derive(Default)]
struct Seen {
    messages: BTreeMap<i64, Message>,
    decisions: BTreeMap<i64, Decision>,
    runs: BTreeMap<i64, Run>,
}

impl Seen {
    fn is_answered(&self) -> bool {
        self.messages.values().any(|message| message.run.is_some())
    }
}

/// How far the events have come: they may lag behind the database.
#[derive(Default)]
struct Told {
    posted: bool,
    ended: HashSet<RunId>,
    /// Some were left out.
    resynced: bool,
    /// What keeps the turns waiting now.
    held_up: Option<Fault>,
    /// What was said of that to the person, who need not hear it twice.
    said_held_up: Option<Fault>,
    /// The place in line that was said last of each run.
    places: HashMap<RunId, u32>,
}

impl Told {
    fn hear(&mut self, record: &Record, posted: MessageId) {
        match record {
            Record::Message(message) if message.id == posted => self.posted = true,
            Record::Run(run) if run.ended_ms.is_some() => drop(self.ended.insert(run.id)),
            _ => {}
        }
    }

    fn held_up(&mut self, screen: &Screen, why: Option<Fault>) {
        self.held_up.clone_from(&why);
        if let Some(why) = why.filter(|why| self.said_held_up.as_ref() != Some(why)) {
            screen.aside(&format!("the agents wait: {why}; then they go on by themselves"));
            self.said_held_up = Some(why);
        }
    }

    fn all_of(&self, seen: &Seen) -> bool {
        let mut ended = seen.runs.values().filter(|run| run.ended_ms.is_some());
        self.resynced || (self.posted && ended.all(|run| self.ended.contains(&run.id)))
    }
}

impl Following<'_> {
    /// Waits for nobody. What was decided stands beside the message already.
    async fn leave(mut self) -> Result<(), Failure> {
        let (session, group) = (self.session, self.message.group);
        let query = Query::Decisions { group, message: Some(self.message.id), limit: 500 };
        for decision in answered!(session.ask(query).await?, Decisions)? {
            self.see_record(&Record::Decision(decision));
        }
        let is_owed = !self.is_quiet().await?;
        if is_owed && session.door.owns() {
            session.screen.aside(
                "the message waits: a window, coterie serve or the next coterie say has it answered",
            );
        }
        let held_back = held_back(&self.seen, group, &self.names).filter(|_| !is_owed);
        self.end(held_back.map(HeldBack::failure))
    }

    async fn follow(
        &mut self,
        after: Mark,
        patience: Duration,
        mut interrupted: BoxFuture<'static, ()>,
    ) -> Result<Stopped, Fault> {
        let mut events = self.session.door.events(Some(after));
        let until = Instant::now() + patience;
        let (mut look, mut quiet) = (true, false);
        loop {
            quiet = quiet || (look && self.is_quiet().await?);
            if quiet && self.told.all_of(&self.seen) {
                return Ok(Stopped::Quiet);
            }
            let said = tokio::select! {
                said = events.next() => said,
                () = &mut interrupted => return Ok(Stopped::Interrupted),
                () = tokio::time::sleep_until(until) => return Ok(Stopped::TimedOut),
            };
            look = match said {
                Some(FromOwner::Event(event)) => self.see(&event),
                Some(FromOwner::Resync { .. }) => {
                    self.told.resynced = true;
                    self.catch_up().await?;
                    true
                }
                Some(FromOwner::Answer(_)) => false,
                None => return Ok(Stopped::OwnerGone),
            };
        }
    }

    /// Nobody has to answer any more, and all that was said is seen.
    async fn is_quiet(&mut self) -> Result<bool, Fault> {
        self.names = self.session.names().await?;
        let group = self.message.group;
        self.told.held_up(&self.session.screen, self.names.overview.held_up.clone());
        let view = self.names.overview.groups.iter().find(|view| view.group.id == group);
        let quiet = view.is_none_or(|view| view.answers_to_come == 0);
        if quiet {
            self.catch_up().await?;
        }
        Ok(quiet)
    }

    /// Whether this may have been the last of it.
    fn see(&mut self, event: &Event) -> bool {
        if self.session.screen.format == Format::Jsonl {
            self.session.screen.one(event, |_| String::new());
        }
        match &event.update {
            Update::Saved { record } => {
                self.told.hear(record, self.message.id);
                self.see_record(record)
            }
            Update::Live { live } => {
                // What has been read whole is not written a second time.
                let over = |run: &Run| run.id == live.run && run.ended_ms.is_some();
                if live.group == self.message.group && !self.seen.runs.values().any(over) {
                    self.transcript.live(&self.names, live);
                }
                false
            }
            Update::Waiting { waiting } => {
                self.waits(waiting);
                false
            }
            Update::UseProgress { .. }
            | Update::Keys { .. }
            | Update::MemoryIndex { .. }
            | Update::MemoryProgress { .. }
            | Update::BackupProgress { .. }
            | Update::Servers { .. }
            | Update::Skills { .. }
            | Update::Page { .. } => false,
            Update::HeldUp { why } => {
                self.told.held_up(&self.session.screen, why.clone());
                false
            }
            Update::Removed { .. } => true,
        }
    }

    /// Says where an agent stands that waits for a model, and again when it has
    /// come half the way.
    fn waits(&mut self, waiting: &Waiting) {
        let Some(run) = self.seen.runs.values().find(|run| run.id == waiting.run) else { return };
        let said = self.told.places.get(&run.id);
        if waiting.position == 0 || said.is_some_and(|said| waiting.position > said / 2) {
            return;
        }
        self.told.places.insert(run.id, waiting.position);
        let name = self.names.agent_name(run.agent);
        let told = waiting::told(waiting, &self.names);
        self.session.screen.aside(&format!("{name} is {told}"));
    }

    fn see_record(&mut self, record: &Record) -> bool {
        let here = self.message.group;
        match record {
            Record::Message(message) if message.group == here && message.seq > self.message.seq => {
                if self.seen.messages.insert(message.seq, message.clone()).is_none() {
                    self.transcript.message(&self.names, message);
                }
                false
            }
            Record::Decision(one) if one.root == self.message.id && one.group == here => {
                self.seen.decisions.insert(one.seq, one.clone());
                one.verdict != Verdict::Speak
            }
            Record::Run(run) if run.group == here && run.reads_to >= self.message.seq => {
                let ended = run.ended_ms.is_some();
                let known = self.seen.runs.entry(run.seq).or_insert_with(|| run.clone());
                // An event may tell later how it was before.
                if ended || known.ended_ms.is_none() {
                    known.clone_from(run);
                }
                if ended {
                    self.transcript.ended(run.id);
                }
                ended
            }
            Record::Approval(asked) if asked.state == ApprovalState::Waiting => {
                self.asked(asked.agent, asked.group, &approval::asks(asked, &self.names))
            }
            Record::Question(asked) if asked.state == QuestionState::Waiting => {
                self.asked(asked.agent, asked.group, &question::asks(asked, &self.names))
            }
            // It may rest now, and leave its answer for another day.
            Record::Agent(_) | Record::Group(_) | Record::Member(_) => true,
            Record::Message(_)
            | Record::Decision(_)
            | Record::Run(_)
            | Record::Step(_)
            | Record::Soul(_)
            | Record::Provider(_)
            | Record::Settings(_)
            | Record::Memory(_)
            | Record::Approval(_)
            | Record::Question(_)
            | Record::Community(_)
            | Record::Post(_)
            | Record::Branch(_)
            | Record::Reactions(_)
            | Record::Pass(_)
            | Record::Schedule(_)
            | Record::Source(_)
            | Record::Proposal(_)
            | Record::Grant(_) => false,
        }
    }

    /// What a person is asked, here or for a task of somebody here. It is the end of nothing.
    fn asked(&mut self, by: AgentId, at: GroupId, told: &str) -> bool {
        if below::is_of(&self.names.overview, by, at, self.message.group) {
            self.transcript.end();
            self.session.screen.aside(told);
        }
        false
    }

    /// Looks at what stands in the database: at the end, and when events were
    /// missed.
    async fn catch_up(&mut self) -> Result<(), Fault> {
        let (session, group) = (self.session, self.message.group);
        let messages = Query::Messages { group, before: None, limit: 200 };
        let decisions = Query::Decisions { group, message: None, limit: 500 };
        let filter = RunFilter { group: Some(group), ..RunFilter::default() };
        let runs = Query::Runs { filter, before: None, limit: 100 };
        let messages = answered!(session.ask(messages).await?, Messages)?;
        let decisions = answered!(session.ask(decisions).await?, Decisions)?;
        let runs = answered!(session.ask(runs).await?, Runs)?;
        let records = messages.into_iter().map(Record::Message);
        let records = records.chain(decisions.into_iter().map(Record::Decision));
        for record in records.chain(runs.into_iter().map(Record::Run)) {
            self.see_record(&record);
        }
        Ok(())
    }

    fn report(self, stopped: Stopped, patience: u64) -> Result<(), Failure> {
        let Following { session, names, seen, .. } = &self;
        if session.screen.is_plain() {
            session.screen.text(&silences(seen, names));
        }
        let failure = match stopped {
            Stopped::Quiet => self.unanswered(),
            Stopped::Interrupted => {
                session.screen.aside("no longer waiting; the message has been posted");
                None
            }
            Stopped::TimedOut => Some(Failure::from(self.too_late(patience))),
            Stopped::OwnerGone => Some(Failure::from(Fault::new(
                FaultCode::Storage,
                "the process that had this workspace open has ended",
                "the message is kept; open Coterie again to have it answered",
            ))),
        };
        self.end(failure)
    }

    fn too_late(&self, patience: u64) -> Fault {
        let late = format!("the group did not fall quiet within {patience} s");
        if let Some(why) = &self.told.held_up {
            return Fault { message: format!("{late}: {}", why.message), ..why.clone() };
        }
        if let Some(fault) = below::kept(&self.names, self.message.group, &late) {
            return fault;
        }
        let group = words::quoted(&self.names.group_name_of(self.message.group));
        let fix = format!("wait longer with --wait, or look later: coterie group log {group}");
        Fault::new(FaultCode::TimedOut, late, fix)
    }

    /// Why somebody did not answer who was meant to.
    fn unanswered(&self) -> Option<Failure> {
        let Following { session, names, message, seen, .. } = self;
        let failed = quiet::failure(seen.runs.values(), names);
        if let Some(fault) = failed.or_else(|| refusal(seen, message, names)) {
            return Some(fault.into());
        }
        let held_back = held_back(seen, message.group, names)?;
        if seen.is_answered() {
            session.screen.aside(&held_back.0.to_string());
            return None;
        }
        Some(held_back.failure())
    }

    fn end(self, failure: Option<Failure>) -> Result<(), Failure> {
        let Following { session, message, seen, .. } = self;
        let said = Said {
            message,
            messages: seen.messages.into_values().collect(),
            decisions: seen.decisions.into_values().collect(),
            runs: seen.runs.into_values().collect(),
        };
        match failure {
            Some(failure) => Err(failure.showing(&said)),
            None if session.screen.format == Format::Json => {
                session.screen.one(&said, |_| String::new());
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// An agent that would answer, had it not an error to put right first, or been
/// paused.
struct HeldBack(Fault);

impl HeldBack {
    /// Whatever the error was, nobody made a mistake in saying something.
    fn failure(self) -> Failure {
        Failure::plain(self.0)
    }
}

fn held_back(seen: &Seen, group: GroupId, names: &Names) -> Option<HeldBack> {
    in_error(seen, names)
        .or_else(|| paused_meanwhile(seen, names))
        .or_else(|| nobody_here(group, names))
}

/// All who were in the group have been terminated.
fn nobody_here(group: GroupId, names: &Names) -> Option<HeldBack> {
    let view = names.overview.groups.iter().find(|view| view.group.id == group)?;
    let is_agent = |member: &Member| matches!(member.who, Participant::Agent(_));
    if view.members.iter().any(is_agent) {
        return None;
    }
    let name = words::quoted(&view.group.name);
    Some(HeldBack(Fault::new(
        FaultCode::Refused,
        format!("no agent is in {name}, so nobody answers"),
        format!("take one in: coterie group add {name} AGENT"),
    )))
}

/// An agent that was to answer, and was paused before it had.
fn paused_meanwhile(seen: &Seen, names: &Names) -> Option<HeldBack> {
    let paused = seen.decisions.values().filter(|last| last.reason == Reason::Paused);
    let before = |last: &&Decision| {
        let mut earlier = seen.decisions.values().filter(|one| one.agent == last.agent);
        earlier.any(|one| one.seq < last.seq && one.verdict == Verdict::Speak)
    };
    let mut agents = paused.filter(before).filter_map(|last| names.agent_by_id(last.agent));
    let agent = agents.find(|agent| agent.state == AgentState::Paused)?;
    Some(HeldBack(Fault::new(
        FaultCode::Refused,
        format!("{} was paused before it had answered", agent.name),
        format!(
            "it answers once it works again: coterie agent resume {}",
            words::quoted(&agent.name)
        ),
    )))
}

fn in_error(seen: &Seen, names: &Names) -> Option<HeldBack> {
    let waits = |decision: &&Decision| decision.reason == Reason::InError;
    let stopped = seen.decisions.values().filter(waits);
    let mut agents = stopped.filter_map(|decision| names.agent_by_id(decision.agent));
    let (agent, fault) = agents.find_map(|agent| Some((agent, agent.problem.as_ref()?)))?;
    let message = format!("{} cannot answer: {}", agent.name, fault.message);
    Some(HeldBack(Fault { message, ..words::with_way_back(fault, Some(agent)) }))
}

/// Nobody answered because a limit said no.
fn refusal(seen: &Seen, message: &Message, names: &Names) -> Option<Fault> {
    if seen.is_answered() {
        return None;
    }
    let mut decisions = seen.decisions.values().rev();
    let (refused, (key, limit)) = decisions.find_map(|decision| {
        let refused = decision.verdict == Verdict::Pass;
        Some((decision, cap(&decision.reason).filter(|_| refused)?))
    })?;
    let because = words::reason(&refused.reason, |agent| names.agent_name(agent));
    let group = words::quoted(&names.group_name_of(message.group));
    Some(Fault::new(
        FaultCode::Refused,
        format!("{} stayed silent: {because}", names.agent_name(refused.agent)),
        format!(
            "wait, or raise the limit and say it again: coterie group set {group} {key} {}",
            limit.saturating_mul(2)
        ),
    ))
}

/// What `coterie group set` calls the limit that said no, and how high it is.
fn cap(reason: &Reason) -> Option<(&'static str, u32)> {
    match reason {
        Reason::ChainDepth { limit } => Some(("chain_depth", *limit)),
        Reason::MessageCap { limit } => Some(("messages_per_post", *limit)),
        Reason::PairHops { limit, .. } => Some(("pair_hops", *limit)),
        Reason::HourlyQuota { limit } => Some(("runs_per_hour", *limit)),
        Reason::DefaultResponder
        | Reason::NextInOrder
        | Reason::Drawn { .. }
        | Reason::Supervising { .. }
        | Reason::LookingBack
        | Reason::ChosenBySupervisor { .. }
        | Reason::SupervisorFailed { .. }
        | Reason::Delegated { .. }
        | Reason::NotDrawn { .. }
        | Reason::NotChosen { .. }
        | Reason::SupervisorEnded
        | Reason::OverBudget { .. }
        | Reason::NoRoomYet { .. }
        | Reason::Mentioned
        | Reason::Turn { .. }
        | Reason::Broadcast
        | Reason::AskedByUser
        | Reason::NotMentioned
        | Reason::NotTheDefaultResponder
        | Reason::NotItsTurn
        | Reason::OnlyWhenAsked
        | Reason::Muted
        | Reason::NobodyAddressed
        | Reason::ChoseSilence { .. }
        | Reason::Reacted { .. }
        | Reason::SpokeForAnother { .. }
        | Reason::BareAcknowledgement
        | Reason::NearDuplicate
        | Reason::Superseded
        | Reason::PolicyChanged
        | Reason::SetAside
        | Reason::AnswersQuestion
        | Reason::StoppedByUser
        | Reason::LeftTheGroup
        | Reason::Archived
        | Reason::Terminated
        | Reason::Failed
        | Reason::RepliedTo
        | Reason::Interested { .. }
        | Reason::NobodyElse
        | Reason::AskedToPost
        | Reason::Scheduled
        | Reason::Heartbeat
        | Reason::AskedForDigest
        | Reason::Busy
        | Reason::NotInterested
        | Reason::CoolingDown { .. }
        | Reason::EnoughAnswers { .. }
        | Reason::FeedQuota { .. }
        | Reason::ThreadLocked
        | Reason::OutOfSight
        | Reason::Unreadable
        | Reason::OutOfPersona
        | Reason::UnknownLanguage
        | Reason::NotInCommunity
        | Reason::DemoModel
        | Reason::Paused
        | Reason::InError => None,
    }
}

/// Who stayed silent, when nobody spoke; `coterie why` tells the rest.
fn silences(seen: &Seen, names: &Names) -> String {
    // Beside an answer, only who had something to say and was not heard.
    let was_dropped = |reason: &Reason| {
        matches!(
            reason,
            Reason::BareAcknowledgement | Reason::NearDuplicate | Reason::SpokeForAnother { .. }
        )
    };
    let name_of = |agent| names.agent_name(agent);
    let silent = seen.decisions.values().filter(|decision| {
        decision.verdict != Verdict::Speak && (!seen.is_answered() || was_dropped(&decision.reason))
    });
    let lines = silent.map(|decision| {
        let verdict = match decision.verdict {
            Verdict::Wait => "waits",
            Verdict::Pass | Verdict::Speak => "stayed silent",
        };
        let why = words::reason(&decision.reason, name_of);
        format!("{} {verdict}: {why}\n", name_of(decision.agent))
    });
    lines.collect()
}
