//! What stands by itself in what a person writes is remembered by itself: what takes the place
//! of one part takes nothing from the others.

use super::{deciding, list, look, new};
use domain::{
    Command, Memory, MemoryFilter, MemoryKind, MemoryPatch, MemoryScope, MemoryState, NewMemory,
    Reply,
};
use std::time::Duration;
use tests::{Stage, stage};

pub(super) async fn holding(stage: &Stage) -> Vec<String> {
    let mut texts = list(stage, MemoryFilter::default()).await;
    texts.sort();
    texts
}

/// All that a change changed.
pub(super) async fn changed(stage: &Stage, command: Command) -> Vec<Memory> {
    stage.clock.advance(Duration::from_secs(60));
    match stage.do_(command).await {
        Reply::Memory(one) => vec![*one],
        Reply::Memories(page) => page.memories,
        other => panic!("no memories: {other:?}"),
    }
}

pub(super) async fn written(stage: &Stage, text: &str) -> Vec<Memory> {
    changed(stage, Command::AddMemory { memory: new(text) }).await
}

pub(super) async fn edited(stage: &Stage, memory: &Memory, to: &str) -> Vec<Memory> {
    let patch = MemoryPatch { text: Some(to.into()), ..MemoryPatch::default() };
    changed(stage, Command::EditMemory { memory: memory.id, patch }).await
}

pub(super) fn told(memories: &[Memory]) -> Vec<&str> {
    memories.iter().map(|one| one.text.as_str()).collect()
}

/// What is written down, what its words are made, what takes the place of one part, and what
/// holds then.
const EDITED: [(&str, &str, &str, [&str; 2]); 5] = [
    (
        "My name is Kim",
        "My name is Kim and I am allergic to peanuts",
        "My name is Kimberly.",
        ["I am allergic to peanuts", "My name is Kimberly."],
    ),
    (
        "I live in Oslo",
        "I live in Oslo and have two cats",
        "I live in Bergen",
        ["I have two cats", "I live in Bergen"],
    ),
    (
        "I live in Oslo",
        "I live in Oslo and work at Statoil",
        "I work at Equinor",
        ["I live in Oslo", "I work at Equinor"],
    ),
    (
        "我住在杭州",
        "我住在杭州，在阿里巴巴工作",
        "我搬到上海了",
        ["我在阿里巴巴工作", "我搬到上海了"],
    ),
    (
        "Answer in German",
        "Answer in German. I live in Oslo.",
        "Answer in English",
        ["Answer in English", "I live in Oslo"],
    ),
];

#[tokio::test]
async fn what_is_added_to_a_memory_and_stands_by_itself_outlives_it() {
    for (first, with_more, then, expected) in EDITED {
        let stage = stage().open().await;
        let one = written(&stage, first).await.remove(0);
        let both = edited(&stage, &one, with_more).await;
        assert_eq!((both.len(), both[0].id), (2, one.id), "{with_more}");
        written(&stage, then).await;
        assert_eq!(holding(&stage).await, expected, "{with_more}");
        let found = look(&stage, &both[1].text, MemoryFilter::default()).await;
        assert!(!found.hits.is_empty(), "{with_more}");
    }
}

#[tokio::test]
async fn an_allergy_is_never_remembered_without_what_it_is_of() {
    for text in ["I love cats but I'm allergic to them", "我喜欢猫，但是我对它们过敏"]
    {
        let stage = stage().open().await;
        written(&stage, text).await;
        assert_eq!(holding(&stage).await, [text]);
        written(&stage, "I like peanuts, but I'm allergic to them").await;
        assert_eq!(holding(&stage).await.len(), 2, "{text}");
    }
    // A file that the person vouches for says no more of it.
    let stage = stage().open().await;
    let episode = NewMemory {
        kind: MemoryKind::Episode,
        ..new("User: I love cats but I'm allergic to them.\n\nAssistant: Oh.")
    };
    changed(&stage, Command::AddMemory { memory: episode }).await;
    stage.do_(Command::ConsolidateMemories { preview: false }).await;
    assert!(!holding(&stage).await.contains(&"The user is allergic to them".to_owned()));
}

#[tokio::test]
async fn what_several_say_in_one_goes_on_being_said_when_one_of_them_changes() {
    for (then, expected) in [
        ("I live in Bergen", ["Answer in German", "I live in Bergen", "I work at Statoil"]),
        ("I work at Equinor", ["Answer in German", "I live in Oslo", "I work at Equinor"]),
        ("Answer in English", ["Answer in English", "I live in Oslo", "I work at Statoil"]),
    ] {
        let stage = stage().open().await;
        let mut memories = Vec::new();
        for text in ["I live in Oslo", "I work at Statoil", "Answer in German"] {
            memories.push(written(&stage, text).await[0].id);
        }
        let text = "I live in Oslo and work at Statoil. Answer in German.".to_owned();
        let merged = changed(&stage, Command::MergeMemories { memories, text }).await;
        assert_eq!(told(&merged), ["I live in Oslo", "I work at Statoil", "Answer in German"]);
        assert_eq!(holding(&stage).await.len(), 3, "nothing is there twice");
        written(&stage, then).await;
        assert_eq!(holding(&stage).await, expected, "{then}");
    }
}

#[tokio::test]
async fn what_is_written_down_at_once_keeps_every_word_and_ends_nothing_of_itself() {
    for (text, expected) in [
        (
            "I have lived in Oslo since 2015 and work at Statoil since 2019",
            &["I have lived in Oslo since 2015", "I work at Statoil since 2019"][..],
        ),
        (
            "I live in Oslo in winter and I live in Bergen in summer",
            &["I live in Oslo in winter and I live in Bergen in summer"],
        ),
        (
            "My name is Kimberly Jones. Please call me Kim.",
            &["My name is Kimberly Jones", "Please call me Kim"],
        ),
        (
            "I work at Statoil and I work at the university on Fridays",
            &["I work at Statoil and I work at the university on Fridays"],
        ),
    ] {
        let stage = stage().open().await;
        written(&stage, text).await;
        assert_eq!(holding(&stage).await, expected);
    }
}

#[tokio::test]
async fn what_a_file_says_beside_what_it_states_outlives_that() {
    let stage = stage().open().await;
    let text = "The user lives in Lisbon and works at Fiat as a clerk";
    let line = deciding::line(text, "Lisbon");
    deciding::from_file(&stage, MemoryScope::User, &[line]).await;
    written(&stage, "I live in Bergen").await;
    assert_eq!(holding(&stage).await, ["I live in Bergen", "The user works at Fiat as a clerk"]);
    let whole = list(&stage, MemoryFilter::default()).await;
    assert!(!whole.contains(&text.to_owned()));
}

#[tokio::test]
async fn what_somebody_says_that_it_states_is_one() {
    let stage = stage().open().await;
    let given = NewMemory {
        text: "I live in Oslo and work at Statoil".into(),
        ..super::stating("lives in", "Oslo")
    };
    let one = changed(&stage, Command::AddMemory { memory: given }).await;
    assert_eq!((one.len(), one[0].state), (1, MemoryState::Current));
    written(&stage, "I live in Bergen").await;
    assert_eq!(holding(&stage).await, ["I live in Bergen", "I work at Statoil"]);
}
