//! How order was kept elsewhere is kept here, and what was forgotten here stays forgotten.

use super::going_on::second;
use super::{Backup, community, feed};
use domain::{Command, FaultCode, Message, MessageId, Moderation, PostView, Query, Reply, Thread};
use tests::{Stage, in_files, says, stage};

async fn comment(stage: &Stage, to: MessageId, text: &str) -> MessageId {
    match stage.do_(Command::Comment { to, text: text.into() }).await {
        Reply::Message(Message { id, .. }) => id,
        other => panic!("no comment: {other:?}"),
    }
}

async fn moderate(stage: &Stage, item: MessageId, how: Moderation) {
    stage.do_(Command::Moderate { item, how, why: Some("Not here.".into()) }).await;
}

async fn thread(stage: &Stage, view: &PostView) -> Thread {
    match stage.query(Query::Thread { post: view.post.group }).await {
        Ok(Reply::Thread(thread)) => *thread,
        other => panic!("no thread: {other:?}"),
    }
}

/// Of each comment its words, where it has any, and whether it is hidden.
fn comments(thread: &Thread) -> Vec<(Option<&str>, bool)> {
    thread.comments.iter().map(|one| (one.message.text(), one.hidden)).collect()
}

async fn posted(stage: &Stage) -> (PostView, MessageId) {
    let community = community(stage, "Square").await.id;
    stage.do_(Command::WritePost { community, text: "What is for sale?".into() }).await;
    let post = feed(stage).await.remove(0);
    let item = post.post.message.expect("it is written");
    (post, item)
}

#[tokio::test]
async fn what_is_hidden_removed_or_locked_there_is_so_here_where_its_post_is_known() {
    let here = stage().model(says("Nothing.")).open().await;
    let (post, item) = posted(&here).await;
    let ours = comment(&here, item, "Harps").await;
    let there = second(&here).await;
    let hidden = comment(&there, item, "Xylophones").await;
    let removed = comment(&there, item, "Zithers").await;
    comment(&there, item, "Lutes").await;
    moderate(&there, hidden, Moderation::Hide).await;
    moderate(&there, removed, Moderation::Remove).await;
    moderate(&there, ours, Moderation::Hide).await;
    moderate(&there, item, Moderation::Lock).await;
    let backup = Backup::of(&there).await;

    backup.taken_in(&here).await;
    let told = thread(&here, &post).await;
    let stands = [
        // It was here before, and stays as it is.
        (Some("Harps"), false),
        (Some("Xylophones"), true),
        (None, false),
        (Some("Lutes"), false),
    ];
    assert_eq!(comments(&told), stands);
    assert!(told.view.post.locked);
    assert_eq!(in_files(here.data(), "Zithers"), [""; 0]);
    let whys = told.moderated.iter().map(|one| (one.item, one.how));
    let expected =
        [(hidden, Moderation::Hide), (removed, Moderation::Remove), (item, Moderation::Lock)];
    assert_eq!(whys.collect::<Vec<_>>(), expected);
    let refused = here.command(Command::Comment { to: item, text: "Drums".into() }).await;
    assert_eq!(refused.expect_err("it is locked").code, FaultCode::Refused);

    // Shown and opened again here it stays so, whatever comes after.
    moderate(&here, hidden, Moderation::Show).await;
    moderate(&here, item, Moderation::Unlock).await;
    moderate(&there, item, Moderation::Unlock).await;
    comment(&there, item, "Flutes").await;
    moderate(&there, item, Moderation::Lock).await;
    Backup::of(&there).await.taken_in(&here).await;
    let told = thread(&here, &post).await;
    assert_eq!(comments(&told).last(), Some(&(Some("Flutes"), false)));
    assert_eq!((told.comments[1].hidden, told.view.post.locked), (false, false));
}

#[tokio::test]
async fn what_was_forgotten_here_comes_back_in_no_fork_of_it() {
    let here = stage().model(says("Yes.")).open().await;
    let ada = here.direct("Ada").await;
    let secret = here.say(ada, "The xylophone is in the cellar").await.id;
    let there = second(&here).await;
    let message = there.messages(ada).await.pop().expect("an answer").id;
    there.do_(Command::Fork { message, name: Some("Music".into()) }).await;
    let backup = Backup::of(&there).await;
    here.do_(Command::ForgetMessage { message: secret }).await;

    backup.taken_in(&here).await;
    let overview = here.overview().await;
    let fork = overview.groups.iter().find(|one| one.group.name == "Music").expect("it came");
    let said = here.transcript(fork.group.id).await;
    assert_eq!((said.len(), said[1].as_str()), (2, "Ada: Yes."));
    assert_eq!(in_files(here.data(), "xylophone"), [""; 0]);
}
