//! How fast the index is with very many texts, and how much of the exact answer
//! its graph finds. The texts and vectors are made up: what they mean is
//! `retrieval`'s to measure.

mod made;

use super::{BUDGET, broken, tell};
use crate::screen::{Failure, Screen};
use search::{E5, Index, Item, Leg, Query, Strangers};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// How many searches are timed, and how many compared with the exact answer.
const SEARCHES: u64 = 1_000;
const COMPARED: u64 = 100;
const AT_ONCE: u64 = 10_000;

/// What is made of this many texts: `p99_ms` of a search by words and vector.
fn budget_ms(texts: u64) -> f64 {
    match texts {
        ..=10_000 => 5.0,
        10_001..=100_000 => 10.0,
        _ => 50.0,
    }
}

pub(super) async fn run(
    screen: &Screen,
    texts: u64,
    kept: Option<PathBuf>,
    questions: Option<PathBuf>,
) -> Result<(), Failure> {
    let measured = tokio::task::spawn_blocking(move || {
        let folder = tempfile::tempdir().map_err(|error| broken("make a folder", error))?;
        measure(kept.as_deref().unwrap_or(folder.path()), texts, questions.as_deref())
    });
    let measured = measured.await.map_err(|error| broken("measure the search", error))??;
    for Measured { name, unit, value, budget } in measured {
        tell(screen, name, unit, value, budget.map(|budget| (BUDGET, budget)));
    }
    Ok(())
}

struct Measured {
    name: &'static str,
    unit: &'static str,
    value: f64,
    budget: Option<f64>,
}

fn measure(folder: &Path, texts: u64, questions: Option<&Path>) -> Result<Vec<Measured>, Failure> {
    let fault = |error: search::Error| broken("use the index", error);
    let index = Index::open(folder, E5::ID, E5::DIMENSIONS).map_err(fault)?.index;
    let mut measured = Vec::new();
    if index.upto().map_err(fault)? != texts {
        measured.extend(build(&index, texts).map_err(fault)?);
    }
    for (leg, p50, p99) in [
        (Leg::Hybrid, "search_hybrid_p50", "search_hybrid_p99"),
        (Leg::Vector, "search_vector_p50", "search_vector_p99"),
        (Leg::Lexical, "search_lexical_p50", "search_lexical_p99"),
    ] {
        let took = time(&index, leg).map_err(fault)?;
        let at = |part: f64| took[((took.len() - 1) as f64 * part) as usize];
        let budget = (leg == Leg::Hybrid).then(|| budget_ms(texts));
        measured.push(Measured { name: p50, unit: "ms", value: at(0.5), budget: None });
        measured.push(Measured { name: p99, unit: "ms", value: at(0.99), budget });
    }
    let asked = asked(texts);
    if let Some(path) = questions {
        let lines: Vec<String> = asked.iter().map(Asked::line).collect();
        std::fs::write(path, lines.join("\n"))
            .map_err(|error| broken("write the questions", error))?;
    }
    let recall = recall(&index, &asked).map_err(fault)?;
    measured.push(Measured {
        name: "search_vector_recall@10",
        unit: "of exact",
        value: recall,
        budget: Some(0.95),
    });
    Ok(measured)
}

fn build(index: &Index, texts: u64) -> Result<Vec<Measured>, search::Error> {
    let item = |key| Item {
        key,
        pool: key % 4,
        kind: 0,
        at_ms: key as i64,
        turn: None,
        text: made::text(key),
    };
    let chunks =
        || (0..texts).step_by(AT_ONCE as usize).map(|from| from..texts.min(from + AT_ONCE));
    let mut indexing = 0.0;
    for chunk in chunks() {
        let items: Vec<Item> = chunk.map(item).collect();
        let began = Instant::now();
        index.put(&items)?;
        indexing += began.elapsed().as_secs_f64();
    }
    let began = Instant::now();
    index.commit(texts)?;
    index.rest()?;
    indexing += began.elapsed().as_secs_f64();
    for chunk in chunks() {
        let vectors: Vec<_> = chunk.map(|key| (key, made::vector(key, E5::DIMENSIONS))).collect();
        index.put_vectors(&vectors)?;
    }
    let mut measured = vec![Measured {
        name: "search_indexing",
        unit: "texts/s",
        value: texts as f64 / indexing,
        budget: Some(2_000.0),
    }];
    if index.wants_graph() {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let began = Instant::now();
        index.build_graph(processors, |_| true)?;
        let took = began.elapsed().as_secs_f64();
        measured.push(Measured {
            name: "search_graph_build",
            unit: "s",
            value: took,
            budget: None,
        });
    }
    Ok(measured)
}

/// How long each search took, the shortest first, in milliseconds.
fn time(index: &Index, leg: Leg) -> Result<Vec<f64>, search::Error> {
    let mut took = Vec::with_capacity(SEARCHES as usize);
    for seed in 0..SEARCHES {
        let text = made::question(seed * 7);
        let vector = made::vector(u64::MAX / 3 + seed, E5::DIMENSIONS);
        let across = E5::across(&text);
        let strangers = Some(Strangers::OfE5);
        let query = Query { vector: Some(&vector), across, strangers, leg, ..Query::new(&text) };
        let began = Instant::now();
        index.search(&query)?;
        took.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    took.sort_by(f64::total_cmp);
    Ok(took)
}

/// A question to the vectors, and the keys of the ten nearest.
struct Asked {
    vector: Vec<f32>,
    nearest: Vec<(f32, u64)>,
}

impl Asked {
    fn line(&self) -> String {
        let nearest: Vec<u64> = self.nearest.iter().map(|(_, key)| *key).collect();
        serde_json::json!({ "vector": self.vector, "nearest": nearest }).to_string()
    }
}

/// With the exact answers.
fn asked(texts: u64) -> Vec<Asked> {
    let vector = |seed| made::vector(u64::MAX / 3 + seed, E5::DIMENSIONS);
    let mut all: Vec<Asked> =
        (0..COMPARED).map(|seed| Asked { vector: vector(seed), nearest: Vec::new() }).collect();
    for key in 0..texts {
        let vector = made::vector(key, E5::DIMENSIONS);
        for Asked { vector: question, nearest } in &mut all {
            let cosine: f32 = question.iter().zip(&vector).map(|(a, b)| a * b).sum();
            if nearest.len() < 10 || cosine > nearest[9].0 {
                nearest.push((cosine, key));
                nearest.sort_by(|a, b| b.0.total_cmp(&a.0));
                nearest.truncate(10);
            }
        }
    }
    all
}

/// Which part of the ten nearest vectors the index finds.
fn recall(index: &Index, asked: &[Asked]) -> Result<f64, search::Error> {
    let mut met = 0;
    for Asked { vector, nearest } in asked {
        let hits =
            index.search(&Query { vector: Some(vector), leg: Leg::Vector, ..Query::new("") })?;
        met += nearest.iter().filter(|(_, key)| hits.iter().any(|hit| hit.key == *key)).count();
    }
    Ok(met as f64 / (10 * asked.len()) as f64)
}
