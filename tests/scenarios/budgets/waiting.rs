//! Who waits for what others hold of a budget, and gets it.

use super::{answers, budget, limit, price, used};
use domain::{
    AgentState, Budget, BudgetScope, Command, FaultCode, FromOwner, GroupId, Outcome, RunId,
    RunState, Target, TurnPolicy, Update, Waiting,
};
use futures::StreamExt;
use llm::scripted::{Beat, Gate, Scripted};
use llm::{Finish, ToolCallDelta};
use proptest::prelude::*;
use tests::{Stage, speaker, stage, thought};

/// What one call is promised, about: no more than one fits into it at a time.
const ONE_CALL: i64 = 7_000;

/// So many agents with their own direct groups.
async fn people(stage: &Stage, names: &[&str]) -> Vec<GroupId> {
    let mut groups = Vec::new();
    for name in names {
        if !["Ada", "Bo"].contains(name) {
            stage.new_agent(name).await;
        }
        groups.push(stage.direct(name).await);
    }
    groups
}

/// The waits that the events tell of, until this many wait.
async fn waits(
    events: &mut (impl futures::Stream<Item = FromOwner> + Unpin),
    mut enough: impl FnMut(&[Waiting]) -> bool,
) -> Vec<Waiting> {
    let mut told = Vec::new();
    while !enough(&told) {
        match events.next().await.expect("the workspace is open") {
            FromOwner::Event(event) => {
                if let Update::Waiting { waiting } = event.update {
                    told.push(waiting);
                }
            }
            other => panic!("fell behind: {other:?}"),
        }
    }
    told
}

fn held(gate: &Gate, text: &str) -> Vec<Beat> {
    [vec![Beat::Gate(gate.clone())], answers(text, used(100, 10))].concat()
}

#[tokio::test]
async fn what_a_running_call_holds_is_waited_for_and_nobody_gets_an_error() {
    let gate = Gate::new();
    let door = gate.clone();
    let model = Scripted::from_fn(move |request, _| held(&door, &speaker(request)));
    let stage = stage().model(model).open().await;
    let groups = people(&stage, &["Ada", "Bo", "Cy"]).await;
    limit(&stage, BudgetScope::Day, Some(ONE_CALL), None).await;
    let mut events = stage.events();
    stage.post(groups[0], "hello").await;
    stage.model.asked(1).await;
    for group in &groups[1..] {
        stage.post(*group, "hello").await;
    }
    let told = waits(&mut events, |told| told.len() == 2).await;
    let scope = Some(BudgetScope::Day);
    assert_eq!(
        told.iter().map(|one| (one.position, one.budget)).collect::<Vec<_>>(),
        [(1, scope), (2, scope)]
    );
    let day = budget(&stage, BudgetScope::Day).await;
    assert!(day.spent_tokens == 0 && day.reserved_tokens <= ONE_CALL, "{day:?}");
    for name in ["Bo", "Cy"] {
        assert_eq!(stage.agent(name).await.state, AgentState::Running);
    }
    gate.open();
    stage.quiet().await;
    assert_eq!(stage.model.most_at_once(), 1);
    let runs = stage.runs().await;
    assert!(runs.len() == 3 && runs.iter().all(|run| run.state == RunState::Settled), "{runs:?}");
    // In the order in which they began to wait.
    let order: Vec<RunId> = told.iter().map(|one| one.run).collect();
    let mut waited: Vec<_> = runs.iter().filter(|run| order.contains(&run.id)).collect();
    waited.sort_by_key(|run| order.iter().position(|id| *id == run.id));
    assert!(waited[0].ended_ms <= waited[1].ended_ms);
    let asked: Vec<String> = stage.model.requests().iter().map(speaker).collect();
    assert_eq!(asked[0], "Ada");
    let day = budget(&stage, BudgetScope::Day).await;
    assert_eq!((day.spent_tokens, day.reserved_tokens), (3 * 110, 0));
}

/// A provider may count many times what we do. Until its first bill says so, several
/// calls at the same time would each pass the limit by that.
#[tokio::test]
async fn until_a_model_has_counted_one_call_of_it_is_made_at_a_time_where_room_is_short() {
    const COUNTED: u32 = 60_000;
    let model = Scripted::from_fn(|request, _| answers(&speaker(request), used(COUNTED, 10)));
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Broadcast).await;
    limit(&stage, BudgetScope::Day, Some(30_000), None).await;
    stage.post(group, &"Tell me of the tea that you had. ".repeat(20)).await;
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 1);
    let day = budget(&stage, BudgetScope::Day).await;
    assert_eq!(day.spent_tokens, i64::from(COUNTED) + 10);
}

#[tokio::test]
async fn who_waits_holds_no_place_and_can_be_stopped() {
    let gate = Gate::new();
    let door = gate.clone();
    let model = Scripted::from_fn(move |request, _| match speaker(request).as_str() {
        "Ada" => held(&door, "Ada"),
        other => answers(other, used(100, 10)),
    });
    let stage = stage().model(model).open().await;
    let groups = people(&stage, &["Ada", "Bo", "Cy"]).await;
    let family = stage.group(&["Ada", "Bo"], TurnPolicy::Manual).await;
    limit(&stage, BudgetScope::Group(family), Some(ONE_CALL), None).await;
    let limits = domain::Limits { max_concurrent: 2, ..domain::Limits::default() };
    let patch = domain::SettingsPatch { limits: Some(limits), ..domain::SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    stage.post(family, "hello").await;
    let speak = async |name: &str| {
        let agent = stage.agent(name).await.id;
        stage.do_(Command::SpeakNow { group: family, agent }).await;
    };
    let mut events = stage.events();
    speak("Ada").await;
    stage.model.asked(1).await;
    speak("Bo").await;
    let told = waits(&mut events, |told| !told.is_empty()).await;
    assert_eq!(told[0].budget, Some(BudgetScope::Group(family)));
    // Ada has the one place; the other is free for somebody else.
    stage.post(groups[2], "hello").await;
    stage
        .until(async |stage: &Stage| stage.transcript(groups[2]).await.contains(&"Cy: Cy".into()))
        .await;
    stage.do_(Command::Stop { target: Target::Run(told[0].run) }).await;
    let told = waits(&mut events, |told| told.iter().any(|one| one.position == 0)).await;
    assert_eq!(told.last().unwrap().position, 0, "it waits no longer");
    let stopped = stage.runs().await.into_iter().find(|run| run.id == told[0].run).unwrap();
    assert_eq!((stopped.state, stopped.cost_microusd), (RunState::Stopped, None));
    gate.open();
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 2);
    assert_eq!(budget(&stage, BudgetScope::Group(family)).await.reserved_tokens, 0);
}

#[tokio::test]
async fn who_waits_stops_when_what_is_spent_leaves_no_room_and_goes_on_when_more_is_given() {
    let gate = Gate::new();
    let door = gate.clone();
    let model = Scripted::from_fn(move |request, n| match speaker(request).as_str() {
        "Ada" if n == 1 => {
            [vec![Beat::Gate(door.clone())], answers("Ada", used(4_000, 2_000))].concat()
        }
        other => answers(other, used(100, 10)),
    });
    let stage = stage().model(model).open().await;
    let groups = people(&stage, &["Ada", "Bo"]).await;
    limit(&stage, BudgetScope::Day, Some(ONE_CALL), None).await;
    let mut events = stage.events();
    stage.post(groups[0], "hello").await;
    stage.model.asked(1).await;
    stage.post(groups[1], "hello").await;
    waits(&mut events, |told| !told.is_empty()).await;
    gate.open();
    let stopped = async |stage: &Stage| stage.view(groups[1]).await.group.problem;
    stage.until(async |stage: &Stage| stopped(stage).await.is_some()).await;
    let problem = stopped(&stage).await.unwrap();
    assert_eq!(problem.code, FaultCode::Budget);
    assert!(problem.message.contains("have used 6,000 tokens of 7,000"), "{problem}");
    assert_eq!(stage.model.requests().len(), 1);
    limit(&stage, BudgetScope::Day, Some(5 * ONE_CALL), None).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(groups[1]).await.last().unwrap(), "Bo: Bo");
}

#[tokio::test]
async fn more_room_is_noticed_at_once_by_those_who_wait() {
    let gate = Gate::new();
    let door = gate.clone();
    let model = Scripted::from_fn(move |request, _| held(&door, &speaker(request)));
    let stage = stage().model(model).open().await;
    let groups = people(&stage, &["Ada", "Bo"]).await;
    let scope = BudgetScope::Day;
    limit(&stage, scope, Some(ONE_CALL), None).await;
    let mut events = stage.events();
    for group in groups {
        stage.post(group, "hello").await;
    }
    waits(&mut events, |told| !told.is_empty()).await;
    stage.do_(Command::SetBudget { budget: Budget { scope, tokens: None, microusd: None } }).await;
    stage.model.writing(2).await;
    gate.open();
    stage.quiet().await;
}

#[tokio::test]
async fn a_parent_that_waits_for_its_child_keeps_nothing_of_the_budget_from_it() {
    let model = Scripted::from_fn(|request, _| {
        let said = request.turns.last().unwrap().content.clone();
        if speaker(request) == "Ada" && !said.contains("done") {
            let task = r#"{"task": "count the cups", "soul": "ada"}"#;
            let name = Some("delegate".to_owned());
            let call = ToolCallDelta { id: "c1".into(), name, arguments: task.into() };
            let usage = used(50, 5);
            return vec![Beat::ToolCall(call), Beat::Done { finish: Finish::ToolCalls, usage }];
        }
        answers("done", used(50, 5))
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Message, Some(ONE_CALL), None).await;
    stage.post(ada, "delegate it").await;
    stage.quiet().await;
    let runs = stage.runs().await;
    assert!(runs.iter().all(|run| run.state == RunState::Settled), "{runs:?}");
    assert_eq!(budget(&stage, BudgetScope::Day).await.reserved_tokens, 0);
}

/// What a call does at last.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Says,
    /// It is asked again.
    Breaks,
    /// A tool, and then it is asked again.
    Calls,
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![3 => Just(Ending::Says), 1 => Just(Ending::Breaks), 1 => Just(Ending::Calls)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn agents_that_share_a_budget_for_one_call_at_a_time_all_come_to_their_end(
        agents in 2..9_usize,
        money in any::<bool>(),
        places in 1..5_u32,
        calls in prop::collection::vec((0..60_u32, 0..60_u32, 0..3_u8, ending()), 1..12),
        stopped in prop::option::of(0..9_usize),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let model = Scripted::from_fn(move |_, n| {
                let (input, output, pieces, ending) = calls[n % calls.len()];
                let mut beats = vec![Beat::Wait(std::time::Duration::from_millis(1)); pieces.into()];
                beats.extend(match ending {
                    // Nothing that goes on for ever.
                    Ending::Calls if n % 3 == 0 => super::calculates(n, used(input, output)),
                    Ending::Breaks if n % 4 == 0 => vec![Beat::Fail(llm::ModelFault::new(
                        llm::Trouble::BrokenAnswer, "broken", "none"))],
                    Ending::Says | Ending::Breaks | Ending::Calls => {
                        answers(thought(n), used(input, output))
                    }
                });
                beats
            });
            let stage = stage().model(model).chance(|| 0).open().await;
            price(&stage, "test/*").await;
            let limits = domain::Limits { max_concurrent: places, ..domain::Limits::default() };
            let patch = domain::SettingsPatch { limits: Some(limits), ..domain::SettingsPatch::default() };
            stage.do_(Command::ChangeSettings { patch }).await;
            let mut groups = Vec::new();
            for n in 0..agents {
                let name = format!("Agent{n}");
                stage.new_agent(&name).await;
                groups.push(stage.direct(&name).await);
            }
            // One call at its most and all that is really used, about.
            let most = if money { 90_000 } else { 13_500 };
            let (tokens, microusd) = if money { (None, Some(most)) } else { (Some(most), None) };
            limit(&stage, BudgetScope::Day, tokens, microusd).await;
            for group in &groups {
                stage.post(*group, "hello").await;
            }
            if let Some(group) = stopped.and_then(|n| groups.get(n)) {
                stage.do_(Command::Stop { target: Target::Group(*group) }).await;
            }
            stage.quiet().await;
            for run in stage.runs().await {
                let refused = matches!(
                    &run.outcome,
                    Some(Outcome::Failed { fault }) if fault.code == FaultCode::Budget
                );
                assert!(!refused, "{run:?}");
            }
            let day = budget(&stage, BudgetScope::Day).await;
            assert_eq!((day.reserved_tokens, day.reserved_microusd), (0, 0));
            let spent = if money { day.spent_microusd.unwrap_or(0) } else { day.spent_tokens };
            assert!(spent <= most, "{day:?}");
        });
    }
}
