//! A group stops for its budget, and its agents go on elsewhere.

use super::{answers, calculates, limit, price, used};
use domain::{
    AgentState, Budget, BudgetScope, Command, Effects, FaultCode, GroupId, Reason, RunState,
    StepKind, TurnPolicy, Verdict,
};
use llm::Role;
use llm::scripted::Scripted;
use std::time::Duration;
use tests::{Counter, Stage, speaker, stage};

const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Of which one call is promised about a third.
const A_CALL_AND_A_BIT: i64 = 12_000;

/// Answers with its name, for nearly all that the group of the test has.
fn dear() -> Scripted {
    Scripted::from_fn(|request, _| answers(&speaker(request), used(9_000, 500)))
}

async fn has_stopped(stage: &Stage, group: GroupId) -> bool {
    stage.view(group).await.group.problem.is_some()
}

/// A group of these that has used up its day with the first answer.
async fn used_up(model: Scripted, members: &[&str], policy: TurnPolicy) -> (Stage, GroupId) {
    let stage = stage().model(model).open().await;
    let tea = stage.group(members, policy).await;
    limit(&stage, BudgetScope::Group(tea), Some(A_CALL_AND_A_BIT), None).await;
    stage.say(tea, "one").await;
    stage.say(tea, "two").await;
    assert!(has_stopped(&stage, tea).await);
    (stage, tea)
}

async fn runs_in(stage: &Stage, group: GroupId) -> usize {
    stage.runs().await.iter().filter(|run| run.group == group).count()
}

#[tokio::test]
async fn a_group_that_has_used_up_its_day_stops_and_its_agents_go_on_elsewhere() {
    let (stage, tea) = used_up(dear(), &["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    let said = ["you: one", "Ada: Ada", "you: two", "<run_failed>"];
    assert_eq!(stage.transcript(tea).await, said);
    let problem = stage.view(tea).await.group.problem.expect("it says why");
    assert_eq!(problem.code, FaultCode::Budget);
    assert!(problem.message.contains("has used 9,500 tokens of 12,000 tokens today"), "{problem}");
    assert!(problem.fix.contains("the group goes on at once: coterie budget set"), "{problem}");
    let decided = stage.decisions(tea).await;
    assert_eq!(decided.last().unwrap(), "Ada wait no_room_yet");
    let ada = stage.agent("Ada").await;
    assert_eq!((ada.state, ada.problem), (AgentState::Idle, None));

    let (direct, other) =
        (stage.direct("Ada").await, stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await);
    stage.say(direct, "hello").await;
    assert_eq!(stage.transcript(direct).await, ["you: hello", "Ada: Ada"]);
    stage.say(other, "hello").await;
    assert_eq!(stage.transcript(other).await.len(), 3);
    assert_eq!(stage.transcript(tea).await, said, "what waits there is not taken up meanwhile");
}

#[tokio::test]
async fn what_waits_in_a_group_is_answered_once_when_it_may_use_more_or_on_the_next_day() {
    for next_day in [false, true] {
        let (stage, tea) = used_up(dear(), &["Ada"], TurnPolicy::DefaultResponder).await;
        let stage = match next_day {
            true => {
                stage.clock.advance(A_DAY);
                stage.reopen().await
            }
            // What another one may use is not asked for.
            false => {
                let stage = stage.reopen().await;
                assert!(has_stopped(&stage, tea).await, "it is the same day");
                limit(&stage, BudgetScope::Day, Some(1_000_000), None).await;
                assert!(has_stopped(&stage, tea).await);
                limit(&stage, BudgetScope::Group(tea), Some(10 * A_CALL_AND_A_BIT), None).await;
                stage
            }
        };
        stage.quiet().await;
        let said = ["you: one", "Ada: Ada", "you: two", "<run_failed>", "Ada: Ada"];
        assert_eq!(stage.transcript(tea).await.len(), said.len(), "{next_day}");
        assert!(!has_stopped(&stage, tea).await);
        assert_eq!(stage.model.requests().len(), 2, "{next_day}");
    }
}

/// Whoever speaks there again is not told the same again, and has an answer if one costs less now.
#[tokio::test]
async fn a_person_who_speaks_again_has_it_tried_and_is_told_once() {
    let stage = stage().model(dear()).open().await;
    price(&stage, "test/*").await;
    let tea = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    limit(&stage, BudgetScope::Group(tea), None, Some(100)).await;
    stage.say(tea, "one").await;
    stage.say(tea, "two").await;
    assert_eq!(stage.transcript(tea).await, ["you: one", "<run_failed>", "you: two"]);
    assert_eq!((runs_in(&stage, tea).await, stage.model.requests().len()), (2, 0));
    let settings = domain::SettingsPatch {
        price: Some(domain::PriceChange { without: Some("test/*".into()), put: None }),
        ..domain::SettingsPatch::default()
    };
    stage.do_(Command::ChangeSettings { patch: settings }).await;
    stage.say(tea, "three").await;
    assert_eq!(stage.transcript(tea).await.last().unwrap(), "Ada: Ada");
    assert_eq!(stage.model.requests().len(), 1, "one answer to all three");
    assert!(!has_stopped(&stage, tea).await);
}

/// Agents that speak of the same message do not have it tried.
#[tokio::test]
async fn whom_an_agent_names_in_a_group_that_has_stopped_waits_with_the_others() {
    let gate = llm::scripted::Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |request, _| match speaker(request).as_str() {
        "Ada" => {
            let beats = answers("@Cy what do you say?", used(9_000, 500));
            [vec![llm::scripted::Beat::Gate(held.clone())], beats].concat()
        }
        name => answers(name, used(9_000, 500)),
    });
    let stage = stage().model(model).open().await;
    stage.new_agent("Cy").await;
    let tea = stage.group(&["Ada", "Bo", "Cy"], TurnPolicy::Mention).await;
    limit(&stage, BudgetScope::Group(tea), Some(A_CALL_AND_A_BIT), None).await;
    stage.post(tea, "@Ada hello").await;
    gate.arrived(1).await;
    // So much is free for the moment, and not in the end.
    stage.post(tea, "@Bo hello").await;
    gate.open();
    stage.quiet().await;
    let runs = stage.runs().await;
    assert!(runs.iter().all(|run| run.state != RunState::Running), "{runs:?}");
    assert_eq!(stage.model.requests().len(), 1);
    let mut decided = stage.decisions(tea).await;
    decided.retain(|line| line.contains("wait"));
    assert!(decided.iter().any(|line| line.starts_with("Cy wait")), "{decided:?}");
    limit(&stage, BudgetScope::Group(tea), None, None).await;
    stage.quiet().await;
    let said = stage.transcript(tea).await;
    for name in ["Bo", "Cy"] {
        assert!(said.contains(&format!("{name}: {name}")), "{said:?}");
    }
}

#[tokio::test]
async fn of_several_that_a_group_has_no_room_for_one_says_so() {
    for policy in [TurnPolicy::Rounds, TurnPolicy::Broadcast, TurnPolicy::Supervisor] {
        let stage = stage().model(dear()).open().await;
        let tea = stage.group(&["Ada", "Bo"], policy).await;
        limit(&stage, BudgetScope::Group(tea), Some(100), None).await;
        stage.say(tea, "What do you think?").await;
        let said = ["you: What do you think?", "<run_failed>"];
        assert_eq!(stage.transcript(tea).await, said, "{policy:?}");
        for name in ["Ada", "Bo"] {
            assert_eq!(stage.agent(name).await.state, AgentState::Idle, "{policy:?}");
        }
    }
}

/// A turn that was in the middle of something goes on with it.
#[tokio::test]
async fn what_was_done_before_a_group_stopped_is_not_done_again() {
    let counter = Counter::held(Effects::Once);
    counter.gate.open();
    let model = Scripted::from_fn(|request, n| {
        if request.turns.last().is_some_and(|turn| turn.role == Role::Tool) {
            return answers("counted", used(100, 10));
        }
        let mut beats = calculates(n, used(9_000, 500));
        if let llm::scripted::Beat::ToolCall(call) = &mut beats[0] {
            (call.name, call.arguments) = (Some("count".into()), "{}".into());
        }
        beats
    });
    let soul = |data: &std::path::Path| {
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        let soul = "---\nname: Ada\ntools: [count]\nplan: never\n---\nYou count.\n";
        std::fs::write(data.join("souls/ada.md"), soul).expect("a soul");
    };
    let stage = stage().before(soul).tool(counter.clone()).model(model).open().await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Group(ada), Some(A_CALL_AND_A_BIT), None).await;
    stage.say(ada, "count").await;
    assert!(has_stopped(&stage, ada).await);
    assert_eq!(counter.uses(), 1);
    limit(&stage, BudgetScope::Group(ada), None, None).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await.last().unwrap(), "Ada: counted");
    assert_eq!(counter.uses(), 1);
}

/// Whoever a budget refuses has asked nobody, however often it is tried.
#[tokio::test]
async fn what_a_group_has_no_room_for_is_no_step_of_the_turn_that_goes_on() {
    let model = Scripted::from_fn(|request, n| {
        let results = request.turns.iter().filter(|turn| turn.role == Role::Tool).count();
        match results < 4 {
            true => calculates(n, used(4_000, 500)),
            false => answers("four sums", used(100, 10)),
        }
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Group(ada), Some(A_CALL_AND_A_BIT), None).await;
    stage.say(ada, "add").await;
    let asked = stage.model.requests().len();
    assert!(has_stopped(&stage, ada).await && (1..4).contains(&asked), "{asked}");
    for _ in 0..10 {
        stage.say(ada, "go on").await;
    }
    assert_eq!(stage.model.requests().len(), asked);
    for run in &stage.runs().await[1..] {
        assert_eq!(run.state, RunState::Failed);
        let steps = stage.run(run.id).await.steps;
        let called =
            |kind: &StepKind| matches!(kind, StepKind::ModelCalled { .. } | StepKind::Delta { .. });
        assert!(!steps.iter().any(|step| called(&step.kind)), "{steps:#?}");
    }
    limit(&stage, BudgetScope::Group(ada), None, None).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await.last().unwrap(), "Ada: four sums");
    assert_eq!(stage.model.requests().len(), 5);
    for run in stage.runs().await {
        let replayed = stage.query(domain::Query::Replay { run: run.id }).await;
        let Ok(domain::Reply::Replayed(replayed)) = replayed else { panic!("{replayed:?}") };
        assert_eq!(replayed.difference, None, "{run:?}");
    }
}

#[tokio::test]
async fn a_used_up_day_stops_each_conversation_and_no_agent() {
    let stage = stage().model(dear()).open().await;
    let (ada, bo) = (stage.direct("Ada").await, stage.direct("Bo").await);
    limit(&stage, BudgetScope::Day, Some(A_CALL_AND_A_BIT), None).await;
    stage.say(ada, "one").await;
    for group in [ada, bo] {
        stage.say(group, "two").await;
        let problem = stage.view(group).await.group.problem.expect("it says why");
        assert!(problem.message.starts_with("all agents together have used"), "{problem}");
        assert!(problem.fix.contains("everybody goes on at once"), "{problem}");
    }
    for name in ["Ada", "Bo"] {
        assert_eq!(stage.agent(name).await.state, AgentState::Idle);
    }
    let budget = Budget { scope: BudgetScope::Day, tokens: None, microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
    stage.quiet().await;
    for (group, name) in [(ada, "Ada"), (bo, "Bo")] {
        assert_eq!(stage.transcript(group).await.last().unwrap(), &format!("{name}: {name}"));
        assert!(!has_stopped(&stage, group).await);
    }
}

#[tokio::test]
async fn nothing_waits_in_a_group_that_was_put_away() {
    let (stage, tea) = used_up(dear(), &["Ada"], TurnPolicy::DefaultResponder).await;
    let archive = |archived| Command::EditGroup {
        group: tea,
        patch: domain::GroupPatch { archived: Some(archived), ..domain::GroupPatch::default() },
    };
    stage.do_(archive(true)).await;
    stage.do_(archive(false)).await;
    assert!(!has_stopped(&stage, tea).await);
    limit(&stage, BudgetScope::Group(tea), None, None).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(tea).await.last().unwrap(), "<run_failed>");
    let Ok(domain::Reply::Decisions(decisions)) =
        stage.query(domain::Query::Decisions { group: tea, message: None, limit: 50 }).await
    else {
        panic!("no decisions")
    };
    let last = decisions.last().expect("a decision");
    assert_eq!((last.verdict, &last.reason), (Verdict::Pass, &Reason::Archived));
}
