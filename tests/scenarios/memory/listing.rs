//! What is said of several things in one list is remembered of each: who takes one back takes
//! back that one.

use super::list;
use super::parting::{changed, holding, told, written};
use domain::{Command, MemoryFilter, Standing};
use std::time::Duration;
use tests::{Stage, stage};

/// Until this is remembered of what was said.
async fn remembered(stage: &Stage, text: &str) {
    let holds = async |stage: &Stage| holding(stage).await.iter().any(|one| one == text);
    stage.until(holds).await;
}

#[tokio::test]
async fn who_takes_back_one_thing_of_a_list_takes_back_no_other() {
    for (said, learned, then, last, expected) in [
        (
            "I am allergic to nuts, eggs and milk",
            "The user is allergic to milk",
            "I'm not allergic to eggs.",
            "The user is not allergic to eggs",
            [
                "The user is allergic to milk",
                "The user is allergic to nuts",
                "The user is not allergic to eggs",
            ],
        ),
        (
            "I like tea, coffee and green tea",
            "The user likes green tea",
            "I don't like coffee.",
            "The user does not like coffee",
            ["The user does not like coffee", "The user likes green tea", "The user likes tea"],
        ),
        (
            "我对花生、虾和牛奶过敏",
            "用户对牛奶过敏",
            "我对虾不过敏。",
            "用户不对虾过敏",
            ["用户不对虾过敏", "用户对牛奶过敏", "用户对花生过敏"],
        ),
        (
            "我喜欢猫、狗和兔子",
            "用户喜欢兔子",
            "我不喜欢狗。",
            "用户不喜欢狗",
            ["用户不喜欢狗", "用户喜欢兔子", "用户喜欢猫"],
        ),
    ] {
        let stage = stage().open().await;
        let group = stage.direct("Ada").await;
        stage.say(group, said).await;
        remembered(&stage, learned).await;
        stage.clock.advance(Duration::from_secs(60));
        stage.say(group, then).await;
        remembered(&stage, last).await;
        assert_eq!(holding(&stage).await, expected, "{said}");
        let waiting = MemoryFilter { standing: Standing::Contested, ..MemoryFilter::default() };
        assert!(list(&stage, waiting).await.is_empty(), "{said}");
    }
}

#[tokio::test]
async fn what_is_written_down_in_a_list_is_remembered_of_each_also_in_a_merge() {
    let stage = stage().open().await;
    let all = written(&stage, "I'm allergic to nuts, eggs and milk").await;
    let each = ["I'm allergic to nuts", "I'm allergic to eggs", "I'm allergic to milk"];
    assert_eq!(told(&all), each);
    written(&stage, "I'm not allergic to eggs").await;
    let expected = ["I'm allergic to milk", "I'm allergic to nuts", "I'm not allergic to eggs"];
    assert_eq!(holding(&stage).await, expected);

    let stage = tests::stage().open().await;
    let mut memories = Vec::new();
    for text in ["I like tea", "I like coffee", "I like green tea"] {
        memories.push(written(&stage, text).await[0].id);
    }
    let text = "I like tea, coffee and green tea".to_owned();
    let merged = changed(&stage, Command::MergeMemories { memories, text }).await;
    assert_eq!(told(&merged), ["I like tea", "I like coffee", "I like green tea"]);
    written(&stage, "I don't like tea").await;
    let expected = ["I don't like tea", "I like coffee", "I like green tea"];
    assert_eq!(holding(&stage).await, expected);
}

#[tokio::test]
async fn what_may_be_one_thing_goes_on_being_one() {
    let stage = stage().open().await;
    for text in ["I like mac and cheese", "I like Tom and Jerry", "我喜欢和平"] {
        assert_eq!(told(&written(&stage, text).await), [text]);
    }
    written(&stage, "I don't like cheese").await;
    assert!(holding(&stage).await.contains(&"I like mac and cheese".to_owned()));
}
