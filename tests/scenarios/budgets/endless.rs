//! A provider that does not keep to the most it was told: its answer ends all
//! the same, in whatever the model was asked for.

use super::{budget, limit, price, settled};
use domain::{
    Body, BudgetScope, Command, Line, ModelCall, ModelInfo, ModelRole, Outcome, Provider,
    ProviderKind, Reply, RequestId, RunState, Speaker, TurnPolicy,
};
use llm::scripted::{Beat, Scripted};
use llm::{ModelFault, ModelRequest, ToolCallDelta, Trouble};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tests::fake_server::{self, FakeServer, words};
use tests::{Stage, connected, stage};
use uuid::Uuid;

const MOST: u32 = 400;
const PIECE: &str = "endlessly ";

/// Far more than it may write, and then it neither writes on nor ends.
fn without_end(piece: impl Fn(&str) -> Beat) -> Vec<Beat> {
    (0..2_000).map(|_| piece(PIECE)).chain([Beat::Hang]).collect()
}

fn words_without_end() -> Vec<Beat> {
    without_end(|text| Beat::Text(text.into()))
}

fn arguments_without_end() -> Vec<Beat> {
    without_end(|text| {
        let name = Some("calculator".to_owned());
        Beat::ToolCall(ToolCallDelta { id: "c1".into(), name, arguments: text.into() })
    })
}

/// Where Ada and Bo may write so much, and Ada's soul says this too.
async fn where_little_is_written(soul: &'static str, model: Scripted) -> Stage {
    let write = move |data: &Path| {
        std::fs::create_dir_all(data.join("souls")).expect("the folder can be written");
        for name in ["Ada", "Bo"] {
            let text = format!("---\nname: {name}\nmax_tokens: {MOST}\n{soul}---\nYou write.\n");
            let file = data.join("souls").join(format!("{}.md", name.to_lowercase()));
            std::fs::write(file, text).expect("the folder can be written");
        }
    };
    let stage = stage().model(model).before(write).open().await;
    price(&stage, "test/*").await;
    stage
}

async fn calls(stage: &Stage) -> Vec<ModelCall> {
    let mut calls = Vec::new();
    for run in stage.runs().await {
        calls.extend(stage.run(run.id).await.calls);
    }
    calls
}

/// Each call was ended, not by the model, and costs what came.
async fn are_all_cut(stage: &Stage, what: &str) {
    let requests = stage.model.requests();
    stage.model.dropped(requests.len()).await;
    let calls = calls(stage).await;
    assert_eq!(calls.len(), requests.len(), "{what}");
    for (call, request) in calls.iter().zip(&requests) {
        let written = call.usage.output_tokens.expect("it is counted");
        let most = request.max_tokens + request.max_tokens / 4 + PIECE.len() as u32;
        assert!(
            call.estimated && (request.max_tokens..=most).contains(&written),
            "{what}: {call:?}"
        );
        assert!(call.cost_microusd > Some(0), "{what}: {call:?}");
    }
    let day = budget(stage, BudgetScope::Day).await;
    let spent = calls.iter().flat_map(|call| [call.usage.input_tokens, call.usage.output_tokens]);
    assert_eq!(day.spent_tokens, spent.flatten().map(i64::from).sum::<i64>(), "{what}");
    assert_eq!((day.reserved_tokens, day.reserved_microusd), (0, 0), "{what}");
}

#[tokio::test]
async fn an_answer_ends_a_quarter_past_its_most_whatever_it_consists_of() {
    type Answer = fn() -> Vec<Beat>;
    let answers: [(&str, Answer, bool); 4] = [
        ("words", words_without_end, true),
        ("thoughts", || without_end(|text| Beat::Reasoning(text.into())), false),
        ("the arguments of a call", arguments_without_end, false),
        ("nothing at all", || (0..9_000).map(|_| Beat::Text(String::new())).collect(), false),
    ];
    for (what, answer, is_said) in answers {
        let stage = where_little_is_written("", Scripted::from_fn(move |_, _| answer())).await;
        let ada = stage.direct("Ada").await;
        stage.post(ada, "write").await;
        settled(&stage).await;
        are_all_cut(&stage, what).await;
        let run = stage.runs().await.pop().unwrap();
        match run.outcome.unwrap() {
            Outcome::Replied { message, .. } => {
                let all = stage.messages(ada).await;
                let said = all.into_iter().find(|said| said.id == message).unwrap();
                assert!(
                    is_said && matches!(said.body, Body::Text { cut_short: true, .. }),
                    "{what}"
                );
            }
            // Nothing was said, and a person is to know why.
            Outcome::Failed { fault } => {
                assert!(!is_said && fault.message.contains("was cut off"), "{what}: {fault}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn in_han_characters_it_ends_at_twice_its_most_for_two_of_them_may_be_one_token() {
    let model = Scripted::from_fn(|_, _| {
        (0..500).map(|_| Beat::Text("没完没了地写".into())).chain([Beat::Hang]).collect()
    });
    let stage = where_little_is_written("", model).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "write").await;
    let [call] = &calls(&stage).await[..] else { panic!("one call") };
    let written = call.usage.output_tokens.unwrap();
    assert!(call.estimated && (2 * MOST..2 * MOST + 10).contains(&written), "{call:?}");
}

#[tokio::test]
async fn it_ends_wherever_a_model_is_asked() {
    // A plan, and what is asked where none came.
    let stage =
        where_little_is_written("plan: always\n", Scripted::from_fn(|_, _| words_without_end()));
    let stage = stage.await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Calculate it, and then write it down").await;
    assert!(stage.model.requests()[0].grammar.is_some());
    are_all_cut(&stage, "a plan").await;

    // A supervisor's choice, and the answer of whoever speaks in its place.
    let stage = where_little_is_written("", Scripted::from_fn(|_, _| words_without_end())).await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Supervisor).await;
    stage.say(group, "hello").await;
    assert!(stage.model.requests()[0].grammar.is_some() && stage.model.requests().len() > 1);
    are_all_cut(&stage, "a supervisor").await;

    // A turn by itself.
    let stage = where_little_is_written("", Scripted::from_fn(|_, _| words_without_end())).await;
    let agent = stage.agent("Ada").await.id;
    let dialog = vec![Line { role: Speaker::User, content: "write".into() }];
    let id = RequestId(Uuid::now_v7());
    let Ok(Reply::RunOnce(once)) = stage.send(id, Command::RunOnce { agent, dialog }).await else {
        panic!("no turn")
    };
    assert!(once.reply.is_some_and(|text| text.starts_with(PIECE)));
    are_all_cut(&stage, "run once").await;
}

fn asks_for_notes(request: &ModelRequest) -> bool {
    request.turns[0].content.starts_with("You write the notes from which")
}

#[tokio::test]
async fn notes_on_a_long_conversation_end_and_so_does_the_answer_of_a_fallback() {
    let stage = where_little_is_written("", Scripted::from_fn(|_, _| words_without_end())).await;
    let group = stage.group(&["Ada"], TurnPolicy::Manual).await;
    for n in 0..400 {
        stage.post(group, &format!("{n} {}", "and so on ".repeat(30))).await;
    }
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::SpeakNow { group, agent }).await;
    stage.quiet().await;
    assert!(asks_for_notes(&stage.model.requests()[0]));
    are_all_cut(&stage, "notes").await;

    let model = Scripted::from_fn(|request, _| match request.model.as_str() {
        "spare" => words_without_end(),
        _ => vec![Beat::Fail(ModelFault::new(Trouble::Refused, "no", "ask another"))],
    });
    let stage = where_little_is_written("", model).await;
    let info = ModelInfo::new("spare", Some(32_000));
    let provider = Provider {
        name: "acme".into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: vec![info],
    };
    stage.do_(Command::save_provider(provider)).await;
    let (role, model) = (ModelRole::Fallback, "acme/spare".to_owned());
    stage.do_(Command::UseModel { role, model }).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "write").await;
    stage.model.dropped(1).await;
    let [refused, cut] = &calls(&stage).await[..] else { panic!("two calls") };
    assert_eq!(refused.usage.output_tokens, None);
    assert!(cut.model == "acme/spare" && cut.usage.output_tokens <= Some(MOST + MOST / 4 + 10));
}

#[tokio::test]
async fn beyond_its_most_an_answer_goes_on_only_while_the_budgets_have_room_for_it() {
    let stage = where_little_is_written("", Scripted::from_fn(|_, _| words_without_end())).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "write").await;
    let [call] = &calls(&stage).await[..] else { panic!("one call") };
    let read = i64::from(call.usage.input_tokens.unwrap());
    assert!(call.usage.output_tokens > Some(MOST + MOST / 5), "there was room");

    // Enough for one more call, and not for a token beyond it.
    let spent = budget(&stage, BudgetScope::Day).await.spent_tokens;
    let most = spent + read + i64::from(call.usage.output_tokens.unwrap()) + 200 + i64::from(MOST);
    limit(&stage, BudgetScope::Day, Some(most), None).await;
    stage.say(ada, "write").await;
    let calls = calls(&stage).await;
    let last = calls.last().unwrap().usage;
    assert!(calls.len() == 2 && last.output_tokens <= Some(MOST + PIECE.len() as u32), "{last:?}");
    let day = budget(&stage, BudgetScope::Day).await;
    assert!(day.spent_tokens <= most && day.reserved_tokens == 0, "{day:?}");
}

#[tokio::test]
async fn the_server_that_streams_without_end_is_hung_up_on() {
    let server = FakeServer::start().await;
    let text = format!("{}END", PIECE.repeat(4_000));
    let again = format!("data: {}\n\n", words(PIECE));
    let reply = fake_server::Reply::saying(&text);
    server.answer(reply.forever_before("END", &again, Duration::from_millis(1)));
    let stage = connected(&server).await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Message, Some(12_000), None).await;
    stage.say(ada, "write").await;
    server.hung_up(1).await;
    let [call] = &calls(&stage).await[..] else { panic!("one call") };
    let asked = server.requests()[0].json()["max_tokens"].as_u64().unwrap_or(4_096);
    let most = u32::try_from(asked + asked / 4).unwrap() + PIECE.len() as u32;
    assert!(call.estimated && call.usage.output_tokens <= Some(most), "{call:?}");
    assert_eq!(stage.runs().await[0].state, RunState::Settled);
    assert_eq!(budget(&stage, BudgetScope::Day).await.reserved_tokens, 0);
}

/// What a server can send without end, and what it is.
fn endless_pieces() -> [(&'static str, Value); 6] {
    let sealed = "gAAAAAB".repeat(600);
    let piece = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let call = |function: Value| json!({"index": 0, "id": "call_1", "function": function});
    [
        (
            "sealed thoughts",
            piece(json!({"reasoning_details":
            [{"type": "reasoning.encrypted", "data": sealed, "index": 0}]})),
        ),
        (
            "a call without a name",
            piece(json!({"tool_calls":
            [call(json!({"arguments": "endlessly ".repeat(60)}))]})),
        ),
        (
            "a call's name again and again",
            piece(json!({"tool_calls":
            [call(json!({"name": "calculator".repeat(60)}))]})),
        ),
        ("a field that nobody knows", piece(json!({"audio": {"data": sealed}}))),
        (
            "an answer that was not asked for",
            json!({"choices": [{"index": 0, "delta": {}},
            {"index": 1, "delta": {"content": "endlessly ".repeat(200)}}]}),
        ),
        (
            "a call with a name",
            piece(json!({"tool_calls":
            [call(json!({"name": "calculator", "arguments": "endlessly ".repeat(60)}))]})),
        ),
    ]
}

#[tokio::test]
async fn whatever_a_server_sends_without_end_is_counted_and_cut_off_and_not_asked_for_again() {
    for (what, piece) in endless_pieces() {
        let server = FakeServer::start().await;
        let reply = fake_server::Reply::saying("END");
        let again = format!("data: {piece}\n\n");
        server.answer(reply.forever_before("data: ", &again, Duration::from_millis(1)));
        let stage = connected(&server).await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "write").await;
        server.hung_up(1).await;
        assert_eq!(server.requests().len(), 1, "{what}");
        let [call] = &calls(&stage).await[..] else { panic!("{what}: one call") };
        let asked = server.requests()[0].json()["max_tokens"].as_u64().unwrap_or(4_096);
        let asked = u32::try_from(asked).unwrap();
        let written = call.usage.output_tokens.unwrap();
        let most = asked + asked / 4 + 300;
        assert!(call.estimated && (asked..=most).contains(&written), "{what}: {call:?}");
        let Some(Outcome::Failed { fault }) = stage.runs().await.remove(0).outcome else {
            panic!("{what}: it said something")
        };
        assert!(fault.message.contains("was cut off"), "{what}: {fault}");
        assert_eq!(budget(&stage, BudgetScope::Day).await.reserved_tokens, 0, "{what}");
    }
}
