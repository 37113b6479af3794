//! Every change of a memory is a version, and can be taken back.

use super::{add, detail, done, list, new, stating};
use domain::{
    Command, Fault, FaultCode, Judgement, Memory, MemoryChange, MemoryFilter, MemoryId,
    MemoryPatch, MemoryState, NewMemory, Query, RequestId, Standing, Trust,
};
use std::time::Duration;
use tests::{Stage, stage};
use uuid::Uuid;

#[tokio::test]
async fn what_is_added_twice_counts_twice_and_is_there_once() {
    let stage = stage().open().await;
    let first = add(&stage, new("Likes green tea.")).await;
    let second = add(&stage, new("likes GREEN tea")).await;
    assert_eq!((second.id, second.evidence, second.version), (first.id, 2, 2));
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["Likes green tea."]);
    let request = RequestId(Uuid::now_v7());
    for _ in 0..2 {
        let memory = new("Plays the viola");
        stage.send(request, Command::AddMemory { memory }).await.unwrap();
    }
    let viola = detail(&stage, MemoryId(request.0)).await;
    assert_eq!((viola.memory.evidence, viola.versions.len()), (1, 1), "one request is one");
}

#[tokio::test]
async fn another_value_takes_the_place_of_the_old_one_which_stays_on_record() {
    let stage = stage().open().await;
    let porto = add(&stage, stating("lives in", "Porto")).await;
    let lisbon = add(&stage, stating("lives in", "Lisbon")).await;
    let old = detail(&stage, porto.id).await;
    assert_eq!(old.memory.state, MemoryState::Superseded(lisbon.id));
    assert_eq!(old.memory.valid_to_ms, Some(lisbon.created_at_ms));
    assert_eq!(old.related.iter().map(|one| one.id).collect::<Vec<_>>(), [lisbon.id]);
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user lives in Lisbon"]);
    let past = MemoryFilter { standing: Standing::Past, ..MemoryFilter::default() };
    assert_eq!(list(&stage, past).await, ["The user lives in Porto"]);

    // Taken back, the old one holds and the new one does not.
    done(&stage, Command::UndoMemory { memory: porto.id }).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user lives in Porto"]);
}

#[tokio::test]
async fn an_addition_that_is_taken_back_brings_back_what_gave_way_to_it() {
    let stage = stage().open().await;
    let porto = add(&stage, stating("lives in", "Porto")).await;
    let lisbon = add(&stage, stating("lives in", "Lisbon")).await;
    let undone = done(&stage, Command::UndoMemory { memory: lisbon.id }).await;
    assert_eq!(undone.state, MemoryState::Superseded(porto.id));
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user lives in Porto"]);
    let again = detail(&stage, porto.id).await.memory;
    assert_eq!((again.state, again.valid_to_ms), (MemoryState::Current, None));
    // And that can be taken back too.
    done(&stage, Command::UndoMemory { memory: lisbon.id }).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user lives in Lisbon"]);
}

#[tokio::test]
async fn edits_can_be_taken_back_one_after_the_other_and_all_of_it_is_on_record() {
    let stage = stage().open().await;
    let memory = add(&stage, new("one")).await.id;
    for text in ["two", "three"] {
        let patch = MemoryPatch { text: Some(text.into()), ..MemoryPatch::default() };
        done(&stage, Command::EditMemory { memory, patch }).await;
    }
    for text in ["two", "one"] {
        assert_eq!(done(&stage, Command::UndoMemory { memory }).await.text, text);
    }
    let fault = stage.command(Command::UndoMemory { memory }).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::Refused);
    let stage = stage.reopen().await;
    let versions = detail(&stage, memory).await.versions;
    let told: Vec<(&str, MemoryChange)> = versions
        .iter()
        .map(|version| (version.memory.as_ref().unwrap().text.as_str(), version.change))
        .collect();
    use MemoryChange::{Added, Edited, Undone};
    assert_eq!(
        told,
        [("one", Added), ("two", Edited), ("three", Edited), ("two", Undone), ("one", Undone)]
    );
}

#[tokio::test]
async fn a_person_says_what_is_wrong_and_what_is_outdated() {
    let stage = stage().open().await;
    let never = add(&stage, new("Has a cat")).await.id;
    let once = add(&stage, new("Works at the mill")).await.id;
    for (memory, judgement) in [(never, Judgement::Wrong), (once, Judgement::Outdated)] {
        done(&stage, Command::JudgeMemory { memory, judgement }).await;
    }
    assert!(list(&stage, MemoryFilter::default()).await.is_empty());
    let past = MemoryFilter { standing: Standing::Past, ..MemoryFilter::default() };
    assert_eq!(list(&stage, past).await, ["Works at the mill", "Has a cat"]);
    done(&stage, Command::JudgeMemory { memory: never, judgement: Judgement::Right }).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["Has a cat"]);
}

#[tokio::test]
async fn several_are_said_in_one_and_can_be_told_apart_again() {
    let stage = stage().open().await;
    let tea = add(&stage, new("Likes green tea")).await.id;
    let morning = add(&stage, new("Drinks tea in the morning")).await.id;
    let memories = vec![tea, morning];
    let text = "Drinks green tea in the morning".to_owned();
    let merged = done(&stage, Command::MergeMemories { memories, text: text.clone() }).await;
    assert_eq!((merged.id, merged.evidence), (tea, 2));
    assert_eq!(list(&stage, MemoryFilter::default()).await, [text]);
    let fault = stage
        .command(Command::MergeMemories { memories: vec![tea, tea], text: "x".into() })
        .await
        .unwrap_err();
    assert_eq!(fault.code, FaultCode::BadInput);
}

/// Three of which the first says all.
async fn merged(stage: &Stage) -> Vec<Memory> {
    let mut all = Vec::new();
    for text in ["Likes green tea", "Drinks tea in the morning", "Has a red teapot"] {
        all.push(add(stage, new(text)).await);
    }
    done(stage, Command::PinMemory { memory: all[1].id, pinned: true }).await;
    let memories = all.iter().map(|memory| memory.id).collect();
    let text = "Drinks green tea out of a red pot".to_owned();
    done(stage, Command::MergeMemories { memories, text }).await;
    all
}

async fn holding(stage: &Stage) -> Vec<String> {
    let mut texts = list(stage, MemoryFilter::default()).await;
    texts.sort();
    texts
}

#[tokio::test]
async fn a_merge_that_is_taken_back_brings_all_of_them_back() {
    let stage = stage().open().await;
    let all = merged(&stage).await;
    assert_eq!(holding(&stage).await, ["Drinks green tea out of a red pot"]);
    let first = done(&stage, Command::UndoMemory { memory: all[0].id }).await;
    assert_eq!((first.evidence, first.pinned), (1, false));
    let each = ["Drinks tea in the morning", "Has a red teapot", "Likes green tea"];
    assert_eq!(holding(&stage).await, each);
    let second = detail(&stage, all[1].id).await.memory;
    assert!(second.pinned && second.valid_to_ms.is_none(), "as it was: {second:?}");
}

#[tokio::test]
async fn whichever_of_the_merged_is_named_the_whole_merge_is_taken_back() {
    let stage = stage().open().await;
    let all = merged(&stage).await;
    let last = done(&stage, Command::UndoMemory { memory: all[2].id }).await;
    assert_eq!((last.text.as_str(), last.state), ("Has a red teapot", MemoryState::Current));
    assert_eq!(holding(&stage).await.len(), 3);
}

#[tokio::test]
async fn one_of_a_merge_comes_back_alone_where_the_others_have_changed_since() {
    let stage = stage().open().await;
    let all = merged(&stage).await;
    stage.clock.advance(Duration::from_secs(60));
    let patch = MemoryPatch { text: Some("Drinks tea".into()), ..MemoryPatch::default() };
    done(&stage, Command::EditMemory { memory: all[0].id, patch }).await;
    done(&stage, Command::UndoMemory { memory: all[2].id }).await;
    assert_eq!(holding(&stage).await, ["Drinks tea", "Has a red teapot"]);
}

#[tokio::test]
async fn a_merge_holds_as_long_as_any_of_those_that_it_stands_for() {
    let stage = stage().open().await;
    let card = add(&stage, new("The gate code is on the blue card")).await.id;
    let gate = add(&stage, new("The gate opens with the blue card")).await.id;
    let judgement = Judgement::Outdated;
    done(&stage, Command::JudgeMemory { memory: card, judgement }).await;
    let text = "The gate opens with the blue card and its code".to_owned();
    let memories = vec![card, gate];
    let merged = done(&stage, Command::MergeMemories { memories, text: text.clone() }).await;
    assert_eq!((merged.state, merged.valid_to_ms), (MemoryState::Current, None));
    assert_eq!(holding(&stage).await, [text]);
}

#[tokio::test]
async fn what_comes_back_holds_alone_whatever_was_said_since() {
    let stage = stage().open().await;
    let porto = add(&stage, stating("lives in", "Porto")).await.id;
    let lisbon = add(&stage, stating("lives in", "Lisbon")).await.id;
    let judgement = Judgement::Wrong;
    done(&stage, Command::JudgeMemory { memory: lisbon, judgement }).await;
    add(&stage, stating("lives in", "Faro")).await;
    done(&stage, Command::UndoMemory { memory: porto }).await;
    assert_eq!(holding(&stage).await, ["The user lives in Porto"]);
}

#[tokio::test]
async fn what_somebody_adds_beside_what_is_known_is_not_thrown_away() {
    let stage = stage().open().await;
    add(&stage, stating("lives in", "Lisbon")).await;
    let text = "Lives in Lisbon at Rua Augusta, third floor; the bell says Lima";
    let fuller = NewMemory { text: text.into(), ..stating("lives in", "Lisbon") };
    add(&stage, fuller).await;
    let another = "The user lives in Lisbon because of the light and the tram";
    add(&stage, NewMemory { text: another.into(), ..stating("lives in", "Lisbon") }).await;
    assert!(holding(&stage).await.contains(&text.to_owned()));
    assert!(holding(&stage).await.contains(&another.to_owned()));
}

#[tokio::test]
async fn when_it_was_so_is_set_and_taken_away_again() {
    let stage = stage().open().await;
    let memory = add(&stage, new("Works at the mill")).await.id;
    let set = async |patch: MemoryPatch| {
        let changed = done(&stage, Command::EditMemory { memory, patch }).await;
        (changed.valid_from_ms, changed.valid_to_ms)
    };
    let from = MemoryPatch { valid_from_ms: Some(Some(1_000)), ..MemoryPatch::default() };
    assert_eq!(set(from).await, (Some(1_000), None));
    let to = MemoryPatch { valid_to_ms: Some(Some(2_000)), ..MemoryPatch::default() };
    assert_eq!(set(to).await, (Some(1_000), Some(2_000)));
    // As it comes over the wire.
    let gone = serde_json::from_str(r#"{"valid_from_ms":null}"#).unwrap();
    assert_eq!(set(gone).await, (None, Some(2_000)));
    let kept: MemoryPatch = serde_json::from_str("{}").unwrap();
    assert_eq!(serde_json::to_value(&kept).unwrap().get("valid_to_ms"), None);
    assert_eq!(set(kept).await, (None, Some(2_000)));
}

#[tokio::test]
async fn what_is_forgotten_has_no_words_left_anywhere_and_stays_forgotten() {
    const SECRET: &str = "The safe opens with zanzibar";
    let stage = stage().open().await;
    let memory = add(&stage, new(SECRET)).await.id;
    let patch = MemoryPatch { text: Some(format!("{SECRET} 17")), ..MemoryPatch::default() };
    done(&stage, Command::EditMemory { memory, patch }).await;
    super::look(&stage, "zanzibar", MemoryFilter::default()).await;
    done(&stage, Command::ForgetMemory { memory }).await;
    assert!(super::texts(&stage, "zanzibar", MemoryFilter::default()).await.is_empty());
    let detail = detail(&stage, memory).await;
    assert_eq!((detail.memory.state, detail.memory.text.as_str()), (MemoryState::Forgotten, ""));
    assert!(detail.versions.iter().all(|version| version.memory.is_none()));
    for command in [
        Command::UndoMemory { memory },
        Command::PinMemory { memory, pinned: true },
        Command::EditMemory { memory, patch: MemoryPatch::default() },
    ] {
        assert_eq!(stage.command(command).await.unwrap_err().code, FaultCode::Refused);
    }
    let index = walk(&stage.data().join("index"));
    assert!(index.iter().all(|bytes| !contains(bytes, b"zanzibar")), "in no file of the index");
}

#[tokio::test]
async fn what_is_no_memory_is_refused_with_the_reason_and_the_way_out() {
    let stage = stage().open().await;
    let bad = [
        (new(" …! "), "the memory says nothing"),
        (NewMemory { importance: Some(101), ..new("x") }, "the importance 101 is above 100"),
        (NewMemory { tags: vec![" ".into()], ..new("x") }, "\" \" is no tag"),
        (
            NewMemory { valid_from_ms: Some(5), valid_to_ms: Some(5), ..new("x") },
            "it ends before it begins",
        ),
        (new(&"x".repeat(4_001)), "the memory has 4001 characters, and 4000 is the most"),
    ];
    for (memory, message) in bad {
        let Fault { code, message: told, fix, .. } =
            stage.command(Command::AddMemory { memory }).await.unwrap_err();
        assert_eq!((code, told.as_str()), (FaultCode::BadInput, message));
        assert!(!fix.is_empty());
    }
    let nobody = MemoryId(Uuid::now_v7());
    let fault = stage.query(Query::Memory { memory: nobody }).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::NotFound);
}

#[tokio::test]
async fn a_correction_is_a_persons_word() {
    let stage = stage().open().await;
    let memory = add(&stage, stating("lives in", "Porto")).await.id;
    let patch = MemoryPatch { text: Some("Lives by the sea".into()), ..MemoryPatch::default() };
    let edited = done(&stage, Command::EditMemory { memory, patch }).await;
    assert_eq!((edited.trust, edited.statement), (Trust::Person, None));
}

/// A day of a year, in milliseconds.
const DAY_MS: i64 = 24 * 3_600_000;

async fn state(stage: &Stage, memory: MemoryId) -> MemoryState {
    detail(stage, memory).await.memory.state
}

/// The person says that it holds.
async fn right(stage: &Stage, memory: MemoryId) {
    done(stage, Command::JudgeMemory { memory, judgement: Judgement::Right }).await;
}

#[tokio::test]
async fn what_was_so_once_takes_nothing_from_what_is_so_now() {
    let stage = stage().open().await;
    add(&stage, stating("lives in", "Lisbon")).await;
    let once = NewMemory {
        valid_from_ms: Some(1_262_304_000_000),
        valid_to_ms: Some(1_451_520_000_000),
        ..stating("lives in", "Berlin")
    };
    add(&stage, once).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user lives in Lisbon"]);
    let past = MemoryFilter { standing: Standing::Past, ..MemoryFilter::default() };
    assert_eq!(list(&stage, past).await, ["The user lives in Berlin"]);
}

#[tokio::test]
async fn what_will_be_so_takes_over_when_it_begins() {
    let stage = stage().open().await;
    let acme = add(&stage, stating("works at", "Acme")).await;
    let begins = acme.created_at_ms + 100 * DAY_MS;
    let later = NewMemory { valid_from_ms: Some(begins), ..stating("works at", "Globex") };
    let globex = add(&stage, later).await.id;
    let now = detail(&stage, acme.id).await.memory;
    assert_eq!((now.state, now.valid_to_ms), (MemoryState::Current, Some(begins)));
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user works at Acme"]);
    // What is said of now goes on until then too.
    let initech = add(&stage, stating("works at", "Initech")).await;
    assert_eq!(initech.valid_to_ms, Some(begins));
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user works at Initech"]);
    done(&stage, Command::UndoMemory { memory: initech.id }).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user works at Acme"]);
    // It comes to nothing, so that the old one goes on.
    done(&stage, Command::UndoMemory { memory: globex }).await;
    let again = detail(&stage, acme.id).await.memory;
    assert_eq!((again.state, again.valid_to_ms), (MemoryState::Current, None));
}

#[tokio::test]
async fn what_has_ended_can_be_so_again() {
    let stage = stage().open().await;
    let memory = add(&stage, stating("lives in", "Porto")).await.id;
    done(&stage, Command::JudgeMemory { memory, judgement: Judgement::Outdated }).await;
    assert!(list(&stage, MemoryFilter::default()).await.is_empty());
    add(&stage, stating("lives in", "Porto")).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user lives in Porto"]);
}

#[tokio::test]
async fn a_judgement_is_taken_back_whole() {
    let stage = stage().open().await;
    let porto = add(&stage, stating("lives in", "Porto")).await.id;
    let lisbon = add(&stage, stating("lives in", "Lisbon")).await.id;
    for undone in [porto, lisbon] {
        right(&stage, porto).await;
        assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user lives in Porto"]);
        done(&stage, Command::UndoMemory { memory: undone }).await;
        let both = (state(&stage, porto).await, state(&stage, lisbon).await);
        assert_eq!(both, (MemoryState::Superseded(lisbon), MemoryState::Current));
    }
}

#[tokio::test]
async fn a_correction_takes_the_place_of_the_other_value() {
    let stage = stage().open().await;
    let lisbon = add(&stage, stating("lives in", "Lisbon")).await.id;
    let memory = add(&stage, new("Moved last spring")).await.id;
    let statement = stating("lives in", "Porto").statement;
    let patch = MemoryPatch { statement, ..MemoryPatch::default() };
    done(&stage, Command::EditMemory { memory, patch }).await;
    assert_eq!(state(&stage, lisbon).await, MemoryState::Superseded(memory));
    done(&stage, Command::UndoMemory { memory }).await;
    assert_eq!(state(&stage, lisbon).await, MemoryState::Current);
}

#[tokio::test]
async fn who_is_judged_right_takes_the_place_of_whoever_holds_by_now() {
    let stage = stage().open().await;
    let [madrid, lisbon, rome] = [
        add(&stage, stating("lives in", "Madrid")).await.id,
        add(&stage, stating("lives in", "Lisbon")).await.id,
        add(&stage, stating("lives in", "Rome")).await.id,
    ];
    right(&stage, madrid).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["The user lives in Madrid"]);
    assert_eq!(state(&stage, rome).await, MemoryState::Superseded(madrid));
    assert_eq!(state(&stage, lisbon).await, MemoryState::Superseded(rome));
}

fn walk(folder: &std::path::Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let entries = entries.map(|entry| entry.expect("an entry").path());
    let read = |path: std::path::PathBuf| match path.is_dir() {
        true => walk(&path),
        false => vec![std::fs::read(path).expect("a file")],
    };
    entries.flat_map(read).collect()
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[tokio::test]
async fn who_prefers_something_else_later_does_not_prefer_both() {
    for (first, then) in [
        ("I prefer dark mode over light mode", "I prefer light mode"),
        ("我更喜欢深色模式而不是浅色模式", "我更喜欢浅色模式"),
    ] {
        let stage = stage().open().await;
        let old = add(&stage, new(first)).await;
        stage.clock.advance(Duration::from_secs(60));
        add(&stage, new(then)).await;
        assert_eq!(list(&stage, MemoryFilter::default()).await, [then]);
        done(&stage, Command::UndoMemory { memory: old.id }).await;
        assert_eq!(list(&stage, MemoryFilter::default()).await, [first]);
    }
}

#[tokio::test]
async fn two_brothers_are_two() {
    let stage = stage().open().await;
    for text in ["My brother is Tom", "My other brother is Jim", "我有一个弟弟叫小刚"] {
        add(&stage, new(text)).await;
        stage.clock.advance(Duration::from_secs(60));
    }
    assert_eq!(list(&stage, MemoryFilter::default()).await.len(), 3);
}
