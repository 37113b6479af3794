//! A conversation as Claude exports it: a list of messages and, where a message
//! was edited, several ways through it.

use super::conversation::{Conversation, Turn};
use serde_json::Value;
use std::collections::HashMap;

pub(super) fn conversation(value: &Value) -> Option<Conversation> {
    let messages = value.get("chat_messages")?.as_array()?;
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let (id, title) = (text("uuid"), text("name"));
    let shown = shown_last(messages, &text("current_leaf_message_uuid"));
    let messages = shown.unwrap_or_else(|| messages.iter().collect());
    let shown = messages.iter().map(|message| files(message)).sum();
    let turns = messages.into_iter().filter_map(turn).collect();
    let id = if id.is_empty() { title.clone() } else { id };
    Some(Conversation { id, title, assistant: "Claude", turns, shown })
}

/// The way from the first message to this one, where the messages say who
/// follows whom.
fn shown_last<'a>(messages: &'a [Value], leaf: &str) -> Option<Vec<&'a Value>> {
    let named = |message: &'a Value| Some((message.get("uuid")?.as_str()?, message));
    let by_id: HashMap<&str, &Value> = messages.iter().filter_map(named).collect();
    let mut path = vec![*by_id.get(leaf)?];
    // Who began it follows nobody, or somebody who is not there.
    while path.len() < messages.len() {
        let parent = path.last()?.get("parent_message_uuid")?.as_str()?;
        let Some(message) = by_id.get(parent) else { break };
        path.push(*message);
    }
    path.reverse();
    Some(path)
}

/// How many files a message shows whose text stands in the export.
fn files(message: &Value) -> u32 {
    let says = |file: &&Value| {
        let text = file.get("extracted_content").and_then(Value::as_str);
        text.is_some_and(|text| !text.trim().is_empty())
    };
    let attached = message.get("attachments").and_then(Value::as_array);
    attached.map_or(0, |files| files.iter().filter(says).map(|_| 1).sum())
}

fn turn(message: &Value) -> Option<Turn> {
    let from_person = match message.get("sender")?.as_str()? {
        "human" => true,
        "assistant" => false,
        _ => return None,
    };
    // Beside text there are calls of tools, their results, and thoughts.
    let words = |part: &Value| match part.get("type")?.as_str()? {
        "text" => Some(part.get("text")?.as_str()?.to_owned()),
        _ => None,
    };
    let parts = message.get("content").and_then(Value::as_array);
    let said: Option<Vec<String>> = parts.map(|parts| parts.iter().filter_map(words).collect());
    let plain = || message.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    // Old exports have the text alone.
    let text = match said {
        Some(said) if parts.is_some_and(|parts| !parts.is_empty()) => said.join("\n\n"),
        Some(_) | None => plain(),
    };
    let at = message.get("created_at").and_then(Value::as_str);
    let at_ms = at.and_then(|at| at.parse::<jiff::Timestamp>().ok());
    Some(Turn { from_person, text, at_ms: at_ms.map(jiff::Timestamp::as_millisecond) })
}
