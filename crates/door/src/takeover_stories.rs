//! Stories about owners that end while something is asked of them, at each
//! moment at which they can.

use crate::door::OWNERS;
use crate::lock::{Claim, Lock};
use crate::socket::{self, Listener, Stream};
use crate::socket_stories::{echo, echoed, folder, held, own, until};
use crate::{Door, Parts, Places, Start};
use domain::{Answer, Call, FaultCode, FromOwner, Mark, Query, Reply, ToOwner};
use futures::StreamExt;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// When an owner ends that has the workspace for a moment only. Whoever comes
/// greets it on one connection, asks on a second, and listens on a third.
#[derive(Debug, Clone, Copy)]
enum Ends {
    BeforeGreeting,
    BeforeItReads,
    AfterItHasRead,
    InTheMiddleOfItsAnswer,
    BeforeItsEvents,
}

/// Owns a workspace as a command does that is over in a moment.
struct Fleeting {
    lock: Lock,
    listener: Listener,
}

impl Fleeting {
    fn begin(data: &Path) -> Fleeting {
        let Claim::Taken(mut lock) = Lock::claim(data).unwrap() else { panic!("owned already") };
        let listener = socket::listen(data).unwrap().unwrap();
        lock.announce(Some(&listener.path)).unwrap();
        Fleeting { lock, listener }
    }

    async fn live(self, ends: Ends) {
        let mut greeted = BufReader::new(self.listener.accept().await.unwrap());
        if matches!(ends, Ends::BeforeGreeting) {
            return;
        }
        heard(&mut greeted).await;
        let now = Mark { epoch: self.lock.epoch(), n: 0 };
        say(&mut greeted, &FromOwner::Resync { now }).await;
        let mut asked = BufReader::new(self.listener.accept().await.unwrap());
        match ends {
            Ends::BeforeGreeting | Ends::BeforeItReads => {}
            Ends::AfterItHasRead => drop(heard(&mut asked).await),
            Ends::InTheMiddleOfItsAnswer => {
                let line = answer_to(heard(&mut asked).await);
                asked.write_all(&line.as_bytes()[..line.len() / 2]).await.unwrap();
            }
            Ends::BeforeItsEvents => drop(self.listener.accept().await.unwrap()),
        }
    }
}

async fn heard(stream: &mut BufReader<Stream>) -> ToOwner {
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    serde_json::from_str(&line).unwrap()
}

async fn say(stream: &mut BufReader<Stream>, what: &FromOwner) {
    let line = serde_json::to_string(what).unwrap() + "\n";
    stream.write_all(line.as_bytes()).await.unwrap();
}

fn answer_to(asked: ToOwner) -> String {
    let ToOwner::Request(request) = asked else { panic!("no request: {asked:?}") };
    let answer = Answer { id: request.id, result: Ok(echo("half of it")) };
    serde_json::to_string(&FromOwner::Answer(answer)).unwrap() + "\n"
}

/// Owners that end one after the other: not so many that it is no chance.
const MANY: usize = 7;

/// What comes of it while one owner after the other ends like this, and then
/// one stays.
async fn while_owners_end<T>(
    data: &Path,
    mut owner: Fleeting,
    ends: Ends,
    asking: impl Future<Output = T>,
) -> T {
    let owners = async {
        for _ in 1..MANY {
            owner.live(ends).await;
            owner = Fleeting::begin(data);
        }
        owner.live(ends).await;
        let _stays = own(data);
        std::future::pending::<()>().await
    };
    tokio::select! {
        came_of_it = asking => came_of_it,
        () = owners => unreachable!("the last one stays"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_outlives_the_owners_that_end_before_they_answer_it() {
    for ends in [Ends::BeforeItReads, Ends::AfterItHasRead, Ends::InTheMiddleOfItsAnswer] {
        let folder = folder();
        let first = Fleeting::begin(folder.path());
        let asking = async {
            let door = Door::connect(folder.path()).await.unwrap();
            door.send(echoed("at last")).await.result
        };
        let answer = while_owners_end(folder.path(), first, ends, asking).await;
        assert_eq!(answer, Ok(echo("at last")), "{ends:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn events_go_on_at_the_next_owner_that_stays() {
    let folder = folder();
    let first = Fleeting::begin(folder.path());
    let epoch = MANY as u64 + 1;
    let listening = async {
        let door = Door::connect(folder.path()).await.unwrap();
        door.events(Some(Mark { epoch: 1, n: 0 })).next().await
    };
    let said = while_owners_end(folder.path(), first, Ends::BeforeItsEvents, listening).await;
    assert_eq!(said, Some(FromOwner::Resync { now: Mark { epoch, n: 0 } }));
}

#[tokio::test]
async fn a_request_that_takes_many_owners_with_it_is_not_sent_to_another() {
    let folder = folder();
    let mut owning = own(folder.path());
    let door = Door::connect(folder.path()).await.unwrap();
    let answering = tokio::spawn(async move { door.send(held()).await });
    for _ in 0..OWNERS {
        until(|| !owning.stand.asked.lock().unwrap().is_empty()).await;
        owning.served.abandon();
        drop(owning);
        owning = own(folder.path());
    }
    assert_eq!(answering.await.unwrap().result.unwrap_err().code, FaultCode::Storage);
    assert!(owning.stand.asked.lock().unwrap().is_empty());
}

/// Whoever can own the workspace does what it asked for itself in the end.
#[tokio::test]
async fn a_request_whose_owners_have_all_ended_is_answered_by_the_process_that_made_it() {
    for ends in [Ends::BeforeGreeting, Ends::BeforeItReads, Ends::AfterItHasRead] {
        let folder = folder();
        let data = folder.path();
        let first = Fleeting::begin(data);
        let places = Places::bare(data.into());
        let asking = async {
            let parts = |places: &Places| Parts {
                start: Start::Still,
                ..Parts::real(places, Arc::new(|_| None))
            };
            let door = Door::open(places, parts).await.unwrap();
            (door.ask(Call::Query(Query::Overview)).await, door)
        };
        let ((answer, door), ()) = tokio::join!(asking, first.live(ends));
        assert!(matches!(answer, Ok(Reply::Overview(_))), "{ends:?}: {answer:?}");
        assert!(door.owns());
        door.close().await;
    }
}

/// An owner that ends may have answered before it stopped reading.
#[tokio::test]
async fn an_answer_is_heard_though_the_owner_takes_no_more_requests() {
    let folder = folder();
    let first = Fleeting::begin(folder.path());
    let connecting = Door::connect(folder.path());
    let accepting = async {
        let mut greeted = BufReader::new(first.listener.accept().await.unwrap());
        heard(&mut greeted).await;
        say(&mut greeted, &FromOwner::Resync { now: Mark { epoch: 1, n: 0 } }).await;
        BufReader::new(first.listener.accept().await.unwrap())
    };
    let (door, mut asked) = tokio::join!(connecting, accepting);
    let door = door.unwrap();
    let ask = |text: &str| {
        let (door, request) = (door.clone(), echoed(text));
        tokio::spawn(async move { door.send(request).await.result })
    };

    let answered = ask("before the end");
    let ToOwner::Request(before) = heard(&mut asked).await else { panic!("no request") };
    let closing = asked.into_inner().into_std().unwrap();
    closing.shutdown(std::net::Shutdown::Read).unwrap();
    let unread = ask("after the end");
    // The second one finds the way closed.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let mut closing = Stream::from_std(closing).unwrap();
    let answer = Answer { id: before.id, result: Ok(echo("before the end")) };
    let line = serde_json::to_string(&FromOwner::Answer(answer)).unwrap() + "\n";
    closing.write_all(line.as_bytes()).await.unwrap();
    assert_eq!(answered.await.unwrap(), Ok(echo("before the end")));

    drop((closing, first));
    let _owning = own(folder.path());
    assert_eq!(unread.await.unwrap(), Ok(echo("after the end")));
}
