//! Who answers while a command lasts, and what a command says when nobody can.

use super::terminal::{Ran, Terminal, terminal};
use domain::FaultCode;
use llm::scripted::Gate;
use serde_json::{Value, json};
use tests::fake_server::{FakeServer, Reply as FakeReply};
use tokio::task::block_in_place;

fn refuses_the_key() -> Value {
    let fault =
        json!({ "trouble": "key", "message": "the key was refused", "fix": "set another one" });
    json!({ "lines": [{ "fault": fault }] })
}

/// As long as it takes for a process that does not wait to be over first.
fn slowly(text: &str) -> Value {
    json!({ "lines": [{ "wait_ms": 300 }, { "text": text }] })
}

#[test]
fn an_agent_with_an_error_is_not_talked_to_in_silence() {
    let terminal = terminal().playing(&refuses_the_key());
    terminal.run(&["say", "ada", "hello"]).failed(1);
    let why = "coterie: Ada cannot answer: the key was refused; \
               set another one; then: coterie agent resume Ada\n";
    let ran = terminal.run(&["say", "ada", "are you there?"]).failed(1);
    assert_eq!(
        (ran.stdout.as_str(), ran.stderr.as_str()),
        ("Ada waits: has an error to fix first\n", why)
    );
    assert_eq!(terminal.run(&["say", "ada", "hm", "--wait", "0"]).failed(1).stderr, why);
    let fault = terminal.run(&["--json", "say", "ada", "well?"]).fault(1);
    assert_eq!(fault["code"], json!(FaultCode::Key));

    // Where somebody else answers, it is only to be known.
    terminal.trace("scripted", "Here I am.");
    terminal.run(&["group", "new", "tea", "--members", "ada,bo", "--policy", "broadcast"]).done();
    let ran = terminal.run(&["say", "tea", "anybody?"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, why), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("Bo: Here I am.\n"), "{}", ran.stdout);
}

/// What was said in Ada's group, without notices.
fn said_to_ada(terminal: &Terminal) -> Vec<String> {
    let log = terminal.run(&["group", "log", "ada"]).done();
    let said = log.lines().filter_map(|line| Some(line.split_once(' ')?.1.to_owned()));
    said.filter(|line| !line.starts_with('—')).collect()
}

#[test]
fn a_command_that_gives_a_turn_stays_until_it_is_over() {
    let terminal = terminal().playing(&refuses_the_key());
    // It says so only if there is something left to wait for.
    let trouble = |ran: &Ran| -> String {
        let lines = ran.stderr.lines().filter(|line| !line.starts_with("coterie: waiting up to"));
        lines.collect::<Vec<_>>().join("\n")
    };
    terminal.run(&["say", "ada", "hello"]).failed(1);
    let ran = terminal.run(&["agent", "resume", "ada"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, "Ada is back at work\n"));
    assert_eq!(
        trouble(&ran),
        "coterie: Ada could not answer: the key was refused; \
         set another one; then: coterie agent resume Ada"
    );

    terminal.write_trace("scripted", &slowly("Here."));
    let ran = terminal.run(&["agent", "resume", "ada"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "Ada is back at work\n"));
    assert_eq!(trouble(&ran), "");
    assert_eq!(said_to_ada(&terminal), ["you: hello", "Ada: Here."]);

    terminal.write_trace("scripted", &slowly("And there."));
    let ran = terminal.run(&["group", "speak", "ada", "ada"]);
    assert_eq!((ran.status, ran.stdout.as_str(), trouble(&ran).as_str()), (0, "done\n", ""));
    assert_eq!(said_to_ada(&terminal), ["you: hello", "Ada: Here.", "Ada: And there."]);
    assert_eq!(
        terminal.run(&["run", "list", "--state", "interrupted", "--json"]).data(),
        json!([])
    );

    terminal.write_trace("scripted", &json!({ "lines": [{ "hang": true }] }));
    let ran = terminal.run(&["--json", "group", "speak", "ada", "ada", "--wait", "1"]);
    let printed: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.status, &printed["fault"]["code"]), (5, &json!(FaultCode::TimedOut)));
    let waits = "coterie: waiting up to 1 s for the agents to answer; ctrl-C leaves it for later\n";
    assert!(ran.stderr.starts_with(waits), "{}", ran.stderr);
}

#[test]
fn a_turn_is_left_to_the_process_that_stays() {
    let terminal = terminal().playing(&json!({ "lines": [{ "hang": true }] }));
    let _serving = terminal.serve();
    terminal.run(&["say", "ada", "hello", "--wait", "0"]).done();
    terminal.until_running();
    terminal.run(&["agent", "pause", "ada"]).done();
    assert_eq!(terminal.run(&["agent", "resume", "ada"]).done(), "Ada is back at work\n");
    terminal.until_running();
}

#[test]
fn a_look_starts_nobody() {
    let terminal = terminal().answering("Here I am.");
    let posted = terminal.run(&["say", "ada", "hello", "--wait", "0"]);
    assert_eq!((posted.status, posted.stdout.as_str()), (0, ""));
    assert!(posted.stderr.starts_with("coterie: the message waits: "), "{}", posted.stderr);
    for look in [
        vec!["agent", "list"],
        vec!["group", "log", "ada"],
        vec!["why", "ada"],
        vec!["doctor"],
        vec!["provider", "test", "scripted"],
        vec!["group", "set", "ada", "chain_depth", "2"],
    ] {
        terminal.run(&look).done();
    }
    assert_eq!(terminal.run(&["run", "list", "--json"]).data(), json!([]));
    let owed = terminal.run(&["group", "list", "--json"]).data()[0]["answers_to_come"].clone();
    assert_eq!(owed, 1);

    let _serving = terminal.serve();
    while said_to_ada(&terminal) != ["you: hello", "Ada: Here I am."] {}
}

#[test]
fn an_interrupted_run_that_is_resumed_is_done_before_the_command_ends() {
    let terminal = terminal().playing(&json!({ "lines": [{ "hang": true }] }));
    let mut serving = terminal.serve();
    terminal.run(&["say", "ada", "hello", "--wait", "0"]).done();
    for _ in 0..3 {
        terminal.until_running();
        serving.kill();
        serving = terminal.serve();
    }
    terminal.until_running();
    serving.kill();
    let interrupted = terminal.run(&["run", "list", "--state", "interrupted", "--json"]).data();
    let id = interrupted[0]["id"].as_str().unwrap().to_owned();
    terminal.write_trace("scripted", &slowly("At last."));
    let ran = terminal.run(&["run", "resume", &id]);
    assert_eq!((ran.status, ran.stdout), (0, format!("run {id} is taken up again\n")));
    assert_eq!(said_to_ada(&terminal), ["you: hello", "Ada: At last."]);
}

/// Ada is busy with her own group when the person speaks to her in another one.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_whose_agent_fails_or_is_paused_elsewhere_says_so() {
    for pauses in [true, false] {
        let (server, gate) = (FakeServer::start().await, Gate::new());
        server.models("acme", &["small"]);
        let refused = json!({ "error": { "message": "wrong key" } });
        server.answer(FakeReply::refusal("401 Unauthorized", &refused).held_by(&gate));
        let terminal = terminal();
        let (_serving, saying) = block_in_place(|| {
            terminal.run(&["provider", "add", "acme", "--url", &server.base_url()]).done();
            terminal.run(&["model", "use", "default", "acme/small"]).done();
            terminal.run(&["group", "new", "Garden", "--members", "ada,bo"]).done();
            let serving = terminal.serve();
            terminal.run(&["say", "ada", "hello", "--wait", "0"]).done();
            terminal.until_running();
            (serving, terminal.begin(&["say", "garden", "@Ada hi", "--wait", "60"]))
        });
        gate.arrived(1).await;
        block_in_place(|| {
            while !terminal.run(&["group", "log", "garden"]).done().contains("@Ada hi") {}
            if pauses {
                terminal.run(&["agent", "pause", "ada"]).done();
            }
            gate.open();
            let said = saying.end();
            let told = if pauses { "Ada was paused" } else { "Ada cannot answer" };
            assert_eq!(said.status, 1, "{said:?}");
            assert!(said.stderr.contains(told), "{said:?}");
            assert!(said.stderr.contains("coterie agent resume Ada"), "{said:?}");
            let why = terminal.run(&["why", "garden"]).done();
            assert!(why.contains("Ada  waits: "), "{why}");
        });
    }
}

/// Two commands at the same time: the one that has the workspace open is done first.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_is_done_first_cuts_off_no_turn_of_another() {
    let server = FakeServer::start().await;
    server.models("acme", &["small"]);
    let [first, second] = [Gate::new(), Gate::new()];
    for (text, gate) in [("Ada is here.", &first), ("Bo is here.", &second)] {
        server.answer(FakeReply::saying(text).held_by(gate));
    }
    let terminal = terminal();
    let asks_ada = block_in_place(|| {
        terminal.run(&["provider", "add", "acme", "--url", &server.base_url()]).done();
        terminal.run(&["model", "use", "default", "acme/small"]).done();
        // Somebody below who rests has nothing to do with it.
        terminal.run(&["agent", "new", "otto", "--name", "Helper", "--parent", "bo"]).done();
        terminal.run(&["agent", "pause", "helper"]).done();
        terminal.begin(&["say", "ada", "hello"])
    });
    first.arrived(1).await;
    let asks_bo = block_in_place(|| terminal.begin(&["say", "bo", "hello"]));
    second.arrived(1).await;
    first.open();
    let asks_ada = block_in_place(|| {
        let mut asks_ada = asks_ada;
        while !asks_ada.aside().contains("waiting for agents that answer others") {}
        asks_ada
    });
    second.open();
    block_in_place(|| {
        assert!(asks_bo.end().done().contains("Bo is here."));
        assert_eq!(asks_ada.end().status, 0);
        let runs = terminal.run(&["run", "list", "--json"]).data();
        let states: Vec<_> = runs.as_array().unwrap().iter().map(|run| &run["state"]).collect();
        assert_eq!(states, ["settled", "settled"]);
    });
    assert_eq!(server.requests().iter().filter(|asked| asked.line.contains("chat")).count(), 2);
}

/// What waited for whoever opens the workspace next is begun by a command for somebody else.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_stays_for_what_it_had_others_begin() {
    let (server, gate) = (FakeServer::start().await, Gate::new());
    server.models("acme", &["small"]);
    server.answer(FakeReply::saying("Bo is here.").held_by(&gate));
    let terminal = terminal().answering("Ada is here.");
    let asks_ada = block_in_place(|| {
        terminal.run(&["provider", "add", "acme", "--url", &server.base_url()]).done();
        terminal.run(&["agent", "model", "bo", "acme/small"]).done();
        assert_eq!(terminal.run(&["say", "bo", "hello", "--wait", "0"]).status, 0);
        terminal.begin(&["say", "ada", "hello"])
    });
    gate.arrived(1).await;
    let asks_ada = block_in_place(|| {
        let mut asks_ada = asks_ada;
        while !asks_ada.aside().contains("waiting for agents that answer others") {}
        asks_ada
    });
    gate.open();
    block_in_place(|| {
        assert_eq!(asks_ada.end().status, 0);
        assert!(terminal.run(&["group", "log", "bo"]).done().contains("Bo is here."));
        let runs = terminal.run(&["run", "list", "--json"]).data();
        let states: Vec<_> = runs.as_array().unwrap().iter().map(|run| &run["state"]).collect();
        assert_eq!(states, ["settled", "settled"]);
    });
}

#[test]
fn whoever_only_repeats_another_is_said_to_have_stayed_silent() {
    let terminal = terminal().answering("I would wait until Friday.");
    terminal.run(&["group", "new", "Tea", "--members", "ada,bo", "--policy", "rounds"]).done();
    let said = terminal.run(&["say", "tea", "when?"]);
    assert!(
        said.stderr.contains("wakes the group for up to 20 messages, about "),
        "{}",
        said.stderr
    );
    let said = said.stdout;
    assert_eq!(said.matches("I would wait until Friday.").count(), 1, "{said}");
    assert!(said.contains("Bo stayed silent: "), "{said}");
}
