//! How far tasks go on as the soul of each who gives one says.

use super::{agent, delegates, results, says};
use llm::ToolCallDelta;
use llm::scripted::{Beat, Scripted};
use serde_json::json;
use tests::{Stage, speaker, stage};

/// Chief has this policy, and may give tasks to the scout, who may give them on.
async fn open(policy: &str) -> Stage {
    let model = Scripted::from_fn(|request, n| match speaker(request).as_str() {
        "Scout" => match results(request).last() {
            None => vec![delegates(&format!("s{n}"), "scout", "go on")],
            Some(result) => says(format!("deeper: {result}")),
        },
        _ => match &results(request)[..] {
            [] if request.tools.iter().any(|tool| tool.name == "delegate") => {
                vec![delegates("c1", "scout", "look"), delegates("c2", "scout", "look there")]
            }
            [] => says("nobody does it for me"),
            results => says(results.join(" | ")),
        },
    });
    let stage = stage().model(model).open().await;
    super::soul(&stage, "Scout", &["scout"]).await;
    let text = format!(
        "---\nname: Chief\ndelegates: [scout]\nplan: never\npolicy: {policy}\n---\nYou are Chief.\n"
    );
    let save = domain::Command::SaveSoul { soul: "chief".into(), text, base_hash: None };
    stage.do_(save).await;
    agent(&stage, "chief").await;
    stage
}

async fn said(stage: &Stage) -> String {
    let chief = stage.direct("Chief").await;
    stage.say(chief, "See to it").await;
    stage.transcript(chief).await.pop().expect("an answer")
}

#[tokio::test]
async fn whose_soul_says_no_gives_no_tasks() {
    let stage = open("{delegation: false}").await;
    assert_eq!(said(&stage).await, "Chief: nobody does it for me");
}

#[tokio::test]
async fn tasks_go_no_deeper_below_an_agent_than_its_soul_says() {
    let stage = open("{max_depth: 1}").await;
    let said = said(&stage).await;
    assert!(said.contains("1 generation of children below Chief is the limit"), "{said}");
    assert!(!said.contains("deeper: deeper"), "{said}");
}

#[tokio::test]
async fn an_agent_has_no_more_children_at_a_time_than_its_soul_says() {
    let stage = open("{max_children: 1}").await;
    let said = said(&stage).await;
    assert!(said.contains("1 child at a time is the limit; wait"), "{said}");
}

/// Chief gives the scout a task with so many tokens; the scout says how long its answer may be.
async fn given(tokens: u32) -> (Stage, String) {
    let model = Scripted::from_fn(move |request, _| match speaker(request).as_str() {
        "Scout" => says(format!("at most {}", request.max_tokens)),
        _ => match results(request).last() {
            Some(result) => says(result.clone()),
            None => {
                let arguments = json!({"to": "scout", "task": "How long?", "max_tokens": tokens});
                let (id, name) = ("c1".to_owned(), Some("delegate".to_owned()));
                let arguments = arguments.to_string();
                vec![Beat::ToolCall(ToolCallDelta { id, name, arguments })]
            }
        },
    });
    let stage = stage().model(model).open().await;
    super::soul(&stage, "Scout", &[]).await;
    super::soul(&stage, "Chief", &["scout"]).await;
    agent(&stage, "chief").await;
    let said = said(&stage).await;
    (stage, said)
}

#[tokio::test]
async fn an_answer_is_kept_to_the_tokens_that_its_task_was_given() {
    let (_, said) = given(3_000).await;
    let most = said.strip_prefix("Chief: at most ").expect("an answer").parse::<u32>();
    assert!(most.is_ok_and(|most| (1_000..3_000).contains(&most)), "{said}");
    let (_, said) = given(50_000).await;
    assert_eq!(said, "Chief: at most 4096");
    // Where there is no room for any answer, who gave the task is told what would do.
    let (stage, said) = given(50).await;
    assert!(said.contains("of 50 tokens") && said.contains("give the task"), "{said}");
    assert_eq!(stage.model.requests().len(), 2, "the scout was not asked");
}
