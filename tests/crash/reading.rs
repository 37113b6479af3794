//! Somebody whose model reads little at once: its conversation is folded again and
//! again.

use super::{Outcome, must, new, plan};
use domain::{AgentId, Command, GroupId, ModelInfo, TurnPolicy};
use door::Door;
use llm::ModelRequest;
use llm::scripted::Beat;
use tests::{speaker, thought};

/// How often it is asked for an answer.
const ASKED: usize = 4;
/// What is said before each time, for it to read.
const ASIDES: usize = 5;

/// What it reads at once, beside a system prompt and an answer: less than is said.
pub(crate) fn model() -> ModelInfo {
    ModelInfo::new("small", Some(2_048))
}

pub(crate) async fn set_up(door: &Door, others: &[AgentId]) -> Outcome<GroupId> {
    let text =
        "---\nname: Reader\nmodel: test/small\ntools: []\nplan: never\n---\nYou are Reader.\n";
    let soul = || "reader".to_owned();
    must(door, new(), Command::SaveSoul { soul: soul(), text: text.into(), base_hash: None })
        .await?;
    let id = plan::request("reader", 0);
    let agent = Command::NewAgent { soul: soul(), name: None, model: None, parent: None };
    must(door, id, agent).await?;
    let members = [&[AgentId(id.0)], others].concat();
    let id = plan::request("reading", 0);
    let policy = Some(TurnPolicy::Mention);
    must(door, id, Command::NewGroup { name: None, members, policy }).await?;
    Ok(GroupId(id.0))
}

pub(crate) async fn post(door: &Door, group: GroupId) -> Outcome<()> {
    for n in 0..ASKED {
        for aside in (0..ASIDES).map(|aside| n * ASIDES + aside) {
            let text = format!("Page {aside}. {}", thought(aside).repeat(12));
            say(door, group, "aside", aside, text).await?;
        }
        say(door, group, "question", n, format!("@Reader what have you read, {n}?")).await?;
    }
    Ok(())
}

async fn say(door: &Door, group: GroupId, kind: &str, n: usize, text: String) -> Outcome<()> {
    let post = Command::Post { group, text, reply_to: None, attachments: Vec::new() };
    must(door, plan::request(kind, n), post).await
}

/// Nothing, for somebody else.
pub(crate) fn answer(request: &ModelRequest, n: usize) -> Option<Vec<Beat>> {
    let text = match request.turns[0].content.starts_with("You write the notes from which") {
        true => format!("Pages were read aloud, {n} of them."),
        false if speaker(request) == "Reader" => format!("{} {n}", thought(n)),
        false => return None,
    };
    Some(text.split_inclusive(' ').map(|word| Beat::Text(word.to_owned())).collect())
}
