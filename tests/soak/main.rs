//! Five hundred agents through a working day: nothing may grow that should
//! not, nobody may wait for the database in vain, and in the evening nothing
//! is owed.
//!
//! The workspace is open in a process of its own that does nothing else;
//! people, readers and the clock come from here. Without `COTERIE_SOAK_HOURS`
//! it is a few minutes for few agents, which shows all but the growth of
//! memory.
#![expect(clippy::print_stdout, reason = "whoever runs it reads the figures")]

mod caller;
mod company;
mod growth;
mod owner;
mod people;
mod readers;
mod truth;

use caller::Caller;
use company::Company;
use domain::{Provider, ProviderKind};
use growth::{Growth, LOG_MOST};
use owner::{Complaints, Memory, Owner, Wal};
use people::People;
use readers::{Sleepy, Window, look_around};
use std::time::{Duration, Instant};
use store::table::providers;
use store::{Durability, Store, StoreError};
use tempfile::TempDir;
use tokio::sync::oneshot;

const MINUTE: Duration = Duration::from_secs(60);

/// In minutes.
const HOUR: usize = 60;

struct Scale {
    agents: usize,
    groups: usize,
    minutes: usize,
    posts: usize,
}

impl Scale {
    fn chosen() -> Scale {
        #[expect(clippy::disallowed_methods, reason = "whoever runs the test chooses")]
        let hours = std::env::var("COTERIE_SOAK_HOURS").ok();
        match hours {
            None => Scale { agents: 64, groups: 8, minutes: 15, posts: 8 },
            Some(hours) => {
                let hours: usize = hours.parse().expect("COTERIE_SOAK_HOURS is a number of hours");
                Scale { agents: 500, groups: 60, minutes: HOUR * hours, posts: 16 }
            }
        }
    }

    /// Whatever can happen happens.
    fn is_full(&self) -> bool {
        self.minutes >= 4 * HOUR
    }
}

// Seen in openclaw#143524, hermes#3385.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_day_of_many_agents_leaves_nothing_behind() {
    let scale = Scale::chosen();
    let folder = TempDir::new().expect("a temporary folder");
    let data = folder.path();
    let begun = Instant::now();
    let mut owner = Owner::start(data);
    let wal = Wal::of(data);
    let people = Caller::call(data, owner.complaints()).await;
    let reader = Caller::call(data, owner.complaints()).await;

    let mark = people.overview().await.mark;
    let window = Window::open(reader.clone(), mark, wal.clone());
    let mut sleepy = Sleepy::listen(&reader, mark);
    let company = Company::found(&people, scale.agents, scale.groups).await;
    let caller = people.clone();
    let mut people =
        People { caller, company: &company, window: &window, posts: scale.posts, posted: vec![] };

    let mut memory = Vec::new();
    for minute in 0..scale.minutes {
        owner.advance(MINUTE);
        people.post(minute).await;
        tokio::join!(people.manage(minute), look_around(&reader, &company, minute));
        sleepy.take_one().await;
        window.quiet(&people.caller).await;
        memory.push(owner.memory());
        if minute % 10 == 9 {
            tell(minute + 1, memory[minute], wal.look(), begun);
        }
    }
    people.finish().await;
    let views = people.caller.overview().await.groups;
    let heard = window.messages();
    let left_behind = sleepy.hang_up();
    let complaints = owner.complaints();
    owner.close();

    let tally = truth::holds(&data.join("coterie.db"), &people.posted, &company, &views);
    println!("{tally:#?}");
    println!("log at its largest: {:.1} MB", megabytes(wal.most()));
    println!("the slow reader was left behind {left_behind} times");
    println!("complaints, most of them foreseen: {}", complaints.all().len());
    println!("took {:.0} s", begun.elapsed().as_secs_f64());

    nobody_complained(&complaints);
    if let Some(heard) = heard {
        assert_eq!(heard, tally.messages, "what a window was told, and what was said");
    }
    if scale.is_full() {
        assert!(left_behind > 0, "the slow reader was never left behind");
        for met in ["hourly_quota", "over_budget", "stopped_by_user"] {
            assert!(tally.silences.contains_key(met), "nobody met {met}");
        }
    }
    let resident: Vec<u64> = memory.iter().map(|memory| memory.resident).collect();
    Growth::of(&resident).into_iter().for_each(memory_did_not_grow);
    assert!(!is_too_long(&wal), "the log took {} bytes", wal.most());
}

fn nobody_complained(complaints: &Complaints) {
    let all = complaints.all();
    let busy: Vec<_> = all.iter().filter(|line| owner::is_busy(line)).collect();
    assert!(busy.is_empty(), "the database was busy: {busy:#?}");
    let unforeseen: Vec<_> = all.iter().filter(|line| !is_foreseen(line)).collect();
    assert!(unforeseen.is_empty(), "{unforeseen:#?}");
}

/// A summary or a look back that the script fails to write, or for which no
/// budget is left.
fn is_foreseen(complaint: &str) -> bool {
    let why = ["the script says so", "the next call may take"];
    complaint.contains("no answer came") && why.iter().any(|why| complaint.contains(why))
}

// Seen in openclaw#143524, hermes#3385.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_busy_would_be_noticed() {
    let folder = TempDir::new().expect("a temporary folder");
    let database = folder.path().join("coterie.db");
    let (one, _) = Store::open(&database, |_| {}).expect("the database opens");
    let (other, _) = Store::open(&database, |_| {}).expect("nothing in the store forbids it");
    let (begun, has_begun) = oneshot::channel();
    let (end, ended) = std::sync::mpsc::channel();
    let holding = tokio::spawn(async move {
        one.write(Durability::Process, move |_| {
            begun.send(()).expect("it is waited for");
            // Holds the only place to write until the other has given up.
            ended.recv().expect("the test goes on");
            Ok::<_, StoreError>(())
        })
        .await
    });
    has_begun.await.expect("it writes");
    let refused = other.write(Durability::Process, |_| Ok::<_, StoreError>(())).await;
    end.send(()).expect("it is waited for");
    holding.await.expect("no panic").expect("it may write");
    let refused = refused.expect_err("two cannot write").to_string();
    assert!(owner::is_busy(&refused), "{refused}");
}

/// Whatever keeps the log from moving into the database: here somebody who reads
/// and does not end.
// Seen in openclaw#143524, hermes#3385.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_only_grows_would_be_noticed() {
    let folder = TempDir::new().expect("a temporary folder");
    let (store, _) = Store::open(&folder.path().join("coterie.db"), |_| {}).expect("it opens");
    let wal = Wal::of(folder.path());
    let (begun, has_begun) = oneshot::channel();
    let (end, ended) = std::sync::mpsc::channel();
    let reader = store.clone();
    let reading = std::thread::spawn(move || {
        reader.read(|read| {
            providers::all(read)?;
            begun.send(()).expect("it is waited for");
            ended.recv().expect("the test goes on");
            Ok::<_, StoreError>(())
        })
    });
    has_begun.await.expect("it reads");
    for n in 0..LOG_MOST / 1_000_000 + 2 {
        let megabyte = format!("{n:04}").repeat(250_000);
        let (name, base_url, kind) = ("p".to_owned(), Some(megabyte), ProviderKind::Scripted);
        let provider =
            Provider { name, kind, base_url, key_env: None, key: None, models: Vec::new() };
        let written =
            store.write(Durability::Process, move |write| providers::put(write, &provider)).await;
        written.expect("nobody else writes");
        wal.look();
    }
    end.send(()).expect("it is waited for");
    reading.join().expect("no panic").expect("it may read");
    assert!(is_too_long(&wal), "{} bytes", wal.most());
}

fn is_too_long(wal: &Wal) -> bool {
    wal.most() > LOG_MOST
}

fn memory_did_not_grow(growth: Growth) {
    println!(
        "memory after the warm-up {:.1} MB, at the end {:.1} MB: {:+.1} %; {:+.1} % in a day",
        megabytes(growth.warm),
        megabytes(growth.last),
        growth.percent(),
        growth.percent_a_day
    );
    assert!(!growth.is_too_much(), "memory has grown: {growth:?}");
}

fn tell(minute: usize, memory: Memory, wal: u64, begun: Instant) {
    println!(
        "{minute:4} min  {:6.1} MB resident  {:6.1} MB anonymous  {:5.1} MB log  {:4.0} s",
        megabytes(memory.resident),
        megabytes(memory.anonymous),
        megabytes(wal),
        begun.elapsed().as_secs_f64()
    );
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
