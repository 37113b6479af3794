//! Memories are found by their words and by what they mean, and the index can be
//! thrown away at any time.

use super::{add, done, list, look, new, texts};
use domain::{
    Command, FoundItem, Judgement, MemoryFilter, MemoryIndex, MemoryKind, MemoryPatch, MemoryScope,
    NewMemory, Query, Reply, Search, SearchIn,
};
use search::E5;
use std::path::Path;
use store::table::memory_vectors;
use store::{Durability, Store, Write};
use tests::{Stage, bundled_embedding, bundled_places, says, stage};
use workspace::{Embedding, Places};

async fn index(stage: &Stage) -> MemoryIndex {
    match stage.query(Query::MemoryIndex).await {
        Ok(Reply::MemoryIndex(index)) => index,
        other => panic!("no index: {other:?}"),
    }
}

/// Everything has its vector.
async fn embedded(stage: &Stage) {
    let all = async |stage: &Stage| {
        let index = index(stage).await;
        index.meaning == index.memories
    };
    stage.until(all).await;
}

#[tokio::test]
async fn a_memory_is_found_by_what_it_means_in_another_language() {
    let stage = stage().embedding(bundled_embedding()).open().await;
    for text in ["养了一只叫咪咪的猫", "The quarterly report is due on Friday", "Plays chess"]
    {
        add(&stage, new(text)).await;
    }
    embedded(&stage).await;
    let found = look(&stage, "what pet does the user have?", MemoryFilter::default()).await;
    assert_eq!(
        (found.hits[0].memory.text.as_str(), found.words_only),
        ("养了一只叫咪咪的猫", None)
    );
    assert!(found.hits[0].scores.meaning.is_some());
}

#[tokio::test]
async fn without_the_model_words_alone_are_compared_and_everybody_is_told() {
    let stage = stage().open().await;
    add(&stage, new("The quarterly report is due on Friday")).await;
    let found = look(&stage, "reports", MemoryFilter::default()).await;
    assert_eq!(found.hits.len(), 1, "by its stem");
    assert!(found.words_only.unwrap().contains("multilingual-e5-small"));
    // When the model is there again, the vectors come.
    let stage = stage.reopen_embedding(bundled_embedding()).await;
    embedded(&stage).await;
    let found = look(&stage, "when must the paper be handed in?", MemoryFilter::default()).await;
    assert_eq!((found.hits.len(), found.words_only), (1, None));
}

#[tokio::test]
async fn filters_leave_out_what_was_not_asked_for() {
    let stage = stage().open().await;
    let ada = stage.agent("Ada").await.id;
    let tagged = NewMemory { tags: vec!["Kitchen".into()], ..new("Tea is in the red box") };
    let kitchen = add(&stage, tagged).await.id;
    let own = NewMemory {
        scope: MemoryScope::Agent(ada),
        kind: MemoryKind::Skill,
        ..new("Tea is made with water of 80 degrees")
    };
    add(&stage, own).await;
    let old = NewMemory { valid_from_ms: Some(1_000), ..new("Tea was bought") };
    add(&stage, old).await;
    let by = |filter: MemoryFilter| texts(&stage, "tea", filter);
    let skills = MemoryFilter { kinds: vec![MemoryKind::Skill], ..MemoryFilter::default() };
    assert_eq!(by(skills).await, ["Tea is made with water of 80 degrees"]);
    let tag = MemoryFilter { tag: Some("kitchen".into()), ..MemoryFilter::default() };
    assert_eq!(by(tag).await, ["Tea is in the red box"]);
    let until = MemoryFilter { until_ms: Some(2_000), ..MemoryFilter::default() };
    assert_eq!(by(until).await, ["Tea was bought"]);
    let bo = stage.new_agent("Cy").await;
    let bos = MemoryFilter { agent: Some(bo), ..MemoryFilter::default() };
    assert_eq!(by(bos).await.len(), 2, "what is Ada's own is hers");
    let adas = MemoryFilter { agent: Some(ada), ..MemoryFilter::default() };
    assert_eq!(by(adas).await.len(), 3);
    let pinned = || MemoryFilter { pinned: true, ..MemoryFilter::default() };
    assert!(by(pinned()).await.is_empty());
    done(&stage, Command::PinMemory { memory: kitchen, pinned: true }).await;
    assert_eq!(by(pinned()).await, ["Tea is in the red box"]);
    assert_eq!(list(&stage, pinned()).await, ["Tea is in the red box"]);
    let other = MemoryFilter { tag: Some("cellar".into()), ..pinned() };
    assert!(by(other.clone()).await.is_empty() && list(&stage, other).await.is_empty());
}

#[tokio::test]
async fn every_kind_is_kept_and_found_as_what_it_is() {
    let stage = stage().open().await;
    for kind in MemoryKind::ALL {
        add(&stage, NewMemory { kind, ..new(&format!("Tea as a {kind:?}")) }).await;
    }
    for kind in MemoryKind::ALL {
        let filter = MemoryFilter { kinds: vec![kind], ..MemoryFilter::default() };
        let expected = [format!("Tea as a {kind:?}")];
        assert_eq!(texts(&stage, "tea", filter.clone()).await, expected);
        assert_eq!(list(&stage, filter).await, expected);
    }
}

#[tokio::test]
async fn japanese_and_mixed_texts_are_found_by_their_words_too() {
    let stage = stage().open().await;
    for text in ["京都で抹茶を飲むのが好きです", "每周用 Rust 写一个小工具", "Plays chess"]
    {
        add(&stage, new(text)).await;
    }
    let found = async |words: &str| texts(&stage, words, MemoryFilter::default()).await;
    assert_eq!(found("抹茶はどこで飲みますか").await, ["京都で抹茶を飲むのが好きです"]);
    assert_eq!(found("rust 工具").await, ["每周用 Rust 写一个小工具"]);
    assert_eq!(found("ｃｈｅｓｓ").await, ["Plays chess"]);
}

#[tokio::test]
async fn a_least_score_and_a_number_bound_what_is_given_and_the_best_come_first() {
    let stage = stage().open().await;
    for text in ["Green tea and black tea", "Green bicycles", "Green doors"] {
        add(&stage, new(text)).await;
    }
    let search = async |limit: u32, min_score: Option<f32>| {
        let (text, filter) = ("green tea".into(), MemoryFilter::default());
        let query = Query::SearchMemories { text, filter, limit, min_score, at_once: false };
        let Ok(Reply::FoundMemories(found)) = stage.query(query).await else { panic!("not found") };
        found.hits
    };
    let all = search(10, None).await;
    let scores: Vec<f32> = all.iter().map(|hit| hit.scores.total).collect();
    assert_eq!(all.len(), 3);
    assert!(all[0].memory.text.contains("tea") && scores.is_sorted_by(|a, b| a >= b));
    assert!(scores[0] > scores[1], "{scores:?}");
    assert_eq!(search(2, None).await, all[..2]);
    assert_eq!(search(10, Some(scores[0])).await, all[..1]);
    assert_eq!(search(10, Some(scores[0] + 1.0)).await, []);
}

#[tokio::test]
async fn a_deleted_or_damaged_index_is_made_again_from_the_database() {
    let stage = stage().embedding(bundled_embedding()).open().await;
    for text in ["The quarterly report is due on Friday", "Plays chess on Sundays"] {
        add(&stage, new(text)).await;
    }
    embedded(&stage).await;
    let folder = stage.data().join("index");
    let damage: [&dyn Fn(); 2] = [&|| std::fs::remove_dir_all(&folder).unwrap(), &|| {
        each_file(&folder, &|path| std::fs::write(path, "damaged").unwrap())
    }];
    let mut stage = stage;
    for damage in damage {
        stage.workspace.close().await;
        damage();
        stage = stage.reopen().await;
        assert_eq!(
            texts(&stage, "chess", MemoryFilter::default()).await[0],
            "Plays chess on Sundays"
        );
        embedded(&stage).await;
        let found = look(&stage, "which games?", MemoryFilter::default()).await;
        assert_eq!(found.hits[0].memory.text, "Plays chess on Sundays");
    }
}

#[tokio::test]
async fn an_index_that_is_damaged_or_deleted_while_coterie_runs_is_made_again() {
    let two_bytes = |path: &Path| {
        let mut bytes = std::fs::read(path).expect("a file");
        bytes[..2].copy_from_slice(b"??");
        std::fs::write(path, bytes).expect("it is written");
    };
    let gone = |path: &Path| std::fs::remove_file(path).expect("it is deleted");
    let damages: [&dyn Fn(&Path); 2] = [&two_bytes, &gone];
    for damage in damages {
        let stage = stage().embedding(bundled_embedding()).open().await;
        add(&stage, new("The quarterly report is due on Friday")).await;
        let group = stage.direct("Ada").await;
        stage.say(group, "Who plays the violin?").await;
        embedded(&stage).await;
        assert_eq!(everywhere(&stage, "violin").await.len(), 1);
        each_file(&stage.data().join("index"), &|path| {
            if path.ends_with("meta.json") {
                damage(path);
            }
        });
        add(&stage, new("Plays chess on Sundays")).await;
        stage.say(group, "And who plays the cello?").await;
        for (words, text) in [
            ("chess", "Plays chess on Sundays"),
            ("report", "The quarterly report is due on Friday"),
        ] {
            assert_eq!(texts(&stage, words, MemoryFilter::default()).await[0], text);
        }
        assert_eq!(everywhere(&stage, "violin").await, ["Who plays the violin?"]);
        assert_eq!(everywhere(&stage, "cello").await, ["And who plays the cello?"]);
        embedded(&stage).await;
        let why = index(&stage).await.made_again.expect("it says why");
        assert!(why.chars().count() < 300, "{why}");
    }
}

/// What was said that has these words.
async fn everywhere(stage: &Stage, text: &str) -> Vec<String> {
    let places = vec![SearchIn::Messages];
    let search = Search { text: text.into(), places, group: None, agent: None, limit: 10 };
    let Ok(Reply::Found(found)) = stage.query(Query::Search { search }).await else {
        panic!("not found")
    };
    let line = |item: FoundItem| item.snippet.into_iter().map(|piece| piece.text).collect();
    found.items.into_iter().map(line).collect()
}

#[tokio::test]
async fn a_model_whose_file_comes_back_is_used_without_a_new_start() {
    let whole = bundled_places();
    let from = whole.embedding_model();
    let from = from.parent().expect("a folder");
    let assets = tempfile::TempDir::new().expect("a folder");
    let places = Places { assets: assets.path().to_owned(), ..whole.clone() };
    let to = places.embedding_model();
    let to = to.parent().expect("a folder");
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        if name != "model.onnx" {
            std::fs::copy(from.join(&name), to.join(&name)).expect("it is copied");
        }
    }
    let stage = stage().embedding(Embedding::bundled(&places)).open().await;
    add(&stage, new("养了一只叫咪咪的猫")).await;
    let asked =
        async || look(&stage, "what pet does the user have?", MemoryFilter::default()).await;
    assert!(asked().await.words_only.is_some());
    assert!(index(&stage).await.words_only.is_some());

    // What is there and of no use is tried once, and left alone.
    std::fs::write(to.join("model.onnx"), "half of it").expect("it is written");
    assert!(asked().await.words_only.is_some());
    std::fs::copy(from.join("model.onnx"), to.join("model.onnx")).expect("it is copied");
    assert_eq!(asked().await.words_only, None);
    embedded(&stage).await;
    assert_eq!(asked().await.hits[0].memory.text, "养了一只叫咪咪的猫");
}

#[tokio::test]
async fn what_a_damaged_model_made_is_made_again() {
    let stage = stage().embedding(bundled_embedding()).open().await;
    add(&stage, new("养了一只叫咪咪的猫")).await;
    embedded(&stage).await;
    let nothing: Vec<u8> =
        [f32::NAN; E5::DIMENSIONS].iter().flat_map(|n| n.to_le_bytes()).collect();
    let (store, _) = Store::open(&stage.data().join("coterie.db"), |_| {}).expect("it opens");
    let put = move |write: &mut Write<'_>| memory_vectors::put(write, 1, 1, E5::ID, &nothing);
    store.write(Durability::Process, put).await.expect("it is written");
    drop(store);
    stage.do_(Command::RebuildMemoryIndex).await;
    embedded(&stage).await;
    let found = look(&stage, "what pet does the user have?", MemoryFilter::default()).await;
    let meaning = found.hits[0].scores.meaning.expect("it is compared");
    assert!(meaning > 0.5, "{meaning}");
}

#[tokio::test]
async fn a_kill_while_texts_are_indexed_and_embedded_leaves_nothing_out_and_nothing_twice() {
    const TEXTS: usize = 60;
    let mut stage = stage().embedding(bundled_embedding()).open().await;
    for n in 0..TEXTS {
        add(&stage, new(&format!("Parcel {n} stands on shelf {}", n % 7))).await;
        if n % 20 == 10 {
            // Somewhere in the middle of it, wherever the background is.
            stage = stage.crash(says("yes")).await;
        }
    }
    stage = stage.crash(says("yes")).await;
    embedded(&stage).await;
    let index = index(&stage).await;
    assert_eq!((index.memories, index.words, index.meaning), (60, 60, 60));
    let query = Query::SearchMemories {
        text: "parcel on a shelf".into(),
        filter: MemoryFilter::default(),
        limit: 200,
        min_score: None,
        at_once: false,
    };
    let Ok(Reply::FoundMemories(found)) = stage.query(query).await else { panic!("not found") };
    let mut texts: Vec<String> = found.hits.into_iter().map(|hit| hit.memory.text).collect();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), TEXTS);
}

#[tokio::test]
async fn other_words_are_found_by_what_they_mean_now() {
    let stage = stage().embedding(bundled_embedding()).open().await;
    let memory = add(&stage, new("Plays chess")).await.id;
    add(&stage, new("The report is due on Friday")).await;
    embedded(&stage).await;
    let patch = MemoryPatch { text: Some("养了一只猫".into()), ..MemoryPatch::default() };
    done(&stage, Command::EditMemory { memory, patch }).await;
    look(&stage, "anything", MemoryFilter::default()).await;
    embedded(&stage).await;
    let found = look(&stage, "Which animals live there?", MemoryFilter::default()).await;
    assert_eq!(found.hits[0].memory.text, "养了一只猫");
}

fn each_file(folder: &Path, with: &dyn Fn(&Path)) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { each_file(&path, with) } else { with(&path) }
    }
}

#[tokio::test]
async fn what_happened_from_one_time_to_another_is_found_for_good() {
    let stage = stage().open().await;
    let (from, to) = (Some(1_709_251_200_000), Some(1_709_942_400_000));
    let trip = |kind| NewMemory {
        kind,
        valid_from_ms: from,
        valid_to_ms: to,
        ..new("Went to Lisbon with Max")
    };
    let episode = add(&stage, trip(MemoryKind::Episode)).await;
    assert_eq!(list(&stage, MemoryFilter::default()).await, ["Went to Lisbon with Max"]);
    assert_eq!(texts(&stage, "Lisbon", MemoryFilter::default()).await, ["Went to Lisbon with Max"]);
    // Whoever says that it is outdated means it.
    let (memory, judgement) = (episode.id, Judgement::Outdated);
    done(&stage, Command::JudgeMemory { memory, judgement }).await;
    assert!(list(&stage, MemoryFilter::default()).await.is_empty());
    assert!(texts(&stage, "Lisbon", MemoryFilter::default()).await.is_empty());
    // What was so from one time to another is so no longer.
    add(&stage, trip(MemoryKind::Fact)).await;
    assert!(list(&stage, MemoryFilter::default()).await.is_empty());
}
