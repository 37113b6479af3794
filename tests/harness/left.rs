//! What is left of words in a workspace.

use crate::Stage;
use domain::{Query, Reply, Search};
use std::path::Path;

/// How much is found by them.
pub async fn found_by(stage: &Stage, text: &str) -> usize {
    let search =
        Search { text: text.into(), places: Vec::new(), group: None, agent: None, limit: 10 };
    match stage.query(Query::Search { search }).await {
        Ok(Reply::Found(found)) => found.items.len(),
        other => panic!("nothing found: {other:?}"),
    }
}

/// The files that have these words, in whatever letters.
pub fn in_files(folder: &Path, words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(in_files(&path, words));
        } else if let Ok(bytes) = std::fs::read(&path) {
            let bytes = bytes.to_ascii_lowercase();
            if bytes.windows(words.len()).any(|window| window == words.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}
