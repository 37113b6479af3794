//! The line under a scheduler that decides who comes before whom, and tries
//! out one order after another: all of them where there are few, thousands
//! where there are more (`PROPTEST_CASES` times eight).
//!
//! It is the queue that runs are served by, around another lock. Every time
//! somebody takes the lock, gives it back or waits, somebody else may go on.
//! A line in which one waits for ever ends the test, with the order that led
//! there. An order that failed is printed, and `shuttle::replay` has it again.

use super::*;
use domain::FromOwner;
use futures::future::{Either, select};
use futures::{FutureExt, Stream, StreamExt};
use proptest::test_runner::Config as ProptestConfig;
use shuttle::future::{JoinHandle, block_on, spawn};
use shuttle::scheduler::DfsScheduler;
use shuttle::sync::Mutex as Watched;
use shuttle::{Config, Runner};
use std::collections::HashMap;
use std::sync::Mutex as Unwatched;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use uuid::Uuid;

impl Lock for Watched<Line> {
    fn around(line: Line) -> Self {
        Watched::new(line)
    }

    fn hold(&self) -> impl DerefMut<Target = Line> {
        self.lock().expect("whoever panics ends the test")
    }
}

/// More than there are orders in a story that is tried out in all of them.
const MOST: usize = 100_000;
/// How often somebody else goes on although nobody had to wait.
const CHANGES_OF_MIND: usize = 4;

fn run(n: usize) -> RunId {
    RunId(Uuid::from_u128(n as u128))
}

/// The line, and what those who are let in see of one another.
#[derive(Clone)]
struct Hall {
    queue: Queue<Watched<Line>>,
    inside: Arc<AtomicUsize>,
    /// The tickets of those let in, as they came.
    came: Arc<Unwatched<Vec<u64>>>,
}

type Seat = Place<Watched<Line>>;

impl Hall {
    fn of(most: u32) -> Hall {
        let queue = Queue::new(most, Events::new(1));
        Hall { queue, inside: Arc::default(), came: Arc::default() }
    }

    /// Somebody who makes so many calls.
    fn agent(&self, n: usize, calls: usize, others: usize) -> JoinHandle<()> {
        let hall = self.clone();
        spawn(async move {
            for _ in 0..calls {
                hall.call(n, others).await;
            }
        })
    }

    /// One call of a model, beside at most so many others.
    async fn call(&self, n: usize, others: usize) {
        let place = self.queue.enter(run(n)).await;
        self.is_in(place, others);
    }

    /// Whoever was told to stop leaves the line, also at the very moment in
    /// which it is let in.
    async fn call_unless(&self, stop: oneshot::Receiver<()>, n: usize, others: usize) {
        let entering = self.queue.enter(run(n)).boxed();
        if let Either::Right((place, _)) = select(stop, entering).await {
            self.is_in(place, others);
        }
    }

    fn is_in(&self, place: Seat, others: usize) {
        let before = self.inside.fetch_add(1, SeqCst);
        assert!(before <= others, "{before} were inside, and {others} may be");
        self.came.lock().unwrap().push(place.number);
        // Somebody else may look, come or go.
        self.nobody_was_passed(&place, others);
        self.inside.fetch_sub(1, SeqCst);
        drop(place);
    }

    /// Whoever still waits came later.
    fn nobody_was_passed(&self, place: &Seat, others: usize) {
        let line = self.queue.line.hold();
        assert!(line.going_on <= others + 1, "{} go on", line.going_on);
        let first = line.waiting.front().map(|ticket| ticket.number);
        assert!(first.is_none_or(|first| first > place.number), "{first:?} was passed");
    }

    /// Nothing was lost and nothing is kept: just so many can be let in.
    fn is_free_again(&self, most: usize) {
        let mut seats = Vec::new();
        while let Some(seat) = self.queue.enter(run(0)).now_or_never() {
            seats.push(seat);
            assert!(seats.len() <= most, "more than {most} are let in");
        }
        assert_eq!(seats.len(), most, "a place was lost");
        drop(seats);
        let line = self.queue.line.hold();
        assert_eq!((line.going_on, line.waiting.len()), (0, 0));
    }

    fn came(&self) -> Vec<u64> {
        self.came.lock().unwrap().clone()
    }
}

/// Whoever was told a position was told at last that it waits no more.
fn nobody_seems_to_wait(events: impl Stream<Item = FromOwner>) {
    let mut events = Box::pin(events);
    let mut told = HashMap::new();
    while let Some(Some(FromOwner::Event(event))) = events.next().now_or_never() {
        if let Update::Waiting { waiting } = event.update {
            told.insert(waiting.run, waiting.position);
        }
    }
    assert!(told.values().all(|position| *position == 0), "somebody seems to wait: {told:?}");
}

async fn all(tasks: Vec<JoinHandle<()>>) {
    for task in tasks {
        task.await.expect("nobody ends it");
    }
}

/// Calls of so many agents, one place.
async fn one_place(agents: usize, calls: usize) {
    let hall = Hall::of(1);
    let told = hall.queue.events.subscribe(None);
    all((0..agents).map(|n| hall.agent(n, calls, 0)).collect()).await;
    let inside: Vec<u64> = (0..(agents * calls) as u64).collect();
    assert_eq!(hall.came(), inside, "first come, first served");
    hall.is_free_again(1);
    nobody_seems_to_wait(told);
}

/// One more agent, who is told to stop at any moment.
async fn one_is_stopped(agents: usize) {
    let hall = Hall::of(1);
    let told = hall.queue.events.subscribe(None);
    let (stop, stopped) = oneshot::channel();
    let gives_up = {
        let hall = hall.clone();
        spawn(async move { hall.call_unless(stopped, agents, 0).await })
    };
    let mut tasks: Vec<_> = (0..agents).map(|n| hall.agent(n, 1, 0)).collect();
    tasks.push(gives_up);
    // It may have been served already.
    let _ = stop.send(());
    all(tasks).await;
    let came = hall.came();
    assert!(came.is_sorted(), "out of order: {came:?}");
    assert!((agents..=agents + 1).contains(&came.len()), "{came:?}");
    hall.is_free_again(1);
    nobody_seems_to_wait(told);
}

/// One more agent, whose task is ended at any moment while somebody leaves.
async fn one_is_ended(agents: usize) {
    let hall = Hall::of(1);
    let told = hall.queue.events.subscribe(None);
    let seat = hall.queue.enter(run(agents)).await;
    let ends = hall.agent(agents + 1, 1, 0);
    let others = (0..agents).map(|n| hall.agent(n, 1, 0)).collect();
    let ending = {
        let abort = ends.abort_handle();
        spawn(async move { abort.abort() })
    };
    drop(seat);
    all(others).await;
    all(vec![ending]).await;
    // It may have had its turn.
    let _ = ends.await;
    hall.is_free_again(1);
    nobody_seems_to_wait(told);
}

/// Two places become one while agents come and go; who lines up afterwards is
/// alone when its turn comes.
async fn fewer_places(agents: usize) {
    let hall = Hall::of(2);
    let before = (0..agents).map(|n| hall.agent(n, 1, 1)).collect();
    hall.queue.allow(1);
    hall.call(agents, 0).await;
    all(before).await;
    hall.is_free_again(1);
}

/// One place becomes more, which helps those who wait while the first one
/// stays where it is.
async fn more_places(agents: usize) {
    let hall = Hall::of(1);
    let seat = hall.queue.enter(run(agents)).await;
    hall.inside.fetch_add(1, SeqCst);
    let waiting = (0..agents).map(|n| hall.agent(n, 1, agents)).collect();
    hall.queue.allow(1 + agents as u32);
    all(waiting).await;
    hall.inside.fetch_sub(1, SeqCst);
    drop(seat);
    hall.is_free_again(1 + agents);
}

/// Everything at once: five agents and two places, two of the agents told to
/// stop, one ended, and a place more in the middle of it.
async fn all_of_it() {
    let hall = Hall::of(2);
    let told = hall.queue.events.subscribe(None);
    let mut stops = Vec::new();
    let agent = |n| {
        let (hall, (stop, stopped)) = (hall.clone(), oneshot::channel());
        stops.push(stop);
        spawn(async move {
            hall.call(n, 2).await;
            hall.call_unless(stopped, n, 2).await;
            hall.call(n, 2).await;
        })
    };
    let tasks: Vec<_> = (0..5).map(agent).collect();
    let ends = hall.agent(5, 2, 2);
    let mut stops = stops.into_iter();
    for stop in stops.by_ref().take(2) {
        let _ = stop.send(());
    }
    hall.queue.allow(3);
    ends.abort();
    all(tasks).await;
    let _ = ends.await;
    assert!((13..=17).contains(&hall.came().len()), "{:?}", hall.came());
    hall.is_free_again(3);
    nobody_seems_to_wait(told);
}

#[track_caller]
fn in_every_order<F: Future<Output = ()> + 'static>(story: impl Fn() -> F + Send + Sync + 'static) {
    let scheduler = DfsScheduler::new(Some(MOST), false);
    let orders = Runner::new(scheduler, Config::default()).run(move || block_on(story()));
    assert!((2..MOST).contains(&orders), "{orders} orders were tried");
}

/// Evenly, and such that a few changes of mind at the worst moments are likely.
fn in_many_orders<F: Future<Output = ()> + 'static>(story: fn() -> F) {
    let orders = 4 * ProptestConfig::default().cases as usize;
    shuttle::check_random(move || block_on(story()), orders);
    shuttle::check_pct(move || block_on(story()), orders, CHANGES_OF_MIND);
}

#[test]
fn whoever_comes_first_is_served_first_in_every_order() {
    in_every_order(|| one_place(2, 1));
    in_many_orders(|| one_place(4, 2));
}

#[test]
fn a_wait_that_is_given_up_loses_and_keeps_no_place_at_any_moment() {
    in_every_order(|| one_is_stopped(1));
    in_many_orders(|| one_is_stopped(3));
}

#[test]
fn a_task_that_is_ended_loses_and_keeps_no_place_at_any_moment() {
    in_every_order(|| one_is_ended(0));
    in_many_orders(|| one_is_ended(3));
}

#[test]
fn with_fewer_places_whoever_lines_up_afterwards_goes_by_the_new_number() {
    in_every_order(|| fewer_places(1));
    in_many_orders(|| fewer_places(4));
}

#[test]
fn with_more_places_those_who_wait_go_in_at_once() {
    in_every_order(|| more_places(1));
    in_many_orders(|| more_places(3));
}

// A place that is lost or held too long stops everybody for good, seen in
// can1357/oh-my-pi#3749, zed#47232 and gptme#2892.
#[test]
fn whatever_happens_at_once_nobody_is_passed_and_no_place_is_lost() {
    in_many_orders(all_of_it);
}
