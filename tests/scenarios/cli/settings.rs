//! What is set for the whole workspace, from a terminal.

use super::terminal::terminal;
use serde_json::json;

#[test]
fn what_the_window_sets_can_be_set_from_a_terminal() {
    let terminal = terminal();
    let settings = || terminal.run(&["setting"]).done();
    let before = settings();
    for line in ["your-name", "not set", "wait-minutes", "10", "notices", "on"] {
        assert!(before.contains(line), "{line}: {before}");
    }
    for (name, value, expected) in [
        ("your-name", "Kim", json!("Kim")),
        ("theme", "dark", json!("dark")),
        ("language", "zh", json!("zh")),
        ("high-contrast", "on", json!(true)),
        ("zoom", "125", json!(125)),
        ("wait-minutes", "45", json!(45)),
        ("notices", "off", json!(false)),
        ("trouble-notices", "off", json!(false)),
        ("stays", "on", json!(true)),
        ("memory-notices", "off", json!(false)),
        ("memory-looks-back", "off", json!(false)),
        ("memory-reminds", "off", json!(false)),
        ("models-at-once", "2", json!(2)),
        ("message-characters", "500", json!(500)),
    ] {
        let told = terminal.run(&["setting", name, value]).done();
        assert_eq!(told, format!("{name} is {value}\n"));
        assert_eq!(terminal.run(&["setting", name, "--json"]).data()["value"], expected, "{name}");
    }
    // Each left the others as they were.
    let all = terminal.run(&["setting", "--json"]).data();
    let off = all.as_array().expect("a list").iter().filter(|one| one["value"] == false).count();
    assert_eq!(off, 5, "{all}");
    for (name, value, status, says) in [
        ("notices", "perhaps", 2, "give on or off"),
        ("theme", "pink", 2, "one of system, light, dark"),
        ("zoom", "60", 2, "80, 90, 100, 110, 125, 150, 175 or 200 percent"),
        ("zoom", "large", 2, "a number"),
        ("wait-minutes", "-1", 2, "a number"),
        ("wait-minutes", "0", 2, "from 1 to 1,440 minutes"),
        ("colour", "red", 3, "there is no setting colour"),
    ] {
        let refused = terminal.run(&["setting", "--", name, value]).failed(status).stderr;
        assert!(refused.contains(says), "{refused}");
    }
    assert_eq!(terminal.run(&["setting", "wait-minutes"]).done(), "wait-minutes is 45\n");
}

#[test]
fn hosts_nearby_are_let_through_from_a_terminal() {
    let terminal = terminal();
    let near = |more: &[&str]| terminal.run(&[&["grant", "near"], more].concat());
    assert!(near(&[]).done().starts_with("fetch reaches nothing on this machine"));
    near(&["printer.lan"]).done();
    near(&["printer.lan"]).done();
    let two = near(&["127.0.0.1:8080"]).done();
    assert_eq!(two, "fetch also reaches printer.lan, 127.0.0.1:8080\n");
    terminal.run(&["setting", "wait-minutes", "20"]).done();
    assert_eq!(near(&["--json"]).data(), json!(["printer.lan", "127.0.0.1:8080"]));
    assert_eq!(near(&["printer.lan", "--not"]).done(), "fetch also reaches 127.0.0.1:8080\n");
    near(&["printer.lan", "--not"]).failed(3);
    for wrong in [" ", "*", "10.0.0.0/8", "http://nas"] {
        near(&[wrong]).failed(2);
    }
}
