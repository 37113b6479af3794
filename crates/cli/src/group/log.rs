//! `coterie group log`: what was said, and the places where words stand in it.

use crate::names::Names;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::transcript;
use crate::visible;
use domain::{Body, Fault, GroupId, Message, Notice, Participant, Query, Reaction, Variants};
use serde::Serialize;

/// A message, and the numbers of those that can stand in its place.
#[derive(Serialize)]
struct Line {
    #[serde(flatten)]
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variants: Vec<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reactions: Vec<Reaction>,
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
    let given = answered!(session.ask(Query::Reactions { group }).await?, Reactions)?;
    let line = |message: Message| Line {
        variants: others(&variants, &message),
        reactions: given.iter().filter(|one| one.item == message.id).cloned().collect(),
        message,
    };
    let lines: Vec<Line> = messages.into_iter().map(line).collect();
    session.screen.many(&lines, |paint| {
        // Where a heartbeat found nothing to do, there is nothing to see.
        let is_heartbeat = |line: &&Line| {
            matches!(line.message.body, Body::Notice { notice: Notice::Heartbeat { .. } })
        };
        let shown = lines.iter().filter(|line| !is_heartbeat(line));
        shown
            .map(|line| {
                let mut entry = transcript::entry(paint, names, &line.message);
                if !line.reactions.is_empty() {
                    let given = line.reactions.iter().map(|one| reaction(names, one));
                    let given = given.collect::<Vec<_>>().join(", ");
                    entry += &paint.faint(&format!("  {}", visible::line(&given)));
                    entry += "\n";
                }
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

/// The newest in which the words stand, oldest first.
pub(super) async fn found(
    session: &Session,
    names: &Names,
    group: GroupId,
    words: String,
    limit: u32,
) -> Result<(), Failure> {
    let places = Query::Occurrences { group, text: words, limit };
    let mut places = answered!(session.ask(places).await?, Occurrences)?;
    places.reverse();
    let mut messages: Vec<Message> = Vec::new();
    for place in places {
        let message = Query::Message { message: place.message };
        messages.push(answered!(session.ask(message).await?, Message)?);
    }
    session.screen.many(&messages, |paint| {
        messages.iter().map(|message| transcript::entry(paint, names, message)).collect()
    });
    Ok(())
}

pub(super) async fn variants(session: &Session, group: GroupId) -> Result<Vec<Variants>, Fault> {
    answered!(session.ask(Query::Variants { group }).await?, Variants)
}

fn reaction(names: &Names, given: &Reaction) -> String {
    let who = match given.who {
        Participant::User => "you".to_owned(),
        Participant::Agent(agent) => {
            names.agent_by_id(agent).map_or_else(|| agent.to_string(), |agent| agent.name.clone())
        }
    };
    format!("{} {who}", given.sign)
}

fn others(variants: &[Variants], message: &Message) -> Vec<i64> {
    let here = variants.iter().filter(|one| one.shown == message.id);
    let others = here.flat_map(|one| &one.all).filter(|one| one.message != message.id);
    others.map(|one| one.seq).collect()
}
