//! A conversation as ChatGPT exports it: a tree of messages, of which the path
//! to `current_node` is what was shown last.

use super::conversation::{Conversation, Turn};
use serde_json::{Map, Value};

pub(super) fn conversation(value: &Value) -> Option<Conversation> {
    let nodes = value.get("mapping")?.as_object()?;
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let id = [text("conversation_id"), text("id")].into_iter().find(|id| !id.is_empty());
    let last = value.get("current_node").and_then(Value::as_str);
    let last = last.filter(|node| nodes.contains_key(*node)).or_else(|| newest_leaf(nodes));
    let mut turns = Vec::new();
    let mut node = last;
    // A path is no longer than there are nodes, even where it leads in a circle.
    for _ in 0..nodes.len() {
        let Some(at) = node.and_then(|id| nodes.get(id)) else { break };
        turns.extend(at.get("message").and_then(turn));
        node = at.get("parent").and_then(Value::as_str);
    }
    turns.reverse();
    let title = text("title");
    Some(Conversation {
        id: id.unwrap_or_else(|| title.clone()),
        title,
        assistant: "ChatGPT",
        turns,
        shown: 0,
    })
}

fn newest_leaf(nodes: &Map<String, Value>) -> Option<&str> {
    let is_leaf =
        |node: &Value| node.get("children").and_then(Value::as_array).is_none_or(Vec::is_empty);
    let at = |node: &Value| node.get("message").and_then(at_ms).unwrap_or(i64::MIN);
    let leaves = nodes.iter().filter(|(_, node)| is_leaf(node));
    leaves.max_by_key(|(_, node)| at(node)).map(|(id, _)| id.as_str())
}

/// What the person or the assistant said to the other. What tools said, what was
/// said to tools, and what nobody saw is none of it.
fn turn(message: &Value) -> Option<Turn> {
    let text = |path: &str| message.pointer(path).and_then(Value::as_str);
    let from_person = match text("/author/role")? {
        "user" => true,
        "assistant" => false,
        _ => return None,
    };
    let hidden = message.pointer("/metadata/is_visually_hidden_from_conversation");
    let to_a_tool = text("/recipient").is_some_and(|recipient| recipient != "all");
    if hidden == Some(&Value::Bool(true)) || to_a_tool {
        return None;
    }
    if !matches!(text("/content/content_type"), Some("text" | "multimodal_text") | None) {
        return None;
    }
    let parts = message.pointer("/content/parts")?.as_array()?;
    // A picture has no words; what was spoken has its transcript.
    let words = |part: &Value| {
        let words = part.as_str().or_else(|| part.get("text")?.as_str())?;
        Some(without_marks(words))
    };
    let said: Vec<String> =
        parts.iter().filter_map(words).filter(|part| !part.is_empty()).collect();
    Some(Turn { from_person, text: said.join("\n\n"), at_ms: at_ms(message) })
}

fn at_ms(message: &Value) -> Option<i64> {
    let seconds = message.get("create_time")?.as_f64()?;
    // Outside of these nobody spoke with it: 2000 to 2200.
    (946_684_800.0..7_258_118_400.0).contains(&seconds).then_some((seconds * 1000.0) as i64)
}

/// Without the places of footnotes, which stand between characters of private use.
fn without_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{e200}') {
        kept += before;
        rest = match after.split_once('\u{e201}') {
            Some((_, after)) => after,
            None => after,
        };
    }
    kept + rest
}
