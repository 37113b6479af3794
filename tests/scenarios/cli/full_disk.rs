//! What people see while the disk takes nothing, and after.

use super::terminal::terminal;
use domain::FaultCode;
use llm::scripted::Gate;
use serde_json::json;
use tests::fake_server::{CHAT, FakeServer, Reply};
use tokio::task::block_in_place;

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_on_a_full_disk_says_so_and_goes_on_when_there_is_room() {
    let (server, answered) = (FakeServer::start().await, Gate::new());
    server.models("acme", &["small"]);
    server.answer(Reply::saying("Tea it is.").held_by(&answered));
    let terminal = terminal();
    let (serving, mut saying) = block_in_place(|| {
        terminal.run(&["provider", "add", "acme", "--url", &server.base_url()]).done();
        terminal.run(&["model", "use", "default", "acme/small"]).done();
        let serving = terminal.serve_on_a_small_disk();
        (serving, terminal.begin(&["say", "ada", "hello"]))
    });
    answered.arrived(1).await;
    serving.write_at_most(Some(0));
    answered.open();
    block_in_place(|| {
        let told = saying.aside();
        assert!(told.starts_with("coterie: the agents wait: the disk"), "{told}");
        assert!(told.contains("free some space"), "{told}");
        // Whoever looks later sees it too, and cannot post either.
        let late = terminal.run(&["--json", "say", "bo", "hello", "--wait", "1"]);
        assert_eq!(late.fault(1)["code"], json!(FaultCode::Storage));

        serving.write_at_most(None);
        let said = saying.end();
        assert_eq!((said.status, said.stderr.as_str()), (0, ""), "{said:?}");
        assert_eq!(said.stdout, "#2 Ada: Tea it is.\n");
        terminal.run(&["run", "list", "--state", "settled"]).done();
        serving.end();
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_that_cannot_be_saved_does_not_say_that_it_is_done() {
    let server = FakeServer::start().await;
    server.models("acme", &["small"]);
    server.answer(Reply::nothing());
    let terminal = terminal();
    let serving = block_in_place(|| {
        terminal.run(&["provider", "add", "acme", "--url", &server.base_url()]).done();
        terminal.run(&["model", "use", "default", "acme/small"]).done();
        let serving = terminal.serve_on_a_small_disk();
        terminal.run(&["say", "ada", "hello", "--wait", "0"]).done();
        serving
    });
    while !server.requests().iter().any(|request| request.line == CHAT) {
        server.asked(server.requests().len() + 1).await;
    }
    serving.write_at_most(Some(0));
    block_in_place(|| {
        let fault = terminal.run(&["--json", "group", "stop", "ada"]).fault(1);
        assert_eq!(fault["code"], json!(FaultCode::Storage));
        let message = fault["message"].as_str().unwrap();
        assert!(
            message.starts_with("stopped, but that cannot be saved yet: the disk"),
            "{message}"
        );
        serving.write_at_most(None);
        // There is room: the next one is done, and stands on the disk when it is.
        terminal.run(&["group", "stop", "ada"]).done();
        let stopped = terminal.run(&["run", "list", "--state", "stopped", "--json"]).data();
        assert_eq!(stopped.as_array().map(Vec::len), Some(1), "{stopped}");
        serving.end();
    });
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let terminal = terminal().answering("Tea it is.");
    terminal.run(&["say", "ada", "hello"]).done();
    let run = terminal.run(&["run", "list", "--json"]).data()[0]["id"].as_str().unwrap().to_owned();
    let commands: [&[&str]; 9] = [
        &["run", "export", &run],
        &["run", "show", &run],
        &["run", "list"],
        &["--json", "agent", "list"],
        &["--jsonl", "group", "list"],
        &["why", "ada"],
        &["say", "ada", "and now?"],
        &["doctor"],
        &["--help"],
    ];
    for words in commands {
        let ran = terminal.run_writing_to("/dev/full", words);
        let told: Vec<&str> =
            ran.stderr.lines().filter(|line| line.contains("cannot be written")).collect();
        assert_eq!((ran.status, told.len()), (1, 1), "{words:?}: {ran:?}");
        assert!(
            told[0].contains("No space left") && told[0].contains("free some space"),
            "{told:?}"
        );
    }
    // What failed for another reason fails for that one.
    assert_eq!(terminal.run_writing_to("/dev/full", &["agent", "show", "nobody"]).status, 3);
}
