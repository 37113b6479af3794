//! Who reads a community.

use super::community;
use domain::{Command, CommunityPatch, Query, Reply};
use tests::stage;

/// A reader that has ended is in nobody's way, and nobody who has ended comes in.
#[tokio::test]
async fn a_community_is_changed_also_when_a_reader_has_ended() {
    let stage = stage().open().await;
    let [ada, bo] = stage.ids(&["Ada", "Bo"]).await[..] else { panic!("two agents") };
    let plans = community(&stage, "Plans", "", &["Ada"]).await;
    stage.do_(Command::TerminateAgent { agent: ada }).await;
    let edit = |patch| Command::EditCommunity { community: plans.id, patch };
    let named = CommunityPatch { name: Some("Ideas".into()), ..CommunityPatch::default() };
    stage.do_(edit(named)).await;
    let joined = CommunityPatch { members: Some(vec![ada, bo]), ..CommunityPatch::default() };
    stage.do_(edit(joined)).await;
    let alone = CommunityPatch { members: Some(vec![bo]), ..CommunityPatch::default() };
    stage.do_(edit(alone)).await;
    let back = CommunityPatch { members: Some(vec![ada]), ..CommunityPatch::default() };
    let refused = stage.command(edit(back)).await.expect_err("it has ended");
    assert!(refused.message.contains("Ada"), "{refused:?}");
    let Ok(Reply::Communities(all)) = stage.query(Query::Communities).await else { panic!("none") };
    assert_eq!((all[0].name.as_str(), &all[0].members[..]), ("Ideas", &[bo][..]));
}
