//! Groups and agents as people name them on the command line.

use super::terminal::terminal;
use std::fs;

#[test]
fn a_name_with_a_comma_is_found_among_members_that_commas_separate() {
    let terminal = terminal().answering("yes");
    let soul = terminal.data().join("souls/smith.md");
    fs::write(soul, "---\nname: Smith,John\n---\nYou are John Smith.\n").unwrap();
    terminal.run(&["agent", "new", "smith"]).done();
    let made = terminal.run(&["group", "new", "Tea", "--members", "ada,Smith,John,bo"]).done();
    assert!(made.starts_with("Tea: Ada, Smith,John, Bo;"), "{made}");
    let refused = terminal.run(&["agent", "new", "smith", "--name", "a,b"]).failed(2);
    assert!(refused.stderr.contains("without spaces, commas and @"), "{}", refused.stderr);
}

#[test]
fn a_log_says_that_nothing_is_forked_when_a_branch_is_asked_for() {
    let terminal = terminal().answering("yes");
    for words in
        [&["group", "log", "ada", "--branch"][..], &["group", "log", "ada", "--branch", "2"]]
    {
        let ran = terminal.run(words).failed(2);
        let said = "coterie: the conversation of \"ada\" has one branch only: nothing in it can be forked yet; \
                    leave --branch out: the log is all of it\n";
        assert_eq!(ran.stderr, said);
    }
    terminal.run(&["group", "log", "nobody", "--branch"]).failed(3);
    terminal.run(&["group", "log", "ada"]).done();
}

#[test]
fn an_agent_for_a_model_that_is_none_is_refused_with_those_there_are() {
    let terminal = terminal().answering("yes");
    let ran = terminal.run(&["agent", "new", "ada", "--model", "nope"]).failed(2);
    assert!(ran.stderr.contains("\"nope\" is no model; choose one of "), "{}", ran.stderr);
    assert!(ran.stderr.contains("or a role: default, fast or reasoning"), "{}", ran.stderr);
    let ran = terminal.run(&["agent", "new", "ada", "--model", "nowhere/big"]);
    assert_eq!(ran.status, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no provider called nowhere"), "{}", ran.stderr);
}

#[test]
fn a_group_that_nobody_is_left_in_says_so_to_whoever_speaks() {
    let terminal = terminal().answering("yes");
    terminal.run(&["group", "new", "Tea", "--members", "ada,bo"]).done();
    terminal.run(&["say", "tea", "hello"]).done();
    terminal.run(&["group", "remove", "tea", "bo"]).done();
    let refused = terminal.run(&["group", "remove", "tea", "ada"]).failed(4).stderr;
    assert!(refused.contains("Ada is the only agent in Tea"), "{refused}");

    terminal.run(&["agent", "terminate", "ada"]).done();
    let said = terminal.run(&["say", "tea", "anybody?"]).failed(1).stderr;
    assert!(said.contains("no agent is in Tea, so nobody answers"), "{said}");
    assert!(said.contains("coterie group add Tea"), "{said}");
    let why = terminal.run(&["why", "tea"]).done();
    assert!(why.contains("anybody?") && !why.contains("hello"), "{why}");
    assert!(why.contains("no agent was there to answer it"), "{why}");
}
