//! How fast texts become vectors, beside the same model under ONNX Runtime for
//! Python: the same texts in batches of the same size, on as many threads.

use super::{BUDGET, broken, python, tell};
use crate::arguments::Global;
use crate::environment;
use crate::screen::{Failure, Screen};
use search::{E5, Embedder, ModelFiles};
use serde::Deserialize;
use std::path::Path;
use std::time::Instant;

const SCRIPT: &str = include_str!("embed/onnxruntime_client.py");

const TEXTS: usize = 1_000;
const QUERIES: usize = 200;
/// Each side's turns, one after the other; the best of each counts, for whatever
/// else the machine does makes both slower.
const TURNS: usize = 3;

pub(super) async fn run(screen: &Screen) -> Result<(), Failure> {
    let places = environment::find_places(&Global::default())?.places;
    let model = places.embedding_model();
    let folder = model.parent().map(Path::to_owned).unwrap_or_default();
    let files = ModelFiles { folder, runtime: places.onnxruntime };
    let measured = tokio::task::spawn_blocking(move || measure(&files));
    let Measured { query_ms, ours, pythons } =
        measured.await.map_err(|error| broken("measure the embedder", error))??;
    if pythons.is_none() {
        screen.aside("there is nothing to compare to (pip install onnxruntime tokenizers numpy)");
    }
    tell(screen, "embed_query_p50", "ms", query_ms, Some((BUDGET, 10.0)));
    let baseline = pythons.map(|value| ("ONNX Runtime for Python", value));
    tell(screen, "embed_texts", "texts/s", ours, baseline);
    Ok(())
}

struct Measured {
    query_ms: f64,
    ours: f64,
    pythons: Option<f64>,
}

fn measure(files: &ModelFiles) -> Result<Measured, Failure> {
    let fault = |error: search::Error| broken("use the embedding model", error);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut embedder = E5::load(files, threads).map_err(fault)?;
    let texts: Vec<String> = (0..TEXTS).map(text).collect();
    let (mut ours, mut pythons): (f64, Option<f64>) = (0.0, None);
    for _ in 0..TURNS {
        let (rate, first) = passages(&mut embedder, &texts).map_err(fault)?;
        ours = ours.max(rate);
        let Some(told) = beside(&files.folder, threads, &texts)? else { break };
        let apart = first.iter().zip(&told.first).map(|(one, other)| (one - other).abs());
        // Half a percent: what the order of sums does to 4-bit weights.
        if apart.fold(0.0, f32::max) > 0.005 {
            return Err(broken("compare", "Python makes other vectors of the same texts"));
        }
        pythons = Some(told.texts_a_second.max(pythons.unwrap_or(0.0)));
    }
    let mut took = Vec::with_capacity(QUERIES);
    for n in 0..QUERIES {
        let began = Instant::now();
        embedder.query(sentence(n)).map_err(fault)?;
        took.push(began.elapsed().as_secs_f64() * 1e3);
    }
    took.sort_by(f64::total_cmp);
    Ok(Measured { query_ms: took[QUERIES / 2], ours, pythons })
}

/// Texts a second, and the vector of the first text.
fn passages(embedder: &mut E5, texts: &[String]) -> Result<(f64, Vec<f32>), search::Error> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    embedder.passages(&texts[..E5::BATCH])?;
    let began = Instant::now();
    let mut vectors = embedder.passages(&texts)?;
    let rate = texts.len() as f64 / began.elapsed().as_secs_f64();
    Ok((rate, vectors.swap_remove(0)))
}

#[derive(Deserialize)]
struct Told {
    texts_a_second: f64,
    first: Vec<f32>,
}

/// `None` where Python or one of its libraries is not installed.
fn beside(folder: &Path, threads: usize, texts: &[String]) -> Result<Option<Told>, Failure> {
    let given = tempfile::NamedTempFile::new().map_err(|error| broken("make a file", error))?;
    serde_json::to_writer(&given, texts).map_err(|error| broken("write the texts", error))?;
    let (threads, batch) = (threads.to_string(), E5::BATCH.to_string());
    let arguments =
        [folder.as_os_str(), threads.as_ref(), batch.as_ref(), given.path().as_os_str()];
    let Some(told) = python::told(SCRIPT, &arguments)? else { return Ok(None) };
    let told = serde_json::from_str(&told);
    told.map(Some).map_err(|error| broken("read what Python measured", error))
}

/// From one sentence to four, as memories are.
fn text(n: usize) -> String {
    let sentences = (0..=n % 4).map(|at| sentence(n * 7 + at * 5));
    sentences.collect::<Vec<_>>().join(" ")
}

fn sentence(n: usize) -> &'static str {
    const SENTENCES: &[&str] = &[
        "My sister Ines moved to Porto in March and works at the harbour.",
        "The release goes out on the last Thursday of each month.",
        "我对花生过敏，吃饭的时候请提醒我。",
        "He prefers tables to long paragraphs, and metric units.",
        "The staging database was restored from Tuesday's backup after the disk had failed.",
        "老陈下周去成都出差，周五回来。",
        "Basalt columns have six sides, mostly.",
        "Use four spaces in Python and tabs in Makefiles.",
        "会议改到了明天下午三点，在二楼的小会议室。",
        "Which ferry runs in winter fog?",
        "The grant application wants a budget, two letters and a summary of 300 words.",
        "Ada likes her tea without sugar; Bo takes it with milk.",
        "这个项目的预算是十二万元，已经用掉了三分之一。",
    ];
    SENTENCES[n % SENTENCES.len()]
}
