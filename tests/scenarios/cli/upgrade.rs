//! A whole data directory as an earlier version left it, opened by this one, in another place.
//!
//! `older/schema-15.tar.gz` was written by the program of that time: two conversations with an
//! attachment, a post, memories with their index, souls of which one was edited and one is the
//! person's own, a skill, a profile, what agents keep in their folders, a budget, and a key in
//! the sealed file.

use super::terminal::{Terminal, terminal};
use serde_json::Value;
use std::fs;
use std::process::Command;

const LEFT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/cli/older/schema-15.tar.gz");
const PASSPHRASE: &str = "first flush 1848";

fn as_left() -> Terminal {
    let terminal = terminal();
    let passphrase = terminal.path("passphrase");
    fs::write(&passphrase, PASSPHRASE).expect("the file is written");
    let terminal = terminal.knowing("COTERIE_PASSPHRASE_FILE", &passphrase);
    let unpacked = Command::new("tar").args(["-xzf", LEFT, "-C", &terminal.path("")]).status();
    assert!(unpacked.expect("tar is installed").success());
    terminal
}

#[test]
fn a_directory_of_an_earlier_version_opens_with_everything_in_it() {
    let terminal = as_left();
    let says = |words: &[&str], parts: &[&str]| {
        let said = terminal.run(words).done();
        for part in parts {
            assert!(said.contains(part), "{words:?} does not say {part:?}:\n{said}");
        }
    };
    says(
        &["group", "log", "Ada"],
        &["Which tea shall we drink in Lisbon?", "tea.txt", "Tea it is."],
    );
    says(&["group", "log", "Tea"], &["@Bo bring the kettle", "Bo: Tea it is."]);
    says(&["feed", "list"], &["Who has seen the blue pot?"]);
    says(&["agent", "list"], &["Ada", "Kim", "老陈"]);
    says(&["memory", "list"], &["pinned, holds  Ann lived in Porto", "Ann drinks green tea"]);
    // Words are enough, where there is no model for what they mean.
    let found = terminal.run(&["memory", "search", "green tea"]);
    assert!(found.stdout.contains("Ann drinks green tea"), "{}", found.stdout);
    says(&["search", "kettle"], &["@Bo bring the kettle"]);
    says(&["soul", "show", "ada"], &["You always offer a biscuit."]);
    says(&["soul", "show", "kim"], &["You grow tea."]);
    says(&["skill", "list"], &["brewing"]);
    says(&["budget", "show"], &["$2.50"]);
    says(&["key", "list"], &["the sealed file  …6789"]);
    says(&["key", "test", "acme"], &["acme"]);
    let versions = terminal.run(&["--json", "soul", "history", "ada"]).data();
    assert_eq!(versions.as_array().map(Vec::len), Some(2), "{versions}");

    let kept = |path: &str| fs::read_to_string(terminal.data().join(path)).unwrap();
    assert_eq!(kept("profile.md"), "I am Ann. I keep a small garden.\n");
    let tea = "c00aacbb4017f4c3eb2e952267834866ca7e3c5277d6f2a11cfedd99da72cbb9";
    assert_eq!(kept(&format!("attachments/{tea}")), "Camellia sinensis, first flush.\n");
    let folders = fs::read_dir(terminal.data().join("folders")).unwrap();
    let recipes = folders.filter(|one| one.as_ref().unwrap().path().join("recipe.md").exists());
    assert_eq!(recipes.count(), 2);
    // The way back, as before each change of the schema.
    assert_eq!(fs::read_dir(terminal.data().join("backups")).unwrap().count(), 1);
}

#[test]
fn who_was_there_before_an_update_goes_on_and_a_backup_of_it_is_whole() {
    let terminal = as_left().answering("Green, then.");
    let said = terminal.run(&["say", "Ada", "And tomorrow?"]).done();
    assert!(said.contains("Green, then."), "{said}");
    let prompt = terminal.run(&["run", "show", &newest_run(&terminal), "--prompt"]).done();
    for part in
        ["Which tea shall we drink in Lisbon?", "biscuit", "Ann lived in Porto", "small garden"]
    {
        assert!(prompt.contains(part), "{part:?} is not in\n{prompt}");
    }

    let file = terminal.path("all.coterie");
    terminal.run(&["backup", &file]).done();
    terminal.run(&["say", "Ada", "later"]).done();
    terminal.run(&["restore", &file]).done();
    let log = terminal.run(&["group", "log", "Ada"]).done();
    assert!(
        log.contains("in Lisbon?") && log.contains("Green, then.") && !log.contains("later"),
        "{log}"
    );
}

fn newest_run(terminal: &Terminal) -> String {
    let runs = terminal.run(&["--json", "run", "list"]).data();
    let newest = runs.as_array().and_then(|runs| runs.first()).expect("there was a turn");
    newest["id"].as_str().map(str::to_owned).unwrap_or_else(|| Value::to_string(newest))
}
