//! One change is one undo: with it goes all that its words did, but for what somebody has changed
//! since, and what gave way to that comes back.

use super::detail;
use super::parting::{changed, edited, holding, told, written};
use domain::{Command, Judgement, MemoryKind, MemoryState};
use tests::stage;

#[tokio::test]
async fn an_edit_that_brought_several_things_is_taken_back_whole() {
    for (first, then, with_more, brought) in [
        (
            "I live in Oslo",
            "My favorite color is blue",
            "My favorite color is green and I live in Bergen and my wife is Anna",
            ["I live in Bergen", "My wife is Anna"],
        ),
        (
            "我住在杭州",
            "我在百度工作",
            "我在百度工作，住在上海，对虾过敏",
            ["我住在上海", "我对虾过敏"],
        ),
    ] {
        let stage = stage().open().await;
        let old = written(&stage, first).await.remove(0);
        let one = written(&stage, then).await.remove(0);
        let before = holding(&stage).await;
        let all = edited(&stage, &one, with_more).await;
        assert_eq!(told(&all[1..]), brought);
        let undone = changed(&stage, Command::UndoMemory { memory: one.id }).await;
        assert_eq!(holding(&stage).await, before, "{with_more}");
        assert_eq!(detail(&stage, old.id).await.memory.valid_to_ms, None);
        let mut texts = told(&undone);
        texts[1..].sort_unstable();
        let mut expected = [then, brought[0], brought[1], first];
        expected[1..].sort_unstable();
        assert_eq!(texts, expected);
        // What was taken back is no word against what is said again, and can be called right.
        let anew = written(&stage, brought[1]).await.remove(0);
        changed(&stage, Command::ForgetMemory { memory: anew.id }).await;
        let judgement = Judgement::Right;
        changed(&stage, Command::JudgeMemory { memory: all[1].id, judgement }).await;
        let mut expected = vec![brought[0], then];
        expected.sort_unstable();
        assert_eq!(holding(&stage).await, expected);
    }
}

#[tokio::test]
async fn what_is_added_to_a_memory_goes_with_the_edit_that_added_it() {
    for (to, expected) in [
        ("I live in Bergen and work at Statoil", "I live in Oslo"),
        ("I live in Oslo and work at Statoil", "I live in Oslo"),
    ] {
        let stage = stage().open().await;
        written(&stage, "I live in Rome").await;
        let oslo = written(&stage, "I live in Oslo").await.remove(0);
        let both = edited(&stage, &oslo, to).await;
        assert_eq!((both.len(), both[1].kind), (2, MemoryKind::Fact));
        changed(&stage, Command::UndoMemory { memory: oslo.id }).await;
        assert_eq!(holding(&stage).await, [expected], "{to}");
    }
}

#[tokio::test]
async fn what_somebody_has_changed_since_stays_and_is_named() {
    let edit = "I live in Bergen and my wife is Anna";
    for then in ["My wife is Anna Berg", "My wife is Anna."] {
        let stage = stage().open().await;
        let oslo = written(&stage, "I live in Oslo").await.remove(0);
        let all = edited(&stage, &oslo, edit).await;
        let anna = all[1].clone();
        // Corrected, pinned or said again.
        match then.ends_with('.') {
            true => drop(written(&stage, then).await),
            false => drop(edited(&stage, &anna, then).await),
        }
        let stays = detail(&stage, anna.id).await.memory;
        let undone = changed(&stage, Command::UndoMemory { memory: oslo.id }).await;
        assert_eq!(holding(&stage).await, ["I live in Oslo", &stays.text]);
        assert_eq!(undone.len(), 2);
        assert_eq!((undone[1].id, undone[1].version), (anna.id, stays.version));
    }
    let stage = stage().open().await;
    let oslo = written(&stage, "I live in Oslo").await.remove(0);
    let anna = edited(&stage, &oslo, edit).await.remove(1);
    changed(&stage, Command::PinMemory { memory: anna.id, pinned: true }).await;
    let undone = changed(&stage, Command::UndoMemory { memory: oslo.id }).await;
    assert!(undone[1].pinned && undone[1].state == MemoryState::Current);
}

#[tokio::test]
async fn what_took_the_place_of_what_an_edit_brought_goes_on_holding() {
    let stage = stage().open().await;
    written(&stage, "I live in Oslo").await;
    let blue = written(&stage, "My favorite color is blue").await.remove(0);
    edited(&stage, &blue, "My favorite color is green and I live in Bergen").await;
    written(&stage, "I live in Rome").await;
    let undone = changed(&stage, Command::UndoMemory { memory: blue.id }).await;
    assert_eq!(told(&undone), ["My favorite color is blue"]);
    assert_eq!(holding(&stage).await, ["I live in Rome", "My favorite color is blue"]);
}

#[tokio::test]
async fn what_an_edit_said_again_was_said_once_less() {
    let stage = stage().open().await;
    let anna = written(&stage, "My wife is Anna").await.remove(0);
    let oslo = written(&stage, "I live in Oslo").await.remove(0);
    let all = edited(&stage, &oslo, "I live in Bergen and my wife is Anna").await;
    assert_eq!((all[1].id, all[1].evidence), (anna.id, 2));
    let undone = changed(&stage, Command::UndoMemory { memory: oslo.id }).await;
    assert_eq!(undone.len(), 1);
    let anna = detail(&stage, anna.id).await.memory;
    assert_eq!((anna.evidence, anna.state), (1, MemoryState::Current));
}

#[tokio::test]
async fn a_merge_is_taken_back_with_what_its_words_brought() {
    let stage = stage().open().await;
    let mut memories = Vec::new();
    for text in ["I live in Oslo", "I live in Oslo in Norway"] {
        memories.push(written(&stage, text).await[0].id);
    }
    let before = holding(&stage).await;
    let text = "I live in Oslo and work at Statoil".to_owned();
    let first = memories[0];
    changed(&stage, Command::MergeMemories { memories, text }).await;
    assert!(holding(&stage).await.contains(&"I work at Statoil".to_owned()));
    changed(&stage, Command::UndoMemory { memory: first }).await;
    assert_eq!(holding(&stage).await, before);
}
