//! What stops when a limit is met, and what brings it back.

use super::{answers, budget, calculates, last_fault, limit, price, settled, spent_by, used};
use domain::{
    AgentId, AgentState, Budget, BudgetScope, Command, Event, Fault, FaultCode, FaultKind,
    FromOwner, GroupId, Outcome, Reply, RunState, TurnPolicy, Update,
};
use futures::{FutureExt, StreamExt};
use llm::ModelRequest;
use llm::scripted::{Beat, Gate, Scripted};
use proptest::prelude::*;
use std::collections::HashSet;
use tests::{Stage, stage, thought};

/// Uses a tool and never comes to an end.
fn runaway() -> Scripted {
    Scripted::from_fn(|_, n| calculates(n, used(1_000, 500)))
}

const A_CALL: i64 = 1_500;

/// What the window is told beside the sentence: whose limit it is, and how much of it.
fn parts_of(fault: &Fault) -> (Option<String>, i64) {
    let Some(FaultKind::OverBudget { name, limit, used, needed, .. }) = fault.kind.as_deref()
    else {
        panic!("{fault:?} tells no parts")
    };
    assert!(used + needed > *limit, "{fault:?}");
    (name.clone(), *limit)
}

#[tokio::test]
async fn a_runaway_stops_at_each_kind_of_cap_before_the_call() {
    type Scope = fn(AgentId, GroupId) -> BudgetScope;
    let scopes: [(Scope, AgentState, &str); 7] = [
        (|_, _| BudgetScope::Message, AgentState::Idle, "message"),
        (|_, _| BudgetScope::Run, AgentState::Idle, "run"),
        (|_, _| BudgetScope::Day, AgentState::Idle, "day"),
        (|_, _| BudgetScope::AnyAgent, AgentState::Error, "agent:Ada"),
        (|agent, _| BudgetScope::Agent(agent), AgentState::Error, "agent:Ada"),
        (|_, _| BudgetScope::AnyGroup, AgentState::Idle, "group:Ada"),
        (|_, group| BudgetScope::Group(group), AgentState::Idle, "group:Ada"),
    ];
    for (scope, then, word) in scopes {
        for money in [false, true] {
            let stage = stage().model(runaway()).open().await;
            price(&stage, "test/*").await;
            let (ada, group) = (stage.agent("Ada").await.id, stage.direct("Ada").await);
            let scope = scope(ada, group);
            let (most, unit) = if money { (80_000, "--usd") } else { (12_000, "--tokens") };
            let (tokens, microusd) = if money { (None, Some(most)) } else { (Some(most), None) };
            limit(&stage, scope, tokens, microusd).await;
            stage.post(group, "count for ever").await;
            settled(&stage).await;

            let run = stage.runs().await.pop().unwrap();
            let fault = last_fault(&stage).await;
            assert_eq!((run.state, fault.code), (RunState::Failed, FaultCode::Budget), "{fault}");
            let raise = format!("coterie budget set {word} {unit} ");
            assert!(fault.fix.contains(&raise), "{scope:?}: {}", fault.fix);
            let (whose, of) = parts_of(&fault);
            let expected = word.split_once(':').map(|(_, name)| name);
            assert_eq!((whose.as_deref(), of), (expected, most), "{scope:?}: {fault}");
            assert_eq!(stage.agent("Ada").await.state, then, "{scope:?}");

            let asked = stage.model.requests();
            assert!((2..10).contains(&asked.len()), "{scope:?}: {} calls", asked.len());
            let (tokens, microusd) = spent_by(&stage, ada).await;
            assert_eq!(tokens, A_CALL * asked.len() as i64);
            assert!(if money { microusd } else { tokens } <= most, "{scope:?}");
            assert_eq!(stage.transcript(group).await, ["you: count for ever", "<run_failed>"]);
            let day = budget(&stage, BudgetScope::Day).await;
            assert_eq!(
                (day.spent_tokens, day.reserved_tokens, day.reserved_microusd),
                (tokens, 0, 0)
            );
        }
    }
}

#[tokio::test]
async fn where_no_money_may_be_spent_a_model_without_a_price_is_not_asked() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Day, None, Some(0)).await;
    stage.say(ada, "hello").await;
    assert_eq!(stage.model.requests(), []);
    assert_eq!(last_fault(&stage).await.message, "everybody's budget today is 0 dollars");
    limit(&stage, BudgetScope::Day, None, Some(10)).await;
    stage.quiet().await;
    let asked = stage.model.requests().len();
    assert_eq!(asked, 1, "what nobody knows the price of counts for nothing");
}

#[tokio::test]
async fn nothing_may_be_spent_of_0_and_off_has_to_be_said() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Message, Some(0), None).await;
    stage.say(ada, "hello").await;
    assert_eq!(stage.model.requests(), []);
    let fault = last_fault(&stage).await;
    assert_eq!(fault.message, "each message's budget is 0 tokens");
    limit(&stage, BudgetScope::Message, None, None).await;
    stage.say(ada, "hello again").await;
    assert_eq!(stage.transcript(ada).await.last().unwrap(), "Ada: yes");

    for scope in [BudgetScope::Message, BudgetScope::Run, BudgetScope::AnyAgent, BudgetScope::Day] {
        stage.do_(Command::ResetBudget { scope }).await;
        let state = budget(&stage, scope).await;
        assert!(!state.set && state.budget.microusd.is_some(), "{state:?} is on by default");
    }
    let below = Budget { scope: BudgetScope::Day, tokens: Some(-1), microusd: None };
    let refused = stage.command(Command::SetBudget { budget: below }).await.unwrap_err();
    assert_eq!(refused.code, FaultCode::BadInput);
}

#[tokio::test]
async fn raising_or_resetting_a_budget_brings_back_those_who_stopped_for_it() {
    let stage = stage().open().await;
    let (ada, bo) = (stage.direct("Ada").await, stage.direct("Bo").await);
    let bo_id = stage.agent("Bo").await.id;
    limit(&stage, BudgetScope::Day, Some(0), None).await;
    limit(&stage, BudgetScope::Agent(bo_id), Some(0), None).await;
    stage.post(ada, "hello").await;
    stage.post(bo, "hello").await;
    stage
        .until(async |stage: &Stage| {
            let (ada, bo) = (stage.view(ada).await.group, stage.view(bo).await.group);
            ada.problem.is_some() && bo.problem.is_some()
        })
        .await;
    assert_eq!(stage.model.requests(), []);

    let mut events = stage.events();
    stage.do_(Command::ResetBudget { scope: BudgetScope::Day }).await;
    stage
        .until(async |stage: &Stage| stage.transcript(ada).await.contains(&"Ada: yes".into()))
        .await;
    // Its own is still used up.
    stage.until(async |stage: &Stage| stage.agent("Bo").await.state == AgentState::Error).await;
    assert_eq!(stage.agent("Bo").await.problem.unwrap().code, FaultCode::Budget);
    limit(&stage, BudgetScope::Agent(bo_id), Some(100_000), None).await;
    stage.quiet().await;
    let said = ["you: hello", "<run_failed>", "<run_failed>", "Bo: yes"];
    assert_eq!(stage.transcript(bo).await, said);
    assert!(events.next().now_or_never().is_some());
}

#[tokio::test]
async fn two_runs_at_once_cannot_both_take_the_last_of_a_budget() {
    let gate = Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |_, n| {
        [vec![Beat::Gate(held.clone())], answers(thought(n), used(4_000, 3_000))].concat()
    });
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Manual).await;
    limit(&stage, BudgetScope::Group(group), Some(9_000), None).await;
    stage.post(group, "hello").await;
    let mut events = stage.events();
    for agent in stage.ids(&["Ada", "Bo"]).await {
        stage.do_(Command::SpeakNow { group, agent }).await;
    }
    let waits = |event: &FromOwner| {
        matches!(event, FromOwner::Event(Event { update: Update::Waiting { .. }, .. }))
    };
    while !waits(&events.next().await.unwrap()) {}
    gate.open();
    settled(&stage).await;
    assert_eq!(stage.model.requests().len(), 1);
    let states: HashSet<_> = stage.runs().await.into_iter().map(|run| run.state).collect();
    assert_eq!(states, HashSet::from([RunState::Failed, RunState::Settled]));
    let fault = stage.runs().await.into_iter().find_map(|run| match run.outcome {
        Some(Outcome::Failed { fault }) => Some(fault),
        _ => None,
    });
    assert!(fault.unwrap().message.contains("has used 7,000 tokens of 9,000 tokens today"));
}

#[tokio::test]
async fn a_soul_says_what_its_agent_may_spend_unless_a_person_does() {
    let soul =
        "---\nname: Thrifty\nbudget:\n  tokens_per_day: 0\n  usd_per_day: off\n---\nYou save.\n";
    let stage = stage().open().await;
    let save = Command::SaveSoul { soul: "thrifty".into(), text: soul.into(), base_hash: None };
    stage.do_(save).await;
    let (name, model, parent) = (None, None, None);
    let new = Command::NewAgent { soul: "thrifty".into(), name, model, parent };
    let Reply::Agent(agent) = stage.do_(new).await else { panic!("no agent") };
    let scope = BudgetScope::Agent(agent.id);
    let said = budget(&stage, scope).await;
    assert_eq!((said.budget.tokens, said.budget.microusd, said.set), (Some(0), None, false));
    let group = stage.direct("Thrifty").await;
    stage.post(group, "hello").await;
    stage
        .until(async |stage: &Stage| stage.agent("Thrifty").await.state == AgentState::Error)
        .await;
    limit(&stage, scope, Some(50_000), None).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(group).await.last().unwrap(), "Thrifty: yes");
}

#[tokio::test]
async fn an_agent_goes_on_when_its_soul_allows_more() {
    let stage = stage().open().await;
    thrifty(&stage, 0, "You save.", 1).await;
    let (name, model, parent) = (None, None, None);
    stage.do_(Command::NewAgent { soul: "thrifty".into(), name, model, parent }).await;
    let group = stage.direct("Thrifty").await;
    stage.post(group, "hello").await;
    stage
        .until(async |stage: &Stage| stage.agent("Thrifty").await.state == AgentState::Error)
        .await;
    thrifty(&stage, 0, "You save much.", 2).await;
    assert_eq!(stage.agent("Thrifty").await.state, AgentState::Error);
    thrifty(&stage, 50_000, "You save much.", 3).await;
    let answers = "Thrifty: yes".to_owned();
    stage.until(async |stage: &Stage| stage.transcript(group).await.contains(&answers)).await;
}

/// Writes its file, and waits until that is in force.
async fn thrifty(stage: &Stage, tokens: u32, you: &str, version: i64) {
    let text = format!("---\nname: Thrifty\nbudget:\n  tokens_per_day: {tokens}\n---\n{you}\n");
    std::fs::write(stage.data().join("souls/thrifty.md"), text).expect("a soul");
    let is_in_force = async |stage: &Stage| {
        let souls = stage.overview().await.souls.into_iter();
        souls.filter(|soul| soul.name == "thrifty").any(|soul| soul.version == version)
    };
    stage.until(is_in_force).await;
}

fn last_max_tokens(requests: &[ModelRequest]) -> i64 {
    requests.iter().map(|request| i64::from(request.max_tokens)).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    // Seen in chaitanyagiri/munder-difflin#288, microsoft/agent-framework#4142.
    #[test]
    fn whatever_is_used_no_budget_is_passed_by_more_than_one_calls_max_tokens(
        limit_tokens in 4_000..40_000_i64,
        // Counts that are believed: 0 stands for none, and what came is counted.
        usages in prop::collection::vec((1..6_000_u32, 40..=4_096_u32), 1..9),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let scripted = usages.clone();
            let model = Scripted::from_fn(move |_, n| {
                let (input, output) = scripted[n % scripted.len()];
                calculates(n, used(input, output))
            });
            let stage = stage().model(model).open().await;
            let ada = stage.direct("Ada").await;
            limit(&stage, BudgetScope::Run, Some(limit_tokens), None).await;
            stage.post(ada, "go").await;
            settled(&stage).await;
            let spent = budget(&stage, BudgetScope::Day).await;
            let requests = stage.model.requests();
            let most = last_max_tokens(&requests);
            // The last call may read more than was thought of it.
            let excess = i64::from(usages.iter().map(|(input, _)| *input).max().unwrap_or(0));
            assert!(spent.spent_tokens <= limit_tokens + most.max(excess), "{spent:?}");
            assert_eq!(spent.reserved_tokens, 0);
            let said: i64 = (1..=requests.len())
                .map(|n| usages[n % usages.len()])
                .map(|(input, output)| i64::from(input) + i64::from(output))
                .sum();
            assert_eq!(spent.spent_tokens, said);
        });
    }
}

/// What a soul says of a turn holds over what is set, so that raising that is no remedy.
#[tokio::test]
async fn what_a_soul_limits_is_raised_in_the_soul() {
    for (line, raised) in
        [("tokens_per_run: 12000", "tokens_per_run: "), ("usd_per_run: 0.08", "usd_per_run: 0.1")]
    {
        let stage = stage().model(runaway()).open().await;
        price(&stage, "test/*").await;
        let text = format!("---\nname: Thrifty\nbudget: {{{line}}}\nplan: never\n---\nYou save.\n");
        let save = Command::SaveSoul { soul: "thrifty".into(), text, base_hash: None };
        stage.do_(save).await;
        let (name, model, parent) = (None, None, None);
        stage.do_(Command::NewAgent { soul: "thrifty".into(), name, model, parent }).await;
        let group = stage.direct("Thrifty").await;
        stage.post(group, "count for ever").await;
        settled(&stage).await;
        let fault = last_fault(&stage).await;
        let fix = "raise it in souls/thrifty.md and say it again: ";
        assert!(fault.fix.starts_with(&format!("{fix}{raised}")), "{fault}");
        let Some(FaultKind::OverBudget { scope, soul, .. }) = fault.kind.as_deref() else {
            panic!("{fault:?}")
        };
        assert_eq!((*scope, soul.as_deref()), (BudgetScope::Run, Some("thrifty")));
    }
}
