//! Servers that change what was asked about.

use super::*;

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
    // The card still stands, and what it was about is asked about as it is now.
    let (call, binding) = (question.call, question.binding.clone());
    let once = Command::AnswerApproval { call, binding, consent: Consent::Once, covers: None };
    stage.do_(once).await;
    stage.do_(Command::ResumeAgent { agent }).await;
    let again = asked(&stage).await;
    assert_eq!((again.call, again.tool.as_str()), (question.call, "things__echo"));
    assert_ne!(again.binding, question.binding);
    stage.workspace.close().await;
}
