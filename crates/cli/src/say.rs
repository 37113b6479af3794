//! `coterie say`: posts a message and follows what happens until the group is
//! quiet.

use crate::names::Names;
use crate::screen::{Failure, Format};
use crate::session::{Session, answered};
use crate::transcript::Transcript;
use crate::{why, words};
use clap::Args;
use domain::{
    Command, Decision, Event, Fault, FaultCode, FromOwner, Mark, Message, MessageId, Outcome,
    Query, Reason, Record, Run, RunFilter, RunId, RunState, Update, Verdict,
};
use futures::StreamExt;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;
use tokio::time::Instant;

#[derive(Args)]
pub(crate) struct Say {
    /// A group by name or id, or an agent's direct one by the agent's name
    group: String,
    text: String,
    /// The message it answers, by its number or id
    #[arg(long, value_name = "MSG")]
    reply_to: Option<String>,
    /// How long to wait for the group to fall quiet; 0 does not wait
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    wait: u64,
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

enum Stopped {
    Quiet,
    /// The person does not want to wait any longer.
    Interrupted,
    TimedOut,
    OwnerGone,
}

pub(crate) async fn run(session: &Session, say: Say) -> Result<(), Failure> {
    let names = session.names().await?;
    let group = names.group(&say.group)?.group.id;
    let reply_to = match &say.reply_to {
        Some(wanted) => Some(why::message(session, group, wanted).await?.id),
        None => None,
    };
    let before = names.overview.mark;
    let posted = session.order(Command::Post { group, text: say.text, reply_to }).await?;
    let message = answered!(posted, Message)?;
    let mut following = Following {
        session,
        names,
        message,
        seen: Seen::default(),
        told: Told::default(),
        transcript: Transcript::new(&session.screen),
    };
    let stopped = match say.wait {
        0 => Stopped::Quiet,
        seconds => following.follow(before, Duration::from_secs(seconds)).await?,
    };
    following.transcript.end();
    following.report(stopped, say.wait)
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

/// How far the events have come: they may lag behind the database.
#[derive(Default)]
struct Told {
    posted: bool,
    ended: HashSet<RunId>,
    /// Some were left out.
    resynced: bool,
}

impl Told {
    fn hear(&mut self, record: &Record, posted: MessageId) {
        match record {
            Record::Message(message) if message.id == posted => self.posted = true,
            Record::Run(run) if run.ended_ms.is_some() => drop(self.ended.insert(run.id)),
            _ => {}
        }
    }

    fn all_of(&self, seen: &Seen) -> bool {
        let mut ended = seen.runs.values().filter(|run| run.ended_ms.is_some());
        self.resynced || (self.posted && ended.all(|run| self.ended.contains(&run.id)))
    }
}

impl Following<'_> {
    async fn follow(&mut self, after: Mark, patience: Duration) -> Result<Stopped, Fault> {
        let mut events = self.session.door.events(Some(after));
        let until = Instant::now() + patience;
        let interrupted = tokio::signal::ctrl_c();
        tokio::pin!(interrupted);
        let (mut look, mut quiet) = (true, false);
        loop {
            quiet = quiet || (look && self.is_quiet().await?);
            if quiet && self.told.all_of(&self.seen) {
                return Ok(Stopped::Quiet);
            }
            let said = tokio::select! {
                said = events.next() => said,
                _ = &mut interrupted => return Ok(Stopped::Interrupted),
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
            Update::Removed { .. } => true,
        }
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
            Record::Decision(decision) if decision.root == self.message.id => {
                self.seen.decisions.insert(decision.seq, decision.clone());
                decision.verdict != Verdict::Speak
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
            // It may rest now, and leave its answer for another day.
            Record::Agent(_) | Record::Group(_) | Record::Member(_) => true,
            Record::Message(_)
            | Record::Decision(_)
            | Record::Run(_)
            | Record::Soul(_)
            | Record::Provider(_)
            | Record::Settings(_) => false,
        }
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
        let Following { session, names, message, seen, .. } = self;
        let fault = match stopped {
            Stopped::Quiet => failure(&seen, &names).or_else(|| refusal(&seen, &message, &names)),
            Stopped::Interrupted => {
                session.screen.aside("no longer waiting; the message has been posted");
                None
            }
            Stopped::TimedOut => Some(Fault::new(
                FaultCode::TimedOut,
                format!("the group did not fall quiet within {patience} s"),
                format!(
                    "wait longer with --wait, or look later: coterie group log {}",
                    message.group
                ),
            )),
            Stopped::OwnerGone => Some(Fault::new(
                FaultCode::Storage,
                "the process that had this workspace open has ended",
                "the message is kept; open Coterie again to have it answered",
            )),
        };
        let said = Said {
            message,
            messages: seen.messages.into_values().collect(),
            decisions: seen.decisions.into_values().collect(),
            runs: seen.runs.into_values().collect(),
        };
        if session.screen.is_plain() {
            session.screen.text(&silences(&said, &names));
        }
        match fault {
            Some(fault) => Err(Failure::with(fault, &said)),
            None if session.screen.format == Format::Json => {
                session.screen.one(&said, |_| String::new());
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// A turn that ended without an answer, and was not made up for.
fn failure(seen: &Seen, names: &Names) -> Option<Fault> {
    let run = seen.runs.values().find(|run| {
        let later = |other: &Run| other.seq > run.seq && other.agent == run.agent;
        run.state == RunState::Failed && !seen.runs.values().any(later)
    })?;
    match &run.outcome {
        Some(Outcome::Failed { fault }) => {
            let message =
                format!("{} could not answer: {}", names.agent_name(run.agent), fault.message);
            Some(Fault { message, ..fault.clone() })
        }
        Some(Outcome::Replied { .. } | Outcome::Silent { .. }) | None => None,
    }
}

/// Nobody answered because a limit said no.
fn refusal(seen: &Seen, message: &Message, names: &Names) -> Option<Fault> {
    if seen.messages.values().any(|message| message.run.is_some()) {
        return None;
    }
    let no = |decision: &&Decision| decision.verdict == Verdict::Pass && is_limit(&decision.reason);
    let refused = seen.decisions.values().rev().find(no)?;
    let because = words::reason(&refused.reason, |agent| names.agent_name(agent));
    Some(Fault::new(
        FaultCode::Refused,
        format!("{} stayed silent: {because}", names.agent_name(refused.agent)),
        format!("wait, or raise the limit: coterie group set {} KEY VALUE", message.group),
    ))
}

fn is_limit(reason: &Reason) -> bool {
    match reason {
        Reason::ChainDepth { .. }
        | Reason::MessageCap { .. }
        | Reason::PairHops { .. }
        | Reason::HourlyQuota { .. } => true,
        Reason::DefaultResponder
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
        | Reason::BareAcknowledgement
        | Reason::NearDuplicate
        | Reason::Superseded
        | Reason::StoppedByUser
        | Reason::LeftTheGroup
        | Reason::Terminated
        | Reason::Failed
        | Reason::Paused
        | Reason::InError => false,
    }
}

/// Who stayed silent, when nobody spoke; `coterie why` tells the rest.
fn silences(said: &Said, names: &Names) -> String {
    if said.messages.iter().any(|message| message.run.is_some()) {
        return String::new();
    }
    let name_of = |agent| names.agent_name(agent);
    let silent = said.decisions.iter().filter(|decision| decision.verdict != Verdict::Speak);
    let lines = silent.map(|decision| {
        let verdict = match decision.verdict {
            Verdict::Wait => "waits",
            Verdict::Pass | Verdict::Speak => "stayed silent",
        };
        format!(
            "{} {verdict}: {}\n",
            names.agent_name(decision.agent),
            words::reason(&decision.reason, name_of)
        )
    });
    lines.collect()
}
