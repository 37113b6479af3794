//! The tool `find_files`.

use crate::file_tool::FileTool;
use crate::roots::{self, Found};
use crate::walk::{Walk, Walked, Which};
use crate::{Place, Tool};
use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// Finds files in your folders by their names.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The names to find, such as `*.md`, `report-2026-*` or `src/**/*.rs`. `*`
    /// stands for any letters, `**` for any folders, `{a,b}` for one of them. A
    /// pattern without `/` is looked for in every folder.
    pattern: String,
    /// Where to look: a folder, relative to one of your folders or absolute
    /// inside one. In all of your folders when left out.
    path: Option<String>,
    /// Whether to find hidden and ignored files too.
    all: Option<bool>,
}

const MOST_FOUND: usize = 500;

pub(crate) fn tool() -> impl Tool {
    FileTool::looks("find_files", find)
}

/// A pattern of paths; one without `/` fits in every folder.
pub(crate) fn pattern(pattern: &str) -> Result<GlobMatcher, String> {
    let anywhere = if pattern.contains('/') { "" } else { "**/" };
    let whole = format!("{anywhere}{}", pattern.trim_start_matches("./"));
    let glob = GlobBuilder::new(&whole).literal_separator(true).build();
    let glob = glob.map_err(|error| format!("`{pattern}` is no pattern: {}", error.kind()))?;
    Ok(glob.compile_matcher())
}

/// The folders to look in: the one that is named, else all, each with the path
/// that what is found in it begins with.
pub(crate) fn places(
    roots: &[PathBuf],
    path: Option<&str>,
) -> Result<Vec<(PathBuf, Found)>, String> {
    match path {
        Some(path) => Ok(vec![(PathBuf::from(path), roots::open(roots, path)?)]),
        None => {
            let open = |root: &PathBuf| {
                let shown = root.display().to_string();
                let name = if roots.len() == 1 { PathBuf::new() } else { root.clone() };
                roots::open(roots, &shown).ok().map(|found| (name, found))
            };
            Ok(roots.iter().filter_map(open).collect())
        }
    }
}

fn find(wanted: &Input, place: &Place, stop: &CancellationToken) -> Result<String, String> {
    let pattern = pattern(&wanted.pattern)?;
    let which = if wanted.all == Some(true) { Which::All } else { Which::Usual };
    let (mut found, mut is_all) = (Vec::new(), true);
    for (begins, found_there) in places(&place.roots, wanted.path.as_deref())? {
        let Found::Folder(folder) = found_there else {
            return Err(format!("`{}` is a file, not a folder", begins.display()));
        };
        let walked = Walk::new(which, place, stop).through(&folder, &mut |entry| {
            if found.len() == MOST_FOUND {
                return ControlFlow::Break(());
            }
            if entry.kind.is_file() && pattern.is_match(entry.path) {
                found.push(begins.join(entry.path).display().to_string());
            }
            ControlFlow::Continue(())
        });
        is_all &= matches!(walked, Ok(Walked::All));
    }
    if found.is_empty() {
        let hint =
            if which == Which::Usual { "; hidden and ignored files were left out" } else { "" };
        return Ok(format!("[no file fits `{}`{hint}]", wanted.pattern));
    }
    let mut text = found.join("\n");
    if !is_all {
        text.push_str(&format!(
            "\n[{} files, and there may be more; look in one folder or for less]",
            found.len()
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use serde_json::{Value, json};

    async fn find(house: &House, roots: &[&str], arguments: Value) -> String {
        tool().call(arguments, &house.context(roots)).await.text
    }

    #[tokio::test]
    async fn files_are_found_by_name_in_every_folder_but_not_what_is_ignored() {
        let house = House::new();
        house.write("home/src/a.rs", "");
        house.write("home/src/deep/b.rs", "");
        house.write("home/target/c.rs", "");
        house.write("home/.gitignore", "target\n*.log\n!keep.log\n");
        house.write("home/src/.gitignore", "!x.log\n");
        house.write("home/x.log", "");
        house.write("home/src/x.log", "");
        house.write("home/keep.log", "");
        let find = async |arguments| find(&house, &["home"], arguments).await;
        assert_eq!(find(json!({"pattern": "*.rs"})).await, "src/a.rs\nsrc/deep/b.rs");
        assert_eq!(find(json!({"pattern": "src/*.rs"})).await, "src/a.rs");
        assert_eq!(find(json!({"pattern": "*.rs", "path": "src/deep"})).await, "src/deep/b.rs");
        assert_eq!(find(json!({"pattern": "*.log"})).await, "keep.log\nsrc/x.log");
        let all = find(json!({"pattern": "**/*.rs", "all": true})).await;
        assert_eq!(all, "src/a.rs\nsrc/deep/b.rs\ntarget/c.rs");
        let none = "[no file fits `*.py`; hidden and ignored files were left out]";
        assert_eq!(find(json!({"pattern": "*.py"})).await, none);
        let bad = find(json!({"pattern": "a{b"})).await;
        assert!(bad.starts_with("`a{b` is no pattern: "), "{bad}");
    }

    #[tokio::test]
    async fn in_several_folders_a_file_is_found_by_its_whole_path() {
        let house = House::new();
        house.write("second/plan.md", "");
        let found = find(&house, &["home", "second", "gone"], json!({"pattern": "plan.*"})).await;
        let both = ["home/notes/plan.md", "second/plan.md"];
        let both = both.map(|path| house.path(path).display().to_string());
        assert_eq!(found, both.join("\n"));
    }
}
