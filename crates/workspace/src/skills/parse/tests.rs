//! SKILL.md files, right and wrong, by what is said of them.

use super::*;

fn said(problems: &[SoulProblem]) -> Vec<String> {
    let line =
        |problem: &SoulProblem| format!("{}:{} {}", problem.line, problem.column, problem.message);
    problems.iter().map(line).collect()
}

#[test]
fn everything_that_the_format_has_is_read() {
    let text = "---\nname: pdf-forms\ndescription: >\n  Fills forms in PDF files.\n  Use it when a form is to be filled.\nlicense: Apache-2.0\n\
        compatibility: Requires python3\nmetadata:\n  author: someone\n  version: \"1.0\"\n\
        allowed-tools: Bash(python3:*) Read\n---\n\r\n# Forms\r\n\r\nRead the form first.\r\n";
    let skill = parse("pdf-forms", text).expect("right");
    assert_eq!(
        skill.front,
        SkillFront {
            description: "Fills forms in PDF files. Use it when a form is to be filled.".into(),
            license: Some("Apache-2.0".into()),
            compatibility: Some("Requires python3".into()),
            metadata: [("author", "someone"), ("version", "1.0")]
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .into(),
            tools: vec![
                SkillTool { said: "Bash(python3:*)".into(), tool: Some("shell".into()) },
                SkillTool { said: "Read".into(), tool: Some("read_file".into()) },
            ],
        }
    );
    assert_eq!(skill.body, "# Forms\n\nRead the form first.");
    assert_eq!(skill.warnings, []);
}

#[test]
fn a_text_with_a_colon_needs_no_quotes() {
    let text = "---\nname: tea\ndescription: Comprehensive tea: brews it, pours it\nlicense: MIT\n---\nBrew.\n";
    let front = parse("tea", text).expect("right").front;
    assert_eq!(front.description, "Comprehensive tea: brews it, pours it");
    assert_eq!(front.license.as_deref(), Some("MIT"));
    // What is wrong besides is said as it would be.
    let other = parse("tea", "---\nname: tea\ndescription: a: b\nlicense: [MIT\n---\nBrew.\n");
    assert!(said(&other.expect_err("wrong"))[0].starts_with("3:"));
}

#[test]
fn a_file_in_small_letters_is_one_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let tea = folder.path().join("tea");
    std::fs::create_dir(&tea).expect("a folder");
    let text = "---\nname: tea\ndescription: Brews.\n---\nBrew.\n";
    std::fs::write(tea.join("skill.md"), text).expect("a file");
    std::fs::write(tea.join("more.md"), "More.").expect("a file");
    assert_eq!(check_folder(&tea), CheckedSkill::default());
    let beside: Vec<_> = folder::files(&tea).into_iter().map(|file| file.path).collect();
    assert_eq!(beside, ["more.md"]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let check = |folder: &str, text: &str, expected: &[&str]| {
        let errors = parse(folder, text).expect_err(text);
        assert_eq!(said(&errors), expected, "{text}");
    };
    check(
        "tea",
        "Just words.\n",
        &[
            "1:1 a SKILL.md begins with front matter: a line ---, name and description, and a line --- after them",
        ],
    );
    check(
        "tea",
        "---\nname: tea\n",
        &["1:1 the front matter that starts here never ends; put a line --- after it"],
    );
    check(
        "tea",
        "---\nlicense: MIT\n---\nBody\n",
        &[
            "1:1 name is missing in the front matter",
            "1:1 description is missing in the front matter",
        ],
    );
    check(
        "tea",
        "---\nname: Tea Time\ndescription: ''\n---\nBody\n",
        &[
            "2:7 name is 1 to 64 small letters, digits and single hyphens between them, not “Tea Time”",
            "3:14 description is missing in the front matter",
        ],
    );
    check(
        "tea",
        "---\nname: coffee\ndescription: Brews.\n---\nBody\n",
        &["2:7 name is that of the folder, tea, not coffee; rename one of them"],
    );
    for name in ["-tea", "tea-", "te--a", &"t".repeat(65)] {
        let text = format!("---\nname: {name}\ndescription: Brews.\n---\nBody\n");
        let errors = parse(name, &text).expect_err(name);
        assert!(said(&errors)[0].starts_with("2:7 name is 1 to 64 small letters"), "{errors:?}");
    }
    let long = "d".repeat(1025);
    check(
        "tea",
        &format!("---\nname: tea\ndescription: {long}\n---\nBody\n"),
        &["3:14 description has at most 1024 characters, not 1025"],
    );
    check(
        "tea",
        "---\nname: tea\ndescription: Brews.\nmetadata: none\n---\nBody\n",
        &["4:11 metadata is a block of settings, a line each, as key: value, not “none”"],
    );
    check(
        "tea",
        "---\nname: tea\ndescription: &a Brews.\n---\nBody\n",
        &[
            "3:14 YAML anchors and aliases (& and *) have no use in front matter; write the value out, or put it in quotes if it starts with & or *",
        ],
    );
}

#[test]
fn what_other_programs_write_there_is_passed_over_with_a_warning() {
    let text =
        "---\nname: tea\ndescription: Brews.\nargument-hint: cup\nmetadata:\n  version: 1.0\n---\n";
    let skill = parse("tea", text).expect("right enough");
    assert_eq!(skill.front.metadata["version"], "1.0");
    assert_eq!(
        said(&skill.warnings),
        [
            "4:1 argument-hint is not a field of a skill; it has no effect",
            "6:12 version is text; put 1.0 in quotes",
            "8:1 below the front matter stands nothing; write here what to do",
        ]
    );
}

#[test]
fn a_file_that_is_too_large_or_no_text_is_refused_before_it_is_read() {
    let large = vec![b'x'; MOST_BYTES + 1];
    let problem = text_of(&large).expect_err("too large");
    assert_eq!(
        problem.message,
        "a SKILL.md has at most 128 KiB; put the rest into files beside it"
    );
    assert!(text_of(b"---\xff").is_err());
}
