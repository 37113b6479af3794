//! What agents ask before they do it, answered from a terminal.

use super::terminal::{Terminal, terminal};
use serde_json::json;
use std::fs;

const SOUL: &str = "---\nname: Ada\ntools: [write_file]\nroots: [desk]\n---\nYou are Ada.\n";

/// Ada writes a file when she is asked to, and says what came of it.
fn writing() -> Terminal {
    writing_all(&["plan.md"])
}

/// The same with several files at once.
fn writing_all(paths: &[&str]) -> Terminal {
    let terminal = terminal();
    fs::write(terminal.data().join("souls/ada.md"), SOUL).expect("a soul");
    fs::create_dir_all(terminal.data().join("desk")).expect("a folder");
    let call = |path: &&str| {
        let arguments = json!({ "path": path, "content": "tea", "replace": true });
        json!({ "tool_call": { "id": path, "name": "write_file", "arguments": arguments } })
    };
    let calls: Vec<_> = paths.iter().map(call).collect();
    let says = |what: &str, text: &str| json!({ "when": { "last": { "contains": what } }, "answer": { "lines": [{ "text": text }] } });
    let trace = json!({
        "format": "coterie-trace",
        "version": 1,
        "exchanges": [
            says("1 line", "It is written."),
            says("said no", "Then not."),
            says("list of what no agent does", "I may never."),
        ],
        "fallback": { "lines": calls },
    });
    let file = terminal.path("writes.json");
    fs::write(&file, trace.to_string()).expect("a file");
    terminal.run(&["provider", "add", "scripted", "--trace", &file]).done();
    terminal.run(&["model", "use", "default", "scripted/demo"]).done();
    terminal
}

/// The id of what is asked next.
fn asked(terminal: &Terminal) -> String {
    loop {
        let waiting = terminal.run(&["approval", "list", "--json"]).data();
        if let Some(id) = waiting[0]["call"].as_str() {
            return id.to_owned();
        }
    }
}

fn until_said(terminal: &Terminal, words: &str) {
    while !terminal.run(&["group", "log", "ada"]).done().contains(words) {}
}

#[test]
fn a_question_is_answered_and_a_permission_taken_back_from_a_terminal() {
    let terminal = writing();
    let file = terminal.data().join("desk/plan.md");
    assert_eq!(terminal.run(&["approval", "list"]).done(), "nothing waits for your answer\n");
    let _serving = terminal.serve();
    terminal.run(&["say", "ada", "write it down", "--wait", "0"]).done();
    let id = asked(&terminal);
    let listed = terminal.run(&["approval", "list"]).done();
    let shown = file.canonicalize().unwrap_or(file.clone());
    assert!(listed.contains("write_file") && listed.contains("plan.md"), "{listed}");
    assert!(!shown.exists());

    let once = terminal.run(&["approval", "allow", &id, "--any"]);
    assert_eq!(once.status, 2);
    let told = "Ada may do it from now on; coterie grant list shows what holds\n";
    assert_eq!(terminal.run(&["approval", "allow", &id, "--always"]).done(), told);
    until_said(&terminal, "It is written.");
    assert_eq!(fs::read_to_string(&file).unwrap(), "tea");
    assert_eq!(terminal.run(&["approval", "deny", &id]).status, 4);

    let grants = terminal.run(&["grant", "list", "--json"]).data();
    assert_eq!(grants[0]["covers"]["kind"], "same");
    let grant = grants[0]["id"].as_str().unwrap();
    let revoked = terminal.run(&["grant", "revoke", &grant[24..]]).done();
    assert_eq!(revoked, "it is asked about again from now on\n");
    terminal.run(&["say", "ada", "write it again", "--wait", "0"]).done();
    let id = asked(&terminal);
    assert_eq!(terminal.run(&["approval", "deny", &id]).done(), "Ada is told no\n");
    until_said(&terminal, "Then not.");

    terminal.run(&["grant", "block", "write_file", "*.md"]).done();
    terminal.run(&["say", "ada", "once more", "--wait", "30"]).done();
    until_said(&terminal, "I may never.");
    let answered = terminal.run(&["approval", "list", "--answered", "9", "--json"]).data();
    let states: Vec<_> =
        answered.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["denied", "used"]);
    assert!(terminal.run(&["grant", "blocked"]).done().contains("*.md"));
    terminal.run(&["grant", "unblock", "write_file", "*.md"]).done();
    assert_eq!(terminal.run(&["grant", "blocked"]).done(), "nothing is blocked\n");
}

#[test]
fn who_says_something_hears_what_came_of_it_also_where_a_person_was_asked() {
    let terminal = writing();
    let _serving = terminal.serve();
    std::thread::scope(|scope| {
        let said = scope.spawn(|| terminal.run(&["say", "ada", "write it down"]));
        let id = asked(&terminal);
        assert!(!said.is_finished());
        terminal.run(&["approval", "allow", &id]).done();
        let said = said.join().expect("it does not panic");
        assert_eq!(said.status, 0, "{}", said.stderr);
        assert!(said.stdout.contains("It is written."), "{}", said.stdout);
    });
}

#[test]
fn what_is_asked_at_once_is_listed_in_the_order_in_which_it_would_be_done() {
    let paths = ["e.md", "b.md", "f.md", "a.md", "d.md", "c.md"];
    let terminal = writing_all(&paths);
    let _serving = terminal.serve();
    terminal.run(&["say", "ada", "write them", "--wait", "0"]).done();
    let listed = loop {
        let waiting = terminal.run(&["approval", "list", "--json"]).data();
        let all = waiting.as_array().expect("a list").clone();
        if all.len() == paths.len() {
            break all;
        }
    };
    let name = |one: &serde_json::Value| one["arguments"]["path"].as_str().map(str::to_owned);
    let listed: Vec<_> = listed.iter().filter_map(name).collect();
    assert_eq!(listed, paths);
}

/// Boss has Kid write a file.
fn having_it_written() -> Terminal {
    let terminal = terminal();
    let soul = |name: &str, front: &str| {
        let file = terminal.data().join(format!("souls/{}.md", name.to_lowercase()));
        let text = format!("---\nname: {name}\n{front}\nroots: [desk]\n---\nYou are {name}.\n");
        fs::write(file, text).expect("a soul");
    };
    soul("Boss", "tools: [delegate, write_file]\ndelegates: [kid]");
    soul("Kid", "tools: [write_file]");
    fs::create_dir_all(terminal.data().join("desk")).expect("a folder");
    let call = |name: &str, arguments: serde_json::Value| json!({ "tool_call": { "id": name, "name": name, "arguments": arguments } });
    let exchange = |what: &str, line: serde_json::Value| json!({ "when": { "last": { "contains": what } }, "answer": { "lines": [line] } });
    let trace = json!({
        "format": "coterie-trace",
        "version": 1,
        "exchanges": [
            exchange("have it", call("delegate", json!({ "to": "kid", "task": "write it" }))),
            exchange("write it", call("write_file", json!({ "path": "plan.md", "content": "tea" }))),
            exchange("1 line", json!({ "text": "It is written." })),
        ],
        "fallback": { "lines": [{ "text": "Good." }] },
    });
    let file = terminal.path("boss.json");
    fs::write(&file, trace.to_string()).expect("a file");
    terminal.run(&["provider", "add", "scripted", "--trace", &file]).done();
    terminal.run(&["model", "use", "default", "scripted/demo"]).done();
    terminal.run(&["agent", "new", "boss"]).done();
    terminal
}

#[test]
fn what_is_asked_for_a_task_is_said_by_who_waits_for_it_and_keeps_no_other_command() {
    let terminal = having_it_written();
    let mut saying = terminal.begin(&["say", "boss", "have it done"]);
    let asked = loop {
        let aside = saying.aside();
        if aside.contains("wants to use") {
            break aside;
        }
    };
    assert!(asked.contains("answer with coterie approval allow"), "{asked}");
    saying.signal("-INT");
    assert!(saying.end().stderr.contains("no longer waiting"));
    // It is taken up by whoever opens the workspace next, which waits for no person.
    let said = terminal.run(&["say", "bo", "hello"]);
    assert!(!said.stderr.contains("waiting for agents that answer others"), "{said:?}");
    assert!(said.done().contains("Good."));
    // And answered, it is done.
    let id = self::asked(&terminal);
    terminal.run(&["approval", "allow", &id]).done();
    assert_eq!(fs::read_to_string(terminal.data().join("desk/plan.md")).expect("a file"), "tea");
}
