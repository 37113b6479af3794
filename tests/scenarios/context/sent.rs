//! What is on record of a run: every request as it was sent, and what the run
//! stood on.

use async_trait::async_trait;
use domain::{
    AnswerFormat, Caps, Command, Effects, Query, Reply, RunId, RunState, SentCall, SentRequest,
    SentRole, SentTurn, Target, TurnPolicy, Usage,
};
use llm::scripted::{Beat, Scripted};
use llm::{Finish, Grammar, ModelRequest, Role, ToolCallDelta, Trouble, Turn};
use serde_json::Value;
use tests::{Stage, fails, says, stage, tool_spec};
use tools::{CallContext, Returned, Tool};

/// Says so much that a small window has to be made room in.
struct Wordy(domain::ToolSpec);

#[async_trait]
impl Tool for Wordy {
    fn spec(&self) -> &domain::ToolSpec {
        &self.0
    }

    async fn call(&self, _: Value, _: &CallContext) -> Returned {
        Returned::ok("blah ".repeat(2_000))
    }
}

/// Uses the tool twice in every turn, and then answers.
fn uses_it_twice() -> Scripted {
    Scripted::from_fn(|request, nth| {
        let results = request.turns.iter().rev().take_while(|turn| turn.role != Role::User);
        match results.filter(|turn| turn.role == Role::Tool).count() {
            2 => vec![Beat::Text(format!("answer {nth}"))],
            _ => vec![Beat::ToolCall(ToolCallDelta {
                id: format!("call{nth}"),
                name: Some("wordy".into()),
                arguments: "{}".into(),
            })],
        }
    })
}

async fn sent(stage: &Stage, run: RunId) -> Vec<SentRequest> {
    let mut all = Vec::new();
    for n in 1..=stage.run(run).await.sent {
        match stage.query(Query::SentRequest { run, n }).await {
            Ok(Reply::SentRequest(request)) => all.push(*request),
            other => panic!("no request {n}: {other:?}"),
        }
    }
    all
}

/// The same request in the words of the record.
fn in_words_of_the_record(request: &ModelRequest, n: u32, at_ms: i64) -> SentRequest {
    let turn = |turn: &Turn| SentTurn {
        role: match turn.role {
            Role::System => SentRole::System,
            Role::User => SentRole::User,
            Role::Assistant => SentRole::Assistant,
            Role::Tool => SentRole::Tool,
        },
        content: turn.content.clone(),
        calls: turn
            .calls
            .iter()
            .map(|call| SentCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
            })
            .collect(),
        answers: turn.answers.clone(),
        images: Vec::new(),
        kept: turn.kept.clone(),
    };
    SentRequest {
        n,
        model: format!("test/{}", request.model),
        turns: request.turns.iter().map(turn).collect(),
        tools: request.tools.clone(),
        temperature: request.temperature,
        max_tokens: request.max_tokens,
        stop: request.stop.clone(),
        seed: request.seed,
        format: request.grammar.as_ref().map(|grammar| match grammar {
            Grammar::Gbnf(text) => AnswerFormat::Gbnf { grammar: text.clone() },
            Grammar::JsonSchema(schema) => AnswerFormat::JsonSchema { schema: schema.clone() },
        }),
        at_ms,
    }
}

#[tokio::test]
async fn every_request_of_a_run_is_on_record_word_for_word() {
    let wordy = Wordy(tool_spec("wordy", Effects::None));
    let stage = stage().model(uses_it_twice()).tool(wordy).open().await;
    // Small enough that the results of tools are sent shortened.
    super::reads(&stage, 5_000).await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "@Ada go on").await;
    stage.say(group, "@Bo 你呢？").await;
    stage.say(group, "@Ada and on").await;

    let mut on_record = Vec::new();
    for run in stage.runs().await {
        on_record.extend(sent(&stage, run.id).await);
    }
    let received = stage.model.requests();
    assert_eq!(received.len(), 9);
    let is_shortened =
        |request: &ModelRequest| request.turns.iter().any(|turn| turn.content.contains("left out"));
    assert!(received.iter().any(is_shortened), "the window was made room in");
    assert!(received.iter().all(|request| !request.tools.is_empty()));
    let expected: Vec<SentRequest> = received
        .iter()
        .zip(&on_record)
        .map(|(request, sent)| in_words_of_the_record(request, sent.n, sent.at_ms))
        .collect();
    assert_eq!(on_record, expected);
    let numbers: Vec<u32> = on_record.iter().map(|request| request.n).collect();
    assert_eq!(numbers, [1, 2, 3, 1, 2, 3, 1, 2, 3]);
}

#[tokio::test]
async fn a_form_that_the_answer_must_have_is_on_record_too() {
    let chooses = || Scripted::saying("{\"next\": null}");
    let stage = stage().model(chooses()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Supervisor).await;
    stage.say(group, "Who is next?").await;
    let received = stage.model.requests();
    assert!(received[0].grammar.is_some());
    let run = stage.runs().await[0].id;
    let on_record = sent(&stage, run).await;
    let expected = in_words_of_the_record(&received[0], 1, on_record[0].at_ms);
    assert_eq!(on_record[0], expected);
}

#[tokio::test]
async fn each_try_is_a_request_and_what_nobody_was_sent_is_none() {
    let stage = stage().model(fails(Trouble::Refused)).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    let run = stage.runs().await[0].id;
    assert_eq!(sent(&stage, run).await.len(), 1);

    let stage = tests::stage().without_model().open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    for run in stage.runs().await {
        assert_eq!(stage.run(run.id).await.sent, 0);
        let missing = stage.query(Query::SentRequest { run: run.id, n: 1 }).await.unwrap_err();
        assert_eq!(missing.code, domain::FaultCode::NotFound);
    }
}

#[tokio::test]
async fn a_call_that_runs_or_was_cut_off_by_a_kill_has_its_request_on_record() {
    let hangs = || Scripted::from_fn(|_, _| vec![Beat::Text("half".into()), Beat::Hang]);
    let stage = stage().model(hangs()).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "what is on record?").await;
    stage.model.asked(1).await;
    let run = stage.runs().await[0].id;
    let received = stage.model.requests();
    let running = sent(&stage, run).await;
    assert_eq!(running, [in_words_of_the_record(&received[0], 1, running[0].at_ms)]);

    let stage = stage.crash(says("a whole answer")).await;
    stage.quiet().await;
    assert_eq!(stage.run(run).await.run.state, RunState::Resumed);
    assert_eq!(sent(&stage, run).await, running, "of the one that was killed");
    let again = stage.runs().await[1].id;
    assert_eq!(sent(&stage, again).await.len(), 1, "and of the one that answered");
}

#[tokio::test]
async fn a_call_that_a_person_stops_has_its_request_on_record() {
    let model = Scripted::from_fn(|_, _| vec![Beat::Text("half".into()), Beat::Hang]);
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "stop then").await;
    stage.model.asked(1).await;
    let run = stage.runs().await[0].id;
    stage.do_(Command::Stop { target: Target::Run(run) }).await;
    stage.quiet().await;
    assert_eq!(stage.run(run).await.run.state, RunState::Stopped);
    assert_eq!(sent(&stage, run).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_was_promised_and_then_not_sent_is_not_on_record() {
    let stage = stage().model(fails(Trouble::Unreachable)).open().await;
    let ada = stage.direct("Ada").await;
    let agent = stage.agent("Ada").await.id;
    stage.say(ada, "hello").await;
    // After the fifth failure in a row it waits, and then looks once.
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    let mut on_record = 0;
    for run in stage.runs().await {
        on_record += sent(&stage, run.id).await.len();
    }
    assert_eq!((on_record, stage.model.requests().len()), (6, 6));
}

#[tokio::test]
async fn a_run_keeps_what_it_stood_on_whatever_becomes_of_that() {
    let stage = stage().model(says("yes")).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "@Ada well?").await;
    let ada = stage.agent("Ada").await;
    let run = stage.runs().await[0].id;
    let context = stage.run(run).await.context;

    assert_eq!(context.workspace, stage.data().display().to_string());
    assert_eq!(context.user, "User");
    let agent = (context.agent_name.as_str(), context.agent_role, context.agent_language);
    assert_eq!(agent, ("Ada", ada.role, ada.language));
    assert_eq!((context.agent_model, context.parent), (ada.model.clone(), None));
    assert_eq!((context.soul.as_str(), context.soul_version), ("ada", ada.soul_version));
    assert!(!context.soul_hash.is_empty());
    let view = stage.view(group).await;
    assert_eq!(context.group_name, view.group.name);
    assert_eq!(context.members, ["User", "Bo"]);
    assert_eq!((context.policy, context.caps), (TurnPolicy::Mention, Caps::default()));
    assert_eq!((context.skills, context.mcp_servers), (Vec::new(), Vec::<String>::new()));
    assert!(context.tools.is_sorted_by(|one, other| one.name < other.name));
    assert!(!context.tools.is_empty() && context.limits.max_iterations > 0);
    assert!(context.system_prompt.starts_with("You are Ada"));

    let name = Some("Tea".to_owned());
    let patch = domain::GroupPatch { name, ..domain::GroupPatch::default() };
    stage.do_(Command::EditGroup { group, patch }).await;
    let later = stage.run(run).await.context;
    assert_eq!(later.group_name, view.group.name, "what is stored does not change");
}

#[tokio::test]
async fn what_a_provider_did_not_count_is_marked_wherever_it_is_summed_up() {
    let counted = Usage { input_tokens: Some(20), output_tokens: Some(3), ..Usage::default() };
    let model = Scripted::from_fn(move |request, _| {
        let asked = &request.turns[request.turns.len() - 1].content;
        let done = Beat::Done { finish: Finish::Stop, usage: counted };
        match asked.ends_with("one") {
            true => vec![Beat::Text("yes".into()), done],
            false => vec![Beat::Text("no".into())],
        }
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "one").await;
    stage.say(ada, "two").await;
    let estimated: Vec<bool> = stage.runs().await.iter().map(|run| run.estimated).collect();
    assert_eq!(estimated, [false, true]);
    let query = Query::Usage { by: domain::UsageBy::Agent, since_ms: 0 };
    let Ok(Reply::Usage(rows)) = stage.query(query).await else { panic!("no usage") };
    assert_eq!((rows[0].calls, rows[0].estimated_calls), (2, 1));
}
