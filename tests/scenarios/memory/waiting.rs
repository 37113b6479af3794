//! Nobody waits for the model that compares meanings, and it goes when nobody
//! needs it.

use super::{add, detail, look_for, new};
use domain::{Command, Found, MemoryFilter, MemoryId, MemoryIndex, Query, Reply, Search, StepKind};
use search::Embedder;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use tests::{Stage, stage};
use tokio::sync::Notify;
use workspace::{Again, Embedding, Scale};

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
    let embedding = Embedding {
        id: "held".into(),
        dimensions: 2,
        across: |_| 0.0,
        scale: Scale::SHIPPED,
        load: Arc::new(load),
        again: Again::WithOtherFiles(Vec::new()),
        by_many: false,
        at_once: 4,
    };
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
async fn a_turn_does_not_wait_long_for_the_model_to_load_and_its_receipt_says_so() {
    a_turn_goes_on(Held::Loading, "the model that compares meanings is being loaded").await;
}

/// So it is with the first turn of a process, and with the first after a long rest.
#[tokio::test]
async fn a_model_that_is_loaded_in_a_moment_is_waited_for() {
    let (embedding, _hold) = held(Held::Nowhere);
    let stage = stage().embedding(embedding).open().await;
    add(&stage, new("The report is due on Friday")).await;
    embedded(&stage).await;
    let stage = stage.reopen().await;
    let group = stage.direct("Ada").await;
    stage.say(group, "When is it to be handed in?").await;
    assert_eq!(words_only(&stage).await, None);
}

#[tokio::test]
async fn where_nothing_fits_by_words_alone_it_is_said_that_only_those_were_compared() {
    let (embedding, hold) = held(Held::Loading);
    let stage = stage().embedding(embedding).open().await;
    add(&stage, new("The report is due on Friday")).await;
    hold.reached.notified().await;
    let group = stage.direct("Ada").await;
    stage.say(group, "When must I hand it in?").await;
    assert!(words_only(&stage).await.is_some());
    assert_eq!(reminded(&stage).await, []);
    drop(hold.go_on);
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

/// What the last turn was reminded of.
async fn reminded(stage: &Stage) -> Vec<MemoryId> {
    let run = stage.runs().await.pop().expect("somebody has answered");
    let steps = stage.run(run.id).await.steps;
    let recalled = steps.into_iter().find_map(|step| match step.kind {
        StepKind::Recalled { memories, .. } => Some(memories),
        _ => None,
    });
    let fitting = recalled.unwrap_or_default().into_iter().filter(|one| one.scores.is_some());
    fitting.map(|one| one.memory).collect()
}

/// A workspace whose index stands at its first memory, for as long as the test
/// holds the model: the background waits there, and so many came in behind it.
async fn behind_by(many: usize) -> (Stage, MemoryId, Hold) {
    let (embedding, hold) = held(Held::Loading);
    let stage = stage().embedding(embedding).open().await;
    let first = add(&stage, new("The report is due on Friday")).await.id;
    hold.reached.notified().await;
    let line = |n: usize| format!("- Parcel {n} went to the harbour\n");
    let file = tempfile::NamedTempFile::with_suffix(".md").expect("a temporary file");
    std::fs::write(file.path(), (0..many).map(line).collect::<String>()).expect("it is written");
    let path = file.path().display().to_string();
    let import =
        Command::ImportMemories { path, format: None, scope: None, vouched: true, preview: false };
    let Reply::MemoryImport(told) = stage.do_(import).await else { panic!("no import") };
    assert_eq!(told.added as usize, many);
    (stage, first, hold)
}

#[tokio::test]
async fn for_what_came_by_the_hundreds_no_turn_waits_and_whoever_searches_finds_it() {
    let (stage, first, hold) = behind_by(501).await;
    let group = stage.direct("Ada").await;
    stage.say(group, "When is the report due?").await;
    assert_eq!(reminded(&stage).await, [first], "what the index has read is recalled meanwhile");
    stage.say(group, "Where did parcel 499 go?").await;
    assert_eq!(reminded(&stage).await, [], "what it has not read is not waited for");
    let found = look_for(&stage, "parcel 499", MemoryFilter::default(), true).await;
    let text = found.hits.first().map(|hit| hit.memory.text.as_str());
    assert_eq!(text, Some("Parcel 499 went to the harbour"), "by its words, without the model");
    stage.say(group, "And where did parcel 499 go?").await;
    let recalled = detail(&stage, reminded(&stage).await[0]).await.memory.text;
    assert_eq!(recalled, "Parcel 499 went to the harbour", "a turn knows what a search has read");
    drop(hold.go_on);
    embedded(&stage).await;
}

#[tokio::test]
async fn of_what_came_a_moment_ago_a_turn_knows_though_nobody_has_indexed_it() {
    let (stage, _, hold) = behind_by(499).await;
    let group = stage.direct("Ada").await;
    stage.say(group, "Where did parcel 498 go?").await;
    let recalled = detail(&stage, reminded(&stage).await[0]).await.memory.text;
    assert_eq!(recalled, "Parcel 498 went to the harbour");
    drop(hold.go_on);
}

#[tokio::test]
async fn searching_everywhere_says_how_much_is_still_to_be_read_until_all_of_it_is_found() {
    let (stage, _, hold) = behind_by(501).await;
    let everywhere = async || {
        let text = "parcel 499 harbour".into();
        let search = Search { text, places: vec![], group: None, agent: None, limit: 10 };
        match stage.query(Query::Search { search }).await {
            Ok(Reply::Found(found)) => found,
            other => panic!("nothing found: {other:?}"),
        }
    };
    let complete = loop {
        let found: Found = everywhere().await;
        if found.unread == 0 {
            break found;
        }
    };
    let texts: Vec<String> = complete
        .items
        .iter()
        .map(|item| item.snippet.iter().map(|piece| piece.text.as_str()).collect())
        .collect();
    assert!(texts.contains(&"Parcel 499 went to the harbour".to_owned()), "{texts:?}");
    drop(hold.go_on);
}
