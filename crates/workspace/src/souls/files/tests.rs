//! Against real files in a folder of their own.

use super::*;
use tempfile::TempDir;

fn folder() -> (TempDir, Folder) {
    let directory = tempfile::tempdir().unwrap();
    let folder = Folder::open(directory.path().join("souls")).unwrap();
    (directory, folder)
}

fn names(folder: &Folder) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn text_of(folder: &Folder, stem: &str) -> String {
    fs::read_to_string(folder.file(stem)).unwrap()
}

#[test]
fn souls_are_found_and_what_editors_keep_is_not() {
    let (_directory, folder) = folder();
    for name in [
        "ada.md",
        "bo_2-x.md",
        ".ada.md.swp",
        ".ada.md",
        "ada.md~",
        "#ada.md#",
        ".#ada.md",
        "~$ada.md",
        "4913",
        "sedX1y2z",
        ".tmp-soul-1",
        "ada.md.tmp",
        "ada.txt",
        ".md",
        "my soul.md",
        "小明.md",
        "ผู้ช่วย.md",
        "Jose\u{301}.md",
        "ada.draft.md",
        "#x.md",
        "~t.md",
        "upper.MD",
    ] {
        fs::write(folder.path().join(name), name).unwrap();
    }
    let found = folder.read().unwrap();
    let file = |file: &str, stem: &str| FoundFile {
        file: file.into(),
        stem: stem.into(),
        hash: Some(hash(file)),
        text: Ok(file.into()),
    };
    let (named, strays): (Vec<_>, Vec<_>) =
        found.files.into_iter().partition(|file| file.text.is_ok());
    assert_eq!(
        named,
        [
            file("Jose\u{301}.md", "José"),
            file("ada.md", "ada"),
            file("bo_2-x.md", "bo_2-x"),
            file("ผู้ช่วย.md", "ผู้ช่วย"),
            file("小明.md", "小明"),
        ]
    );
    let told = |file: &FoundFile| file.text.clone().unwrap_err().message.contains("rename");
    assert!(strays.iter().all(told), "{strays:?}");
    let names: Vec<_> =
        strays.iter().map(|file| (file.file.as_str(), file.stem.as_str())).collect();
    assert_eq!(
        names,
        [
            ("#x.md", "#x"),
            ("ada.draft.md", "ada.draft"),
            ("my soul.md", "my soul"),
            ("upper.MD", "upper.MD"),
            ("~t.md", "~t"),
        ]
    );
}

#[test]
fn a_souls_file_is_found_in_whatever_letters_it_has() {
    let (_directory, folder) = folder();
    let check = |on_disk: &str, stem: &str| {
        fs::write(folder.path().join(on_disk), on_disk).unwrap();
        let file = folder.file(stem);
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some(on_disk), "{stem}");
        let saved = folder.save(stem, "new", Some(&hash(on_disk))).unwrap();
        assert!(saved.changed);
        assert_eq!(names(&folder), [on_disk], "no second file beside it");
        fs::remove_file(file).unwrap();
    };
    check("Jose\u{301}.md", "José");
    check("José.md", "Jose\u{301}");
    check("Ada.md", "ada");
    // What is new is written composed.
    assert_eq!(folder.file("Jose\u{301}"), folder.path().join("José.md"));
}

/// A name may take up all that the file system has for one.
#[test]
fn the_longest_name_can_be_saved_again_and_again() {
    let (_directory, folder) = folder();
    for stem in ["𠮷".repeat(60), "𠮷".repeat(63)] {
        let first = folder.save(&stem, "one", None).unwrap();
        folder.save(&stem, "two", Some(&first.hash)).unwrap();
        assert_eq!(text_of(&folder, &stem), "two");
    }
    let longer = folder.save(&"𠮷".repeat(64), "one", None);
    assert!(matches!(longer, Err(SoulsError::BadName { .. })), "{longer:?}");
}

#[test]
fn what_is_no_plain_text_file_is_a_problem_of_that_soul() {
    let (directory, folder) = folder();
    fs::write(directory.path().join("secret"), "secret").unwrap();
    fs::create_dir(folder.file("dir")).unwrap();
    fs::write(folder.file("latin"), b"caf\xe9").unwrap();
    fs::write(folder.file("large"), "x".repeat(MAX_BYTES + 10)).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(directory.path().join("secret"), folder.file("link")).unwrap();
    let messages: Vec<String> = folder
        .read()
        .unwrap()
        .files
        .into_iter()
        .map(|file| format!("{} {}", file.stem, file.text.unwrap_err().message))
        .collect();
    let mut expected = vec![
        "dir this is a link or a folder, and only plain files are souls; put the text itself there",
        "large a soul has at most 256 KiB; this file is larger",
        "latin the text is not UTF-8 from here on; save the file as UTF-8",
    ];
    if cfg!(unix) {
        expected.push(
            "link this is a link or a folder, and only plain files are souls; put the text itself there",
        );
    }
    assert_eq!(messages, expected);
    assert_eq!(folder.text("latin.md").as_deref(), Some("caf\u{fffd}"));
    assert_eq!(folder.text("large.md").map(|text| text.len()), Some(MAX_BYTES + 1));
    for file in ["dir.md", "link.md", "none.md"] {
        assert_eq!(folder.text(file), None, "{file}");
    }
}

#[test]
fn a_missing_folder_is_an_empty_one() {
    let (directory, folder) = folder();
    fs::remove_dir(folder.path()).unwrap();
    assert_eq!(folder.read().unwrap(), Found::default());
    assert_eq!(folder.read_one(OsStr::new("ada.md"), "ada".into()), None);
    drop(directory);
}

#[test]
fn a_save_replaces_the_text_it_started_from() {
    let (_directory, folder) = folder();
    let first = folder.save("ada", "one", None).unwrap();
    assert_eq!(first, Saved { hash: hash("one"), changed: true });
    assert_eq!(
        folder.save("ada", "two", Some(&first.hash)).unwrap(),
        Saved { hash: hash("two"), changed: true }
    );
    assert_eq!(text_of(&folder, "ada"), "two");
    assert_eq!(names(&folder), ["ada.md"]);
}

#[test]
fn saving_the_same_text_again_changes_nothing() {
    let (_directory, folder) = folder();
    folder.save("ada", "one", None).unwrap();
    for base in [None, Some(hash("older")), Some(hash("one"))] {
        let saved = folder.save("ada", "one", base.as_deref()).unwrap();
        assert_eq!(saved, Saved { hash: hash("one"), changed: false });
    }
}

#[test]
fn a_conflict_keeps_both_texts() {
    let check = |on_disk: Option<&str>, base: Option<&str>| {
        let (_directory, folder) = folder();
        if let Some(text) = on_disk {
            fs::write(folder.file("ada"), text).unwrap();
        }
        let base = base.map(hash);
        match folder.save("ada", "mine", base.as_deref()) {
            Err(SoulsError::Conflict(conflict)) => {
                let expected = Conflict {
                    stem: "ada".into(),
                    yours: "mine".into(),
                    theirs: on_disk.map(Into::into),
                    theirs_hash: on_disk.map(hash),
                };
                assert_eq!(*conflict, expected);
            }
            other => panic!("no conflict for {on_disk:?}: {other:?}"),
        }
        assert_eq!(fs::read_to_string(folder.file("ada")).ok().as_deref(), on_disk);
        assert_eq!(names(&folder).len(), usize::from(on_disk.is_some()));
    };
    check(Some("theirs"), Some("base"));
    check(Some("theirs"), None);
    check(None, Some("base"));
    let large = "x".repeat(MAX_BYTES + 1);
    let (_directory, folder) = folder();
    fs::write(folder.file("ada"), &large).unwrap();
    let seen = folder.read_one(OsStr::new("ada.md"), "ada".into()).unwrap();
    let saved = folder.save("ada", "mine", seen.hash.as_deref());
    assert!(
        matches!(saved, Err(SoulsError::Conflict(_))),
        "only the beginning of the file was compared"
    );
}

#[test]
fn of_two_saves_from_the_same_text_one_wins() {
    let (_directory, folder) = folder();
    let base = folder.save("ada", "base", None).unwrap().hash;
    for round in 0..20 {
        let texts = [format!("left {round}"), format!("right {round}")];
        let base = if round == 0 { base.clone() } else { hash(text_of(&folder, "ada")) };
        let results: Vec<Result<Saved, SoulsError>> = std::thread::scope(|scope| {
            let saves =
                texts.each_ref().map(|text| scope.spawn(|| folder.save("ada", text, Some(&base))));
            saves.into_iter().map(|save| save.join().unwrap()).collect()
        });
        let winner = results.iter().position(Result::is_ok).unwrap();
        assert_eq!(text_of(&folder, "ada"), texts[winner]);
        assert!(
            matches!(&results[1 - winner], Err(SoulsError::Conflict(c)) if c.theirs.as_ref() == Some(&texts[winner]))
        );
    }
}

#[test]
fn what_cannot_be_saved_is_refused_before_anything_is_written() {
    let (_directory, folder) = folder();
    for stem in ["", "../ada", "a b", "a/b", ".ada"] {
        assert!(
            matches!(folder.save(stem, "x", None), Err(SoulsError::BadName { .. })),
            "{stem:?}"
        );
    }
    let large = "x".repeat(MAX_BYTES + 1);
    assert!(matches!(folder.save("ada", &large, None), Err(SoulsError::TooLarge { .. })));
    assert_eq!(names(&folder), Vec::<String>::new());
}

#[test]
fn a_read_only_file_stays_as_it_is() {
    let (_directory, folder) = folder();
    let base = folder.save("ada", "one", None).unwrap().hash;
    let mut permissions = fs::metadata(folder.file("ada")).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(folder.file("ada"), permissions).unwrap();
    match folder.save("ada", "two", Some(&base)) {
        Err(SoulsError::Storage { source, .. }) => {
            assert_eq!(source.kind(), ErrorKind::PermissionDenied)
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(text_of(&folder, "ada"), "one");
}

#[cfg(unix)]
#[test]
fn a_save_keeps_the_mode_and_does_not_follow_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (directory, folder) = folder();
    let base = folder.save("ada", "one", None).unwrap().hash;
    fs::set_permissions(folder.file("ada"), fs::Permissions::from_mode(0o600)).unwrap();
    folder.save("ada", "two", Some(&base)).unwrap();
    assert_eq!(fs::metadata(folder.file("ada")).unwrap().permissions().mode() & 0o777, 0o600);
    let outside = directory.path().join("outside.md");
    fs::write(&outside, "outside").unwrap();
    symlink(&outside, folder.file("bo")).unwrap();
    let saved = folder.save("bo", "mine", Some(&hash("outside")));
    assert!(matches!(saved, Err(SoulsError::NotPlain { .. })), "{saved:?}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "outside");
}

#[test]
fn opening_clears_what_a_killed_save_left_behind() {
    let (_directory, folder) = folder();
    fs::write(folder.path().join(".tmp-soul-ada-1"), "half").unwrap();
    fs::write(folder.path().join(".tmp-other"), "not ours").unwrap();
    Folder::open(folder.path()).unwrap();
    assert_eq!(names(&folder), [".tmp-other"]);
}

#[test]
fn a_file_in_the_place_of_the_folder_is_said_to_be_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("souls");
    fs::write(&path, "").unwrap();
    let opened = Folder::open(&path).err().map(|error| error.to_string());
    let said = format!("{} is a file, where the folder of the souls has to be", path.display());
    assert_eq!(opened.as_deref(), Some(said.as_str()));

    fs::remove_file(&path).unwrap();
    let folder = Folder::open(&path).unwrap();
    fs::remove_dir(&path).unwrap();
    fs::write(&path, "").unwrap();
    assert_eq!(folder.read().err().map(|error| error.to_string()), Some(said));
}
