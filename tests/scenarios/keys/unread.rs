//! Keys that are kept and that this process has not read: they show nowhere either,
//! in turns that nobody types anything for.

use super::{PASSPHRASE, seal, set, unlock, without_keyring};
use domain::{CatchUp, Command, SchedulePlan, ScheduledWork};
use llm::scripted::{Beat, Scripted};
use llm::{Role, ToolCallDelta};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tests::{Stage, stage};
use workspace::KeyParts;

/// Of a provider that nobody is asked from.
const KEPT: &str = "Qv7LpZ2mXw9RtYc4HsNd8BfJk3GaEu6T";
const MARK: &str = "[redacted provider/mistral]";

/// Reads the notes, and repeats what is in them.
fn reads_and_repeats() -> Scripted {
    Scripted::from_fn(|request, _| match request.turns.last() {
        Some(turn) if turn.role == Role::Tool => {
            let words = format!("I read {}, that is {KEPT} to me.", turn.content);
            let letters = words.chars().map(|letter| Beat::Text(letter.to_string()));
            letters.collect()
        }
        _ => {
            let arguments = json!({ "path": "notes.txt" }).to_string();
            let name = Some("read_file".to_owned());
            vec![Beat::ToolCall(ToolCallDelta { id: "c1".into(), name, arguments })]
        }
    })
}

/// A folder of notes, and Mia, who may read them.
async fn setting(keys: KeyParts) -> (Stage, TempDir) {
    let notes = TempDir::new().expect("a temporary folder");
    fs::write(notes.path().join("notes.txt"), format!("the key is {KEPT}\n")).expect("is written");
    let front = format!("name: Mia\ntools: [read_file]\nroots: [{}]", notes.path().display());
    let soul = format!("---\n{front}\n---\nYou are Mia.\n");
    let mia = move |data: &Path| {
        fs::create_dir_all(data.join("souls")).expect("is made");
        fs::write(data.join("souls/mia.md"), soul).expect("is written");
    };
    let stage = stage().before(mia).model(reads_and_repeats()).keys(keys).open().await;
    let (soul, name) = ("mia".into(), None);
    stage.do_(Command::NewAgent { soul, name, model: None, parent: None }).await;
    (stage, notes)
}

/// Mia looks at her notes in twenty minutes, and nobody has to say so again.
async fn plan(stage: &Stage) {
    let agent = stage.agent("Mia").await.id;
    let group = stage.direct("Mia").await;
    let work = ScheduledWork::Say { group, text: "look at it".into() };
    let (words, zone) = ("in 20 minutes".into(), "UTC".into());
    let plan = SchedulePlan { agent, work, words, zone, hours: None, catch_up: CatchUp::Once };
    stage.do_(Command::NewSchedule { plan }).await;
}

/// What she says then.
async fn at_its_time(stage: &Stage) -> String {
    let group = stage.direct("Mia").await;
    stage.clock.advance(Duration::from_secs(20 * 60));
    stage.until(async |stage: &Stage| stage.transcript(group).await.len() > 1).await;
    stage.quiet().await;
    stage.transcript(group).await.pop().expect("there is one")
}

/// Neither a model was sent it, nor does it stand in the database.
fn shows_nowhere(stage: &Stage) {
    for request in stage.model.requests() {
        assert!(!format!("{request:?}").contains(KEPT));
    }
    for name in ["coterie.db", "coterie.db-wal"] {
        let bytes = fs::read(stage.data().join(name)).unwrap_or_default();
        let found = bytes.windows(KEPT.len()).any(|at| at == KEPT.as_bytes());
        assert!(!found, "it stands in {name}");
    }
}

/// In what she read and in what she wrote of it.
fn says_the_mark(said: &str) {
    let twice = said.matches(MARK).count();
    assert_eq!((twice, said.contains(KEPT)), (2, false), "{said}");
}

#[tokio::test]
async fn a_turn_that_nobody_typed_anything_for_shows_no_key_that_lies_in_the_keyring() {
    let (stage, _notes) = setting(KeyParts::in_memory()).await;
    stage.do_(set("provider/mistral", KEPT)).await;
    plan(&stage).await;
    let stage = stage.reopen().await;
    says_the_mark(&at_its_time(&stage).await);
    shows_nowhere(&stage);
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_key_in_a_locked_keyring_shows_nowhere_and_the_keyring_is_not_asked_for_it() {
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = secrets::Keyring::in_memory_locked_while(locked.clone());
    let (stage, _notes) = setting(KeyParts { keyring, ..KeyParts::in_memory() }).await;
    stage.do_(set("provider/mistral", KEPT)).await;
    plan(&stage).await;
    let stage = stage.reopen().await;
    locked.store(true, Ordering::SeqCst);
    says_the_mark(&at_its_time(&stage).await);
    assert_eq!(super::keys(&stage).await.keyring, None, "nobody asked it");
    shows_nowhere(&stage);
    stage.workspace.close().await;
}

#[tokio::test]
async fn a_key_in_a_sealed_file_shows_nowhere_before_it_is_unlocked_and_after() {
    let (stage, _notes) = setting(without_keyring()).await;
    stage.do_(seal()).await;
    stage.do_(set("provider/mistral", KEPT)).await;
    plan(&stage).await;
    let stage = stage.reopen().await;
    says_the_mark(&at_its_time(&stage).await);
    stage.do_(unlock(PASSPHRASE)).await;
    let mia = stage.direct("Mia").await;
    stage.say(mia, "look at it again").await;
    says_the_mark(&stage.transcript(mia).await.pop().expect("there is one"));
    shows_nowhere(&stage);
    stage.workspace.close().await;
}
