//! `coterie memory search`: what is found, and how.

use super::filter::Which;
use super::find::shorter;
use super::{index, told};
use crate::names::Names;
use crate::screen::{Failure, Format, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::words;
use clap::Args;
use domain::{FoundMemories, MemoryHit, MemoryScores, Query};

#[derive(Args)]
pub(crate) struct Search {
    /// What to look for, in any words and in any language
    query: String,
    #[command(flatten)]
    which: Which,
    /// The best N
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: u32,
    /// Leave out what scores less, from 0 to 1
    #[arg(long, value_name = "SCORE", value_parser = score)]
    min_score: Option<f32>,
    /// Also each score by itself, and how it came about
    #[arg(long)]
    explain: bool,
}

fn score(word: &str) -> Result<f32, String> {
    let score = word.parse().ok().filter(|score| (0.0..=1.0).contains(score));
    score.ok_or_else(|| "give a number from 0 to 1".to_owned())
}

pub(super) async fn run(session: &Session, search: Search) -> Result<(), Failure> {
    let Search { query: text, which, limit, min_score, explain } = search;
    let names = session.names().await?;
    let filter = which.filter(&names)?;
    // Who looks once wants the best there is.
    let query = Query::SearchMemories { text, filter, limit, min_score, at_once: false };
    let found = answered!(session.ask(query).await?, FoundMemories)?;
    let index = index::look(session).await?;
    match &found.words_only {
        Some(why) => session.screen.aside(&format!(
            "words alone were compared, not what they mean: {why}; coterie doctor says what to do"
        )),
        None if index.meaning + index.left_out < index.memories => {
            session.screen.aside(&index::not_yet(&index))
        }
        None => {}
    }
    match session.screen.format {
        Format::Jsonl => session.screen.many(&found.hits, |_| String::new()),
        Format::Plain | Format::Json => session.screen.one(&found, |paint| match explain {
            _ if found.hits.is_empty() => "nothing was found".to_owned(),
            true => explained(paint, &found, &names),
            false => plain(paint, &found.hits, &names),
        }),
    }
    Ok(())
}

fn plain(paint: Paint, hits: &[MemoryHit], names: &Names) -> String {
    let shorter = shorter(hits.iter().map(|hit| &hit.memory));
    let rows = hits.iter().map(|MemoryHit { memory, scores }| {
        [
            shorter(memory.id),
            format!("{:.2}", scores.total),
            words::memory::kind(memory.kind).to_owned(),
            words::memory::scope(memory.scope, names),
            words::memory::standing(memory),
            told::text(memory),
        ]
    });
    table(paint, ["memory", "score", "kind", "scope", "stands", ""], rows.collect())
}

/// Every score on a line of its own.
fn explained(paint: Paint, found: &FoundMemories, names: &Names) -> String {
    let shorter = shorter(found.hits.iter().map(|hit| &hit.memory));
    let one = |MemoryHit { memory, scores }: &MemoryHit| {
        let kind = words::memory::kind(memory.kind);
        let scope = words::memory::scope(memory.scope, names);
        let about = format!("{}  {kind}  {scope}", shorter(memory.id));
        let head = format!("{}\n{}\n", paint.strong(&told::text(memory)), paint.faint(&about));
        head + &lines(paint, scores, found.words_only.is_some())
    };
    found.hits.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn lines(paint: Paint, scores: &MemoryScores, words_only: bool) -> String {
    let MemoryScores { total, words, meaning, fused, weight, reranked, apart } = *scores;
    let in_common = match words > 0.0 {
        true => "BM25 of the words that both have: the rarer a word, the more",
        false => "no word in common",
    };
    let near = match (meaning, words_only) {
        (Some(_), _) => {
            "cosine of the two vectors without a part of what the text has with everything, \
                         and with what it lacks across scripts"
        }
        (None, true) => "not compared",
        (None, false) => "not compared yet: it has no vector until somebody makes it",
    };
    let both = match meaning {
        Some(_) => {
            "words against the best found and meaning between the least and the best found, each \
             to the power of 1.5, weighed 0.5 to 0.5, or 0.4 to 0.6 for a query in a script \
             without spaces; words count less where even the best has little of the query's"
        }
        None => "words against the best found, which stand for the meaning too",
    };
    let what = match weight {
        1.0 => "what it is ranked by".to_owned(),
        weight => format!("what it is ranked by: both times {weight:.3} for age and importance"),
    };
    let order = "what your reranker says: the best share their totals in its order";
    let line = |name: &str, score: String, how: &str| {
        format!("  {name:<8}{score:>8}  {}\n", paint.faint(how))
    };
    let number = |score: f32| format!("{score:.4}");
    line("words", number(words), in_common)
        + &line("meaning", meaning.map_or("–".to_owned(), number), near)
        + &line("both", number(fused), both)
        + &apart.map_or(String::new(), |apart| line("apart", number(apart), concerns(apart)))
        + &reranked.map_or(String::new(), |score| line("reranker", number(score), order))
        + &line("total", number(total), &what)
}

fn concerns(apart: f32) -> &'static str {
    match apart >= 0.0 {
        true => "above chance: a turn that says this may be reminded of it",
        false => "below what comes by chance: no turn that says this is reminded of it",
    }
}
