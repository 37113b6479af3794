//! Messages that quote another one.

use domain::{Command, FaultCode, GroupId, Message, MessageId, Query, Reply, TurnPolicy, Written};
use llm::scripted::{Beat, Scripted};
use tests::{Stage, says, speaker, stage};

/// Each says who it is.
fn named() -> Scripted {
    Scripted::from_fn(|request, n| vec![Beat::Text(format!("{} here, {n}", speaker(request)))])
}

async fn answering(stage: &Stage, group: GroupId, to: &Message, text: &str) {
    let text = text.to_owned();
    let post = Command::Post { group, text, reply_to: Some(to.id), attachments: Vec::new() };
    stage.do_(post).await;
    stage.quiet().await;
}

async fn would_wake(stage: &Stage, group: GroupId, reply_to: Option<MessageId>) -> usize {
    let asked = Query::WouldWake { group, text: "why?".into(), reply_to };
    match stage.query(asked).await {
        Ok(Reply::WouldWake(would)) => would.agents.len(),
        other => panic!("nothing is told: {other:?}"),
    }
}

#[tokio::test]
async fn whoever_is_quoted_answers_and_reads_what_is_quoted() {
    let stage = stage().model(named()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "@Bo tea?").await;
    let answer = stage.messages(group).await.pop().expect("Bo answered");
    assert_eq!(would_wake(&stage, group, None).await, 0);
    assert_eq!(would_wake(&stage, group, Some(answer.id)).await, 1);

    answering(&stage, group, &answer, "why?").await;
    let said = stage.transcript(group).await;
    assert!(said.last().is_some_and(|last| last.starts_with("Bo: Bo here")), "{said:?}");
    assert!(stage.decisions(group).await.iter().any(|one| one.contains("replied_to")));
    let request = stage.model.requests().pop().expect("it was asked");
    let heard = &request.turns.last().expect("something was said").content;
    assert!(heard.contains(&format!("> {}", answer.text().unwrap())), "{heard}");
}

#[tokio::test]
async fn what_quotes_waits_with_its_quote_and_is_posted_with_it() {
    let stage = stage().model(says("yes")).open().await;
    let group = stage.direct("Ada").await;
    stage.say(group, "tea?").await;
    let quoted = stage.messages(group).await.pop().expect("an answer").id;
    let written =
        Written { text: "and why".into(), reply_to: Some(quoted), attachments: Vec::new() };
    let draft = |written| Command::SaveDraft { group, written, keep: Vec::new(), drop: Vec::new() };
    stage.do_(draft(Some(written.clone()))).await;
    let stage = stage.crash(says("yes")).await;
    assert_eq!(stage.overview().await.drafts[0].written, written);

    let only_quoted = Written { reply_to: Some(quoted), ..Written::default() };
    stage.do_(draft(Some(only_quoted.clone()))).await;
    let stage = stage.crash(says("yes")).await;
    assert_eq!(stage.overview().await.drafts[0].written, only_quoted);
    stage.do_(draft(Some(Written::default()))).await;
    assert_eq!(stage.overview().await.drafts, []);
}

#[tokio::test]
async fn a_message_of_another_group_cannot_be_quoted() {
    let stage = stage().model(says("yes")).open().await;
    let (ada, bo) = (stage.direct("Ada").await, stage.direct("Bo").await);
    let there = stage.say(bo, "tea?").await;
    let post = Command::Post {
        group: ada,
        text: "why?".into(),
        reply_to: Some(there.id),
        attachments: Vec::new(),
    };
    let refused = stage.command(post).await.unwrap_err();
    assert_eq!(refused.code, FaultCode::NotFound, "{refused}");
    assert_eq!(stage.transcript(ada).await, Vec::<String>::new());
}
