//! How good a ranking is, and how long it took.

use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// Averages over questions. Recall is the part of the answering texts among the
/// first k; nDCG counts each of them alike (Järvelin and Kekäläinen, 2002); MRR
/// is one over the rank of the first, 0 past the tenth.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Score {
    pub(super) n: usize,
    #[serde(flatten)]
    pub(super) recall: BTreeMap<String, f64>,
    #[serde(rename = "ndcg@10")]
    pub(super) ndcg_at_10: f64,
    pub(super) mrr: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
}

/// What one question brought up.
pub(super) struct Answer<'a> {
    pub(super) ranked: Vec<&'a str>,
    pub(super) gold: &'a [String],
    pub(super) took: Duration,
}

impl Score {
    pub(super) fn of(answers: &[&Answer], cutoffs: &[usize]) -> Score {
        let mean = |of_one: &dyn Fn(&Answer) -> f64| {
            answers.iter().map(|answer| of_one(answer)).sum::<f64>() / answers.len().max(1) as f64
        };
        let recall = |k: &usize| (format!("recall@{k}"), mean(&|answer| recall(answer, *k)));
        let mut took: Vec<f64> =
            answers.iter().map(|answer| answer.took.as_secs_f64() * 1_000.0).collect();
        took.sort_by(f64::total_cmp);
        let percentile = |part: f64| {
            took.get(((took.len() as f64 - 1.0) * part).round() as usize).copied().unwrap_or(0.0)
        };
        Score {
            n: answers.len(),
            recall: cutoffs.iter().map(recall).collect(),
            ndcg_at_10: mean(&ndcg_at_10),
            mrr: mean(&reciprocal_rank),
            p50_ms: percentile(0.5),
            p99_ms: percentile(0.99),
        }
    }
}

fn recall(answer: &Answer, k: usize) -> f64 {
    let found: HashSet<&str> = answer.ranked.iter().take(k).copied().collect();
    let gold: HashSet<&str> = answer.gold.iter().map(String::as_str).collect();
    gold.intersection(&found).count() as f64 / gold.len().max(1) as f64
}

fn ndcg_at_10(answer: &Answer) -> f64 {
    let gold: HashSet<&str> = answer.gold.iter().map(String::as_str).collect();
    let worth = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let gained: f64 = (0..)
        .zip(answer.ranked.iter().take(10))
        .filter(|(_, id)| gold.contains(*id))
        .map(|(at, _)| worth(at))
        .sum();
    let best: f64 = (0..gold.len().min(10)).map(worth).sum();
    if best > 0.0 { gained / best } else { 0.0 }
}

fn reciprocal_rank(answer: &Answer) -> f64 {
    let first =
        answer.ranked.iter().take(10).position(|id| answer.gold.iter().any(|gold| gold == id));
    first.map_or(0.0, |at| 1.0 / (at as f64 + 1.0))
}
