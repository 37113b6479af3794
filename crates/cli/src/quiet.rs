//! Waiting until the agents have answered.
//!
//! A command that has the workspace open by itself takes the agents with it
//! when it ends: a turn that it started would be cut off and begin again in
//! the next process. So it stays until nobody owes an answer. Where a window
//! or `coterie serve` has the workspace open, the turn is theirs and nobody
//! waits.

use crate::below;
use crate::names::Names;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::{approval, question, words};
use clap::Args;
use domain::{
    AgentId, AgentState, Command, Fault, FaultCode, FromOwner, GroupView, Mark, Outcome, Overview,
    Participant, Query, Record, Reply, Run, RunFilter, RunState, Update,
};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use serde::Serialize;
use std::collections::HashSet;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

/// Seconds, for every command that waits for answers.
pub(crate) const PATIENCE: u64 = 300;

#[derive(Args)]
pub(crate) struct Patience {
    /// How long to stay for the answer where nothing else has the workspace open; 0 leaves it to
    /// the next window, `coterie serve` or `coterie say`
    #[arg(long, value_name = "SECONDS", default_value_t = PATIENCE)]
    pub wait: u64,
}

/// Why nobody waits any longer.
pub(crate) enum Stopped {
    Quiet,
    /// The person does not want to wait any longer.
    Interrupted,
    TimedOut,
    OwnerGone,
}

impl Stopped {
    /// Whoever waits for nobody any more does not stay for others either.
    pub(crate) fn noted(self, session: &Session) -> Self {
        match self {
            Stopped::Interrupted | Stopped::TimedOut => session.leave(),
            Stopped::Quiet | Stopped::OwnerGone => {}
        }
        self
    }

    /// What becomes of the answers that nobody waits for.
    pub(crate) fn tell(&self, session: &Session) {
        match self {
            Stopped::Quiet | Stopped::OwnerGone => {}
            Stopped::Interrupted | Stopped::TimedOut => {
                session.screen.aside("no longer waiting; what is not answered yet is kept");
            }
        }
    }
}

/// Comes when the person presses ctrl-C, from now on: a wait may have been
/// given up before it begins.
pub(crate) async fn interrupt() -> BoxFuture<'static, ()> {
    let mut pressed = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without signals there is nothing to hear.
            std::future::pending().await
        }
    }
    .boxed();
    match futures::poll!(&mut pressed) {
        Poll::Ready(()) => std::future::ready(()).boxed(),
        Poll::Pending => pressed,
    }
}

/// The order's reply, unless the person does not wait for that either.
pub(crate) async fn ordered(
    session: &Session,
    order: Command,
    interrupted: &mut BoxFuture<'static, ()>,
) -> Result<Reply, Fault> {
    tokio::select! {
        reply = session.order(order) => reply,
        () = interrupted => Err(Fault::new(
            FaultCode::Internal,
            "interrupted before the workspace had answered, so it may be done or not",
            "look before you try again",
        )),
    }
}

/// An order that gives somebody a turn, and what came of it.
pub(crate) struct Ordered {
    pub reply: Reply,
    trouble: Option<Fault>,
}

impl Ordered {
    /// Says what was done, and then what went wrong with the turn.
    pub(crate) fn report<T: Serialize>(
        self,
        session: &Session,
        record: &T,
        plain: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        match self.trouble {
            None => session.screen.one(record, |_| plain()),
            Some(fault) => {
                if session.screen.is_plain() {
                    session.screen.text(&plain());
                }
                return Err(Failure::with(fault, record));
            }
        }
        Ok(())
    }
}

/// Gives the agent a turn, and stays until nobody owes an answer if this
/// process has the workspace open: others may have taken up what waited too.
pub(crate) async fn order(
    session: &Session,
    order: Command,
    agent: AgentId,
    patience: &Patience,
) -> Result<Ordered, Failure> {
    let before = session.overview().await?.mark;
    let newest = runs(session, agent, 1).await?.first().map_or(0, |run| run.seq);
    let mut interrupted = interrupt().await;
    let reply = ordered(session, order, &mut interrupted).await?;
    if patience.wait == 0 || !session.door.owns() {
        return Ok(Ordered { reply, trouble: None });
    }
    let stopped = stay(session, before, Duration::from_secs(patience.wait), interrupted).await?;
    let trouble = match stopped {
        Stopped::Quiet => {
            let mut runs = runs(session, agent, 500).await?;
            runs.retain(|run| run.seq > newest);
            failure(&runs, &session.names().await?)
        }
        Stopped::Interrupted => {
            session.screen.aside("no longer waiting; what is not answered yet is kept");
            None
        }
        Stopped::TimedOut => Some(Fault::new(
            FaultCode::TimedOut,
            format!("it is done, but the answers to it took longer than {} s", patience.wait),
            "wait longer with --wait, or have them given by coterie serve or a window",
        )),
        Stopped::OwnerGone => None,
    };
    Ok(Ordered { reply, trouble })
}

/// An order after which somebody may answer; stays until they have.
pub(crate) async fn followed(
    session: &Session,
    order: Command,
    patience: &Patience,
) -> Result<Reply, Failure> {
    let before = session.overview().await?.mark;
    let mut interrupted = interrupt().await;
    let reply = ordered(session, order, &mut interrupted).await?;
    if patience.wait > 0 && session.door.owns() {
        let wait = Duration::from_secs(patience.wait);
        stay(session, before, wait, interrupted).await?.tell(session);
    }
    Ok(reply)
}

async fn runs(session: &Session, agent: AgentId, limit: u32) -> Result<Vec<Run>, Fault> {
    let filter = RunFilter { agent: Some(agent), ..RunFilter::default() };
    let query = Query::Runs { filter, before: None, limit };
    answered!(session.ask(query).await?, Runs)
}

pub(crate) async fn stay(
    session: &Session,
    after: Mark,
    patience: Duration,
    mut interrupted: BoxFuture<'static, ()>,
) -> Result<Stopped, Fault> {
    let mut events = session.door.events(Some(after));
    let until = Instant::now() + patience;
    let (mut look, mut told) = (true, false);
    loop {
        if look && is_quiet(session).await? {
            return Ok(Stopped::Quiet);
        }
        if !told {
            told = true;
            let seconds = patience.as_secs();
            session.screen.aside(&format!(
                "waiting up to {seconds} s for the agents to answer; ctrl-C leaves it for later"
            ));
        }
        let said = tokio::select! {
            said = events.next() => said,
            () = &mut interrupted => return Ok(Stopped::Interrupted.noted(session)),
            () = tokio::time::sleep_until(until) => return Ok(Stopped::TimedOut.noted(session)),
        };
        look = match said {
            Some(FromOwner::Event(event)) => may_end_it(&event.update),
            Some(FromOwner::Resync { .. }) => true,
            Some(FromOwner::Answer(_)) => false,
            None => return Ok(Stopped::OwnerGone),
        };
    }
}

/// How often it is looked whether those who were connected have left.
const A_WHILE: Duration = Duration::from_millis(200);
/// Whoever waits for longer is told for what.
const LONG: Duration = Duration::from_secs(1);

/// A turn that somebody follows from another process, or that had waited for whoever opens the
/// workspace, would be cut off with this one, and a tool that it uses killed: it ends first. Who
/// waits for a person goes on wherever that is.
pub(crate) async fn let_others_finish(session: &Session) {
    let (mut events, mut interrupted) = (session.door.events(None), interrupt().await);
    let (mut told, begun) = (false, Instant::now());
    while (session.door.is_shared() || session.works()) && is_anybody_at_work(session).await {
        if !told && begun.elapsed() >= LONG {
            told = true;
            session.screen.aside(
                "waiting for agents that answer others; ctrl-C leaves their answers for later",
            );
        }
        loop {
            tokio::select! {
                said = events.next() => match said {
                    Some(FromOwner::Event(event)) if !may_end_it(&event.update) => continue,
                    Some(_) => break,
                    None => return,
                },
                () = &mut interrupted => return,
                () = tokio::time::sleep(A_WHILE) => break,
            }
        }
    }
    if session.works() {
        tell_asked(session).await;
    }
}

async fn is_anybody_at_work(session: &Session) -> bool {
    let Ok(overview) = session.overview().await else { return false };
    let agents = &overview.agents;
    let mut kept: HashSet<AgentId> =
        agents.iter().filter(|agent| below::keeps(agent)).map(|agent| agent.id).collect();
    for agent in agents.iter().filter(|agent| agent.state == AgentState::Running) {
        let may_wait = below::may_wait(agents, agent.id);
        if !may_wait || !only_waits(session, &overview, agent.id).await {
            return true;
        }
        kept.insert(agent.id);
    }
    // Who was just written to is about to begin.
    let is_kept = |who: &Participant| matches!(who, Participant::Agent(id) if kept.contains(id));
    let is_owed = |view: &GroupView| {
        view.answers_to_come > 0 && !view.members.iter().any(|member| is_kept(&member.who))
    };
    session.works() && overview.groups.iter().any(is_owed)
}

/// Whether all that goes on in an agent's turns are tasks that others have.
async fn only_waits(session: &Session, overview: &Overview, agent: AgentId) -> bool {
    let its = |run: &&Run| run.agent == agent && run.state == RunState::Running;
    for run in overview.open_runs.iter().filter(its) {
        let (mut steps, mut before, mut next) = (None, Vec::new(), Some(run.id));
        while let Some(run) = next {
            let Ok(Reply::RunDetail(detail)) = session.ask(Query::Run { run }).await else { break };
            next = detail.run.resumes;
            match &steps {
                None => steps = Some(detail.steps),
                Some(_) => before.extend(detail.steps),
            }
        }
        if !below::only_waits(&steps.unwrap_or_default(), &before) {
            return false;
        }
    }
    true
}

/// What agents ask that nobody was told of who waits here.
async fn tell_asked(session: &Session) {
    let Ok(names) = session.names().await else { return };
    let Overview { approvals, questions, .. } = &names.overview;
    let is_new = |asked_ms: i64| asked_ms >= session.opened_ms;
    for asked in approvals.iter().filter(|asked| is_new(asked.asked_ms)) {
        session.screen.aside(&approval::asks(asked, &names));
    }
    for asked in questions.iter().filter(|asked| is_new(asked.asked_ms)) {
        session.screen.aside(&question::asks(asked, &names));
    }
}

/// Nobody owes an answer, but who waits for a person.
async fn is_quiet(session: &Session) -> Result<bool, Fault> {
    let groups = session.names().await?.overview.groups;
    let is_owed = groups.iter().any(|view| view.answers_to_come > 0);
    if is_owed && is_anybody_at_work(session).await {
        return Ok(false);
    }
    let feed = answered!(session.ask(Query::FeedQueue).await?, FeedQueue)?;
    Ok(feed.answers_to_come == 0)
}

/// Whether somebody may owe an answer less than before.
pub(crate) fn may_end_it(update: &Update) -> bool {
    match update {
        Update::Live { .. }
        | Update::Waiting { .. }
        | Update::UseProgress { .. }
        | Update::HeldUp { .. }
        | Update::MemoryIndex { .. }
        | Update::MemoryProgress { .. }
        | Update::BackupProgress { .. }
        | Update::Keys { .. }
        | Update::Servers { .. }
        | Update::Skills { .. }
        | Update::Page { .. } => false,
        Update::Removed { .. } => true,
        Update::Saved { record } => match record {
            Record::Run(run) => run.ended_ms.is_some(),
            Record::Agent(_) | Record::Decision(_) | Record::Group(_) | Record::Member(_) => true,
            Record::Message(_)
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
        },
    }
}

/// A turn that ended without an answer, and was not made up for.
pub(crate) fn failure<'r>(
    runs: impl IntoIterator<Item = &'r Run> + Clone,
    names: &Names,
) -> Option<Fault> {
    let run = runs.clone().into_iter().find(|run| {
        let later = |other: &&Run| other.seq > run.seq && other.agent == run.agent;
        matches!(run.state, RunState::Failed | RunState::Interrupted)
            && !runs.clone().into_iter().any(|other| later(&other))
    })?;
    if run.state == RunState::Interrupted {
        let (name, id) = (names.agent_name(run.agent), run.id);
        return Some(Fault::new(
            FaultCode::Internal,
            format!("{name}'s turn was cut off before it had answered"),
            format!("have it go on: coterie run resume {id}, or end it: coterie run drop {id}"),
        ));
    }
    match &run.outcome {
        Some(Outcome::Failed { fault }) => {
            let message =
                format!("{} could not answer: {}", names.agent_name(run.agent), fault.message);
            Some(Fault { message, ..words::with_way_back(fault, names.agent_by_id(run.agent)) })
        }
        Some(Outcome::Replied { .. } | Outcome::Silent { .. }) | None => None,
    }
}
