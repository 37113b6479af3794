//! `coterie group log|branch|again`: a conversation, and its other branches.

use crate::names::Names;
use crate::quiet::{self, Patience};
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::{transcript, why};
use domain::{Author, Command as Order, Fault, GroupId, Message, Query, Variants};
use serde::Serialize;

/// A message, and the numbers of those that can stand in its place.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variants: Vec<i64>,
}

pub(super) async fn log(
    session: &Session,
    names: &Names,
    group: GroupId,
    limit: u32,
    branch: bool,
) -> Result<(), Failure> {
    let messages = Query::Messages { group, before: None, limit };
    let messages = answered!(session.ask(messages).await?, Messages)?;
    let variants = if branch { variants(session, group).await? } else { Vec::new() };
    let lines: Vec<Line> = messages
        .into_iter()
        .map(|message| Line { variants: others(&variants, &message), message })
        .collect();
    session.screen.many(&lines, |paint| {
        lines
            .iter()
            .map(|line| {
                let mut entry = transcript::entry(paint, names, &line.message);
                if !line.variants.is_empty() {
                    let others = line.variants.iter().map(|seq| format!("#{seq}"));
                    let others = others.collect::<Vec<_>>().join(", ");
                    entry += &paint.faint(&format!("  in its place: {others}"));
                    entry += "\n";
                }
                entry
            })
            .collect()
    });
    Ok(())
}

async fn variants(session: &Session, group: GroupId) -> Result<Vec<Variants>, Fault> {
    answered!(session.ask(Query::Variants { group }).await?, Variants)
}

fn others(variants: &[Variants], message: &Message) -> Vec<i64> {
    let here = variants.iter().filter(|one| one.shown == message.id);
    let others = here.flat_map(|one| &one.all).filter(|one| one.message != message.id);
    others.map(|one| one.seq).collect()
}

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
    let ordered = quiet::order(session, order, agent, patience).await?;
    ordered.report(session, &(), || "done".to_owned())
}
