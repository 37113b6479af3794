//! Which posts of the feed are looked at.

use super::{answered, community, moderate, post, thread, tick};
use domain::{Author, Command, FeedFilter, GroupId, Moderation, PostView, Query, Reply};
use tests::{Stage, says, stage};

async fn found(
    stage: &Stage,
    filter: FeedFilter,
    before: Option<i64>,
    limit: u32,
) -> Vec<PostView> {
    match stage.query(Query::Feed { filter, before, limit }).await {
        Ok(Reply::Posts(posts)) => posts,
        other => panic!("no posts: {other:?}"),
    }
}

async fn groups(stage: &Stage, filter: FeedFilter) -> Vec<GroupId> {
    found(stage, filter, None, 50).await.into_iter().map(|view| view.post.group).collect()
}

#[tokio::test]
async fn posts_are_found_by_what_is_unread_and_by_who_wrote_them() {
    let stage = stage().model(says("It holds.")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await.id;
    let answered_one = post(&stage, square, "Which risks do you see in this plan?").await;
    tick(&stage).await;
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::AskForPost { community: square, agent }).await;
    answered(&stage).await;
    let plain = post(&stage, square, "Nothing to add.").await;

    let unread = FeedFilter { unread: true, ..FeedFilter::default() };
    let by_bo = FeedFilter { author: Some(Author::Agent(agent)), ..FeedFilter::default() };
    let by_me = FeedFilter { author: Some(Author::User), ..FeedFilter::default() };
    let of_bo = groups(&stage, by_bo).await;
    assert_eq!(of_bo.len(), 1);
    assert_eq!(groups(&stage, unread).await, [of_bo[0], answered_one.post.group]);
    assert_eq!(groups(&stage, by_me).await, [plain.post.group, answered_one.post.group]);
    let both = FeedFilter { unread: true, ..by_me };
    assert_eq!(groups(&stage, both).await, [answered_one.post.group]);

    // What is out of sight is no news, and what was looked at is none any more.
    let comment = thread(&stage, &answered_one).await.comments[0].message.clone();
    moderate(&stage, comment.id, Moderation::Hide, None).await;
    assert_eq!(groups(&stage, unread).await, of_bo);
    moderate(&stage, comment.id, Moderation::Show, None).await;
    assert_eq!(groups(&stage, unread).await.len(), 2);
    stage.do_(Command::MarkRead { group: comment.group, seq: comment.seq }).await;
    assert_eq!(groups(&stage, unread).await, of_bo);
}

#[tokio::test]
async fn a_page_is_full_as_long_as_there_are_more() {
    let stage = stage().model(says("It holds.")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await.id;
    let mut all = Vec::new();
    for n in 0..5 {
        let view = post(&stage, square, &format!("Which risks do you see in plan {n}?")).await;
        tick(&stage).await;
        all.insert(0, view.post.group);
    }
    // The two newest look unread to the store, and are not.
    let hidden = found(&stage, FeedFilter::default(), None, 2).await;
    for view in &hidden {
        let comments = thread(&stage, view).await.comments;
        moderate(&stage, comments[0].message.id, Moderation::Hide, None).await;
    }
    let unread = FeedFilter { unread: true, ..FeedFilter::default() };
    let first = found(&stage, unread, None, 2).await;
    let rest = found(&stage, unread, first.last().map(|view| view.post.seq), 2).await;
    let seen: Vec<_> = first.iter().chain(&rest).map(|view| view.post.group).collect();
    assert_eq!((first.len(), seen), (2, all[2..].to_vec()));
}
