//! Stories about both sides of the socket, with a few lines of code in the
//! workspace's place: it answers with what was asked of it.

use crate::lock::{Claim, Lock};
use crate::owner::{self, Served, Service};
use crate::socket;
use crate::{Door, Places};
use domain::{
    AgentId, Answer, Call, CheckedSoul, Command, Event, Fault, FaultCode, FromOwner, GroupId, Mark,
    MessageId, Query, Record, Reply, Request, RequestId, Secret, Settings, SoulProblem, ToOwner,
    Update,
};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use uuid::Uuid;

/// Stands in for a workspace: counts what it was asked, and publishes numbers.
#[derive(Clone)]
pub(crate) struct Stand {
    epoch: u64,
    pub(crate) asked: Arc<Mutex<Vec<RequestId>>>,
    /// The newest of it.
    heard: Arc<Mutex<Option<Call>>>,
    /// Number of the newest event.
    newest: watch::Sender<u64>,
    /// A question about the group `held` waits for this.
    release: Arc<Notify>,
    /// Events that somebody took, over all subscriptions.
    taken: Arc<AtomicU64>,
}

const HELD: GroupId = GroupId(Uuid::from_u128(7));

impl Stand {
    fn new(epoch: u64) -> Self {
        Stand {
            epoch,
            asked: Arc::default(),
            heard: Arc::default(),
            newest: watch::channel(0).0,
            release: Arc::default(),
            taken: Arc::default(),
        }
    }

    fn answer(&self, request: Request) -> BoxFuture<'static, Answer> {
        self.asked.lock().unwrap().push(request.id);
        *self.heard.lock().unwrap() = Some(request.call.clone());
        let stand = self.clone();
        async move {
            let result = match request.call {
                Call::Query(Query::CheckSoul { text, .. }) => Ok(echo(&text)),
                Call::Query(Query::Message { message }) => {
                    Err(Fault::not_found(message.to_string(), ""))
                }
                Call::Query(Query::Messages { group: HELD, .. })
                | Call::Command(Command::RunOnce { .. }) => {
                    stand.release.notified().await;
                    Ok(Reply::Done)
                }
                Call::Query(Query::Discover) => panic!("as asked"),
                Call::Query(_) | Call::Command(_) => Ok(Reply::Done),
            };
            Answer { id: request.id, result }
        }
        .boxed()
    }

    /// As the workspace does it, without a ring: every number can be had.
    fn events(&self, after: Option<Mark>) -> BoxStream<'static, FromOwner> {
        let epoch = self.epoch;
        let now = Mark { epoch, n: *self.newest.borrow() };
        let known = after.is_none_or(|mark| mark.epoch == epoch);
        let resync = stream::iter((!known).then_some(FromOwner::Resync { now }));
        let from = if known { after.map_or(now.n, |mark| mark.n) } else { now.n };
        let (newest, taken) = (self.newest.subscribe(), self.taken.clone());
        let numbers =
            stream::unfold((newest, taken, from), |(mut newest, taken, last)| async move {
                newest.wait_for(|newest| *newest > last).await.ok()?;
                taken.fetch_add(1, Ordering::Relaxed);
                Some((event(last + 1), (newest, taken, last + 1)))
            });
        resync.chain(numbers).boxed()
    }
}

pub(crate) fn echo(text: &str) -> Reply {
    let message = text.to_owned();
    let errors = vec![SoulProblem { line: 1, column: 1, message, kind: None }];
    Reply::SoulChecked(CheckedSoul { errors, warnings: Vec::new() })
}

fn event(n: u64) -> FromOwner {
    FromOwner::Event(Event {
        n,
        update: Update::Saved { record: Record::Settings(Settings::default()) },
    })
}

/// An owner, on a folder.
pub(crate) struct Owning {
    pub(crate) stand: Stand,
    pub(crate) served: Served,
    _lock: Lock,
}

pub(crate) fn own(data: &Path) -> Owning {
    let Claim::Taken(mut lock) = Lock::claim(data).unwrap() else {
        panic!("somebody else owns it")
    };
    let listener = socket::listen(data).unwrap().unwrap();
    lock.announce(Some(&listener.path)).unwrap();
    let stand = Stand::new(lock.epoch());
    let (answering, watched) = (stand.clone(), stand.clone());
    let service = Service {
        answer: Arc::new(move |request| answering.answer(request)),
        events: Arc::new(move |after| watched.events(after)),
    };
    Owning { served: owner::serve(listener, service), stand, _lock: lock }
}

impl Owning {
    async fn close(self) {
        self.served.close().await;
    }
}

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn ask(query: Query) -> Request {
    Request { id: RequestId(Uuid::now_v7()), call: Call::Query(query) }
}

pub(crate) fn echoed(text: &str) -> Request {
    ask(Query::CheckSoul { soul: "ada".into(), text: text.into() })
}

pub(crate) fn held() -> Request {
    ask(Query::Messages { group: HELD, before: None, limit: 1 })
}

/// Writes lines by hand and reads what comes back.
async fn by_hand(data: &Path, lines: &[u8], answers: usize) -> Vec<FromOwner> {
    let mut stream = UnixStream::connect(data.join("coterie.sock")).await.unwrap();
    let (read, mut write) = stream.split();
    let reading = async {
        let mut lines = BufReader::new(read).lines();
        let mut said = Vec::new();
        while said.len() < answers {
            let line = lines.next_line().await.unwrap().expect("the owner hung up");
            said.push(serde_json::from_str(&line).unwrap());
        }
        said
    };
    let writing = async { write.write_all(lines).await.unwrap() };
    tokio::join!(reading, writing).0
}

fn refusal(said: &FromOwner) -> (RequestId, FaultCode) {
    match said {
        FromOwner::Answer(Answer { id, result: Err(fault) }) => (*id, fault.code),
        other => panic!("no refusal: {other:?}"),
    }
}

#[tokio::test]
async fn answers_find_the_request_they_belong_to_in_any_order() {
    let folder = folder();
    let owning = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();

    let slow = tokio::spawn({
        let door = door.clone();
        async move { door.send(held()).await.result }
    });
    let quick = (0..100).map(|n| door.send(echoed(&n.to_string())));
    let texts = futures::future::join_all(quick).await;
    for (n, answer) in texts.into_iter().enumerate() {
        assert_eq!(answer.result, Ok(echo(&n.to_string())));
    }
    owning.stand.release.notify_one();
    assert_eq!(slow.await.unwrap(), Ok(Reply::Done));
}

#[tokio::test]
async fn a_fault_comes_through_as_it_is() {
    let folder = folder();
    let _owning = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    let message = MessageId(Uuid::now_v7());
    let answer = door.send(ask(Query::Message { message })).await;
    assert_eq!(answer.result, Err(Fault::not_found(message.to_string(), "")));
}

#[tokio::test]
async fn a_panic_in_the_workspace_is_a_fault_and_not_a_silence() {
    let folder = folder();
    let _owning = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    assert_eq!(door.send(ask(Query::Discover)).await.result.unwrap_err().code, FaultCode::Internal);
    assert_eq!(door.send(echoed("still there")).await.result, Ok(echo("still there")));
}

#[tokio::test]
async fn an_unanswered_request_is_sent_again_to_the_next_owner_with_its_id() {
    let folder = folder();
    let first = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    let request = held();
    let answering = tokio::spawn({
        let (door, request) = (door.clone(), request.clone());
        async move { door.send(request).await }
    });
    until(|| !first.stand.asked.lock().unwrap().is_empty()).await;

    // As if it were killed: no last answers, the socket stays behind.
    let asked_of_first = first.stand.asked.clone();
    first.served.abandon();
    drop(first);
    let second = own(folder.path());
    second.stand.release.notify_one();

    assert_eq!(answering.await.unwrap(), Answer { id: request.id, result: Ok(Reply::Done) });
    assert_eq!(*asked_of_first.lock().unwrap(), [request.id]);
    assert_eq!(*second.stand.asked.lock().unwrap(), [request.id]);
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_does_not_come_back_is_a_fault_and_the_end_of_the_events() {
    let folder = folder();
    let owning = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    let mut events = door.events(None);
    owning.close().await;
    let fault = door.send(echoed("anybody?")).await.result.unwrap_err();
    assert_eq!(fault.message, "the process that had this workspace open has ended");
    assert_eq!(events.next().await, None);

    // A later owner is found again.
    let _owning = own(folder.path());
    assert_eq!(door.send(echoed("hello")).await.result, Ok(echo("hello")));
}

#[tokio::test]
async fn an_owner_that_closes_finishes_what_it_was_asked() {
    let folder = folder();
    let owning = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    let answering = tokio::spawn(async move { door.send(held()).await.result });
    until(|| !owning.stand.asked.lock().unwrap().is_empty()).await;
    let release = owning.stand.release.clone();
    let closing = owning.close();
    tokio::pin!(closing);
    assert!(closing.as_mut().now_or_never().is_none());
    assert!(!folder.path().join("coterie.sock").exists());
    release.notify_one();
    closing.await;
    assert_eq!(answering.await.unwrap(), Ok(Reply::Done));
}

/// The turn may take minutes; whoever asked for it asks the next owner.
#[tokio::test(start_paused = true)]
async fn an_owner_that_closes_waits_for_no_whole_turn() {
    let folder = folder();
    let first = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    let once = Command::RunOnce { agent: AgentId(Uuid::nil()), dialog: Vec::new() };
    let answering = tokio::spawn(async move { door.ask(Call::Command(once)).await });
    until(|| !first.stand.asked.lock().unwrap().is_empty()).await;
    let closing = Instant::now();
    first.close().await;
    assert_eq!(closing.elapsed(), Duration::ZERO);

    let second = own(folder.path());
    second.stand.release.notify_one();
    assert_eq!(answering.await.unwrap(), Ok(Reply::Done));
}

#[tokio::test]
async fn a_subscriber_gets_each_event_once_and_goes_on_after_a_broken_connection() {
    let folder = folder();
    let first = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    let mut events = door.events(Some(Mark { epoch: 1, n: 0 }));
    first.stand.newest.send_replace(3);
    for n in 1..=3 {
        assert_eq!(events.next().await, Some(event(n)));
    }
    first.close().await;

    // Another owner counts anew, so the mark means nothing to it.
    let second = own(folder.path());
    assert_eq!(events.next().await, Some(FromOwner::Resync { now: Mark { epoch: 2, n: 0 } }));
    second.stand.newest.send_replace(1);
    assert_eq!(events.next().await, Some(event(1)));
}

#[tokio::test]
async fn a_subscriber_that_does_not_read_holds_up_neither_others_nor_the_owner() {
    let folder = folder();
    let owning = own(folder.path());
    let mut idle = UnixStream::connect(folder.path().join("coterie.sock")).await.unwrap();
    let line = serde_json::to_string(&ToOwner::Subscribe { after: Some(Mark { epoch: 1, n: 0 }) })
        .unwrap()
        + "\n";
    idle.write_all(line.as_bytes()).await.unwrap();

    let door = Door::connect(folder.path()).await.unwrap();
    let mut events = door.events(Some(Mark { epoch: 1, n: 0 }));
    // Far more than the socket's buffers hold.
    owning.stand.newest.send_replace(20_000);
    for n in 1..=20_000 {
        assert_eq!(events.next().await, Some(event(n)));
    }
    assert_eq!(door.send(echoed("hello")).await.result, Ok(echo("hello")));
    // What the idle one has not read waits in the workspace, not on its way.
    assert!(owning.stand.taken.load(Ordering::Relaxed) < 2 * 20_000);
}

/// A window that hangs, for example.
#[tokio::test(start_paused = true)]
async fn an_owner_that_closes_waits_for_no_subscriber_that_does_not_read() {
    let folder = folder();
    let owning = own(folder.path());
    let mut idle = UnixStream::connect(folder.path().join("coterie.sock")).await.unwrap();
    let line = serde_json::to_string(&ToOwner::Subscribe { after: Some(Mark { epoch: 1, n: 0 }) })
        .unwrap()
        + "\n";
    idle.write_all(line.as_bytes()).await.unwrap();
    // Far more than the socket's buffers hold: it is stuck when no more is taken.
    owning.stand.newest.send_replace(u64::MAX);
    let taken = || owning.stand.taken.load(Ordering::Relaxed);
    let mut before = u64::MAX;
    while taken() != before || before == 0 {
        before = taken();
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
    }
    let closing = Instant::now();
    owning.close().await;
    assert_eq!(closing.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn garbage_is_refused_and_the_next_line_is_answered() {
    let folder = folder();
    let _owning = own(folder.path());
    let nobody = RequestId(Uuid::nil());
    let request = echoed("after all");
    let unknown = RequestId(Uuid::from_u128(99));
    let mut lines = b"garbage\n\xff\xfe\n\n[]\n".to_vec();
    lines.extend(format!("{{\"request\":{{\"id\":\"{unknown}\",\"call\":{{\"query\":{{\"kind\":\"of_the_future\"}}}}}}}}\n").bytes());
    lines.extend(serde_json::to_vec(&ToOwner::Request(request.clone())).unwrap());
    lines.push(b'\n');
    let said = by_hand(folder.path(), &lines, 6).await;
    let bad = FaultCode::BadInput;
    let refused: Vec<_> = said[..5].iter().map(refusal).collect();
    assert_eq!(
        refused,
        [(nobody, bad), (nobody, bad), (nobody, bad), (nobody, bad), (unknown, bad)]
    );
    assert_eq!(
        said[5],
        FromOwner::Answer(Answer { id: request.id, result: Ok(echo("after all")) })
    );
}

#[tokio::test]
async fn a_line_that_is_too_long_is_refused_and_the_next_one_is_answered() {
    let folder = folder();
    let _owning = own(folder.path());
    let request = echoed("short");
    let mut lines = vec![b'x'; crate::framing::LINE_LIMIT + 1];
    lines.push(b'\n');
    lines.extend(serde_json::to_vec(&ToOwner::Request(request.clone())).unwrap());
    lines.push(b'\n');
    let said = by_hand(folder.path(), &lines, 2).await;
    assert_eq!(refusal(&said[0]), (RequestId(Uuid::nil()), FaultCode::BadInput));
    assert_eq!(said[1], FromOwner::Answer(Answer { id: request.id, result: Ok(echo("short")) }));
}

#[tokio::test]
async fn a_key_goes_to_the_owner_and_to_nobody_else() {
    let folder = folder();
    let owning = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    let value = Secret::new("acme-0123-4567-89ab");
    let set = Call::Command(Command::SetKey { name: "acme".into(), value });
    assert_eq!(door.ask(set.clone()).await, Ok(Reply::Done));
    assert_eq!(*owning.stand.heard.lock().unwrap(), Some(set));
}

#[tokio::test]
async fn a_key_in_a_line_that_cannot_be_read_is_not_said_back() {
    let folder = folder();
    let _owning = own(folder.path());
    let id = RequestId(Uuid::from_u128(99));
    let with = |command: &str| {
        format!("{{\"request\":{{\"id\":\"{id}\",\"call\":{{\"command\":{command}}}}}}}\n")
    };
    let mut lines = with(r#"{"kind":"remove_key","name":"x","forget":"acme-0123"}"#);
    lines += &with(r#"{"kind":"set_key","name":"x","value":["acme-0123"]}"#);
    lines += &with(r#"{"kind":"change_passphrase","old":"x","acme-0123":1}"#);
    let said = by_hand(folder.path(), lines.as_bytes(), 3).await;
    let quotes: Vec<bool> =
        said.iter().map(|said| format!("{said:?}").contains("acme-0123")).collect();
    assert_eq!(quotes, [true, false, false], "{said:?}");
    assert!(said.iter().all(|said| refusal(said) == (id, FaultCode::BadInput)));
}

#[tokio::test]
async fn what_is_too_long_to_send_is_refused_on_this_side() {
    let folder = folder();
    let owning = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    let long = echoed(&"x".repeat(crate::framing::LINE_LIMIT));
    assert_eq!(door.send(long).await.result.unwrap_err().code, FaultCode::BadInput);
    assert!(owning.stand.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn half_a_line_is_nobodys_request() {
    let folder = folder();
    let owning = own(folder.path());
    let mut stream = UnixStream::connect(folder.path().join("coterie.sock")).await.unwrap();
    let line = serde_json::to_vec(&ToOwner::Request(echoed("cut off"))).unwrap();
    stream.write_all(&line).await.unwrap();
    stream.shutdown().await.unwrap();
    assert_eq!(stream.read(&mut [0; 16]).await.unwrap(), 0);
    assert!(owning.stand.asked.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_owner_that_listens_and_says_nothing_is_waited_for_only_so_long() {
    let folder = folder();
    let data = folder.path();
    let Claim::Taken(mut lock) = Lock::claim(data).unwrap() else { panic!("held") };
    let listener = socket::listen(data).unwrap().unwrap();
    lock.announce(Some(&listener.path)).unwrap();
    let places = Places::bare(data.into());
    let opened = Door::open(places, |_| unreachable!("somebody else owns it")).await;
    let connected = Door::connect(data).await;
    let pid = std::process::id();
    for fault in [opened.err().unwrap(), connected.err().unwrap()] {
        assert_eq!(fault.code, FaultCode::TimedOut);
        assert_eq!(
            fault.message,
            format!(
                "another process (pid {pid}) has the workspace in {} open and does not answer",
                data.display()
            )
        );
    }
}

/// Waits, a turn of the scheduler at a time, until something has happened.
pub(crate) async fn until(happened: impl Fn() -> bool) {
    while !happened() {
        tokio::task::yield_now().await;
    }
}
