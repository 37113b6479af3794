//! Nobody waits for the model that compares meanings, and it goes when nobody
//! needs it.

use super::{add, look_for, new};
use domain::{MemoryFilter, MemoryIndex, Query, Reply, StepKind};
use search::Embedder;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use tests::{Stage, stage};
use tokio::sync::Notify;
use workspace::Embedding;

/// Where the model stands still until the test lets it go on.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Loading,
    Embedding,
    Nowhere,
}

/// A model that is held somewhere, once, and says when it goes.
struct Model {
    held: Option<Arc<Mutex<Receiver<()>>>>,
    reached: Arc<Notify>,
    gone: Arc<Notify>,
}

/// The test's end of it.
struct Hold {
    go_on: Sender<()>,
    /// It stands where it is held.
    reached: Arc<Notify>,
    gone: Arc<Notify>,
}

fn held(at: Held) -> (Embedding, Hold) {
    let (go_on, wait) = channel();
    let (reached, gone) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let hold = Hold { go_on, reached: reached.clone(), gone: gone.clone() };
    let wait = Arc::new(Mutex::new(wait));
    let load = move || {
        if at == Held::Loading {
            reached.notify_one();
            let _ = wait.lock().expect("nobody panics").recv();
        }
        let held = (at == Held::Embedding).then(|| wait.clone());
        let model = Model { held, reached: reached.clone(), gone: gone.clone() };
        Ok(Box::new(model) as Box<dyn Embedder>)
    };
    let embedding =
        Embedding { id: "held".into(), dimensions: 2, across: |_| 0.0, load: Arc::new(load) };
    (embedding, hold)
}

impl Embedder for Model {
    fn id(&self) -> &str {
        "held"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn query(&mut self, _: &str) -> Result<Vec<f32>, search::Error> {
        Ok(vec![1.0, 0.0])
    }

    fn passages(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, search::Error> {
        if let Some(held) = self.held.take() {
            self.reached.notify_one();
            let _ = held.lock().expect("nobody panics").recv();
        }
        Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.gone.notify_one();
    }
}

/// Why the last turn was reminded by words alone, if it was.
async fn words_only(stage: &Stage) -> Option<String> {
    let run = stage.runs().await.pop().expect("somebody has answered");
    let steps = stage.run(run.id).await.steps;
    let recalled = steps.into_iter().find_map(|step| match step.kind {
        StepKind::Recalled { words_only, .. } => Some(words_only),
        _ => None,
    });
    recalled.expect("it was reminded of something")
}

async fn embedded(stage: &Stage) {
    let all = async |stage: &Stage| match stage.query(Query::MemoryIndex).await {
        Ok(Reply::MemoryIndex(MemoryIndex { memories, meaning, .. })) => memories == meaning,
        other => panic!("no index: {other:?}"),
    };
    stage.until(all).await;
}

/// A turn ends while the model is held; the next one has it.
async fn a_turn_goes_on(at: Held, why: &str) {
    let (embedding, hold) = held(at);
    let stage = stage().embedding(embedding).open().await;
    add(&stage, new("The report is due on Friday")).await;
    hold.reached.notified().await;
    let group = stage.direct("Ada").await;
    stage.say(group, "When is the report due?").await;
    assert_eq!(words_only(&stage).await.as_deref(), Some(why));
    drop(hold.go_on);
    embedded(&stage).await;
    let elsewhere = stage.new_agent("Cy").await;
    let groups = stage.overview().await.groups;
    let own = groups.iter().find(|view| view.group.default_agent == Some(elsewhere));
    stage.say(own.expect("every agent has a direct chat").group.id, "Is the report due?").await;
    assert_eq!(words_only(&stage).await, None);
}

#[tokio::test]
async fn a_turn_does_not_wait_for_the_model_to_load_and_its_receipt_says_so() {
    a_turn_goes_on(Held::Loading, "the model that compares meanings is being loaded").await;
}

#[tokio::test]
async fn a_turn_does_not_wait_for_what_is_embedded_in_the_background() {
    let why = "the model that compares meanings is at work on new memories";
    a_turn_goes_on(Held::Embedding, why).await;
}

#[tokio::test]
async fn who_searches_has_what_fits_by_words_at_once_and_by_meaning_when_the_model_is_there() {
    let (embedding, hold) = held(Held::Loading);
    let stage = stage().embedding(embedding).open().await;
    add(&stage, new("The report is due on Friday")).await;
    hold.reached.notified().await;
    let found = look_for(&stage, "report", MemoryFilter::default(), true).await;
    assert_eq!((found.hits.len(), found.to_come), (1, true));
    assert!(found.words_only.is_some());
    let mut events = stage.events();
    drop(hold.go_on);
    // Whoever is told of the index looks again.
    loop {
        let found = look_for(&stage, "report", MemoryFilter::default(), true).await;
        if !found.to_come {
            assert_eq!(found.words_only, None);
            break;
        }
        futures::StreamExt::next(&mut events).await.expect("the workspace is open");
    }
}

#[tokio::test]
async fn the_model_goes_when_nobody_has_asked_it_for_a_while_and_comes_again() {
    let (embedding, hold) = held(Held::Nowhere);
    let stage = stage().embedding(embedding).open().await;
    add(&stage, new("The report is due on Friday")).await;
    embedded(&stage).await;
    // Time goes as fast as nothing else is left to do.
    tokio::time::pause();
    hold.gone.notified().await;
    tokio::time::resume();
    let found = look_for(&stage, "report", MemoryFilter::default(), false).await;
    assert_eq!((found.hits.len(), found.words_only), (1, None));
}
