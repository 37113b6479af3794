//! Looks into a folder, one after the other, as words: `new ada 2`, `gone ada`.

use super::*;
use crate::souls::place::Place;
use domain::{SoulMistake, SoulSource, SoulValue};

const COOK: &str = "---\nrole: Cook\n---\nYou cook.";
const BAKER: &str = "---\nrole: Baker\n---\nYou bake.";
const BROKEN: &str = "---\ntemperature: 9\n---\nYou cook.";

fn file(stem: &str, text: &str) -> FoundFile {
    FoundFile {
        file: format!("{stem}.md"),
        stem: stem.into(),
        hash: Some(hash(text)),
        text: Ok(text.into()),
    }
}

fn unreadable(stem: &str) -> FoundFile {
    let problem = Place::START.problem(SoulMistake::Forbidden);
    FoundFile { file: format!("{stem}.md"), stem: stem.into(), hash: None, text: Err(problem) }
}

fn words(change: &Change) -> String {
    match change {
        Change::NewVersion(soul) => {
            format!("new {} {} {}", soul.stem, soul.version, soul.front.role)
        }
        Change::Problem { stem, problem, .. } => {
            format!("problem {stem} {}:{}", problem.line, problem.column)
        }
        Change::ProblemCleared { stem } => format!("cleared {stem}"),
        Change::Gone { stem } => format!("gone {stem}"),
        Change::Back { stem } => format!("back {stem}"),
        Change::Forgotten { stem } => format!("forgotten {stem}"),
        Change::Moved { stem, file } => format!("moved {stem} {file}"),
    }
}

struct Story(Shelf);

impl Story {
    /// Looks, applies, and looks again: the second time nothing is new.
    fn look(&mut self, files: &[FoundFile], expected: &[&str]) {
        let changes = look(&self.0, files.to_vec());
        assert_eq!(changes.iter().map(words).collect::<Vec<_>>(), expected);
        for change in &changes {
            self.0.apply(change);
        }
        assert_eq!(look(&self.0, files.to_vec()), []);
    }

    fn in_force(&self, stem: &str) -> Option<(&str, i64)> {
        self.0.in_force(stem).map(|soul| (soul.front.role.as_str(), soul.version))
    }
}

#[test]
fn a_valid_change_is_a_new_version() {
    let mut story = Story(Shelf::default());
    story.look(&[file("ada", COOK), file("bo", BAKER)], &["new ada 1 Cook", "new bo 1 Baker"]);
    story.look(&[file("ada", BAKER), file("bo", BAKER)], &["new ada 2 Baker"]);
    story.look(&[file("ada", COOK), file("bo", BAKER)], &["new ada 3 Cook"]);
}

#[test]
fn a_broken_text_leaves_the_last_good_one_in_force() {
    let mut story = Story(Shelf::default());
    story.look(&[file("ada", COOK)], &["new ada 1 Cook"]);
    story.look(&[file("ada", BROKEN)], &["problem ada 2:14"]);
    assert_eq!(story.in_force("ada"), Some(("Cook", 1)));
    story.look(&[file("ada", "")], &["problem ada 1:1"]);
    story.look(&[file("ada", COOK)], &["cleared ada"]);
    story.look(&[unreadable("ada")], &["problem ada 1:1"]);
    assert_eq!(story.in_force("ada"), Some(("Cook", 1)));
    story.look(&[file("ada", BAKER)], &["new ada 2 Baker"]);
    assert_eq!(story.0.get("ada").unwrap().problem(), None);
}

#[test]
fn a_deleted_file_leaves_its_soul_in_force() {
    let mut story = Story(Shelf::default());
    story.look(&[file("ada", COOK)], &["new ada 1 Cook"]);
    story.look(&[], &["gone ada"]);
    assert_eq!(story.in_force("ada"), Some(("Cook", 1)));
    story.look(&[file("ada", COOK)], &["back ada"]);
    story.look(&[], &["gone ada"]);
    story.look(&[file("ada", BROKEN)], &["problem ada 2:14"]);
    story.look(&[], &["gone ada"]);
    story.look(&[file("ada", BAKER)], &["new ada 2 Baker"]);
}

#[test]
fn a_soul_that_was_never_valid_comes_and_goes() {
    let mut story = Story(Shelf::default());
    story.look(&[file("ada", BROKEN)], &["problem ada 2:14"]);
    assert_eq!(story.in_force("ada"), None);
    story.look(&[], &["forgotten ada"]);
    assert_eq!(story.0, Shelf::default());
    story.look(&[file("ada", BROKEN)], &["problem ada 2:14"]);
    story.look(&[file("ada", COOK)], &["new ada 1 Cook"]);
}

fn stored(version: i64, text: &str) -> SoulVersion {
    SoulVersion {
        soul: "ada".into(),
        version,
        hash: hash(text),
        text: text.into(),
        source: SoulSource::File,
        at_ms: 0,
    }
}

/// A soul as the database keeps it, whose file agreed.
fn kept(version: i64, text: &str) -> (Soul, Option<SoulVersion>) {
    let soul = Soul { file_hash: Some(hash(text)), ..unknown("ada") };
    let shelf = Shelf::restore([(soul, Some(stored(version, text)))]);
    (shelf.record("ada", Path::new("souls"), 0).unwrap(), Some(stored(version, text)))
}

fn unknown(name: &str) -> Soul {
    Soul {
        name: name.into(),
        path: format!("souls/{name}.md"),
        version: 0,
        hash: String::new(),
        file_hash: None,
        problem: None,
        warnings: Vec::new(),
        updated_ms: 0,
    }
}

/// The same shelf, out of what the database kept of it.
fn restarted(story: &Story, newest: Option<SoulVersion>) -> Story {
    let souls = story.0.souls().map(|(stem, _)| {
        let record = story.0.record(stem, Path::new("souls"), 0).unwrap();
        let newest = newest.clone().filter(|newest| newest.soul == stem);
        (record, newest)
    });
    Story(Shelf::restore(souls))
}

#[test]
fn what_changed_while_nobody_looked_is_seen_after_a_restart() {
    let cook = || Some(stored(4, COOK));
    let mut story = Story(Shelf::restore([kept(4, COOK)]));
    story.look(&[file("ada", BROKEN)], &["problem ada 2:14"]);
    let mut story = restarted(&story, cook());
    story.look(&[file("ada", BROKEN)], &[]);
    story.look(&[file("ada", COOK)], &["cleared ada"]);

    story.look(&[], &["gone ada"]);
    let mut story = restarted(&story, cook());
    story.look(&[], &[]);
    story.look(&[file("ada", COOK)], &["back ada"]);

    story.look(&[file("ada", COOK), file("new", BROKEN)], &["problem new 2:14"]);
    let mut story = restarted(&story, cook());
    story.look(&[file("ada", COOK)], &["forgotten new"]);
}

#[test]
fn a_problem_that_was_put_down_without_its_kind_is_found_anew() {
    let mut story = Story(Shelf::restore([kept(4, COOK)]));
    story.look(&[file("ada", BROKEN)], &["problem ada 2:14"]);
    let mut record = story.0.record("ada", Path::new("souls"), 0).unwrap();
    record.problem.as_mut().unwrap().kind = None;
    let mut story = Story(Shelf::restore([(record, Some(stored(4, COOK)))]));
    story.look(&[file("ada", BROKEN)], &["problem ada 2:14"]);
    assert!(story.0.get("ada").and_then(Shelved::problem).unwrap().kind.is_some());
}

#[test]
fn versions_count_on_after_a_restart() {
    let mut story = Story(Shelf::restore([kept(4, COOK)]));
    assert_eq!(story.in_force("ada"), Some(("Cook", 4)));
    story.look(&[file("ada", COOK)], &[]);
    story.look(&[file("ada", BAKER)], &["new ada 5 Baker"]);
    let mut story = Story(Shelf::restore([kept(4, COOK)]));
    story.look(&[], &["gone ada"]);
    // Stored when the rules were laxer.
    let mut story = Story(Shelf::restore([kept(4, BROKEN)]));
    assert_eq!(story.in_force("ada"), None);
    story.look(&[file("ada", BROKEN)], &[]);
    story.look(&[file("ada", COOK)], &["new ada 5 Cook"]);
}

#[test]
fn the_record_shows_the_soul_in_force_and_the_file() {
    let text = "---\nmotto: x\ntemperature: 1\n---\nYou cook.";
    let mut shelf = Shelf::default();
    for files in [vec![file("ada", text)], vec![file("ada", BROKEN)]] {
        for change in look(&shelf, files) {
            shelf.apply(&change);
        }
    }
    let problem = |line, column, mistake| Place { line, column }.problem(mistake);
    let field = |field: &str| field.to_owned();
    let expected = Soul {
        name: "ada".into(),
        path: Path::new("/data/souls").join("ada.md").display().to_string(),
        version: 1,
        hash: hash(text),
        file_hash: Some(hash(BROKEN)),
        problem: Some(problem(
            2,
            14,
            SoulMistake::FieldRange {
                field: field("temperature"),
                from: 0,
                to: 2,
                found: SoulValue::Word { text: "9".into() },
            },
        )),
        warnings: vec![problem(2, 1, SoulMistake::FieldUnknown { field: field("motto") })],
        updated_ms: 7,
    };
    assert_eq!(shelf.record("ada", Path::new("/data/souls"), 7), Some(expected));
    assert_eq!(shelf.record("bo", Path::new("/data/souls"), 7), None);
}
