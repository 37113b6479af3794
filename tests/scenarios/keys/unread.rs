//! Keys that are kept and that this process has not read: they show nowhere either,
//! in turns that nobody types anything for.

use super::{PASSPHRASE, seal, set, unlock, without_keyring};
use crate::questions::{answer, asked, given};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::{CatchUp, Command, Reply, SchedulePlan, ScheduledWork};
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

/// Too short to be looked for by its length and ending alone.
const SHORT: &str = "pw-7Kq2zX9w!";

fn in_base64(words: &str) -> String {
    BASE64_STANDARD.encode(words)
}

fn in_hex(words: &str) -> String {
    words.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// In no file of the workspace, and no model was sent it.
fn lies_nowhere(stage: &Stage, words: &str) {
    let mut folders = vec![stage.data().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it can be read") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap_or_default();
            let found = bytes.windows(words.len()).any(|at| at == words.as_bytes());
            assert!(!found, "{words} stands in {}", path.display());
        }
    }
    for request in stage.model.requests() {
        assert!(!format!("{request:?}").contains(words), "{words} was sent");
    }
}

#[tokio::test]
async fn a_file_that_is_shown_first_of_all_is_kept_without_a_key_in_whatever_form() {
    let stage = stage().keys(KeyParts::in_memory()).open().await;
    stage.do_(set("provider/mistral", KEPT)).await;
    stage.do_(set("provider/acme", SHORT)).await;
    let stage = stage.reopen().await;
    let (basic, hex) = (in_base64(&format!("me:{KEPT}")), in_hex(KEPT));
    let text = format!("short {SHORT}\nAuthorization: Basic {basic}\nhex {hex}\n");
    let attach = Command::Attach { name: "notes.txt".into(), base64: in_base64(&text) };
    let Reply::Attachment(attachment) = stage.do_(attach).await else { panic!("it is kept") };
    let group = stage.direct("Ada").await;
    let (text, attachments) = ("look".into(), vec![attachment]);
    stage.do_(Command::Post { group, text, reply_to: None, attachments }).await;
    stage.quiet().await;
    for words in [SHORT, &basic, &hex, KEPT] {
        lies_nowhere(&stage, words);
    }
    stage.workspace.close().await;
}

#[tokio::test]
async fn an_answer_that_a_person_gives_first_of_all_is_kept_without_a_key() {
    let locked = Arc::new(AtomicBool::new(false));
    let keyring = secrets::Keyring::in_memory_locked_while(locked.clone());
    let asks = Scripted::from_fn(|request, _| match request.turns.last() {
        Some(turn) if turn.role == Role::Tool => vec![Beat::Text("thank you".into())],
        _ => {
            let (name, question) = (Some("ask_user".to_owned()), json!({"question": "Which tea?"}));
            let arguments = question.to_string();
            vec![Beat::ToolCall(ToolCallDelta { id: "c1".into(), name, arguments })]
        }
    });
    let mia = |data: &Path| {
        fs::create_dir_all(data.join("souls")).expect("is made");
        let soul = "---\nname: Mia\ntools: [ask_user]\n---\nYou ask.\n";
        fs::write(data.join("souls/mia.md"), soul).expect("is written");
    };
    let keys = KeyParts { keyring, ..KeyParts::in_memory() };
    let stage = stage().before(mia).model(asks).keys(keys).open().await;
    let (soul, name) = ("mia".into(), None);
    stage.do_(Command::NewAgent { soul, name, model: None, parent: None }).await;
    stage.do_(set("provider/mistral", KEPT)).await;
    let group = stage.direct("Mia").await;
    stage.post(group, "make tea").await;
    let question = asked(&stage).await;
    locked.store(true, Ordering::SeqCst);
    let stage = stage.reopen().await;
    asked(&stage).await;
    locked.store(false, Ordering::SeqCst);
    let basic = in_base64(&format!("me:{KEPT}"));
    answer(&stage, &question, given(json!({ "answer": basic }))).await.expect("it is taken");
    stage.quiet().await;
    lies_nowhere(&stage, &basic);
    stage.workspace.close().await;
}
