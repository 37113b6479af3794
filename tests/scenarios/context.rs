//! What a model reads of a long conversation: what stays word for word, what
//! is folded into a summary, and what never changes from turn to turn.

mod folding;
mod growing;
mod prompt;
mod sent;

use domain::{
    Caps, Command, GroupId, GroupPatch, ModelInfo, Provider, ProviderKind, StepKind, TurnPolicy,
};
use llm::scripted::{Beat, Scripted};
use llm::{ModelRequest, Turn};
use tests::Stage;

pub(crate) const NOTES: &str = "Lin counted sheep with Ada; the first was called Dolly.";

/// Whether this asks for a summary, and not for an answer.
pub(crate) fn asks_for_notes(request: &ModelRequest) -> bool {
    request.turns[0].content.starts_with("You write the notes from which")
}

/// Answers with a short text, and makes notes as given.
pub(crate) fn noting(
    notes: impl Fn(&ModelRequest) -> Vec<Beat> + Send + Sync + 'static,
) -> Scripted {
    Scripted::from_fn(move |request, nth| match asks_for_notes(request) {
        true => notes(request),
        false => vec![Beat::Text(format!("answer {nth}"))],
    })
}

pub(crate) fn text(text: &str) -> Vec<Beat> {
    vec![Beat::Text(text.to_owned())]
}

/// Everything answers with a window of so many tokens.
pub(crate) async fn reads(stage: &Stage, tokens: u32) {
    let info = ModelInfo::new("script", Some(tokens));
    let provider = Provider {
        name: "test".into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: vec![info],
    };
    stage.do_(Command::save_provider(provider)).await;
}

/// Our own count, as the product makes it: four characters a token.
fn tokens(request: &ModelRequest) -> usize {
    let tools: usize = request
        .tools
        .iter()
        .map(|tool| {
            (tool.name.len() + tool.description.len() + tool.input.to_string().len()) / 4 + 8
        })
        .sum();
    let turn = |turn: &Turn| turn.content.chars().count() / 4 + 8;
    request.turns.iter().map(turn).sum::<usize>() + tools
}

fn fits(request: &ModelRequest, window: usize) -> bool {
    tokens(request) + request.max_tokens as usize <= window
}

/// The requests that were made for answers.
fn answered(stage: &Stage) -> Vec<ModelRequest> {
    let mut requests = stage.model.requests();
    requests.retain(|request| !asks_for_notes(request));
    requests
}

fn notes_asked(stage: &Stage) -> Vec<ModelRequest> {
    stage.model.requests().into_iter().filter(asks_for_notes).collect()
}

/// A group in which nobody answers before they are asked to.
pub(crate) async fn manual(stage: &Stage) -> GroupId {
    let group = stage.group(&["Ada"], TurnPolicy::Manual).await;
    let caps = Caps { runs_per_hour: 1_000, ..Caps::default() };
    let patch = GroupPatch { caps: Some(caps), ..GroupPatch::default() };
    stage.do_(Command::EditGroup { group, patch }).await;
    group
}

pub(crate) fn sheep(n: usize) -> String {
    format!("Sheep number {n} jumps over the fence, and it looks at me as it does, all woolly.")
}

pub(crate) async fn say_sheep(stage: &Stage, group: GroupId, numbers: std::ops::Range<usize>) {
    for n in numbers {
        stage.post(group, &sheep(n)).await;
    }
}

pub(crate) async fn answer(stage: &Stage, group: GroupId) {
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::SpeakNow { group, agent }).await;
    stage.quiet().await;
}

/// What each run folded: up to where, and the tokens before and after.
async fn folds(stage: &Stage) -> Vec<Option<(u32, u32)>> {
    let mut folds = Vec::new();
    for run in stage.runs().await {
        let steps = stage.run(run.id).await.steps;
        folds.push(steps.into_iter().find_map(|step| match step.kind {
            StepKind::Folded { tokens_before, tokens_after, .. } => {
                Some((tokens_before, tokens_after))
            }
            _ => None,
        }));
    }
    folds
}

fn whole(request: &ModelRequest) -> String {
    request.turns.iter().map(|turn| format!("{:?} {}\n", turn.role, turn.content)).collect()
}
