//! The tool `list_folder`.

use crate::file_tool::FileTool;
use crate::roots::{self, Folder, Found};
use crate::walk::{Walk, Walked, Which};
use crate::{Place, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::io;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Lists what is in one of your folders and the folders below it, with the
/// size of every file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The folder: relative to one of your folders, or absolute inside one.
    /// `.` is the first of them, and the others are named.
    path: String,
    /// How many levels of folders to open below it; 0 lists the folder alone.
    /// 1 when left out.
    #[schemars(range(max = 10))]
    depth: Option<u8>,
    /// Whether to list hidden and ignored files too.
    all: Option<bool>,
}

const MOST_LISTED: usize = 1000;

pub(crate) fn tool() -> impl Tool {
    FileTool::looks("list_folder", list)
}

fn list(wanted: &Input, place: &Place, stop: &CancellationToken) -> Result<String, String> {
    let path = &wanted.path;
    if let Some((folder, here, others)) = first(path, place) {
        let text = listed(&folder, wanted, place, stop)
            .map_err(|trouble| format!("`{here}` cannot be listed: {trouble}"))?;
        return Ok(format!("[in {here}; your other folders: {}]\n{text}", others.join(", ")));
    }
    match roots::open(&place.roots, path)? {
        Found::Folder(folder) => listed(&folder, wanted, place, stop)
            .map_err(|trouble| format!("`{path}` cannot be listed: {trouble}")),
        Found::File { bytes, .. } => Err(format!("`{path}` is a file of {bytes} bytes")),
    }
}

/// What `.` means to who has several folders: the first that is there, where commands begin
/// too, with its name and those of the others.
fn first(path: &str, place: &Place) -> Option<(Folder, String, Vec<String>)> {
    let is_itself = !Path::new(path).is_absolute()
        && Path::new(path).components().all(|part| part == Component::CurDir);
    if !is_itself || place.roots.len() < 2 {
        return None;
    }
    // Without a slash at the end.
    let name = |root: &PathBuf| root.components().collect::<PathBuf>().display().to_string();
    let mut names: Vec<String> = place.roots.iter().map(name).collect();
    let (at, folder) =
        names.iter().enumerate().find_map(|(at, name)| match roots::open(&place.roots, name) {
            Ok(Found::Folder(folder)) => Some((at, folder)),
            Ok(Found::File { .. }) | Err(_) => None,
        })?;
    let here = names.remove(at);
    Some((folder, here, names))
}

fn listed(
    folder: &Folder,
    wanted: &Input,
    place: &Place,
    stop: &CancellationToken,
) -> io::Result<String> {
    let which = if wanted.all == Some(true) { Which::All } else { Which::Usual };
    let (mut lines, mut left_out) = (Vec::new(), false);
    let walk = Walk::new(which, place, stop);
    let walk = walk.no_deeper_than(usize::from(wanted.depth.unwrap_or(1)));
    let walked = walk.through(folder, &mut |entry| {
        if lines.len() == MOST_LISTED {
            left_out = true;
            return ControlFlow::Break(());
        }
        let indent = "  ".repeat(entry.path.components().count() - 1);
        let name = entry.name.display();
        lines.push(if entry.kind.is_dir() {
            format!("{indent}{name}/")
        } else if entry.kind.is_file() {
            let bytes = entry.folder.symlink_metadata(entry.name).map_or(0, |found| found.len());
            format!("{indent}{name}  {bytes}")
        } else {
            format!("{indent}{name}  (link or other)")
        });
        ControlFlow::Continue(())
    })?;
    if lines.is_empty() {
        let more =
            if which == Which::Usual { "; hidden and ignored files are not listed" } else { "" };
        return Ok(format!("[an empty folder{more}]"));
    }
    let mut text = lines.join("\n");
    if left_out || walked == Walked::TooMany {
        text.push_str(&format!(
            "\n[only the first {} are listed; list a folder below]",
            lines.len()
        ));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use serde_json::{Value, json};

    async fn list(house: &House, arguments: Value) -> String {
        let returned = tool().call(arguments, &house.context(&["home"])).await;
        assert!(returned.foreign);
        returned.text
    }

    #[tokio::test]
    async fn a_folder_is_listed_with_what_lies_below_it_in_order() {
        let house = House::new();
        house.write("home/notes/deep/er.txt", "x");
        house.write("home/.hidden", "");
        house.write("home/.git/config", "");
        house.write("home/build/out.bin", "");
        house.write("home/.gitignore", "build/\n");
        let path = |depth: u8| json!({"path": ".", "depth": depth});
        assert_eq!(list(&house, path(0)).await, "notes/\nreadme.txt  5");
        let one = "notes/\n  deep/\n  plan.md  15\nreadme.txt  5";
        assert_eq!(list(&house, path(1)).await, one);
        assert_eq!(list(&house, json!({"path": "."})).await, one);
        assert_eq!(list(&house, path(2)).await.lines().nth(2), Some("    er.txt  1"));
        let all = list(&house, json!({"path": ".", "depth": 0, "all": true})).await;
        assert_eq!(all, ".gitignore  7\n.hidden  0\nbuild/\nnotes/\nreadme.txt  5");
        assert_eq!(
            list(&house, json!({"path": "readme.txt"})).await,
            "`readme.txt` is a file of 5 bytes"
        );
    }

    #[tokio::test]
    async fn of_several_folders_the_first_is_listed_and_the_others_are_named() {
        let house = House::new();
        house.write("second/only.txt", "x");
        let with = house.context(&["home", "second"]);
        let path = |path: &str| house.path(path).display().to_string();
        let told = format!("[in {}; your other folders: {}]\n", path("home"), path("second"));
        for itself in [".", "", "./"] {
            let listed = tool().call(json!({"path": itself, "depth": 0}), &with).await;
            assert_eq!((listed.ok, listed.text), (true, format!("{told}notes/\nreadme.txt  5")));
        }
        // One that is gone is not the first.
        let with = house.context(&["gone", "second"]);
        let listed = tool().call(json!({"path": "."}), &with).await;
        let told = format!("[in {}; your other folders: {}]\n", path("second"), path("gone"));
        assert_eq!(listed.text, format!("{told}only.txt  1"));
        let missing = tool().call(json!({"path": "only"}), &with).await;
        assert!(!missing.ok, "{missing:?}");
    }

    #[tokio::test]
    async fn a_folder_with_too_much_in_it_is_listed_in_part() {
        let house = House::new();
        for n in 0..1100 {
            house.write(&format!("home/many/{n:04}"), "");
        }
        let text = list(&house, json!({"path": "many"})).await;
        assert_eq!(text.lines().count(), 1001);
        assert!(text.ends_with("0999  0\n[only the first 1000 are listed; list a folder below]"));
    }
}
