//! One life: imports what it is told to, adds what a person says, waits until
//! everything is in the index and consolidated, and is killed somewhere on the way.
//!
//! `crash-memory-child FOLDER ASKED FAILPOINT HITS`. ASKED says of each file whether
//! it is to be imported, as in `10`. Says `ack NAME` once something is answered.
//! What must not be is said as `wrong: …`, and ends the process.
#![expect(clippy::print_stdout, reason = "the parent listens")]

#[expect(dead_code, reason = "the parent writes the files")]
mod plan;

use domain::{
    Call, Command, FromOwner, Memory, MemoryFilter, MemoryIndex, MemoryKind, MemoryScope,
    NewMemory, Query, Reply, Request, RequestId, Standing, Update,
};
use door::Door;
use futures::StreamExt;
use llm::scripted::{Beat, Scripted};
use search::Embedder;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tests::{die_at, open_embedding, serves};
use uuid::Uuid;
use workspace::{Again, Embedding, Scale, SystemClock};

type Outcome<T> = Result<T, String>;

/// Far longer than all of it takes.
const LIFE: Duration = Duration::from_secs(60);
const DIMENSIONS: usize = 32;

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().expect("FOLDER ASKED FAILPOINT HITS");
    let (folder, asked) = (PathBuf::from(word()), word());
    let (failpoint, hits) = (word(), word().parse().expect("a number"));
    die_at(&failpoint, hits);
    let lived = tokio::time::timeout(LIFE, live(folder, &asked)).await;
    match lived.unwrap_or_else(|_| Err("it comes to no end".into())) {
        Ok(()) => {
            println!("quiet");
            ExitCode::SUCCESS
        }
        Err(wrong) => {
            println!("wrong: {wrong}");
            ExitCode::FAILURE
        }
    }
}

async fn live(folder: PathBuf, asked: &str) -> Outcome<()> {
    let model = Arc::new(Scripted::from_fn(|_, _| vec![Beat::Text("yes".into())]));
    let clock = Arc::new(SystemClock);
    let opened = open_embedding(folder.clone(), clock, serves(model), Vec::new(), by_words());
    let door = opened.await.map_err(|fault| fault.to_string())?;
    watch(&door);
    let imports = (0..plan::FILES.len()).filter(|file| asked.as_bytes()[*file] == b'1');
    let imports = imports.map(|file| {
        let (door, path) = (door.clone(), plan::path(&folder, file));
        tokio::spawn(async move { import(&door, file, &path).await })
    });
    let imports: Vec<_> = imports.collect();
    for n in 0..plan::SAID {
        let command = Command::AddMemory { memory: new(plan::said(n)) };
        order(&door, plan::request(n), command).await?;
        println!("ack said {n}");
    }
    for import in imports {
        import.await.map_err(|error| error.to_string())??;
    }
    settle(&door).await?;
    can_be_found(&door).await?;
    door.close().await;
    Ok(())
}

async fn import(door: &Door, file: usize, path: &Path) -> Outcome<()> {
    let path = path.display().to_string();
    let command =
        Command::ImportMemories { path, format: None, scope: None, vouched: true, preview: false };
    order(door, RequestId(Uuid::now_v7()), command).await?;
    println!("ack file {file}");
    Ok(())
}

/// Waits until everything is there, has its vector, and nothing is left to be
/// made of it.
async fn settle(door: &Door) -> Outcome<()> {
    let mut events = door.events(None);
    loop {
        let all = everything(door).await?;
        let index = index(door).await?;
        let is_whole = all.len() == plan::everything().len();
        if index.meaning == index.memories {
            let command = Command::ConsolidateMemories { preview: false };
            let Reply::Consolidated(done) = order(door, new_id(), command).await? else {
                return Err("not consolidated".into());
            };
            let is_done = done.looked_at == 0 && done.left == 0;
            if is_done && is_whole {
                return Ok(());
            }
            if !is_done {
                continue;
            }
        }
        // What is still to come is told.
        loop {
            let event = events.next().await.ok_or("the events ended")?;
            if let FromOwner::Event(event) = event
                && matches!(event.update, Update::Saved { .. } | Update::MemoryIndex { .. })
            {
                break;
            }
        }
    }
}

/// The index has each memory once, by its words and by its vector.
async fn can_be_found(door: &Door) -> Outcome<()> {
    let all = everything(door).await?;
    let MemoryIndex { memories, words, meaning, .. } = index(door).await?;
    if [memories, words, meaning].iter().any(|count| *count as usize != all.len()) {
        return Err(format!("{} there, {words} words, {meaning} vectors", all.len()));
    }
    for memory in all {
        let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
        let text = memory.text.clone();
        let query =
            Query::SearchMemories { text, filter, limit: 10, min_score: None, at_once: false };
        let Ok(Reply::FoundMemories(found)) = door.ask(Call::Query(query)).await else {
            return Err("nothing is found".into());
        };
        if let Some(why) = found.words_only {
            return Err(format!("words alone: {why}"));
        }
        let times = found.hits.iter().filter(|hit| hit.memory.id == memory.id).count();
        if times != 1 {
            return Err(format!("found {times} times: {}", memory.text));
        }
    }
    Ok(())
}

async fn everything(door: &Door) -> Outcome<Vec<Memory>> {
    let mut all = Vec::new();
    let mut before = None;
    loop {
        let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
        let query = Query::Memories { filter, before, limit: 500 };
        let Ok(Reply::Memories(page)) = door.ask(Call::Query(query)).await else {
            return Err("no memories".into());
        };
        all.extend(page.memories);
        before = page.next;
        if before.is_none() {
            return Ok(all);
        }
    }
}

async fn index(door: &Door) -> Outcome<MemoryIndex> {
    match door.ask(Call::Query(Query::MemoryIndex)).await {
        Ok(Reply::MemoryIndex(index)) => Ok(index),
        other => Err(format!("no index: {other:?}")),
    }
}

async fn order(door: &Door, id: RequestId, command: Command) -> Outcome<Reply> {
    let answer = door.send(Request { id, call: Call::Command(command) }).await;
    answer.result.map_err(|fault| fault.to_string())
}

fn new(text: String) -> NewMemory {
    NewMemory {
        kind: MemoryKind::Fact,
        scope: MemoryScope::User,
        text,
        statement: None,
        tags: Vec::new(),
        importance: None,
        valid_from_ms: None,
        valid_to_ms: None,
    }
}

fn new_id() -> RequestId {
    RequestId(Uuid::now_v7())
}

/// Tells of each event, so that a kill can be timed by what can be seen.
fn watch(door: &Door) {
    let mut events = door.events(None);
    tokio::spawn(async move {
        while events.next().await.is_some() {
            println!("event");
        }
    });
}

/// Gives texts of the same words, in whatever order, the same vector, and others
/// one that has nothing to do with it.
struct ByWords;

fn by_words() -> Embedding {
    Embedding {
        id: "by-words".into(),
        dimensions: DIMENSIONS,
        across: |_| 0.0,
        scale: Scale::SHIPPED,
        load: Arc::new(|| Ok(Box::new(ByWords))),
        again: Again::WithOtherFiles(Vec::new()),
        by_many: false,
        at_once: 4,
    }
}

impl Embedder for ByWords {
    fn id(&self) -> &str {
        "by-words"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn query(&mut self, text: &str) -> Result<Vec<f32>, search::Error> {
        Ok(vector(text))
    }

    fn passages(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, search::Error> {
        Ok(texts.iter().map(|text| vector(text)).collect())
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words.sort_unstable();
    let number = |n: usize| {
        let mut hasher = DefaultHasher::new();
        (n, &words).hash(&mut hasher);
        (hasher.finish() % 2_000) as f32 - 1_000.0
    };
    let numbers: Vec<f32> = (0..DIMENSIONS).map(number).collect();
    let length = numbers.iter().map(|n| n * n).sum::<f32>().sqrt();
    numbers.into_iter().map(|n| n / length).collect()
}
