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

/// What a person said at first, what an edit brought in its place, and what they said since.
const SINCE: [[&str; 5]; 2] = [
    [
        "I live in Oslo",
        "My favorite color is blue",
        "My favorite color is green and I live in Bergen",
        "I live in Bergen",
        "I live in Rome",
    ],
    ["我住在杭州", "我在百度工作", "我在百度工作，住在上海", "我住在上海", "我住在广州"],
];

#[tokio::test]
async fn what_an_edit_brought_and_gave_way_since_is_taken_back_with_it_and_stays_away() {
    for [first, then, with_more, brought, since] in SINCE {
        let stage = stage().open().await;
        let old = written(&stage, first).await.remove(0);
        let one = written(&stage, then).await.remove(0);
        let part = edited(&stage, &one, with_more).await.remove(1);
        let later = written(&stage, since).await.remove(0);
        let undone = changed(&stage, Command::UndoMemory { memory: one.id }).await;
        // What was taken back, what is not brought back by that, and what holds instead.
        assert_eq!(told(&undone), [then, brought, first, since]);
        assert!(undone[3].changed_at_ms < undone[0].changed_at_ms);
        let mut expected = vec![then, since];
        expected.sort_unstable();
        assert_eq!(holding(&stage).await, expected);
        assert_eq!(detail(&stage, old.id).await.memory.state, MemoryState::Superseded(later.id));
        // Nor does it come back with anything that is taken back after that.
        changed(&stage, Command::UndoMemory { memory: later.id }).await;
        let mut expected = vec![first, then];
        expected.sort_unstable();
        assert_eq!(holding(&stage).await, expected);
        let refused = stage.command(Command::UndoMemory { memory: part.id }).await;
        assert!(refused.is_err(), "nothing is left of it");
    }
}

#[tokio::test]
async fn what_was_said_of_a_part_of_an_edit_is_a_word_against_it_when_that_is_wrong() {
    let stage = stage().open().await;
    let blue = written(&stage, "My favorite color is blue").await.remove(0);
    edited(&stage, &blue, "My favorite color is green and I live in Bergen").await;
    let rome = written(&stage, "I live in Rome").await.remove(0);
    changed(&stage, Command::UndoMemory { memory: blue.id }).await;
    let judgement = Judgement::Wrong;
    changed(&stage, Command::JudgeMemory { memory: rome.id, judgement }).await;
    assert_eq!(holding(&stage).await, ["My favorite color is blue"]);
}

#[tokio::test]
async fn what_gives_way_twice_leaves_what_it_said_beside_that_each_time() {
    let stage = stage().open().await;
    let given = domain::NewMemory {
        text: "I live in Oslo and work at Statoil".into(),
        ..super::stating("lives in", "Oslo")
    };
    changed(&stage, Command::AddMemory { memory: given }).await;
    for place in ["I live in Bergen", "I live in Rome"] {
        let there = written(&stage, place).await.remove(0);
        assert_eq!(holding(&stage).await, [place, "I work at Statoil"]);
        let undone = changed(&stage, Command::UndoMemory { memory: there.id }).await;
        assert_eq!(undone[0].id, there.id);
        assert_eq!(holding(&stage).await, ["I live in Oslo and work at Statoil"]);
    }
}

#[tokio::test]
async fn what_gives_way_to_what_comes_back_is_named() {
    let stage = stage().open().await;
    let note = written(&stage, "I live in Oslo").await.remove(0);
    edited(&stage, &note, "I like fish").await;
    let rome = written(&stage, "I live in Rome").await.remove(0);
    let undone = changed(&stage, Command::UndoMemory { memory: note.id }).await;
    assert_eq!(told(&undone), ["I live in Oslo", "I live in Rome"]);
    assert_eq!(undone[1].state, MemoryState::Superseded(note.id));
    assert_eq!(undone[1].id, rome.id);
}

#[tokio::test]
async fn what_comes_back_holds_once_though_its_words_were_said_again() {
    let stage = stage().open().await;
    let madrid = written(&stage, "I live in Madrid").await.remove(0);
    let lisbon = written(&stage, "I live in Lisbon").await.remove(0);
    changed(&stage, Command::UndoMemory { memory: madrid.id }).await;
    written(&stage, "I live in Lisbon").await;
    let judgement = Judgement::Right;
    changed(&stage, Command::JudgeMemory { memory: lisbon.id, judgement }).await;
    assert_eq!(holding(&stage).await, ["I live in Lisbon"]);
    let stage = self::stage().open().await;
    written(&stage, "I live in Porto").await;
    let note = written(&stage, "There is more to say").await.remove(0);
    let madrid = written(&stage, "I live in Madrid").await.remove(0);
    changed(&stage, Command::UndoMemory { memory: madrid.id }).await;
    edited(&stage, &note, "I live in Madrid").await;
    changed(&stage, Command::UndoMemory { memory: madrid.id }).await;
    assert_eq!(holding(&stage).await, ["I live in Madrid"]);
}

#[tokio::test]
async fn a_merge_that_is_taken_back_names_what_it_brought_back() {
    let stage = stage().open().await;
    let mut all = Vec::new();
    for text in ["Likes green tea", "Drinks tea in the morning", "Has a red teapot"] {
        all.push(written(&stage, text).await[0].id);
    }
    let text = "Drinks green tea out of a red pot".to_owned();
    changed(&stage, Command::MergeMemories { memories: all.clone(), text }).await;
    for named in [0, 2] {
        let undone = changed(&stage, Command::UndoMemory { memory: all[named] }).await;
        let mut ids: Vec<_> = undone.iter().map(|one| one.id).collect();
        assert_eq!(ids[0], all[named]);
        assert!(undone.iter().all(|one| one.state == MemoryState::Current));
        ids.sort_unstable_by_key(|id| id.0);
        let mut expected = all.clone();
        expected.sort_unstable_by_key(|id| id.0);
        assert_eq!(ids, expected, "named {named}");
        let text = "Drinks green tea out of a red pot".to_owned();
        changed(&stage, Command::MergeMemories { memories: all.clone(), text }).await;
    }
}

#[tokio::test]
async fn what_was_said_since_a_merge_goes_on_holding_when_that_is_taken_back() {
    let stage = stage().open().await;
    let mut all = Vec::new();
    for text in [
        "Lives in Oslo because of the light and the tram",
        "Lives in Oslo at Storgata, third floor; the bell says Lima",
    ] {
        let given = domain::NewMemory { text: text.into(), ..super::stating("lives in", "Oslo") };
        all.push(changed(&stage, Command::AddMemory { memory: given }).await[0].id);
    }
    let text = "Lives in Oslo at Storgata because of the tram".to_owned();
    let merged = changed(&stage, Command::MergeMemories { memories: all.clone(), text }).await;
    assert_eq!(holding(&stage).await, [merged[0].text.as_str()]);
    let bergen = written(&stage, "I live in Bergen").await.remove(0);
    let undone = changed(&stage, Command::UndoMemory { memory: all[1] }).await;
    assert_eq!(holding(&stage).await, ["I live in Bergen"]);
    assert_eq!(undone[0].state, MemoryState::Superseded(bergen.id));
    // What was merged in later stays when what came before is taken back.
    let stage = self::stage().open().await;
    let mut all = Vec::new();
    for text in ["Likes green tea", "Drinks tea in the morning"] {
        all.push(written(&stage, text).await[0].id);
    }
    let text = "Drinks green tea in the morning".to_owned();
    changed(&stage, Command::MergeMemories { memories: all.clone(), text: text.clone() }).await;
    written(&stage, &text).await;
    changed(&stage, Command::UndoMemory { memory: all[1] }).await;
    assert_eq!(holding(&stage).await, [text.as_str(), "Drinks tea in the morning"]);
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
