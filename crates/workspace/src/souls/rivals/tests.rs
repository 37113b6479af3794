//! Files of one name, as the souls that they come to: `Ada.md: ada`.

use super::*;
use crate::souls::{Change, hash, look};

const COMPOSED: &str = "José.md";
const DECOMPOSED: &str = "Jose\u{301}.md";

fn file(file: &str) -> FoundFile {
    let stem = name::composed(file.trim_end_matches(ENDING));
    let text = format!("You are {file}.");
    FoundFile { file: file.into(), stem, hash: Some(hash(&text)), text: Ok(text) }
}

/// Looks at files with these names, and applies what is new.
fn after(mut shelf: Shelf, files: &[&str]) -> Shelf {
    let found: Vec<FoundFile> = files.iter().map(|name| file(name)).collect();
    for change in look(&shelf, found.clone()) {
        shelf.apply(&change);
    }
    assert_eq!(look(&shelf, found), [], "the second look finds nothing new");
    shelf
}

/// Each soul, with the file that its text in force was in, and `!` if its file
/// has a problem.
fn souls(shelf: &Shelf) -> Vec<String> {
    let souls = shelf.souls().map(|(stem, soul)| {
        let text = soul.in_force.as_ref().map_or("nothing", |soul| soul.persona.as_str());
        let file = text.trim_start_matches("You are ").trim_end_matches('.');
        let mark = if soul.problem().is_some() { "!" } else { "" };
        format!("{stem}: {file}{mark}")
    });
    souls.collect()
}

#[test]
fn of_two_files_that_differ_in_capitals_the_first_by_its_bytes_counts() {
    for files in [["ada.md", "Ada.md"], ["Ada.md", "ada.md"]] {
        let shelf = after(Shelf::default(), &files);
        assert_eq!(souls(&shelf), ["Ada: Ada.md", "ada: nothing!"]);
        let problem = shelf.get("ada").unwrap().problem().unwrap();
        assert_eq!(
            problem.message,
            "Ada.md has the same name but for its capital letters, and it counts; \
             a soul has one file, so rename or delete ada.md"
        );
    }
}

#[test]
fn a_soul_that_is_known_keeps_its_file_beside_another() {
    let shelf = after(Shelf::default(), &["ada.md"]);
    let shelf = after(shelf, &["ADA.md", "Ada.md", "ada.md"]);
    assert_eq!(souls(&shelf), ["ADA: nothing!", "Ada: nothing!", "ada: ada.md"]);
    let shelf = after(shelf, &["ada.md"]);
    assert_eq!(souls(&shelf), ["ada: ada.md"]);
}

#[test]
fn a_file_renamed_in_its_letters_only_stays_the_same_soul() {
    let shelf = after(Shelf::default(), &["ada.md"]);
    let mut renamed = file("ada.md");
    renamed.file = "Ada.md".into();
    renamed.stem = "Ada".into();
    let changes = look(&shelf, vec![renamed]);
    assert_eq!(changes, [Change::Moved { stem: "ada".into(), file: "Ada.md".into() }]);

    let shelf = after(Shelf::default(), &[DECOMPOSED]);
    assert_eq!(souls(&shelf), [format!("José: {DECOMPOSED}")]);
    assert_eq!(shelf.file("José"), Some(DECOMPOSED));
    let shelf = after(shelf, &[COMPOSED]);
    assert_eq!(souls(&shelf), [format!("José: {COMPOSED}")]);
    assert_eq!(shelf.file("José"), Some(COMPOSED));
}

#[test]
fn of_two_forms_of_one_name_the_composed_one_counts() {
    for files in [vec![COMPOSED, DECOMPOSED], vec![DECOMPOSED, COMPOSED]] {
        let start = after(Shelf::default(), &files[..1]);
        let shelf = after(start, &files);
        let count = shelf.get("José").unwrap();
        assert_eq!((count.problem(), shelf.file("José")), (None, Some(COMPOSED)));
        let other = shelf.get("Jose\u{301}").unwrap().problem().unwrap();
        assert_eq!(
            other.message,
            "two files have this name, one with its accented letters as one character (NFC), which counts, \
             and this one with them as two (NFD); a soul has one file, so rename or delete this one"
        );
    }
}

/// As a workspace may have come by them before this rule.
#[test]
fn two_souls_that_are_known_are_never_mixed_up() {
    let mut shelf = after(Shelf::default(), &["ada.md"]);
    for change in look(&Shelf::default(), vec![file("Ada.md")]) {
        shelf.apply(&change);
    }
    let both = after(shelf, &["Ada.md", "ada.md"]);
    assert_eq!(souls(&both), ["Ada: Ada.md", "ada: ada.md!"]);
    let one = after(both, &["ada.md"]);
    assert_eq!(souls(&one), ["Ada: Ada.md", "ada: ada.md"]);
    assert_eq!((one.file("Ada"), one.file("ada")), (None, Some("ada.md")));
}

#[test]
fn a_soul_is_found_by_its_name_however_it_is_written() {
    let shelf = after(Shelf::default(), &["ada.md", "Ada.md", DECOMPOSED, "小明.md"]);
    let check = |wanted: &str, name: &str| assert_eq!(shelf.name_of(wanted), name, "{wanted}");
    check("ada", "ada");
    check("ADA", "Ada");
    check("jose\u{301}", "José");
    check("小明", "小明");
    check("Zoe\u{301}", "Zoé");
}

#[test]
fn files_whose_names_are_no_souls_never_share_one() {
    let misnamed = |file: &str, stem: &str| FoundFile {
        file: file.into(),
        stem: stem.into(),
        hash: None,
        text: Err(Place::START.problem(SoulMistake::NotPlain)),
    };
    let files = vec![misnamed("a.MD", "a.MD"), misnamed("a.MD.md", "a.MD")];
    let apart = tell_apart(&Shelf::default(), files);
    let names: Vec<_> = apart.iter().map(|file| file.stem.as_str()).collect();
    assert_eq!(names, ["a.MD", "a.MD.md"]);
}
