//! A backup that an earlier version made, of the directory that it left.

use super::{counts, from_older, memories, read};
use domain::TakenKind;
use serde_json::json;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use tar::{Builder, Header};

const LEFT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/older/schema-15.tar.gz");
const PARTS: [&str; 6] = ["coterie.db", "profile.md", "souls", "skills", "attachments", "folders"];

/// As that version wrote backups.
fn backup(folder: &Path) -> PathBuf {
    let unpacked = Command::new("tar").arg("-xzf").arg(LEFT).arg("-C").arg(folder).status();
    assert!(unpacked.expect("tar is installed").success());
    let mut tar = Builder::new(Vec::new());
    let head = json!({ "format": 1, "version": "0.0.1", "schema": 15, "made_ms": 7 });
    append(&mut tar, "coterie-backup.json", head.to_string().as_bytes());
    let mut list = Vec::new();
    for part in PARTS {
        for path in files(&folder.join("data").join(part)) {
            let mut bytes = Vec::new();
            File::open(&path)
                .and_then(|mut file| file.read_to_end(&mut bytes))
                .expect("it is there");
            let name = path.strip_prefix(folder.join("data")).expect("it is in it");
            let name = name.to_str().expect("it is text");
            let hash = blake3::hash(&bytes).to_hex().to_string();
            list.push(json!({ "path": name, "bytes": bytes.len(), "blake3": hash }));
            append(&mut tar, name, &bytes);
        }
    }
    append(&mut tar, "files.json", json!(list).to_string().as_bytes());
    let mut bytes = tar.into_inner().expect("there is room");
    let seal = blake3::hash(&bytes).to_hex();
    writeln!(bytes, "coterie-backup {seal}").expect("there is room");
    let file = folder.join("older.coterie");
    fs::write(&file, bytes).expect("there is room");
    file
}

fn append(tar: &mut Builder<Vec<u8>>, name: &str, bytes: &[u8]) {
    let mut header = Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o600);
    tar.append_data(&mut header, name, bytes).expect("there is room");
}

fn files(at: &Path) -> Vec<PathBuf> {
    if at.is_file() {
        return vec![at.to_owned()];
    }
    let inside = fs::read_dir(at).expect("it is there").flatten();
    let mut inside: Vec<PathBuf> = inside.map(|one| one.path()).collect();
    inside.sort();
    inside.iter().flat_map(|one| files(one)).collect()
}

#[tokio::test]
async fn a_backup_of_an_earlier_version_comes_in_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (here, told) = from_older(&backup(folder.path())).await;
    let told = counts(&told);
    let new = |kind| told.iter().find(|(what, _)| *what == kind).map_or(0, |(_, [new, ..])| *new);
    let kinds = [TakenKind::Conversation, TakenKind::Post, TakenKind::Memory, TakenKind::File];
    assert!(kinds.into_iter().all(|kind| new(kind) > 0), "{told:?}");
    let kept: Vec<String> = memories(&here).await.into_iter().map(|one| one.text).collect();
    assert!(kept.iter().any(|text| text == "Ann drinks green tea"), "{kept:?}");
    assert!(read(&here, "skills/brewing/SKILL.md").contains("brewing"));
    assert!(read(&here, "souls/kim.md").contains("You grow tea."));
    assert!(!here.data().join("backups").exists(), "no way back is kept of what is not here");
    let recipes = fs::read_dir(here.data().join("folders")).expect("they came").flatten();
    assert_eq!(recipes.filter(|one| one.path().join("recipe.md").exists()).count(), 2);
}
