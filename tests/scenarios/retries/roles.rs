//! Which model does what.

use super::{choose, connect, last, told};
use domain::{Command, GroupPatch, Learning, ModelRole, PlanAction, SettingsPatch, TurnPolicy};
use llm::ModelRequest;
use llm::scripted::{Beat, Scripted};
use serde_json::json;
use std::path::Path;
use tests::{Setting, Stage, stage};

/// Plans to calculate, names Bo, makes notes, or says which model it is.
fn model() -> Scripted {
    Scripted::from_fn(|request, _| {
        let text = match kind(request) {
            "plan" => {
                let step = json!({"id": "s1", "tool": "calculator",
                    "arguments": {"expression": "1 + 1"}});
                json!({ "steps": [step] }).to_string()
            }
            "decision" => json!({ "next": "Bo" }).to_string(),
            "notes" => "The person counted sheep.".to_owned(),
            _ => format!("{} answers", request.model),
        };
        vec![Beat::Text(text)]
    })
}

fn kind(request: &ModelRequest) -> &'static str {
    let is_chat = request.turns[0].content.starts_with("You are ");
    match &request.grammar {
        Some(llm::Grammar::JsonSchema(schema)) if schema["properties"]["next"].is_object() => {
            "decision"
        }
        Some(_) => "plan",
        None if !is_chat => "notes",
        None => "answer",
    }
}

/// What was asked of whom, in order.
fn asked(stage: &Stage) -> Vec<(&'static str, String)> {
    let requests = stage.model.requests();
    requests.iter().map(|request| (kind(request), request.model.clone())).collect()
}

async fn with_roles(setting: Setting) -> Stage {
    let stage = setting.model(model()).open().await;
    for (role, name) in [(ModelRole::Reasoning, "lab/deep"), (ModelRole::Fast, "farm/quick")] {
        connect(&stage, name, false).await;
        choose(&stage, role, name).await;
    }
    stage
}

fn ada_plans(more: &'static str) -> Setting {
    stage().before(move |data: &Path| {
        let soul = format!("---\nname: Ada\nplan: always\n{more}---\nYou are Ada.\n");
        std::fs::create_dir_all(data.join("souls")).expect("the folder can be written");
        std::fs::write(data.join("souls/ada.md"), soul).expect("the folder can be written");
    })
}

#[tokio::test]
async fn plans_are_made_by_the_reasoning_model_and_answers_by_the_default_one() {
    let stage = with_roles(ada_plans("")).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "1 + 1?").await;
    let expected = [("plan", "deep".to_owned()), ("answer", "script".to_owned())];
    assert_eq!(asked(&stage), expected);
    let run = last(&stage).await;
    assert_eq!(told(&run), ["asks lab/deep", "asks test/script"]);
    assert_eq!(run.context.plans_with.as_deref(), Some("lab/deep"));
    let paid: Vec<&str> = run.calls.iter().map(|call| call.model.as_str()).collect();
    assert_eq!(paid, ["lab/deep", "test/script"]);
    let planned = run.steps.iter().find_map(|step| match &step.kind {
        domain::StepKind::Planned { plan } => plan.steps.first(),
        _ => None,
    });
    assert!(matches!(planned.unwrap().action, PlanAction::Tool { .. }));

    match stage.query(domain::Query::Replay { run: run.run.id }).await {
        Ok(domain::Reply::Replayed(replayed)) => assert_eq!(replayed.difference, None),
        other => panic!("not done again: {other:?}"),
    }
}

#[tokio::test]
async fn who_keeps_to_one_model_does_everything_with_it_unless_its_soul_says_otherwise() {
    for (more, planner) in [
        ("model: test/script\n", "script"),
        ("model: test/script\nreasoning: lab/deep\n", "deep"),
        ("reasoning: fast\n", "quick"),
    ] {
        let stage = with_roles(ada_plans(more)).await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "1 + 1?").await;
        let expected = [("plan", planner.to_owned()), ("answer", "script".to_owned())];
        assert_eq!(asked(&stage), expected, "{more}");
    }
}

#[tokio::test]
async fn a_role_without_a_model_is_served_by_the_default_one() {
    let stage = with_roles(ada_plans("")).await;
    for role in [ModelRole::Reasoning, ModelRole::Fast] {
        let patch = SettingsPatch { no_model_for: Some(role), ..SettingsPatch::default() };
        stage.do_(Command::ChangeSettings { patch }).await;
    }
    let ada = stage.direct("Ada").await;
    stage.say(ada, "1 + 1?").await;
    assert!(asked(&stage).iter().all(|(_, model)| model == "script"));
}

#[tokio::test]
async fn a_supervisor_decides_with_the_reasoning_model() {
    let stage = with_roles(stage()).await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Supervisor).await;
    let supervisor = Some(stage.agent("Otto").await.id);
    let patch = GroupPatch { supervisor, ..GroupPatch::default() };
    stage.do_(Command::EditGroup { group, patch }).await;
    stage.say(group, "what do we do?").await;
    let asked = asked(&stage);
    assert_eq!(asked[..2], [("decision", "deep".into()), ("answer", "script".into())]);
    let decided = stage.runs().await.remove(0);
    assert_eq!(decided.model, "lab/deep");
}

#[tokio::test]
async fn notes_on_a_long_conversation_are_made_by_the_fast_model_as_much_as_it_reads() {
    let stage = with_roles(stage()).await;
    for (name, tokens) in [("test", 8_192), ("farm", 4_096)] {
        let mut providers = stage.overview().await.providers;
        providers.retain(|provider| provider.name == name);
        let mut provider = providers.remove(0);
        provider.models[0].context_tokens = Some(tokens);
        stage.do_(Command::save_provider(provider)).await;
    }
    // It would look back at all of this too.
    let memory = Some(Learning { looks_back: false, ..Learning::default() });
    stage
        .do_(Command::ChangeSettings {
            patch: SettingsPatch { memory, ..SettingsPatch::default() },
        })
        .await;
    let group = stage.group(&["Ada"], TurnPolicy::Manual).await;
    for n in 0..120 {
        stage.post(group, &format!("sheep number {n} ").repeat(20)).await;
    }
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::SpeakNow { group, agent }).await;
    stage.quiet().await;
    let asked = asked(&stage);
    let (notes, answers): (Vec<_>, Vec<_>) = asked.iter().partition(|(kind, _)| *kind == "notes");
    assert!(notes.len() > 1 && notes.iter().all(|(_, model)| model == "quick"), "{asked:?}");
    assert_eq!(answers, [&("answer", "script".to_owned())]);
    let requests = stage.model.requests();
    let notes = requests.iter().filter(|request| request.model == "quick");
    for request in notes {
        let length: usize = request.turns.iter().map(|turn| turn.content.len()).sum();
        assert!(length < 4 * 4_096, "{length} bytes");
        assert!(!request.turns[1].content.contains("left out"), "nothing was cut to fit");
    }
}
