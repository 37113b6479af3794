//! Another workspace comes in from a terminal.

use super::terminal::terminal;
use serde_json::json;
use std::fs;

fn lives_in(town: &str) -> [&str; 9] {
    let [subject, attribute] = ["user", "lives in"];
    ["memory", "add", town, "--subject", subject, "--attribute", attribute, "--value", town]
}

#[test]
fn what_import_prints_and_what_it_leaves_alone() {
    let there = terminal().answering("On the stove.");
    let (kim, text) = (there.data().join("souls/kim.md"), "---\nname: Kim\n---\nYou grow tea.\n");
    fs::write(kim, text).unwrap();
    there.run(&["say", "ada", "Who has seen the kettle?"]).done();
    there.run(&["agent", "new", "kim"]).done();
    there.run(&["group", "new", "Garden", "--members", "ada,kim"]).done();
    there.run(&["say", "Garden", "Tea?"]).done();
    there.run(&["memory", "add", "The kettle is blue"]).done();
    // Backup by its other name.
    let file = there.path("all.coterie");
    there.run(&["export", &file]).done();

    let here = terminal().answering("yes");
    here.run(&["group", "new", "Garden", "--members", "bo"]).done();
    let ours = here.path("there.coterie");
    fs::copy(file, &ours).unwrap();
    here.snapshot("import_dry_run", &["import", &ours, "--dry-run"]);
    here.run(&["group", "log", "Ada2"]).failed(3);
    let said = here.run(&["import", &ours]).done();
    for part in [
        "  groups: 2 new, 0 here already, ",
        "  the agent Ada is called Ada2 here",
        "  the group Garden is called Garden (2) here",
        "its memories are untrusted",
        "no turns, budgets,",
    ] {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
    let log = here.run(&["group", "log", "Ada2"]).done();
    assert!(
        log.contains("Who has seen the kettle?") && log.contains("Ada2: On the stove."),
        "{log}"
    );
    assert!(here.run(&["group", "log", "Garden (2)"]).done().contains("Tea?"));
    assert!(here.run(&["agent", "list"]).done().contains("Kim"));
    here.snapshot("import_again", &["import", &ours]);

    here.run(&lives_in("Lisbon")).done();
    there.run(&lives_in("Porto")).done();
    let later = there.path("later.coterie");
    there.run(&["backup", &later]).done();
    let said = here.run(&["import", &later]).done();
    assert!(said.contains("  1 of its memories contradict what is here, and wait"), "{said}");
    let said = here.run(&["import", &later, "--trusted"]).done();
    for part in
        ["  trusted as they were there from now on, memories: 2\n", "  a memory here gives way: "]
    {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }

    let damaged = here.path("damaged");
    fs::write(&damaged, &fs::read(&ours).unwrap()[..90_000]).unwrap();
    let fault = here.run(&["--json", "import", &damaged]).fault(1);
    assert_eq!(fault["kind"]["is"], json!("backup_damaged"));
}
