//! What contradicts what is more trusted waits once, and one word of the person decides all
//! that it answers.

use super::{add, detail, done, list, new, stating};
use domain::{
    Command, Judgement, Memory, MemoryChange, MemoryFilter, MemoryId, MemoryImport, MemoryScope,
    MemoryState, NewMemory, Query, Reply, Standing,
};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use tests::{Stage, stage};

pub(super) const PORTO: &str = "The user lives in Porto";
pub(super) const LISBON: &str = "The user lives in Lisbon";
const WITH_MORE: &str = "Lives in Lisbon at Rua Augusta, third floor; the bell says Lima";
pub(super) const BECAUSE: &str = "The user lives in Lisbon because of the light and the tram";
pub(super) const MADRID: &str = "The user lives in Madrid";

pub(super) fn line(text: &str, place: &str) -> Value {
    let statement = json!({ "subject": "user", "attribute": "lives in", "value": place });
    json!({ "text": text, "statement": statement })
}

/// Takes it in from a file of its own, for which nobody vouches.
pub(super) async fn from_file(
    stage: &Stage,
    scope: MemoryScope,
    lines: &[Value],
) -> (u32, u32, u32) {
    stage.clock.advance(Duration::from_secs(60));
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder.path().join("said.jsonl");
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, lines).expect("a file");
    let path = path.display().to_string();
    let (format, scope) = (None, Some(scope));
    let command = |preview| Command::ImportMemories {
        path: path.clone(),
        format,
        scope,
        vouched: false,
        preview,
    };
    let told = async |command: Command| match stage.do_(command).await {
        Reply::MemoryImport(told) => {
            let MemoryImport { added, repeated, contested, .. } = *told;
            (added, repeated, contested)
        }
        other => panic!("no import: {other:?}"),
    };
    let would = told(command(true)).await;
    let came = told(command(false)).await;
    if lines_of(&path) == 1 {
        assert_eq!(would, came, "a look says what will come of it");
    }
    came
}

fn lines_of(path: &str) -> usize {
    std::fs::read_to_string(path).expect("a file").lines().count()
}

async fn all(stage: &Stage) -> Vec<Memory> {
    let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
    match stage.query(Query::Memories { filter, before: None, limit: 100 }).await {
        Ok(Reply::Memories(page)) => page.memories,
        other => panic!("no memories: {other:?}"),
    }
}

/// How each stands to which other, in the order of their words.
pub(super) async fn standings(stage: &Stage) -> Vec<String> {
    let all = all(stage).await;
    let text =
        |id: MemoryId| all.iter().find(|one| one.id == id).map_or("", |one| one.text.as_str());
    let mut told: Vec<String> = all
        .iter()
        .map(|one| match one.state {
            MemoryState::Current => format!("{} holds", one.text),
            MemoryState::Superseded(by) => format!("{} behind {}", one.text, text(by)),
            MemoryState::Contested(with) => format!("{} against {}", one.text, text(with)),
            MemoryState::Wrong => format!("{} is wrong", one.text),
            MemoryState::Forgotten => "forgotten".into(),
        })
        .collect();
    told.sort();
    told
}

pub(super) async fn found(stage: &Stage, text: &str) -> MemoryId {
    all(stage).await.into_iter().find(|one| one.text == text).expect("it is there").id
}

pub(super) async fn waiting(stage: &Stage) -> Vec<String> {
    let standing = Standing::Contested;
    list(stage, MemoryFilter { standing, ..MemoryFilter::default() }).await
}

pub(super) async fn holding(stage: &Stage) -> Vec<String> {
    list(stage, MemoryFilter::default()).await
}

/// What waits, and what holds.
fn of(waiting: &[&str], holding: &str) -> (Vec<String>, Vec<String>) {
    (waiting.iter().map(|one| (*one).to_owned()).collect(), vec![holding.to_owned()])
}

pub(super) async fn judged(stage: &Stage, text: &str, judgement: Judgement) {
    stage.clock.advance(Duration::from_secs(60));
    let memory = found(stage, text).await;
    done(stage, Command::JudgeMemory { memory, judgement }).await;
}

pub(super) async fn undone(stage: &Stage, text: &str) {
    stage.clock.advance(Duration::from_secs(60));
    let memory = found(stage, text).await;
    done(stage, Command::UndoMemory { memory }).await;
}

/// Porto holds, and a file has said Lisbon, in two ways that each say more, and Madrid.
async fn contested() -> Stage {
    let stage = stage().open().await;
    add(&stage, stating("lives in", "Porto")).await;
    let lines = [line(WITH_MORE, "Lisbon"), line(BECAUSE, "Lisbon"), line(MADRID, "Madrid")];
    assert_eq!(from_file(&stage, MemoryScope::User, &lines).await, (3, 0, 3));
    stage
}

#[tokio::test]
async fn what_three_files_say_against_it_waits_once_and_is_decided_once() {
    let stage = stage().open().await;
    let scope = MemoryScope::Agent(stage.agent("Ada").await.id);
    add(&stage, NewMemory { scope, ..new("I live in Porto") }).await;
    let said = ["I live in Lisbon", "The user lives in Lisbon.", "Lives in LISBON now"];
    let expected = [(1, 0, 1), (0, 1, 0), (0, 1, 0)];
    for (text, counts) in said.into_iter().zip(expected) {
        assert_eq!(from_file(&stage, scope, &[line(text, "Lisbon")]).await, counts, "{text}");
    }
    assert_eq!(waiting(&stage).await, ["I live in Lisbon"]);
    let first = detail(&stage, found(&stage, "I live in Lisbon").await).await;
    assert_eq!(first.memory.evidence, 3);
    let files = first.related.iter().filter(|one| one.source.file.is_some()).count();
    assert_eq!(files, 2, "where the others come from stays on record");
    let before = standings(&stage).await;
    for (judgement, holds) in
        [(Judgement::Right, "I live in Lisbon"), (Judgement::Wrong, "I live in Porto")]
    {
        judged(&stage, "I live in Lisbon", judgement).await;
        assert_eq!((waiting(&stage).await, holding(&stage).await), of(&[], holds));
        undone(&stage, "I live in Lisbon").await;
        assert_eq!(standings(&stage).await, before);
    }
    // What was said in one can be told apart again, one by one.
    undone(&stage, "I live in Lisbon").await;
    assert_eq!(waiting(&stage).await.len(), 2);
    undone(&stage, "I live in Lisbon").await;
    assert_eq!(waiting(&stage).await.len(), 3);
}

#[tokio::test]
async fn the_one_that_says_most_waits_for_all() {
    let stage = stage().open().await;
    add(&stage, stating("lives in", "Porto")).await;
    let lines =
        [line(LISBON, "Lisbon"), line(WITH_MORE, "Lisbon"), line("Lives in Lisbon", "lisbon.")];
    assert_eq!(from_file(&stage, MemoryScope::User, &lines).await, (2, 1, 2));
    assert_eq!(waiting(&stage).await, [WITH_MORE]);
    judged(&stage, WITH_MORE, Judgement::Right).await;
    assert_eq!(holding(&stage).await, [WITH_MORE]);
    // Taken in again, nothing of it comes again.
    let again = from_file(&stage, MemoryScope::User, &lines).await;
    assert_eq!((again, waiting(&stage).await), ((0, 3, 0), vec![]));
}

#[tokio::test]
async fn what_is_forgotten_is_forgotten_with_all_that_it_waits_for() {
    let stage = stage().open().await;
    add(&stage, stating("lives in", "Porto")).await;
    let lines = [line(LISBON, "Lisbon"), line("Lives in Lisbon now", "Lisbon")];
    from_file(&stage, MemoryScope::User, &lines).await;
    let memory = found(&stage, LISBON).await;
    done(&stage, Command::ForgetMemory { memory }).await;
    let porto = format!("{PORTO} holds");
    assert_eq!(standings(&stage).await, [porto.as_str(), "forgotten", "forgotten"]);
}

#[tokio::test]
async fn who_decides_that_the_new_one_holds_decides_all_that_it_answers() {
    let stage = contested().await;
    let before = standings(&stage).await;
    for named in [WITH_MORE, BECAUSE, MADRID, PORTO] {
        judged(&stage, WITH_MORE, Judgement::Right).await;
        let expected = [
            format!("{WITH_MORE} holds"),
            // What it says beside that counts for as much as a file's word does.
            format!("{BECAUSE} holds"),
            format!("{MADRID} behind {WITH_MORE}"),
            format!("{PORTO} behind {WITH_MORE}"),
        ];
        assert_eq!(standings(&stage).await, expected);
        undone(&stage, named).await;
        assert_eq!(standings(&stage).await, before, "taken back with {named}");
    }
    let versions = detail(&stage, found(&stage, BECAUSE).await).await.versions;
    assert_eq!(versions[1].change, MemoryChange::Settled);
}

#[tokio::test]
async fn who_says_that_what_holds_is_right_decides_all_that_waits_against_it() {
    let stage = contested().await;
    let before = standings(&stage).await;
    for named in [PORTO, MADRID, BECAUSE] {
        judged(&stage, PORTO, Judgement::Right).await;
        let expected = [
            format!("{WITH_MORE} behind {PORTO}"),
            format!("{BECAUSE} behind {PORTO}"),
            format!("{MADRID} behind {PORTO}"),
            format!("{PORTO} holds"),
        ];
        assert_eq!(standings(&stage).await, expected);
        undone(&stage, named).await;
        assert_eq!(standings(&stage).await, before, "taken back with {named}");
    }
    // Said again, there is nothing more to say.
    judged(&stage, PORTO, Judgement::Right).await;
    let version = detail(&stage, found(&stage, PORTO).await).await.memory.version;
    judged(&stage, PORTO, Judgement::Right).await;
    assert_eq!(detail(&stage, found(&stage, PORTO).await).await.memory.version, version);
}

#[tokio::test]
async fn what_becomes_a_persons_word_decides_what_waits_against_it() {
    let stage = stage().open().await;
    let scope = MemoryScope::User;
    from_file(&stage, scope, &[line(PORTO, "Porto")]).await;
    judged(&stage, PORTO, Judgement::Right).await;
    from_file(&stage, scope, &[line(MADRID, "Madrid")]).await;
    assert_eq!(waiting(&stage).await, [MADRID]);
    judged(&stage, PORTO, Judgement::Right).await;
    assert_eq!((waiting(&stage).await, holding(&stage).await), of(&[], PORTO));
}

#[tokio::test]
async fn what_waits_beside_what_is_taken_back_is_looked_at_beside_what_holds_again() {
    let stage = stage().open().await;
    add(&stage, stating("lives in", "Porto")).await;
    stage.clock.advance(Duration::from_secs(60));
    add(&stage, stating("lives in", "Lisbon")).await;
    let based = "User is based in Porto";
    from_file(&stage, MemoryScope::User, &[line(based, "Porto"), line(MADRID, "Madrid")]).await;
    let before = standings(&stage).await;
    undone(&stage, LISBON).await;
    let expected = [
        format!("{LISBON} behind {PORTO}"),
        format!("{MADRID} against {PORTO}"),
        format!("{PORTO} holds"),
        format!("{based} holds"),
    ];
    assert_eq!(standings(&stage).await, expected);
    undone(&stage, LISBON).await;
    assert_eq!(standings(&stage).await, before);
}

#[tokio::test]
async fn who_decides_that_the_old_one_holds_is_not_asked_the_same_again() {
    let stage = contested().await;
    let before = standings(&stage).await;
    for named in [WITH_MORE, BECAUSE] {
        judged(&stage, WITH_MORE, Judgement::Wrong).await;
        assert_eq!(waiting(&stage).await, [MADRID], "of that nobody has said anything");
        let expected = [
            format!("{WITH_MORE} is wrong"),
            format!("{BECAUSE} behind {WITH_MORE}"),
            format!("{MADRID} against {PORTO}"),
            format!("{PORTO} holds"),
        ];
        assert_eq!(standings(&stage).await, expected);
        undone(&stage, named).await;
        assert_eq!(standings(&stage).await, before, "taken back with {named}");
    }
}

#[tokio::test]
async fn what_waits_beside_what_holds_no_more_waits_beside_what_holds_now() {
    let stage = contested().await;
    judged(&stage, PORTO, Judgement::Outdated).await;
    add(&stage, NewMemory { text: LISBON.into(), ..stating("lives in", "Lisbon") }).await;
    let rome = line("The user lives in Rome", "Rome");
    from_file(&stage, MemoryScope::User, &[rome]).await;
    let before = standings(&stage).await;
    judged(&stage, "The user lives in Rome", Judgement::Wrong).await;
    assert_eq!(waiting(&stage).await, [MADRID]);
    let told = standings(&stage).await;
    assert!(told.contains(&format!("{MADRID} against {LISBON}")), "{told:?}");
    assert!(told.contains(&format!("{WITH_MORE} holds")), "{told:?}");
    undone(&stage, "The user lives in Rome").await;
    assert_eq!(standings(&stage).await, before);
}

#[tokio::test]
async fn who_says_it_themselves_decides_too() {
    let stage = stage().open().await;
    add(&stage, stating("lives in", "Porto")).await;
    let lines = [line("Lives in Lisbon now", "Lisbon"), line(MADRID, "Madrid")];
    from_file(&stage, MemoryScope::User, &lines).await;
    let before = standings(&stage).await;
    for named in [LISBON, PORTO] {
        stage.clock.advance(Duration::from_secs(60));
        add(&stage, stating("lives in", "Lisbon")).await;
        assert_eq!((waiting(&stage).await, holding(&stage).await), of(&[MADRID], LISBON));
        undone(&stage, named).await;
        let mut told = standings(&stage).await;
        told.retain(|one| !one.starts_with(LISBON));
        assert_eq!(told, before, "taken back with {named}");
    }
}
