//! The tool `edit_file`.

use crate::change::{self, Before};
use crate::file_tool::FileTool;
use crate::{CallContext, Returned, Tool, roots};
use schemars::JsonSchema;
use serde::Deserialize;

/// Changes a part of a text file in one of your folders: puts a new text in
/// the place of one that is there. Gives back what changed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The path of the file: absolute inside one of your folders, or relative
    /// to the first of them.
    path: String,
    /// What stands there now, exactly as it is, spaces and line breaks too,
    /// and enough of it to be found only once.
    old: String,
    /// What is to stand there. Nothing takes the old text away.
    new: String,
    /// Whether to change every place where the old text stands.
    all: Option<bool>,
}

pub(crate) fn tool() -> impl Tool {
    FileTool::changes("edit_file", edit)
}

fn edit(wanted: &Input, with: &CallContext) -> Result<Returned, String> {
    let path = &wanted.path;
    let not_changed = |why: String| format!("`{path}` was not changed: {why}");
    let landing = change::landing(path, with)?;
    let folder = landing.folder().map_err(|trouble| roots::landing_refusal(path, &trouble))?;
    let Before::Text(before) = change::before(&folder, landing.name()).map_err(not_changed)? else {
        return Err(not_changed(format!(
            "there is no {}; `write_file` makes a new file",
            landing.whole().display()
        )));
    };
    let after = edited(&before, wanted).map_err(not_changed)?;
    if after.len() as u64 > change::MOST_BYTES {
        return Err(not_changed("it would be too long".into()));
    }
    // Somebody may have written while this was thought about.
    match change::before(&folder, landing.name()) {
        Ok(Before::Text(now)) if now == before => {}
        Ok(_) | Err(_) => return Err(not_changed("somebody else has just changed it".into())),
    }
    change::put(&folder, landing.name(), &after, with.key)
        .map_err(|trouble| not_changed(trouble.to_string()))?;
    Ok(Returned::ok(change::diff(&landing.whole(), &before, &after)).foreign())
}

/// The text with the change made, or why it cannot be.
fn edited(before: &str, wanted: &Input) -> Result<String, String> {
    let Input { old, new, all, .. } = wanted;
    if old.is_empty() {
        return Err("`old` is empty; give the text that is to be changed".into());
    }
    // Models write plain line breaks, whatever the file has.
    let as_in_file = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
    let has_other_breaks = !before.contains(old.as_str()) && before.contains("\r\n");
    let (old, new) = match has_other_breaks {
        true => (as_in_file(old), as_in_file(new)),
        false => (old.clone(), new.clone()),
    };
    if old == new {
        return Err("`old` and `new` are the same".into());
    }
    let found: Vec<usize> = before.match_indices(&old).map(|(at, _)| at).collect();
    match (found.len(), all) {
        (0, _) => Err(not_there(before, &old)),
        (1, _) | (_, Some(true)) => Ok(before.replace(&old, &new)),
        (times, _) => {
            let lines: Vec<String> = found
                .iter()
                .take(MOST_LINES_NAMED)
                .map(|at| line_of(before, *at).to_string())
                .collect();
            let more = if times > MOST_LINES_NAMED { " and more" } else { "" };
            Err(format!(
                "`old` stands there {times} times, in lines {}{more}; give more of what stands around the right one, or say `all`",
                lines.join(", ")
            ))
        }
    }
}

const MOST_LINES_NAMED: usize = 10;

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Says so, and where it nearly stands.
fn not_there(before: &str, old: &str) -> String {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted: Vec<String> = old.lines().map(plain).skip_while(String::is_empty).collect();
    let nearly = wanted.first().and_then(|first| {
        let lines: Vec<String> = before.lines().map(plain).collect();
        let fits = |at: &usize| {
            lines[*at] == *first
                && wanted.iter().zip(&lines[*at..]).all(|(wanted, line)| wanted == line)
        };
        (0..lines.len()).find(fits).map(|at| at + 1)
    });
    match nearly {
        Some(line) => format!(
            "`old` stands in line {line} with other spaces or line breaks; give it exactly as it is"
        ),
        None => "`old` does not stand in it; read it, and give the text exactly as it is".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use serde_json::{Value, json};

    async fn edit(house: &House, arguments: Value) -> Returned {
        tool().call(arguments, &house.context(&["home"])).await
    }

    #[tokio::test]
    async fn the_one_place_is_changed_and_the_difference_is_given_back() {
        let house = House::new();
        let arguments = json!({"path": "notes/plan.md", "old": "tea", "new": "coffee"});
        let edited = edit(&house, arguments).await;
        let path = house.path("home/notes/plan.md").display().to_string();
        assert_eq!(
            edited,
            Returned::ok(format!(
                "--- {path}\n+++ {path}\n@@ -1,2 +1,2 @@\n-buy tea\n+buy coffee\n 买茶\n"
            ))
            .foreign()
        );
        assert_eq!(house.read("home/notes/plan.md"), "buy coffee\n买茶\n");
        assert_eq!(house.names("home/notes"), ["plan.md"]);
    }

    #[test]
    fn what_is_not_there_once_is_told_with_what_helps() {
        let check = |before: &str, old: &str, all: Option<bool>, expected: Result<&str, &str>| {
            let wanted = Input { path: "f".into(), old: old.into(), new: "N".into(), all };
            let found = edited(before, &wanted);
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{old:?}");
        };
        check("a b\nc\n", "b", None, Ok("a N\nc\n"));
        check("a a\na\n", "a", Some(true), Ok("N N\nN\n"));
        check(
            "a a\na\n",
            "a",
            None,
            Err(
                "`old` stands there 3 times, in lines 1, 1, 2; give more of what stands around the right one, or say `all`",
            ),
        );
        check(
            "a b\nc\n",
            "x",
            None,
            Err("`old` does not stand in it; read it, and give the text exactly as it is"),
        );
        check(
            "one\n\tif x {\n\t\ty\n",
            "if x {\n  y",
            None,
            Err(
                "`old` stands in line 2 with other spaces or line breaks; give it exactly as it is",
            ),
        );
        check("a\r\nb\r\nc", "a\nb", None, Ok("N\r\nc"));
        check("a", "", None, Err("`old` is empty; give the text that is to be changed"));
        check("N", "N", None, Err("`old` and `new` are the same"));
    }

    #[tokio::test]
    async fn what_is_no_text_file_is_left_as_it_is() {
        let house = House::new();
        house.write("home/picture.png", b"\x89PNG\r\n\x1a\n\xff\xfe");
        let check = async |path: &str, expected: &str| {
            let refused = edit(&house, json!({"path": path, "old": "a", "new": "b"})).await;
            assert_eq!((refused.ok, refused.text.as_str()), (false, expected));
        };
        check("picture.png", "`picture.png` was not changed: it is no UTF-8 text").await;
        check("notes", "`notes` was not changed: it is a folder").await;
        let whole = house.path("home/gone.md");
        let gone = format!(
            "`gone.md` was not changed: there is no {}; `write_file` makes a new file",
            whole.display()
        );
        check("gone.md", &gone).await;
        check("no/such/file", "there is no folder to put `no/such/file` into").await;
    }
}
