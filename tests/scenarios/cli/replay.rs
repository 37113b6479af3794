//! A run that is done again from its record, and one that is read from a file.

use super::terminal::{Terminal, terminal};
use serde_json::json;
use std::fs;

#[test]
fn a_run_is_replayed_the_same_also_at_the_owner() {
    let terminal = terminal().answering("Tea it is.");
    let said = terminal.run(&["--json", "say", "ada", "tea?"]).data();
    let id = said["runs"][0]["id"].as_str().unwrap();
    assert_eq!(terminal.run(&["run", "replay", id]).done(), "same 3 steps\n");
    let before = terminal.run(&["run", "show", id, "--json"]).data();
    let _serving = terminal.serve();
    let told = terminal.run(&["--json", "run", "replay", &id[..13]]).data();
    assert_eq!(told, json!({ "steps": 3, "difference": null }));
    assert_eq!(terminal.run(&["run", "show", id, "--json"]).data(), before);
    terminal.run(&["run", "replay", "0123"]).failed(3);
}

/// What an exported run looks like, cut off after so many bytes of the end.
fn exported(terminal: &Terminal, id: &str, without: usize) -> String {
    let text = terminal.run(&["run", "export", id]).done();
    let file = terminal.path("run.jsonl");
    fs::write(&file, &text[..text.len() - without]).expect("the folder can be written");
    file
}

#[test]
fn an_export_is_shown_as_the_run_is_and_a_torn_end_is_told() {
    let terminal = terminal().answering("Tea it is.");
    let said = terminal.run(&["--json", "say", "ada", "tea?"]).data();
    let id = said["runs"][0]["id"].as_str().unwrap();
    let mut shown = terminal.run(&["--json", "run", "show", id]).data();
    shown["decisions"] = json!([]);
    shown["calls"] = json!([]);
    // What was sent is not in an export.
    shown["requests"] = json!([]);
    shown["sent"] = json!(0);
    let file = exported(&terminal, id, 0);
    assert_eq!(terminal.run(&["--json", "run", "show", &file]).data(), shown);

    let file = exported(&terminal, id, 5);
    let ran = terminal.run(&["run", "show", &file]);
    assert_eq!((ran.status, ran.stdout.contains("settled")), (0, true));
    let told = format!("coterie: {file} ends in the middle of a line: its last ");
    assert!(ran.stderr.starts_with(&told), "{}", ran.stderr);
    let damaged = fs::read_to_string(&file).unwrap().replacen("\"step\"", "\"stop\"", 1);
    fs::write(&file, damaged).unwrap();
    let ran = terminal.run(&["run", "show", &file]).failed(2);
    assert!(ran.stderr.contains("line 2 is damaged"), "{}", ran.stderr);
    terminal.run(&["run", "show", "no-such.jsonl"]).failed(3);
}

#[test]
fn a_run_as_a_trace_is_answered_with_what_was_answered() {
    let call = json!({ "id": "c1", "name": "calculator", "arguments": { "expression": "6 * 7" } });
    let terminal = terminal();
    let file = terminal.path("first.json");
    let exchanges = json!([
        { "when": { "call": 1 }, "answer": { "lines": [{ "reasoning": "hm" }, { "tool_call": call }] } },
        { "when": { "call": 2 }, "answer": { "lines": [{ "text": "42" }], "usage": { "output_tokens": 1 } } },
    ]);
    let trace = json!({ "format": "coterie-trace", "version": 1, "exchanges": exchanges });
    fs::write(&file, trace.to_string()).unwrap();
    terminal.run(&["provider", "add", "first", "--trace", &file]).done();
    terminal.run(&["model", "use", "default", "first/demo"]).done();
    let first = terminal.run(&["--json", "say", "ada", "six times seven?"]).data();
    let id = first["runs"][0]["id"].as_str().unwrap();
    terminal.run(&["run", "replay", id]).done();

    let again = terminal.path("again.json");
    fs::write(&again, terminal.run(&["run", "export", id, "--as-trace"]).done()).unwrap();
    terminal.run(&["provider", "add", "again", "--trace", &again]).done();
    terminal.run(&["model", "use", "default", "again/demo"]).done();
    let second = terminal.run(&["--json", "say", "bo", "six times seven?"]).data();
    let steps = |said: &serde_json::Value| {
        let id = said["runs"][0]["id"].as_str().unwrap();
        let shown = terminal.run(&["--json", "run", "show", id]).data();
        let steps = shown["steps"].as_array().unwrap().iter();
        steps.map(|step| (step["step"].clone(), step["text"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(second["messages"][0]["body"]["text"], "42");
    assert_eq!(steps(&second), steps(&first));
}
