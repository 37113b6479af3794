//! How well and how fast texts are found, on a set of texts and questions.
//!
//! The same index, the same embedding model and the same settings as in the
//! product; nothing is tuned for a set. Each leg is measured by itself too.

mod score;
mod set;
mod turn;

use super::broken;
use crate::arguments::Global;
use crate::environment;
use crate::screen::{Failure, Paint, Screen};
use crate::table::table;
use clap::Args;
use domain::{Fault, FaultCode};
use score::{Answer, Score};
use search::{E5, Embedder, Hit, Index, Item, Leg, ModelFiles, Query, Strangers, Turn};
use serde::Serialize;
use set::{Passage, Question, Set};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use turn::InATurn;

#[derive(Args)]
pub(crate) struct Retrieval {
    /// Lines of {"id", "text", "seq"?, "session"?, "speaker"?, "pool"?}
    #[arg(long, value_name = "FILE")]
    corpus: PathBuf,
    /// Lines of {"id", "text", "gold": [ids], "pool"?, "category"?}; no ids, where none of
    /// the texts has to do with it
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// How many of the first texts count, for each recall
    #[arg(long, value_delimiter = ',', default_values_t = [5, 10, 20])]
    k: Vec<usize>,
}

/// What was measured.
#[derive(Serialize)]
struct Measured {
    hybrid: Scores,
    lexical: Scores,
    vector: Option<Scores>,
    in_a_turn: InATurn,
    /// `None`: there is no embedding model, and words alone decide.
    embedder: Option<&'static str>,
    /// To index the words of all texts, and to embed them.
    build_s: f64,
    embed_s: f64,
    query_embedding_p50_ms: Option<f64>,
}

#[derive(Serialize)]
struct Scores {
    overall: Score,
    categories: BTreeMap<String, Score>,
}

pub(super) async fn run(screen: &Screen, asked: Retrieval) -> Result<(), Failure> {
    let places = environment::find_places(&Global::default())?.places;
    let model = places.embedding_model();
    let folder = model.parent().map(Path::to_owned).unwrap_or_default();
    let files = ModelFiles { folder, runtime: places.onnxruntime };
    let measured = tokio::task::spawn_blocking(move || measure(&asked, &files));
    let (measured, without) =
        measured.await.map_err(|error| broken("measure retrieval", error))??;
    if let Some(why) = without {
        screen.aside(&format!("{why}; words alone are measured (make assets fetches the model)"));
    }
    screen.one(&measured, |paint| plain(&measured, paint));
    Ok(())
}

fn measure(asked: &Retrieval, files: &ModelFiles) -> Result<(Measured, Option<String>), Failure> {
    let set = Set::read(&asked.corpus, &asked.queries).map_err(unusable)?;
    let folder = tempfile::tempdir().map_err(|error| broken("make a folder", error))?;
    let opened = Index::open(folder.path(), E5::ID, E5::DIMENSIONS)
        .map_err(|error| broken("open an index", error))?;
    let index = opened.index;
    let (items, pools) = items(&set.passages);

    let began = Instant::now();
    index
        .put(&items)
        .and_then(|()| index.commit(1))
        .map_err(|error| broken("index the texts", error))?;
    let build_s = began.elapsed().as_secs_f64();

    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (mut embedder, without) = match E5::load(files, processors) {
        Ok(embedder) => (Some(embedder), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let began = Instant::now();
    if let Some(embedder) = &mut embedder {
        embed(&index, embedder, &items)?;
    }
    let embed_s = began.elapsed().as_secs_f64();

    let vectors = match &mut embedder {
        Some(embedder) => Some(embed_queries(embedder, &set.questions)?),
        None => None,
    };
    let run = Run {
        index: &index,
        set: &set,
        pools: &pools,
        vectors: vectors.as_ref().map(|(vectors, _)| &vectors[..]),
    };
    let leg = |leg| run.scores(leg, &asked.k);
    let measured = Measured {
        hybrid: leg(Leg::Hybrid)?,
        lexical: leg(Leg::Lexical)?,
        vector: if vectors.is_some() { Some(leg(Leg::Vector)?) } else { None },
        in_a_turn: InATurn::of(&run)?,
        embedder: vectors.is_some().then_some(E5::ID),
        build_s,
        embed_s,
        query_embedding_p50_ms: vectors.as_ref().map(|(_, took)| *took),
    };
    Ok((measured, without))
}

/// As the product indexes what is said: with who said it, at its place in the
/// conversation.
fn items(passages: &[Passage]) -> (Vec<Item>, Numbers) {
    let (mut pools, mut conversations) = (Numbers::default(), Numbers::default());
    let item = |(at, passage): (usize, &Passage)| Item {
        key: at as u64,
        pool: pools.of(&passage.pool),
        kind: 0,
        at_ms: 0,
        turn: passage.session.as_ref().map(|session| Turn {
            conversation: conversations.of(&format!("{}\n{session}", passage.pool)),
            seq: passage.seq.unwrap_or(at as u64),
        }),
        text: match &passage.speaker {
            Some(speaker) => format!("{speaker}: {}", passage.text),
            None => passage.text.clone(),
        },
    };
    (passages.iter().enumerate().map(item).collect(), pools)
}

/// A number for each name.
#[derive(Default)]
struct Numbers(HashMap<String, u64>);

impl Numbers {
    fn of(&mut self, name: &str) -> u64 {
        let next = self.0.len() as u64;
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

/// Embeds each different text once.
fn embed(index: &Index, embedder: &mut E5, items: &[Item]) -> Result<(), Failure> {
    let mut keys_of: HashMap<&str, Vec<u64>> = HashMap::new();
    for item in items {
        keys_of.entry(&item.text).or_default().push(item.key);
    }
    let texts: Vec<&str> = keys_of.keys().copied().collect();
    let fault = |error: search::Error| broken("embed the texts", error);
    for texts in texts.chunks(512) {
        let vectors = embedder.passages(texts).map_err(fault)?;
        let of_keys = texts
            .iter()
            .zip(vectors)
            .flat_map(|(text, vector)| keys_of[text].iter().map(move |key| (*key, vector.clone())));
        index.put_vectors(&of_keys.collect::<Vec<_>>()).map_err(fault)?;
    }
    Ok(())
}

/// The vectors of the questions, and the median of the time one took, in ms.
fn embed_queries(
    embedder: &mut E5,
    questions: &[Question],
) -> Result<(Vec<Vec<f32>>, f64), Failure> {
    let mut vectors = Vec::with_capacity(questions.len());
    let mut took = Vec::with_capacity(questions.len());
    for question in questions {
        let began = Instant::now();
        vectors.push(
            embedder.query(&question.text).map_err(|error| broken("embed a question", error))?,
        );
        took.push(began.elapsed());
    }
    took.sort();
    let median = took.get(took.len() / 2).copied().unwrap_or(Duration::ZERO);
    Ok((vectors, median.as_secs_f64() * 1_000.0))
}

/// What the questions are asked of.
struct Run<'a> {
    index: &'a Index,
    set: &'a Set,
    pools: &'a Numbers,
    vectors: Option<&'a [Vec<f32>]>,
}

impl Run<'_> {
    fn scores(&self, leg: Leg, k: &[usize]) -> Result<Scores, Failure> {
        let limit = k.iter().copied().max().unwrap_or(10).max(10);
        let mut answers = Vec::with_capacity(self.set.questions.len());
        for (at, question) in self.set.answered() {
            let began = Instant::now();
            let hits = self.search(at, leg, limit)?;
            let took = began.elapsed();
            let ranked = hits.iter().map(|hit| self.set.id(hit)).collect();
            answers.push(Answer { ranked, gold: &question.gold, took });
        }
        Ok(by_category(self.set, &answers, k))
    }

    /// What the question at this place finds.
    fn search(&self, at: usize, leg: Leg, limit: usize) -> Result<Vec<Hit>, Failure> {
        let question = &self.set.questions[at];
        let pools: Vec<u64> = self.pools.0.get(&question.pool).copied().into_iter().collect();
        let query = Query {
            vector: self.vectors.map(|vectors| &vectors[at][..]),
            across: E5::across(&question.text),
            strangers: Some(Strangers::OfE5),
            pools: Some(&pools),
            leg,
            limit,
            ..Query::new(&question.text)
        };
        self.index.search(&query).map_err(|error| broken("search", error))
    }
}

fn by_category(set: &Set, answers: &[Answer], k: &[usize]) -> Scores {
    let mut of_category: BTreeMap<String, Vec<&Answer>> = BTreeMap::new();
    for ((_, question), answer) in set.answered().zip(answers) {
        let category = question.category.clone().unwrap_or_else(|| "all".into());
        of_category.entry(category).or_default().push(answer);
    }
    Scores {
        overall: Score::of(&answers.iter().collect::<Vec<_>>(), k),
        categories: of_category
            .into_iter()
            .map(|(name, answers)| (name, Score::of(&answers, k)))
            .collect(),
    }
}

fn plain(measured: &Measured, paint: Paint) -> String {
    let legs = [
        ("hybrid", Some(&measured.hybrid)),
        ("lexical", Some(&measured.lexical)),
        ("vector", measured.vector.as_ref()),
    ];
    let row = |(name, scores): (&str, Option<&Scores>)| {
        let Scores { overall, .. } = scores?;
        let recall: Vec<String> =
            overall.recall.iter().map(|(k, value)| format!("{k} {value:.3}")).collect();
        Some([
            name.to_owned(),
            recall.join("  "),
            format!("{:.3}", overall.ndcg_at_10),
            format!("{:.3}", overall.mrr),
            format!("{:.1}", overall.p50_ms),
            format!("{:.1}", overall.p99_ms),
        ])
    };
    let heads = ["leg", "recall", "ndcg@10", "mrr", "p50 ms", "p99 ms"];
    table(paint, heads, legs.into_iter().filter_map(row).collect())
        + &format!("\nrecalled in a turn: {}\n", measured.in_a_turn)
}

fn unusable(why: String) -> Failure {
    Fault::new(
        FaultCode::BadInput,
        why,
        "give lines of JSON as coterie bench retrieval --help shows them",
    )
    .into()
}
