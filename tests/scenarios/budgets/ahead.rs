//! What is known before a message wakes several agents, and who is not woken.

use super::{answers, budget, limit, price, used};
use domain::{
    AgentState, BudgetScope, Command, GroupId, Limits, Query, Reason, Reply, RunState,
    SettingsPatch, TurnPolicy, Usage, Verdict, WouldWake,
};
use llm::scripted::Scripted;
use serde_json::json;
use tests::{Stage, speaker, stage, thought};

async fn would(stage: &Stage, group: GroupId) -> WouldWake {
    match stage.query(Query::WouldWake { group, text: "hello".into(), reply_to: None }).await {
        Ok(Reply::WouldWake(would)) => would,
        other => panic!("no estimate: {other:?}"),
    }
}

async fn broadcast(stage: &Stage, names: &[&str]) -> GroupId {
    for name in names {
        if !["Ada", "Bo"].contains(name) {
            stage.new_agent(name).await;
        }
    }
    stage.group(names, TurnPolicy::Broadcast).await
}

fn saying_who() -> Scripted {
    Scripted::from_fn(|request, _| answers(&speaker(request), used(100, 10)))
}

#[tokio::test]
async fn of_those_who_would_answer_only_as_many_are_woken_as_there_is_room_for() {
    type Scope = fn(GroupId) -> BudgetScope;
    let scopes: [Scope; 4] = [
        |_| BudgetScope::Day,
        BudgetScope::Group,
        |_| BudgetScope::AnyGroup,
        |_| BudgetScope::Message,
    ];
    for scope in scopes {
        for money in [false, true] {
            let stage = stage().model(saying_who()).open().await;
            price(&stage, "test/*").await;
            let group = broadcast(&stage, &["Ada", "Bo", "Cy", "Di"]).await;
            let before = would(&stage, group).await;
            assert!(before.agents.len() == 4 && before.beyond.is_empty() && before.over.is_none());
            // For two of four, about.
            let cost = before.microusd_at_most.unwrap() * 5 / 8;
            let tokens = before.tokens_at_most * 5 / 8;
            let (tokens, cost) = if money { (None, Some(cost)) } else { (Some(tokens), None) };
            limit(&stage, scope(group), tokens, cost).await;

            let after = would(&stage, group).await;
            let named = match scope(group) {
                BudgetScope::AnyGroup => BudgetScope::Group(group),
                named => named,
            };
            let expected = (stage.ids(&["Ada", "Bo"]).await, stage.ids(&["Cy", "Di"]).await);
            assert_eq!((after.agents.clone(), after.beyond.clone()), expected, "{after:?}");
            assert_eq!(after.over, Some(named));
            assert!(tokens.is_none_or(|most| after.tokens_at_most <= most), "{after:?}");
            assert!(cost.is_none_or(|most| after.microusd_at_most <= Some(most)), "{after:?}");

            stage.say(group, "hello").await;
            let mut said = stage.transcript(group).await;
            said.sort();
            assert_eq!(said, ["Ada: Ada", "Bo: Bo", "you: hello"], "nobody fails, the others rest");
            for name in ["Cy", "Di"] {
                assert_eq!(stage.agent(name).await.state, AgentState::Idle);
            }
            let Ok(Reply::Decisions(decisions)) =
                stage.query(Query::Decisions { group, message: None, limit: 50 }).await
            else {
                panic!("no decisions")
            };
            let silent: Vec<_> = decisions
                .into_iter()
                .filter(|one| one.reason == Reason::OverBudget { scope: named })
                .map(|one| (one.agent, one.verdict))
                .collect();
            let expected: Vec<_> = expected.1.into_iter().map(|id| (id, Verdict::Pass)).collect();
            assert_eq!(silent, expected);
        }
    }
}

#[tokio::test]
async fn where_there_is_room_for_nobody_one_says_so_and_the_others_rest() {
    let stage = stage().model(saying_who()).open().await;
    let group = broadcast(&stage, &["Ada", "Bo", "Cy"]).await;
    limit(&stage, BudgetScope::Day, Some(100), None).await;
    for _ in 0..2 {
        stage.post(group, "hello").await;
        stage.quiet().await;
    }
    assert_eq!(stage.transcript(group).await, ["you: hello", "<run_failed>", "you: hello"]);
    assert_eq!(stage.model.requests(), []);
    for name in ["Ada", "Bo", "Cy"] {
        assert_eq!(stage.agent(name).await.state, AgentState::Idle);
    }
    // More room, and the next message wakes everybody.
    limit(&stage, BudgetScope::Day, None, None).await;
    stage.quiet().await;
    stage.say(group, "and now?").await;
    let settled = stage.runs().await.into_iter().filter(|run| run.state == RunState::Settled);
    assert!(settled.count() >= 4);
}

#[tokio::test]
async fn what_calls_in_progress_hold_for_a_moment_keeps_nobody_from_being_woken() {
    let gate = llm::scripted::Gate::new();
    let stage = stage().model(holding(&gate)).open().await;
    let group = broadcast(&stage, &["Ada", "Bo"]).await;
    stage.new_agent("Cy").await;
    let other = stage.direct("Cy").await;
    let most = would(&stage, group).await.tokens_at_most;
    limit(&stage, BudgetScope::Day, Some(most + 500), None).await;
    stage.post(other, "hello").await;
    stage.model.asked(1).await;
    assert!(budget(&stage, BudgetScope::Day).await.reserved_tokens > 4_096);
    stage.post(group, "hello").await;
    gate.open();
    stage.quiet().await;
    assert!(stage.runs().await.iter().all(|run| run.state == RunState::Settled));
    assert_eq!(stage.model.requests().len(), 3);
}

#[tokio::test]
async fn of_those_whom_a_reply_names_only_as_many_are_woken_as_there_is_room_for() {
    let model = Scripted::from_fn(|request, _| match speaker(request).as_str() {
        "Ada" => answers("@Bo @Cy what do you say?", used(100, 10)),
        name => answers(name, used(100, 10)),
    });
    let stage = stage().model(model).open().await;
    stage.new_agent("Cy").await;
    let group = stage.group(&["Ada", "Bo", "Cy"], TurnPolicy::DefaultResponder).await;
    let most = would(&stage, group).await.tokens_at_most;
    // For what Ada says and then for one of the two.
    limit(&stage, BudgetScope::Message, Some(most * 3 / 2), None).await;
    stage.say(group, "hello").await;
    let said = stage.transcript(group).await;
    assert_eq!(said, ["you: hello", "Ada: @Bo @Cy what do you say?", "Bo: Bo"]);
    let Ok(Reply::Decisions(decisions)) =
        stage.query(Query::Decisions { group, message: None, limit: 50 }).await
    else {
        panic!("no decisions")
    };
    let over = Reason::OverBudget { scope: BudgetScope::Message };
    assert!(decisions.iter().any(|one| one.reason == over), "{decisions:?}");
    assert_eq!(stage.agent("Cy").await.state, AgentState::Idle);
}

async fn of_two(stage: &Stage, group: GroupId) -> WouldWake {
    let text = "@Cy @Di hello".into();
    match stage.query(Query::WouldWake { group, text, reply_to: None }).await {
        Ok(Reply::WouldWake(would)) => would,
        other => panic!("no estimate: {other:?}"),
    }
}

#[tokio::test]
async fn who_was_woken_before_and_has_asked_nobody_yet_comes_first() {
    let gate = llm::scripted::Gate::new();
    let stage = stage().model(holding(&gate)).open().await;
    for name in ["Cy", "Di"] {
        stage.new_agent(name).await;
    }
    let group = stage.group(&["Ada", "Bo", "Cy", "Di"], TurnPolicy::Mention).await;
    let limits = Some(Limits { max_concurrent: 1, ..Limits::default() });
    let patch = SettingsPatch { limits, ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    let two = of_two(&stage, group).await.tokens_at_most;
    limit(&stage, BudgetScope::Day, Some(two * 5 / 4), None).await;
    assert_eq!(of_two(&stage, group).await.beyond, []);
    // The first one asks, and the second one waits for its place.
    stage.post(group, "@Ada hello").await;
    gate.arrived(1).await;
    assert_eq!(of_two(&stage, group).await.beyond, [], "most of it comes back");
    stage.post(group, "@Bo hello").await;
    stage.until(async |stage: &Stage| stage.runs().await.len() == 2).await;
    assert_eq!(of_two(&stage, group).await.beyond, stage.ids(&["Di"]).await);
    stage.post(group, "@Cy @Di hello").await;
    gate.open();
    stage.quiet().await;
    assert!(stage.runs().await.iter().all(|run| run.state == RunState::Settled));
    assert_eq!(stage.model.requests().len(), 3);
}

/// Answers when the gate opens.
fn holding(gate: &llm::scripted::Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |request, _| {
        let hold = llm::scripted::Beat::Gate(gate.clone());
        [vec![hold], answers(&speaker(request), used(100, 10))].concat()
    })
}

/// Their turns are handed on long after the first answer.
#[tokio::test]
async fn what_a_round_and_a_supervisor_may_cost_is_known_before_and_not_only_their_first_answer() {
    for policy in [TurnPolicy::Rounds, TurnPolicy::Supervisor] {
        let model = Scripted::from_fn(|request, n| {
            let next = if n % 2 == 0 { "Bo" } else { "Otto" };
            let text = match request.grammar {
                Some(_) => json!({ "next": next, "why": "it is time" }).to_string(),
                None => thought(n).to_owned(),
            };
            let output_tokens = Some(request.max_tokens);
            answers(&text, Usage { output_tokens, ..Usage::default() })
        });
        let stage = stage().model(model).open().await;
        let group = stage.group(&["Ada", "Bo", "Otto"], policy).await;
        price(&stage, "test/*").await;
        for scope in [BudgetScope::Message, BudgetScope::Day] {
            limit(&stage, scope, None, None).await;
        }
        let would = would(&stage, group).await;
        assert!(would.hands_on);
        stage.say(group, "hello").await;
        let asked = stage.model.requests().len();
        assert!(asked > 3, "{policy:?}: {asked}");
        let spent = budget(&stage, BudgetScope::Day).await;
        assert!(spent.spent_tokens <= would.tokens_at_most, "{policy:?}: {spent:?} {would:?}");
        assert!(spent.spent_microusd <= would.microusd_at_most, "{policy:?}: {spent:?} {would:?}");

        // Beyond what is left nothing comes.
        let little = would.tokens_at_most / 2 + spent.spent_tokens;
        limit(&stage, BudgetScope::Day, Some(little), None).await;
        let within = self::would(&stage, group).await;
        assert!(within.tokens_at_most <= little - spent.spent_tokens, "{within:?}");
        assert!(within.tokens_at_most > 0, "{within:?}");
    }
}
