//! What a message may cost, said before it wakes several agents.

use crate::money::dollars;
use crate::names::Names;
use crate::session::{Session, answered};
use crate::words;
use domain::{Fault, GroupId, MessageId, Query, WouldWake};

/// Says it to a person, and who is not woken for want of room. Nobody is asked
/// whether to go on: the workspace wakes no more than there is room for.
pub(crate) async fn tell(
    session: &Session,
    names: &Names,
    group: GroupId,
    text: &str,
    reply_to: Option<MessageId>,
) -> Result<(), Fault> {
    if !session.screen.is_plain() {
        return Ok(());
    }
    let query = Query::WouldWake { group, text: text.to_owned(), reply_to };
    let would = answered!(session.ask(query).await?, WouldWake)?;
    if let Some(told) = told(&would, names) {
        session.screen.aside(&told);
    }
    Ok(())
}

/// Nothing where there is only one to be woken, or no room for any: the first says so itself.
fn told(would: &WouldWake, names: &Names) -> Option<String> {
    let WouldWake { agents, beyond, over, tokens_at_most, microusd_at_most, .. } = would;
    let (is_one, has_no_room) = (agents.len() + beyond.len() < 2, *tokens_at_most == 0);
    if (is_one && !would.hands_on) || (has_no_room && would.hands_on) {
        return None;
    }
    let count = match (would.hands_on, agents.len()) {
        (true, _) if would.messages_at_most == 1 => "the group for 1 message".to_owned(),
        (true, _) => format!("the group for up to {} messages", would.messages_at_most),
        (false, 1) => "1 agent".to_owned(),
        (false, n) => format!("{n} agents"),
    };
    let cost = microusd_at_most.map(|cost| format!(", {}", dollars(cost)));
    let cost = cost.unwrap_or_default();
    let mut told = format!("wakes {count}, about {tokens_at_most} tokens{cost}");
    if let Some(scope) = over {
        let budget = words::budget(*scope, |agent| names.agent_name(agent));
        let silent: Vec<_> = beyond.iter().map(|agent| names.agent_name(*agent)).collect();
        let silent = silent.join(", ");
        told.push_str(&format!("; {budget} is not enough to wake {silent} too"));
    }
    Some(told)
}
