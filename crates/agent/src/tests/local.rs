//! Plans of the model that comes with Coterie, which nothing but the grammar
//! holds to their form.

use super::*;
use domain::{PlanAction, PlanMode};
use llm::local::{Local, Setup};
use std::path::{Path, PathBuf};

/// The model, and the engine that was built beside this test. Where they are
/// named, they must be there; where not, the test says that it is skipped.
#[expect(clippy::disallowed_methods, reason = "a test's parts are named by the environment")]
fn local() -> Option<(Local, String)> {
    let named = std::env::var_os("COTERIE_ASSETS");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let models = named.as_ref().map_or(checkout, PathBuf::from).join("models");
    let engine = std::env::var_os("COTERIE_ENGINE").map_or_else(built_engine, PathBuf::from);
    let local = Local::new(Setup { context: 4096, ..Setup::new(&engine, &models) });
    let model = local.models().into_iter().find(|name| name.contains("SmolLM2"));
    match model {
        Some(model) if engine.exists() => Some((local, model)),
        _ => {
            assert!(named.is_none(), "COTERIE_ASSETS is set, but a model or the engine is missing");
            eprintln!("SKIPPED for want of assets: a model or the engine is missing");
            None
        }
    }
}

/// `target/<profile>/deps/this-test` → `target/<profile>/coterie-engine`.
fn built_engine() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.ancestors().nth(2).unwrap();
    profile.join(format!("coterie-engine{}", std::env::consts::EXE_SUFFIX))
}

#[tokio::test]
async fn even_a_tiny_local_model_plans_with_the_offered_tools_and_nothing_else() {
    let Some((local, model)) = local() else { return };
    let place = Place { roots: vec![std::env::temp_dir()], ..Place::default() };
    let registry = Registry::new(tools::built_in()).unwrap();
    let offer = registry.offer(&place, &Allowed::Usual);
    let limits =
        RunLimits { plan: PlanMode::Always, max_replan_attempts: 1, ..RunLimits::default() };
    let mut brief = brief("What is 12 * 12? Use the calculator.", &offer, limits);
    brief.request.model = model;
    brief.request.max_tokens = 200;
    brief.request.seed = Some(1);
    // The local model is told of tools in plans only.
    brief.request.tools = domain::ToolSpecs::default();
    let seen = Seen::default();
    let hands = Hands { tools: &offer, gate: &seen };
    let said =
        run(brief, Minds::one(&local), hands, &mut seen.clone(), &CancellationToken::new()).await;
    let steps = seen.steps();
    // Its answer may be as long as it may be.
    assert!(matches!(said.ended, Ended::Finished | Ended::CutShort), "{steps:#?}");
    let plans = steps.iter().filter_map(|step| match step {
        StepKind::Planned { plan } => Some(plan),
        _ => None,
    });
    let planned: Vec<_> = plans.flat_map(|plan| &plan.steps).collect();
    assert!(!planned.is_empty(), "{steps:#?}");
    for step in planned {
        if let PlanAction::Tool { tool, .. } = &step.action {
            assert!(offer.has(tool), "{step:?}");
        }
    }
}
