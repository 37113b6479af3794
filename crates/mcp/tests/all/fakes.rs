//! Servers that behave badly.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp::{
    Abilities, Address, Ask, Connection, Elicitation, Elicited, Era, Fault, Host, News, Part,
    Patience, Reach, Root, Sampled, Sampling, Server, Setup, SignIn, State,
};
use processes::Log;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tools::Progress;

use crate::parts::{Somebody, fake, object, ready, said, setup, until};

async fn connected(behaviour: &str) -> (Connection, Log) {
    let log = Log::default();
    let setup = setup(fake(&[behaviour]));
    let opened = Connection::open(&setup, Arc::new(Somebody::default()), &log).await;
    (opened.unwrap(), log)
}

fn server(behaviour: &[&str]) -> Server {
    Server::start(setup(fake(behaviour)), Arc::new(Somebody::default()))
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_says_how_and_is_there_again_for_the_next() {
    let server = server(&["plain"]);
    ready(&server).await;
    let fault = server.call("die", Default::default(), &Ask::default()).await.unwrap_err();
    let Fault::Ended { how, said } = &fault else { panic!("{fault:?}") };
    assert_eq!((how.as_str(), said.as_str()), ("exit code 3", "the roof is on fire"));
    assert!(fault.may_have_happened());
    let words = object(json!({"text": "again"}));
    let mut state = server.state();
    let answer = loop {
        state.borrow_and_update();
        match server.call("echo", words.clone(), &Ask::default()).await {
            Ok(answer) => break answer,
            Err(_) => state.changed().await.unwrap(),
        }
    };
    assert_eq!(answer.text(), "again");
    assert!(server.log().contains(&"the roof is on fire".to_owned()));
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_never_starts_is_tried_again_later_each_time() {
    let server = server(&["broken"]);
    let mut state = server.state();
    let mut rests = Vec::new();
    while rests.len() < 4 {
        state.changed().await.unwrap();
        if let State::Resting { fault, failed, rest } = state.borrow_and_update().clone() {
            assert_eq!(
                fault.to_string(),
                "the server ended (exit code 5); it last said: no such module"
            );
            rests.push((failed, rest.as_millis()));
        }
    }
    assert!(rests.iter().all(|(failed, rest)| *rest == 1 << (failed - 1)), "{rests:?}");
    let fault = server.call("echo", Default::default(), &Ask::default()).await.unwrap_err();
    assert!(matches!(fault, Fault::Away(_)) && !fault.may_have_happened(), "{fault:?}");
    server.stop().await;
}

#[tokio::test]
async fn a_call_that_is_stopped_or_takes_too_long_is_cancelled_at_the_server() {
    let log = Log::default();
    let mut setup = setup(fake(&["plain"]));
    setup.patience = Patience { silence: Duration::from_millis(200), ..setup.patience };
    let host = Arc::new(Somebody::default());
    let connection = Connection::open(&setup, host, &log).await.unwrap();
    let late = connection.call("hang", Default::default(), &Ask::default()).await.unwrap_err();
    assert_eq!(late, Fault::Silent(setup.patience.silence));
    let stop = CancellationToken::new();
    stop.cancel();
    let with = Ask { stop, ..Ask::default() };
    let stopped = connection.call("hang", Default::default(), &with).await.unwrap_err();
    assert_eq!(stopped, Fault::Stopped);
    // The server works through what it hears in order.
    assert_eq!(said(&connection, "echo", json!({"text": "on"})).await, "on");
    connection.close().await;
    let cancelled = log.lines().iter().filter(|line| line.starts_with("cancelled")).count();
    assert_eq!(cancelled, 2, "{:?}", log.lines());
}

/// Somebody who takes longer over an answer than anybody waits for a server.
struct Ponders(Connection);

#[async_trait]
impl Host for Ponders {
    fn abilities(&self) -> Abilities {
        Abilities { elicitation: true, ..Abilities::default() }
    }

    async fn roots(&self) -> Vec<Root> {
        Vec::new()
    }

    async fn elicit(&self, _: Elicitation, uses: Vec<String>) -> Result<Elicited, String> {
        let late = self.0.call("hang", Default::default(), &Ask::default()).await;
        assert!(matches!(late, Err(Fault::Silent(_))), "{late:?}");
        Ok(Elicited::Accepted(object(json!({"name": uses.join(" ")}))))
    }

    async fn sample(&self, _: Sampling, _: Vec<String>) -> Result<Sampled, String> {
        Err("nobody answers".to_owned())
    }

    async fn show_page(&self, _: &str) -> Result<(), String> {
        Err("there is no screen".to_owned())
    }

    fn news(&self, _: News) {}
}

#[tokio::test]
async fn the_time_that_a_person_takes_is_not_the_servers() {
    let log = Log::default();
    let mut setup = setup(fake(&["plain"]));
    setup.patience = Patience { silence: Duration::from_secs(2), ..setup.patience };
    let open = async |host: Arc<dyn Host>| Connection::open(&setup, host, &log).await.unwrap();
    let host = Arc::new(Ponders(open(Arc::new(Somebody::default())).await));
    let connection = open(host).await;
    let with = Ask { key: Some("its-key".to_owned()), ..Ask::default() };
    let answer = connection.call("form", Default::default(), &with).await.unwrap();
    // It is told which use it is about.
    assert!(answer.text().contains("its-key"), "{}", answer.text());
    connection.close().await;
}

#[tokio::test]
async fn a_server_that_floods_is_heard_all_the_same() {
    let (connection, log) = connected("plain").await;
    assert_eq!(said(&connection, "flood", json!({})).await, "after the flood");
    assert!(log.lines().iter().map(String::len).sum::<usize>() <= 128 * 1024);
    assert_eq!(said(&connection, "echo", json!({"text": "on"})).await, "on");
    connection.close().await;
}

#[tokio::test]
async fn a_server_that_is_slow_to_start_keeps_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let gate = folder.path().join("gate");
    let made = std::process::Command::new("mkfifo").arg(&gate).status().unwrap();
    assert!(made.success());
    let server = server(&["slow", gate.to_str().unwrap()]);
    assert_eq!(*server.state().borrow(), State::Starting);
    let fault = server.call("echo", Default::default(), &Ask::default()).await.unwrap_err();
    assert_eq!(fault.to_string(), "the server is still starting");
    tokio::fs::write(&gate, "go").await.unwrap();
    assert_eq!(ready(&server).await.about.name.as_deref(), Some("fake"));
    server.stop().await;
}

/// A server of the older era is asked nothing that it does not know, once it
/// is known to be one.
#[tokio::test]
async fn the_era_of_a_server_is_known_at_its_next_start() {
    let server = server(&["plain"]);
    assert_eq!(ready(&server).await.about.era, Era::Legacy);
    let first =
        |server: Arc<Connection>| async move { said(&server, "first-method", json!({})).await };
    assert_eq!(first(server.connection().unwrap()).await, "server/discover");
    let known = server.setup();
    server.stop().await;
    assert_eq!(known.era, Some(Era::Legacy));
    let server = Server::start(known, Arc::new(Somebody::default()));
    ready(&server).await;
    assert_eq!(first(server.connection().unwrap()).await, "initialize");
    server.stop().await;

    // And one that has changed since is found out.
    let mut changed = setup(fake(&["plain"]));
    changed.era = Some(Era::Modern);
    let host = Arc::new(Somebody::default());
    let connection = Connection::open(&changed, host, &Log::default()).await.unwrap();
    assert_eq!(connection.about().era, Era::Legacy);
    connection.close().await;
}

#[tokio::test]
async fn a_server_is_reloaded_with_other_arguments() {
    let server = server(&["plain", "one"]);
    assert_eq!(ready(&server).await.about.version.as_deref(), Some("one"));
    server.reload(|setup| setup.reach = Reach::Program(fake(&["plain", "two"])));
    let two = |state: &State| matches!(state, State::Ready(ready) if ready.about.version.as_deref() == Some("two"));
    until(&server, two).await;
    server.stop().await;
}

/// openai/codex#33266.
#[tokio::test]
async fn tools_that_come_later_are_known_when_the_server_says_so() {
    let server = server(&["plain"]);
    let before = ready(&server).await.tools.len();
    server.call("grow", Default::default(), &Ask::default()).await.unwrap();
    let grown = |state: &State| matches!(state, State::Ready(ready) if ready.tools.len() > before);
    let State::Ready(ready) = until(&server, grown).await else { panic!("it is ready") };
    assert!(ready.tools.iter().any(|tool| tool.name == "grown"));
    server.stop().await;
}

#[tokio::test]
async fn a_list_without_end_is_read_only_so_far() {
    let (connection, _) = connected("endless").await;
    let tools = connection.tools().await.unwrap();
    assert_eq!(tools.len() % 200, 0);
    assert!(tools.len() <= 10_000);
    connection.close().await;
}

#[tokio::test]
async fn an_answer_to_a_form_is_sent_as_it_was_given_and_only_if_it_fits() {
    let check = async |fills_in: Value, expected: &str| {
        let host = Somebody { fills_in: object(fills_in), ..Somebody::default() };
        let setup = setup(fake(&["plain"]));
        let connection = Connection::open(&setup, Arc::new(host), &Log::default()).await.unwrap();
        assert_eq!(said(&connection, "form", json!({})).await, expected);
        connection.close().await;
    };
    let filled = r#"{"action": "accept", "content": {"age": 37, "name": "Ada"}}"#;
    check(json!({"name": "Ada", "age": 37}), filled).await;
    // Whoever leaves out what has a default has cleared it.
    let cleared = r#"{"action": "accept", "content": {"name": "Ada"}}"#;
    check(json!({"name": "Ada"}), cleared).await;
    check(json!({"name": 3}), r#"{"action": "cancel"}"#).await;
}

#[tokio::test]
async fn progress_is_heard_while_an_answer_is_awaited_and_a_key_goes_along() {
    let (connection, _) = connected("plain").await;
    let (tell, mut told) = watch::channel(None);
    let with = Ask { progress: Some(tell), key: Some("k-1".to_owned()), ..Ask::default() };
    let stops = async {
        // Whatever order the three come in, and however many of them are seen.
        let is_last = |progress: &Option<Progress>| {
            progress.as_ref().is_some_and(|progress| progress.done >= 3.0)
        };
        let last = told.wait_for(is_last).await.unwrap().clone();
        with.stop.cancel();
        last
    };
    let (fault, last) = tokio::join!(connection.call("progress", Default::default(), &with), stops);
    assert_eq!(fault, Err(Fault::Stopped));
    let message = Some("step 3".to_owned());
    assert_eq!(last, Some(Progress { done: 3.0, total: Some(3.0), message }));
    let with = Ask { key: Some("k-1".to_owned()), ..Ask::default() };
    let answer = connection.call("key", Default::default(), &with).await.unwrap();
    assert_eq!(answer.text(), "k-1");
    connection.close().await;
}

#[tokio::test]
async fn an_answer_that_is_not_as_promised_says_so() {
    let (connection, _) = connected("plain").await;
    connection.tools().await.unwrap();
    let misfit = async |warmth: Value| {
        let arguments = object(json!({"warmth": warmth}));
        connection.call("promise", arguments, &Ask::default()).await.unwrap().misfit
    };
    assert_eq!(misfit(json!(21.5)).await, None);
    assert_eq!(misfit(json!("hot")).await.unwrap(), "/warmth: \"hot\" is not of type \"number\"");
    connection.close().await;
}

#[tokio::test]
async fn a_server_that_wants_to_know_us_waits_for_a_person_to_be_there() {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", socket.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = socket.accept().await {
            tokio::spawn(refuse(stream));
        }
    });
    let address = Address { url, headers: Vec::new(), sign_in: SignIn::default() };
    let setup = Setup { reach: Reach::Address(address), ..setup(fake(&["plain"])) };
    let server = Server::start(setup, Arc::new(Somebody::default()));
    let state = until(&server, |state| *state != State::Starting).await;
    assert!(matches!(&state, State::SignInNeeded { .. }), "{state:?}");
    let fault = server.call("echo", Default::default(), &Ask::default()).await.unwrap_err();
    assert_eq!(fault.to_string(), "the server asks to sign in");
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_turns_everybody_away_says_so_in_plain_words() {
    let check = async |answer: &'static str, expected: &str| {
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", socket.local_addr().unwrap());
        let answering = tokio::spawn(async move {
            while let Ok((mut stream, _)) = socket.accept().await {
                tokio::spawn(async move {
                    let mut heard = [0; 4096];
                    while let Ok(1..) = stream.read(&mut heard).await {
                        let _ = stream.write_all(answer.as_bytes()).await;
                    }
                });
            }
        });
        let address = Address { url, headers: Vec::new(), sign_in: SignIn::default() };
        let setup = Setup { reach: Reach::Address(address), ..setup(fake(&["plain"])) };
        let opened = Connection::open(&setup, Arc::new(Somebody::default()), &Log::default()).await;
        let fault = opened.err().expect("nobody is let in").to_string();
        assert!(fault.contains(expected), "{fault}");
        answering.abort();
    };
    let no_key =
        "HTTP/1.1 401 Unauthorized\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno";
    check(no_key, "a header with a key may be missing").await;
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>";
    check(page, "it answered with a web page").await;
}

async fn refuse(mut stream: TcpStream) {
    let mut heard = [0; 4096];
    while let Ok(1..) = stream.read(&mut heard).await {
        let refusal =
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n";
        let _ = stream.write_all(refusal.as_bytes()).await;
    }
}

// Seen in openai/codex#10710, zed#54793, searxng#60.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stubborn_server_is_gone_when_it_was_stopped() {
    let mark = format!("stubborn-{}", std::process::id());
    let mut program = fake(&["stubborn"]);
    program.environment.push(("COTERIE_FAMILY".into(), mark.clone().into()));
    let mut setup = setup(program);
    setup.patience = Patience { to_end: Duration::from_millis(10), ..setup.patience };
    let server = Server::start(setup, Arc::new(Somebody::default()));
    ready(&server).await;
    assert!(server.memory_bytes().unwrap() > 1_000_000);
    // Its child may be just about to take on its mark.
    assert!(marked(&mark) >= 2, "the keeper and the server");
    server.stop().await;
    assert_eq!(marked(&mark), 0);
}

#[cfg(target_os = "linux")]
fn marked(mark: &str) -> usize {
    let wanted = format!("COTERIE_FAMILY={mark}");
    let names = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let environments = names.filter_map(|entry| std::fs::read(entry.path().join("environ")).ok());
    environments
        .filter(|all| all.split(|byte| *byte == 0).any(|one| one == wanted.as_bytes()))
        .count()
}

/// Each server that is asked has been asked as often as it says.
async fn goes_to_a_page(
    behaviour: &str,
    somebody: Somebody,
) -> (Result<String, Fault>, Vec<String>) {
    let log = Log::default();
    let somebody = Arc::new(somebody);
    let setup = Setup { era: Some(Era::Legacy), ..setup(fake(&[behaviour])) };
    let connection = Connection::open(&setup, somebody.clone(), &log).await.unwrap();
    let with = Ask { key: Some("one".to_owned()), ..Ask::default() };
    let answer = connection.call("page", Default::default(), &with).await;
    connection.close().await;
    let asked = somebody.asked.lock().unwrap().clone();
    (answer.map(|answer| answer.text()), asked)
}

#[tokio::test]
async fn a_refusal_that_sends_the_person_to_a_page_is_asked_again_when_they_went_there() {
    let (answer, asked) = goes_to_a_page("plain", Somebody::default()).await;
    assert_eq!((answer, asked), (Ok("let in".to_owned()), vec!["Sign there.".to_owned()]));
}

#[tokio::test]
async fn nobody_is_sent_to_the_same_page_twice_for_one_use() {
    let (answer, asked) = goes_to_a_page("closed", Somebody::default()).await;
    assert!(matches!(answer, Err(Fault::Refused { code: -32042, .. })), "{answer:?}");
    assert_eq!(asked, ["Sign there."]);
}

#[tokio::test]
async fn whoever_does_not_go_there_leaves_the_refusal_as_it_is() {
    let declines = Somebody { declines: true, ..Somebody::default() };
    let (answer, asked) = goes_to_a_page("plain", declines).await;
    let Err(Fault::Refused { code: -32042, message }) = answer else { panic!("{answer:?}") };
    assert_eq!(message, "Sign first.; the person did not go to its page");
    assert_eq!(asked, ["Sign there."]);
}

#[tokio::test]
async fn a_server_that_says_late_which_era_it_speaks_is_reached_all_the_same() {
    let (connection, _log) = connected("late").await;
    assert_eq!(connection.about().era, Era::Legacy);
    assert_eq!(said(&connection, "echo", json!({"text": "here"})).await, "here");
    assert_eq!(said(&connection, "first-method", json!({})).await, "initialize");
    connection.close().await;
}

#[tokio::test]
async fn a_part_of_an_answer_that_makes_no_sense_takes_none_of_the_others_with_it() {
    let (connection, _log) = connected("plain").await;
    let answer = connection.call("hologram", Default::default(), &Ask::default()).await.unwrap();
    let [Part::Text(seen), Part::Text(unread)] = &answer.parts[..] else { panic!("{answer:?}") };
    assert_eq!((seen.as_str(), answer.failed), ("seen", true));
    assert!(unread.starts_with("[a part of this answer cannot be read: "), "{unread}");
    assert!(unread.contains("hologram"), "{unread}");
    connection.close().await;
}
