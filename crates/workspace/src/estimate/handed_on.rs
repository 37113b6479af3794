//! What may come of a message where the policy hands turns on: everything until the group
//! falls quiet, and not only the first answer.
//!
//! Each message counts as one call of whoever may speak and costs the most, with all that
//! was said before it, as long as there is room in the budgets that all draw on.

use super::{Ahead, Answer, Call, HISTORY, Most};
use crate::budget::Left;
use crate::shared::Shared;
use crate::turn_policy::{Ruling, Seat, is_handed_on};
use crate::{limits, tokens};
use domain::{AgentId, AgentState, Fault, Group, Reason, Verdict};
use store::Read;
use store::table::{agents, messages, settings};

/// Somebody who can be asked, with what it would read at first.
struct Voice {
    call: Call,
    input: u32,
}

impl Voice {
    /// Of a call, once so much was said since then.
    fn most(&self, said: u32) -> Most {
        let room = self.call.window.counted(self.call.window.room(self.call.output));
        self.call.with(self.input.saturating_add(said).min(room.max(self.input)))
    }
}

/// Whether others have their turns after those who are woken.
pub(crate) fn hands_on(rulings: &[Ruling]) -> bool {
    let speaks = |ruling: &Ruling| ruling.verdict == Verdict::Speak;
    rulings.iter().any(|ruling| speaks(ruling) && is_handed_on(&ruling.reason))
}

/// As many messages of agents as the caps leave, and before each the supervisor's decision where one
/// decides, with one more that ends it.
pub(crate) fn until_quiet(
    read: &Read<'_>,
    shared: &Shared,
    group: &Group,
    seats: &[Seat],
    rulings: &[Ruling],
    text: &str,
    mut left: Left,
) -> Result<Ahead, Fault> {
    let most_messages = limits::messages_per_post(&group.caps, group.policy, seats.len());
    let decides = |ruling: &&Ruling| matches!(ruling.reason, Reason::Supervising { .. });
    let supervisor = rulings.iter().find(decides).map(|ruling| ruling.agent);
    let voice = |agent| voice(read, shared, group, agent, text);
    let decides = supervisor.map(voice).transpose()?.flatten();
    let speaks = |seat: &&Seat| match seat.state {
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => !seat.muted,
        AgentState::Paused | AgentState::Error | AgentState::Terminated => false,
    };
    let voices = seats.iter().filter(speaks).map(|seat| voice(seat.agent));
    let voices: Vec<Voice> = voices.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    let longest = voices.iter().map(|voice| voice.call.output).max().unwrap_or(0);

    let mut ahead = Ahead { microusd_at_most: Some(0), ..Ahead::default() };
    for nth in 0..=most_messages {
        let said = longest.saturating_add(tokens::AROUND).saturating_mul(nth);
        let message = voices.iter().map(|voice| voice.most(said)).reduce(Most::or_more);
        let message = message.filter(|_| nth < most_messages);
        for most in decides.iter().map(|voice| voice.most(said)).chain(message) {
            if left.take(most.amount()).is_err() {
                return Ok(ahead);
            }
            ahead.add(&most);
        }
    }
    Ok(ahead)
}

fn voice(
    read: &Read<'_>,
    shared: &Shared,
    group: &Group,
    agent: AgentId,
    text: &str,
) -> Result<Option<Voice>, Fault> {
    let (settings, agent) = (settings::get(read)?, agents::get(read, agent)?);
    let answer = Answer { read, shared, settings: &settings, group, agent: &agent };
    let Some(call) = answer.call()? else { return Ok(None) };
    let history = messages::page(read, group.id, 0, None, HISTORY)?;
    let input = answer.input_at_most(&call, &history, text)?;
    Ok(Some(Voice { call, input }))
}
