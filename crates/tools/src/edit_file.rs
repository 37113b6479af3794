//! The tool `edit_file`.

use crate::change::{self, Before};
use crate::file_tool::FileTool;
use crate::roots::{self, Landing};
use crate::{CallContext, Returned, Tool, marks};
use cap_std::fs::Dir;
use domain::redacted_in;
use schemars::JsonSchema;
use serde::Deserialize;
use std::ops::Range;

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
    FileTool::changes("edit_file", edit).touching(lines_of).foreseen_by(refused)
}

fn edit(wanted: &Input, with: &CallContext) -> Result<Returned, String> {
    let path = &wanted.path;
    let landing = change::landing(path, with)?;
    let Edit { folder, before, after } = prepared(wanted, &landing)?;
    // Somebody may have written while this was thought about.
    match change::before(&folder, landing.name()) {
        Ok(Before::Text(now)) if now == before => {}
        Ok(_) | Err(_) => return Err(not_changed(path, "somebody else has just changed it")),
    }
    change::put(&folder, landing.name(), &after, with.key)
        .map_err(|trouble| not_changed(path, &trouble.to_string()))?;
    Ok(Returned::ok(change::diff(&landing.whole(), &before, &after)).foreign())
}

/// Why it would not be changed, as things stand now.
fn refused(wanted: &Input, landing: &Landing) -> Option<String> {
    prepared(wanted, landing).err()
}

/// The whole lines in which the old text stands.
fn lines_of(wanted: &Input, text: &str) -> String {
    let plainly = |text: &str| text.replace("\r\n", "\n");
    let (text, old) = (plainly(text), plainly(&wanted.old));
    let line = |at: usize| {
        let from = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = at + old.len();
        let to = text[end..].find('\n').map_or(text.len(), |to| end + to);
        text[from..to].to_owned()
    };
    let found = text.match_indices(&old).filter(|_| !old.is_empty());
    found.map(|(at, _)| line(at)).collect::<Vec<_>>().join("\n")
}

/// A change that can be made.
struct Edit {
    folder: Dir,
    before: String,
    after: String,
}

fn prepared(wanted: &Input, landing: &Landing) -> Result<Edit, String> {
    let path = &wanted.path;
    let refused = |why: String| not_changed(path, &why);
    let folder = landing.folder().map_err(|trouble| roots::landing_refusal(path, &trouble))?;
    let Before::Text(before) = change::before(&folder, landing.name()).map_err(refused)? else {
        return Err(refused(format!(
            "there is no {}; `write_file` makes a new file",
            landing.whole().display()
        )));
    };
    let after = edited(&before, wanted).map_err(refused)?;
    if after.len() as u64 > change::MOST_BYTES {
        return Err(refused("it would be too long".into()));
    }
    match marks::put_in(&before, &after) {
        Some(mark) => Err(refused(marks::refusal(mark, AROUND_IT))),
        None => Ok(Edit { folder, before, after }),
    }
}

/// What to do instead of giving a mark.
const AROUND_IT: &str = "leave that line out of `old` and `new`, and change only the others";

fn not_changed(path: &str, why: &str) -> String {
    format!("`{path}` was not changed: {why}")
}

/// The text with the change made, or why it cannot be.
fn edited(before: &str, wanted: &Input) -> Result<String, String> {
    let Input { old, new, all, .. } = wanted;
    if old.is_empty() {
        return Err("`old` is empty; give the text that is to be changed".into());
    }
    // Models write plain line breaks, whatever the file has. Who changes nothing else means
    // those that are given.
    let plainly = |text: &str| text.replace("\r\n", "\n");
    let only_breaks = plainly(old) == plainly(new) && before.contains(old.as_str());
    let is_exact = only_breaks || !before.contains('\n');
    let written = |text: &str| if is_exact { text.to_owned() } else { plainly(text) };
    let (text, old, new) = (written(before), written(old), written(new));
    if old == new {
        return Err("`old` and `new` are the same".into());
    }
    let found: Vec<usize> = text.match_indices(&old).map(|(at, _)| at).collect();
    match (found.len(), all) {
        (0, _) => Err(not_there(before, &old)),
        (1, _) | (_, Some(true)) if is_exact => Ok(before.replace(&old, &new)),
        (1, _) | (_, Some(true)) => Ok(put_in(before, &found, old.len(), &new)),
        (times, _) => {
            let lines: Vec<String> = found
                .iter()
                .take(MOST_LINES_NAMED)
                .map(|at| line_of(&text, *at).to_string())
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

/// The text with `new` in each of these places, which are those of the text with plain line
/// breaks. Its own are written as they stand there.
fn put_in(before: &str, found: &[usize], length: usize, new: &str) -> String {
    let returns: Vec<usize> =
        before.match_indices("\r\n").enumerate().map(|(nth, (at, _))| at - nth).collect();
    let stood = |at: usize| at + returns.partition_point(|before| *before < at);
    let (mut after, mut done) = (String::with_capacity(before.len() + new.len()), 0);
    for at in found {
        let place = stood(*at)..stood(at + length);
        after.push_str(&before[done..place.start]);
        done = place.end;
        after.push_str(&as_there(new, before, place));
    }
    after.push_str(&before[done..]);
    after
}

/// With the line breaks that stood in this place, and where it had none or fewer, with those
/// around it.
fn as_there(new: &str, before: &str, place: Range<usize>) -> String {
    let mut there = change::breaks(&before[place.clone()]);
    let behind = change::breaks(&before[place.end..]).next();
    let around = behind.or_else(|| change::breaks(&before[..place.start]).next_back());
    let mut last = around.unwrap_or("\n");
    let mut lines = new.split('\n');
    let mut written = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        last = there.next().unwrap_or(last);
        written.push_str(last);
        written.push_str(line);
    }
    written
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Says so, and where it nearly stands, or why it cannot.
fn not_there(before: &str, old: &str) -> String {
    if let Some(mark) = redacted_in(old).next() {
        return format!(
            "`old` has `{mark}`, which is not what stands there: it is shown to you in the place of a secret; {AROUND_IT}"
        );
    }
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
    use crate::Place;
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
        check("a\r\nb\r\na\r\nb\r\n", "a\nb", Some(true), Ok("N\r\nN\r\n"));
        check(
            "a\r\nb\r\nb\r\n",
            "b",
            None,
            Err(
                "`old` stands there 2 times, in lines 2, 3; give more of what stands around the right one, or say `all`",
            ),
        );
        check("a", "", None, Err("`old` is empty; give the text that is to be changed"));
        check("N", "N", None, Err("`old` and `new` are the same"));
    }

    #[test]
    fn a_file_keeps_its_line_breaks() {
        let check = |before: &str, old: &str, new: &str, expected: &str| {
            let (old, new) = (old.to_owned(), new.to_owned());
            let wanted = Input { path: "f".into(), old, new, all: None };
            assert_eq!(edited(before, &wanted).as_deref(), Ok(expected), "{wanted:?}");
        };
        check("one\r\ntwo\r\n", "two", "two\nadded", "one\r\ntwo\r\nadded\r\n");
        check("one\r\ntwo", "two", "two\nadded\n", "one\r\ntwo\r\nadded\r\n");
        check("one\r\ntwo\r\n", "one\ntwo\n", "1\n2\n3\n", "1\r\n2\r\n3\r\n");
        check("one\r\ntwo\r\n", "one\r\ntwo", "1\n2", "1\r\n2\r\n");
        check("one\ntwo\n", "two", "two\r\nadded", "one\ntwo\nadded\n");
        // One that is mixed stays so, line by line.
        check("a\r\nb\nc\r\nd\n", "b\nc\nd", "B\nC\nD", "a\r\nB\nC\r\nD\n");
        check("a\r\nb\nc\r\n", "a", "a\nA", "a\r\nA\r\nb\nc\r\n");
        check("a\r\nb\nc\r\n", "b", "b\nB", "a\r\nb\nB\nc\r\n");
        // Who gives nothing but other line breaks means them.
        check("a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n");
        check("a\nb\n", "a\n", "a\r\n", "a\r\nb\n");
        check("no break", "no", "one\r\nno", "one\r\nno break");
    }

    #[tokio::test]
    async fn a_difference_shows_no_line_breaks_and_says_where_they_change() {
        let house = House::new();
        house.write("home/crlf.txt", "one\r\ntwo\r\nthree\r\n");
        let path = house.path("home/crlf.txt").display().to_string();
        let head = format!("--- {path}\n+++ {path}\n");
        let arguments = json!({"path": "crlf.txt", "old": "two", "new": "two\nadded"});
        let body = "@@ -1,3 +1,4 @@\n one\n two\n+added\n three\n";
        assert_eq!(edit(&house, arguments).await.text, format!("{head}{body}"));
        assert_eq!(house.read("home/crlf.txt"), "one\r\ntwo\r\nadded\r\nthree\r\n");
        let arguments = json!({"path": "crlf.txt", "old": "one\r\n", "new": "one\n"});
        let told = "[line breaks change: they were CRLF, and are CRLF and LF]\n";
        assert_eq!(edit(&house, arguments).await.text, format!("{head}{told}"));
    }

    #[tokio::test]
    async fn a_secret_that_was_not_shown_is_left_alone_and_its_mark_is_not_put_in_its_place() {
        let house = House::new();
        let holds = "tok=0123-4567\nmore=1\n";
        house.write("home/.env", holds);
        let (mark, around) = ("[redacted EVILTOK]", "leave that line out of `old` and `new`");
        let place = house.context(&["home"]).place;
        let check = async |old: &str, new: &str, begins: &str| {
            let arguments = json!({"path": ".env", "old": old, "new": new});
            let told = tool().in_vain(&arguments, &place);
            let refused = edit(&house, arguments).await;
            assert!(!refused.ok && refused.text.contains(around), "{refused:?}");
            let begins = format!("`.env` was not changed: {begins}");
            assert!(refused.text.starts_with(&begins), "{refused:?}");
            assert_eq!(told, Some(refused.text));
            assert_eq!(house.read("home/.env"), holds);
        };
        let old = format!("tok={mark}\nmore=1");
        check(&old, "more=2", "`old` has `[redacted EVILTOK]`, which is not what").await;
        let new = format!("more=1\nagain={mark}");
        check("more=1", &new, "`[redacted EVILTOK]` is not what stands in a file").await;
        let arguments = json!({"path": ".env", "old": "more=1", "new": "more=2"});
        assert_eq!(tool().in_vain(&arguments, &place), None);
        assert!(edit(&house, arguments).await.ok);
        assert_eq!(house.read("home/.env"), "tok=0123-4567\nmore=2\n");
        let unseen = vec!["*/.env".to_owned()];
        let place = Place { unseen, ..house.context(&["home"]).place };
        let arguments = json!({"path": ".env", "old": "tok=1", "new": "tok=2"});
        assert_eq!(tool().in_vain(&arguments, &place), None);
        // A mark that is the file's own text may be changed like any other.
        house.write("home/how.md", "It reads [redacted].\n");
        let arguments =
            json!({"path": "how.md", "old": "It reads [redacted]", "new": "You read [redacted]"});
        assert!(edit(&house, arguments).await.ok);
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
