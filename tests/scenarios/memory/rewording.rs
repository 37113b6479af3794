//! A turn is reminded of what is said in other words, and of nothing where nothing
//! was asked. With the model that ships: no other knows what texts mean.

use super::{add, detail, new};
use domain::{GroupId, MemoryIndex, Query, Reply, StepKind};
use tests::{Stage, bundled_embedding, stage};

/// What is remembered, each with a question that it answers in other words.
const ENGLISH: [(&str, &str); 20] = [
    ("I am allergic to nuts.", "Can I eat satay sauce?"),
    ("I live in Gothenburg.", "Which city is my home?"),
    ("My wife is called Ingrid.", "What is my spouse's name?"),
    ("I am a vegetarian.", "Suggest something for the barbecue on Saturday."),
    ("I have a meeting with the tax adviser on Thursday.", "What is on my calendar this week?"),
    (
        "My car needs winter tyres by November.",
        "Is there anything to do on the Skoda before it snows?",
    ),
    ("I prefer metric units.", "How tall is Mont Blanc?"),
    ("The wifi password is on the fridge.", "How can my guests get online?"),
    ("I play the cello in an amateur orchestra.", "Which instrument do I play?"),
    ("My son studies in Leipzig.", "Where does my kid go to college?"),
    ("I am learning Portuguese.", "Which language am I picking up at the moment?"),
    ("My back hurts when I sit for long.", "Would a standing desk be good for me?"),
    ("I pay rent on the first of each month.", "When is the money for the landlord due?"),
    ("I do not like horror films.", "Pick a movie for tonight."),
    ("My blood group is A negative.", "What should the doctors know after an accident?"),
    ("Our dog is afraid of fireworks.", "What do we have to think of on New Year's Eve?"),
    ("I use Neovim with a dark theme.", "Which editor do I work with?"),
    ("My best friend Samir lives in Cairo.", "Who could be visited in Egypt?"),
    ("I take blood thinners.", "May I have an aspirin for my headache?"),
    ("I quit smoking in May.", "How long have I been off cigarettes?"),
];

const CHINESE: [(&str, &str); 6] = [
    ("我对海鲜过敏。", "今晚的虾饺我能吃吗？"),
    ("我养了一只叫团子的柴犬。", "Which breed is my pet?"),
    ("我在互联网公司做产品经理。", "What is my job?"),
    ("我正在备考雅思。", "帮我制定一个学习英语的计划。"),
    ("爷爷听力不好。", "给老人家买电话要选哪种？"),
    ("我小时候在哈尔滨长大。", "我的家乡是哪里？"),
];

/// A workspace that remembers these, each with its vector.
async fn knowing(memories: &[(&str, &str)]) -> Stage {
    let stage = stage().embedding(bundled_embedding()).open().await;
    for (text, _) in memories {
        add(&stage, new(text)).await;
    }
    embedded(&stage).await;
    stage
}

async fn embedded(stage: &Stage) {
    let all = async |stage: &Stage| match stage.query(Query::MemoryIndex).await {
        Ok(Reply::MemoryIndex(MemoryIndex { memories, meaning, .. })) => memories == meaning,
        other => panic!("no index: {other:?}"),
    };
    stage.until(all).await;
}

/// What fits what somebody says and so stands in the agent's prompt, by more than words.
async fn reminded(stage: &Stage, group: GroupId, text: &str) -> Vec<String> {
    stage.say(group, text).await;
    let run = stage.runs().await.pop().expect("Ada has answered");
    let steps = stage.run(run.id).await.steps.into_iter();
    let recalled = steps.filter_map(|step| match step.kind {
        StepKind::Recalled { memories, words_only, .. } => Some((memories, words_only)),
        _ => None,
    });
    let sent = stage.model.requests().pop().expect("the model was asked").turns;
    let mut fitting = Vec::new();
    for (memories, words_only) in recalled {
        assert_eq!(words_only, None, "the model is there");
        for one in memories.iter().filter(|one| one.scores.is_some()) {
            let text = detail(stage, one.memory).await.memory.text;
            assert!(sent.iter().any(|turn| turn.content.contains(&text)), "{text}");
            fitting.push(text);
        }
    }
    fitting
}

/// How many of the questions bring up what they ask for, and how much else comes.
async fn brought_up(stage: &Stage, memories: &[(&str, &str)]) -> (usize, usize) {
    let group = stage.direct("Ada").await;
    let (mut right, mut foreign) = (0, 0);
    for (text, question) in memories {
        let notes = reminded(stage, group, question).await;
        let is_there = notes.iter().any(|note| note == text);
        right += usize::from(is_there);
        foreign += notes.len() - usize::from(is_there);
    }
    (right, foreign)
}

#[tokio::test]
async fn who_asks_in_other_words_is_reminded() {
    let stage = knowing(&ENGLISH).await;
    let (right, foreign) = brought_up(&stage, &ENGLISH).await;
    assert!(right >= 17 && foreign <= 40, "{right} of 20, and {foreign} others");
}

#[tokio::test]
async fn who_asks_in_other_words_is_reminded_in_chinese_and_across_languages() {
    let stage = knowing(&CHINESE).await;
    let (right, foreign) = brought_up(&stage, &CHINESE).await;
    assert!(right >= 5 && foreign <= 8, "{right} of 6, and {foreign} others");
}

#[tokio::test]
async fn the_only_memory_is_recalled_where_it_concerns_what_is_said_and_not_elsewhere() {
    let stage = knowing(&ENGLISH[..1]).await;
    let group = stage.direct("Ada").await;
    assert_eq!(reminded(&stage, group, "Can I eat satay sauce?").await, [ENGLISH[0].0]);
    for foreign in ["thanks!", "Who wrote Faust?", "谢谢！", "光速是多少？"] {
        assert!(reminded(&stage, group, foreign).await.is_empty(), "{foreign}");
    }
}

#[tokio::test]
async fn small_talk_and_what_concerns_nothing_bring_up_nothing() {
    for (memories, said) in [
        (&ENGLISH[..], &["thanks!", "Good morning", "ok", "Nice, well done!"][..]),
        (&ENGLISH[..], &["Write a haiku.", "Who wrote Faust?", "What is the square root of 81?"]),
        (&CHINESE[..], &["谢谢！", "好的", "你好", "早上好", "光速是多少？"]),
    ] {
        let stage = knowing(memories).await;
        let group = stage.direct("Ada").await;
        for text in said {
            let notes = reminded(&stage, group, text).await;
            assert!(notes.is_empty(), "{text}: {notes:?}");
        }
    }
}
