//! What the person says to a question, in its own place or in the conversation.

use super::{end, fits};
use crate::shared::Shared;
use crate::{turns, waits};
use domain::{
    AgentId, Asks, Fault, FaultCode, FaultKind, Given, Message, Question, QuestionAnswer,
    QuestionId, QuestionState, Reason, RunId, RunState,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::table::{questions, runs, wakes};
use store::{Durability, Read, StoreError, Write};

/// The answer stands on the disk before anything comes of it. One that comes too
/// late changes nothing.
pub(crate) async fn answer(
    shared: &Arc<Shared>,
    id: QuestionId,
    answer: QuestionAnswer,
) -> Result<Question, Fault> {
    let now = shared.now_ms();
    let beside = shared.clone();
    let answered = shared
        .store
        .write(Durability::Power, move |write| {
            let Some(question) = questions::find(write, id)? else {
                return Err(Fault::not_found(
                    format!("nobody asks the question {id}"),
                    "look under Approvals, or with coterie question list, what is asked",
                ));
            };
            if question.state == QuestionState::Waiting && now >= question.expires_ms {
                // It has to stand, so it is no error in here.
                let expired = end(write, question, QuestionState::Expired, now)?;
                waits::end(write, expired.agent, now)?;
                return Ok(Err(over(QuestionState::Expired)));
            }
            if question.state != QuestionState::Waiting {
                return Ok(Err(over(question.state)));
            }
            let (state, values) = match answer {
                QuestionAnswer::Given { values } => {
                    (QuestionState::Answered, Some(taken(&question, values)?))
                }
                QuestionAnswer::Declined => (QuestionState::Declined, None),
                QuestionAnswer::Dismissed => (QuestionState::Dismissed, None),
            };
            let redactor = beside.safe.redactor();
            let keep = |values| beside.secrets_given.keep(&question, values, redactor);
            let given = values.map(|values| Given::Values { values: keep(values) });
            let answered = end(write, Question { given, ..question }, state, now)?;
            waits::end(write, answered.agent, now)?;
            Ok(Ok(answered))
        })
        .await??;
    fail::fail_point!("question.answered");
    Ok(answered)
}

fn taken(
    question: &Question,
    values: BTreeMap<String, Value>,
) -> Result<BTreeMap<String, Value>, Fault> {
    match &question.asks {
        Asks::Form { fields } => fits(fields, values),
        // To go there, or to let it be asked, is all that is answered.
        Asks::Page { .. } | Asks::Words { .. } => Ok(BTreeMap::new()),
    }
}

fn over(state: QuestionState) -> Fault {
    let message = match state {
        QuestionState::Expired => "the answer came too late: nobody waits for it any more",
        QuestionState::Withdrawn => "the answer came too late: the turn that asked has ended",
        QuestionState::Waiting
        | QuestionState::Answered
        | QuestionState::Declined
        | QuestionState::Dismissed => "this has been answered already",
    };
    Fault::new(FaultCode::Refused, message, "say it to the agent in the conversation")
        .of(FaultKind::QuestionOver { how: state })
}

/// What the person says to agents in a conversation answers what these have asked
/// there. It goes to no server. The turn that waited goes on with it, so it owes no
/// turn of its own, unless it shows something. Gives who has a turn in its place.
pub(crate) fn answer_with(
    write: &mut Write<'_>,
    message: &Message,
    woken: &[AgentId],
    now: i64,
) -> Result<Vec<AgentId>, Fault> {
    let mut next = Vec::new();
    if message.text().is_none_or(|text| text.trim().is_empty()) {
        return Ok(next);
    }
    for agent in woken {
        let mut heard = false;
        for question in questions::waiting_of(write, *agent, Some(message.group))? {
            let is_asked = question.server.is_none() && now < question.expires_ms;
            if is_asked && is_gone_on_with(write, question.run)? {
                let given = Some(Given::Message { message: message.id });
                end(write, Question { given, ..question }, QuestionState::Answered, now)?;
                heard = true;
            }
        }
        if heard {
            waits::end(write, *agent, now)?;
        }
        if heard && message.attachments.is_empty() {
            next.extend(owe_no_turn(write, *agent, message)?);
        }
    }
    Ok(next)
}

/// Whether the run works, or the next one takes it up by itself.
fn is_gone_on_with(read: &Read<'_>, run: RunId) -> Result<bool, StoreError> {
    Ok(match runs::get(read, run)?.state {
        RunState::Running => true,
        RunState::Interrupted => wakes::claimed_by(read, run)?.is_empty(),
        _ => false,
    })
}

fn owe_no_turn(
    write: &mut Write<'_>,
    agent: AgentId,
    message: &Message,
) -> Result<Vec<AgentId>, StoreError> {
    let mut owed = wakes::open_in_group(write, agent, message.group)?;
    owed.retain(|wake| wake.message == message.id);
    turns::dismiss(write, &owed, &Reason::AnswersQuestion)?;
    turns::go_on_without(write, &owed)
}
