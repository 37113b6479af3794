//! The line in front of the models: so many calls at a time, first come first
//! served.
//!
//! A place is for one call. Who has had a turn and wants another lines up
//! behind everybody who waits, so that nobody starves. Where a run stands is
//! published whenever that changes; far back, whenever it changes much, so
//! that a long line costs little.

use crate::events::Events;
use domain::{RunId, Update, Waiting};
use std::collections::VecDeque;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// Behind the lock of the standard library; `every_order` puts another in its
/// place, which tries out who comes to it before whom.
pub(crate) struct Queue<L: Lock = Mutex<Line>> {
    line: Arc<L>,
    events: Events,
}

pub(crate) struct Line {
    most: usize,
    going_on: usize,
    /// The next ticket's.
    number: u64,
    waiting: VecDeque<Ticket>,
}

struct Ticket {
    number: u64,
    run: RunId,
    /// The position that was published last; 0 before the first time.
    told: usize,
    admit: oneshot::Sender<()>,
}

/// Lets the next one in when it is dropped, or leaves the line.
pub(crate) struct Place<L: Lock = Mutex<Line>> {
    queue: Queue<L>,
    number: u64,
}

/// Lets one at a time look at the line and change it.
pub(crate) trait Lock: Send + Sync {
    fn around(line: Line) -> Self;
    fn hold(&self) -> impl DerefMut<Target = Line>;
}

impl Lock for Mutex<Line> {
    fn around(line: Line) -> Self {
        Mutex::new(line)
    }

    fn hold(&self) -> impl DerefMut<Target = Line> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Up to here every change of a position is published, behind it one of a
/// tenth or more.
const EXACT: usize = 20;

impl<L: Lock> Clone for Queue<L> {
    fn clone(&self) -> Self {
        Queue { line: self.line.clone(), events: self.events.clone() }
    }
}

impl<L: Lock> Queue<L> {
    pub(crate) fn new(most: u32, events: Events) -> Self {
        let line = Line { most: size(most), going_on: 0, number: 0, waiting: VecDeque::new() };
        Queue { line: Arc::new(L::around(line)), events }
    }

    /// How many may go on at the same time from now on. Who goes on already is
    /// not stopped.
    pub(crate) fn allow(&self, most: u32) {
        let mut line = self.line.hold();
        line.most = size(most);
        self.move_up(&mut line, Vec::new());
    }

    /// Returns when it is the run's turn. Dropping the future leaves the line.
    pub(crate) async fn enter(&self, run: RunId) -> Place<L> {
        let (place, admitted) = self.line_up(run);
        if let Some(admitted) = admitted {
            // The other end is kept in the line for as long as the place is.
            let _ = admitted.await;
        }
        place
    }

    fn line_up(&self, run: RunId) -> (Place<L>, Option<oneshot::Receiver<()>>) {
        let mut line = self.line.hold();
        let number = line.number;
        line.number += 1;
        let place = Place { queue: self.clone(), number };
        if line.going_on < line.most && line.waiting.is_empty() {
            line.going_on += 1;
            return (place, None);
        }
        let (admit, admitted) = oneshot::channel();
        line.waiting.push_back(Ticket { number, run, told: 0, admit });
        self.move_up(&mut line, Vec::new());
        (place, Some(admitted))
    }

    fn leave(&self, number: u64) {
        let mut line = self.line.hold();
        let mut gone = Vec::new();
        match line.waiting.binary_search_by_key(&number, |ticket| ticket.number) {
            Ok(at) => gone.extend(line.waiting.remove(at)),
            Err(_) => line.going_on -= 1,
        }
        self.move_up(&mut line, gone);
    }

    /// Lets in whom there is room for, and says who stands where. `gone` have
    /// left without having been let in.
    fn move_up(&self, line: &mut Line, gone: Vec<Ticket>) {
        let mut news: Vec<Update> = gone.iter().map(|ticket| waiting(ticket.run, 0)).collect();
        while line.going_on < line.most
            && let Some(next) = line.waiting.pop_front()
        {
            line.going_on += 1;
            if next.told > 0 {
                news.push(waiting(next.run, 0));
            }
            // One that has just been dropped gives its place back itself.
            let _ = next.admit.send(());
        }
        for (ticket, position) in line.waiting.iter_mut().zip(1..) {
            if is_news(ticket.told, position) {
                ticket.told = position;
                news.push(waiting(ticket.run, position));
            }
        }
        if !news.is_empty() {
            // Still holding the line, so that nobody overtakes the news.
            self.events.publish(news);
        }
    }
}

impl<L: Lock> Drop for Place<L> {
    fn drop(&mut self) {
        self.queue.leave(self.number);
    }
}

fn is_news(told: usize, position: usize) -> bool {
    let moved = told.saturating_sub(position);
    told == 0 || moved > 0 && (position <= EXACT || moved >= told / 10)
}

fn waiting(run: RunId, position: usize) -> Update {
    let position = u32::try_from(position).unwrap_or(u32::MAX);
    Update::Waiting { waiting: Waiting { run, position, budget: None } }
}

fn size(most: u32) -> usize {
    usize::try_from(most).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod every_order;

#[cfg(test)]
mod tests {
    use super::*;
    use domain::FromOwner;
    use futures::future::{BoxFuture, join_all};
    use futures::{FutureExt, StreamExt};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use uuid::Uuid;

    fn run(n: usize) -> RunId {
        RunId(Uuid::from_u128(n as u128))
    }

    fn queue(most: u32) -> Queue {
        Queue::new(most, Events::new(1))
    }

    /// `RUN at POSITION` for each event so far.
    fn told(events: &mut (impl futures::Stream<Item = FromOwner> + Unpin)) -> Vec<(u128, u32)> {
        let mut told = Vec::new();
        while let Some(Some(FromOwner::Event(event))) = events.next().now_or_never() {
            if let Update::Waiting { waiting } = event.update {
                told.push((waiting.run.0.as_u128(), waiting.position));
            }
        }
        told
    }

    #[tokio::test]
    async fn a_position_is_told_when_it_changes_and_0_when_the_wait_is_over() {
        let queue = queue(1);
        let mut events = Box::pin(queue.events.subscribe(None));
        let first = queue.enter(run(1)).await;
        let (mut second, mut third) = (queue.enter(run(2)).boxed(), queue.enter(run(3)).boxed());
        assert!(
            futures::poll!(&mut second).is_pending() && futures::poll!(&mut third).is_pending()
        );
        assert_eq!(told(&mut events), [(2, 1), (3, 2)], "who need not wait is not mentioned");
        drop(first);
        let second = second.await;
        assert_eq!(told(&mut events), [(2, 0), (3, 1)]);
        drop(second);
        let _third = third.await;
        assert_eq!(told(&mut events), [(3, 0)]);
    }

    #[tokio::test]
    async fn who_gives_up_leaves_the_line_at_once() {
        let queue = queue(1);
        let mut events = Box::pin(queue.events.subscribe(None));
        let first = queue.enter(run(1)).await;
        let (mut second, mut third) = (queue.enter(run(2)).boxed(), queue.enter(run(3)).boxed());
        assert!(
            futures::poll!(&mut second).is_pending() && futures::poll!(&mut third).is_pending()
        );
        drop(second);
        assert_eq!(told(&mut events), [(2, 1), (3, 2), (2, 0), (3, 1)]);
        drop(first);
        // Let in, but gone before it looked: the place is free all the same.
        drop(third);
        assert!(queue.enter(run(4)).now_or_never().is_some());
    }

    #[tokio::test]
    async fn more_or_fewer_at_a_time_holds_from_now_on() {
        let queue = queue(1);
        let mut all: Vec<BoxFuture<'_, Place>> =
            (1..=4).map(|n| queue.enter(run(n)).boxed()).collect();
        let mut inside = Vec::new();
        let mut admitted = async |inside: &mut Vec<Place>| {
            let mut still = Vec::new();
            for mut one in std::mem::take(&mut all) {
                match futures::poll!(&mut one) {
                    std::task::Poll::Ready(place) => inside.push(place),
                    std::task::Poll::Pending => still.push(one),
                }
            }
            all = still;
            inside.len()
        };
        assert_eq!(admitted(&mut inside).await, 1);
        queue.allow(3);
        assert_eq!(admitted(&mut inside).await, 3);
        queue.allow(2);
        inside.pop();
        assert_eq!(admitted(&mut inside).await, 2, "two go on, which is as many as may");
        inside.pop();
        assert_eq!(admitted(&mut inside).await, 2);
    }

    #[tokio::test]
    async fn far_back_only_much_of_a_move_is_told() {
        let queue = queue(1);
        let mut events = Box::pin(queue.events.subscribe(None));
        let mut inside = Some(queue.enter(run(0)).await);
        let mut all: VecDeque<_> = (1..=200).map(|n| queue.enter(run(n)).boxed()).collect();
        for one in &mut all {
            assert!(futures::poll!(one).is_pending());
        }
        while let Some(next) = all.pop_front() {
            drop(inside.take());
            inside = Some(next.await);
        }
        let last: Vec<u32> =
            told(&mut events).into_iter().filter(|(n, _)| *n == 200).map(|(_, at)| at).collect();
        assert_eq!(last[..3], [200, 180, 162]);
        assert_eq!(last[last.len() - 4..], [3, 2, 1, 0]);
        assert!(last.len() < 60, "{last:?}");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn under_load_nobody_is_overtaken_and_no_place_is_lost() {
        let queue = queue(4);
        let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let agents = (0..40).map(|n| {
            let (queue, inside, most) = (queue.clone(), inside.clone(), most.clone());
            tokio::spawn(async move {
                for round in 0..50 {
                    let entering = queue.enter(run(n));
                    let gives_up = (n + round) % 7 == 0;
                    let place = tokio::select! {
                        biased;
                        place = entering => place,
                        () = tokio::task::yield_now(), if gives_up => continue,
                    };
                    let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    inside.fetch_sub(1, Ordering::SeqCst);
                    drop(place);
                }
            })
        });
        for ended in join_all(agents).await {
            ended.unwrap();
        }
        assert!(most.load(Ordering::SeqCst) <= 4);
        let line = queue.line.hold();
        assert_eq!((line.going_on, line.waiting.len()), (0, 0));
    }

    #[tokio::test]
    async fn forty_agents_are_each_served_within_two_rounds() {
        const AGENTS: usize = 40;
        const ROUNDS: usize = 5;
        let queue = queue(4);
        let served = Arc::new(Mutex::new(Vec::new()));
        let agents = (0..AGENTS).map(|n| {
            let (queue, served) = (queue.clone(), served.clone());
            async move {
                for _ in 0..ROUNDS {
                    let place = queue.enter(run(n)).await;
                    served.lock().unwrap().push(n);
                    // Some take long, and nobody suffers for it.
                    for _ in 0..=n % 5 {
                        tokio::task::yield_now().await;
                    }
                    drop(place);
                }
            }
        });
        join_all(agents).await;
        let served = served.lock().unwrap();
        assert_eq!(served.len(), AGENTS * ROUNDS);
        for n in 0..AGENTS {
            let turns: Vec<usize> = (0..served.len()).filter(|at| served[*at] == n).collect();
            assert!(turns[0] < AGENTS, "agent {n} waited {} turns for its first", turns[0]);
            let longest = turns.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
            assert!(longest <= 2 * AGENTS, "agent {n} waited {longest} turns");
        }
    }
}
