//! What servers want a model to answer: only where a person allowed it, each time past
//! them, and within the budgets of the turn.

use super::asking::{has, used_again, using};
use super::{edit, last_said, ready};
use crate::questions::{answer, given};
use domain::{AskedLine, Asks, Budget, BudgetScope, Command, McpPatch, McpSetup, QuestionAnswer};
use serde_json::json;
use tests::mcp_server::everything;

const TOOL: &str = "trigger-sampling-request";

/// One that may have a model asked.
fn allowed() -> Option<McpSetup> {
    Some(McpSetup { may_sample: true, ..everything("things")? })
}

#[tokio::test]
async fn a_model_answers_a_server_when_a_person_allows_it_and_the_turn_pays() {
    let Some(setup) = allowed() else { return };
    let arguments = json!({"prompt": "six times seven?", "maxTokens": 50});
    let (stage, ada, question) = using(setup, TOOL, arguments).await;
    let Asks::Words { model, system, messages, tokens, .. } = &question.asks else {
        panic!("words: {question:?}")
    };
    assert_eq!(system.as_deref(), Some("You are a helpful test server."));
    let text = format!("Resource {TOOL} context: six times seven?");
    assert_eq!(messages[..], [AskedLine { by_model: false, text: text.clone() }]);
    assert_eq!((tokens, model.as_str()), (&50, "test/script"));
    let before = stage.model.requests().len();
    answer(&stage, &question, given(json!({}))).await.expect("in time");
    stage.quiet().await;
    let told = last_said(&stage, ada).await;
    assert!(told.contains("LLM sampling result") && told.contains("here"), "{told}");
    let asked = &stage.model.requests()[before];
    assert_eq!(asked.turns.last().map(|turn| turn.content.as_str()), Some(text.as_str()));
    assert_eq!((asked.tools.len(), asked.max_tokens), (0, 50));
    // The words of the model are the third that this turn has paid for.
    let run = stage.runs().await.pop().expect("she took a turn");
    assert_eq!(stage.run(run.id).await.calls.len(), 3);

    let question = used_again(&stage, ada).await;
    answer(&stage, &question, QuestionAnswer::Declined).await.expect("in time");
    stage.quiet().await;
    let told = last_said(&stage, ada).await;
    assert!(told.contains("the person said no"), "{told}");
    stage.workspace.close().await;
}

#[tokio::test]
async fn no_answer_is_paid_for_that_a_budget_has_no_room_for() {
    let Some(setup) = allowed() else { return };
    let arguments = json!({"prompt": "six times seven?", "maxTokens": 4000});
    let (stage, ada, question) = using(setup, TOOL, arguments).await;
    let scope = BudgetScope::Agent(question.agent);
    let budget = Budget { scope, tokens: Some(1), microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
    let before = stage.model.requests().len();
    answer(&stage, &question, given(json!({}))).await.expect("in time");
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), before, "{}", last_said(&stage, ada).await);
    stage.workspace.close().await;
}

#[tokio::test]
async fn whom_nobody_allowed_it_is_told_that_no_model_is_asked() {
    let Some(setup) = everything("things") else { return };
    let form = "trigger-elicitation-request";
    let (stage, _, question) = using(setup, form, json!({})).await;
    answer(&stage, &question, QuestionAnswer::Declined).await.expect("in time");
    stage.quiet().await;
    assert!(!has(&stage, TOOL).await);
    let now = edit(&stage, McpPatch { may_sample: Some(true), ..McpPatch::default() }).await;
    assert!(now.setup.may_sample);
    ready(&stage).await;
    stage.until(async |stage: &tests::Stage| has(stage, TOOL).await).await;
    stage.workspace.close().await;
}
