//! The index as its callers see it: what is found, in which order, and what is
//! left after damage.
#![expect(clippy::unwrap_used, reason = "a test ends where something it relies on fails")]

use search::{Index, Item, Leg, Opened, Query, Turn};
use std::path::Path;

const MODEL: &str = "a model";
const DIMENSIONS: usize = 4;

fn open(folder: &Path) -> Opened {
    Index::open(folder, MODEL, DIMENSIONS).unwrap()
}

fn text(key: u64, text: &str) -> Item {
    Item { key, pool: 1, kind: 0, at_ms: 0, turn: None, text: text.into() }
}

fn turn(key: u64, said: &str) -> Item {
    Item { turn: Some(Turn { conversation: 7, seq: key * 10 }), ..text(key, said) }
}

fn filled(folder: &Path, items: &[Item]) -> Index {
    let index = open(folder).index;
    index.put(items).unwrap();
    index.commit(1).unwrap();
    index
}

fn found(index: &Index, query: &Query) -> Vec<u64> {
    index.search(query).unwrap().iter().map(|hit| hit.key).collect()
}

fn unit(numbers: [f32; DIMENSIONS]) -> Vec<f32> {
    let length = numbers.iter().map(|n| n * n).sum::<f32>().sqrt();
    numbers.iter().map(|n| n / length).collect()
}

#[test]
fn a_text_is_found_by_its_words_once_it_is_committed() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path()).index;
    index
        .put(&[text(1, "The lighthouse keeper paints boats"), text(2, "茶馆里的猫喜欢晒太阳")])
        .unwrap();
    assert_eq!(found(&index, &Query::new("painting")), [0_u64; 0]);
    index.commit(9).unwrap();
    assert_eq!(found(&index, &Query::new("who is painting a boat?")), [1]);
    assert_eq!(found(&index, &Query::new("猫在哪里晒太阳？")), [2]);
    assert_eq!(found(&index, &Query::new("猫")), [2]);
    assert_eq!(index.upto().unwrap(), 9);
}

#[test]
fn words_go_out_of_the_files_also_while_what_was_committed_before_is_being_merged() {
    let folder = tempfile::tempdir().unwrap();
    let index = open(folder.path()).index;
    for n in 1..=40 {
        index.put(&[text(2 * n, "red apples"), text(2 * n + 1, "green pears")]).unwrap();
        index.commit(n).unwrap();
        index.remove(&[2 * n + 1]).unwrap();
        index.commit_to_purge(n).unwrap();
        index.purge().unwrap();
    }
    assert_eq!(found(&index, &Query::new("pears")), [0_u64; 0]);
    assert_eq!(index.count().0, 40);
}

#[test]
fn a_text_put_again_replaces_the_first_and_one_taken_out_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(folder.path(), &[text(1, "red apples"), text(2, "red pears")]);
    index.put(&[text(1, "green apples")]).unwrap();
    index.remove(&[2]).unwrap();
    index.commit(2).unwrap();
    assert_eq!(found(&index, &Query::new("red")), [0_u64; 0]);
    assert_eq!(found(&index, &Query::new("green")), [1]);
    assert_eq!(index.count(), (1, 1));
}

#[test]
fn a_search_sees_only_its_pools_kinds_and_times() {
    let folder = tempfile::tempdir().unwrap();
    let items = [
        Item { pool: 1, kind: 1, at_ms: 10, ..text(1, "tea") },
        Item { pool: 2, kind: 1, at_ms: 20, ..text(2, "tea") },
        Item { pool: 2, kind: 2, at_ms: 30, ..text(3, "tea") },
    ];
    let index = filled(folder.path(), &items);
    let query = Query::new("tea");
    assert_eq!(found(&index, &Query { pools: Some(&[2]), ..query.clone() }), [2, 3]);
    assert_eq!(found(&index, &Query { pools: Some(&[]), ..query.clone() }), [0_u64; 0]);
    assert_eq!(found(&index, &Query { kinds: Some(&[1]), ..query.clone() }), [1, 2]);
    assert_eq!(
        found(&index, &Query { since_ms: Some(20), until_ms: Some(30), ..query.clone() }),
        [2]
    );
    assert_eq!(found(&index, &Query { limit: 1, ..query }), [1]);
}

#[test]
fn rarity_is_judged_within_the_pools_that_are_searched() {
    let folder = tempfile::tempdir().unwrap();
    let mut items = vec![text(1, "boats"), text(2, "harbour"), text(3, "boats boats")];
    // In all, boats are common and harbours rare; in pool 1 it is the other way round.
    items.push(text(4, "harbour mud"));
    items.push(text(5, "harbour sand"));
    items.extend((10..60).map(|key| Item { pool: 2, ..text(key, "boats and boats") }));
    let index = filled(folder.path(), &items);
    let hits = index.search(&Query { pools: Some(&[1]), ..Query::new("boats harbour") }).unwrap();
    assert_eq!(hits[0].key, 3);
}

#[test]
fn the_nearest_vectors_are_found_as_soon_as_they_are_in() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(folder.path(), &[text(1, "one"), text(2, "two"), text(3, "three")]);
    assert_eq!(index.without_vector(10).len(), 3);
    index.put_vectors(&[(1, unit([1.0, 0.0, 0.0, 0.0])), (2, unit([1.0, 1.0, 0.0, 0.0]))]).unwrap();
    assert_eq!(index.without_vector(10), [3]);
    let vector = unit([0.1, 1.0, 0.0, 0.0]);
    let query = Query { vector: Some(&vector), leg: Leg::Vector, ..Query::new("nothing of that") };
    let hits = index.search(&query).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.key).collect::<Vec<_>>(), [2, 1]);
    let cosine = hits[0].parts.vector.unwrap();
    assert!((cosine - 0.774).abs() < 0.001, "{cosine}");
}

#[test]
fn both_legs_count_and_each_hit_says_what_it_owes_to_which() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(
        folder.path(),
        &[text(1, "a cup of tea"), text(2, "a pot of coffee"), text(3, "a loaf of bread")],
    );
    let vectors = [
        (1, unit([0.0, 1.0, 0.0, 0.0])),
        (2, unit([1.0, 0.1, 0.0, 0.0])),
        (3, unit([0.0, 0.0, 1.0, 0.0])),
    ];
    index.put_vectors(&vectors).unwrap();
    let vector = unit([1.0, 0.0, 0.0, 0.0]);
    let hits = index.search(&Query { vector: Some(&vector), ..Query::new("tea") }).unwrap();
    assert_eq!(hits[..2].iter().map(|hit| hit.key).collect::<Vec<_>>(), [1, 2]);
    assert!(hits[0].parts.lexical > 0.0 && hits[1].parts.lexical == 0.0);
    assert!(hits[1].parts.vector.unwrap() > hits[0].parts.vector.unwrap());
}

#[test]
fn a_text_without_a_vector_is_still_found_beside_those_that_have_one() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(folder.path(), &[text(1, "green tea"), text(2, "black coffee")]);
    index.put_vectors(&[(2, unit([1.0, 0.0, 0.0, 0.0]))]).unwrap();
    let vector = unit([0.9, 0.1, 0.0, 0.0]);
    assert_eq!(found(&index, &Query { vector: Some(&vector), ..Query::new("tea") }), [1, 2]);
}

#[test]
fn an_answer_is_found_by_the_question_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let items = [
        turn(1, "Good morning!"),
        turn(2, "Where did you buy that lovely telescope?"),
        turn(3, "At the market in Porto."),
        turn(4, "We had rain all week."),
        turn(5, "Porto is a fine market town."),
        text(6, "A market."),
    ];
    let index = filled(folder.path(), &items);
    let hits = found(&index, &Query::new("telescope market"));
    // Both say market; only one of them answers who asked for the telescope.
    let rank = |key| hits.iter().position(|hit| *hit == key);
    assert!(rank(3) < rank(5), "{hits:?}");
}

#[test]
fn neighbours_of_another_pool_stay_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let items = [turn(1, "Where is the key?"), Item { pool: 2, ..turn(2, "Under the mat.") }];
    let index = filled(folder.path(), &items);
    assert_eq!(found(&index, &Query { pools: Some(&[1]), ..Query::new("key") }), [1]);
}

#[test]
fn everything_is_there_again_after_opening_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(folder.path(), &[text(1, "tea"), text(2, "coffee")]);
    index.put_vectors(&[(2, unit([1.0, 0.0, 0.0, 0.0]))]).unwrap();
    drop(index);
    let opened = open(folder.path());
    assert_eq!((opened.texts_lost, opened.vectors_lost), (None, None));
    assert_eq!(opened.index.upto().unwrap(), 1);
    assert_eq!(opened.index.count(), (2, 1));
    assert_eq!(found(&opened.index, &Query::new("tea")), [1]);
}

#[test]
fn vectors_of_another_model_are_thrown_away() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(folder.path(), &[text(1, "tea")]);
    index.put_vectors(&[(1, unit([1.0, 0.0, 0.0, 0.0]))]).unwrap();
    drop(index);
    let opened = Index::open(folder.path(), "another", DIMENSIONS).unwrap();
    // It never had any of that model.
    assert_eq!((opened.texts_lost, opened.vectors_lost), (None, None));
    assert_eq!(opened.index.count(), (1, 1));
}

#[test]
fn a_vector_of_another_length_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(folder.path(), &[text(1, "tea")]);
    assert!(index.put_vectors(&[(1, vec![1.0])]).is_err());
    assert_eq!(index.count(), (1, 1));
}

#[test]
fn a_vector_that_a_kill_cut_short_costs_only_itself() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(folder.path(), &[text(1, "tea"), text(2, "coffee")]);
    index.put_vectors(&[(1, unit([1.0, 0.0, 0.0, 0.0])), (2, unit([0.0, 1.0, 0.0, 0.0]))]).unwrap();
    drop(index);
    let file = file(folder.path(), "flat");
    let length = std::fs::metadata(&file).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(length - 3).unwrap();
    let opened = open(folder.path());
    assert_eq!(opened.vectors_lost, None);
    assert_eq!(opened.index.without_vector(10), [2]);
    opened.index.put_vectors(&[(2, unit([0.0, 1.0, 0.0, 0.0]))]).unwrap();
    assert_eq!(opened.index.count(), (2, 0));
}

/// Each file of an index, damaged in the middle, cut short, emptied or gone:
/// it opens, says what has to be put in again, and never gives a wrong answer.
#[test]
fn whatever_is_damaged_is_noticed_and_can_be_filled_again() {
    let whole = tempfile::tempdir().unwrap();
    let items: Vec<Item> = (0..50).map(|key| text(key, &format!("tea number {key}"))).collect();
    let index = filled(whole.path(), &items);
    let vectors: Vec<_> = (0..50).map(|key| (key, unit([1.0, key as f32, 0.0, 0.0]))).collect();
    index.put_vectors(&vectors).unwrap();
    index.rest().unwrap();
    drop(index);
    for name in files(whole.path()) {
        for (how, damage) in DAMAGES {
            let copy = tempfile::tempdir().unwrap();
            copy_all(whole.path(), copy.path());
            damage(&copy.path().join(&name));
            let opened = open(copy.path());
            if opened.texts_lost.is_some() || opened.index.upto().unwrap() == 0 {
                opened.index.put(&items).unwrap();
                opened.index.commit(1).unwrap();
            }
            let lost = opened.index.without_vector(100);
            let again: Vec<_> =
                vectors.iter().filter(|(key, _)| lost.contains(key)).cloned().collect();
            opened.index.put_vectors(&again).unwrap();
            assert_eq!(opened.index.count(), (50, 0), "{name} {how}");
            assert_eq!(
                found(&opened.index, &Query::new("number 7")).first(),
                Some(&7),
                "{name} {how}"
            );
        }
    }
}

/// Without tantivy's list of its files nobody would check them.
#[test]
fn what_is_damaged_is_noticed_where_the_list_of_files_is_lost_too() {
    let whole = tempfile::tempdir().unwrap();
    let items: Vec<Item> = (0..50).map(|key| text(key, &format!("tea number {key}"))).collect();
    drop(filled(whole.path(), &items));
    let list = |folder: &Path| file(folder, ".managed.json");
    for lost in [
        |path: &Path| std::fs::remove_file(path).unwrap(),
        |path: &Path| {
            std::fs::write(path, "[]").unwrap();
        },
    ] {
        for name in files(whole.path()).iter().filter(|name| name.starts_with("text-")) {
            let copy = tempfile::tempdir().unwrap();
            copy_all(whole.path(), copy.path());
            lost(&list(copy.path()));
            if copy.path().join(name).exists() && !name.ends_with("meta.json") {
                DAMAGES[0].1(&copy.path().join(name));
            }
            let opened = open(copy.path());
            assert!(opened.texts_lost.is_some(), "{name}");
            opened.index.put(&items).unwrap();
            opened.index.commit(1).unwrap();
            let query = Query::new("number 7");
            assert_eq!(found(&opened.index, &query).first(), Some(&7), "{name}");
        }
    }
}

#[test]
fn what_is_damaged_while_it_is_open_is_an_error_and_no_panic() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    let items: Vec<Item> = (0..50).map(|key| text(key, &format!("tea number {key}"))).collect();
    let index = filled(folder.path(), &items);
    let damaged = |with: u8| {
        let name = files(folder.path()).into_iter().find(|name| name.ends_with(".term")).unwrap();
        let path = folder.path().join(name);
        let length = std::fs::metadata(&path).unwrap().len();
        // In its place: it is mapped.
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all(&vec![with; length as usize]).unwrap();
    };
    for with in [0xff, 0x55, 0] {
        damaged(with);
        let error = index.search(&Query::new("number 7")).unwrap_err();
        assert!(error.is_damage(), "{with}: {error}");
        assert!(index.search(&Query::new("tea")).is_err(), "it is asked again");
    }
}

type Damage = fn(&Path);

const DAMAGES: [(&str, Damage); 4] = [
    ("changed in the middle", |file| {
        let mut bytes = std::fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 0x55;
        }
        std::fs::write(file, bytes).unwrap();
    }),
    ("cut to half", |file| {
        let length = std::fs::metadata(file).unwrap().len();
        std::fs::OpenOptions::new().write(true).open(file).unwrap().set_len(length / 2).unwrap();
    }),
    ("emptied", |file| std::fs::write(file, "").unwrap()),
    ("gone", |file| std::fs::remove_file(file).unwrap()),
];

#[test]
fn a_text_that_stands_alone_keeps_its_place_among_turns_and_no_score_leaves_0_to_1() {
    let folder = tempfile::tempdir().unwrap();
    let said = ["the dog digs", "the dog runs in the garden", "the dog barks", "a dog again"];
    let turns = (0..).zip(said).map(|(key, said)| turn(key, said));
    let items: Vec<Item> = turns.chain([text(9, "the dog sleeps in the kitchen")]).collect();
    let index = filled(folder.path(), &items);
    let hits = index.search(&Query::new("dog kitchen")).unwrap();
    assert_eq!(hits[0].key, 9);
    assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)), "{hits:?}");
}

#[test]
fn what_is_no_vector_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let index = filled(folder.path(), &[text(1, "tea")]);
    for vector in [vec![f32::NAN, 0.0, 0.0, 1.0], vec![0.0; DIMENSIONS]] {
        assert!(index.put_vectors(&[(1, vector)]).is_err());
    }
    assert_eq!((index.count(), index.without_vector(9)), ((1, 1), vec![1]));
}

#[test]
fn a_vector_that_was_taken_out_is_in_no_file_once_the_index_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let items: Vec<Item> = (0..50).map(|key| text(key, "tea")).collect();
    let vector = |key: u64| unit([key as f32 + 1.0, 2.0, 3.0, 5.0]);
    let index = filled(folder.path(), &items);
    index
        .put_vectors(&items.iter().map(|item| (item.key, vector(item.key))).collect::<Vec<_>>())
        .unwrap();
    index.build_graph(1, |_| true).unwrap();
    let bytes: Vec<u8> =
        vector(7).iter().flat_map(|number| half::f16::from_f32(*number).to_le_bytes()).collect();
    let stand_in = || {
        let has = |name: &String| {
            let file = std::fs::read(folder.path().join(name)).unwrap();
            file.windows(bytes.len()).any(|window| window == bytes)
        };
        files(folder.path()).into_iter().filter(has).count()
    };
    assert_eq!(stand_in(), 2, "the file of vectors and the graph");
    index.remove_vectors(&[7]).unwrap();
    // Nobody builds another before the process ends.
    drop(index);
    drop(open(folder.path()));
    assert_eq!(stand_in(), 0);
}

fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for part in std::fs::read_dir(folder).unwrap() {
        let part = part.unwrap();
        for file in std::fs::read_dir(part.path()).unwrap() {
            let file = file.unwrap().file_name();
            names.push(format!(
                "{}/{}",
                part.file_name().to_string_lossy(),
                file.to_string_lossy()
            ));
        }
    }
    names.sort();
    names
}

fn file(folder: &Path, name: &str) -> std::path::PathBuf {
    let found = files(folder).into_iter().find(|file| file.ends_with(&format!("/{name}")));
    folder.join(found.unwrap())
}

fn copy_all(from: &Path, to: &Path) {
    for name in files(from) {
        let target = to.join(&name);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(from.join(&name), target).unwrap();
    }
}
