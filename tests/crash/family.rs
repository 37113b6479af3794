//! Agents that give tasks to children of their own: what they are, and what
//! they say.
//!
//! Every post to one of them is a case with a number of its own. A task and
//! what came of it name the case, so that it shows if anything was done twice.

use domain::AgentId;
use llm::scripted::Beat;
use llm::{ModelRequest, Role, ToolCallDelta};
use serde_json::json;
use tests::{speaker, thought};

use super::plan;

/// Souls with whom they may give tasks to, and whether they plan. The first
/// two become agents; the others are only ever children.
pub(crate) const SOULS: &[(&str, &str, &str)] = &[
    ("chief", "scout", "never"),
    ("planner", "scout", "always"),
    ("scout", "digger", "never"),
    ("digger", "", "never"),
];

/// Agents that people write to.
pub(crate) const PARENTS: usize = 2;

pub(crate) fn soul(name: &str, delegates: &str, plans: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>());
    let name = first.unwrap_or_default() + letters.as_str();
    format!(
        "---\nname: {name}\ntools: [\"*\"]\ndelegates: [{delegates}]\nplan: {plans}\n---\nYou are {name}.\n"
    )
}

pub(crate) fn parent(n: usize) -> AgentId {
    AgentId(plan::request("parent", n).0)
}

/// What a person writes.
pub(crate) fn case(n: usize) -> String {
    format!("Look into case#{n}.")
}

/// Nothing, for somebody who is no part of the family.
pub(crate) fn answer(request: &ModelRequest) -> Option<Vec<Beat>> {
    let name = speaker(request);
    let kind = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let heard = request.turns.iter().rfind(|turn| turn.role == Role::User);
    let label = label(heard.map_or("", |turn| &turn.content));
    let has_results = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
    Some(match kind {
        "Chief" if has_results => report(request),
        "Chief" => {
            let mut calls = vec![delegate("a", "scout", &format!("Look into case#{label}a"))];
            if label.ends_with(['1', '4', '7']) {
                calls.push(delegate("b", "scout", &format!("Look into case#{label}b")));
                calls.push(uses("k", "keyed"));
            }
            if label.ends_with(['0', '2', '4', '8']) {
                calls.push(uses("r", "risky"));
            }
            let question = json!({"question": format!("What of case#{label}?")});
            calls.push(call("q", "ask_user", question.to_string()));
            calls
        }
        "Planner" if request.grammar.is_some() => text(planned(request, &label)),
        "Planner" => report(request),
        "Scout" if !has_results && label.ends_with(['a', 'p']) && n(&label).is_multiple_of(2) => {
            vec![delegate("d", "digger", &format!("Dig at case#{label}"))]
        }
        "Scout" | "Digger" => {
            let results = results(request).join(" ");
            text(format!("{} found#{label}. {results}", thought(n(&label))))
        }
        _ => return None,
    })
}

/// One plan for a case, and none where that one was not enough.
fn planned(request: &ModelRequest, label: &str) -> String {
    let asked = request.turns.last().map_or("", |turn| turn.content.as_str());
    if asked.contains("There was a plan already") {
        return r#"{"steps": []}"#.to_owned();
    }
    let task = format!("Look into case#{label}p, as {{{{first}}}}");
    let steps = json!([
        {"id": "first", "tool": "keyed", "arguments": {}},
        {"id": "look", "tool": "delegate", "arguments": {"to": "scout", "task": task}},
        {"id": "last", "tool": "once", "arguments": {}, "after": ["look"]},
    ]);
    json!({ "steps": steps }).to_string()
}

/// Tells what was found, each thing once.
fn report(request: &ModelRequest) -> Vec<Beat> {
    let told: Vec<&str> = of(request, Role::Assistant);
    let news: Vec<&str> = of(request, Role::Tool)
        .into_iter()
        .filter(|result| result.contains("found#") && !told.iter().any(|it| it.contains(result)))
        .collect();
    text(format!("I heard: {}", news.join(" | ")))
}

fn results(request: &ModelRequest) -> Vec<&str> {
    of(request, Role::Tool)
}

fn of(request: &ModelRequest, role: Role) -> Vec<&str> {
    let turns = request.turns.iter().filter(|turn| turn.role == role);
    turns.map(|turn| turn.content.as_str()).collect()
}

/// What the newest case is called.
fn label(heard: &str) -> String {
    let newest = heard.rsplit("case#").next().unwrap_or_default();
    newest.chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn n(label: &str) -> usize {
    let digits: String = label.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

fn delegate(id: &str, to: &str, task: &str) -> Beat {
    call(id, "delegate", json!({"to": to, "task": task}).to_string())
}

fn uses(id: &str, tool: &str) -> Beat {
    call(id, tool, "{}".to_owned())
}

pub(crate) fn call(id: &str, name: &str, arguments: String) -> Beat {
    Beat::ToolCall(ToolCallDelta { id: id.to_owned(), name: Some(name.to_owned()), arguments })
}

fn text(text: String) -> Vec<Beat> {
    text.split_inclusive(' ').map(|word| Beat::Text(word.to_owned())).collect()
}
