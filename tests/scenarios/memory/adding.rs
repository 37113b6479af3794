//! What is so as well takes no place, and what is said with one verb or two is heard whole.

use super::list;
use domain::MemoryFilter;
use std::time::Duration;
use tests::{Stage, stage};

async fn holding(stage: &Stage) -> Vec<String> {
    let mut texts = list(stage, MemoryFilter::default()).await;
    texts.sort();
    texts
}

/// What somebody hears from a person in one conversation, one message after the other, and what
/// is remembered of that.
const HEARD: [(&[&str], &[&str]); 14] = [
    (
        &["I live in Oslo.", "I also live in Bergen."],
        &["The user lives in Bergen as well", "The user lives in Oslo"],
    ),
    (
        &["I work at Statoil.", "I work at Nokia too."],
        &["The user works at Nokia as well", "The user works at Statoil"],
    ),
    (
        &["I work at Statoil.", "I work at Nokia as well."],
        &["The user works at Nokia as well", "The user works at Statoil"],
    ),
    (&["我在腾讯工作。", "我也在阿里巴巴工作。"], &["用户也在阿里巴巴工作", "用户在腾讯工作"]),
    // Who moved there too has left where they were.
    (
        &["I live in Oslo.", "My brother moved to Bergen. I moved to Bergen too."],
        &["The user lives in Bergen", "The user's brother lives in Bergen"],
    ),
    // What is so now is not under what was.
    (
        &["I work at Equinor.", "I used to be a nurse and now work at Equinor."],
        &["The user works at Equinor"],
    ),
    // What only goes on to say something is a change of mind as ever.
    (&["I live in Oslo.", "Also, I live in Bergen."], &["The user lives in Bergen"]),
    (&["I live in Oslo.", "I live in Bergen."], &["The user lives in Bergen"]),
    // The second verb is under what governs the first.
    (&["I live in Oslo.", "I used to live in Oslo and work at Statoil."], &[]),
    (
        &["I live in Oslo.", "I'd like to move to Bergen and work at Nokia."],
        &["The user lives in Oslo"],
    ),
    // A full stop that shortens a word ends nothing.
    (
        &["I live in Oslo.", "I moved to Washington D.C. last month."],
        &["The user lives in Washington D.C."],
    ),
    // What was so in Japanese.
    (&["私は東京に住んでいます。", "私は東京に住んでいました。"], &[]),
    (&["私は東京に住んでいます。", "私は大阪に住んでいます。"], &["ユーザーは大阪に住んでいる"]),
    (
        &["私は東京に住んでいます。", "私は以前大阪に住んで、ソニーで働いていました。"],
        &["ユーザーは東京に住んでいる"],
    ),
];

#[tokio::test]
async fn what_is_so_as_well_is_remembered_beside_what_is_so() {
    for (said, expected) in HEARD {
        let stage = stage().open().await;
        let group = stage.direct("Ada").await;
        for words in said {
            stage.say(group, words).await;
            stage.clock.advance(Duration::from_secs(60));
        }
        // Whoever has heard this has heard what was said before it.
        stage.say(group, "My favourite colour is green.").await;
        let green = "The user's favourite colour is green";
        stage.until(async |stage: &Stage| holding(stage).await.contains(&green.to_owned())).await;
        let mut holds = holding(&stage).await;
        holds.retain(|text| text != green);
        assert_eq!(holds, expected, "{said:?}");
    }
}
