//! What a person takes back in plain words holds no longer, without a model.

use super::list;
use domain::MemoryFilter;
use std::time::Duration;
use tests::{Stage, stage};

async fn holding(stage: &Stage) -> Vec<String> {
    let mut texts = list(stage, MemoryFilter::default()).await;
    texts.sort();
    texts
}

/// What is said first, what then, and what holds after each.
type Corrected<'a> = (&'a str, &'a [&'a str], &'a str, &'a [&'a str]);

const CORRECTED: [Corrected<'_>; 20] = [
    (
        "I don't like mushrooms.",
        &["The user does not like mushrooms"],
        "Actually I do like mushrooms now.",
        &["The user likes mushrooms"],
    ),
    (
        "I prefer tea.",
        &["The user prefers tea"],
        "Actually I prefer coffee.",
        &["The user prefers coffee"],
    ),
    (
        "I prefer tea.",
        &["The user prefers tea"],
        "I prefer window seats.",
        &["The user prefers tea", "The user prefers window seats"],
    ),
    ("我对花生过敏。", &["用户对花生过敏"], "医生说我其实对花生不过敏。", &["用户不对花生过敏"]),
    (
        "我喜欢喝咖啡。",
        &["用户喜欢喝咖啡"],
        "我现在不喝咖啡了，改喝茶。",
        &["用户不喝咖啡", "用户喝茶"],
    ),
    ("我叫李伟。", &["用户名叫李伟"], "不对，是李维，不是李伟。", &["用户名叫李维"]),
    (
        "My name is Jon.",
        &["The user's name is Jon"],
        "My name is spelled John, not Jon.",
        &["The user's name is John"],
    ),
    (
        "My phone number is 555 1234.",
        &["The user's phone number is 555 1234"],
        "My number changed, it's 555 9999.",
        &["The user's phone number is 555 9999"],
    ),
    (
        "my sister is Eva",
        &["The user's sister is Eva"],
        "My sister is called Eve, not Eva.",
        &["The user's sister is Eve"],
    ),
    (
        "My sister is Eva.",
        &["The user's sister is Eva"],
        "No, I meant Eve.",
        &["The user's sister is Eve"],
    ),
    (
        "I work as a nurse at St. Joseph hospital.",
        &["The user works as a nurse at St. Joseph hospital"],
        "I no longer work there.",
        &[],
    ),
    (
        "My name is Nora.",
        &["The user's name is Nora"],
        "Call me Captain.",
        &["The user wants to be called Captain", "The user's name is Nora"],
    ),
    ("I'm vegetarian.", &["The user is vegetarian"], "I'm vegan now.", &["The user is vegan"]),
    (
        "I'm a vegetarian.",
        &["The user is vegetarian"],
        "I eat meat again.",
        &["The user eats meat"],
    ),
    (
        "I'm allergic to peanuts.",
        &["The user is allergic to peanuts"],
        "I was wrong about the peanuts, it's almonds I'm allergic to.",
        &["The user is allergic to almonds"],
    ),
    (
        "My birthday is May 3.",
        &["The user's birthday is May 3"],
        "Oops, I meant May 4 for my birthday.",
        &["The user's birthday is May 4"],
    ),
    (
        "My boss is Karen.",
        &["The user's boss is Karen"],
        "Karen left, my new boss is Tim.",
        &["The user's boss is Tim"],
    ),
    (
        "I like jazz.",
        &["The user likes jazz"],
        "I'm not into jazz anymore.",
        &["The user does not like jazz"],
    ),
    ("我在腾讯工作。", &["用户在腾讯工作"], "我跳槽去字节了。", &["用户在字节工作"]),
    (
        "I live in Porto.",
        &["The user lives in Porto"],
        "Can you proofread my daughter's essay? I live in Rome. My favourite food is pizza.",
        &["The user lives in Porto"],
    ),
];

#[tokio::test]
async fn what_a_person_takes_back_in_plain_words_holds_no_longer() {
    for (first, held, then, holds) in CORRECTED {
        let stage = stage().open().await;
        let group = stage.direct("Ada").await;
        stage.say(group, first).await;
        stage.until(async |stage: &Stage| holding(stage).await == held).await;
        stage.clock.advance(Duration::from_secs(60));
        stage.say(group, then).await;
        stage.until(async |stage: &Stage| holding(stage).await == holds).await;
    }
}

#[tokio::test]
async fn what_is_only_supposed_asked_or_said_by_others_takes_nothing_back() {
    for (first, held, then) in [
        ("I prefer tea.", "The user prefers tea", "Do I prefer coffee now?"),
        (
            "My sister is Eva.",
            "The user's sister is Eva",
            "Bo thinks my sister is called Eve, not Eva",
        ),
        ("I work at Globex.", "The user works at Globex", "She no longer works there."),
        ("我喜欢喝咖啡。", "用户喜欢喝咖啡", "他说我现在不喝咖啡了"),
        ("My name is Nora.", "The user's name is Nora", "She wrote: \"My name is spelled Norah\""),
    ] {
        let stage = stage().open().await;
        let group = stage.direct("Ada").await;
        stage.say(group, first).await;
        stage.until(async |stage: &Stage| holding(stage).await == [held]).await;
        stage.clock.advance(Duration::from_secs(60));
        stage.say(group, then).await;
        // What is said after it is heard after it.
        stage.say(group, "I live in Oslo.").await;
        stage.until(async |stage: &Stage| holding(stage).await.len() == 2).await;
        assert!(holding(&stage).await.contains(&held.to_owned()), "{then}");
    }
}
