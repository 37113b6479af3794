//! What of messages and runs is found by its words.
//!
//! A run's last words are a message, and what caused it is one too: those are
//! found as what they are. Of the run itself there is who had it, where, with
//! which model; what it meant to do, which tools it used on what, and what went
//! wrong. What tools gave and what models thought is not looked through: a file
//! that was read once would be found in every run that read it.

use domain::{Author, CallState, GroupId, Outcome, PlanAction, Run, StepKind};
use search::Item;
use serde_json::Value;
use store::table::outbox::Text;
use store::table::{messages, runs, steps};
use store::{Read, StoreError};

/// More of a run is not what anybody remembers of it.
const MOST_CHARACTERS: usize = 20_000;

/// How the index calls what a text is of. Posts will be another.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Message = 0,
    Run = 1,
}

/// How many kinds a key can tell apart.
const KINDS: u64 = 8;

/// How the index calls a text.
pub(super) fn key(text: Text) -> u64 {
    let (seq, kind) = match text {
        Text::Message(seq) => (seq, Kind::Message),
        Text::Run(seq) => (seq, Kind::Run),
    };
    seq as u64 * KINDS + kind as u64
}

pub(super) fn of_key(key: u64) -> Text {
    let seq = (key / KINDS) as i64;
    if key % KINDS == Kind::Run as u64 { Text::Run(seq) } else { Text::Message(seq) }
}

/// How the index calls what somebody said or did in a group.
pub(super) fn pool(group: GroupId, author: Author) -> u64 {
    let who = match author {
        Author::User => 1,
        Author::System => 2,
        // The random half of an id; it is mixed, so that no two pairs meet.
        Author::Agent(agent) => agent.0.as_u64_pair().1,
        Author::Outside(pass) => pass.0.as_u64_pair().1,
        Author::Source(source) => source.0.as_u64_pair().1,
    };
    group.0.as_u64_pair().1.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ who
}

/// What the index is given; `None` for what is not there any more, or says nothing.
pub(super) fn item(read: &Read<'_>, text: Text) -> Result<Option<Item>, StoreError> {
    let item = |kind: Kind, pool, at_ms, words: String| Item {
        key: key(text),
        pool,
        kind: kind as u8,
        at_ms,
        turn: None,
        text: words,
    };
    Ok(match text {
        Text::Message(seq) => messages::by_seq(read, seq)?.and_then(|message| {
            let pool = pool(message.group, message.author);
            Some(item(Kind::Message, pool, message.at_ms, message.text()?.to_owned()))
        }),
        Text::Run(seq) => match runs::by_seq(read, seq)? {
            Some(run) => {
                let words = of_run(read, &run)?.join("\n");
                let pool = pool(run.group, Author::Agent(run.agent));
                Some(item(Kind::Run, pool, run.started_ms, words))
            }
            None => None,
        },
    })
}

/// What a run is found by, in lines.
pub(super) fn of_run(read: &Read<'_>, run: &Run) -> Result<Vec<String>, StoreError> {
    let named = runs::named(read, run.id)?;
    let mut lines = vec![format!("{}, {}", named.agent_name, named.group_name)];
    lines.push(run.model.clone());
    if let Some(Outcome::Failed { fault }) = &run.outcome {
        lines.push(fault.message.clone());
    }
    for step in steps::of_run(read, run.id)? {
        match step.kind {
            StepKind::Planned { plan } => {
                lines.extend(plan.steps.into_iter().map(|step| match step.action {
                    PlanAction::Tool { tool, arguments } => used(&tool, &arguments),
                    PlanAction::Reply { about } => about,
                }));
            }
            StepKind::Replanned { because, .. } => lines.push(because),
            StepKind::ToolProposed { tool, arguments, .. } => {
                let arguments = serde_json::from_str(&arguments);
                lines.push(used(
                    &tool,
                    &arguments.unwrap_or_else(|broken: serde_json::Error| {
                        Value::String(broken.to_string())
                    }),
                ));
            }
            StepKind::ToolReturned {
                state:
                    CallState::Failed
                    | CallState::Refused
                    | CallState::Denied
                    | CallState::Expired
                    | CallState::Blocked,
                text,
                ..
            } => lines.push(text),
            StepKind::Retried { fault, .. } | StepKind::FellBack { fault, .. } => {
                lines.push(fault.message);
            }
            _ => {}
        }
    }
    let mut left = MOST_CHARACTERS;
    for line in &mut lines {
        let characters = line.chars().count();
        if characters > left {
            *line = line.chars().take(left).collect();
        }
        left = left.saturating_sub(characters);
    }
    lines.retain(|line| !line.is_empty());
    Ok(lines)
}

/// A use of a tool as a person would say it, without the marks of JSON, which
/// would stick to its words.
fn used(tool: &str, arguments: &Value) -> String {
    let mut words = String::from(tool);
    put(arguments, &mut words);
    words
}

fn put(value: &Value, words: &mut String) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                *words += &format!(" {name}:");
                put(value, words);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| put(value, words)),
        Value::String(text) => *words += &format!(" {text}"),
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => *words += &format!(" {value}"),
    }
}
