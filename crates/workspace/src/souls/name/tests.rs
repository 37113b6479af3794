//! Names of files, as the file system gives them.

use super::*;
use proptest::prelude::*;

#[test]
fn letters_of_any_script_with_their_marks_are_names() {
    for name in [
        "ada_2-b",
        "小明",
        "हिन्दी",
        "ผู้ช่วย",
        "José",
        "Jose\u{301}",
        "ශ්\u{200d}රී",
        "வணக்கம்",
        "עִבְרִית",
        "Ѐ-_1",
        &"é".repeat(64),
        &"e\u{301}".repeat(64),
        &"𠮷".repeat(60),
    ] {
        assert_eq!(wrong_with(name), None, "{name:?}");
    }
}

#[test]
fn a_name_that_is_no_souls_is_told_why_and_what_would_be_one() {
    let check = |file: &str, why: &str, better: &str| {
        let found = wrong_with_file(OsStr::new(file)).map(|bad| (bad.said(), bad.better));
        assert_eq!(found, Some((why.to_owned(), better.to_owned())), "{file:?}");
    };
    let has = |what: &str| {
        format!("a soul's file name is made of letters, digits, - and _, and this one has {what}")
    };
    check("my soul.md", &has("a space"), "my-soul");
    check("ada.draft.md", &has("a dot"), "ada-draft");
    check("#x.md", &has("“#”"), "x");
    check("~t.md", &has("“~”"), "t");
    check("a\\b.md", &has("“\\”"), "a-b");
    check("a\nb.md", &has("the character U+000A, which cannot be seen"), "a-b");
    check("a\u{202e}b.md", &has("the character U+202E, which cannot be seen"), "a-b");
    check("a\u{200d}b.md", &has("the character U+200D, which cannot be seen"), "a-b");
    check("\u{301}a.md", &has("a mark that stands on no letter"), "a");
    check("…!.md", &has("“…”"), "soul");
    const ONE_ENDING: &str = "the name of a soul's file ends in .md, once and in small letters";
    check("upper.MD", ONE_ENDING, "upper");
    check("ada.md.md", ONE_ENDING, "ada");
    check("ada.txt", ONE_ENDING, "ada");
    check("ada", ONE_ENDING, "ada");
    check(".md", "a soul's file has a name before .md", "soul");
    let long = "a soul's file name has at most 64 characters before .md, and this one has 65";
    check(&format!("{}.md", "a".repeat(65)), long, &"a".repeat(64));
    let long = "a soul's file name has at most 252 bytes before .md, and this one has 256";
    check(&format!("{}.md", "𠮷".repeat(64)), long, &"𠮷".repeat(63));
    assert_eq!(
        wrong_with("my soul").unwrap().problem().message,
        "a soul's file name is made of letters, digits, - and _, and this one has a space; \
         rename the file, for example to my-soul.md (what people call the agent is the field name)"
    );
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_is_shown_byte_by_byte() {
    use std::os::unix::ffi::OsStrExt;
    let bad = |name: &str| BadName::new(NameMistake::NotUtf8, name);
    assert_eq!(
        Named::read(OsStr::from_bytes(b"caf\xe9.md")),
        Named::Misnamed { name: "caf\\xe9".into(), why: bad("caf\\xe9") }
    );
}

#[test]
fn what_editors_keep_for_themselves_is_nothing() {
    for file in [
        ".#x.md",
        "#x.md#",
        "x.md~",
        ".x.md.swp",
        ".x.md",
        "._x.md",
        "~$x.md",
        ".md",
        "x.md.tmp",
        "4913",
        "x.txt",
        "",
    ] {
        assert_eq!(Named::read(OsStr::new(file)), Named::Nothing, "{file:?}");
    }
    for file in ["#x.md", "~t.md", "$x.md", "x.Md", "x (conflicted copy).md"] {
        assert!(matches!(Named::read(OsStr::new(file)), Named::Misnamed { .. }), "{file:?}");
    }
}

#[test]
fn one_soul_has_one_name_in_any_capitals_and_either_form() {
    let check = |one: &str, other: &str, same: bool| {
        assert_eq!(letters(one) == letters(other), same, "{one} and {other}");
    };
    check("José", "Jose\u{301}", true);
    check("ada", "Ada", true);
    check("ÉMILE", "e\u{301}mile", true);
    check("Jose", "José", false);
    check("ada", "adá", false);
    check("ﬁ", "fi", false);
    assert_eq!(Named::read(OsStr::new("Jose\u{301}.md")), Named::Soul("José".into()));
}

proptest! {
    #[test]
    fn the_better_name_is_always_a_good_one(stem in ".{0,80}") {
        let better = better(&stem);
        prop_assert_eq!(wrong_with(&better), None, "{} for {:?}", better, stem);
        if wrong_with(&stem).is_none() && !stem.starts_with(['-', '_']) && !stem.ends_with('-') && !stem.contains("--") && !stem.contains(['\u{200c}', '\u{200d}']) {
            prop_assert_eq!(better, composed(&stem));
        }
    }
}
