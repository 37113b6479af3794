//! The whole workspace in one file, written while agents work, and what becomes of a
//! workspace whose place it takes.

use domain::{
    Attachment, Backup, BackupProgress, BackupWork, Command, Fault, FaultCode, FaultKind,
    FromOwner, Query, Reply, Restore, Secret, Update,
};
use futures::StreamExt;
use llm::scripted::{Beat, Gate, Scripted};
use std::fs;
use std::path::Path;
use tests::{Setting, Stage, says, speaker, stage};
use workspace::Places;

const KEY: &str = "acme-0123-4567-89ab-cdef";
/// 茶 in UTF-8.
const TEA: &str = "6Iy2";

async fn back_up(stage: &Stage, to: &Path) -> Result<Backup, Fault> {
    let path = to.display().to_string();
    match stage.command(Command::BackUp { path }).await? {
        Reply::Backup(backup) => Ok(backup),
        other => panic!("no backup: {other:?}"),
    }
}

async fn restore(stage: &Stage, from: &Path) -> Result<Restore, Fault> {
    let path = from.display().to_string();
    match stage.command(Command::Restore { path }).await? {
        Reply::Restore(restore) => Ok(restore),
        other => panic!("nothing is restored: {other:?}"),
    }
}

/// A workspace to come, made of this backup.
fn restored(from: &Path) -> Setting {
    let from = from.display().to_string();
    stage().without_model().before(move |data| {
        let laid = workspace::restore_unopened(&Places::bare(data.to_owned()), &from);
        let laid = laid.expect("it is whole");
        assert_eq!((laid.replaced, laid.in_place), (None, false));
    })
}

async fn keep(stage: &Stage) -> Attachment {
    let attach = Command::Attach { name: "tea.txt".into(), base64: TEA.into() };
    match stage.do_(attach).await {
        Reply::Attachment(attachment) => attachment,
        other => panic!("no attachment: {other:?}"),
    }
}

/// Bo answers when the gate is opened.
fn gated() -> (Scripted, Gate) {
    let gate = Gate::new();
    let waits = gate.clone();
    let model = Scripted::from_fn(move |request, _| {
        let text = Beat::Text("As you like.".into());
        if speaker(request) == "Bo" { vec![Beat::Gate(waits.clone()), text] } else { vec![text] }
    });
    (model, gate)
}

#[tokio::test]
async fn what_was_backed_up_while_agents_work_is_there_in_another_place() {
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let file = elsewhere.path().join("all.coterie");
    let (model, gate) = gated();
    let stage = stage().model(model).open().await;
    stage.do_(Command::SetKey { name: "acme".into(), value: Secret::new(KEY) }).await;
    fs::write(stage.data().join("souls/mia.md"), "---\nname: Mia\n---\nYou are Mia.\n")
        .expect("ok");
    fs::create_dir_all(stage.data().join("prompts")).expect("ok");
    fs::write(stage.data().join("prompts/digest.md"), "Tell me all.\n").expect("ok");
    let (ada, bo) = (stage.direct("Ada").await, stage.direct("Bo").await);
    let shown = keep(&stage).await;
    let attachments = vec![shown.clone()];
    let text = "What is this?".to_owned();
    stage.do_(Command::Post { group: ada, text, reply_to: None, attachments }).await;
    stage.quiet().await;
    // Bo is at work all the while.
    stage.post(bo, "And you?").await;
    gate.arrived(1).await;

    let told = back_up(&stage, &file).await.expect("it is written");
    let bytes = fs::read(&file).expect("it is there");
    assert!(told.bytes > 100_000 && told.bytes < bytes.len() as u64, "{told:?}");
    let holds = |what: &str| bytes.windows(what.len()).any(|some| some == what.as_bytes());
    assert!(holds("You are Mia.") && holds("tea.txt"));
    assert!(!holds(KEY) && !holds("secrets.json"), "keys are in no backup");
    gate.open();
    stage.quiet().await;

    let there = restored(&file).open().await;
    let said = there.transcript(ada).await;
    assert_eq!(said, ["you: What is this?", "Ada: As you like."]);
    let shown = there.query(Query::Attachment { hash: shown.hash }).await;
    assert!(matches!(shown, Ok(Reply::AttachmentContent(_))), "{shown:?}");
    let read = |name: &str| fs::read_to_string(there.data().join(name)).expect("it is there");
    assert_eq!(read("prompts/digest.md"), "Tell me all.\n");
    assert!(read("souls/mia.md").contains("You are Mia."));
    // What Bo was at is not done again before the person has them go on.
    let overview = there.overview().await;
    assert!(overview.settings.all_paused);
    assert_eq!(there.transcript(bo).await, ["you: And you?"]);
    assert!(!there.data().join("restore").exists() && !there.data().join("replaced").exists());
    there.do_(Command::ResumeAll).await;
}

#[tokio::test]
async fn a_workspace_whose_place_a_backup_takes_is_kept_and_can_be_had_back() {
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let (first, second) = (elsewhere.path().join("first"), elsewhere.path().join("second"));
    let stage = stage().model(says("yes")).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "one").await;
    back_up(&stage, &first).await.expect("it is written");
    stage.say(ada, "two").await;
    let laid = restore(&stage, &first).await.expect("it is whole");
    assert!(!laid.in_place);
    // Until then nothing is changed.
    stage.say(ada, "three").await;
    back_up(&stage, &second).await.expect("it is written");

    let stage = stage.reopen().await;
    assert_eq!(stage.transcript(ada).await, ["you: one", "Ada: yes"]);
    let replaced = laid.replaced.expect("there was something");
    for part in ["coterie.db", "souls/ada.md"] {
        assert!(Path::new(&replaced).join(part).exists(), "{part} is gone");
    }
    // It is told until they go on, also after another start.
    let stage = stage.reopen().await;
    let told = stage.overview().await.settings.restored.expect("it is told");
    assert_eq!((told.made_ms, told.messages), (Some(laid.made_ms), 2));
    assert_eq!(told.agents, stage.overview().await.agents.len() as u32);
    assert_eq!(told.replaced.as_deref(), Some(replaced.as_str()));
    // They go on when the person says so.
    stage.do_(Command::ResumeAll).await;
    assert_eq!(stage.overview().await.settings.restored, None);
    stage.say(ada, "other").await;

    restore(&stage, &second).await.expect("it is whole");
    let stage = stage.reopen().await;
    let all = ["you: one", "Ada: yes", "you: two", "Ada: yes", "you: three", "Ada: yes"];
    assert_eq!(stage.transcript(ada).await, all);
}

#[tokio::test]
async fn what_waits_to_be_restored_can_be_left_alone() {
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let file = elsewhere.path().join("all");
    let stage = stage().model(says("yes")).open().await;
    back_up(&stage, &file).await.expect("it is written");
    let ada = stage.direct("Ada").await;
    stage.say(ada, "after it").await;
    restore(&stage, &file).await.expect("it is whole");
    stage.do_(Command::ForgetRestore).await;
    let stage = stage.reopen().await;
    assert_eq!(stage.transcript(ada).await, ["you: after it", "Ada: yes"]);
    assert!(!stage.overview().await.settings.all_paused);
}

#[tokio::test]
async fn what_is_only_looked_through_is_restored_by_nobody() {
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let path = elsewhere.path().join("all").display().to_string();
    let stage = stage().model(says("yes")).open().await;
    back_up(&stage, path.as_ref()).await.expect("it is written");
    let ada = stage.direct("Ada").await;
    stage.say(ada, "after it").await;
    let look = || Command::LookThroughBackup { path: path.clone() };
    let found = stage.do_(look()).await;
    assert!(matches!(found, Reply::Restore(restore) if !restore.in_place));
    // As after a crash: nobody has said anything.
    let stage = stage.reopen().await;
    assert_eq!(stage.transcript(ada).await, ["you: after it", "Ada: yes"]);
    assert!(!stage.overview().await.settings.all_paused);
    assert!(!stage.data().join("restore.looked").exists());
    let fault = stage.command(Command::RestoreLookedThrough).await.expect_err("it is gone");
    assert_eq!(fault.code, FaultCode::NotFound, "{fault}");
    stage.do_(look()).await;
    stage.do_(Command::RestoreLookedThrough).await;
    let stage = stage.reopen().await;
    assert!(stage.transcript(ada).await.is_empty());
}

#[tokio::test]
async fn a_damaged_backup_changes_nothing() {
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let file = elsewhere.path().join("all");
    let stage = stage().model(says("yes")).open().await;
    back_up(&stage, &file).await.expect("it is written");
    let mut bytes = fs::read(&file).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, bytes).expect("there is room");
    let fault = restore(&stage, &file).await.expect_err("it is refused");
    assert!(fault.message.contains(&file.display().to_string()), "{fault}");
    assert!(matches!(fault.kind.as_deref(), Some(FaultKind::BackupDamaged { .. })), "{fault}");
    let left = ["restore", "restore.looked", "restore.unfinished", "replaced"];
    assert!(left.iter().all(|name| !stage.data().join(name).exists()));
}

#[tokio::test]
async fn a_backup_is_a_new_file_and_says_how_far_it_is() {
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let file = elsewhere.path().join("all");
    let stage = stage().model(says("yes")).open().await;
    let mut events = stage.events();
    back_up(&stage, &file).await.expect("it is written");
    let mut told = Vec::new();
    while told.last().is_none_or(|last: &BackupProgress| last.done_bytes < last.of_bytes) {
        let Some(FromOwner::Event(event)) = events.next().await else { continue };
        if let Update::BackupProgress { progress } = event.update {
            told.push(progress);
        }
    }
    assert_eq!((told[0].work, told[0].done_bytes), (BackupWork::BackingUp, 0));
    assert!(told.len() > 2, "{told:?}");
    let fault = back_up(&stage, &file).await.expect_err("it is there already");
    assert_eq!(fault.code, FaultCode::Refused);
    let nowhere = elsewhere.path().join("no/such/folder");
    let fault = back_up(&stage, &nowhere).await.expect_err("there is no such folder");
    assert_eq!(fault.code, FaultCode::BadInput);
    let left: Vec<_> = fs::read_dir(elsewhere.path()).expect("it is there").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
