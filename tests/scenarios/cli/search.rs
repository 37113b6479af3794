//! Searching everywhere from a terminal.

use super::terminal::terminal;
use serde_json::Value;

#[test]
fn what_is_found_is_said_under_what_other_commands_call_it() {
    let terminal = terminal().answering("Basil wants sun.");
    terminal.run(&["group", "new", "Garden", "--members", "ada,bo", "--policy", "mention"]).done();
    terminal.run(&["say", "garden", "@Ada Where does the basil stand?\nIt is dry."]).done();
    terminal.run(&["say", "ada", "罗勒放在哪里？"]).done();
    terminal.run(&["memory", "add", "Waters the basil on Mondays"]).done();

    terminal.snapshot("search", &["search", "basil", "--in", "messages,memories", "--limit", "1"]);
    let told = terminal.run(&["search", "basil"]).done();
    let lines: Vec<&str> = told.lines().collect();
    let has = |head: &str, text: &str| {
        lines.windows(2).any(|two| two[0].starts_with(head) && two[1] == text)
    };
    assert!(
        has("message #1  you in Garden  ", "  @Ada Where does the basil stand? It is dry."),
        "{told}"
    );
    assert!(has("message #2  Ada in Garden  ", "  Basil wants sun."), "{told}");
    assert!(has("memory ", "  Waters the basil on Mondays"), "{told}");
    let chinese = terminal.run(&["search", "罗勒"]).done();
    assert!(
        chinese.contains("you in Ada") && chinese.ends_with("\n  罗勒放在哪里？\n"),
        "{chinese}"
    );
    let runs = terminal.run(&["search", "garden", "--in", "runs"]).done();
    assert!(runs.starts_with("run ") && runs.contains("Ada in Garden  settled"), "{runs}");
    let id = runs.split_whitespace().nth(1).expect("its id").to_owned();
    terminal.run(&["run", "show", &id]).done();

    let kinds = |words: &[&str]| {
        let ran = terminal.run(&[&["--jsonl", "search", "basil"], words].concat()).done();
        let kind = |line: &str| {
            let item: Value = serde_json::from_str(line).expect("a line of JSON");
            item["kind"].as_str().expect("a kind").to_owned()
        };
        ran.lines().map(kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&["--group", "garden"]), ["message", "message"]);
    assert_eq!(kinds(&["--agent", "ada", "--in", "messages"]), ["message", "message"]);
    assert_eq!(kinds(&["--agent", "bo"]), [""; 0]);
    assert_eq!(terminal.run(&["search", "parsley"]).done(), "nothing was found\n");
}

#[test]
fn what_cannot_be_searched_says_why_and_ends_so() {
    let terminal = terminal();
    let nothing = terminal.run(&["--json", "search", " "]).fault(2);
    assert_eq!(nothing["message"], "there is nothing to look for");
    terminal.run(&["search", "tea", "--group", "Garden"]).failed(3);
    terminal.run(&["search", "tea", "--agent", "nobody"]).failed(3);
    let posts = terminal.run(&["search", "tea", "--in", "posts"]).failed(2);
    assert!(posts.stderr.contains("choose of messages, memories, runs"), "{}", posts.stderr);
    terminal.run(&["search", "tea", "--limit", "0"]).failed(2);
    terminal.run(&["search"]).failed(2);
}

#[test]
fn a_workspace_that_another_process_has_open_is_searched_over_its_socket() {
    let terminal = terminal().answering("Tea it is.");
    let serving = terminal.serve();
    terminal.run(&["say", "ada", "What shall we drink?"]).done();
    let told = terminal.run(&["search", "drinking"]).done();
    assert!(told.contains("  What shall we drink?\n"), "{told}");
    serving.end();
}
