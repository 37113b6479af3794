//! What says the same is said once, by plain rules, and a second time there is
//! nothing to do.

use super::{add, detail, done, list, new};
use domain::{
    Command, Consolidated, Learning, Memory, MemoryFilter, MemoryIndex, MemoryKind, MemoryState,
    NewMemory, Query, Reply, SettingsPatch, Standing,
};
use llm::scripted::{Beat, Gate, Scripted};
use search::Embedder;
use std::sync::Arc;
use tests::{Stage, bundled_embedding, stage};
use workspace::{Again, Embedding, Scale};

/// Two texts with the same number mean the same, any others have nothing in common.
struct ByNumber;

impl ByNumber {
    const DIMENSIONS: usize = 32;

    fn embedding() -> Embedding {
        Embedding {
            id: "by-number".into(),
            dimensions: Self::DIMENSIONS,
            across: |_| 0.0,
            scale: Scale::SHIPPED,
            again: Again::WithOtherFiles(Vec::new()),
            by_many: false,
            at_once: 4,
            load: Arc::new(|| Ok(Box::new(ByNumber) as Box<dyn Embedder>)),
        }
    }
}

impl Embedder for ByNumber {
    fn id(&self) -> &str {
        "by-number"
    }

    fn dimensions(&self) -> usize {
        Self::DIMENSIONS
    }

    fn query(&mut self, text: &str) -> Result<Vec<f32>, search::Error> {
        let number = text.split(' ').find_map(|word| word.parse::<usize>().ok()).unwrap_or(0);
        let mut vector = vec![0.0; Self::DIMENSIONS];
        vector[number % Self::DIMENSIONS] = 1.0;
        Ok(vector)
    }

    fn passages(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, search::Error> {
        texts.iter().map(|text| self.query(text)).collect()
    }
}

async fn consolidate(stage: &Stage, preview: bool) -> Consolidated {
    match stage.do_(Command::ConsolidateMemories { preview }).await {
        Reply::Consolidated(done) => *done,
        other => panic!("not consolidated: {other:?}"),
    }
}

/// Everything has its vector.
async fn embedded(stage: &Stage) {
    stage
        .until(async |stage: &Stage| {
            let Ok(Reply::MemoryIndex(MemoryIndex { memories, meaning, .. })) =
                stage.query(Query::MemoryIndex).await
            else {
                panic!("no index")
            };
            meaning == memories
        })
        .await;
}

/// The background has had its pass too.
async fn settled(stage: &Stage) {
    embedded(stage).await;
    consolidate(stage, false).await;
}

async fn everything(stage: &Stage) -> Vec<Memory> {
    let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
    match stage.query(Query::Memories { filter, before: None, limit: 100 }).await {
        Ok(Reply::Memories(page)) => page.memories,
        other => panic!("no page: {other:?}"),
    }
}

#[tokio::test]
async fn what_says_the_same_in_other_words_is_said_once_and_can_be_brought_back() {
    let stage = stage().embedding(bundled_embedding()).open().await;
    let first = add(&stage, new("The meeting with Bo is on Friday at 10")).await;
    let second = add(&stage, new("The meeting with Bo is at 10 on Friday")).await;
    add(&stage, new("The meeting with Al is on Friday at 10")).await;
    settled(&stage).await;
    let holding = list(&stage, MemoryFilter::default()).await;
    assert_eq!(holding.len(), 2, "{holding:?}");
    let gone = detail(&stage, second.id).await.memory;
    assert_eq!(gone.state, MemoryState::Superseded(first.id));
    assert_eq!(detail(&stage, first.id).await.memory.evidence, 2);
    done(&stage, Command::UndoMemory { memory: second.id }).await;
    assert_eq!(detail(&stage, second.id).await.memory.state, MemoryState::Current);
    assert_eq!(detail(&stage, first.id).await.memory.state, MemoryState::Current, "both are back");
}

#[tokio::test]
async fn what_differs_in_one_word_is_not_said_once() {
    let stage = stage().embedding(bundled_embedding()).open().await;
    let pairs = [
        ("The review was moved to thursday", "The review was moved to tuesday"),
        ("Lives together with an older brother", "Lives together with a younger brother"),
        ("Had the left knee operated on", "Had the right knee operated on"),
        ("The printer stands upstairs", "The printer stands downstairs"),
        ("我的姐姐在医院当护士", "我的妹妹在医院当护士"),
        ("例会改到星期三下午", "例会改到星期四下午"),
        ("备用钥匙在抽屉左边", "备用钥匙在抽屉右边"),
        ("车停在地下二层", "车停在地下三层"),
        ("每天早上吃降压药", "每天晚上吃降压药"),
        ("房租每月三千", "房租每月五千"),
    ];
    for (one, other) in pairs {
        add(&stage, new(one)).await;
        add(&stage, new(other)).await;
    }
    settled(&stage).await;
    let holding = list(&stage, MemoryFilter::default()).await;
    assert_eq!(holding.len(), 2 * pairs.len(), "{holding:?}");
}

#[tokio::test]
async fn a_second_pass_finds_nothing_to_do_and_changes_nothing() {
    let stage = stage().embedding(bundled_embedding()).open().await;
    for text in ["Bo runs the mill by the river", "The mill by the river is run by Bo"] {
        add(&stage, new(text)).await;
    }
    let episode = NewMemory {
        kind: MemoryKind::Episode,
        ..new("User: I live in Porto.\n\nChatGPT: I live in a computer.")
    };
    add(&stage, episode).await;
    settled(&stage).await;
    let once = everything(&stage).await;
    assert!(once.iter().any(|memory| memory.text == "The user lives in Porto"), "{once:?}");
    assert!(!once.iter().any(|memory| memory.text.contains("lives in a computer")));
    settled(&stage).await;
    let again = consolidate(&stage, false).await;
    assert_eq!((again.merged.len(), again.noticed.len(), again.matters.len()), (0, 0, 0));
    assert_eq!(everything(&stage).await, once);
    let stage = stage.reopen().await;
    settled(&stage).await;
    assert_eq!(everything(&stage).await, once, "after a restart neither");
}

#[tokio::test]
async fn what_a_later_episode_says_is_over_held_until_then() {
    for (first, last, was) in [
        ("I work at Acme.", "I no longer work at Acme.", "The user works at Acme"),
        ("I live in Oslo.", "I moved away from Oslo.", "The user lives in Oslo"),
        ("我在华为工作。", "我已经不在华为工作了。", "用户在华为工作"),
    ] {
        let stage = stage().embedding(bundled_embedding()).open().await;
        for (at_ms, said) in [(1_000, first), (2_000, last)] {
            let episode = new(&format!("User: {said}\n\nClaude: Good."));
            let (kind, valid_from_ms) = (MemoryKind::Episode, Some(at_ms));
            add(&stage, NewMemory { kind, valid_from_ms, ..episode }).await;
        }
        settled(&stage).await;
        let all = everything(&stage).await;
        let noticed = all.iter().find(|one| one.text == was).expect("it was said once");
        assert_eq!(noticed.valid_to_ms, Some(2_000), "{last}");
        // What is said after that holds.
        let group = stage.direct("Ada").await;
        stage.say(group, first).await;
        let holds = async |stage: &Stage| {
            list(stage, MemoryFilter::default()).await.contains(&was.to_owned())
        };
        stage.until(holds).await;
        settled(&stage).await;
        assert!(holds(&stage).await, "{first}");
    }
}

#[tokio::test]
async fn a_preview_changes_nothing_and_tells_all() {
    let stage = stage().open().await;
    let off = Learning { notices: false, ..Learning::default() };
    let patch = SettingsPatch { memory: Some(off), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    let episode =
        NewMemory { kind: MemoryKind::Episode, ..new("User: My name is Lin.\nChatGPT: Hello.") };
    let before = add(&stage, episode).await;
    let told = consolidate(&stage, true).await;
    let noticed: Vec<&str> = told.noticed.iter().map(|one| one.text.as_str()).collect();
    assert!(noticed == ["The user's name is Lin"] || noticed.is_empty(), "{told:?}");
    assert_eq!(detail(&stage, before.id).await.memory, before);
}

#[tokio::test]
async fn what_one_pass_may_not_take_away_any_more_the_next_one_does() {
    let stage = stage().embedding(ByNumber::embedding()).open().await;
    let file = tempfile::NamedTempFile::with_suffix(".md").expect("a temporary file");
    let said = |n: usize| format!("- Box {n} is in the cellar\n- In the cellar is box {n} \n");
    std::fs::write(file.path(), (1..=12).map(said).collect::<String>()).expect("it is written");
    let path = file.path().display().to_string();
    let import =
        Command::ImportMemories { path, format: None, scope: None, vouched: true, preview: false };
    stage.do_(import).await;
    // Of 24 five may give way at once: the background takes those, and rests.
    let holding = async |stage: &Stage| list(stage, MemoryFilter::default()).await.len();
    stage.until(async |stage: &Stage| holding(stage).await == 19).await;
    let told = consolidate(&stage, true).await;
    assert_eq!((told.merged.len(), holding(&stage).await), (5, 19), "said before it is done");
    assert!(told.left > 0, "{told:?}");
    let second = consolidate(&stage, false).await;
    assert_eq!((second.merged.len(), holding(&stage).await), (5, 14));
    let third = consolidate(&stage, false).await;
    assert_eq!((third.merged.len(), third.left, holding(&stage).await), (2, 0, 12));
    let fourth = consolidate(&stage, false).await;
    assert_eq!((fourth.merged.len(), holding(&stage).await), (0, 12), "each box once");
}

#[tokio::test]
async fn nobody_tidies_up_while_an_agent_works() {
    let gate = Gate::new();
    let held = gate.clone();
    let model =
        Scripted::from_fn(move |_, _| vec![Beat::Gate(held.clone()), Beat::Text("yes".into())]);
    let stage = stage().model(model).embedding(ByNumber::embedding()).open().await;
    let group = stage.direct("Ada").await;
    stage.post(group, "Are you there?").await;
    gate.arrived(1).await;
    for text in ["Box 1 is in the cellar", "In the cellar is box 1"] {
        add(&stage, new(text)).await;
    }
    embedded(&stage).await;
    // When this one has its vector, the background has been past the two.
    add(&stage, new("Box 2 is in the attic")).await;
    embedded(&stage).await;
    let holding = async |stage: &Stage| list(stage, MemoryFilter::default()).await.len();
    assert_eq!(holding(&stage).await, 3);
    gate.open();
    stage.quiet().await;
    add(&stage, new("Box 3 is in the hall")).await;
    stage.until(async |stage: &Stage| holding(stage).await == 3).await;
}
