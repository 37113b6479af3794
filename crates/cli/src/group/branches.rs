//! `coterie group branch|again`: another branch of a conversation, another answer.

use super::log::variants;
use crate::names::Names;
use crate::quiet::{self, Patience};
use crate::screen::Failure;
use crate::session::Session;
use crate::{why, words};
use domain::{Author, Command as Order, Fault, GroupId};

/// The order to show the branch of a message, which may be out of sight.
pub(super) async fn shows(session: &Session, group: GroupId, wanted: &str) -> Result<Order, Fault> {
    let seq = wanted.trim_start_matches('#').parse().ok();
    let all = variants(session, group).await?;
    let found = all.iter().flat_map(|one| &one.all).find(|one| Some(one.seq) == seq);
    let message = match found {
        Some(found) => found.message,
        None => why::message(session, group, wanted).await?.id,
    };
    Ok(Order::ShowBranch { message })
}

pub(super) async fn again(
    session: &Session,
    names: &Names,
    group: GroupId,
    wanted: &str,
    patience: &Patience,
) -> Result<(), Failure> {
    let message = why::message(session, group, wanted).await?;
    let order = Order::AnswerAgain { message: message.id };
    let Author::Agent(agent) = message.author else {
        // It is refused, with the reason.
        session.order(order).await?;
        return Ok(());
    };
    let asked = names.agent(&agent.to_string())?;
    let ordered = quiet::order(session, order, agent, patience).await?;
    ordered.report(session, &(), || words::given_a_turn(asked))
}
