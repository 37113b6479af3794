//! What becomes of a call that fails: it is made again, another model answers
//! in its place, or a person is told; and what need not be asked at all.

mod again;
mod answered_before;
mod circuits;
mod instead;
mod of_the_question;
mod on_the_wire;
mod restarts;
mod roles;
mod whatever_fails;

use domain::{
    Command, GroupId, ModelCall, ModelInfo, ModelRole, Provider, ProviderKind, RunDetail, StepKind,
    UsageBy, UsageRow,
};
use llm::scripted::Beat;
use llm::{Finish, ModelFault, Trouble};
use tests::Stage;

const BUSY: Trouble = Trouble::Busy { retry_after: None };

fn fault(trouble: Trouble) -> ModelFault {
    ModelFault::new(trouble, "the model failed", "nothing to do, it is a test")
}

fn fails(trouble: Trouble) -> Vec<Beat> {
    vec![Beat::Fail(fault(trouble))]
}

fn says(text: &str) -> Vec<Beat> {
    vec![Beat::Text(text.into())]
}

fn says_and_used(text: &str, usage: domain::Usage) -> Vec<Beat> {
    vec![Beat::Text(text.into()), Beat::Done { finish: Finish::Stop, usage }]
}

/// A model of another provider; `elsewhere` is not this machine.
async fn connect(stage: &Stage, name: &str, elsewhere: bool) {
    let (provider, model) = name.split_once('/').expect("provider/model");
    let info = ModelInfo::new(model, Some(32_000));
    let provider = Provider {
        name: provider.into(),
        kind: if elsewhere { ProviderKind::Openai } else { ProviderKind::Scripted },
        base_url: elsewhere.then(|| "https://api.acme.example/v1".into()),
        key_env: None,
        key: None,
        models: vec![info],
    };
    stage.do_(Command::save_provider(provider)).await;
}

async fn choose(stage: &Stage, role: ModelRole, model: &str) {
    stage.do_(Command::UseModel { role, model: model.into() }).await;
}

/// The newest run with everything about it.
async fn last(stage: &Stage) -> RunDetail {
    let run = stage.runs().await.pop().expect("there was a run");
    stage.run(run.id).await
}

/// What the run tells of its calls.
fn told(detail: &RunDetail) -> Vec<String> {
    let told = detail.steps.iter().filter_map(|step| match &step.kind {
        StepKind::ModelCalled { model } => Some(format!("asks {model}")),
        StepKind::Retried { attempt, after_ms, replaces, .. } => {
            let replaces = if *replaces { ", replaces" } else { "" };
            Some(format!("try {attempt} failed, again after {after_ms} ms{replaces}"))
        }
        StepKind::FellBack { from, to, replaces, .. } => {
            let replaces = if *replaces { ", replaces" } else { "" };
            Some(format!("{to} for {from}{replaces}"))
        }
        StepKind::FromCache { model, .. } => Some(format!("{model} is not asked")),
        _ => None,
    });
    told.collect()
}

fn paid(calls: &[ModelCall]) -> Vec<(&str, Option<i64>)> {
    calls.iter().map(|call| (call.model.as_str(), call.cost_microusd)).collect()
}

async fn usage(stage: &Stage, by: UsageBy) -> Vec<UsageRow> {
    match stage.query(domain::Query::Usage { by, since_ms: 0 }).await {
        Ok(domain::Reply::Usage(rows)) => rows,
        other => panic!("no usage: {other:?}"),
    }
}

/// Words of agents, and notices.
async fn said(stage: &Stage, group: GroupId) -> Vec<String> {
    let mut all = stage.transcript(group).await;
    all.retain(|line| !line.starts_with("you: "));
    all
}
