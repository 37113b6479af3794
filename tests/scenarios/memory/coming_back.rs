//! What holds again is put beside what was said since, and what gave way to what was never
//! so holds again.

use super::deciding::{
    BECAUSE, LISBON, MADRID, PORTO, found, from_file, holding, judged, line, standings, undone,
    waiting,
};
use super::{add, done, new, stating};
use domain::{
    Command, Judgement, Memory, MemoryFilter, MemoryId, MemoryPatch, MemoryScope, MemoryState,
    Query, Reply, Standing, Trust,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::time::Duration;
use tests::{Stage, stage};

const MINUTE: Duration = Duration::from_secs(60);

async fn edited(stage: &Stage, text: &str, to: &str) -> Memory {
    stage.clock.advance(MINUTE);
    let patch = MemoryPatch { text: Some(to.into()), ..MemoryPatch::default() };
    let memory = found(stage, text).await;
    done(stage, Command::EditMemory { memory, patch }).await
}

async fn said(stage: &Stage, place: &str) {
    stage.clock.advance(MINUTE);
    add(stage, stating("lives in", place)).await;
}

async fn imported(stage: &Stage, text: &str, place: &str) {
    from_file(stage, MemoryScope::User, &[line(text, place)]).await;
}

/// The first of these, as it was before it was changed, is brought back beside Madrid.
const CHANGES: [Option<Judgement>; 3] = [Some(Judgement::Wrong), Some(Judgement::Outdated), None];

/// Changes what is said of Porto; gives its words from then on.
async fn changed(stage: &Stage, how: Option<Judgement>) -> &'static str {
    match how {
        Some(judgement) => judged(stage, PORTO, judgement).await,
        None => drop(edited(stage, PORTO, "I like tea").await),
    }
    if how.is_some() { PORTO } else { "I like tea" }
}

#[tokio::test]
async fn what_comes_back_takes_the_place_of_what_was_said_since() {
    for how in CHANGES {
        let stage = stage().open().await;
        said(&stage, "Porto").await;
        let named = changed(&stage, how).await;
        said(&stage, "Madrid").await;
        undone(&stage, named).await;
        assert_eq!(holding(&stage).await, [PORTO], "{how:?}");
        undone(&stage, MADRID).await;
        assert_eq!(holding(&stage).await, [MADRID], "{how:?}");
    }
}

#[tokio::test]
async fn what_nobody_vouches_for_comes_back_beside_a_persons_word_and_waits() {
    for how in CHANGES {
        let stage = stage().open().await;
        imported(&stage, PORTO, "Porto").await;
        let named = changed(&stage, how).await;
        said(&stage, "Madrid").await;
        undone(&stage, named).await;
        assert_eq!(holding(&stage).await, [MADRID], "{how:?}");
        assert_eq!(waiting(&stage).await, [PORTO], "{how:?}");
    }
}

#[tokio::test]
async fn a_correction_that_is_taken_back_gives_back_what_gave_way_to_its_words() {
    const RIVER: &str = "Lives in Lisbon near the river by the old mill";
    let stage = stage().open().await;
    said(&stage, "Lisbon").await;
    imported(&stage, BECAUSE, "Lisbon").await;
    let before = standings(&stage).await;
    for named in [RIVER, LISBON] {
        edited(&stage, BECAUSE, RIVER).await;
        assert_eq!(holding(&stage).await, [RIVER]);
        undone(&stage, named).await;
        assert_eq!(standings(&stage).await, before, "taken back with {named}");
    }
    // So does another that says nothing of it any more.
    edited(&stage, BECAUSE, RIVER).await;
    edited(&stage, RIVER, "I like fish").await;
    assert!(holding(&stage).await.contains(&LISBON.to_owned()));
}

#[tokio::test]
async fn what_gave_way_to_what_was_never_so_holds_again() {
    let stage = stage().open().await;
    said(&stage, "Porto").await;
    said(&stage, "Lisbon").await;
    let before = standings(&stage).await;
    for named in [LISBON, PORTO] {
        judged(&stage, LISBON, Judgement::Wrong).await;
        assert_eq!(holding(&stage).await, [PORTO]);
        undone(&stage, named).await;
        assert_eq!(standings(&stage).await, before, "taken back with {named}");
    }
    // What was so before it is not so again because it has ended.
    judged(&stage, LISBON, Judgement::Outdated).await;
    assert!(holding(&stage).await.is_empty());
}

#[tokio::test]
async fn what_was_called_right_and_is_wrong_gives_back_what_gave_way_to_it() {
    let stage = stage().open().await;
    said(&stage, "Porto").await;
    imported(&stage, LISBON, "Lisbon").await;
    judged(&stage, LISBON, Judgement::Right).await;
    assert_eq!(holding(&stage).await, [LISBON]);
    judged(&stage, LISBON, Judgement::Wrong).await;
    assert_eq!(holding(&stage).await, [PORTO]);
}

#[tokio::test]
async fn what_gave_way_to_what_was_never_so_is_behind_what_holds_by_now() {
    let stage = stage().open().await;
    for place in ["Porto", "Lisbon", "Madrid"] {
        said(&stage, place).await;
    }
    let before = standings(&stage).await;
    judged(&stage, LISBON, Judgement::Wrong).await;
    let told = standings(&stage).await;
    assert!(told.contains(&format!("{PORTO} behind {MADRID}")), "{told:?}");
    judged(&stage, MADRID, Judgement::Wrong).await;
    assert_eq!(holding(&stage).await, [PORTO]);
    undone(&stage, MADRID).await;
    undone(&stage, LISBON).await;
    assert_eq!(standings(&stage).await, before);
}

#[tokio::test]
async fn what_gave_way_to_what_is_not_said_any_more_holds_again() {
    let stage = stage().open().await;
    said(&stage, "Porto").await;
    said(&stage, "Lisbon").await;
    let before = standings(&stage).await;
    edited(&stage, LISBON, "I like fish").await;
    assert_eq!(standings(&stage).await, ["I like fish holds".to_owned(), format!("{PORTO} holds")]);
    undone(&stage, "I like fish").await;
    assert_eq!(standings(&stage).await, before);
    // Another value is still against it, and one for other readers is not.
    edited(&stage, LISBON, MADRID).await;
    assert_eq!(holding(&stage).await, [MADRID]);
    let memory = found(&stage, MADRID).await;
    let patch = MemoryPatch { scope: Some(MemoryScope::Workspace), ..MemoryPatch::default() };
    stage.clock.advance(MINUTE);
    done(&stage, Command::EditMemory { memory, patch }).await;
    assert_eq!(standings(&stage).await, [format!("{MADRID} holds"), format!("{PORTO} holds")]);
    undone(&stage, MADRID).await;
    undone(&stage, MADRID).await;
    assert_eq!(standings(&stage).await, before);
}

/// What is written down, and what is added to the second of the two; with what of it stands by
/// itself.
const ADDED: [(&str, &str, &str, Option<&str>); 8] = [
    (
        "I live in Rome",
        "I live in Oslo",
        "I live in Oslo and work at Statoil",
        Some("I work at Statoil"),
    ),
    ("I live in Rome", "The user lives in Oslo", "The user lives in Oslo (Grünerløkka)", None),
    ("I live in Rome", "The user lives in Oslo", "The user lives in Oslo. It is cold there.", None),
    ("I live in Rome", "The user lives in Oslo", "The user has lived in Oslo since May", None),
    (
        "My wife is called Anna",
        "My wife is called Maria",
        "My wife is called Maria and she is a doctor",
        None,
    ),
    ("我住在上海", "我住在北京", "我住在北京，在大学工作", Some("我在大学工作")),
    (
        "The user is allergic to nuts",
        "The user is not allergic to nuts",
        "The user is not allergic to nuts, only to shellfish and milk",
        None,
    ),
    (
        "Answer in German",
        "Answer in French",
        "Answer in English and briefly",
        Some("Answer briefly"),
    ),
];

#[tokio::test]
async fn what_is_added_to_a_memory_brings_nothing_back() {
    for (old, one, with_more, apart) in ADDED {
        for merges in [false, true] {
            let stage = stage().open().await;
            for text in [old, one] {
                stage.clock.advance(MINUTE);
                add(&stage, new(text)).await;
            }
            if merges {
                stage.clock.advance(MINUTE);
                let other = add(&stage, new("There is more to say of it")).await.id;
                let memories = vec![other, found(&stage, one).await];
                let text = with_more.to_owned();
                stage.do_(Command::MergeMemories { memories, text }).await;
            } else {
                stage.clock.advance(MINUTE);
                let patch = MemoryPatch { text: Some(with_more.into()), ..MemoryPatch::default() };
                let memory = found(&stage, one).await;
                stage.do_(Command::EditMemory { memory, patch }).await;
            }
            let held = holding(&stage).await;
            assert!(!held.contains(&old.to_owned()), "merged: {merges}: {held:?}");
            assert_eq!(held.len(), 1 + usize::from(apart.is_some()), "{held:?}");
            assert_eq!(held.contains(&with_more.to_owned()), apart.is_none(), "{held:?}");
            // And it is still what gives way, with nothing that stands by itself.
            stage.clock.advance(MINUTE);
            add(&stage, new(old)).await;
            let mut left = [Some(old), apart].into_iter().flatten().collect::<Vec<_>>();
            left.sort_unstable();
            let mut held = holding(&stage).await;
            held.sort();
            assert_eq!(held, left, "merged: {merges}");
        }
    }
}

#[tokio::test]
async fn what_is_added_to_a_memory_decides_nothing_that_waits_against_it() {
    let stage = stage().open().await;
    let (porto, with_more) = ("I live in Porto", "I live in Porto and work at the mill");
    add(&stage, new(porto)).await;
    imported(&stage, LISBON, "Lisbon").await;
    stage.clock.advance(MINUTE);
    let patch = MemoryPatch { text: Some(with_more.into()), ..MemoryPatch::default() };
    let memory = found(&stage, porto).await;
    stage.do_(Command::EditMemory { memory, patch }).await;
    assert_eq!(holding(&stage).await, ["I work at the mill", porto]);
    assert_eq!(waiting(&stage).await, [LISBON]);
}

#[tokio::test]
async fn what_is_corrected_is_a_persons_word_and_waits_for_nobody() {
    let stage = stage().open().await;
    said(&stage, "Porto").await;
    imported(&stage, LISBON, "Lisbon").await;
    let before = standings(&stage).await;
    let boat = "My boat Petrel lies in the harbour of Faro";
    let faro = "The user lives in Faro";
    for (text, holds) in [(boat, vec![boat, PORTO]), (faro, vec![faro]), (PORTO, vec![PORTO])] {
        let memory = edited(&stage, LISBON, text).await;
        assert_eq!(memory.trust, Trust::Person);
        let mut told = holding(&stage).await;
        told.sort();
        assert_eq!(
            (told, waiting(&stage).await),
            (holds.iter().map(|one| (*one).to_owned()).collect(), vec![])
        );
        done(&stage, Command::UndoMemory { memory: memory.id }).await;
        assert_eq!(standings(&stage).await, before, "{text}");
    }
    let memory = found(&stage, LISBON).await;
    let patch = MemoryPatch { scope: Some(MemoryScope::Workspace), ..MemoryPatch::default() };
    stage.clock.advance(MINUTE);
    done(&stage, Command::EditMemory { memory, patch }).await;
    assert_eq!(standings(&stage).await, [format!("{LISBON} holds"), format!("{PORTO} holds")]);
}

#[tokio::test]
async fn what_waits_beside_what_says_something_else_by_now_waits_no_more() {
    let stage = stage().open().await;
    said(&stage, "Porto").await;
    imported(&stage, LISBON, "Lisbon").await;
    let before = standings(&stage).await;
    edited(&stage, PORTO, "I like tea").await;
    assert_eq!((holding(&stage).await.len(), waiting(&stage).await), (2, vec![]));
    undone(&stage, "I like tea").await;
    assert_eq!(standings(&stage).await, before);
}

#[tokio::test]
async fn what_waits_beside_one_of_those_that_are_said_in_one_waits_beside_that() {
    let stage = stage().open().await;
    said(&stage, "Porto").await;
    imported(&stage, LISBON, "Lisbon").await;
    imported(&stage, MADRID, "Madrid").await;
    let before = standings(&stage).await;
    stage.clock.advance(MINUTE);
    let memories = vec![found(&stage, LISBON).await, found(&stage, PORTO).await];
    done(&stage, Command::MergeMemories { memories, text: String::new() }).await;
    let told = standings(&stage).await;
    assert!(told.contains(&format!("{MADRID} against {LISBON}")), "{told:?}");
    undone(&stage, LISBON).await;
    assert_eq!(standings(&stage).await, before);
}

/// What somebody does with the nth memory.
#[derive(Debug, Clone)]
enum Act {
    Judge(usize, Judgement),
    Edit(usize, &'static str),
    Move(usize, MemoryScope),
    Merge(usize, usize),
    Add(&'static str),
    Import(&'static str),
    Undo(usize),
}

const SAYS: [&str; 4] = [PORTO, LISBON, MADRID, "I like tea"];

/// Which can be taken back by naming the same memory.
fn decides() -> impl Strategy<Value = Act> {
    let judgement =
        prop_oneof![Just(Judgement::Right), Just(Judgement::Wrong), Just(Judgement::Outdated)];
    prop_oneof![
        4 => (0..8_usize, judgement).prop_map(|(nth, how)| Act::Judge(nth, how)),
        4 => (0..8_usize, prop::sample::select(&SAYS[..])).prop_map(|(nth, to)| Act::Edit(nth, to)),
        1 => (0..8_usize, 0..8_usize).prop_map(|(one, other)| Act::Merge(one, other)),
    ]
}

fn any_act() -> impl Strategy<Value = Act> {
    let scope = prop_oneof![Just(MemoryScope::User), Just(MemoryScope::Workspace)];
    prop_oneof![
        6 => decides(),
        1 => (0..8_usize, scope).prop_map(|(nth, scope)| Act::Move(nth, scope)),
        1 => prop::sample::select(&SAYS[..3]).prop_map(Act::Add),
        1 => prop::sample::select(&SAYS[..3]).prop_map(Act::Import),
        2 => (0..8_usize).prop_map(Act::Undo),
    ]
}

async fn all(stage: &Stage) -> Vec<Memory> {
    let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
    match stage.query(Query::Memories { filter, before: None, limit: 100 }).await {
        Ok(Reply::Memories(page)) => {
            let mut all = page.memories;
            all.sort_by_key(|one| (one.created_at_ms, one.id));
            all
        }
        other => panic!("no memories: {other:?}"),
    }
}

/// How they stand, but for how often and when they were changed.
async fn standing(stage: &Stage) -> Vec<Memory> {
    let all = all(stage).await.into_iter();
    all.map(|one| Memory { version: 0, changed_at_ms: 0, ..one }).collect()
}

/// Which memory somebody named; nothing where they were refused, or changed nothing.
async fn act(stage: &Stage, act: &Act) -> Option<MemoryId> {
    stage.clock.advance(MINUTE);
    let all = all(stage).await;
    let nth = |nth: &usize| all[nth % all.len()].id;
    let edit = |memory, patch| Command::EditMemory { memory, patch };
    let command = match act {
        Act::Judge(n, judgement) => Command::JudgeMemory { memory: nth(n), judgement: *judgement },
        Act::Edit(n, to) => {
            edit(nth(n), MemoryPatch { text: Some((*to).into()), ..MemoryPatch::default() })
        }
        Act::Move(n, scope) => {
            edit(nth(n), MemoryPatch { scope: Some(*scope), ..MemoryPatch::default() })
        }
        Act::Merge(one, other) => {
            let memories = vec![nth(one), nth(other)];
            Command::MergeMemories { memories, text: String::new() }
        }
        Act::Undo(n) => Command::UndoMemory { memory: nth(n) },
        Act::Add(text) => Command::AddMemory { memory: new(text) },
        Act::Import(text) => {
            let place = text.rsplit(' ').next().expect("a word");
            imported(stage, text, place).await;
            return None;
        }
    };
    let Ok(Reply::Memory(memory)) = stage.command(command).await else { return None };
    let version = all.iter().find(|one| one.id == memory.id).map(|one| one.version);
    (version != Some(memory.version)).then_some(memory.id)
}

async fn no_two_hold(stage: &Stage) {
    let now = workspace::Clock::now_ms(&*stage.clock);
    for scope in [MemoryScope::User, MemoryScope::Workspace] {
        let places: BTreeSet<String> = all(stage)
            .await
            .into_iter()
            .filter(|one| one.scope == scope && one.state == MemoryState::Current)
            .filter(|one| one.valid_to_ms.is_none_or(|end| end > now))
            .filter_map(|one| one.statement.filter(|said| said.attribute == "lives in"))
            .map(|said| said.value)
            .collect();
        assert!(places.len() < 2, "{places:?} hold at once in {scope:?}");
    }
}

async fn opened() -> Stage {
    let stage = stage().open().await;
    said(&stage, "Porto").await;
    imported(&stage, LISBON, "Lisbon").await;
    said(&stage, "Madrid").await;
    stage
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[tokio::test]
async fn what_is_said_in_another_scope_lets_nothing_hold_beside_what_stands_in_its_own() {
    let stage = opened().await;
    let lisbon = Act::Edit(0, LISBON);
    for one in [Act::Undo(2), Act::Move(0, MemoryScope::Workspace), lisbon] {
        act(&stage, &one).await;
        no_two_hold(&stage).await;
    }
    let waits = all(&stage).await.into_iter().find(|one| one.trust == Trust::Untrusted);
    assert!(matches!(waits.map(|one| one.state), Some(MemoryState::Contested(_))));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_done_no_two_places_hold_at_once(acts in prop::collection::vec(any_act(), 1..14)) {
        runtime().block_on(async {
            let stage = opened().await;
            for one in &acts {
                act(&stage, one).await;
                no_two_hold(&stage).await;
            }
        });
    }

    #[test]
    fn whatever_is_decided_and_taken_back_all_stands_as_before(acts in prop::collection::vec(decides(), 1..8)) {
        runtime().block_on(async {
            let stage = opened().await;
            let mut done = Vec::new();
            for one in &acts {
                let before = standing(&stage).await;
                if let Some(memory) = act(&stage, one).await {
                    done.push((one, memory, before));
                }
            }
            for (one, memory, before) in done.into_iter().rev() {
                stage.clock.advance(MINUTE);
                stage.command(Command::UndoMemory { memory }).await.expect("it is taken back");
                assert_eq!(standing(&stage).await, before, "{one:?} is taken back");
            }
        });
    }
}
