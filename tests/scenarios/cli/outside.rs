//! Coterie as a server of the Model Context Protocol: the real program, spoken to by a
//! client that we did not write, in both eras of the protocol.

#![expect(clippy::unwrap_used, reason = "what goes wrong here fails the test that called it")]

use super::terminal::{Terminal, terminal};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tests::mcp_server::variable;

/// `mcp` of PyPI, if `make assets-test` fetched it.
#[expect(clippy::print_stderr, reason = "whoever runs it should know what was left out")]
fn python_parts() -> Option<PathBuf> {
    let named = variable("COTERIE_ASSETS");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
    let parts = named.as_ref().map_or(checkout, PathBuf::from).join("tests/mcp/python");
    if !parts.is_dir() {
        assert!(named.is_none(), "COTERIE_ASSETS is set, but {} is not there", parts.display());
        eprintln!("left out: run `make assets-test` for it");
        return None;
    }
    Some(parts)
}

/// What came of these uses, behind what the client found.
fn used(terminal: &Terminal, parts: &Path, era: &str, uses: &[Value]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/cli/outside_client.py");
    let environment: serde_json::Map<String, Value> = terminal
        .environment()
        .into_iter()
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    fs::write(terminal.path(".environment"), Value::Object(environment).to_string()).unwrap();
    let mut client = Command::new("python3")
        .arg("-B")
        .arg(script)
        .args([era, &terminal.program(), "mcp", "serve", "claude"])
        .env("PYTHONPATH", parts)
        .current_dir(terminal.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut wanted = client.stdin.take().unwrap();
    for one in uses {
        writeln!(wanted, "{one}").unwrap();
    }
    drop(wanted);
    let output = client.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn let_in(terminal: &Terminal, more: &[&str]) {
    terminal.run(&[&["mcp", "grant", "add", "claude"], more].concat()).done();
}

#[test]
fn a_client_of_either_era_reads_searches_and_speaks_as_far_as_its_pass_goes() {
    let Some(parts) = python_parts() else { return };
    let terminal = terminal().answering("Tea it is.");
    terminal.run(&["group", "new", "Lab", "--members", "ada"]).done();
    terminal.run(&["memory", "add", "Lin drinks green tea", "--scope", "user"]).done();
    terminal.run(&["say", "lab", "What shall we drink?"]).done();
    let_in(&terminal, &["--groups", "Lab", "--memory", "user", "--say"]);
    let uses = [
        json!(["list_groups", {}]),
        json!(["read_group", { "group": "Lab" }]),
        json!(["search_memory", { "query": "what does Lin drink" }]),
        json!(["say", { "group": "Lab", "text": "coffee, please" }]),
        json!(["read_group", { "group": "Ada" }]),
        json!(["say", { "group": "Lab", "text": "more", "loud": true }]),
        json!(["drop_tables", {}]),
        json!(["read_group", { "group": "Lab", "limit": -1 }]),
        json!(["search_memory", { "query": "tea", "limit": 51 }]),
    ];
    // Alone it opens the workspace itself; then it goes through who has it open.
    for (era, date, serving) in [("auto", "2026-07-28", None), ("legacy", "2025-11-25", Some(()))] {
        let serving = serving.map(|()| terminal.serve());
        let came = used(&terminal, &parts, era, &uses);
        assert_eq!(came[0]["era"], date);
        let tools: Vec<_> = came[0]["tools"].as_object().unwrap().keys().collect();
        assert_eq!(tools, ["list_groups", "read_group", "say", "search_memory"]);
        let value = |at: usize| {
            assert_eq!(came[at]["failed"], false, "{}", came[at]);
            came[at]["value"].clone()
        };
        assert_eq!(value(1)["groups"][0]["name"], "Lab");
        assert_eq!(value(2)["messages"][0]["said"], "What shall we drink?");
        assert_eq!(value(2)["messages"][0]["by"], "person");
        assert_eq!(value(3)["memories"][0]["text"], "Lin drinks green tea");
        let said = value(4);
        assert_eq!(said["answers_to_come"], false);
        assert_eq!(said["since"][0]["said"], "Tea it is.", "{said}");
        let refused = |at: usize, why: &str| {
            assert_eq!(came[at]["failed"], true, "{}", came[at]);
            assert!(came[at]["text"].as_str().unwrap().contains(why), "{}", came[at]);
        };
        refused(5, "names no group \"Ada\" that it may read");
        refused(6, "there is no `loud`; it takes group, text, wait_seconds");
        refused(8, "`limit`: expected 1 to 200, given -1");
        refused(9, "`limit`: expected 1 to 50, given 51");
        assert!(
            came[7]["refused"].as_str().unwrap().contains("no tool drop_tables"),
            "{}",
            came[7]
        );
        drop(serving);
    }
    let log = terminal.run(&["group", "log", "lab"]).done();
    assert_eq!(log.matches("claude (program): coffee, please").count(), 2, "{log}");
    let listed = terminal.run(&["mcp", "grant", "list"]).done();
    assert!(listed.contains("read Lab; say 30 messages an hour in Lab; search memories of user"));

    let revoked = terminal.run(&["mcp", "grant", "revoke", "claude"]).done();
    assert_eq!(revoked, "claude may do nothing here any more\n");
    let refused = terminal.run(&["mcp", "serve", "claude"]).failed(4);
    assert!(refused.stderr.contains("no pass is called \"claude\""), "{}", refused.stderr);
}

#[test]
fn what_is_wrong_with_a_pass_is_said_in_a_line() {
    let terminal = terminal().answering("yes");
    terminal.run(&["group", "new", "Lab", "--members", "ada"]).done();
    let none = terminal.run(&["mcp", "grant", "list"]).done();
    assert!(none.contains("coterie mcp grant add"), "{none}");
    let add = |more: &[&str], status| {
        terminal.run(&[&["mcp", "grant", "add"], more].concat()).failed(status).stderr
    };
    assert!(add(&["claude"], 2).contains("would let it do nothing"));
    assert!(add(&["claude", "--say"], 2).contains("--say names no group"));
    assert!(add(&["claude", "--groups", "Attic"], 3).contains("Attic"));
    assert!(add(&["claude", "--memory", "mars"], 2).contains("is no scope"));
    assert!(add(&["ada", "--groups", "Lab"], 1).contains("called \"ada\" already"));
    assert!(add(&["you", "--groups", "Lab"], 2).contains("cannot be a program's name"));
    terminal.run(&["mcp", "grant", "revoke", "claude"]).failed(3);
    terminal.run(&["mcp", "serve", "claude"]).failed(4);
    let told = terminal.run(&["mcp", "grant", "add", "claude", "--groups", "Lab", "--say"]).done();
    assert!(told.ends_with("have it start: coterie mcp serve claude\n"), "{told}");
}
