//! A person's own reranker decides the order of the best; without one, or with one
//! that cannot be used, the order is what it was.

use super::{add, look, new};
use domain::{CheckState, MemoryFilter, Query, Reply, StepKind};
use std::path::Path;
use tests::{Stage, bundled_embedding, stage};

/// A model, run for real, that likes whatever is longest: the tokens of question
/// and text, counted.
fn likes_long_texts() -> Vec<u8> {
    let tensor = |name: &str, kind: u64, second: &str| {
        let dimensions = [text(2, "batch"), text(2, second)].map(|one| bytes(1, &one)).concat();
        let shape = bytes(2, &dimensions);
        let tensor = bytes(1, &[number(1, kind), shape].concat());
        [text(1, name), bytes(2, &tensor)].concat()
    };
    let node = |does: &str, from: &str, to: &str, with: &[Vec<u8>]| {
        let with: Vec<u8> = with.iter().flat_map(|one| bytes(5, one)).collect();
        bytes(1, &[text(1, from), text(2, to), text(4, does), with].concat())
    };
    let whole = |name: &str, value: u64| [text(1, name), number(3, value), number(20, 2)].concat();
    let axes = [text(1, "axes"), number(8, 1), number(20, 7)].concat();
    let graph = [
        node("Cast", "attention_mask", "counted", &[whole("to", FLOAT)]),
        node("ReduceSum", "counted", "logits", &[axes, whole("keepdims", 1)]),
        text(2, "likes long texts"),
        bytes(11, &tensor("input_ids", INT64, "tokens")),
        bytes(11, &tensor("attention_mask", INT64, "tokens")),
        bytes(12, &tensor("logits", FLOAT, "one")),
    ];
    let operators = [text(1, ""), number(2, 11)].concat();
    [number(1, 7), bytes(7, &graph.concat()), bytes(8, &operators)].concat()
}

const FLOAT: u64 = 1;
const INT64: u64 = 7;

// The fields of a protocol buffer.

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn text(field: u64, value: &str) -> Vec<u8> {
    bytes(field, value.as_bytes())
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A workspace with a model of the person's own in its folder.
async fn with_reranker(model: Option<Vec<u8>>) -> Stage {
    let put = move |data: &Path| {
        let Some(model) = model else { return };
        let folder = data.join("reranker");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("model.onnx"), model).expect("a model");
        // Any tokenizer will do.
        let beside =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/models/multilingual-e5-small");
        for name in
            ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"]
        {
            std::fs::copy(beside.join(name), folder.join(name)).expect("a tokenizer");
        }
    };
    let stage = stage().before(put).embedding(bundled_embedding()).open().await;
    for text in [SHORT, LONG] {
        add(&stage, new(text)).await;
    }
    stage
}

const SHORT: &str = "The report is due on Friday";
const LONG: &str =
    "Somebody has to water the plants of the office while the report is being written";

/// What is found, best first, with what the reranker says of it.
async fn found(stage: &Stage) -> Vec<(String, Option<f32>)> {
    let found = look(stage, "When is the report due?", MemoryFilter::default()).await;
    let totals: Vec<f32> = found.hits.iter().map(|hit| hit.scores.total).collect();
    assert!(totals.is_sorted_by(|one, next| one >= next), "{totals:?}");
    found.hits.into_iter().map(|hit| (hit.memory.text, hit.scores.reranked)).collect()
}

#[tokio::test]
async fn a_reranker_of_the_persons_own_decides_the_order_and_its_scores_are_shown() {
    let stage = with_reranker(Some(likes_long_texts())).await;
    let found = found(&stage).await;
    let [(first, long), (second, short)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((first.as_str(), second.as_str()), (LONG, SHORT));
    assert!(long > short && short.is_some_and(|tokens| tokens > 4.0), "{found:?}");
    // Once it is loaded, in a turn too: its receipt has the scores.
    let group = stage.direct("Ada").await;
    stage.say(group, "When is the report due?").await;
    let run = stage.runs().await.pop().expect("Ada has answered");
    let recalled = stage.run(run.id).await.steps.into_iter().find_map(|step| match step.kind {
        StepKind::Recalled { memories, .. } => Some(memories),
        _ => None,
    });
    let scores = recalled.expect("she was reminded").into_iter().filter_map(|one| one.scores);
    assert!(scores.into_iter().all(|scores| scores.reranked.is_some()));
}

#[tokio::test]
async fn without_a_reranker_or_with_one_that_cannot_be_used_the_order_is_what_it_was() {
    for model in [None, Some(b"no model".to_vec())] {
        let stage = with_reranker(model).await;
        let expected = [(SHORT.to_owned(), None), (LONG.to_owned(), None)];
        assert_eq!(found(&stage).await, expected);
    }
}

#[tokio::test]
async fn one_that_cannot_be_used_is_told_by_the_checks() {
    for (model, told) in [
        (None, None),
        (Some(likes_long_texts()), Some(CheckState::Ok)),
        (Some(b"no model".to_vec()), Some(CheckState::Degraded)),
    ] {
        let stage = with_reranker(model).await;
        let Ok(Reply::Checks(checks)) = stage.query(Query::Doctor).await else {
            panic!("no checks")
        };
        let found = checks.iter().find(|check| check.name == "reranker");
        assert_eq!(found.map(|check| check.state), told, "{found:?}");
    }
}
