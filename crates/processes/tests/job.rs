//! Families on Windows, which end with their job.
//!
//! Each member calls the test that made it, and its call ends when it does: so
//! nobody is looked for, and who stays is heard.
#![cfg(windows)]
#![expect(clippy::unwrap_used, reason = "a test ends where something it relies on fails")]
#![expect(clippy::disallowed_methods, reason = "its environment tells a member what it is")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use processes::{Ended, Keeper, Patience, Process, Program, StartError, inherited};

/// The port where the test listens.
const CALLS: &str = "COTERIE_FAMILY_CALLS";
/// How many generations there are below a member.
const BELOW: &str = "COTERIE_FAMILY_BELOW";
const GENERATIONS: usize = 3;

/// Longer than any test takes, and not for ever.
const STAYS: Duration = Duration::from_secs(120);

/// Nobody is needed here.
fn keeper() -> Keeper {
    Keeper("no-keeper".into())
}

/// The first of a family, whose members all call this port.
fn first(port: &str) -> Program {
    let mut environment: Vec<_> = inherited(std::env::vars_os()).collect();
    environment.push((CALLS.into(), port.into()));
    environment.push((BELOW.into(), (GENERATIONS - 1).to_string().into()));
    Program {
        program: std::env::current_exe().unwrap().into(),
        arguments: ["--exact", "a_member", "--ignored", "--nocapture"].map(Into::into).into(),
        environment,
        folder: std::env::temp_dir(),
    }
}

fn listen() -> (TcpListener, String) {
    let calls = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = calls.local_addr().unwrap().port().to_string();
    (calls, port)
}

async fn family() -> (Process, Vec<TcpStream>) {
    let (calls, port) = listen();
    let process = Process::start(&keeper(), &first(&port)).await.unwrap();
    (process, all(&calls))
}

/// The calls of all members, who are there by then.
fn all(calls: &TcpListener) -> Vec<TcpStream> {
    let call = |_| {
        let (mut call, _) = calls.accept().unwrap();
        let mut said = [0; 4];
        call.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"here");
        call
    };
    (0..GENERATIONS).map(call).collect()
}

/// Comes back when all of them are gone; fails where one went by itself.
#[track_caller]
fn nobody_is_left(members: Vec<TcpStream>) {
    for mut member in members {
        let mut said = Vec::new();
        // Whoever is killed ends its call, or has it broken off.
        let _ = member.read_to_end(&mut said);
        assert_eq!(String::from_utf8(said).unwrap(), "");
    }
}

#[tokio::test]
async fn whoever_is_ended_leaves_nobody_behind() {
    let (process, members) = family().await;
    let patience = Patience { closed: STAYS, asked: Duration::ZERO };
    assert_eq!(process.end(patience).await, Ended::Exited(7));
    nobody_is_left(members);
}

#[tokio::test]
async fn whoever_is_killed_leaves_nobody_behind() {
    let (process, members) = family().await;
    assert_eq!(process.kill().await, Ended::Exited(1));
    nobody_is_left(members);
}

#[tokio::test]
async fn whoever_is_dropped_leaves_nobody_behind() {
    let (process, members) = family().await;
    drop(process);
    nobody_is_left(members);
}

#[tokio::test]
async fn whoever_ends_by_itself_leaves_nobody_behind() {
    let (mut process, members) = family().await;
    drop(process.stdin.take());
    assert_eq!(process.ended().await, Ended::Exited(7));
    nobody_is_left(members);
}

#[test]
fn a_killed_owner_leaves_nobody_behind() {
    let (calls, port) = listen();
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "an_owner", "--ignored"])
        .env(CALLS, port)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let members = all(&calls);
    owner.kill().unwrap();
    owner.wait().unwrap();
    nobody_is_left(members);
}

#[tokio::test]
async fn what_cannot_be_started_is_named_with_the_reason() {
    let nothing = Program { program: "no-such-program".into(), ..first("0") };
    let error = Process::start(&keeper(), &nothing).await.unwrap_err();
    assert!(matches!(error, StartError::Program { .. }), "{error}");
    assert!(error.to_string().starts_with("start no-such-program: "), "{error}");
}

/// No test by itself: what the families of the others are made of. The first
/// leaves when its stdin is closed; nobody else does by themselves.
#[test]
#[ignore = "the others start it"]
fn a_member() {
    let given = |name: &str| std::env::var(name).unwrap();
    let below: usize = given(BELOW).parse().unwrap();
    if below > 0 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "a_member", "--ignored"]).env(BELOW, (below - 1).to_string());
        child.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        child.spawn().unwrap();
    }
    let mut call = TcpStream::connect(format!("127.0.0.1:{}", given(CALLS))).unwrap();
    call.write_all(b"here").unwrap();
    if below + 1 == GENERATIONS {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(7);
    }
    std::thread::sleep(STAYS);
    call.write_all(b"over").unwrap();
}

/// No test by itself: it holds a family until it is killed.
#[tokio::test]
#[ignore = "the others start it"]
async fn an_owner() {
    let port = std::env::var(CALLS).unwrap();
    let mut process = Process::start(&keeper(), &first(&port)).await.unwrap();
    process.ended().await;
}
