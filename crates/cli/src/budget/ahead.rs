//! What a message may cost, said before it wakes several agents; in the feed also when they
//! answer.

use crate::money::dollars;
use crate::names::Names;
use crate::session::{Session, answered};
use crate::words;
use domain::{
    AgentId, BudgetScope, Fault, FeedPlace, GroupId, MessageId, Query, WouldAnswer, WouldWake,
};

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

/// The same before something is written in the feed.
pub(crate) async fn tell_in_feed(
    session: &Session,
    place: FeedPlace,
    text: &str,
) -> Result<(), Fault> {
    if !session.screen.is_plain() {
        return Ok(());
    }
    let query = Query::WouldAnswer { place, text: text.to_owned() };
    let would = answered!(session.ask(query).await?, WouldAnswer)?;
    if let Some(told) = told_in_feed(&would, &session.names().await?) {
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
    let count = match would.hands_on {
        true if would.messages_at_most == 1 => "the group for 1 message".to_owned(),
        true => format!("the group for up to {} messages", would.messages_at_most),
        false => counted(agents.len()),
    };
    let sums = sums(*tokens_at_most, *microusd_at_most);
    Some(format!("wakes {count}, {sums}{}", without(beyond, *over, names)))
}

/// Nothing where there is only one to be woken.
fn told_in_feed(would: &WouldAnswer, names: &Names) -> Option<String> {
    let WouldAnswer { at_once, by_tick, beyond, over, tokens_at_most, microusd_at_most, .. } =
        would;
    if at_once.len() + by_tick.len() + beyond.len() < 2 {
        return None;
    }
    let count = match (at_once.len(), by_tick.len()) {
        (now, 0) => format!("{} at once", counted(now)),
        (0, then) => format!("{} at the next tick", counted(then)),
        (now, then) => format!("{} at once, {} at the next tick", counted(now), counted(then)),
    };
    let sums = sums(*tokens_at_most, *microusd_at_most);
    Some(format!("wakes {count}, {sums}{}", without(beyond, *over, names)))
}

fn counted(agents: usize) -> String {
    match agents {
        1 => "1 agent".to_owned(),
        n => format!("{n} agents"),
    }
}

fn sums(tokens_at_most: i64, microusd_at_most: Option<i64>) -> String {
    let cost = microusd_at_most.map(|cost| format!(", {}", dollars(cost)));
    format!("about {tokens_at_most} tokens{}", cost.unwrap_or_default())
}

/// Who is not woken too; empty where nobody is left out.
fn without(beyond: &[AgentId], over: Option<BudgetScope>, names: &Names) -> String {
    let Some(scope) = over else { return String::new() };
    let budget = words::budget(scope, |agent| names.agent_name(agent));
    let silent: Vec<_> = beyond.iter().map(|agent| names.agent_name(*agent)).collect();
    format!("; {budget} is not enough to wake {} too", silent.join(", "))
}
