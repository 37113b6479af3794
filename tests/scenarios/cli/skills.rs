//! Skills, and what an agent can use, from a terminal.

use super::terminal::terminal;
use std::fs;

const TEA: &str = "---\nname: tea\ndescription: Brews tea.\ncompatibility: Requires a kettle\nallowed-tools: Bash Read\n---\nBoil water.\n";

#[test]
fn a_skill_is_checked_added_shown_and_removed_from_a_terminal() {
    let terminal = terminal().answering("here");
    let folder = terminal.path("tea");
    fs::create_dir_all(&folder).unwrap();
    fs::write(format!("{folder}/SKILL.md"), TEA.replace("name: tea", "name: Tea")).unwrap();
    let wrong = terminal.run(&["skill", "check", &folder]).failed(1);
    let real = fs::canonicalize(&folder).unwrap().display().to_string();
    let place = format!("{real}/SKILL.md:2:7: name is 1 to 64 small letters");
    assert!(wrong.stdout.contains(&place), "{}", wrong.stdout);
    terminal.run(&["skill", "add", &folder]).failed(2);

    fs::write(format!("{folder}/SKILL.md"), TEA).unwrap();
    assert_eq!(terminal.run(&["skill", "check", &folder]).done(), "");
    fs::write(
        terminal.data().join("souls/ada.md"),
        "---\nname: Ada\ntools: [calculator]\nskills: [tea]\n---\nYou help.\n",
    )
    .unwrap();
    let before = terminal.run(&["soul", "show", "ada", "--json"]).data();
    assert_eq!(before["soul"]["warnings"][0]["kind"]["is"], "skill_missing");
    let added = terminal.run(&["skill", "add", &folder]).done();
    assert_eq!(added, "tea is there; a soul has it with skills: [tea]\n");
    terminal.run(&["skill", "add", &folder]).failed(1);
    let after = terminal.run(&["soul", "show", "ada", "--json"]).data();
    assert_eq!(after["soul"]["warnings"].as_array().unwrap().len(), 0);

    let listed = terminal.run(&["skill", "list"]).done();
    assert!(listed.contains("tea") && listed.contains("Ada"), "{listed}");
    let shown = terminal.run(&["skill", "show", "tea"]).done();
    for told in [
        "Bash (here shell), Read (here read_file)",
        "Requires a kettle",
        "without read_file and shell",
        "Boil water.",
    ] {
        assert!(shown.contains(told), "{told:?} in {shown}");
    }
    let can = terminal.run(&["agent", "tools", "ada"]).done();
    let line = |name: &str| {
        let found = can.lines().find(|line| line.split_whitespace().next() == Some(name));
        found.unwrap_or_default().to_owned()
    };
    assert!(line("calculator").contains("there"), "{can}");
    assert!(
        line("shell").contains("not there: its soul does not name it; it has no folder"),
        "{can}"
    );
    assert!(line("tea").contains("there; without shell; without read_file"), "{can}");

    assert_eq!(terminal.run(&["skill", "remove", "tea"]).done(), "tea is gone\n");
    terminal.run(&["skill", "show", "tea"]).failed(3);
    assert!(!terminal.data().join("skills/tea").exists());
}
