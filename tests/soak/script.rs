//! What the models say in the soak: mostly a sentence or two, and now and then
//! everything else that a model does.
//!
//! It hangs on the question, so that the same question gets the same answer;
//! only failures come by count, so that trying again helps.

use domain::Usage;
use llm::scripted::Beat;
use llm::{Finish, Grammar, ModelFault, ModelRequest, Role, ToolCallDelta, Trouble};
use serde_json::json;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;
use tests::{speaker, thought};

/// Ends some answers late, so that things happen while somebody writes.
const LATE: Duration = Duration::from_millis(3);

static ASKED: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn answer(request: &ModelRequest) -> Vec<Beat> {
    let n = number_of(request);
    match ASKED.fetch_add(1, Relaxed) % 1000 {
        300 => return vec![fails(Trouble::ServerError)],
        600 => return vec![Beat::Text("I was about to".into()), fails(Trouble::ServerError)],
        900 => return vec![fails(Trouble::Key)],
        _ => {}
    }
    let offered = offered(request);
    if !offered.is_empty() {
        // The last of the choices is nobody.
        let next = offered.get(n % (offered.len() + 1));
        return vec![Beat::Text(json!({"next": next, "why": "it is time"}).to_string())];
    }
    let has_results = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
    let mut beats = match (has_results, n % 20) {
        (false, 0..=3) => vec![calls("a", "calculator", calculation(n))],
        (_, 4) => vec![
            Beat::Text("Let me see.".into()),
            calls("a", "calculator", calculation(n)),
            calls("b", "read_file", json!({"path": "no/such/file.txt"})),
        ],
        (false, 5) => vec![calls("a", "no_such_tool", json!({}))],
        (false, 6..=9) if has_tool(request, "delegate") => {
            let task = format!("Find out what is known about number {n}.");
            vec![calls("a", "delegate", json!({"to": "Scout", "task": task}))]
        }
        _ => words(request, n),
    };
    if n.is_multiple_of(8) {
        beats.push(Beat::Wait(LATE));
    }
    if n.is_multiple_of(2) {
        beats.push(done(request, &beats));
    }
    beats
}

fn number_of(request: &ModelRequest) -> usize {
    let mut hasher = DefaultHasher::new();
    request.turns.iter().for_each(|turn| turn.content.hash(&mut hasher));
    usize::try_from(hasher.finish() % 1_000_000_007).expect("it fits")
}

/// Whom a supervisor may name.
fn offered(request: &ModelRequest) -> Vec<String> {
    let Some(Grammar::JsonSchema(schema)) = &request.grammar else { return Vec::new() };
    let choices = schema["properties"]["next"]["enum"].as_array().into_iter().flatten();
    choices.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn has_tool(request: &ModelRequest, name: &str) -> bool {
    request.tools.iter().any(|tool| tool.name == name)
}

fn calculation(n: usize) -> serde_json::Value {
    json!({"expression": format!("({} - 15%) / 12", n % 10_000)})
}

fn calls(id: &str, name: &str, arguments: serde_json::Value) -> Beat {
    let (id, name, arguments) = (id.to_owned(), Some(name.to_owned()), arguments.to_string());
    Beat::ToolCall(ToolCallDelta { id, name, arguments })
}

fn fails(trouble: Trouble) -> Beat {
    Beat::Fail(ModelFault::new(trouble, "the script says so", "resume the agent"))
}

/// Now and then silence, now and then somebody's name, who may be in the group.
fn words(request: &ModelRequest, n: usize) -> Vec<Beat> {
    let (first, second) = (thought(n), thought(n / 12));
    let text = match n % 7 {
        0 => "[pass]".to_owned(),
        1 | 2 => format!("@{} {first} {n}", neighbour(&speaker(request), n)),
        3 => format!("**{first}** {second} 好的。 {n}"),
        _ => format!("{first} {n}"),
    };
    text.split_inclusive(' ').map(|word| Beat::Text(word.to_owned())).collect()
}

/// Agents are called p0, p1 and so on, and sit beside one another.
fn neighbour(name: &str, n: usize) -> String {
    let own: Option<usize> = name.strip_prefix('p').and_then(|number| number.parse().ok());
    own.map_or_else(|| "Ada".to_owned(), |own| format!("p{}", (own + 1).saturating_sub(n % 2 * 2)))
}

/// Half of the providers say what they counted.
fn done(request: &ModelRequest, beats: &[Beat]) -> Beat {
    let count = |text: &str| text.chars().count();
    let asked: usize = request.turns.iter().map(|turn| count(&turn.content) / 4 + 10).sum();
    let tools: usize = request.tools.iter().map(|tool| count(&tool.description)).sum();
    let called = beats.iter().any(|beat| matches!(beat, Beat::ToolCall(_)));
    let tokens = |n: usize| u32::try_from(n).ok();
    let usage = Usage {
        input_tokens: tokens(asked + tools),
        output_tokens: tokens(beats.len() * 2),
        cached_tokens: tokens(asked / 2),
        cache_write_tokens: None,
    };
    let finish = if called { Finish::ToolCalls } else { Finish::Stop };
    Beat::Done { finish, usage }
}
