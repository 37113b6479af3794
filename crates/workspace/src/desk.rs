//! Desks: one task per agent, asleep until somebody wakes it.
//!
//! A desk takes one turn after another until nothing is left, then sleeps.
//! Wakes coalesce: however many come while it is busy, it looks once more.

use crate::begin::{self, Next, Turn};
use crate::calls::{Candidates, Lines};
use crate::fold::{self, Notes, Relief};
use crate::gate::{AtWork, Ledger};
use crate::groups::is_put_away;
use crate::held_up::{CANNOT_WRITE, insist};
use crate::journal::RunJournal;
use crate::memory;
use crate::settle::{self, After, End, How};
use crate::shared::{Shared, Why};
use crate::souls::CacheUse;
use crate::stand::OwnHands;
use crate::unwritten::{self, Entry, Unwritten};
use crate::window::Window;
use crate::workspace::Start;
use agent::{Brief, Ended, Hands, Minds, Said, Spoken};
use domain::{AgentId, AgentState, Author, GroupId, Participant, Reason, Run, Usage};
use futures::FutureExt;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::table::{agents, groups, members, runs};
use store::{Read, StoreError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The desks, by agent.
#[derive(Default)]
pub(crate) struct Desks {
    desks: Mutex<HashMap<AgentId, Desk>>,
}

struct Desk {
    wake: Arc<Notify>,
    leave: CancellationToken,
}

impl Desks {
    /// Does nothing for an agent without a desk: it looks when it gets one.
    pub(crate) fn wake(&self, agent: AgentId) {
        if let Some(desk) = self.lock().get(&agent) {
            desk.wake.notify_one();
        }
    }

    /// Ends the agent's task after the turn it is in.
    pub(crate) fn close(&self, agent: AgentId) {
        if let Some(desk) = self.lock().remove(&agent) {
            desk.leave.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AgentId, Desk>> {
        self.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives an agent its desk; it looks around at once if `wake` says so. Where
/// nobody is to work there are no desks, and every wake stays for another
/// process.
pub(crate) fn open(shared: &Arc<Shared>, agent: AgentId, wake: bool) {
    if shared.start == Start::Still {
        return;
    }
    let desk = Desk { wake: Arc::new(Notify::new()), leave: shared.closing.child_token() };
    let (notify, leave) = (desk.wake.clone(), desk.leave.clone());
    if wake {
        notify.notify_one();
    }
    shared.desks.lock().insert(agent, desk);
    shared.tasks.spawn(sit(shared.clone(), agent, notify, leave));
}

async fn sit(shared: Arc<Shared>, agent: AgentId, wake: Arc<Notify>, leave: CancellationToken) {
    loop {
        tokio::select! {
            () = leave.cancelled() => return,
            () = wake.notified() => {}
        }
        // Boxed, so that a sleeping agent does not hold room for a turn.
        Box::pin(async {
            if let Some(group) = work(&shared, agent, &leave).await {
                memory::look_back(&shared, agent, group, &wake).await;
            }
        })
        .await;
    }
}

/// Takes turns until nothing is left to do; gives where the last one was.
async fn work(shared: &Arc<Shared>, agent: AgentId, leave: &CancellationToken) -> Option<GroupId> {
    let mut last = None;
    while !leave.is_cancelled() {
        match insist(shared, leave, || begin::begin(shared, agent)).await {
            Ok(Next::Turn(turn)) => {
                last = Some(turn.run.group);
                let after = take(shared, *turn, leave).await;
                shared.wake(&after.woken);
                if let Some(pause) = after.again_after {
                    rest(pause, leave).await;
                }
            }
            Ok(Next::Again) => {}
            Ok(Next::Nothing) => return last,
            Err(fault) => {
                tracing::error!(%agent, %fault, "a turn cannot begin");
                rest(CANNOT_WRITE, leave).await;
            }
        }
    }
    None
}

async fn rest(pause: Duration, leave: &CancellationToken) {
    tokio::select! {
        () = leave.cancelled() => {}
        () = tokio::time::sleep(pause) => {}
    }
}

async fn take(shared: &Arc<Shared>, turn: Turn, leave: &CancellationToken) -> After {
    fail::fail_point!("turn.begun");
    let Turn { mut run, asked, relief, hands, instead } = turn;
    let (how, unwritten) = match (asked, instead) {
        (Err(fault), _) => (How::NotAsked(fault), Arc::default()),
        (Ok(_), Some(text)) => {
            let said = Said { text: Some(text), ..said_nothing(Ended::Finished) };
            (How::Said(said), Arc::default())
        }
        (Ok((brief, candidates)), None) => {
            let question = Question { brief, candidates, relief, hands: &hands };
            think(shared, &mut run, question, leave).await
        }
    };
    fail::fail_point!("turn.answered");
    let owes = unwritten::owes(&unwritten);
    let after = settle_for_sure(shared, End { run: run.clone(), how, unwritten }, leave).await;
    if owes {
        // Somebody may wait for what a bill gave back.
        shared.waiters.look_again();
    }
    shared.events.end_live(run.id);
    if run.cause.author == Author::User {
        shared.learning.ring();
    }
    fail::fail_point!("turn.settled");
    after
}

/// What a turn is about, whom it may ask, and what it works with.
struct Question<'a> {
    brief: Brief,
    candidates: Candidates,
    relief: Option<Relief>,
    hands: &'a OwnHands,
}

/// Asks the model, unless somebody ends the turn first. Also gives what is to be
/// written down with the end of the turn.
async fn think(
    shared: &Arc<Shared>,
    run: &mut Run,
    question: Question<'_>,
    leave: &CancellationToken,
) -> (How, Arc<[Entry]>) {
    let going = shared.going_on.begin(run.id, run.agent, run.group);
    // Whoever wanted it to end between its commit and here found nobody to stop.
    match shared.store.read(|read| wanted_no_more(read, run)) {
        Ok(None) => {}
        Ok(Some(why)) => going.end_for(why),
        Err(fault) => {
            shared.going_on.end(run.id);
            return (How::NotAsked(fault.into()), Arc::default());
        }
    }
    // The workspace may have begun to close between the look and here.
    if leave.is_cancelled() {
        going.stop.cancel();
    }
    let Question { brief, mut candidates, relief, hands } = question;
    // Who has something answered again does not want the same.
    let is_again = |read: &Read<'_>| runs::answers_again(read, run);
    if run.cause.reason == Reason::AskedByUser && shared.store.read(is_again).unwrap_or(false) {
        candidates.cache = CacheUse::Never;
    }
    let notes_window = candidates.notes.first().map(|first| first.window);
    let window_of_answers = candidates.answers.first().map(|first| first.window);
    let unwritten = Unwritten::default();
    let lines = Lines::new(shared, candidates, run, &unwritten);
    // A keyring may take its time, or somebody's password.
    let nobody = tokio::select! {
        biased;
        () = going.stop.cancelled() => {
            Some(How::Ended(going.why().unwrap_or(Why::Closing), said_nothing(Ended::Stopped)))
        }
        somebody = lines.answers.somebody() => somebody.err().map(How::NotAsked),
    };
    if let Some(how) = nobody {
        shared.going_on.end(run.id);
        return (how, unwritten.take());
    }
    let place = hands.place.clone();
    let begun = run.clone();
    let gate = Ledger {
        shared,
        run: &begun,
        unwritten: unwritten.clone(),
        place,
        tools: &hands.tools,
        asks: &hands.asks,
        going: &going,
        at_work: AtWork::default(),
    };
    let own = Hands { tools: &hands.tools, gate: &gate };
    let mut journal = RunJournal::new(shared, run, unwritten, lines.standing());
    journal.goes_on_from(&brief.unanswered.said);
    // A panic is this turn's failure and nobody else's.
    let thinking = async {
        let window = notes_window.unwrap_or(Window::new(None, None));
        let notes = Notes { model: &lines.notes, window };
        let (mut brief, folding) =
            fold::before(shared, &begun, brief, relief, notes, &going.stop).await;
        if let Some(window) = window_of_answers {
            // It may wait for somebody's server, and a stop waits for nothing.
            let reminded = tokio::select! {
                biased;
                () = going.stop.cancelled() => None,
                reminded = memory::remind(shared, &begun, &mut brief, window) => reminded,
            };
            journal.hold(reminded);
        }
        let minds = Minds { answers: &lines.answers, plans: &lines.plans };
        let said = agent::run(brief, minds, own, &mut journal, &going.stop).await;
        Said { usage: folding.plus(said.usage), ..said }
    };
    let said = AssertUnwindSafe(thinking).catch_unwind().await;
    run.reads_to = journal.reads_to();
    run.first_token_ms = journal.first_token_ms();
    let unwritten = journal.unwritten();
    shared.going_on.end(run.id);
    let how = match (said, going.why()) {
        (Err(_), None) => How::Panicked,
        (Err(_), Some(why)) => How::Ended(why, said_nothing(Ended::Stopped)),
        // A stop that came after the answer had ended changes nothing.
        (Ok(said), why) if said.ended == Ended::Stopped => {
            How::Ended(why.unwrap_or(Why::Closing), said)
        }
        (Ok(said), _) => How::Said(said),
    };
    (how, unwritten)
}

/// Why the agent does not go on with a turn that is on the disk.
pub(crate) fn wanted_no_more(read: &Read<'_>, run: &Run) -> Result<Option<Why>, StoreError> {
    match agents::get(read, run.agent)?.state {
        AgentState::Paused => return Ok(Some(Why::Paused)),
        AgentState::Terminated => return Ok(Some(Why::Terminated)),
        AgentState::Idle
        | AgentState::Running
        | AgentState::WaitingApproval
        | AgentState::Error => {}
    }
    if is_put_away(read, &groups::get(read, run.group)?)? {
        return Ok(Some(Why::Archived));
    }
    let seat = members::find(read, run.group, Participant::Agent(run.agent))?;
    Ok(seat.is_none().then_some(Why::LeftTheGroup))
}

fn said_nothing(ended: Ended) -> Said {
    let before = Spoken::default();
    Said { text: None, before, for_another: None, usage: Usage::default(), ended }
}

/// An answer that exists is not lost to a full disk: settling is tried until
/// it works or the workspace closes, after which the turn counts as
/// interrupted.
async fn settle_for_sure(shared: &Arc<Shared>, end: End, leave: &CancellationToken) -> After {
    loop {
        match insist(shared, leave, || settle::settle(shared, end.clone())).await {
            Ok(after) => return after,
            Err(fault) if leave.is_cancelled() => {
                tracing::error!(run = %end.run.id, %fault, "a turn could not be settled");
                return After::default();
            }
            Err(fault) => {
                tracing::error!(run = %end.run.id, %fault, "a turn cannot be settled yet");
                rest(CANNOT_WRITE, leave).await;
            }
        }
    }
}
