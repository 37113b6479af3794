//! A message that is forgotten, and what is left of its words.

use crate::context::{NOTES, answer, manual, noting, reads, say_sheep, sheep, text};
use domain::{Body, Command, Forgetting, MemoryFilter, Message, MessageId, Notice, Query, Reply};
use llm::scripted::{Beat, Gate, Scripted};
use llm::{ModelRequest, Role, ToolCallDelta};
use serde_json::json;
use tests::{Stage, found_by, in_files, says, stage};

const SECRET: &str = "The safe opens with \"zanzibar\",\nand nobody else is to know that.";
const GONE: Body = Body::Notice { notice: Notice::Removed };

async fn forget(stage: &Stage, message: MessageId) -> Message {
    match stage.do_(Command::ForgetMessage { message }).await {
        Reply::Message(message) => message,
        other => panic!("no message: {other:?}"),
    }
}

async fn forgetting(stage: &Stage, message: MessageId) -> Forgetting {
    match stage.query(Query::Forgetting { message }).await {
        Ok(Reply::Forgetting(forgetting)) => *forgetting,
        other => panic!("not told: {other:?}"),
    }
}

async fn memories(stage: &Stage) -> Vec<String> {
    let query = Query::Memories { filter: MemoryFilter::default(), before: None, limit: 10 };
    match stage.query(query).await {
        Ok(Reply::Memories(page)) => page.memories.into_iter().map(|one| one.text).collect(),
        other => panic!("no memories: {other:?}"),
    }
}

/// Gives a task with what it was told, thinks of it, and says nothing of it.
fn confidant() -> Scripted {
    Scripted::from_fn(|request, _| {
        let asked = request.turns.iter().rfind(|turn| turn.role == Role::User);
        let wants = asked.is_some_and(|turn| turn.content.contains("Count it"));
        let is_done = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
        match wants && !is_done {
            true => vec![
                Beat::Reasoning(format!("So: {SECRET}")),
                Beat::ToolCall(ToolCallDelta {
                    id: "c1".into(),
                    name: Some("calculator".into()),
                    arguments: json!({"expression": format!("1 + {SECRET}")}).to_string(),
                }),
            ],
            false => vec![Beat::Text("I keep it to myself.".into())],
        }
    })
}

fn last(stage: &Stage) -> ModelRequest {
    stage.model.requests().pop().expect("it was asked")
}

#[tokio::test]
async fn a_forgotten_message_is_in_no_file_and_the_conversation_goes_on() {
    let stage = stage()
        .before(|data| {
            std::fs::create_dir_all(data.join("souls")).expect("a folder");
            let soul = "---\nname: Ada\ntools: [\"*\"]\n---\nYou help.\n";
            std::fs::write(data.join("souls/ada.md"), soul).expect("a soul");
        })
        .model(confidant())
        .open()
        .await;
    let group = stage.group(&["Ada"], domain::TurnPolicy::DefaultResponder).await;
    let secret = stage.say(group, SECRET).await;
    stage.say(group, "Count it").await;
    let text = "Is that wise?".to_owned();
    let reply_to = Some(secret.id);
    stage.do_(Command::Post { group, text, reply_to, attachments: Vec::new() }).await;
    stage.quiet().await;
    let fork = Command::Fork { message: secret.id, name: Some("fork".into()) };
    let Reply::Group(fork) = stage.do_(fork).await else { panic!("no fork") };
    assert!(!in_files(stage.data(), "zanzibar").is_empty());
    assert!(found_by(&stage, "zanzibar").await > 0);
    assert_eq!(forgetting(&stage, secret.id).await.copies.len(), 1);

    let gone = forget(&stage, secret.id).await;
    assert_eq!((gone.id, gone.author, &gone.body), (secret.id, secret.author, &GONE));
    assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0]);
    assert_eq!(in_files(stage.data(), "nobody else is to know"), [""; 0]);
    assert_eq!(found_by(&stage, "zanzibar").await, 0);
    assert_eq!(stage.messages(fork.group.id).await[0].body, GONE);
    assert_eq!(forget(&stage, secret.id).await.body, GONE, "once is enough");

    // What was said to it stays, and is answered from.
    stage.say(group, "Go on.").await;
    let sent = format!("{:?}", last(&stage));
    assert!(sent.contains("Is that wise?") && !sent.contains("zanzibar"), "{sent}");
    let stage = stage.reopen().await;
    assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0]);
}

#[tokio::test]
async fn what_was_remembered_and_shown_goes_with_it() {
    let stage = stage().model(says("Nice.")).open().await;
    let ada = stage.direct("Ada").await;
    let attach = Command::Attach { name: "home.txt".into(), base64: "emFuemliYXI=".into() };
    let Reply::Attachment(file) = stage.do_(attach).await else { panic!("no attachment") };
    let post = Command::Post {
        group: ada,
        text: "I live in Zanzibar.".into(),
        reply_to: None,
        attachments: vec![file],
    };
    let Reply::Message(home) = stage.do_(post).await else { panic!("no message") };
    stage.quiet().await;
    stage.until(async |stage| !memories(stage).await.is_empty()).await;
    let told = forgetting(&stage, home.id).await;
    let told: Vec<&str> = told.memories.iter().map(|memory| memory.text.as_str()).collect();
    assert_eq!(memories(&stage).await, told);

    let gone = forget(&stage, home.id).await;
    assert_eq!(gone.attachments, []);
    assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0]);
    assert_eq!(memories(&stage).await, [""; 0]);
}

#[tokio::test]
async fn what_another_message_says_too_was_said_once_less() {
    let stage = stage().model(says("Nice.")).open().await;
    let ada = stage.direct("Ada").await;
    let times = async |stage: &Stage| {
        let filter = MemoryFilter::default();
        match stage.query(Query::Memories { filter, before: None, limit: 10 }).await {
            Ok(Reply::Memories(page)) => page.memories.iter().map(|one| one.evidence).max(),
            other => panic!("no memories: {other:?}"),
        }
    };
    let mut last = None;
    for nth in 1..=3 {
        stage.clock.advance(std::time::Duration::from_secs(60));
        last = Some(stage.say(ada, "I live in Zanzibar.").await.id);
        stage.until(async |stage| times(stage).await == Some(nth)).await;
    }
    forget(&stage, last.expect("it was said")).await;
    assert_eq!((times(&stage).await, memories(&stage).await.len()), (Some(2), 1));
}

#[tokio::test]
async fn an_agents_answer_is_forgotten_as_it_was_written() {
    let script = Scripted::from_fn(|_, n| {
        vec![Beat::Text(match n {
            1 => format!("Ada: {SECRET}"),
            _ => "I said so.".to_owned(),
        })]
    });
    let stage = stage().model(script).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "How does it open?").await;
    stage.say(ada, "Really?").await;
    let answer = stage.messages(ada).await.remove(1);
    assert!(answer.text().is_some_and(|text| text.contains("zanzibar")));
    forget(&stage, answer.id).await;
    assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0]);
    stage.say(ada, "And now?").await;
    assert!(!format!("{:?}", last(&stage)).contains("zanzibar"));
}

#[tokio::test]
async fn a_summary_that_told_of_it_is_forgotten_and_made_anew() {
    let stage = stage().model(noting(|_| text(NOTES))).open().await;
    reads(&stage, 8192).await;
    let group = manual(&stage).await;
    let dolly = stage.post(group, "Dolly jumps first, over the fence and far away.").await;
    say_sheep(&stage, group, 0..300).await;
    answer(&stage, group).await;
    assert!(!in_files(stage.data(), "dolly").is_empty());
    forget(&stage, dolly.id).await;
    assert_eq!(in_files(stage.data(), "dolly"), [""; 0]);
    assert!(!in_files(stage.data(), &sheep(0).to_lowercase()).is_empty());
    answer(&stage, group).await;
    let asked = stage.model.requests();
    let notes = asked.iter().rev().find(|request| crate::context::asks_for_notes(request));
    assert!(notes.is_some_and(|notes| !format!("{notes:?}").contains("Dolly jumps")));
}

#[tokio::test]
async fn who_was_about_to_answer_it_is_stopped_and_owes_nothing() {
    let gate = Gate::new();
    let holds = gate.clone();
    let script =
        Scripted::from_fn(move |_, _| vec![Beat::Gate(holds.clone()), Beat::Text("Never.".into())]);
    let stage = stage().model(script).open().await;
    let ada = stage.direct("Ada").await;
    let secret = stage.post(ada, SECRET).await;
    stage.until(async |stage| !stage.model.requests().is_empty()).await;
    forget(&stage, secret.id).await;
    gate.open();
    stage.quiet().await;
    assert_eq!(stage.messages(ada).await.len(), 1, "nobody answered");
    assert_eq!(in_files(stage.data(), "zanzibar"), [""; 0]);
}

#[tokio::test]
async fn a_short_message_takes_no_other_with_it() {
    let stage = stage().model(says("Yes it is, yes.")).open().await;
    let ada = stage.direct("Ada").await;
    let yes = stage.say(ada, "Yes").await;
    stage.say(ada, "Yes, I think").await;
    forget(&stage, yes.id).await;
    let said: Vec<Option<String>> =
        stage.messages(ada).await.iter().map(|one| one.text().map(str::to_owned)).collect();
    let expected = [None, Some("Yes it is, yes."), Some("Yes, I think"), Some("Yes it is, yes.")];
    assert_eq!(said, expected.map(|text| text.map(str::to_owned)));
    let run = stage.runs().await.into_iter().next_back().expect("a run").id;
    let sent = stage.query(Query::SentRequest { run, n: 1 }).await;
    let Ok(Reply::SentRequest(sent)) = sent else { panic!("nothing was sent") };
    assert!(!sent.turns.iter().any(|turn| turn.content.ends_with("Yes")), "{:?}", sent.turns);
}

#[tokio::test]
async fn what_nobody_said_is_not_forgotten_and_says_so() {
    let stage = stage().model(says("Yes.")).open().await;
    let group = stage.group(&["Ada"], domain::TurnPolicy::Manual).await;
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::AddMember { group, agent, sees: domain::History::All }).await;
    let joined = stage.messages(group).await.remove(0);
    let refused = stage.command(Command::ForgetMessage { message: joined.id }).await;
    let fault = refused.expect_err("a notice");
    assert_eq!(fault.message, "only what somebody said can be forgotten");
}
