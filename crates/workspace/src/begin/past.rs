//! What an agent has lived through in a group, as far as it is still read.

use super::prepare::Standing;
use super::unfinished::Unfinished;
use crate::acts::ASK_USER;
use crate::brief::{self, Left, Placed};
use crate::exchange::{self, Exchange};
use crate::fold::{self, Kept};
use crate::turns;

use agent::Spoken;
use domain::{AgentId, Body, Member, Message, RunId, Step, StepKind};
use std::collections::{HashMap, HashSet};
use store::table::{branches, messages, moderations, steps, tool_calls};
use store::{Read, StoreError};

/// Earlier messages that a brief may draw on, beside all that are unread; how
/// much of it fits is decided later.
const HISTORY: u32 = 2 * fold::MOST_PIECES as u32;
/// More unread messages than this no window holds.
const MOST_UNREAD: u32 = 20_000;

/// What a member has lived through in its group.
pub(super) struct Past {
    pub history: Vec<Placed>,
    /// Earlier messages that are quoted in it.
    pub quoted: Vec<Message>,
    pub left: Left,
}

/// What the member may see: everything unread, and what came before it that no
/// summary stands for. With it goes what the agent did in earlier turns. A turn
/// that goes on stands on what it had read.
pub(super) fn look(
    read: &Read<'_>,
    member: &Member,
    agent: AgentId,
    standing: Standing<'_>,
    kept: &Kept,
) -> Result<Past, StoreError> {
    let Standing { unfinished, reads_to } = standing;
    let after = member.joined_after.max(kept.told);
    let mut history = messages::page(read, member.group, after, None, HISTORY)?;
    let reaches_back_to_cursor = history.first().is_none_or(|oldest| oldest.seq <= member.cursor);
    if !reaches_back_to_cursor && history.len() == HISTORY as usize {
        let after = member.cursor.max(after);
        history = messages::page(read, member.group, after, None, MOST_UNREAD)?;
    }
    if let Some(reads_to) = reads_to {
        history.retain(|message| message.seq <= reads_to);
    }
    let hidden = moderations::hidden(read, member.group)?;
    history.retain(|message| !hidden.contains(&message.id));
    let before = history.first().map_or(after, |oldest| oldest.seq - 1);
    let read_before = messages::read_before(read, member.group, agent, before)?;
    let (mut done, mut left, mut steered) = (Vec::new(), Left::default(), HashSet::new());
    let mut asked = false;
    for turn in turns_with_tools(read, agent, member, before, unfinished)? {
        steered.extend(exchange::steered(&turn.steps));
        asked |= asks(&turn.steps);
        let (turns, said) = exchange::done(&turn.steps);
        done.push((turn.reads_to, turns));
        without_what_is_in_its_turns(&mut history, &turn.steps, &said);
    }
    if let Some(unfinished) = unfinished {
        steered.extend(exchange::steered(&unfinished.steps));
        asked |= asks(&unfinished.steps);
        let Exchange { turns, rounds, unanswered } = unfinished.exchange.clone();
        left = Left { rounds, unanswered };
        done.push((unfinished.reads_to, turns));
    }
    history.retain(|message| !steered.contains(&message.id));
    if asked {
        history = without_answers(read, agent, history)?;
    }
    let mut quoted = quoted(read, member, &history)?;
    quoted.retain(|message| !hidden.contains(&message.id));
    done.retain(|(_, turns)| !turns.is_empty());
    let mut history = brief::as_lived(history, &read_before, done);
    history.retain(|piece| piece.place > kept.told);
    Ok(Past { history, quoted, left })
}

fn asks(steps: &[Step]) -> bool {
    let asks =
        |step: &Step| matches!(&step.kind, StepKind::ToolProposed { tool, .. } if tool == ASK_USER);
    steps.iter().any(asks)
}

/// What an agent said beside its calls is read with them, and not once more in its message.
fn without_what_is_in_its_turns(history: &mut Vec<Message>, steps: &[Step], said: &Spoken) {
    let Some(run) = steps.last().map(|step| step.run).filter(|_| !said.is_empty()) else { return };
    history.retain_mut(|message| {
        let Body::Text { text, .. } = &mut message.body else { return true };
        if message.run != Some(run) {
            return true;
        }
        let says_more = text != said.as_str();
        if says_more {
            *text = said.taken_from(text).to_owned();
        }
        says_more || !message.attachments.is_empty()
    });
}

/// What answered a question is the result of the use that asked it.
fn without_answers(
    read: &Read<'_>,
    agent: AgentId,
    history: Vec<Message>,
) -> Result<Vec<Message>, StoreError> {
    let mut rest = Vec::with_capacity(history.len());
    for message in history {
        if !turns::was_an_answer(read, agent, &message)? {
            rest.push(message);
        }
    }
    Ok(rest)
}

/// One turn of the past, with the steps of all its tries.
struct Earlier {
    steps: Vec<Step>,
    reads_to: i64,
    /// It belongs to the branch that is shown.
    shown: bool,
}

fn turns_with_tools(
    read: &Read<'_>,
    agent: AgentId,
    member: &Member,
    after: i64,
    but: Option<&Unfinished>,
) -> Result<Vec<Earlier>, StoreError> {
    let aside = branches::runs_aside(read, member.group)?;
    let mut turns: Vec<Earlier> = Vec::new();
    let mut place_of: HashMap<RunId, usize> = HashMap::new();
    for run in tool_calls::runs_that_used_tools(read, agent, member.group, after)? {
        if but.is_some_and(|unfinished| unfinished.tries.contains(&run.id)) {
            continue;
        }
        let steps = steps::of_run(read, run.id)?;
        let shown = !aside.contains(&run.id);
        match run.resumes.and_then(|earlier| place_of.get(&earlier).copied()) {
            Some(place) => {
                place_of.insert(run.id, place);
                turns[place].steps.extend(steps);
                turns[place].reads_to = run.reads_to;
                turns[place].shown &= shown;
            }
            None => {
                place_of.insert(run.id, turns.len());
                turns.push(Earlier { steps, reads_to: run.reads_to, shown });
            }
        }
    }
    turns.retain(|turn| turn.shown);
    Ok(turns)
}

/// What is quoted and lies further back, as far as the member may see it.
fn quoted(
    read: &Read<'_>,
    member: &Member,
    history: &[Message],
) -> Result<Vec<Message>, StoreError> {
    let known: HashSet<_> = history.iter().map(|message| message.id).collect();
    let parents = history.iter().filter_map(|message| message.parent);
    let mut quoted = Vec::new();
    for parent in parents.filter(|parent| !known.contains(parent)) {
        let parent = messages::find(read, parent)?;
        quoted.extend(parent.filter(|parent| parent.seq > member.joined_after));
    }
    Ok(quoted)
}
