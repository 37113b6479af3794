//! A provider that cannot be reached is left alone for a while.

use super::{choose, connect, fails, fault, last, said, says, told};
use domain::{
    AgentState, Command, FromOwner, Limits, ModelInfo, ModelRole, Query, Record, Reply, Run,
    RunState, SettingsPatch, StepKind, Target, TurnPolicy, Update,
};
use futures::StreamExt;
use llm::Trouble;
use llm::scripted::{Beat, Gate, Scripted};
use std::time::Duration;
use tests::{Stage, stage};

#[tokio::test(start_paused = true)]
async fn who_is_not_reached_again_and_again_is_left_alone_and_the_fallback_answers_at_once() {
    let model = Scripted::from_fn(|request, _| {
        if request.model == "spare" { says("spare") } else { fails(Trouble::Unreachable) }
    });
    let stage = stage().model(model).open().await;
    connect(&stage, "acme/spare", true).await;
    choose(&stage, ModelRole::Fallback, "acme/spare").await;
    let ada = stage.direct("Ada").await;
    let asked = |stage: &Stage| {
        let requests = stage.model.requests();
        requests.iter().filter(|request| request.model == "script").count()
    };
    stage.say(ada, "one").await;
    assert_eq!(asked(&stage), 3);
    stage.say(ada, "two").await;
    assert_eq!(asked(&stage), 5, "the fifth failure in a row is the last");
    stage.say(ada, "three").await;
    assert_eq!(asked(&stage), 5);
    assert_eq!(told(&last(&stage).await), ["asks test/script", "acme/spare for test/script"]);
    assert_eq!(said(&stage, ada).await.len(), 3);
    let Ok(Reply::Checks(checks)) = stage.query(Query::Doctor).await else { panic!("no checks") };
    let check = checks.into_iter().find(|check| check.name == "provider test").unwrap();
    let told = "calls did not reach it, so it is left alone for another 30 s";
    assert!(check.detail.ends_with(told), "{}", check.detail);

    tokio::time::advance(Duration::from_secs(30)).await;
    stage.say(ada, "four").await;
    assert_eq!(asked(&stage), 6, "one looks whether it is back");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_only_fails_takes_no_other_of_its_provider_with_it() {
    let model = Scripted::from_fn(|request, _| match request.model.as_str() {
        "spare" => says("spare"),
        _ => fails(Trouble::ServerError),
    });
    let stage = stage().model(model).open().await;
    let mut provider = stage.overview().await.providers.remove(0);
    provider.models.push(ModelInfo::new("spare", Some(32_000)));
    stage.do_(Command::save_provider(provider)).await;
    let [ada, bo] = [stage.direct("Ada").await, stage.direct("Bo").await];
    let (agent, model) = (stage.agent("Bo").await.id, Some("test/spare".to_owned()));
    stage.do_(Command::SetAgentModel { agent, model }).await;
    choose(&stage, ModelRole::Fallback, "test/spare").await;
    for words in ["one", "two", "three", "four"] {
        stage.say(ada, words).await;
    }
    assert_eq!(said(&stage, ada).await, ["Ada: spare"; 4]);
    let asked = stage.model.requests().iter().filter(|one| one.model == "script").count();
    assert_eq!(asked, 5, "it is left alone itself");
    stage.say(bo, "hello").await;
    assert_eq!(said(&stage, bo).await, ["Bo: spare"]);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_is_back_is_asked_as_before() {
    let model =
        Scripted::from_fn(|_, n| if n <= 6 { fails(Trouble::Unreachable) } else { says("here") });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    let agent = stage.agent("Ada").await.id;
    stage.say(ada, "one").await;
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 6);
    let why = "test was not reached 5 times in a row and is left alone for 30 s: the model failed";
    let waits = last(&stage).await.steps.into_iter().find_map(|step| match step.kind {
        StepKind::Retried { fault, after_ms: 30_000, .. } => Some(fault.message),
        _ => None,
    });
    assert_eq!(waits.as_deref(), Some(why), "it waited, and said so");
    let fault = stage.agent("Ada").await.problem.expect("it stands still");
    assert_eq!(fault.message, "the model failed");
    // A person who tries again is not told to wait.
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    stage.say(ada, "two").await;
    assert_eq!(said(&stage, ada).await.last().map(String::as_str), Some("Ada: here"));
}

#[tokio::test(start_paused = true)]
async fn who_is_to_look_whether_it_is_back_looks_when_its_call_begins() {
    let gate = Gate::new();
    let door = gate.clone();
    let model = Scripted::from_fn(move |request, n| match request.model.as_str() {
        "spare" => vec![Beat::Gate(door.clone())].into_iter().chain(says("spare")).collect(),
        _ if n <= 6 => fails(Trouble::Unreachable),
        _ => says("here"),
    });
    let stage = stage().model(model).open().await;
    connect(&stage, "acme/spare", true).await;
    stage.new_agent("Cy").await;
    let [ada, bo, cy] =
        [stage.direct("Ada").await, stage.direct("Bo").await, stage.direct("Cy").await];
    let (agent, model) = (stage.agent("Bo").await.id, Some("acme/spare".to_owned()));
    stage.do_(Command::SetAgentModel { agent, model }).await;
    let limits = Some(Limits { max_concurrent: 1, ..Limits::default() });
    let patch = SettingsPatch { limits, ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    let agent = stage.agent("Ada").await.id;
    stage.say(ada, "one").await;
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    tokio::time::advance(Duration::from_secs(30)).await;

    // The only place is taken: nobody looks, and so nobody is in another's way.
    stage.post(bo, "hello").await;
    gate.arrived(1).await;
    stage.do_(Command::ResumeAgent { agent }).await;
    running(&stage, 2).await;
    stage.post(cy, "hello").await;
    running(&stage, 3).await;
    gate.open();
    stage.quiet().await;
    assert_eq!(said(&stage, cy).await, ["Cy: here"]);
    assert_eq!(said(&stage, ada).await.last().map(String::as_str), Some("Ada: here"));
}

#[tokio::test(start_paused = true)]
async fn all_who_are_resumed_together_are_answered_by_a_server_that_is_back_and_slow() {
    let gate = Gate::new();
    let door = gate.clone();
    let model = Scripted::from_fn(move |_, n| match n {
        1..=9 => fails(Trouble::Unreachable),
        _ => vec![Beat::Gate(door.clone())].into_iter().chain(says("here")).collect(),
    });
    let stage = stage().model(model).open().await;
    stage.new_agent("Cy").await;
    let names = ["Ada", "Bo", "Cy"];
    let mut groups = Vec::new();
    for name in names {
        groups.push(stage.direct(name).await);
        stage.say(groups[groups.len() - 1], "hello").await;
        assert_eq!(stage.agent(name).await.state, AgentState::Error);
    }
    for name in names {
        let agent = stage.agent(name).await.id;
        stage.do_(Command::ResumeAgent { agent }).await;
    }
    gate.arrived(3).await;
    gate.open();
    stage.quiet().await;
    for (name, group) in names.into_iter().zip(groups) {
        assert_eq!(said(&stage, group).await.pop(), Some(format!("{name}: here")));
    }
}

#[tokio::test(start_paused = true)]
async fn who_has_nobody_else_to_ask_waits_for_what_another_finds_out() {
    let gate = Gate::new();
    let door = gate.clone();
    let model = Scripted::from_fn(move |_, n| match n {
        1..=6 => fails(Trouble::Unreachable),
        _ => vec![Beat::Gate(door.clone())].into_iter().chain(says("here")).collect(),
    });
    let stage = stage().model(model).open().await;
    stage.new_agent("Cy").await;
    let [ada, bo, cy] =
        [stage.direct("Ada").await, stage.direct("Bo").await, stage.direct("Cy").await];
    stage.say(ada, "hello").await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    tokio::time::advance(Duration::from_secs(30)).await;

    stage.post(bo, "hello").await;
    gate.arrived(1).await;
    stage.post(cy, "hello").await;
    running(&stage, 2).await;
    gate.open();
    stage.quiet().await;
    assert_eq!(said(&stage, bo).await, ["Bo: here"]);
    assert_eq!(said(&stage, cy).await, ["Cy: here"]);
}

#[tokio::test(start_paused = true)]
async fn a_moment_in_which_a_server_fails_for_everybody_stops_nobody() {
    let gate = Gate::new();
    let door = gate.clone();
    // Four are asked at the same time, and the others when one of these has failed.
    let model = Scripted::from_fn(move |_, n| match n {
        1..=4 => vec![Beat::Gate(door.clone()), Beat::Fail(fault(Trouble::ServerError))],
        5..=8 => fails(Trouble::ServerError),
        _ => says("here"),
    });
    let stage = stage().model(model).open().await;
    let names = ["Ada", "Bo", "Cy", "Di", "Ed", "Fi"];
    for name in &names[2..] {
        stage.new_agent(name).await;
    }
    let group = stage.group(&names, TurnPolicy::Broadcast).await;
    stage.post(group, "hello").await;
    gate.arrived(4).await;
    gate.open();
    stage.quiet().await;
    let mut said = said(&stage, group).await;
    said.sort();
    assert_eq!(said, names.map(|name| format!("{name}: here")));
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_provider_that_is_left_alone_is_stopped_at_once() {
    let model = Scripted::from_fn(|_, _| fails(Trouble::Unreachable));
    let stage = stage().model(model).open().await;
    let [ada, bo] = [stage.direct("Ada").await, stage.direct("Bo").await];
    stage.say(ada, "hello").await;
    let mut events = stage.events();
    stage.post(bo, "hello").await;
    loop {
        let Some(FromOwner::Event(event)) = events.next().await else { continue };
        if let Update::Saved { record: Record::Step(step) } = event.update
            && matches!(step.kind, StepKind::Retried { after_ms: 30_000, .. })
        {
            break;
        }
    }
    let asked = stage.model.requests().len();
    stage.do_(Command::Stop { target: Target::Group(bo) }).await;
    stage.quiet().await;
    assert_eq!(last(&stage).await.run.state, RunState::Stopped);
    assert_eq!(stage.model.requests().len(), asked);
}

/// Returns when so many runs go on.
async fn running(stage: &Stage, times: usize) {
    let running = |run: &Run| run.state == RunState::Running;
    let all = async |stage: &Stage| stage.runs().await.into_iter().filter(running).count();
    stage.until(async |stage: &Stage| all(stage).await == times).await;
}
