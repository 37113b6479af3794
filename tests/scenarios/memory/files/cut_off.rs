//! An import that the end of a process cut off, and whose file is gone at the next start.

use super::{all, copy_folder, folder, from, import, many, refused};
use domain::{CheckState, Command, FaultCode, ImportCutOff, MemoryIndex, Query, Reply};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tempfile::TempDir;
use tests::{Stage, stage};

/// What a kill leaves of a workspace that has begun to take in a file.
async fn killed(path: &Path) -> TempDir {
    let killed = TempDir::new().expect("a temporary folder");
    let stage = stage().open().await;
    let (data, copy) = (stage.data().to_owned(), killed.path().to_owned());
    let copied = AtomicBool::new(false);
    fail::cfg_callback("memories.imported", move || {
        if !copied.swap(true, Relaxed) {
            copy_folder(&data, &copy);
        }
    })
    .expect("it is a point");
    import(&stage, from(path)).await;
    fail::remove("memories.imported");
    killed
}

async fn open(killed: &TempDir) -> Stage {
    let left = killed.path().to_owned();
    stage().before(move |data| copy_folder(&left, data)).open().await
}

async fn waiting(stage: &Stage) -> Vec<ImportCutOff> {
    match stage.query(Query::MemoryIndex).await {
        Ok(Reply::MemoryIndex(MemoryIndex { cut_off, .. })) => cut_off,
        other => panic!("no index: {other:?}"),
    }
}

/// What the doctor says of it, if anything.
async fn check(stage: &Stage) -> Option<(CheckState, String)> {
    let Ok(Reply::Checks(checks)) = stage.query(Query::Doctor).await else { panic!("no checks") };
    let check = checks.into_iter().find(|check| check.name == "memory import");
    check.map(|check| (check.state, check.detail))
}

/// Begun, and its file taken away.
async fn without_its_file(folder: &TempDir) -> (Stage, PathBuf, usize) {
    let (path, count) = many(folder);
    let left = killed(&path).await;
    std::fs::rename(&path, folder.path().join("aside")).expect("it is moved");
    let stage = open(&left).await;
    stage.until(async |stage: &Stage| !waiting(stage).await.is_empty()).await;
    (stage, path, count)
}

#[tokio::test]
async fn it_waits_for_its_file_everybody_is_told_and_it_goes_on_when_it_is_back() {
    let folder = folder();
    let (stage, path, count) = without_its_file(&folder).await;
    let told = waiting(&stage).await.remove(0);
    assert_eq!(told.path, path.display().to_string());
    let (state, detail) = check(&stage).await.expect("the doctor says it");
    assert_eq!(state, CheckState::Degraded);
    assert!(detail.contains(&told.path) && detail.contains(&told.why), "{detail}");
    assert!(all(&stage).await.len() < count, "what was taken in stays, and no more is");
    let stage = stage.reopen().await;
    stage.until(async |stage: &Stage| !waiting(stage).await.is_empty()).await;
    std::fs::rename(folder.path().join("aside"), &path).expect("it is back");
    let stage = stage.reopen().await;
    stage.until(async |stage: &Stage| all(stage).await.len() == count).await;
    stage.until(async |stage: &Stage| waiting(stage).await.is_empty()).await;
    assert_eq!(check(&stage).await, None);
}

#[tokio::test]
async fn it_goes_on_no_more_when_the_person_drops_it_or_takes_the_file_in_again() {
    let folder = folder();
    let (stage, path, count) = without_its_file(&folder).await;
    let drop_it = Command::DropImport { path: path.display().to_string() };
    stage.do_(drop_it.clone()).await;
    assert_eq!(waiting(&stage).await, []);
    assert_eq!(refused(&stage, drop_it).await.code, FaultCode::NotFound);
    let kept = all(&stage).await.len();
    std::fs::rename(folder.path().join("aside"), &path).expect("it is back");
    let stage = stage.reopen().await;
    assert_eq!((all(&stage).await.len(), waiting(&stage).await), (kept, vec![]));

    let (stage, path, _) = without_its_file(&folder).await;
    std::fs::rename(folder.path().join("aside"), &path).expect("it is back");
    assert_eq!(import(&stage, from(&path)).await.found as usize, count);
    assert_eq!(waiting(&stage).await, []);
}
