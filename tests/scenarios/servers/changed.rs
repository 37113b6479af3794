//! Servers that change what was asked about, and those whose tools nobody could check or
//! whose results nobody could read.

use super::*;
use domain::StepKind;

async fn told(stage: &Stage) -> String {
    let run = stage.runs().await.pop().expect("she took a turn");
    let steps = stage.run(run.id).await.steps;
    let returned = steps.iter().rev().find_map(|step| match &step.kind {
        StepKind::ToolReturned { text, .. } => Some(text.clone()),
        _ => None,
    });
    returned.expect("it has returned")
}

#[tokio::test]
async fn what_is_allowed_from_now_on_is_the_tool_that_was_asked_about_and_none_made_of_it() {
    let stage = with(does("things__echo", json!({"text": "tea"}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, obedient("things", &["plain"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "echo, please").await;
    let question = asked(&stage).await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    put(&stage, obedient("things", &["other"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    for covers in [None, Some(Covers::AnyUse)] {
        let (call, binding) = (question.call, question.binding.clone());
        let always = Command::AnswerApproval { call, binding, consent: Consent::Always, covers };
        let refused = stage.command(always).await.expect_err("another tool");
        assert_eq!(refused.kind, Some(Box::new(FaultKind::ApprovalChanged)));
    }
    match stage.query(Query::Grants).await {
        Ok(Reply::Grants(grants)) => assert_eq!(grants, []),
        other => panic!("no grants: {other:?}"),
    }
    // Nor is anything allowed once: what it was about is asked about as it is now.
    is_another_tool_by_now(&stage, &question).await;
    stage.do_(Command::ResumeAgent { agent }).await;
    let again = asked(&stage).await;
    assert_eq!((again.call, again.tool.as_str()), (question.call, "things__echo"));
    assert_ne!(again.binding, question.binding);
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_tool_that_takes_too_long_to_check_is_left_out_and_one_use_of_it_is_refused() {
    let deep = (0..40).fold(json!({}), |inner, _| json!({"a": inner}));
    let stage = with(does("things__deep", deep)).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, obedient("things", &["endless-schema"]), &[]).await.expect("it is set up");
    let there = ready(&stage).await;
    let unfit = |name: &str| {
        let tool = there.tools.iter().find(|tool| tool.name == name).expect("it is listed");
        tool.unfit.clone().unwrap_or_default()
    };
    assert!(unfit("long").ends_with("checking by it takes too many steps"), "{}", unfit("long"));
    assert!(unfit("promised").starts_with("its output"), "{}", unfit("promised"));
    assert_eq!((unfit("deep"), unfit("echo")), (String::new(), String::new()));
    stage.say(ada, "go deep").await;
    let said = last_said(&stage, ada).await;
    assert!(said.contains("its arguments take too many steps to check"), "{said}");
    stage.workspace.close().await;
}

#[tokio::test]
async fn the_whole_of_a_long_result_is_kept_for_the_person_where_its_agent_cannot_read_it() {
    let text = "tea ".repeat(10_000);
    let stage = with(does("things__look", json!({}))).open().await;
    let ada = stage.direct("Ada").await;
    put(&stage, obedient("things", &["says", &text]), &[]).await.expect("it is set up");
    ready(&stage).await;
    stage.post(ada, "look, please").await;
    allow(&stage, &asked(&stage).await).await;
    let told = told(&stage).await;
    let (_, note) = told.rsplit_once("[the whole result is in ").expect("it says where");
    let (path, note) = note.split_once(", ").expect("a path");
    assert!(note.starts_with("where the person can read it and you cannot"), "{note}");
    let data = stage.data().canonicalize().expect("a folder");
    let agent = stage.agent("Ada").await.id;
    assert!(Path::new(path).starts_with(data.join(format!("folders/{agent}/results"))), "{path}");
    assert_eq!(std::fs::read_to_string(path).expect("kept"), text);
    stage.workspace.close().await;
}
