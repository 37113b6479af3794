//! One turn in one command: a dialog on standard input, the answer and the
//! steps on standard output.

use super::terminal::terminal;
use domain::FaultCode;
use serde_json::{Value, json};

fn dialog(content: &str) -> String {
    json!({ "dialog": [{ "role": "user", "content": content }] }).to_string()
}

#[test]
fn a_dialog_is_answered_in_one_call() {
    let terminal = terminal().answering("Tea it is.");
    let words = ["--json", "run", "once", "--agent", "ada"];
    let told = terminal.run_reading(&words, &dialog("tea?")).data();
    assert_eq!(told["reply"], "Tea it is.");
    assert_eq!(told["run"]["state"], "settled");
    assert_eq!(told["steps"].as_array().unwrap().last().unwrap()["step"], "settled");

    let plain = terminal.run_reading(&words[1..], &dialog("tea?")).done();
    assert!(plain.starts_with("Tea it is.\n\n"), "{plain}");
    assert!(plain.contains("model called") && plain.contains("settled"), "{plain}");

    let groups = terminal.run(&["group", "list", "--all", "--json"]).data();
    assert!(groups.as_array().unwrap().iter().all(|view| view["group"]["kind"] != "task"));
    let listed = terminal.run(&["run", "list"]).done();
    assert_eq!(listed.matches("(once)").count(), 2, "{listed}");
}

#[test]
fn what_a_turn_in_one_call_prints_as_json() {
    let terminal = terminal().answering("Tea it is.");
    let words = ["run", "once", "--agent", "ada"];
    terminal.snapshot_reading("run_once", &words, &dialog("tea?"));
    let run = terminal.run(&["run", "list", "--json"]).data()[0]["id"].as_str().unwrap().to_owned();
    terminal.snapshot("run_replay", &["run", "replay", &run]);
    terminal.snapshot("run_export_as_trace", &["run", "export", "--as-trace", &run]);
}

#[test]
fn a_dialog_that_cannot_be_read_says_where_and_how_it_should_be() {
    let terminal = terminal().answering("yes");
    for (text, said) in [
        ("", "line 1 column 0"),
        ("{\"dialog\":\n [{\"role\": }]}", "line 2 column 12"),
        ("{\"dialog\":[{\"role\":\"system\",\"content\":\"x\"}]}", "unknown variant `system`"),
        ("{\"dialog\":[]}", "does not end with a line of the user"),
        ("{\"lines\":[]}", "unknown field `lines`"),
    ] {
        let words = ["--json", "run", "once", "--agent", "ada"];
        let fault = terminal.run_reading(&words, text).fault(2);
        assert!(fault["message"].as_str().unwrap().contains(said), "{text}: {fault}");
        assert!(fault["fix"].as_str().unwrap().contains("\"role\""), "{text}: {fault}");
    }
    let words = ["run", "once", "--agent", "nobody"];
    terminal.run_reading(&words, &dialog("x")).failed(3);
}

#[test]
fn an_answer_that_does_not_come_in_time_is_waited_for_no_longer() {
    let terminal = terminal().playing(&json!({ "lines": [{ "hang": true }] }));
    let words = ["run", "once", "--agent", "ada", "--wait", "1"];
    let ran = terminal.run_reading(&words, &dialog("hello")).failed(5);
    assert!(ran.stderr.contains("Ada did not answer within 1 s"), "{}", ran.stderr);
    // Nobody answers it later.
    let runs = terminal.run(&["run", "list", "--json"]).data();
    assert_eq!((runs.as_array().unwrap().len(), &runs[0]["state"]), (1, &json!("stopped")));
}

#[test]
fn a_turn_that_fails_shows_what_happened_and_its_own_status() {
    let fault = json!({ "trouble": "key", "message": "the key was refused", "fix": "set another" });
    let terminal = terminal().playing(&json!({ "lines": [{ "fault": fault }] }));
    let words = ["--json", "run", "once", "--agent", "ada"];
    let ran = terminal.run_reading(&words, &dialog("hello")).failed(1);
    let printed: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(printed["fault"]["code"], json!(FaultCode::Key));
    assert_eq!(printed["data"]["run"]["state"], "failed");
    // The agent stands still now.
    terminal.run_reading(&words, &dialog("hello")).fault(4);
}

#[test]
fn who_waits_for_a_turn_goes_on_when_its_owner_is_killed() {
    let terminal = terminal().playing(&json!({ "lines": [{ "hang": true }] }));
    let serving = terminal.serve();
    let words = ["--json", "run", "once", "--agent", "ada"];
    let waiting = terminal.begin_reading(&words, &dialog("hello"));
    terminal.until_running();
    terminal.trace("scripted", "at last");
    serving.kill();
    assert_eq!(waiting.end().data()["reply"], "at last");
}
