//! The tool `search_files`.

use crate::file_tool::FileTool;
use crate::find_files::{pattern, places};
use crate::roots::Found;
use crate::walk::{Entry, Walk, Walked, Which};
use crate::{Place, Tool};
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::OpenOptions;
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use tokio_util::sync::CancellationToken;

/// Searches the text of the files in your folders, line by line, with a regular
/// expression.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// A regular expression, such as `fn main` or `TODO|FIXME`. A `\` before a
    /// sign means the sign itself.
    pattern: String,
    /// Where to look: a file or folder, relative to one of your folders or
    /// absolute inside one. In all of your folders when left out.
    path: Option<String>,
    /// Only files with such names, such as `*.md`.
    files: Option<String>,
    /// Whether `a` and `A` are the same.
    ignore_case: Option<bool>,
    /// How many lines to show before and after each.
    #[schemars(range(max = 20))]
    context: Option<u8>,
    /// Whether to search hidden and ignored files too.
    all: Option<bool>,
}

const MOST_LINES: usize = 500;
const MOST_LINE_CHARACTERS: usize = 400;
const MOST_HEAP_BYTES: usize = 16 << 20;

pub(crate) fn tool() -> impl Tool {
    FileTool::looks("search_files", search)
}

fn search(wanted: &Input, place: &Place, stop: &CancellationToken) -> Result<String, String> {
    let names = wanted.files.as_deref().map(pattern).transpose()?;
    let which = if wanted.all == Some(true) { Which::All } else { Which::Usual };
    let mut search = Search::new(wanted, stop)?;
    let mut is_all = true;
    for (begins, found) in places(&place.roots, wanted.path.as_deref())? {
        let folder = match found {
            Found::File { file, .. } => {
                search.file(begins.display().to_string(), &file);
                is_all &= !search.is_full();
                continue;
            }
            Found::Folder(folder) => folder,
        };
        let walked = Walk::new(which, place, stop).through(&folder, &mut |entry| {
            let fits = names.as_ref().is_none_or(|names| names.is_match(entry.path));
            if entry.kind.is_file()
                && fits
                && let Some(file) = open(entry)
            {
                search.file(begins.join(entry.path).display().to_string(), &file);
            }
            if search.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        is_all &= matches!(walked, Ok(Walked::All));
    }
    Ok(search.told(is_all, which))
}

/// A pipe that took the file's place meanwhile must not hold anybody up.
fn open(entry: &Entry<'_>) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(FollowSymlinks::No);
    let file = entry.folder.open_with(entry.name, &options).ok()?;
    file.metadata().ok()?.is_file().then(|| file.into_std())
}

struct Search<'a> {
    wanted: &'a Input,
    matcher: RegexMatcher,
    searcher: Searcher,
    stop: &'a CancellationToken,
    lines: Vec<String>,
    found: usize,
    files: usize,
}

impl<'a> Search<'a> {
    fn new(wanted: &'a Input, stop: &'a CancellationToken) -> Result<Self, String> {
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(wanted.ignore_case == Some(true))
            .line_terminator(Some(b'\n'))
            .build(&wanted.pattern)
            .map_err(|error| format!("`{}` is no regular expression: {error}", wanted.pattern))?;
        let around = usize::from(wanted.context.unwrap_or(0));
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MOST_HEAP_BYTES))
            .before_context(around)
            .after_context(around)
            .build();
        Ok(Search { wanted, matcher, searcher, stop, lines: Vec::new(), found: 0, files: 0 })
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= MOST_LINES || self.stop.is_cancelled()
    }

    /// What cannot be read as text is passed over.
    fn file(&mut self, name: String, file: &File) {
        let mut lines = FileLines {
            name: &name,
            matcher: &self.matcher,
            stop: self.stop,
            room: MOST_LINES - self.lines.len(),
            lines: Vec::new(),
            found: 0,
        };
        let _ = self.searcher.search_file(&self.matcher, file, &mut lines);
        if lines.found > 0 {
            self.files += 1;
            self.found += lines.found;
            self.lines.append(&mut lines.lines);
        }
    }

    fn told(self, is_all: bool, which: Which) -> String {
        if self.found == 0 {
            let hint = match which {
                Which::Usual => "; hidden, ignored and binary files were left out",
                Which::All => "",
            };
            return format!("[nothing fits `{}`{hint}]", self.wanted.pattern);
        }
        let lines = if self.found == 1 { "line fits" } else { "lines fit" };
        let files = if self.files == 1 { "file" } else { "files" };
        let more =
            if is_all { "" } else { ", and there may be more; look in one folder or for less" };
        let (found, in_files) = (self.found, self.files);
        format!("{}\n[{found} {lines} in {in_files} {files}{more}]", self.lines.join("\n"))
    }
}

/// The lines of one file as grep prints them: `FILE:LINE: text`.
struct FileLines<'a> {
    name: &'a str,
    matcher: &'a RegexMatcher,
    stop: &'a CancellationToken,
    room: usize,
    lines: Vec<String>,
    found: usize,
}

impl FileLines<'_> {
    fn add(&mut self, number: Option<u64>, sign: char, text: &str) -> bool {
        self.lines.push(format!("{}:{}{sign} {text}", self.name, number.unwrap_or(0)));
        self.lines.len() < self.room && !self.stop.is_cancelled()
    }
}

/// A line, or of one that is too long what stands around a byte of it, and which character
/// that begins with, for `read_file` to go on from.
fn shown(line: &[u8], at: usize) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\n', '\r']);
    if text.chars().nth(MOST_LINE_CHARACTERS).is_none() {
        return text.to_owned();
    }
    let before = String::from_utf8_lossy(&line[..at]).chars().count();
    let is_near = before < MOST_LINE_CHARACTERS * 3 / 4;
    let first = if is_near { 0 } else { before - MOST_LINE_CHARACTERS / 4 };
    let begins =
        if is_near { String::new() } else { format!("[from character {}] …", first + 1) };
    let mut rest = text.chars().skip(first);
    let piece: String = rest.by_ref().take(MOST_LINE_CHARACTERS).collect();
    format!("{begins}{piece}{}", if rest.next().is_some() { "…" } else { "" })
}

impl Sink for FileLines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.found += 1;
        let first = self.matcher.find(found.bytes()).ok().flatten();
        let text = shown(found.bytes(), first.map_or(0, |first| first.start()));
        Ok(self.add(found.line_number(), ':', &text))
    }

    fn context(&mut self, _: &Searcher, around: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.add(around.line_number(), '-', &shown(around.bytes(), 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::House;
    use serde_json::{Value, json};

    async fn search(house: &House, arguments: Value) -> String {
        tool().call(arguments, &house.context(&["home"])).await.text
    }

    #[tokio::test]
    async fn lines_are_found_with_their_place_but_not_in_what_is_ignored_or_binary() {
        let house = House::new();
        house.write("home/notes/more.md", "Tea for two\nand two for tea\nme for you\n");
        house.write("home/target/out.md", "tea");
        house.write("home/.gitignore", "target/\n");
        house.write("home/tea.bin", b"tea\0tea");
        assert_eq!(
            search(&house, json!({"pattern": "tea"})).await,
            "notes/more.md:2: and two for tea\nnotes/plan.md:1: buy tea\n[2 lines fit in 2 files]"
        );
        assert_eq!(
            search(&house, json!({"pattern": "^TEA", "ignore_case": true, "context": 1})).await,
            "notes/more.md:1: Tea for two\nnotes/more.md:2- and two for tea\n[1 line fits in 1 file]"
        );
        assert_eq!(
            search(&house, json!({"pattern": "茶", "path": "notes/plan.md"})).await,
            "notes/plan.md:2: 买茶\n[1 line fits in 1 file]"
        );
        assert_eq!(
            search(&house, json!({"pattern": "tea", "files": "plan.*"})).await,
            "notes/plan.md:1: buy tea\n[1 line fits in 1 file]"
        );
        assert_eq!(
            search(&house, json!({"pattern": "coffee", "all": true})).await,
            "[nothing fits `coffee`]"
        );
        let wrong = search(&house, json!({"pattern": "(a"})).await;
        assert!(wrong.starts_with("`(a` is no regular expression: "), "{wrong}");
    }

    #[tokio::test]
    async fn one_file_in_which_too_much_is_found_has_that_said_too() {
        let house = House::new();
        house.write("home/notes/many.md", "tea\n".repeat(MOST_LINES + 1));
        let said = search(&house, json!({"pattern": "tea", "path": "notes/many.md"})).await;
        let end =
            "[500 lines fit in 1 file, and there may be more; look in one folder or for less]";
        assert!(said.ends_with(end), "{said}");
    }

    #[tokio::test]
    async fn a_search_that_finds_too_much_ends_and_says_so() {
        let house = House::new();
        for n in 0..30 {
            house.write(&format!("home/many/{n:02}.txt"), "tea\n".repeat(20) + &"x".repeat(900));
        }
        let text = search(&house, json!({"pattern": "tea|x+"})).await;
        assert_eq!(text.lines().count(), 501);
        let end =
            "[500 lines fit in 24 files, and there may be more; look in one folder or for less]";
        assert!(text.ends_with(end), "{text}");
        assert!(text.contains(&format!("{}…", "x".repeat(400))));
        assert!(!text.contains(&"x".repeat(401)));
    }

    #[tokio::test]
    async fn what_is_found_far_into_a_long_line_is_shown_with_where_to_read_on() {
        let house = House::new();
        let line = format!("{}needle{}", "字".repeat(9_000), "x".repeat(9_000));
        house.write("home/min.json", &line);
        let said = search(&house, json!({"pattern": "needle"})).await;
        let around = format!("…{}needle{}…\n", "字".repeat(100), "x".repeat(294));
        let expected = format!("min.json:1: [from character 8901] {around}[1 line fits in 1 file]");
        assert_eq!(said, expected);
        let said = search(&house, json!({"pattern": "x$"})).await;
        let around = format!("…{}\n", "x".repeat(101));
        assert!(said.starts_with("min.json:1: [from character 17906] ") && said.contains(&around));
    }
}
