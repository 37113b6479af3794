//! What may be spent, and what happens when it is gone; and whose turn it is
//! to ask a model.

mod ahead;
mod caps;
mod charging;
mod days;
mod endless;
mod line;
mod stopping;
mod waiting;

use domain::{
    AgentId, Budget, BudgetScope, BudgetState, Command, Fault, ModelRole, Outcome, Price,
    PriceChange, Query, Reply, RunState, SettingsPatch, Usage, UsageBy, UsageRow,
};
use llm::scripted::Beat;
use llm::{Finish, ToolCallDelta};
use tests::{Stage, stage};

fn used(input: u32, output: u32) -> Usage {
    Usage { input_tokens: Some(input), output_tokens: Some(output), ..Usage::default() }
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
    row.map_or((0, 0), |row| {
        (row.input_tokens + row.output_tokens, row.cost_microusd.unwrap_or_default())
    })
}

async fn usage(stage: &Stage, by: UsageBy) -> Vec<UsageRow> {
    match stage.query(Query::Usage { by, since_ms: 0 }).await {
        Ok(Reply::Usage(rows)) => rows,
        other => panic!("no usage: {other:?}"),
    }
}

/// One dollar for a million tokens read, ten for a million written.
async fn price(stage: &Stage, model: &str) {
    stage.do_(pricing(model)).await;
}

fn pricing(model: &str) -> Command {
    let price = Price {
        model: model.into(),
        input_microusd: 1_000_000,
        cached_microusd: Some(100_000),
        cache_write_microusd: None,
        output_microusd: 10_000_000,
        as_of: None,
        by_provider: false,
    };
    let patch = SettingsPatch { price: Some(price.into()), ..SettingsPatch::default() };
    Command::ChangeSettings { patch }
}

#[tokio::test]
async fn a_price_of_what_is_no_model_is_refused() {
    let stage = stage().open().await;
    for wrong in ["gpt-5", "", "/gpt-5", "openai/"] {
        let fault = stage.command(pricing(wrong)).await.unwrap_err();
        assert_eq!(fault.message, format!("{wrong:?} names no model"));
    }
    for right in ["*", "openai/*", "openai/gpt-5*", "local//models/a b.gguf"] {
        price(&stage, right).await;
    }
}

#[tokio::test]
async fn what_several_set_at_the_same_time_all_stays() {
    let stage = stage().open().await;
    let models: Vec<String> = (0..8).map(|n| format!("acme/m{n}")).collect();
    let role = |role| Command::UseModel { role, model: "test/script".into() };
    stage.do_(role(ModelRole::Fast)).await;
    let patch = SettingsPatch { no_model_for: Some(ModelRole::Fast), ..SettingsPatch::default() };
    let all = models.iter().map(|model| pricing(model));
    let all = all.chain([role(ModelRole::Reasoning), Command::ChangeSettings { patch }]);
    futures::future::join_all(all.map(|one| stage.do_(one))).await;
    let settings = stage.overview().await.settings;
    let mut priced: Vec<_> = settings.prices.into_iter().map(|price| price.model).collect();
    priced.sort();
    assert_eq!(priced, models);
    let roles = (settings.models.fast, settings.models.reasoning.as_deref());
    assert_eq!(roles, (None, Some("test/script")));
    let price = PriceChange { without: Some("acme/m9".into()), put: None };
    let patch = SettingsPatch { price: Some(price), ..SettingsPatch::default() };
    let unknown = stage.command(Command::ChangeSettings { patch }).await.unwrap_err();
    assert_eq!(unknown.code, domain::FaultCode::NotFound);
}

#[tokio::test]
async fn a_price_of_a_day_to_come_is_refused_as_it_would_count_at_once() {
    let stage = stage().open().await;
    let seen_on = |day: &str| {
        let Command::ChangeSettings { mut patch } = pricing("openai/*") else { unreachable!() };
        let put = patch.price.as_mut().and_then(|price| price.put.as_mut());
        put.expect("a price").as_of = Some(day.into());
        Command::ChangeSettings { patch }
    };
    let fault = stage.command(seen_on("9999-12-31")).await.unwrap_err();
    assert_eq!(fault.message, "what openai/* costs on 9999-12-31 nobody knows yet");
    let fault = stage.command(seen_on("yesterday")).await.unwrap_err();
    assert_eq!(fault.message, "\"yesterday\" is no day");
    stage.do_(seen_on("2024-02-29")).await;
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
