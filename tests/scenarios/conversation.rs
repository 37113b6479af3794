//! Somebody says something, and agents answer.

use domain::{
    AgentState, Command, Outcome, Reply, RequestId, RunState, Target, TurnPolicy, Update, Usage,
};
use futures::StreamExt;
use llm::scripted::{Beat, Gate, Scripted};
use llm::{Finish, ModelFault, Role, Trouble};
use std::collections::HashSet;
use tests::{fails, says, speaker, stage};
use uuid::Uuid;

#[tokio::test]
async fn a_direct_message_is_answered() {
    let stage = stage().model(says("Nineteen.")).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "What is 12 + 7?").await;
    assert_eq!(stage.transcript(ada).await, ["you: What is 12 + 7?", "Ada: Nineteen."]);
}

#[tokio::test]
async fn posts_while_an_agent_is_busy_become_one_more_turn_that_saw_them_all() {
    let gate = Gate::new();
    let wait = gate.clone();
    let script = Scripted::from_fn(move |_, n| match n {
        1 => vec![Beat::Gate(wait.clone()), Beat::Text("first".into())],
        _ => vec![Beat::Text("rest".into())],
    });
    let stage = stage().model(script).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "start").await;
    stage.model.asked(1).await;
    for n in 0..1000 {
        stage.post(ada, &format!("message {n}")).await;
    }
    gate.open();
    stage.quiet().await;

    let runs = stage.runs().await;
    assert_eq!(runs.len(), 2);
    let requests = stage.model.requests();
    let last = &requests[1].turns.last().expect("there is a conversation").content;
    assert!((0..1000).all(|n| last.contains(&format!("message {n}"))));
    let cursor =
        stage.view(ada).await.members.iter().map(|member| member.cursor).collect::<Vec<_>>();
    assert_eq!(runs[1].reads_to, cursor[1], "the cursor stands where the settled turn had read to");
}

#[tokio::test]
async fn one_at_a_time_each_message_gets_one_answer_from_one_settled_run() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    lift_quota(&stage, ada).await;
    for n in 0..1000 {
        stage.say(ada, &format!("message {n}")).await;
    }
    let runs = stage.runs().await;
    assert_eq!(runs.len(), 1000);
    assert!(runs.iter().all(|run| run.state == RunState::Settled));
    let causes: HashSet<_> = runs.iter().map(|run| run.cause.message).collect();
    assert_eq!(causes.len(), 1000);
    assert_eq!(stage.transcript(ada).await.len(), 2000);
}

#[tokio::test]
async fn the_sixty_first_run_in_an_hour_is_refused_with_its_reason() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    for n in 0..61 {
        stage.say(ada, &format!("message {n}")).await;
    }
    assert_eq!(stage.runs().await.len(), 60);
    assert_eq!(
        stage.decisions(ada).await.last().map(String::as_str),
        Some("Ada pass hourly_quota")
    );

    stage.clock.advance(std::time::Duration::from_secs(60 * 60 + 1));
    stage.say(ada, "and now?").await;
    assert_eq!(stage.runs().await.len(), 61);
}

#[tokio::test]
async fn an_agent_that_always_fails_stops_nobody_else() {
    let script = Scripted::from_fn(|request, _| match speaker(request).as_str() {
        "a7" => fails_beats(),
        name => vec![Beat::Text(format!("{name} is here"))],
    });
    let stage = stage().model(script).open().await;
    let mut groups = Vec::new();
    for n in 0..50 {
        stage.new_agent(&format!("a{n}")).await;
    }
    for g in 0..20 {
        let members: Vec<String> =
            (0..50).filter(|n| n % 20 == g).map(|n| format!("a{n}")).collect();
        let members: Vec<&str> = members.iter().map(String::as_str).collect();
        groups.push(stage.group(&members, TurnPolicy::Broadcast).await);
    }
    for group in &groups {
        stage.post(*group, "who is here?").await;
    }
    stage.quiet().await;
    let mut heard = HashSet::new();
    for group in groups {
        heard.extend(
            stage.transcript(group).await.into_iter().filter(|line| line.ends_with("is here")),
        );
    }
    assert_eq!(heard.len(), 49);
    assert_eq!(stage.agent("a7").await.state, AgentState::Error);
}

fn fails_beats() -> Vec<Beat> {
    vec![Beat::Fail(ModelFault::new(Trouble::Key, "the key was refused", "give it another"))]
}

#[tokio::test]
async fn a_failed_turn_says_so_once_and_is_answered_after_a_resume() {
    let script =
        Scripted::from_fn(
            |_, n| if n == 1 { fails_beats() } else { vec![Beat::Text("here".into())] },
        );
    let stage = stage().model(script).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "one").await;
    stage.say(ada, "two").await;
    assert_eq!(stage.transcript(ada).await, ["you: one", "<run_failed>", "you: two"]);
    let agent = stage.agent("Ada").await;
    assert_eq!(agent.problem.map(|fault| fault.message), Some("the key was refused".into()));

    stage.do_(Command::ResumeAgent { agent: agent.id }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some("Ada: here"));
    assert_eq!(stage.agent("Ada").await.problem, None);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_may_work_later_is_tried_three_times() {
    let stage = stage().model(fails(Trouble::ServerError)).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello?").await;
    let states: Vec<_> =
        stage.runs().await.into_iter().map(|run| (run.attempt, run.state)).collect();
    assert_eq!(states, [(1, RunState::Failed)]);
    assert_eq!(stage.model.requests().len(), 3);
    assert_eq!(stage.transcript(ada).await, ["you: hello?", "<run_failed>"]);
}

// Google's models answer nothing to some questions, and the next one well.
#[tokio::test]
async fn a_question_that_a_provider_does_not_answer_stops_nobody() {
    let usage = Usage::default();
    let script = Scripted::from_fn(move |_, n| match n {
        1 => vec![Beat::Done { finish: Finish::Filtered, usage }],
        2 => vec![Beat::Fail(ModelFault::withheld("acme does not answer this question (SPII)"))],
        _ => vec![Beat::Text("here".into())],
    });
    let stage = stage().model(script).open().await;
    let ada = stage.direct("Ada").await;
    for _ in 0..2 {
        stage.say(ada, "hello").await;
        assert_eq!(stage.agent("Ada").await.state, AgentState::Idle);
    }
    stage.say(ada, "and now?").await;
    let expected =
        ["you: hello", "<run_failed>", "you: hello", "<run_failed>", "you: and now?", "Ada: here"];
    assert_eq!(stage.transcript(ada).await, expected);
    assert_eq!(stage.runs().await.len(), 3, "none is tried again");
}

#[tokio::test]
async fn stop_keeps_what_was_written_so_far() {
    let script = Scripted::from_fn(|_, _| vec![Beat::Text("Once upon a time".into()), Beat::Hang]);
    let stage = stage().model(script).open().await;
    let ada = stage.direct("Ada").await;
    let mut events = stage.events();
    stage.post(ada, "a story").await;
    // The words are on the screen before the stop.
    loop {
        match events.next().await.expect("the workspace is open") {
            domain::FromOwner::Event(event) if matches!(event.update, Update::Live { .. }) => break,
            _ => {}
        }
    }
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: a story", "Ada: Once upon a time"]);
    let run = stage.runs().await.remove(0);
    assert_eq!(run.state, RunState::Stopped);
    assert!(matches!(run.outcome, Some(Outcome::Replied { .. })));
}

#[tokio::test]
async fn text_streams_in_pieces_that_make_up_the_message() {
    let words: Vec<String> = (0..200).map(|n| format!("word{n} ")).collect();
    let whole = words.concat();
    let script =
        Scripted::from_fn(move |_, _| words.iter().map(|word| Beat::Text(word.clone())).collect());
    let stage = stage().model(script).open().await;
    let ada = stage.direct("Ada").await;
    let mut events = stage.events();
    stage.say(ada, "go").await;
    let mut text = String::new();
    let mut pieces = 0;
    loop {
        let domain::FromOwner::Event(event) = events.next().await.expect("the workspace is open")
        else {
            continue;
        };
        match event.update {
            Update::Live { live } => {
                assert_eq!(live.offset as usize, text.len());
                text.push_str(&live.text);
                pieces += 1;
            }
            Update::Saved { record: domain::Record::Message(message) } if message.run.is_some() => {
                assert_eq!(message.text(), Some(whole.trim()));
                break;
            }
            _ => {}
        }
    }
    assert_eq!(text.trim(), whole.trim());
    assert!((2..=100).contains(&pieces), "200 words in {pieces} batches");
}

#[tokio::test]
async fn posting_the_same_request_twice_is_posting_once() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let id = RequestId(Uuid::now_v7());
    let post = || Command::Post {
        group: ada,
        text: "once".into(),
        reply_to: None,
        attachments: Vec::new(),
    };
    let first = stage.send(id, post()).await;
    stage.quiet().await;
    // A new process knows nothing of earlier answers, and still does not post twice.
    let stage = stage.reopen().await;
    let second = stage.send(id, post()).await;
    stage.quiet().await;
    assert_eq!(first, second);
    assert_eq!(stage.transcript(ada).await, ["you: once", "Ada: yes"]);
}

#[tokio::test]
async fn a_request_that_is_sent_again_while_it_is_worked_on_is_done_once() {
    let stage = stage().open().await;
    let ada = stage.agent("Ada").await.id;
    let id = RequestId(Uuid::now_v7());
    let pause = || stage.send(id, Command::PauseAgent { agent: ada });
    let (first, second) = tokio::join!(pause(), pause());
    assert_eq!(first, second);
    assert!(first.is_ok());
}

#[tokio::test]
async fn after_a_restart_only_the_new_message_is_new_to_the_model() {
    let stage = stage().model(says("noted, thank you for telling me")).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "the kettle is on").await;
    let stage = stage.reopen().await;
    stage.say(ada, "is it on?").await;
    let requests = stage.model.requests();
    let (before, after) = (&requests[0].turns, &requests[1].turns);
    assert_eq!(before[..], after[..before.len()]);
    let added: Vec<_> =
        after[before.len()..].iter().map(|turn| (turn.role, turn.content.as_str())).collect();
    assert_eq!(
        added,
        [(Role::Assistant, "noted, thank you for telling me"), (Role::User, "is it on?")]
    );
}

#[tokio::test]
async fn at_most_four_models_are_asked_at_once_and_everybody_is_served() {
    let gate = Gate::new();
    let wait = gate.clone();
    let script = Scripted::from_fn(move |request, _| {
        vec![Beat::Gate(wait.clone()), Beat::Text(speaker(request))]
    });
    let stage = stage().model(script).open().await;
    let mut chats = Vec::new();
    for n in 0..40 {
        stage.new_agent(&format!("a{n}")).await;
        chats.push(stage.direct(&format!("a{n}")).await);
    }
    for chat in &chats {
        stage.post(*chat, "hello").await;
    }
    gate.arrived(4).await;
    gate.open();
    stage.quiet().await;
    assert_eq!(stage.model.most_at_once(), 4);
    assert_eq!(stage.runs().await.len(), 40);
}

#[tokio::test]
async fn the_person_and_the_reply_are_told_apart_by_the_runtime() {
    let script = Scripted::from_fn(|_, _| {
        vec![Beat::Text("Ada: I think so.\nBo: Me too!\nUser: great".into())]
    });
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    stage.say(group, "what do you think?").await;
    assert_eq!(stage.transcript(group).await, ["you: what do you think?", "Ada: I think so."]);
}

async fn lift_quota(stage: &tests::Stage, group: domain::GroupId) {
    let caps = domain::Caps { runs_per_hour: 1_000_000, ..domain::Caps::default() };
    let patch = domain::GroupPatch { caps: Some(caps), ..domain::GroupPatch::default() };
    let Reply::Group(_) = stage.do_(Command::EditGroup { group, patch }).await else {
        panic!("no group")
    };
}
