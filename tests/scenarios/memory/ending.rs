//! What a person writes down to be over ends, as where they say it to an agent, and their words
//! are kept.

use super::{add, done, list, new};
use domain::{
    Command, Judgement, Memory, MemoryFilter, MemoryKind, MemoryPatch, MemoryState, NewMemory,
    Query, Reply, Standing, Trust,
};
use std::time::Duration;
use tests::{Stage, stage};

async fn holding(stage: &Stage) -> Vec<String> {
    let mut texts = list(stage, MemoryFilter::default()).await;
    texts.sort();
    texts
}

async fn written(stage: &Stage, text: &str) -> Memory {
    stage.clock.advance(Duration::from_secs(60));
    add(stage, new(text)).await
}

async fn edited(stage: &Stage, memory: &Memory, to: &str) -> Memory {
    stage.clock.advance(Duration::from_secs(60));
    let patch = MemoryPatch { text: Some(to.into()), ..MemoryPatch::default() };
    done(stage, Command::EditMemory { memory: memory.id, patch }).await
}

async fn undone(stage: &Stage, memory: &Memory) {
    stage.clock.advance(Duration::from_secs(60));
    done(stage, Command::UndoMemory { memory: memory.id }).await;
}

const OVER: [(&str, &str); 20] = [
    ("My name is Bob", "Don't call me Bob"),
    ("My name is Kim", "My name is not Kim, it's Kit"),
    ("I work at Equinor", "I left Equinor to work at Nokia"),
    ("我住在杭州", "我以前住在杭州"),
    ("I live in Oslo", "I no longer live in Oslo"),
    ("I live in Oslo", "The user no longer lives in Oslo."),
    ("The user lives in Oslo", "I don't live in Oslo anymore"),
    ("I live in Oslo", "I lived in Oslo"),
    ("I work at Statoil", "I quit my job at Statoil"),
    ("I work at Statoil", "I don't work at Statoil anymore"),
    ("I work for Statoil", "I quit my job."),
    ("我在阿里巴巴工作", "我不在阿里巴巴工作了"),
    ("我住在杭州", "我不住在杭州了"),
    ("我住在杭州", "用户不住在杭州了"),
    ("Answer in German", "Stop answering in German"),
    ("Answer in German", "Don't answer in German anymore"),
    ("用德语回答", "不要再用德语了"),
    ("Answer in German", "もうドイツ語で答えないで"),
    ("My wife is called Anna", "I got divorced"),
    ("My wife is called Anna", "Anna and I are divorced"),
];

#[tokio::test]
async fn what_is_written_down_to_be_over_ends_and_is_kept_in_the_persons_words() {
    for (held, over) in OVER {
        let stage = stage().open().await;
        let first = written(&stage, held).await;
        let second = written(&stage, over).await;
        assert_eq!(holding(&stage).await, [over], "{held}");
        // A wish that is over is told where the wish was, and how to call somebody is one.
        let is_wish = ["German", "德语", "Bob"].iter().any(|word| held.contains(word));
        assert_eq!(second.kind == MemoryKind::Preference, is_wish, "{over}");
        undone(&stage, &second).await;
        assert_eq!(holding(&stage).await, [held], "taken back: {over}");
        // And who says it again later has it hold again.
        written(&stage, over).await;
        written(&stage, held).await;
        assert_eq!(holding(&stage).await, [held], "again: {over}");
        assert_eq!(first.trust, Trust::Person);
    }
}

#[tokio::test]
async fn what_is_over_ends_all_that_it_means_and_nothing_else() {
    let stage = stage().open().await;
    for text in ["I work at Statoil", "I work as a geologist", "I live in Oslo"] {
        written(&stage, text).await;
    }
    let over = written(&stage, "I quit my job").await;
    assert_eq!(holding(&stage).await, ["I live in Oslo", "I quit my job"]);
    undone(&stage, &over).await;
    let all = ["I live in Oslo", "I work as a geologist", "I work at Statoil"];
    assert_eq!(holding(&stage).await, all);
    for text in ["I no longer live in Rome", "Bo no longer lives in Oslo"] {
        written(&stage, text).await;
    }
    assert_eq!(holding(&stage).await.len(), 5);
    // What is so instead is said beside it.
    written(&stage, "I no longer live in Oslo").await;
    written(&stage, "I live in Bergen").await;
    assert!(holding(&stage).await.contains(&"I no longer live in Oslo".to_owned()));
    assert!(holding(&stage).await.contains(&"I live in Bergen".to_owned()));
}

#[tokio::test]
async fn what_was_so_once_or_is_over_in_part_ends_nothing() {
    for (held, told) in [
        ("I live in Oslo", "I lived in Oslo in 1990"),
        ("I work at Statoil", "I stopped working at Statoil full-time"),
    ] {
        let stage = stage().open().await;
        written(&stage, held).await;
        written(&stage, told).await;
        assert!(holding(&stage).await.contains(&held.to_owned()), "{told}");
    }
}

/// What holds, what is written down, and what holds then.
const BESIDE: [(&str, &str, &[&str]); 6] = [
    (
        "I work at Statoil",
        "I live in Bergen and no longer work at Statoil",
        &["I live in Bergen", "I no longer work at Statoil"],
    ),
    (
        "I work at Statoil",
        "I moved to Bergen and quit my job at Statoil",
        &["I moved to Bergen", "I quit my job at Statoil"],
    ),
    (
        "I live in Oslo",
        "I no longer live in Oslo but in Bergen",
        &["I no longer live in Oslo but in Bergen"],
    ),
    (
        "I live in Oslo",
        "I live in Bergen now, not in Oslo anymore",
        &["I live in Bergen now, not in Oslo anymore"],
    ),
    (
        "I like tea",
        "I like coffee and no longer like tea",
        &["I like coffee", "I no longer like tea"],
    ),
    (
        "我在阿里巴巴工作",
        "我现在在腾讯工作，不在阿里巴巴了",
        &["我不在阿里巴巴了", "我现在在腾讯工作"],
    ),
];

#[tokio::test]
async fn what_is_over_ends_where_it_is_said_beside_what_is_so() {
    for (held, both, expected) in BESIDE {
        let stage = stage().open().await;
        written(&stage, held).await;
        stage.do_(Command::AddMemory { memory: new(both) }).await;
        assert_eq!(holding(&stage).await, expected, "{both}");
    }
    let stage = stage().open().await;
    let oslo = written(&stage, "I live in Oslo").await.id;
    let cats = written(&stage, "I have two cats").await.id;
    stage.clock.advance(Duration::from_secs(60));
    let text = "I have two cats and no longer live in Oslo".to_owned();
    stage.do_(Command::MergeMemories { memories: vec![oslo, cats], text }).await;
    assert_eq!(holding(&stage).await, ["I have two cats", "I no longer live in Oslo"]);
}

#[tokio::test]
async fn what_is_put_otherwise_to_be_over_has_nothing_take_its_place() {
    for over in ["I no longer live in Bergen", "I lived in Bergen", "I no longer live in Oslo"] {
        for merges in [false, true] {
            let stage = stage().open().await;
            written(&stage, "I live in Oslo").await;
            let bergen = written(&stage, "I live in Bergen").await;
            let changed = if merges {
                let note = written(&stage, "There is more to say of it").await;
                stage.clock.advance(Duration::from_secs(60));
                let (memories, text) = (vec![bergen.id, note.id], over.to_owned());
                done(&stage, Command::MergeMemories { memories, text }).await
            } else {
                edited(&stage, &bergen, over).await
            };
            assert_eq!(holding(&stage).await, [over], "merged: {merges}");
            undone(&stage, &changed).await;
            assert!(holding(&stage).await.contains(&"I live in Bergen".to_owned()), "{over}");
            assert!(!holding(&stage).await.contains(&"I live in Oslo".to_owned()), "{over}");
        }
    }
    // What is not over after all holds again.
    let stage = stage().open().await;
    written(&stage, "I live in Oslo").await;
    let memory = written(&stage, "I no longer live in Oslo").await.id;
    stage.clock.advance(Duration::from_secs(60));
    done(&stage, Command::JudgeMemory { memory, judgement: Judgement::Wrong }).await;
    assert_eq!(holding(&stage).await, ["I live in Oslo"]);
}

#[tokio::test]
async fn what_a_person_has_written_down_to_be_over_waits_where_a_file_repeats_it() {
    let stage = stage().open().await;
    written(&stage, "I live in Porto").await;
    let over = written(&stage, "I no longer live in Porto").await;
    let line = super::deciding::line(super::deciding::PORTO, "Porto");
    super::deciding::from_file(&stage, domain::MemoryScope::User, &[line]).await;
    assert_eq!(holding(&stage).await, ["I no longer live in Porto"]);
    let filter = MemoryFilter { standing: Standing::Contested, ..MemoryFilter::default() };
    let query = Query::Memories { filter, before: None, limit: 10 };
    let Ok(Reply::Memories(page)) = stage.query(query).await else { panic!("no memories") };
    assert_eq!(page.memories[0].state, MemoryState::Contested(over.id));
}

#[tokio::test]
async fn what_is_over_for_some_readers_ends_nothing_that_others_read() {
    let stage = stage().open().await;
    let of_another = NewMemory { scope: domain::MemoryScope::Workspace, ..new("I live in Oslo") };
    add(&stage, of_another).await;
    written(&stage, "I no longer live in Oslo").await;
    assert_eq!(holding(&stage).await.len(), 2, "it is read by others");
}
