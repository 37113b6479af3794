//! Where a run's steps and words go while it lasts, and where it hears what is
//! said to its agent meanwhile.

use crate::brief::frame;
use crate::calls::Standing;
use crate::shared::Shared;
use crate::unwritten::{Entry, Unwritten};
use crate::{outside, sources, stand, turns};
use agent::{BETWEEN, Journal, Spoken};
use async_trait::async_trait;
use domain::{Author, Fault, GroupKind, MessageId, Reason, Run, StepKind, Usage};
use llm::{Role, Turn};
use std::sync::Arc;
use store::table::wakes::{self, Wake};
use store::table::{agents, groups, messages, runs, settings, steps};
use store::{Durability, Read, StoreError, Write};

pub(crate) struct RunJournal<'s> {
    shared: &'s Arc<Shared>,
    run: Run,
    unwritten: Unwritten,
    standing: Standing,
    first_token_ms: Option<i64>,
    /// What is shown of answers that made calls, and of the one that comes.
    stands: String,
    comes: String,
}

impl<'s> RunJournal<'s> {
    pub(crate) fn new(
        shared: &'s Arc<Shared>,
        run: &Run,
        unwritten: Unwritten,
        standing: Standing,
    ) -> Self {
        let run = run.clone();
        let (stands, comes) = (String::new(), String::new());
        RunJournal { shared, run, unwritten, standing, first_token_ms: None, stands, comes }
    }

    /// What an earlier try of the turn has said beside its calls is shown from the first: whoever
    /// is asked about them reads why.
    pub(crate) fn goes_on_from(&mut self, said: &Spoken) {
        if !said.is_empty() && !self.is_in_feed() {
            self.stands = format!("{}{BETWEEN}", said.as_str());
            self.show(&self.stands, "");
        }
    }

    pub(crate) fn first_token_ms(&self) -> Option<i64> {
        self.first_token_ms
    }

    fn show(&self, text: &str, reasoning: &str) {
        let Run { id, agent, group, .. } = self.run;
        self.shared.events.write_live(id, agent, group, text, reasoning);
    }

    fn is_in_feed(&self) -> bool {
        let group = self.shared.store.read(|read| groups::get(read, self.run.group));
        group.is_ok_and(|group| group.kind == GroupKind::Post)
    }

    async fn write_down(&self) {
        self.unwritten.write(self.shared, &self.run).await;
    }

    /// A step that is to be written with the run's next commit.
    pub(crate) fn hold(&self, step: Option<StepKind>) {
        let at_ms = self.shared.now_ms();
        self.unwritten.hold(step.map(|kind| Entry::Step { kind, at_ms }));
    }

    /// What is to be written down with the end of the run.
    pub(crate) fn unwritten(&self) -> Arc<[Entry]> {
        self.unwritten.take()
    }

    /// How far the run has read by now.
    pub(crate) fn reads_to(&self) -> i64 {
        self.run.reads_to
    }
}

#[async_trait]
impl Journal for RunJournal<'_> {
    async fn steps(&mut self, taken: Vec<StepKind>) {
        if let [StepKind::ModelCalled { model }] = taken.as_slice() {
            let model = self.standing.instead_of(model).unwrap_or(model).to_owned();
            return self.unwritten.calls(StepKind::ModelCalled { model });
        }
        if self.unwritten.uncalled().is_some() && taken.iter().all(says_nothing) {
            // Nobody was asked, so nobody has answered.
            return self.unwritten.has_called();
        }
        let at_ms = self.shared.now_ms();
        // That a model is called is written when it is: with the promise of what it
        // may cost. An answer is written with what follows from it: the first use of a
        // tool (see `gate`), the next call, or the end of the turn. A kill before that
        // has the model asked again, and nothing had come of its answer yet.
        let can_wait = taken.iter().all(|kind| {
            matches!(
                kind,
                StepKind::Delta { .. }
                    | StepKind::SpokeForAnother { .. }
                    | StepKind::Kept { .. }
                    | StepKind::ToolProposed { .. }
                    | StepKind::UsageRecorded { .. }
            )
        });
        self.unwritten.hold(taken.into_iter().map(|kind| Entry::Step { kind, at_ms }));
        if !can_wait {
            self.write_down().await;
        }
    }

    fn wrote(&mut self, text: &str, reasoning: &str) {
        fail::fail_point!("turn.streaming");
        self.first_token_ms.get_or_insert_with(|| self.shared.now_ms());
        // Whom it names is for the runtime; it says nothing to the group.
        if matches!(self.run.cause.reason, Reason::Supervising { .. }) {
            return;
        }
        self.comes.push_str(text);
        self.show(text, reasoning);
    }

    fn begins_anew(&mut self) {
        self.stands.clear();
        self.comes.clear();
        self.shared.events.begin_live_anew(self.run.id);
    }

    fn says_more(&mut self) {
        // An answer to a post is data, and stands alone.
        if self.is_in_feed() {
            return self.begins_anew();
        }
        let said = std::mem::take(&mut self.comes);
        if !said.is_empty() {
            self.stands.push_str(&said);
            self.stands.push_str(BETWEEN);
            self.show(BETWEEN, "");
        }
    }

    fn takes_back(&mut self) {
        self.comes.clear();
        self.shared.events.take_live_back(self.run.id);
        if !self.stands.is_empty() {
            self.show(&self.stands, "");
        }
    }

    async fn news(&mut self) -> Vec<Turn> {
        let (run, now) = (self.run.clone(), self.shared.now_ms());
        // Seldom is there anything; a look costs less than a commit.
        let look = |read: &Read<'_>| Ok::<_, Fault>(unread_wakes(read, &run)?.is_empty());
        if matches!(self.shared.store.read(look), Ok(true)) {
            return Vec::new();
        }
        // There each comment has a turn of its own.
        if self.is_in_feed() {
            return Vec::new();
        }
        // What is heard now stands behind what was said before.
        self.write_down().await;
        let read =
            self.shared.store.write(Durability::Process, move |write| read_on(write, run, now));
        match read.await {
            Ok(Some((run, text))) => {
                self.run = run;
                vec![Turn::new(Role::User, text)]
            }
            Ok(None) => Vec::new(),
            Err(fault) => {
                // It waits for the next turn.
                let fault: Fault = fault;
                tracing::warn!(run = %self.run.id, %fault, "what was said meanwhile cannot be read");
                Vec::new()
            }
        }
    }
}

fn says_nothing(kind: &StepKind) -> bool {
    match kind {
        StepKind::Delta { text, reasoning } => text.is_empty() && reasoning.is_empty(),
        StepKind::UsageRecorded { usage } => *usage == Usage::default(),
        _ => false,
    }
}

/// Takes in what was said in the group since the run began, if some of it was
/// for this agent: its run answers that too.
fn read_on(write: &mut Write<'_>, mut run: Run, now: i64) -> Result<Option<(Run, String)>, Fault> {
    let waiting = unread_wakes(write, &run)?;
    if waiting.is_empty() {
        return Ok(None);
    }
    let Said { heard, text, read_to } = what_was_said(write, &run)?;
    run.reads_to = read_to;
    wakes::claim(write, &waiting, run.id)?;
    runs::update(write, &run)?;
    let steered = StepKind::Steered { messages: heard, text: text.clone() };
    steps::add(write, run.id, &steered, now)?;
    Ok(Some((run, text)))
}

fn unread_wakes(read: &Read<'_>, run: &Run) -> Result<Vec<Wake>, StoreError> {
    let mut waiting = wakes::open_in_group(read, run.agent, run.group)?;
    // What a schedule or a digest asks is nobody's word in the conversation: it has a
    // turn of its own.
    waiting.retain(|wake| {
        wake.claimed_by.is_none()
            && wake.author != Author::System
            && wake.message_seq > run.reads_to
    });
    // It is asked before each use of a tool, and mostly nobody said anything.
    if !waiting.is_empty() {
        let upto = upto_what_is_shown(read, run)?;
        waiting.retain(|wake| wake.message_seq < upto);
    }
    Ok(waiting)
}

/// Where the first message stands that shows something. A run in progress goes on
/// in words alone: who shows something is answered in a turn of its own.
fn upto_what_is_shown(read: &Read<'_>, run: &Run) -> Result<i64, StoreError> {
    let page = messages::page(read, run.group, run.reads_to, None, MOST_MESSAGES)?;
    let first = page.iter().find(|message| !message.attachments.is_empty());
    Ok(first.map_or(i64::MAX, |message| message.seq))
}

/// What was said meanwhile, as far as it is read.
struct Said {
    heard: Vec<MessageId>,
    text: String,
    read_to: i64,
}

/// More than this nobody says during one turn.
const MOST_MESSAGES: u32 = 1_000;

fn what_was_said(read: &Read<'_>, run: &Run) -> Result<Said, Fault> {
    let group = groups::get(read, run.group)?;
    let settings = settings::get(read)?;
    let (mut heard, mut lines, mut read_to) = (Vec::new(), Vec::new(), run.reads_to);
    for message in messages::page(read, run.group, run.reads_to, None, MOST_MESSAGES)? {
        if !message.attachments.is_empty() {
            break;
        }
        read_to = message.seq;
        let name = match message.author {
            Author::User => stand::name_of_person(&settings).to_owned(),
            Author::Agent(agent) if agent != run.agent => agents::get(read, agent)?.name,
            Author::Outside(pass) => outside::called(read, pass)?,
            Author::Source(source) => sources::called(read, source)?,
            Author::Agent(_) | Author::System => continue,
        };
        let Some(text) = message.text() else { continue };
        if turns::was_an_answer(read, run.agent, &message)? {
            continue;
        }
        lines.push(match (group.kind, message.author) {
            // Where two are alone, what comes from outside would be the other's word.
            (_, Author::Outside(_) | Author::Source(_)) => frame::said(&name, text),
            (GroupKind::Group | GroupKind::Post, _) => frame::said(&name, text),
            (GroupKind::Direct | GroupKind::Task, _) => text.to_owned(),
        });
        heard.push(message.id);
    }
    Ok(Said { heard, text: lines.join("\n\n"), read_to })
}
