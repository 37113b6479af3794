//! What may be spent, and what happens when it is gone; and whose turn it is
//! to ask a model.

use domain::{
    AgentId, AgentState, Budget, BudgetScope, BudgetState, Command, Fault, FaultCode, FromOwner,
    GroupId, Limits, Outcome, Price, Query, Reply, RunState, SettingsPatch, Target, TurnPolicy,
    Update, Usage, UsageBy, UsageRow, WouldWake,
};
use futures::{FutureExt, StreamExt};
use llm::scripted::{Beat, Gate, Scripted};
use llm::{Finish, ModelRequest, ToolCallDelta, Trouble};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tests::{Stage, fails, says, speaker, stage, thought};

fn used(input: u32, output: u32) -> Usage {
    Usage { input_tokens: Some(input), output_tokens: Some(output), cached_tokens: None }
}

fn done(finish: Finish, usage: Usage) -> Beat {
    Beat::Done { finish, usage }
}

/// Says something and what it used.
fn answers(text: &str, usage: Usage) -> Vec<Beat> {
    vec![Beat::Text(text.into()), done(Finish::Stop, usage)]
}

fn calculates(n: usize, usage: Usage) -> Vec<Beat> {
    let (id, name) = (format!("c{n}"), Some("calculator".to_owned()));
    let arguments = format!("{{\"expression\": \"{n} + 1\"}}");
    let call = ToolCallDelta { id, name, arguments };
    vec![Beat::ToolCall(call), done(Finish::ToolCalls, usage)]
}

/// Uses a tool and never comes to an end.
fn runaway() -> Scripted {
    Scripted::from_fn(|_, n| calculates(n, used(1_000, 500)))
}

const A_CALL: i64 = 1_500;

async fn limit(stage: &Stage, scope: BudgetScope, tokens: Option<i64>, microusd: Option<i64>) {
    stage.do_(Command::SetBudget { budget: Budget { scope, tokens, microusd } }).await;
}

async fn budget(stage: &Stage, scope: BudgetScope) -> BudgetState {
    let Ok(Reply::Budgets(all)) = stage.query(Query::Budgets).await else { panic!("no budgets") };
    *all.iter().find(|state| state.budget.scope == scope).expect("the scope has a budget")
}

/// Everything that the agent has used today, whatever limits it.
async fn spent_by(stage: &Stage, agent: AgentId) -> (i64, i64) {
    let rows = usage(stage, UsageBy::Agent).await;
    let row = rows.iter().find(|row| row.key == agent.to_string());
    row.map_or((0, 0), |row| (row.input_tokens + row.output_tokens, row.cost_microusd))
}

async fn usage(stage: &Stage, by: UsageBy) -> Vec<UsageRow> {
    match stage.query(Query::Usage { by, since_ms: 0 }).await {
        Ok(Reply::Usage(rows)) => rows,
        other => panic!("no usage: {other:?}"),
    }
}

/// One dollar for a million tokens read, ten for a million written.
async fn price(stage: &Stage, model: &str) {
    let price = Price {
        model: model.into(),
        input_microusd: 1_000_000,
        cached_microusd: Some(100_000),
        output_microusd: 10_000_000,
    };
    let patch = SettingsPatch { prices: Some(vec![price]), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
}

async fn last_fault(stage: &Stage) -> Fault {
    match stage.runs().await.pop().and_then(|run| run.outcome) {
        Some(Outcome::Failed { fault }) => fault,
        other => panic!("no failure: {other:?}"),
    }
}

/// Until nobody works and nobody is about to.
async fn settled(stage: &Stage) {
    stage
        .until(async |stage: &Stage| {
            let runs = stage.runs().await;
            !runs.is_empty() && runs.iter().all(|run| run.state != RunState::Running)
        })
        .await;
}

#[tokio::test]
async fn a_runaway_stops_at_each_kind_of_cap_before_the_call() {
    type Scope = fn(AgentId, GroupId) -> BudgetScope;
    let scopes: [(Scope, AgentState, &str); 7] = [
        (|_, _| BudgetScope::Message, AgentState::Idle, "message"),
        (|_, _| BudgetScope::Run, AgentState::Idle, "run"),
        (|_, _| BudgetScope::Day, AgentState::Error, "day"),
        (|_, _| BudgetScope::AnyAgent, AgentState::Error, "agent:Ada"),
        (|agent, _| BudgetScope::Agent(agent), AgentState::Error, "agent:Ada"),
        (|_, _| BudgetScope::AnyGroup, AgentState::Error, "group:Ada"),
        (|_, group| BudgetScope::Group(group), AgentState::Error, "group:Ada"),
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
            let (ada, bo) = (stage.agent("Ada").await, stage.agent("Bo").await);
            ada.state == AgentState::Error && bo.state == AgentState::Error
        })
        .await;
    assert_eq!(stage.agent("Ada").await.problem.unwrap().code, FaultCode::Budget);
    assert_eq!(stage.model.requests(), []);

    let mut events = stage.events();
    stage.do_(Command::ResetBudget { scope: BudgetScope::Day }).await;
    stage
        .until(async |stage: &Stage| stage.transcript(ada).await.contains(&"Ada: yes".into()))
        .await;
    assert_eq!(stage.agent("Bo").await.state, AgentState::Error, "its own is still used up");
    limit(&stage, BudgetScope::Agent(bo_id), Some(100_000), None).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(bo).await, ["you: hello", "<run_failed>", "Bo: yes"]);
    assert!(events.next().now_or_never().is_some());
}

#[tokio::test]
async fn what_was_spent_counts_after_a_restart_and_on_the_next_day_no_more() {
    let stage = stage().model(Scripted::from_fn(|_, _| answers("yes", used(9_000, 500)))).open();
    let stage = stage.await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Day, Some(12_000), None).await;
    stage.say(ada, "one").await;
    let stage = stage.reopen().await;
    assert_eq!(budget(&stage, BudgetScope::Day).await.spent_tokens, 9_500);
    stage.post(ada, "two").await;
    settled(&stage).await;
    stage.until(async |stage: &Stage| stage.agent("Ada").await.state == AgentState::Error).await;
    assert_eq!(stage.model.requests().len(), 1);

    stage.clock.advance(Duration::from_secs(24 * 60 * 60));
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 2);
    assert_eq!(budget(&stage, BudgetScope::Day).await.spent_tokens, 9_500);
}

#[tokio::test]
async fn a_call_that_was_killed_has_used_all_that_it_was_promised() {
    let stage =
        stage().model(Scripted::from_fn(|_, _| vec![Beat::Text("half".into()), Beat::Hang]));
    let stage = stage.open().await;
    price(&stage, "test/*").await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Run, Some(8_000), None).await;
    stage.post(ada, "hello").await;
    stage.model.asked(1).await;
    let promised = budget(&stage, BudgetScope::Day).await;
    assert!(promised.spent_tokens == 0 && promised.reserved_tokens > 4_096, "{promised:?}");

    let stage = stage.crash(says("yes")).await;
    stage.until(async |stage: &Stage| stage.runs().await.len() == 2).await;
    settled(&stage).await;
    let paid = budget(&stage, BudgetScope::Day).await;
    assert_eq!((paid.spent_tokens, paid.reserved_tokens), (promised.reserved_tokens, 0));
    assert_eq!(paid.spent_microusd, promised.reserved_microusd);
    let first = stage.runs().await.remove(0);
    let tokens = first.usage.input_tokens.unwrap() + first.usage.output_tokens.unwrap();
    assert_eq!(i64::from(tokens), promised.reserved_tokens);
    assert_eq!(first.cost_microusd, Some(promised.reserved_microusd));
    // The second try is the same turn: what the first took is gone.
    assert_eq!(stage.model.requests(), []);
    assert_eq!(last_fault(&stage).await.code, FaultCode::Budget);
}

#[tokio::test]
async fn two_runs_at_once_cannot_both_take_the_last_of_a_budget() {
    let gate = Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |_, _| {
        [vec![Beat::Gate(held.clone())], answers("yes", used(10, 10))].concat()
    });
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    limit(&stage, BudgetScope::Message, Some(9_000), None).await;
    stage.post(group, "hello").await;
    stage
        .until(async |stage: &Stage| {
            stage.runs().await.iter().any(|run| run.state == RunState::Failed)
        })
        .await;
    gate.open();
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 1);
    let states: HashSet<_> = stage.runs().await.into_iter().map(|run| run.state).collect();
    assert_eq!(states, HashSet::from([RunState::Failed, RunState::Settled]));
    let fault = stage.runs().await.into_iter().find_map(|run| match run.outcome {
        Some(Outcome::Failed { fault }) => Some(fault),
        _ => None,
    });
    assert!(fault.unwrap().message.contains("promised to calls in progress"));
}

#[tokio::test]
async fn the_sums_on_record_are_what_the_provider_said() {
    let model = Scripted::from_fn(|_, n| {
        let cached_tokens = (n == 2).then_some(900);
        let usage = Usage { cached_tokens, ..used(1_000 * n as u32, 7) };
        if n < 3 { calculates(n, usage) } else { answers("three", usage) }
    });
    let stage = stage().model(model).open().await;
    price(&stage, "test/script").await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "count").await;

    let expected = Usage { cached_tokens: Some(900), ..used(6_000, 21) };
    let run = stage.runs().await.pop().unwrap();
    assert_eq!(run.usage, expected);
    let cost = 5_100 + 90 + 210;
    assert_eq!(run.cost_microusd, Some(cost));
    for by in [UsageBy::Agent, UsageBy::Model, UsageBy::Group, UsageBy::Day] {
        let [row] = usage(&stage, by).await.try_into().unwrap();
        let tokens = (row.input_tokens, row.output_tokens, row.cached_tokens);
        assert_eq!((row.calls, tokens, row.cost_microusd), (3, (6_000, 21, 900), cost));
    }
    let day = budget(&stage, BudgetScope::Day).await;
    assert_eq!((day.spent_tokens, day.spent_microusd), (6_021, cost));
}

#[tokio::test]
async fn an_answer_that_was_stopped_is_charged_by_our_own_count() {
    let text = "word ".repeat(40);
    let words = text.clone();
    let model = Scripted::from_fn(move |_, _| vec![Beat::Text(words.clone()), Beat::Hang]);
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "hello").await;
    let mut events = stage.events();
    stage.model.asked(1).await;
    while !matches!(
        events.next().await,
        Some(FromOwner::Event(domain::Event { update: Update::Live { .. }, .. }))
    ) {}
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    let run = stage.runs().await.pop().unwrap();
    assert_eq!(run.state, RunState::Stopped);
    assert_eq!(run.usage.output_tokens, Some(text.len().div_ceil(4) as u32));
    assert!(run.usage.input_tokens > Some(50), "{:?}", run.usage);
    assert_eq!(run.usage.cached_tokens, None);
    let sum = run.usage.input_tokens.unwrap() + run.usage.output_tokens.unwrap();
    let day = budget(&stage, BudgetScope::Day).await;
    assert_eq!((day.spent_tokens, day.reserved_tokens), (i64::from(sum), 0));
}

#[tokio::test]
async fn what_a_provider_does_not_say_is_our_own_count_and_what_it_refuses_is_free() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    let run = stage.runs().await.pop().unwrap();
    assert_eq!(run.usage.output_tokens, Some(1));
    assert!(run.usage.input_tokens > Some(50));

    let stage = tests::stage().model(fails(Trouble::Key)).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "hello").await;
    stage.until(async |stage: &Stage| stage.agent("Ada").await.state == AgentState::Error).await;
    let run = stage.runs().await.pop().unwrap();
    assert_eq!((run.usage, run.cost_microusd), (Usage::default(), None));
    let day = budget(&stage, BudgetScope::Day).await;
    assert_eq!((day.spent_tokens, day.reserved_tokens), (0, 0));
    assert_eq!(usage(&stage, UsageBy::Agent).await[0].calls, 1);
}

#[tokio::test]
async fn a_childs_work_is_charged_to_everybody_it_works_for() {
    let stage = stage().model(Scripted::from_fn(|_, _| answers("yes", used(5_000, 0)))).open();
    let stage = stage.await;
    let ada = stage.agent("Ada").await.id;
    let mut parent = ada;
    for name in ["Child", "Grandchild"] {
        let name = Some(name.to_owned());
        let new = Command::NewAgent { soul: "ada".into(), name, model: None, parent: Some(parent) };
        let Reply::Agent(agent) = stage.do_(new).await else { panic!("no agent") };
        parent = agent.id;
    }
    limit(&stage, BudgetScope::Agent(ada), Some(11_000), None).await;
    let group = stage.direct("Grandchild").await;
    stage.say(group, "one").await;
    assert_eq!(budget(&stage, BudgetScope::Agent(ada)).await.spent_tokens, 5_000);
    stage.say(group, "two").await;
    stage.post(group, "three").await;
    stage
        .until(async |stage: &Stage| stage.agent("Grandchild").await.state == AgentState::Error)
        .await;
    let fault = last_fault(&stage).await;
    assert!(fault.message.starts_with("Ada has used 5,000 tokens"), "{fault}");
    assert!(fault.fix.contains("coterie budget set agent:Ada --tokens"), "{fault}");
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
async fn what_a_message_may_cost_is_known_before_it_is_posted() {
    let model = Scripted::from_fn(|request, n| answers(thought(n), used(0, request.max_tokens)));
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    let would = async |stage: &Stage| -> WouldWake {
        match stage.query(Query::WouldWake { group, text: "hello".into() }).await {
            Ok(Reply::WouldWake(would)) => would,
            other => panic!("no estimate: {other:?}"),
        }
    };
    let unpriced = would(&stage).await;
    assert_eq!((unpriced.agents.len(), unpriced.microusd_at_most), (2, None));
    price(&stage, "test/*").await;
    let before = would(&stage).await;
    let cost = before.microusd_at_most.unwrap();
    assert!(cost > 2 * 4_096 * 10, "{before:?}");

    let mut events = stage.events();
    stage.post(group, "hello").await;
    stage.model.asked(2).await;
    stage.quiet().await;
    drop(events.next().now_or_never());
    let asked: u32 = stage.model.requests().iter().map(|request| request.max_tokens).sum();
    assert!(before.tokens_at_most > i64::from(asked));
    let spent = budget(&stage, BudgetScope::Day).await;
    assert!(spent.spent_microusd <= cost && spent.spent_tokens <= before.tokens_at_most);
}

/// Where each run stands, as the events say.
#[derive(Default)]
struct Line {
    told: HashMap<domain::RunId, Vec<u32>>,
}

impl Line {
    async fn follow(
        &mut self,
        events: &mut (impl futures::Stream<Item = FromOwner> + Unpin),
        mut enough: impl FnMut(&Line) -> bool,
    ) {
        while !enough(self) {
            match events.next().await.expect("the workspace is open") {
                FromOwner::Event(event) => {
                    if let Update::Waiting { waiting } = event.update {
                        self.told.entry(waiting.run).or_default().push(waiting.position);
                    }
                }
                other => panic!("fell behind: {other:?}"),
            }
        }
    }

    fn waiting(&self) -> usize {
        self.told.values().filter(|told| told.last() != Some(&0)).count()
    }
}

#[tokio::test]
async fn forty_agents_are_each_served_within_two_rounds_and_see_where_they_stand() {
    const AGENTS: usize = 40;
    let gate = Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |request, n| {
        let text = format!("{} {n}", speaker(request));
        vec![Beat::Gate(held.clone()), Beat::Text(text)]
    });
    let stage = stage().model(model).open().await;
    let mut groups = Vec::new();
    for n in 0..AGENTS {
        let name = format!("Agent{n}");
        stage.new_agent(&name).await;
        groups.push(stage.direct(&name).await);
    }
    let mut events = stage.events();
    let mut line = Line::default();
    for group in &groups {
        stage.post(*group, "one").await;
    }
    line.follow(&mut events, |line| line.waiting() == AGENTS - 4).await;
    stage.model.writing(4).await;
    let mut places: Vec<u32> = line.told.values().filter_map(|told| told.last().copied()).collect();
    places.sort_unstable();
    assert_eq!(places, (1..=36).collect::<Vec<u32>>());
    for group in &groups {
        stage.post(*group, "two").await;
    }
    gate.open();
    stage.quiet().await;

    assert!(stage.model.most_at_once() <= 4);
    let speakers: Vec<String> = stage.model.requests().iter().map(speaker).collect();
    // Who was called while the first four were held takes both at once.
    for (at, name) in speakers.iter().enumerate() {
        let next = speakers[at + 1..].iter().position(|other| other == name);
        assert!(next.is_none_or(|gap| gap < 2 * AGENTS), "{name} after {next:?}");
    }
    let first: HashSet<&String> = speakers.iter().take(AGENTS).collect();
    assert_eq!(first.len(), AGENTS, "everybody once before anybody twice");
}

#[tokio::test]
async fn more_calls_at_a_time_take_effect_at_once_and_a_stop_leaves_the_line() {
    let model = Scripted::from_fn(|_, _| vec![Beat::Hang]);
    let stage = stage().model(model).open().await;
    let at_a_time = async |stage: &Stage, max_concurrent| {
        let limits = Some(Limits { max_concurrent, ..Limits::default() });
        let patch = SettingsPatch { limits, ..SettingsPatch::default() };
        stage.do_(Command::ChangeSettings { patch }).await;
    };
    at_a_time(&stage, 1).await;
    let mut groups = Vec::new();
    for name in ["One", "Two", "Three", "Four"] {
        stage.new_agent(name).await;
        groups.push(stage.direct(name).await);
    }
    let mut events = stage.events();
    let mut line = Line::default();
    for group in &groups {
        stage.post(*group, "hello").await;
    }
    line.follow(&mut events, |line| line.waiting() == 3).await;
    assert_eq!(stage.model.requests().len(), 1);

    let waiting: Vec<_> = line.told.keys().copied().collect();
    stage.do_(Command::Stop { target: Target::Run(waiting[0]) }).await;
    line.follow(&mut events, |line| line.told[&waiting[0]].last() == Some(&0)).await;
    assert_eq!(stage.model.requests().len(), 1, "who stopped waiting asked nobody");
    assert_eq!(line.waiting(), 2);
    at_a_time(&stage, 3).await;
    stage.model.asked(3).await;
    line.follow(&mut events, |line| line.waiting() == 0).await;
    stage.do_(Command::Stop { target: Target::Run(waiting[1]) }).await;
    stage.model.dropped(1).await;
    let runs = stage.runs().await;
    let never_asked = runs.iter().find(|run| run.id == waiting[0]).unwrap();
    assert_eq!(never_asked.usage, Usage::default());
}

fn last_max_tokens(requests: &[ModelRequest]) -> i64 {
    requests.iter().map(|request| i64::from(request.max_tokens)).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn whatever_is_used_no_budget_is_passed_by_more_than_one_calls_max_tokens(
        limit_tokens in 4_000..40_000_i64,
        usages in prop::collection::vec((0..6_000_u32, 0..=4_096_u32), 1..9),
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
