//! What agents want to know, answered from a terminal.

use super::terminal::{Terminal, terminal};
use serde_json::{Value, json};
use std::fs;

const SOUL: &str = "---\nname: Ada\ntools: [ask_user]\n---\nYou are Ada.\n";

/// Ada asks this when she hears of it, and says what came of it.
fn asking() -> Terminal {
    let terminal = terminal();
    fs::write(terminal.data().join("souls/ada.md"), SOUL).expect("a soul");
    let asks = |about: &str, arguments: Value| {
        let call = json!({ "id": "c", "name": "ask_user", "arguments": arguments });
        let answer = json!({ "lines": [{ "tool_call": call }] });
        json!({ "when": { "last": { "contains": about } }, "answer": answer })
    };
    let says = |what: &str, text: &str| json!({ "when": { "last": { "contains": what } }, "answer": { "lines": [{ "text": text }] } });
    let fields =
        json!([{ "name": "cups", "kind": "number" }, { "name": "milk", "kind": "yes_no" }]);
    let trace = json!({
        "format": "coterie-trace",
        "version": 1,
        "exchanges": [
            says("answered: green tea", "Green it is."),
            says("milk: yes", "With milk."),
            says("would rather not", "I choose myself."),
            asks("how many", json!({ "question": "How many?", "fields": fields })),
        ],
        "fallback": { "lines": [{ "tool_call": { "id": "c", "name": "ask_user", "arguments": { "question": "Which tea?" } } }] },
    });
    let file = terminal.path("asks.json");
    fs::write(&file, trace.to_string()).expect("a file");
    terminal.run(&["provider", "add", "scripted", "--trace", &file]).done();
    terminal.run(&["model", "use", "default", "scripted/demo"]).done();
    terminal
}

/// The id of what is asked next.
fn asked(terminal: &Terminal) -> String {
    loop {
        let waiting = terminal.run(&["question", "list", "--json"]).data();
        if let Some(id) = waiting[0]["id"].as_str() {
            return id.to_owned();
        }
    }
}

fn until_said(terminal: &Terminal, words: &str) {
    while !terminal.run(&["group", "log", "ada"]).done().contains(words) {}
}

#[test]
fn a_question_is_listed_shown_answered_and_declined_from_a_terminal() {
    let terminal = asking();
    assert_eq!(terminal.run(&["question", "list"]).done(), "nothing waits for your answer\n");
    let _serving = terminal.serve();
    terminal.run(&["say", "ada", "make tea", "--wait", "0"]).done();
    let id = asked(&terminal);
    let listed = terminal.run(&["question", "list"]).done();
    assert!(listed.contains("Which tea?") && listed.contains("Ada"), "{listed}");
    let shown = terminal.run(&["question", "show", &id[24..]]).done();
    assert!(shown.contains("Ada asks: Which tea?") && shown.contains("answer: text"), "{shown}");
    assert_eq!(terminal.run(&["question", "answer", &id]).status, 2);
    let told = terminal.run(&["question", "answer", &id, "green", "tea"]).done();
    assert_eq!(told, "Ada has your answer\n");
    until_said(&terminal, "Green it is.");
    assert_eq!(terminal.run(&["question", "decline", &id]).status, 4);

    terminal.run(&["say", "ada", "how many", "--wait", "0"]).done();
    let id = asked(&terminal);
    let unnamed = terminal.run(&["question", "answer", &id, "3"]);
    assert_eq!(unnamed.status, 2);
    terminal.run(&["question", "answer", &id, "cups=3", "milk=yes"]).done();
    until_said(&terminal, "With milk.");

    terminal.run(&["say", "ada", "tea again", "--wait", "0"]).done();
    let id = asked(&terminal);
    let told = terminal.run(&["question", "decline", &id]).done();
    assert_eq!(told, "Ada is told that you will not answer\n");
    until_said(&terminal, "I choose myself.");
    let all = terminal.run(&["question", "list", "--answered", "9", "--json"]).data();
    let states: Vec<_> =
        all.as_array().unwrap().iter().map(|one| one["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["declined", "answered", "answered"]);
}
