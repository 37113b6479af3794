//! What a person has written and not said yet.

use domain::{
    Attachment, Command, Draft, FaultCode, GroupId, Message, Query, Reply, RequestId, Unsent,
    Written,
};
use tests::{Stage, says, stage};
use uuid::Uuid;

fn written(text: &str) -> Written {
    Written { text: text.into(), ..Written::default() }
}

fn unsent(text: &str) -> Unsent {
    Unsent { id: RequestId(Uuid::now_v7()), written: written(text), held: false }
}

async fn save(stage: &Stage, draft: Command) -> Draft {
    match stage.do_(draft).await {
        Reply::Draft(draft) => draft,
        other => panic!("no draft: {other:?}"),
    }
}

fn writing(group: GroupId, text: &str, keep: &[Unsent]) -> Command {
    let (written, keep) = (Some(written(text)), keep.to_vec());
    Command::SaveDraft { group, written, keep, drop: Vec::new() }
}

async fn post(stage: &Stage, group: GroupId, unsent: &Unsent) -> Message {
    match stage.do_(Command::PostUnsent { group, unsent: unsent.id }).await {
        Reply::Message(message) => message,
        other => panic!("no message: {other:?}"),
    }
}

#[tokio::test]
async fn what_was_not_said_yet_outlives_the_process_and_is_posted_once() {
    let stage = stage().model(says("yes")).open().await;
    let group = stage.direct("Ada").await;
    let (first, second) = (unsent("first"), unsent("second"));
    let kept = save(&stage, writing(group, "perhaps", &[first.clone(), second.clone()])).await;
    let stage = stage.crash(says("yes")).await;
    assert_eq!(stage.overview().await.drafts, std::slice::from_ref(&kept));

    let posted = post(&stage, group, &first).await;
    let left = Draft { unsent: vec![second.clone()], ..kept };
    // Killed here, the message is there and no longer waits.
    let stage = stage.crash(says("yes")).await;
    assert_eq!(stage.overview().await.drafts, std::slice::from_ref(&left));
    assert_eq!(post(&stage, group, &first).await.id, posted.id);
    // A window that has not heard of it keeps it in vain.
    assert_eq!(save(&stage, writing(group, "perhaps", &[first])).await, left);
    post(&stage, group, &second).await;
    stage.quiet().await;
    let said: Vec<String> = stage.transcript(group).await;
    let mine: Vec<&String> = said.iter().filter(|line| line.starts_with("you: ")).collect();
    assert_eq!(mine, ["you: first", "you: second"]);
}

#[tokio::test]
async fn what_is_said_is_no_longer_being_written() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    save(&stage, writing(group, "hello ", &[])).await;
    stage.say(group, "something else").await;
    assert_eq!(stage.overview().await.drafts.len(), 1);
    stage.say(group, "hello").await;
    assert_eq!(stage.overview().await.drafts, []);
}

#[tokio::test]
async fn each_window_names_what_it_means_and_leaves_the_rest() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    let (one, other) = (unsent("one"), unsent("other"));
    save(&stage, writing(group, "mine", std::slice::from_ref(&one))).await;
    let without_text = |keep, drop| Command::SaveDraft { group, written: None, keep, drop };
    let held = Unsent { held: true, ..one.clone() };
    let kept = save(&stage, without_text(vec![other.clone(), held.clone()], Vec::new())).await;
    assert_eq!((kept.written.text.as_str(), kept.unsent), ("mine", vec![held, other.clone()]));

    let kept = save(&stage, without_text(Vec::new(), vec![one.id])).await;
    assert_eq!((kept.written.text.as_str(), kept.unsent), ("mine", vec![other]));
    let taken_back = Command::PostUnsent { group, unsent: one.id };
    assert_eq!(stage.command(taken_back).await.unwrap_err().code, FaultCode::NotFound);
    assert_eq!(stage.transcript(group).await, Vec::<String>::new());
}

#[tokio::test]
async fn files_that_are_to_be_shown_stay() {
    let stage = stage().open().await;
    let group = stage.direct("Ada").await;
    let mut kept: Vec<Attachment> = Vec::new();
    for (name, base64) in [("a.txt", "b25l"), ("b.txt", "dHdv")] {
        let attach = Command::Attach { name: name.into(), base64: base64.into() };
        let Reply::Attachment(attachment) = stage.do_(attach).await else { panic!("not kept") };
        kept.push(attachment);
    }
    let showing =
        |at: usize, text| Written { attachments: vec![kept[at].clone()], ..written(text) };
    let waits = Unsent { written: showing(1, "look"), ..unsent("") };
    let draft = Command::SaveDraft {
        group,
        written: Some(showing(0, "")),
        keep: vec![waits],
        drop: Vec::new(),
    };
    save(&stage, draft).await;
    let stage = stage.reopen().await;
    for Attachment { hash, .. } in kept {
        assert!(stage.query(Query::Attachment { hash }).await.is_ok());
    }
}
