//! What agents want to know from the person: the answers, and what a stop, a pause,
//! a restart or a crash leaves of a question.

use crate::approvals::{self, call, does, goes_the_same_way_again, last_said};
use domain::{
    AgentState, Approvals, Asks, CallState, Command, Consent, Fault, FaultKind, Field, Given,
    GroupId, Limits, Line, Query, Question, QuestionAnswer, QuestionState, Reply, RunState,
    SettingsPatch, Speaker, StepKind, Takes, Target,
};
use llm::scripted::{Beat, Scripted};
use llm::{Role, ToolCallDelta};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tests::{Counter, Setting, Stage, speaker, stage};

const SOUL: &str = "---\nname: Ada\nrole: helper\ntools: [ask_user]\n---\nYou help.\n";

/// Ada may ask.
fn with(model: Scripted) -> Setting {
    let prepare = |data: &std::path::Path| {
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        std::fs::write(data.join("souls/ada.md"), SOUL).expect("a soul");
    };
    stage().before(prepare).model(model)
}

async fn asking(arguments: Value) -> (Stage, GroupId) {
    let stage = with(does("ask_user", arguments)).open().await;
    let ada = stage.direct("Ada").await;
    (stage, ada)
}

fn which() -> Value {
    json!({"question": "Which tea?"})
}

/// What is asked next.
pub(crate) async fn asked(stage: &Stage) -> Question {
    stage.until(async |stage: &Stage| !stage.overview().await.questions.is_empty()).await;
    stage.overview().await.questions.remove(0)
}

pub(crate) async fn answer(
    stage: &Stage,
    question: &Question,
    answer: QuestionAnswer,
) -> Result<Question, Fault> {
    let question = question.id;
    match stage.command(Command::AnswerQuestion { question, answer }).await? {
        Reply::Question(question) => Ok(*question),
        other => panic!("no question: {other:?}"),
    }
}

pub(crate) fn given(values: Value) -> QuestionAnswer {
    let values = values.as_object().expect("an object").clone();
    QuestionAnswer::Given { values: values.into_iter().collect() }
}

pub(crate) async fn questions(stage: &Stage) -> Vec<Question> {
    match stage.query(Query::Questions { limit: 100 }).await {
        Ok(Reply::Questions(questions)) => questions,
        other => panic!("no questions: {other:?}"),
    }
}

async fn state_of(stage: &Stage) -> AgentState {
    stage.agent("Ada").await.state
}

#[tokio::test]
async fn a_question_waits_for_the_person_and_their_words_are_what_the_agent_reads() {
    let (stage, ada) = asking(which()).await;
    stage.post(ada, "make tea").await;
    let question = asked(&stage).await;
    assert_eq!((question.text.as_str(), question.server.as_deref()), ("Which tea?", None));
    assert_eq!((question.agent, question.group), (stage.agent("Ada").await.id, ada));
    assert_eq!(question.expires_ms - question.asked_ms, 10 * 60 * 1000);
    let Asks::Form { fields } = &question.asks else { panic!("a form: {question:?}") };
    let [Field { name, required: true, takes: Takes::Text { .. }, sounds_secret: false, .. }] =
        &fields[..]
    else {
        panic!("one field: {fields:?}")
    };
    assert_eq!(name, "answer");
    assert_eq!(state_of(&stage).await, AgentState::WaitingApproval);

    let empty = answer(&stage, &question, given(json!({}))).await.expect_err("nothing is said");
    assert_eq!(empty.to_string(), "answer is not filled in; it takes text");
    let answered = answer(&stage, &question, given(json!({"answer": "green"}))).await;
    assert_eq!(answered.expect("in time").state, QuestionState::Answered);
    stage.quiet().await;
    assert_eq!(last_said(&stage, ada).await, "Ada: The person answered: green");
    assert_eq!(state_of(&stage).await, AgentState::Idle);
    assert_eq!(stage.overview().await.questions, []);
    goes_the_same_way_again(&stage).await;
    let twice = answer(&stage, &question, QuestionAnswer::Declined).await.expect_err("answered");
    let kind = FaultKind::QuestionOver { how: QuestionState::Answered };
    assert_eq!(twice.kind, Some(Box::new(kind)));
}

#[tokio::test]
async fn several_are_chosen_and_forms_are_filled_in() {
    let choices =
        json!({"question": "Which?", "choices": ["green", "black", "white"], "several": true});
    let (stage, ada) = asking(choices).await;
    stage.post(ada, "make tea").await;
    let question = asked(&stage).await;
    let bad = given(json!({"answer": ["red"]}));
    let refused = answer(&stage, &question, bad).await.expect_err("not offered");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::AnswerMisfit { field: "answer".into() })));
    let both = given(json!({"answer": ["black", "white"]}));
    answer(&stage, &question, both).await.expect("in time");
    stage.quiet().await;
    assert_eq!(last_said(&stage, ada).await, "Ada: The person answered: black, white");

    let fields = json!([
        {"name": "when", "kind": "date"},
        {"name": "guests", "kind": "number", "optional": true},
        {"name": "milk", "kind": "yes_no"},
        {"name": "kind", "choices": ["green", "black"]},
        {"name": "password"},
    ]);
    let model = does("ask_user", json!({"question": "Tell me more.", "fields": fields}));
    let stage = stage.reopen_with(Some(model)).await;
    stage.post(ada, "and again").await;
    let question = asked(&stage).await;
    let Asks::Form { fields } = &question.asks else { panic!("a form: {question:?}") };
    let secret: Vec<bool> = fields.iter().map(|field| field.sounds_secret).collect();
    assert_eq!(secret, [false, false, false, false, true]);
    let filled = json!({"when": "2026-03-01", "milk": true, "kind": "green", "password": "x"});
    answer(&stage, &question, given(filled)).await.expect("in time");
    stage.quiet().await;
    let said = "Ada: The person answered: \nwhen: 2026-03-01\nmilk: yes\nkind: green\npassword: x";
    assert_eq!(last_said(&stage, ada).await, said);
}

#[tokio::test]
async fn a_question_outlives_the_process_and_is_asked_once() {
    let (stage, ada) = asking(which()).await;
    stage.post(ada, "make tea").await;
    let question = asked(&stage).await;
    // More restarts than any turn is tried.
    let mut stage = stage.crash(does("ask_user", which())).await;
    let same = |now: Question| assert_eq!(Question { run: question.run, ..now }, question);
    for _ in 0..4 {
        same(asked(&stage).await);
        stage
            .until(async |stage: &Stage| state_of(stage).await == AgentState::WaitingApproval)
            .await;
        stage = stage.reopen().await;
    }
    same(asked(&stage).await);
    answer(&stage, &question, given(json!({"answer": "green"}))).await.expect("in time");
    stage.quiet().await;
    assert_eq!(last_said(&stage, ada).await, "Ada: The person answered: green");
    assert_eq!(questions(&stage).await.len(), 1);
    goes_the_same_way_again(&stage).await;
}

#[tokio::test]
async fn an_answer_waits_for_a_turn_that_rests() {
    let (stage, ada) = asking(which()).await;
    stage.post(ada, "make tea").await;
    let question = asked(&stage).await;
    let agent = question.agent;
    stage.do_(Command::PauseAgent { agent }).await;
    answer(&stage, &question, given(json!({"answer": "green"}))).await.expect("in time");
    let stage = stage.reopen().await;
    assert_eq!(state_of(&stage).await, AgentState::Paused);
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(last_said(&stage, ada).await, "Ada: The person answered: green");
    assert_eq!(questions(&stage).await.len(), 1);
}

#[tokio::test]
async fn no_answer_in_time_is_what_the_agent_is_told() {
    let (stage, ada) = asking(which()).await;
    let approvals = Some(Approvals { minutes: 2, ..Approvals::default() });
    let patch = SettingsPatch { approvals, ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    stage.post(ada, "make tea").await;
    let question = asked(&stage).await;
    stage.clock.advance(Duration::from_secs(121));
    assert_eq!(stage.overview().await.questions, []);
    let late = answer(&stage, &question, QuestionAnswer::Declined).await.expect_err("too late");
    let kind = FaultKind::QuestionOver { how: QuestionState::Expired };
    assert_eq!(late.kind, Some(Box::new(kind)));
    stage.quiet().await;
    assert!(last_said(&stage, ada).await.starts_with("Ada: no answer came"));

    // The same, while nobody was there.
    stage.post(ada, "and again").await;
    asked(&stage).await;
    stage.clock.advance(Duration::from_secs(3600));
    let stage = stage.reopen().await;
    stage.quiet().await;
    assert!(last_said(&stage, ada).await.starts_with("Ada: no answer came"));
    assert_eq!(questions(&stage).await[0].state, QuestionState::Expired);
}

#[tokio::test]
async fn the_person_need_not_answer() {
    let (stage, ada) = asking(which()).await;
    for no in [QuestionAnswer::Declined, QuestionAnswer::Dismissed] {
        stage.post(ada, "make tea").await;
        answer(&stage, &asked(&stage).await, no).await.expect("in time");
        stage.quiet().await;
        let said = last_said(&stage, ada).await;
        assert!(said.starts_with("Ada: the person would rather not answer this"), "{said}");
    }
    let run = stage.runs().await[0].id;
    let ended = stage.run(run).await.steps.into_iter().find_map(|step| match step.kind {
        StepKind::ToolReturned { state, .. } => Some(state),
        _ => None,
    });
    assert_eq!(ended, Some(CallState::Failed));
}

#[tokio::test]
async fn a_late_answer_does_not_bring_a_stopped_turn_back() {
    let (stage, ada) = asking(which()).await;
    stage.post(ada, "make tea").await;
    let question = asked(&stage).await;
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    let green = given(json!({"answer": "green"}));
    let late = answer(&stage, &question, green).await.expect_err("too late");
    let kind = FaultKind::QuestionOver { how: QuestionState::Withdrawn };
    assert_eq!(late.kind, Some(Box::new(kind)));
    assert_eq!(state_of(&stage).await, AgentState::Idle);

    // Nor one to somebody who has been ended.
    stage.post(ada, "and again").await;
    let question = asked(&stage).await;
    stage.do_(Command::TerminateAgent { agent: question.agent }).await;
    stage.quiet().await;
    answer(&stage, &question, QuestionAnswer::Declined).await.expect_err("too late");
    let stage = stage.reopen().await;
    stage.quiet().await;
    assert_eq!(stage.overview().await.questions, []);
    let states: Vec<QuestionState> =
        questions(&stage).await.into_iter().map(|question| question.state).collect();
    assert_eq!(states, [QuestionState::Withdrawn; 2]);
}

#[tokio::test]
async fn what_is_said_in_the_conversation_is_an_answer_and_is_answered_once() {
    let (stage, ada) = asking(which()).await;
    stage.post(ada, "make tea").await;
    let question = asked(&stage).await;
    let message = stage.post(ada, "the green one, please").await;
    stage.quiet().await;
    let said = "Ada: The person answered in the conversation: the green one, please";
    assert_eq!(last_said(&stage, ada).await, said);
    let answered = questions(&stage).await.remove(0);
    assert_eq!((answered.id, answered.state), (question.id, QuestionState::Answered));
    assert_eq!(answered.given, Some(Given::Message { message: message.id }));
    assert_eq!(stage.runs().await.len(), 1);
    goes_the_same_way_again(&stage).await;

    // What was said to somebody else is no answer.
    let group = stage.group(&["Ada", "Bo"], domain::TurnPolicy::Mention).await;
    stage.post(group, "@Ada tea, please").await;
    let question = asked(&stage).await;
    stage.post(group, "@Bo are you there?").await;
    stage.until(async |stage: &Stage| last_said(stage, group).await == "Bo: here").await;
    assert_eq!(asked(&stage).await.id, question.id);
    stage.post(group, "@Ada black").await;
    stage.quiet().await;
    let said = last_said(&stage, group).await;
    assert_eq!(said, "Ada: The person answered in the conversation: @Ada black");
}

#[tokio::test]
async fn what_answered_a_question_is_read_once_and_where_it_was_asked() {
    let model = does("ask_user", which());
    let stage = with(model.clone()).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "make tea").await;
    asked(&stage).await;
    stage.post(ada, "the green one").await;
    stage.quiet().await;
    stage.post(ada, "and now?").await;
    asked(&stage).await;
    let request = model.requests().pop().expect("it was asked");
    let heard = |text: &str| {
        let turns = request.turns.iter().enumerate();
        let has = turns.filter(|(_, turn)| turn.content.contains(text)).map(|(at, _)| at);
        has.collect::<Vec<usize>>()
    };
    let (result, reply) = match heard("the green one")[..] {
        [result, reply] => (result, reply),
        ref other => panic!("{other:?} in {:?}", request.turns),
    };
    assert_eq!(request.turns[result].role, Role::Tool);
    assert_eq!(request.turns[reply].role, Role::Assistant);
    assert!(result < reply && reply < heard("and now?")[0]);
}

#[tokio::test]
async fn a_word_that_answers_outlives_a_crash_while_something_else_is_waited_for() {
    let model = || {
        Scripted::from_fn(|request, _| match request.turns.last() {
            Some(turn) if turn.role == Role::Tool => {
                let results = request.turns.iter().filter(|turn| turn.role == Role::Tool);
                let results: Vec<&str> = results.map(|turn| turn.content.as_str()).collect();
                vec![Beat::Text(results.join(", "))]
            }
            Some(_) | None => vec![call("q", "ask_user", which()), call("c", "count", json!({}))],
        })
    };
    let prepare = |data: &std::path::Path| {
        let soul = SOUL.replace("[ask_user]", "[ask_user, count]");
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        std::fs::write(data.join("souls/ada.md"), soul).expect("a soul");
    };
    let setting = stage().before(prepare).model(model()).tool(Counter::risky());
    let stage = setting.open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "make tea").await;
    asked(&stage).await;
    let approval = approvals::asked(&stage).await;
    stage.post(ada, "the green one").await;
    let stage = stage.crash(model()).await;
    let allowed = approvals::answer(&stage, &approval, Consent::Once, None).await;
    allowed.expect("it waits");
    stage.quiet().await;
    let said = "Ada: The person answered in the conversation: the green one, counted 1";
    assert_eq!(stage.transcript(ada).await, ["you: make tea", "you: the green one", said]);
    let states: Vec<RunState> = stage.runs().await.into_iter().map(|run| run.state).collect();
    assert_eq!(states, [RunState::Resumed, RunState::Settled]);
}

#[tokio::test]
async fn a_round_goes_on_behind_who_was_answered() {
    // Bo may be heard before Ada answers.
    let model = Scripted::from_fn(|request, _| {
        let last = request.turns.iter().rfind(|turn| turn.role != Role::User);
        match last {
            _ if speaker(request) != "Ada" => vec![Beat::Text("here".into())],
            Some(turn) if turn.role == Role::Tool => vec![Beat::Text(turn.content.clone())],
            Some(_) | None => vec![call("q", "ask_user", which())],
        }
    });
    let stage = with(model).open().await;
    let group = stage.group(&["Ada", "Bo"], domain::TurnPolicy::Rounds).await;
    stage.post(group, "tea?").await;
    asked(&stage).await;
    stage.post(group, "the green one").await;
    // In her next turn Ada asks again.
    stage.until(async |stage: &Stage| stage.transcript(group).await.len() == 4).await;
    let mut said = stage.transcript(group).await.split_off(2);
    said.sort();
    let answered = "Ada: The person answered in the conversation: the green one";
    assert_eq!(said, [answered, "Bo: here"]);
}

#[tokio::test]
async fn a_person_is_asked_a_few_things_at_a_time() {
    // Four at once, and then what came of the last of them.
    let model = Scripted::from_fn(|request, _| match request.turns.last() {
        _ if speaker(request) != "Ada" => vec![Beat::Text("here".into())],
        Some(turn) if turn.role == Role::Tool => {
            let results = request.turns.iter().filter(|turn| turn.role == Role::Tool);
            let refused = results.filter(|turn| turn.content.starts_with("not asked:")).count();
            vec![Beat::Text(format!("{refused} not asked"))]
        }
        Some(_) | None => (0..4)
            .map(|n| {
                let arguments = json!({"question": format!("Number {n}?")}).to_string();
                let (id, name) = (format!("c{n}"), Some("ask_user".to_owned()));
                Beat::ToolCall(ToolCallDelta { id, name, arguments })
            })
            .collect(),
    });
    let stage = with(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "ask away").await;
    stage.until(async |stage: &Stage| stage.overview().await.questions.len() == 3).await;
    for question in stage.overview().await.questions {
        assert_eq!(state_of(&stage).await, AgentState::WaitingApproval);
        answer(&stage, &question, QuestionAnswer::Declined).await.expect("in time");
    }
    stage.quiet().await;
    assert_eq!(last_said(&stage, ada).await, "Ada: 1 not asked");
}

#[tokio::test]
async fn what_nobody_could_answer_is_not_asked() {
    let check = async |arguments: Value, expected: &str| {
        let (stage, ada) = asking(arguments).await;
        stage.say(ada, "make tea").await;
        let said = last_said(&stage, ada).await;
        assert!(said.contains(expected), "{said}");
        assert_eq!(questions(&stage).await, []);
    };
    check(json!({"question": " "}), "there is no question in it").await;
    check(json!({"question": "a?", "choices": ["a", "a "]}), "no two different choices").await;
    let same = json!([{"name": "a"}, {"name": " a"}]);
    check(json!({"question": "a?", "fields": same}), "two fields have the same name").await;
    let both = json!({"question": "a?", "choices": ["a", "b"], "fields": [{"name": "a"}]});
    check(both, "not both").await;
    check(json!({"question": "x".repeat(2_001)}), "2000 characters at most").await;
}

#[tokio::test]
async fn who_waits_for_a_person_holds_up_nobody_else() {
    let (stage, ada) = asking(which()).await;
    let limits = Some(Limits { max_concurrent: 1, ..Limits::default() });
    let patch = SettingsPatch { limits, ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    stage.post(ada, "make tea").await;
    asked(&stage).await;
    let bo = stage.direct("Bo").await;
    stage.post(bo, "are you there?").await;
    stage.until(async |stage: &Stage| last_said(stage, bo).await == "Bo: here").await;
    assert_eq!(state_of(&stage).await, AgentState::WaitingApproval);
}

#[tokio::test]
async fn a_turn_that_nobody_watches_can_be_asked_about_all_the_same() {
    let stage = with(does("ask_user", which())).open().await;
    let agent = stage.agent("Ada").await.id;
    let dialog = vec![Line { role: Speaker::User, content: "make tea".into() }];
    let once = stage.command(Command::RunOnce { agent, dialog });
    let answering = async {
        let question = asked(&stage).await;
        answer(&stage, &question, given(json!({"answer": "green"}))).await.expect("in time");
    };
    let (once, ()) = tokio::join!(once, answering);
    match once.expect("it is answered") {
        Reply::RunOnce(once) => {
            assert_eq!(once.reply.as_deref(), Some("The person answered: green"));
        }
        other => panic!("no turn: {other:?}"),
    }
}

#[tokio::test]
async fn an_unknown_question_is_named_as_such() {
    let (stage, _) = asking(which()).await;
    let question = domain::QuestionId(uuid::Uuid::now_v7());
    let answer = QuestionAnswer::Given { values: BTreeMap::new() };
    let unknown = stage.command(Command::AnswerQuestion { question, answer }).await;
    assert_eq!(unknown.expect_err("nobody asks").code, domain::FaultCode::NotFound);
}
