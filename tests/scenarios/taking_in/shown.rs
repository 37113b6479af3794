//! What is shown of a conversation that was regenerated, put otherwise or shown otherwise
//! elsewhere.

use super::going_on::{count, second, stays_out};
use super::{Backup, reactions};
use domain::{Command, GroupId, MessageId, Query, Reply, StaysOutWhy, TakenKind};
use tests::{Stage, says, stage};

/// What is shown at each fork, and what else could be.
async fn variants(stage: &Stage, group: GroupId) -> Vec<(MessageId, Vec<MessageId>)> {
    match stage.query(Query::Variants { group }).await {
        Ok(Reply::Variants(all)) => all
            .into_iter()
            .map(|one| (one.shown, one.all.iter().map(|other| other.message).collect()))
            .collect(),
        other => panic!("no variants: {other:?}"),
    }
}

async fn last(stage: &Stage, group: GroupId) -> MessageId {
    stage.messages(group).await.pop().expect("one").id
}

async fn again(stage: &Stage, group: GroupId) {
    stage.do_(Command::AnswerAgain { message: last(stage, group).await }).await;
    stage.quiet().await;
}

async fn asked() -> (Stage, GroupId) {
    let here = stage().model(says("Yes.")).open().await;
    let ada = here.direct("Ada").await;
    here.say(ada, "Is the kettle on?").await;
    (here, ada)
}

#[tokio::test]
async fn what_was_answered_again_there_comes_in_as_it_is_shown_there() {
    let (here, ada) = asked().await;
    let there = second(&here).await;
    again(&there, ada).await;
    there.say(ada, "And the oven?").await;
    let backup = Backup::of(&there).await;
    let requests = here.model.requests().len();

    let would = backup.previewed(&here).await;
    let told = backup.taken_in(&here).await;
    assert_eq!(count(&would, TakenKind::Message), count(&told, TakenKind::Message));
    assert_eq!(count(&told, TakenKind::Message), [3, 2, 0], "{told:?}");
    let shown = [
        "you: Is the kettle on?",
        "Ada: Here as well.",
        "you: And the oven?",
        "Ada: Here as well.",
    ];
    assert_eq!(here.transcript(ada).await, shown);
    assert_eq!(variants(&here, ada).await, variants(&there, ada).await);
    assert_eq!(here.model.requests().len(), requests, "nobody answers it");

    // What goes on here in the earlier one is a branch of its own, and nothing of theirs.
    let (_, all) = variants(&here, ada).await.remove(0);
    here.do_(Command::ShowBranch { message: all[0] }).await;
    here.say(ada, "And the light?").await;
    let said = here.transcript(ada).await;
    assert_eq!(said[1..3], ["Ada: Yes.", "you: And the light?"]);
    again(&there, ada).await;
    let told = Backup::of(&there).await.taken_in(&here).await;
    assert_eq!(stays_out(&told, TakenKind::Message)[0].0, StaysOutWhy::WentOn);
    assert_eq!(here.transcript(ada).await, said);
}

#[tokio::test]
async fn what_was_put_otherwise_there_is_put_so_here_and_what_it_was_is_owed_no_answer() {
    let here = stage().model(says("Yes.")).open().await;
    let ada = here.direct("Ada").await;
    let agent = here.agent("Ada").await.id;
    here.do_(Command::PauseAgent { agent }).await;
    let asked = here.post(ada, "Is the kettel on?").await.id;
    let there = second(&here).await;
    let text = "Is the kettle on?".to_owned();
    there.do_(Command::EditMessage { message: asked, text, attachments: Vec::new() }).await;
    there.do_(Command::ResumeAgent { agent }).await;
    there.quiet().await;
    let backup = Backup::of(&there).await;

    let told = backup.taken_in(&here).await;
    assert_eq!(count(&told, TakenKind::Message), [2, 1, 0], "{told:?}");
    let said = ["you: Is the kettle on?", "Ada: Here as well."];
    assert_eq!(here.transcript(ada).await, said);
    assert_eq!(variants(&here, ada).await, variants(&there, ada).await);
    here.do_(Command::ResumeAgent { agent }).await;
    here.quiet().await;
    assert_eq!(here.model.requests().len(), 0);
    assert_eq!(here.transcript(ada).await, said);
}

#[tokio::test]
async fn what_was_said_behind_another_version_comes_in_with_that_version_shown() {
    let (here, ada) = asked().await;
    let first = last(&here, ada).await;
    again(&here, ada).await;
    let second_answer = last(&here, ada).await;
    let there = second(&here).await;
    there.do_(Command::ShowBranch { message: first }).await;
    let backup = Backup::of(&there).await;
    let told = backup.taken_in(&here).await;
    assert_eq!(count(&told, TakenKind::Message), [0, 3, 0], "{told:?}");
    assert_eq!(last(&here, ada).await, second_answer, "what is shown here stays");

    there.say(ada, "And the oven?").await;
    let told = Backup::of(&there).await.taken_in(&here).await;
    assert_eq!(count(&told, TakenKind::Message), [2, 3, 0], "{told:?}");
    assert_eq!(here.transcript(ada).await, there.transcript(ada).await);
    assert_eq!(variants(&here, ada).await, variants(&there, ada).await);
}

#[tokio::test]
async fn what_was_said_behind_what_is_shown_here_is_shown_whatever_is_shown_there_since() {
    let (here, ada) = asked().await;
    let first = last(&here, ada).await;
    again(&here, ada).await;
    let shown = last(&here, ada).await;
    let there = second(&here).await;
    let oven = there.say(ada, "And the oven?").await.id;
    there.do_(Command::React { item: oven, sign: "👍".into(), on: true }).await;
    there.do_(Command::ShowBranch { message: first }).await;

    let told = Backup::of(&there).await.taken_in(&here).await;
    assert_eq!(count(&told, TakenKind::Message), [2, 3, 0], "{told:?}");
    let said = here.messages(ada).await;
    assert_eq!((said[1].id, said[2].id, said.len()), (shown, oven, 4));
    assert_eq!(variants(&here, ada).await, [(shown, vec![first, shown])]);
    assert_eq!(reactions(&here, ada).await, reactions(&there, ada).await);
}
