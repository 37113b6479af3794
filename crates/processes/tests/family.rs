//! Processes that want to stay, and must not.
//!
//! Each member of a family carries a mark in its environment, so whoever is
//! left can be found wherever it went.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test ends where something it relies on fails")]

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{BufRead, BufReader as StdBufReader};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use processes::{Ended, Keeper, Limits, Log, Patience, Process, Program, StartError, inherited};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

const MARK: &str = "COTERIE_FAMILY";

/// Says that it is there, ignores whoever asks it to end, and stays.
const STAY: &str = r#"trap "" TERM INT HUP; echo here; while :; do sleep 1000; done"#;

/// A shell around one that stays, with one in the background, one in a session
/// of its own, and one whose parent is gone.
const STUBBORN: &str = r#"
trap "" TERM INT HUP
sh -c "$STAY" &
setsid sh -c "$STAY" &
(setsid sh -c 'sh -c "$STAY" & exit' &)
sh -c "$STAY"
echo over
"#;
const MEMBERS: usize = 4;

fn keeper() -> Keeper {
    Keeper(env!("CARGO_BIN_EXE_coterie-keeper").into())
}

fn shell(script: &str, mark: &str) -> Program {
    let mut environment: Vec<(OsString, OsString)> = inherited(std::env::vars_os()).collect();
    environment.push(("STAY".into(), STAY.into()));
    environment.push((MARK.into(), mark.into()));
    Program {
        program: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        environment,
        folder: std::env::temp_dir(),
    }
}

async fn start(script: &str, mark: &str) -> Process {
    Process::start(&keeper(), &shell(script, mark)).await.unwrap()
}

/// A family that is all there.
async fn stubborn(mark: &str) -> (Process, Vec<OwnedFd>) {
    let mut process = start(STUBBORN, mark).await;
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    for _ in 0..MEMBERS {
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "here");
    }
    let all = watched(mark);
    assert!(all.len() > MEMBERS, "{} of the family were found", all.len());
    (process, all)
}

#[expect(clippy::disallowed_methods, reason = "whoever runs the test chooses")]
fn tries() -> usize {
    std::env::var("COTERIE_ORPHAN_TRIES").ok().and_then(|n| n.parse().ok()).unwrap_or(20)
}

/// All who carry the mark, their keeper too.
fn marked(mark: &str) -> BTreeSet<i32> {
    let carries = |pid: i32| {
        let variables = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let wanted = format!("{MARK}={mark}");
        variables.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    let names = std::fs::read_dir("/proc").unwrap();
    let pids = names.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid| carries(*pid)).collect()
}

fn watched(mark: &str) -> Vec<OwnedFd> {
    let open = |pid| pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty());
    marked(mark).into_iter().filter_map(|pid| open(pid).ok()).collect()
}

/// Waits until all of them have ended; fails when one does not.
fn all_end(all: &[OwnedFd]) {
    for one in all {
        let mut waiting = [PollFd::new(one, PollFlags::IN)];
        let patience = Timespec { tv_sec: 20, tv_nsec: 0 };
        assert_eq!(poll(&mut waiting, Some(&patience)).unwrap(), 1, "somebody outlived its owner");
    }
}

fn nobody_is_left(mark: &str) {
    assert_eq!(marked(mark), BTreeSet::new(), "somebody is left");
}

/// A mark that no other test has.
fn mark(test: &str, n: usize) -> String {
    format!("{test}-{}-{n}", std::process::id())
}

const SHORT: Patience =
    Patience { closed: Duration::from_millis(1), asked: Duration::from_millis(1) };

/// openai/codex#10710, zed#54793, searxng#60.
#[tokio::test]
async fn whoever_is_ended_leaves_nobody_behind_however_stubborn_the_family() {
    for n in 0..tries() {
        let mark = mark("ended", n);
        let (process, _) = stubborn(&mark).await;
        assert_eq!(process.end(SHORT).await, Ended::Signalled(9));
        nobody_is_left(&mark);
    }
}

#[tokio::test]
async fn whoever_is_dropped_leaves_nobody_behind_however_stubborn_the_family() {
    for n in 0..tries() {
        let mark = mark("dropped", n);
        let (process, all) = stubborn(&mark).await;
        drop(process);
        all_end(&all);
        nobody_is_left(&mark);
    }
}

#[test]
fn a_killed_owner_leaves_nobody_behind_however_stubborn_the_family() {
    for n in 0..tries() {
        let mark = mark("owner", n);
        let mut owner = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "an_owner_that_waits_to_be_killed", "--nocapture"])
            .env(MARK, &mark)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = StdBufReader::new(owner.stdout.take().unwrap()).lines();
        while said.next().unwrap().unwrap() != "all are there" {}
        let all = watched(&mark);
        owner.kill().unwrap();
        owner.wait().unwrap();
        all_end(&all);
        nobody_is_left(&mark);
    }
}

#[tokio::test]
#[ignore = "is the process that another test starts and kills"]
#[expect(clippy::disallowed_methods, reason = "how the two processes know each other")]
async fn an_owner_that_waits_to_be_killed() {
    let Ok(mark) = std::env::var(MARK) else { return };
    let _held = stubborn(&mark).await;
    println!("all are there");
    std::future::pending().await
}

#[tokio::test]
async fn whoever_kills_the_keeper_kills_the_program_and_all_in_its_session() {
    let mark = mark("keeper", 0);
    let script = r#"trap "" TERM; sh -c "$STAY" & sh -c "$STAY""#;
    let mut process = start(script, &mark).await;
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    for _ in 0..2 {
        lines.next_line().await.unwrap().unwrap();
    }
    let all = watched(&mark);
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
    let keeper = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(1).unwrap();
    kill_process(Pid::from_raw(keeper.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
    assert_eq!(process.ended().await, Ended::Unknown);
    all_end(&all);
    nobody_is_left(&mark);
}

#[tokio::test]
async fn a_program_that_ends_by_itself_takes_along_what_it_left_in_the_background() {
    let mark = mark("by-itself", 0);
    let mut process = start(r#"setsid sh -c "$STAY" & read line; exit 7"#, &mark).await;
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "here");
    process.stdin.as_mut().unwrap().write_all(b"go\n").await.unwrap();
    assert_eq!(process.ended().await, Ended::Exited(7));
    assert_eq!(process.ended().await, Ended::Exited(7), "asked again");
    nobody_is_left(&mark);
}

#[tokio::test]
async fn who_ends_with_its_stdin_is_not_asked_and_who_ends_when_asked_is_not_killed() {
    let check = async |script: &str, expected: Ended| {
        let mark = mark("polite", 0);
        let mut process = start(script, &mark).await;
        let mut said = [0; 5];
        process.stdout.as_mut().unwrap().read_exact(&mut said).await.unwrap();
        let patience = Patience {
            closed: Duration::from_secs(if expected.well() { 60 } else { 0 }),
            asked: Duration::from_secs(60),
        };
        assert_eq!(process.end(patience).await, expected);
        nobody_is_left(&mark);
    };
    check("trap 'exit 1' TERM; echo here; read line; exit 0", Ended::Exited(0)).await;
    check("trap 'exit 3' TERM; echo here; while :; do sleep 1000 & wait; done", Ended::Exited(3))
        .await;
    check("echo here; exec sleep 1000", Ended::Signalled(15)).await;
}

/// The signal at a parent's death comes when the thread ends that was the parent.
#[test]
fn a_process_lives_on_when_the_thread_ends_that_started_it() {
    let runtime = || tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let _held = second.enter();
    let mut process = std::thread::scope(|scope| {
        let starts = || second.block_on(start("echo here; read line; echo $line", "thread"));
        scope.spawn(starts).join().unwrap()
    });
    drop(first);
    second.block_on(async {
        process.stdin.take().unwrap().write_all(b"alive\n").await.unwrap();
        let mut said = String::new();
        process.stdout.take().unwrap().read_to_string(&mut said).await.unwrap();
        assert_eq!(said, "here\nalive\n");
        assert_eq!(process.ended().await, Ended::Exited(0));
    });
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "where the shell is")]
async fn a_program_gets_what_it_is_given_and_nothing_else_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program {
        program: "sh".into(),
        arguments: vec!["-c".into(), "env; pwd; ls /proc/self/fd | tr '\\n' ' '; cat".into()],
        environment: vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("GIVEN".into(), "yes".into()),
        ],
        folder: folder.path().into(),
    };
    let process = Process::start(&keeper(), &program).await.unwrap();
    let limits = Limits { time: Duration::from_secs(60), output_bytes: 100_000 };
    let finished = process.finish(b"fed", limits).await;
    assert_eq!(finished.ended, Some(Ended::Exited(0)));
    let text = finished.stdout.text();
    let names: BTreeSet<&str> =
        text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert_eq!(names, BTreeSet::from(["GIVEN", "PATH", "PWD"]));
    let folder = folder.path().canonicalize().unwrap();
    // The fourth is what `ls` reads.
    assert!(text.ends_with(&format!("{}\n0 1 2 3 fed", folder.display())), "{text}");
}

#[tokio::test]
async fn a_flood_is_cut_in_its_middle_and_a_program_that_goes_on_is_killed() {
    let mark = mark("flood", 0);
    let process = start("sh -c \"$STAY\" & seq 1000000; yes >&2", &mark).await;
    let limits = Limits { time: Duration::from_secs(2), output_bytes: 1000 };
    let finished = process.finish(b"", limits).await;
    nobody_is_left(&mark);
    assert_eq!(finished.ended, None);
    let (head, tail) = (&finished.stdout.head, &finished.stdout.tail);
    assert_eq!(head.len() + tail.len(), 1000);
    assert!(finished.stdout.text().contains("bytes left out here]\n"));
    assert!(finished.stderr.left_out > 1000);
    assert_eq!(finished.stderr.tail.len(), 250);
}

#[tokio::test]
async fn what_cannot_be_started_is_named_with_the_reason() {
    let mut nothing = shell("", "none");
    nothing.program = "no-such-program".into();
    let error = Process::start(&keeper(), &nothing).await.unwrap_err();
    let expected = "start no-such-program: No such file or directory (os error 2)";
    assert_eq!(error.to_string(), expected);
    let mut nowhere = shell("", "none");
    nowhere.folder = "/no/such/folder".into();
    let error = Process::start(&keeper(), &nowhere).await.unwrap_err();
    assert_eq!(error.to_string(), "start sh: /no/such/folder is no folder");
    let missing = Keeper(Path::new("/no/such/keeper").into());
    let error = Process::start(&missing, &shell("", "none")).await.unwrap_err();
    assert!(matches!(error, StartError::Keeper { .. }), "{error}");
}

#[tokio::test]
async fn the_memory_of_a_process_is_that_of_everybody_it_started() {
    let holds =
        "import signal; held = b'x' * 50_000_000; print('here', flush=True); signal.pause()";
    let mut process = start(&format!("setsid python3 -c \"{holds}\" & wait"), "memory").await;
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "here");
    let bytes = process.memory_bytes().unwrap();
    assert!((50_000_000..200_000_000).contains(&bytes), "{bytes}");
    process.kill().await;
}

#[tokio::test]
async fn what_a_process_logs_is_kept() {
    let mut process = start("echo one >&2; echo two >&2", "log").await;
    let log = Log::default();
    log.follow(process.stderr.take().unwrap()).await.unwrap();
    process.ended().await;
    assert_eq!(log.lines(), ["one", "two"]);
}
