//! The whole workspace in one file, from a terminal.

use super::terminal::terminal;
use domain::FaultCode;
use serde_json::json;
use std::fs;

#[test]
fn what_backup_and_restore_print_as_json() {
    let terminal = terminal().answering("yes");
    let file = terminal.path("all.coterie");
    terminal.run(&["say", "ada", "hello"]).done();
    let told = terminal.run(&["--json", "backup", &file]).data();
    assert_eq!((&told["path"], &told["left_out"]), (&json!(file), &json!(0)));
    assert_eq!(
        terminal.run(&["--json", "backup", &file]).fault(4)["code"],
        json!(FaultCode::Refused)
    );

    terminal.run(&["say", "ada", "later"]).done();
    let laid = terminal.run(&["--json", "restore", &file]).data();
    assert_eq!((&laid["in_place"], &laid["files"]), (&json!(true), &told["files"]));
    let log = terminal.run(&["group", "log", "ada"]).done();
    assert!(log.contains("hello") && !log.contains("later"), "{log}");
    let replaced = laid["replaced"].as_str().expect("there was something");
    assert!(fs::metadata(replaced).unwrap().is_dir());
    // Everybody rests until the person has them go on.
    terminal.run(&["resume"]).done();
    terminal.run(&["say", "ada", "again"]).done();
}

#[test]
fn a_backup_is_made_and_laid_ready_while_another_process_has_the_workspace() {
    let terminal = terminal().answering("yes");
    let file = terminal.path("all.coterie");
    terminal.run(&["say", "ada", "hello"]).done();
    let serving = terminal.serve();
    let said = terminal.run(&["backup", &file]).done();
    assert!(said.contains("keys are not in it"), "{said}");
    terminal.run(&["say", "ada", "later"]).done();
    let laid = terminal.run(&["--json", "restore", &file]).data();
    assert_eq!(laid["in_place"], json!(false));
    assert!(terminal.run(&["group", "log", "ada"]).done().contains("later"));
    serving.end();
    let log = terminal.run(&["group", "log", "ada"]).done();
    assert!(log.contains("hello") && !log.contains("later"), "{log}");
}

#[test]
fn a_workspace_that_cannot_be_opened_any_more_is_restored() {
    let terminal = terminal().answering("yes");
    let file = terminal.path("all.coterie");
    terminal.run(&["say", "ada", "hello"]).done();
    terminal.run(&["backup", &file]).done();
    let database = terminal.data().join("coterie.db");
    fs::write(&database, vec![7; 100_000]).unwrap();
    terminal.run(&["group", "list"]).failed(1);
    let said = terminal.run(&["restore", &file]).done();
    assert!(said.contains("what was here is in"), "{said}");
    assert!(said.contains("messages 2; everybody rests, so that nothing is done twice"), "{said}");
    assert!(terminal.run(&["group", "log", "ada"]).done().contains("hello"));

    let damaged = terminal.path("damaged");
    fs::write(&damaged, &fs::read(&file).unwrap()[..90_000]).unwrap();
    let fault = terminal.run(&["--json", "restore", &damaged]).fault(1);
    assert_eq!(fault["kind"]["is"], json!("backup_damaged"));
    assert!(terminal.run(&["group", "log", "ada"]).done().contains("hello"));
}

#[test]
fn what_was_laid_ready_is_cancelled_whether_or_not_anybody_has_the_workspace() {
    let terminal = terminal().answering("yes");
    let file = terminal.path("all.coterie");
    terminal.run(&["say", "ada", "hello"]).done();
    terminal.run(&["backup", &file]).done();
    let there_is_later = || terminal.run(&["group", "log", "ada"]).done().contains("later");

    let serving = terminal.serve();
    terminal.run(&["say", "ada", "later"]).done();
    terminal.run(&["restore", &file]).done();
    let said = terminal.run(&["restore", "--cancel"]).done();
    assert!(said.contains("stays as it is"), "{said}");
    terminal.run(&["restore", &file]).done();
    serving.end();
    // Nobody has opened it since.
    terminal.run(&["restore", "--cancel"]).done();
    assert!(there_is_later());
    // Where nothing waits, nothing happens.
    terminal.run(&["restore", "--cancel"]).done();
    assert!(there_is_later());

    // Half of it in its place is finished, never left.
    let serving = terminal.serve();
    terminal.run(&["restore", &file]).done();
    serving.end();
    fs::remove_dir_all(terminal.data().join("restore/souls")).unwrap();
    let fault = terminal.run(&["--json", "restore", "--cancel"]).fault(4);
    assert_eq!(fault["message"], json!("the backup is being put in place already"));
}
