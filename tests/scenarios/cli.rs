//! Stories told by the real `coterie` program: what it prints, how it ends,
//! and how two of them share a workspace.

mod approvals;
mod attachments;
mod backups;
mod budgets;
mod feed;
mod full_disk;
mod groups;
mod keyring;
mod keys;
mod leaks;
mod memory;
mod models;
mod once;
mod opened;
mod outside;
mod providers;
mod questions;
mod replay;
mod retrieval;
mod runs;
mod search;
mod servers;
mod settings;
mod skills;
mod souls;
mod starter;
mod taking_in;
mod terminal;
mod turns;
mod upgrade;

use domain::FaultCode;
use serde_json::{Value, json};
use std::fs;
use terminal::terminal;

/// Every command's `--json`, one after the other on the same workspace.
#[test]
fn what_every_command_prints_as_json() {
    let terminal = terminal().answering("Tea it is.");
    let soul = terminal.data().join("souls/mia.md");
    let text = "---\nname: Mia\nrole: Gardener\n---\nYou are Mia.\n";
    fs::write(&soul, text).unwrap();
    fs::write(terminal.path("wrong.md"), "---\nname: [Mia\n---\nYou are Mia.\n").unwrap();
    fs::write(terminal.path("odd.md"), "---\nname: Mia\nhobby: tea\n---\nYou are Mia.\n").unwrap();

    let snapshot = |name: &str, words: &[&str]| terminal.snapshot(name, words);
    snapshot("doctor", &["doctor"]);
    snapshot("soul_list", &["soul", "list"]);
    snapshot("soul_show", &["soul", "show", "mia"]);
    snapshot("soul_check_wrong", &["soul", "check", &terminal.path("wrong.md")]);
    snapshot("soul_check_odd", &["soul", "check", &terminal.path("odd.md")]);
    fs::write(&soul, text.replace("Gardener", "Florist")).unwrap();
    snapshot("soul_history", &["soul", "history", "mia"]);
    snapshot("soul_diff", &["soul", "diff", "mia", "1", "2"]);
    snapshot("soul_rollback", &["soul", "rollback", "mia", "1"]);

    snapshot("agent_new", &["agent", "new", "mia"]);
    snapshot("agent_list", &["agent", "list"]);
    snapshot("agent_model", &["agent", "model", "mia", "scripted/other"]);
    snapshot("agent_pause", &["agent", "pause", "mia"]);
    snapshot("agent_resume", &["agent", "resume", "mia"]);

    snapshot(
        "group_new",
        &["group", "new", "Garden", "--members", "ada,mia", "--policy", "mention"],
    );
    snapshot("group_set", &["group", "set", "garden", "policy", "broadcast"]);
    snapshot("group_set_cap", &["group", "set", "garden", "chain_depth", "2"]);
    snapshot("group_remove", &["group", "remove", "garden", "mia"]);
    snapshot("group_add", &["group", "add", "garden", "bo", "--sees", "3"]);
    snapshot("group_mute", &["group", "mute", "garden", "bo"]);
    snapshot("agent_terminate", &["agent", "terminate", "mia"]);
    snapshot("agent_show", &["agent", "show", "mia"]);
    snapshot("group_list", &["group", "list"]);

    snapshot("say", &["say", "garden", "What shall we drink?"]);
    snapshot("group_log", &["group", "log", "garden", "--limit", "2"]);
    snapshot("why", &["why", "garden"]);
    snapshot("run_list", &["run", "list"]);
    let run = terminal.run(&["run", "list", "--json"]).data()[0]["id"].as_str().unwrap().to_owned();
    snapshot("run_show", &["run", "show", &run]);
    snapshot("run_export", &["run", "export", &run]);

    snapshot("provider_list", &["provider", "list"]);
    let trace = terminal.trace("other", "Coffee.");
    snapshot("provider_add", &["provider", "add", "other", "--trace", &trace, "--model", "small"]);
    snapshot("provider_test", &["provider", "test", "other"]);
    snapshot("model_use", &["model", "use", "fast", "other/small"]);
    snapshot("model_list", &["model", "list"]);
    snapshot("provider_remove", &["provider", "remove", "other"]);
}

#[test]
fn a_mistake_is_one_line_with_the_fix_and_its_own_exit_status() {
    let terminal = terminal().answering("yes");
    terminal.run(&["group", "new", "tired", "--members", "ada", "--policy", "broadcast"]).done();
    terminal.run(&["group", "set", "tired", "runs_per_hour", "1"]).done();
    terminal.run(&["say", "tired", "one"]).done();
    let long = "x".repeat(33_000);
    for (status, code, words) in [
        (2, FaultCode::BadInput, vec!["say", "ada", ""]),
        (2, FaultCode::BadInput, vec!["say", "ada", &long]),
        (2, FaultCode::BadInput, vec!["frobnicate"]),
        (2, FaultCode::BadInput, vec!["say", "ada"]),
        (2, FaultCode::BadInput, vec!["group", "set", "tired", "policy", "shouting"]),
        (2, FaultCode::BadInput, vec!["group", "set", "tired", "mood", "good"]),
        (2, FaultCode::BadInput, vec!["why", "tired", "the last one"]),
        (3, FaultCode::NotFound, vec!["say", "nobody", "hello"]),
        (3, FaultCode::NotFound, vec!["agent", "new", "nobody"]),
        (3, FaultCode::NotFound, vec!["agent", "show", "nobody"]),
        (3, FaultCode::NotFound, vec!["soul", "show", "nobody"]),
        (3, FaultCode::NotFound, vec!["soul", "diff", "ada", "1", "99"]),
        (3, FaultCode::NotFound, vec!["soul", "check", "no-such-file.md"]),
        (2, FaultCode::BadInput, vec!["run", "show", "0"]),
        (2, FaultCode::BadInput, vec!["run", "show", ""]),
        (3, FaultCode::NotFound, vec!["run", "show", "ffff"]),
        (3, FaultCode::NotFound, vec!["run", "show", "no such run"]),
        (3, FaultCode::NotFound, vec!["why", "tired", "99999"]),
        (3, FaultCode::NotFound, vec!["provider", "test", "nobody"]),
        (4, FaultCode::Refused, vec!["say", "tired", "two"]),
        (3, FaultCode::NotFound, vec!["model", "use", "default", "nobody/model"]),
        (2, FaultCode::BadInput, vec!["provider", "add", "bad", "--url", "ftp://x"]),
        (2, FaultCode::BadInput, vec!["provider", "add", "bad", "--url", "http://me:secret@x/v1"]),
        (2, FaultCode::BadInput, vec!["provider", "add", "bad", "--url", "http://x/v1?key=secret"]),
        (1, FaultCode::Provider, vec!["provider", "add", "dead", "--url", "http://127.0.0.1:9/v1"]),
    ] {
        terminal.run(&words).failed(status);
        let fault = terminal.run(&[&["--json"], words.as_slice()].concat()).fault(status);
        assert_eq!(fault["code"], json!(code), "{words:?}: {fault}");
        let fix = fault["fix"].as_str().unwrap();
        assert!(!fix.starts_with(char::is_uppercase) && !fix.ends_with('.'), "{words:?}: {fix}");
    }
}

#[test]
fn who_meets_a_limit_is_given_the_command_that_raises_it() {
    let terminal = terminal().answering("yes");
    terminal.run(&["group", "new", "Tea round", "--members", "ada"]).done();
    terminal.run(&["group", "set", "Tea round", "runs_per_hour", "1"]).done();
    terminal.run(&["say", "tea round", "one"]).done();
    let ran = terminal.run(&["say", "tea round", "two"]).failed(4);
    let raise = "coterie group set 'Tea round' runs_per_hour 2\n";
    assert!(ran.stderr.ends_with(raise), "{}", ran.stderr);
    terminal.run(&["group", "set", "Tea round", "runs_per_hour", "2"]).done();
    assert_eq!(terminal.run(&["say", "tea round", "three"]).done(), "#5 Ada: yes\n");
}

#[test]
fn a_turn_without_an_answer_is_a_failure_that_names_the_cause() {
    let fault = json!({ "fault": { "trouble": "key", "message": "the key was refused", "fix": "set another one" } });
    let terminal = terminal().playing(&json!({ "lines": [fault] }));
    let ran = terminal.run(&["say", "ada", "hello"]).failed(1);
    let back = "set another one; then: coterie agent resume Ada\n";
    assert_eq!(ran.stderr, format!("coterie: Ada could not answer: the key was refused; {back}"));
    let said = terminal.run(&["group", "log", "ada", "--json"]).data();
    assert_eq!(said[0]["body"]["text"], "hello");
}

#[test]
fn waiting_for_an_answer_that_does_not_come_ends_in_time() {
    let terminal = terminal().playing(&json!({ "lines": [{ "text": "I was" }, { "hang": true }] }));
    let ran = terminal.run(&["say", "ada", "hello", "--wait", "1"]).failed(5);
    assert!(ran.stderr.contains("did not fall quiet within 1 s"), "{}", ran.stderr);
    assert_eq!(terminal.run(&["group", "log", "ada", "--json"]).data()[0]["body"]["text"], "hello");
}

#[test]
fn ctrl_c_ends_the_waiting_and_nothing_else() {
    let terminal = terminal().playing(&json!({ "lines": [{ "text": "I was" }, { "hang": true }] }));
    let _serving = terminal.serve();
    let waiting = terminal.begin(&["say", "ada", "hello"]);
    terminal.until_running();
    waiting.signal("-INT");
    let ran = waiting.end();
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ""));
    assert_eq!(ran.stderr, "coterie: no longer waiting; the message has been posted\n");
    let running = terminal.run(&["run", "list", "--state", "running", "--json"]).data();
    assert_eq!(running.as_array().unwrap().len(), 1);
}

#[test]
fn a_soul_is_checked_without_a_workspace() {
    let terminal = terminal();
    let file = terminal.path("wrong.md");
    fs::write(&file, "---\nname: Mia\ntemperature: hot\n---\nYou are Mia.\n").unwrap();
    let ran = terminal.run(&["soul", "check", &file]).failed(1);
    assert!(ran.stdout.starts_with(&format!("{file}:3:")), "{}", ran.stdout);
    assert_eq!(ran.stderr.lines().count(), 1);
    assert!(!terminal.data().join("coterie.db").exists());
}

#[cfg(unix)]
#[test]
fn what_the_workspace_would_not_take_for_a_soul_does_not_pass_the_check() {
    let terminal = terminal();
    let (plain, link) = (terminal.path("plain.md"), terminal.path("link.md"));
    fs::write(&plain, "You are Mia.\n").unwrap();
    std::os::unix::fs::symlink(&plain, &link).unwrap();
    let pipe = terminal.path("pipe.md");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for file in [link, pipe] {
        let ran = terminal.run(&["soul", "check", &file]).failed(1);
        assert!(ran.stderr.contains("only plain files are souls"), "{}", ran.stderr);
    }
}

#[test]
fn a_soul_that_is_not_in_force_is_shown_with_why() {
    let terminal = terminal().answering("yes");
    assert!(terminal.run(&["soul", "show", "ada"]).done().contains("name: Ada"));
    assert_eq!(terminal.run(&["soul", "show", "ada", "--json"]).data()["in_force"], true);
    let file = terminal.data().join("souls/ada.md");
    let broken = "---\nname: Ada\ntemperature: hot\n---\nYou are Ada.\n";
    fs::write(&file, broken).unwrap();
    let ran = terminal.run(&["soul", "show", "ada"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, broken));
    let why = format!(
        "coterie: this text is not in force, version 1 stays in force: {}:3:",
        file.display()
    );
    assert!(ran.stderr.starts_with(&why), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("; correct the file\n"), "{}", ran.stderr);
    let shown: Value =
        serde_json::from_str(&terminal.run(&["soul", "show", "ada", "--json"]).stdout).unwrap();
    assert_eq!(
        (&shown["data"]["in_force"], &shown["data"]["text"]),
        (&json!(false), &json!(broken))
    );
    fs::remove_file(&file).unwrap();
    let ran = terminal.run(&["soul", "show", "ada"]);
    assert!(ran.stderr.contains("the file is gone, version 1 stays in force"), "{}", ran.stderr);
}

#[test]
fn an_export_is_a_header_and_a_line_for_each_step() {
    let terminal = terminal().answering("yes");
    let run = terminal.run(&["--json", "say", "ada", "tea?"]).data()["runs"][0]["id"].clone();
    let id = run.as_str().unwrap();
    let exported = terminal.run(&["run", "export", &id[..13]]).done();
    let lines: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["format"], &lines[0]["version"]), (&json!("coterie-run"), &json!(1)));
    assert_eq!(lines[0]["run"]["id"], run);
    let numbers: Vec<_> = lines[1..].iter().map(|step| step["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(lines.last().unwrap()["step"], "settled");
}

#[test]
fn what_happens_can_be_followed_line_by_line() {
    let terminal = terminal().answering("Tea it is.");
    let printed = terminal.run(&["say", "ada", "tea?", "--jsonl"]).done();
    let events: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let saved = |table: &str| -> Vec<Value> {
        let rows = events.iter().filter(|event| event["record"]["table"] == table);
        rows.map(|event| event["record"]["row"].clone()).collect()
    };
    let said: Vec<_> =
        saved("message").iter().map(|message| message["body"]["text"].clone()).collect();
    assert_eq!(said, [json!("tea?"), json!("Tea it is.")]);
    assert_eq!(saved("run").last().unwrap()["state"], "settled");
}

#[test]
fn names_are_found_in_any_case_and_a_message_by_its_number() {
    let terminal = terminal().answering("yes");
    terminal.run(&["say", "ADA", "one"]).done();
    let posted = terminal.run(&["group", "log", "Ada", "--json"]).data()[0].clone();
    let (id, seq) = (posted["id"].as_str().unwrap(), posted["seq"].to_string());
    let by_number = terminal.run(&["why", "ada", &seq, "--json"]).data();
    assert_eq!(by_number, terminal.run(&["why", "ada", id, "--json"]).data());
    assert_eq!(by_number[0]["message"], posted["id"]);
    let answer = terminal.run(&["say", "@ada", "two"]);
    answer.failed(3);
    let reply =
        terminal.run(&["say", "ada", "two", "--reply-to", &format!("#{seq}"), "--json"]).data();
    assert_eq!(reply["message"]["parent"], posted["id"]);
}

#[test]
fn commands_reach_the_workspace_that_another_process_serves() {
    let terminal = terminal().answering("yes");
    let serving = terminal.serve();
    let said = terminal.run(&["say", "ada", "hello"]).done();
    assert_eq!(said, "#2 Ada: yes\n");
    let log = terminal.run(&["group", "log", "ada"]).done();
    assert_eq!(log, "#1 you: hello\n#2 Ada: yes\n");

    let second = terminal.run(&["serve"]).failed(1);
    assert!(second.stderr.contains(&format!("pid {}", serving.pid())), "{}", second.stderr);

    serving.end();
    assert!(!terminal.data().join("coterie.sock").exists());
    assert_eq!(terminal.run(&["group", "log", "ada"]).done(), log);
}

#[test]
fn many_commands_at_once_find_one_owner() {
    let terminal = terminal().answering("yes");
    let posts: Vec<String> = (0..8).map(|n| format!("post {n}")).collect();
    std::thread::scope(|scope| {
        let posting: Vec<_> = posts
            .iter()
            .map(|post| scope.spawn(|| terminal.run(&["say", "ada", post]).status))
            .collect();
        posting.into_iter().for_each(|posting| assert_eq!(posting.join().unwrap(), 0));
    });
    let log = terminal.run(&["group", "log", "ada", "--json"]).data();
    let mut said: Vec<_> =
        log.as_array().unwrap().iter().filter(|message| message["run"].is_null()).collect();
    said.sort_by_key(|message| message["body"]["text"].to_string());
    let said: Vec<_> =
        said.into_iter().map(|message| message["body"]["text"].as_str().unwrap()).collect();
    assert_eq!(said, posts);
}

#[test]
fn a_killed_owner_leaves_nothing_in_the_way() {
    let terminal = terminal().answering("yes");
    let serving = terminal.serve();
    terminal.run(&["say", "ada", "hello"]).done();
    serving.kill();
    assert!(terminal.data().join("coterie.sock").exists());
    assert_eq!(terminal.run(&["say", "ada", "still there?"]).done(), "#4 Ada: yes\n");
    let _serving = terminal.serve();
    assert_eq!(terminal.run(&["say", "ada", "and now?"]).done(), "#6 Ada: yes\n");
}

#[test]
fn who_waits_for_an_answer_takes_over_from_an_owner_that_was_killed() {
    let terminal = terminal().playing(&json!({ "lines": [{ "hang": true }] }));
    let serving = terminal.serve();
    let waiting = terminal.begin(&["say", "ada", "hello"]);
    terminal.until_running();
    terminal.trace("scripted", "at last");
    serving.kill();
    assert_eq!(waiting.end().done(), "#2 Ada: at last\n");
}

#[test]
fn a_run_that_was_interrupted_too_often_waits_for_a_person() {
    let terminal = terminal().playing(&json!({ "lines": [{ "hang": true }] }));
    let mut serving = terminal.serve();
    terminal.run(&["say", "ada", "hello", "--wait", "0"]).done();
    for _ in 0..4 {
        terminal.until_running();
        serving.kill();
        serving = terminal.serve();
    }
    let interrupted = terminal.run(&["run", "list", "--state", "interrupted", "--json"]).data();
    let id = interrupted[0]["id"].as_str().unwrap().to_owned();
    terminal.snapshot("run_resume", &["run", "resume", &id]);
    terminal.until_running();
    terminal.run(&["run", "drop", &id]).failed(4);
    for _ in 0..4 {
        terminal.until_running();
        serving.kill();
        serving = terminal.serve();
    }
    let interrupted = terminal.run(&["run", "list", "--state", "interrupted", "--json"]).data();
    let id = interrupted[0]["id"].as_str().unwrap().to_owned();
    terminal.snapshot("run_drop", &["run", "drop", &id]);
    serving.end();
}

#[test]
fn a_data_folder_that_cannot_be_used_is_one_clear_line() {
    let terminal = terminal();
    let file = terminal.path("file");
    fs::write(&file, "").unwrap();
    let ran = terminal.run(&["--data", &file, "agent", "list"]).failed(1);
    assert_eq!(
        ran.stderr,
        format!("coterie: {file} is not a folder; choose another folder with --data DIR\n")
    );

    fs::write(
        terminal.data().join("coterie.db"),
        "no database at all, and long enough to be looked at",
    )
    .unwrap();
    let ran = terminal.run(&["agent", "list"]).failed(1);
    assert!(ran.stderr.contains("coterie.db") && ran.stderr.lines().count() == 1, "{}", ran.stderr);
    let ran = terminal.run(&["doctor"]).failed(1);
    assert!(ran.stdout.contains("broken    workspace"), "{}", ran.stdout);
}

#[test]
fn where_no_model_can_answer_the_doctor_fails_with_the_way_out() {
    let terminal = terminal();
    let broken = || {
        let ran = terminal.run(&["doctor"]).failed(1);
        let lines = ran.stdout.lines().skip_while(|line| !line.starts_with("broken"));
        lines.take(2).map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        broken(),
        [
            "broken    default model    no agent can answer: no model is chosen",
            "→ choose a model in Settings, or with coterie model use default PROVIDER/MODEL",
        ]
    );
    // One that can answer is enough, and the doctor says what the others lack.
    let trace = terminal.trace("scripted", "yes");
    terminal.run(&["provider", "add", "scripted", "--trace", &trace]).done();
    terminal.run(&["agent", "model", "ada", "scripted/demo"]).done();
    let ran = terminal.run(&["doctor"]).done();
    let degraded =
        |line: &str| line.starts_with("degraded") && line.ends_with("no model is chosen");
    assert!(ran.lines().any(degraded), "{ran}");

    terminal.run(&["model", "use", "default", "scripted/demo"]).done();
    terminal.run(&["doctor"]).done();
    fs::remove_file(&trace).unwrap();
    assert!(broken()[0].contains("no agent can answer: "));
}

#[test]
fn a_souls_folder_that_is_a_file_is_one_clear_line() {
    let terminal = terminal();
    let souls = terminal.data().join("souls");
    fs::remove_dir(&souls).unwrap();
    fs::write(&souls, "").unwrap();
    let ran = terminal.run(&["agent", "list"]).failed(1);
    let line = format!(
        "coterie: {} is a file, where the folder of the souls has to be; \
         move the file away and start Coterie again: it makes the folder\n",
        souls.display()
    );
    assert_eq!(ran.stderr, line);
    let ran = terminal.run(&["doctor"]).failed(1);
    assert!(ran.stdout.contains("is a file, where the folder of the souls has to be"));
}

#[test]
fn a_folder_without_permission_is_left_alone() {
    for terminal in [terminal(), terminal().answering("yes")] {
        let fault = terminal.run_without_permission(&["--json", "agent", "list"]).fault(1);
        assert_eq!(fault["code"], json!(FaultCode::Storage));
        let message = fault["message"].as_str().unwrap();
        assert_eq!(message, format!("no permission to write in {}", terminal.data().display()));
    }
}
