//! What agents, and the servers that they use, want to know from the person.
//!
//! A question is on the disk before anybody sees it, and so is its answer before
//! anything comes of it. It belongs to one use of a tool and ends with it: a late
//! answer begins nothing. What an agent asks outlives the process, since its use is
//! gone on with. What a server asks does not, since the server does not. Nobody has
//! to answer: to go without an answer is one, too.

mod answer;
mod fits;
mod heard;
mod sounds;

pub(crate) use answer::{answer, answer_with};
pub(crate) use fits::fits;
pub(crate) use heard::{Heard, Secrets, heard, over};
pub(crate) use sounds::sounds_secret;

use crate::held_up::insist;
use crate::shared::Shared;
use crate::waits;
use domain::{
    AgentId, Asks, CallId, Fault, GroupId, Question, QuestionId, QuestionState, RunId, RunState,
};
use std::sync::Arc;
use store::table::{questions, runs, settings};
use store::{Durability, Read, StoreError, Write};

/// Questions of one agent that wait at the same time, its servers' among them.
const MOST_OPEN: usize = 3;
/// Questions of one use of a tool.
const MOST_OF_A_USE: usize = 10;
const MINUTE_MS: i64 = 60_000;

/// A question before it is asked.
#[derive(Debug, Clone)]
pub(crate) struct New {
    pub id: QuestionId,
    pub call: CallId,
    pub run: RunId,
    pub server: Option<String>,
    pub text: String,
    pub asks: Asks,
}

/// Asks, or goes on with what was asked under this id before. The inner error says
/// why it is not asked.
pub(crate) async fn ask(shared: &Arc<Shared>, new: New) -> Result<Result<Question, String>, Fault> {
    let now = shared.now_ms();
    let written = || {
        let new = new.clone();
        shared.store.write(Durability::Power, move |write| ask_in(write, new, now))
    };
    let asked = insist(shared, &shared.closing, written).await;
    fail::fail_point!("question.asked");
    asked
}

fn ask_in(write: &mut Write<'_>, new: New, now: i64) -> Result<Result<Question, String>, Fault> {
    let New { id, call, run, server, text, asks } = new;
    let run = runs::get(write, run)?;
    if run.state != RunState::Running {
        return Ok(Err("the turn that it is asked in has ended".to_owned()));
    }
    if let Some(asked) = questions::find(write, id)? {
        // Its turn has been taken up again.
        let asked = Question { run: run.id, ..asked };
        if asked.state == QuestionState::Waiting && now < asked.expires_ms {
            questions::put(write, &asked)?;
            waits::begin(write, run.agent, now)?;
        }
        return Ok(Ok(asked));
    }
    if questions::waiting_of(write, run.agent, None)?.len() >= MOST_OPEN {
        return Ok(Err(format!(
            "{MOST_OPEN} questions wait for the person already, which is the most"
        )));
    }
    if questions::of_call(write, call)?.len() >= MOST_OF_A_USE {
        return Ok(Err(format!("{MOST_OF_A_USE} questions in one use of a tool are the most")));
    }
    let minutes = settings::get(write)?.approvals.minutes;
    let question = Question {
        id,
        call,
        run: run.id,
        agent: run.agent,
        group: run.group,
        server,
        text,
        asks,
        state: QuestionState::Waiting,
        given: None,
        asked_ms: now,
        expires_ms: now + i64::from(minutes) * MINUTE_MS,
        answered_ms: None,
    };
    questions::put(write, &question)?;
    waits::begin(write, run.agent, now)?;
    Ok(Ok(question))
}

/// What waits for the person, oldest first.
pub(crate) fn waiting(read: &Read<'_>, now: i64) -> Result<Vec<Question>, StoreError> {
    let mut waiting = questions::waiting(read)?;
    waiting.retain(|question| now < question.expires_ms);
    Ok(waiting)
}

/// Before anybody works: the servers that asked have ended.
pub(crate) fn at_start(write: &mut Write<'_>, now: i64) -> Result<(), StoreError> {
    for question in questions::waiting(write)?.into_iter().filter(|one| one.server.is_some()) {
        end(write, question, QuestionState::Withdrawn, now)?;
    }
    Ok(())
}

/// Nobody waits for what the agent and its servers have asked, but for these uses.
pub(crate) fn withdraw(
    write: &mut Write<'_>,
    agent: AgentId,
    group: Option<GroupId>,
    but: &[CallId],
    now: i64,
) -> Result<(), StoreError> {
    for question in questions::waiting_of(write, agent, group)? {
        if !but.contains(&question.call) {
            end(write, question, QuestionState::Withdrawn, now)?;
        }
    }
    Ok(())
}

/// The same for one use; gives whether there was something to withdraw.
pub(crate) fn withdraw_one(
    write: &mut Write<'_>,
    call: CallId,
    now: i64,
) -> Result<bool, StoreError> {
    let mut waiting = questions::of_call(write, call)?;
    waiting.retain(|question| question.state == QuestionState::Waiting);
    let any = !waiting.is_empty();
    for question in waiting {
        end(write, question, QuestionState::Withdrawn, now)?;
    }
    Ok(any)
}

fn end(
    write: &mut Write<'_>,
    question: Question,
    state: QuestionState,
    now: i64,
) -> Result<Question, StoreError> {
    let ended = Question { state, answered_ms: Some(now), ..question };
    questions::put(write, &ended)?;
    Ok(ended)
}
