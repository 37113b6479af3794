//! A model that reads less than is known of it says so by refusing more.

use domain::{AgentState, Fault, FaultKind, ModelTrouble, ProviderKind, StepKind};
use serde_json::json;
use tests::fake_server::{FakeServer, Reply};
use tests::{Stage, connected_as};

const LINE: &str = "POST /v1/chat/completions";

fn too_long(said: &str) -> Reply {
    Reply::refusal("400 Bad Request", &json!({"error": {"message": said}}))
}

/// Questions with answers, together some 11,000 tokens.
async fn long_talk(server: &FakeServer, stage: &Stage) -> domain::GroupId {
    let ada = stage.direct("Ada").await;
    for n in 0..12 {
        server.once(LINE, Reply::saying(&format!("Chapter {n} read.")));
        let chapter =
            format!("Chapter {n}: {}", format!("the sea was calm on day {n}. ").repeat(120));
        stage.say(ada, &chapter).await;
    }
    ada
}

/// What it was sent last, in bytes.
fn sent(server: &FakeServer) -> usize {
    server.requests().last().expect("it was asked").json()["messages"].to_string().len()
}

async fn retried(stage: &Stage) -> usize {
    let run = stage.runs().await.pop().expect("a run");
    let is_retried = |kind: &StepKind| {
        let StepKind::Retried { fault: Fault { kind: Some(kind), .. }, .. } = kind else {
            return false;
        };
        **kind == FaultKind::Model { trouble: ModelTrouble::TooLong }
    };
    let steps = stage.run(run.id).await.steps;
    steps.iter().filter(|step| is_retried(&step.kind)).count()
}

#[tokio::test]
async fn it_is_asked_again_for_what_fits_and_known_to_read_so_much_from_then_on() {
    let server = FakeServer::start().await;
    let stage = connected_as(&server, ProviderKind::Openai).await;
    let ada = long_talk(&server, &stage).await;
    let before = sent(&server);
    server.once(
        LINE,
        too_long(
            "This model's maximum context length is 4096 tokens. However, you requested 6507.",
        ),
    );
    server.once(LINE, Reply::saying("Still here."));
    stage.say(ada, "And what is 2+2?").await;
    assert_eq!(
        stage.messages(ada).await.pop().and_then(|one| one.text().map(str::to_owned)).as_deref(),
        Some("Still here.")
    );
    assert!(sent(&server) < before / 4 * 3, "{} of {before}", sent(&server));
    assert_eq!(retried(&stage).await, 1, "and it is on record");
    let models = stage.overview().await.providers.into_iter().flat_map(|provider| provider.models);
    let known: Vec<Option<u32>> =
        models.filter(|model| model.name == "m1").map(|model| model.context_tokens).collect();
    assert_eq!(known, [Some(4096)]);
    // The next turn is made for that window at once.
    server.always(LINE, Reply::saying("Good."));
    stage.say(ada, "Good.").await;
    assert_eq!(retried(&stage).await, 0);
    assert_eq!(stage.agent("Ada").await.state, AgentState::Idle);
}

#[tokio::test]
async fn where_it_does_not_say_how_much_it_is_asked_for_less_a_few_times_and_stops_nobody() {
    let server = FakeServer::start().await;
    let stage = connected_as(&server, ProviderKind::Openai).await;
    let ada = long_talk(&server, &stage).await;
    for _ in 0..4 {
        server.once(LINE, too_long("Please reduce the length of the messages."));
    }
    stage.say(ada, "And what is 2+2?").await;
    assert_eq!(retried(&stage).await, 3);
    assert_eq!(stage.agent("Ada").await.state, AgentState::Idle, "it is about this conversation");
    let elsewhere = stage.group(&["Ada"], domain::TurnPolicy::Broadcast).await;
    server.once(LINE, Reply::saying("Four."));
    stage.say(elsewhere, "What is 2+2?").await;
    assert_eq!(
        stage
            .messages(elsewhere)
            .await
            .pop()
            .and_then(|one| one.text().map(str::to_owned))
            .as_deref(),
        Some("Four.")
    );
}

/// Where every message is short there is nothing to shorten: the oldest are left out.
#[tokio::test]
async fn a_long_talk_of_short_messages_fits_too() {
    let server = FakeServer::start().await;
    let stage = connected_as(&server, ProviderKind::Openai).await;
    let ada = stage.direct("Ada").await;
    for n in 0..40 {
        server
            .once(LINE, Reply::saying(&format!("On day {n} it was calm, and nobody said a word.")));
        stage.say(ada, &format!("Day {n}: the sea was calm and the sun stood high over us all day long, for once.")).await;
    }
    let before = sent(&server);
    server.once(LINE, too_long("maximum context length is 1400 tokens, you requested 2600"));
    server.once(LINE, Reply::saying("Still here."));
    stage.say(ada, "And what is 2+2?").await;
    let answer = stage.messages(ada).await.pop().and_then(|one| one.text().map(str::to_owned));
    assert_eq!(answer.as_deref(), Some("Still here."));
    assert!(sent(&server) < before, "{} of {before}", sent(&server));
    let question = server.requests().pop().expect("it was asked").json()["messages"].to_string();
    assert!(question.contains("What was said before has no room here"), "{question}");
    assert!(question.contains("Day 39") && !question.contains("Day 0:"), "{question}");
}
