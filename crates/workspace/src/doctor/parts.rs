//! The files that ship with Coterie: there, whole, and unchanged.

use super::found::{at, degraded};
use crate::shared::Shared;
use domain::{Check, CheckAbout, Finding};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AGAIN: &str = "install Coterie again, or run make assets";

/// Reads them whole, which takes a moment, so it happens beside the rest.
pub(super) async fn all(shared: &Arc<Shared>) -> Vec<Check> {
    let shared = shared.clone();
    let looked = tokio::task::spawn_blocking(move || {
        let places = &shared.places;
        let shipped = shipped(&places.assets).unwrap_or_default();
        let lexical = "search is lexical only";
        [
            (CheckAbout::Engine, places.engine.clone(), "local models cannot run"),
            (CheckAbout::Keeper, places.keeper.clone(), "no program can be started for agents"),
            (
                CheckAbout::StarterModel,
                places.starter_model(),
                "agents need another model to answer",
            ),
            (CheckAbout::EmbeddingModel, places.embedding_model(), lexical),
            (CheckAbout::OnnxRuntime, places.onnxruntime.clone(), lexical),
        ]
        .map(|(about, file, without)| part(about, &file, without, &shipped))
    });
    looked.await.map(Vec::from).unwrap_or_default()
}

fn part(about: CheckAbout, file: &Path, without: &str, shipped: &[Shipped]) -> Check {
    let path = file.display().to_string();
    let Ok(metadata) = fs::metadata(file) else {
        let told = format!("{path} is missing: {without}");
        return degraded(about, told, AGAIN, Finding::PartMissing { path });
    };
    let Some(shipped) = shipped.iter().find(|shipped| file.ends_with(&shipped.name)) else {
        return at(about, file);
    };
    let (found_bytes, shipped_bytes) = (metadata.len(), shipped.bytes);
    if found_bytes != shipped_bytes {
        let told = format!("{path} has {found_bytes} bytes instead of {shipped_bytes}: {without}");
        let finding = Finding::PartCut { path, found_bytes, shipped_bytes };
        return degraded(about, told, AGAIN, finding);
    }
    match sha256(file) {
        Ok(found) if found == shipped.sha256 => at(about, file),
        Ok(_) => {
            let told = format!("{path} is not as it was shipped: {without}");
            degraded(about, told, AGAIN, Finding::PartChanged { path })
        }
        Err(error) => {
            let told = format!("{path} cannot be read ({error}): {without}");
            degraded(about, told, AGAIN, Finding::PartMissing { path })
        }
    }
}

/// What the manifest says of a file.
struct Shipped {
    /// Its path below the assets.
    name: PathBuf,
    bytes: u64,
    sha256: String,
}

/// Those for this machine.
fn shipped(assets: &Path) -> Option<Vec<Shipped>> {
    let manifest = fs::read(assets.join("manifest.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).ok()?;
    let here = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let files = manifest["files"].as_array()?.iter();
    let ours = files.filter(|file| file["platform"].as_str().is_none_or(|name| name == here));
    let read = |file: &serde_json::Value| {
        Some(Shipped {
            name: file["name"].as_str()?.into(),
            bytes: file["bytes"].as_u64()?,
            sha256: file["sha256"].as_str()?.to_owned(),
        })
    };
    Some(ours.filter_map(read).collect())
}

fn sha256(file: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    let mut file = BufReader::with_capacity(1 << 18, fs::File::open(file)?);
    loop {
        let read = file.fill_buf()?;
        if read.is_empty() {
            break;
        }
        hash.update(read);
        let taken = read.len();
        file.consume(taken);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::CheckState;

    /// A folder of assets whose manifest knows one file, with these bytes in it.
    fn looked_at(written: &[u8]) -> Check {
        let assets = tempfile::tempdir().unwrap();
        // The digest is the well-known one of "abc", from FIPS 180-2.
        let manifest = r#"{"files": [{"name": "models/a.gguf", "bytes": 3,
            "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}]}"#;
        fs::write(assets.path().join("manifest.json"), manifest).unwrap();
        fs::create_dir(assets.path().join("models")).unwrap();
        let file = assets.path().join("models/a.gguf");
        fs::write(&file, written).unwrap();
        part(CheckAbout::StarterModel, &file, "nobody answers", &shipped(assets.path()).unwrap())
    }

    #[test]
    fn a_file_that_shipped_is_told_from_one_cut_and_one_changed_inside() {
        assert_eq!(looked_at(b"abc").state, CheckState::Ok);
        let cut = looked_at(b"ab");
        assert!(cut.detail.contains("has 2 bytes instead of 3: nobody answers"), "{}", cut.detail);
        let changed = looked_at(b"abd");
        assert_eq!(changed.state, CheckState::Degraded);
        assert!(changed.detail.contains("is not as it was shipped"), "{}", changed.detail);
        assert!(changed.fix.contains("make assets"), "{}", changed.fix);
    }
}
