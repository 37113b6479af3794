//! Pictures that a server's tool returns.

use super::*;
use domain::{AttachmentKind, StepKind};

const PHOTO: &str = "things__photo";

/// Ada takes a photo after each word of a person, and then says that she sees it.
fn photographer() -> Scripted {
    Scripted::from_fn(|request, _| {
        let sees = request.turns.last().is_some_and(|turn| !turn.images.is_empty());
        match request.turns.last() {
            Some(turn) if sees && turn.content.starts_with("What the tools returned") => {
                vec![Beat::Text("I see it.".into())]
            }
            Some(turn) if turn.role == Role::Tool => vec![Beat::Text("I see nothing.".into())],
            Some(_) | None => vec![Beat::ToolCall(ToolCallDelta {
                id: "c".into(),
                name: Some(PHOTO.into()),
                arguments: "{}".into(),
            })],
        }
    })
}

#[tokio::test]
async fn they_are_kept_for_good_named_in_the_result_and_shown_to_models_that_see() {
    let stage = with(photographer()).open().await;
    put(&stage, obedient("things", &["photographs"]), &[]).await.expect("it is set up");
    ready(&stage).await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "A photo of the roof, please").await;
    let question = asked(&stage).await;
    allow(&stage, &question).await;
    assert_eq!(stage.transcript(ada).await.pop().as_deref(), Some("Ada: I see it."));

    let run = stage.runs().await.remove(0).id;
    let result = stage.run(run).await.steps.into_iter().find_map(|step| match step.kind {
        StepKind::ToolReturned { text, .. } => Some(text),
        _ => None,
    });
    let result = result.expect("it has returned");
    let (_, rest) = result.split_once("[picture: ").expect("it is named");
    let (hash, rest) = rest.split_once(".png]\n").expect("it is a picture");
    assert!(rest.starts_with("the roof\n"), "{result}");

    // What only a result shows is there after a start, too, and goes with the next question.
    let stage = stage.reopen_with(Some(Scripted::saying("Yes."))).await;
    match stage.query(Query::Attachment { hash: hash.to_owned() }).await {
        Ok(Reply::AttachmentContent(content)) => assert_eq!(content.kind, AttachmentKind::Png),
        other => panic!("it is gone: {other:?}"),
    }
    stage.say(ada, "Is it whole?").await;
    let request = stage.model.requests().pop().expect("it was asked");
    let shown: Vec<usize> = request.turns.iter().map(|turn| turn.images.len()).collect();
    assert_eq!(shown.iter().sum::<usize>(), 1, "{shown:?}");
    assert_eq!(llm::history::check(&request.turns), Ok(()));
}
