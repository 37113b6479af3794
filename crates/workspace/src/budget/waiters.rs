//! Who waits until calls in progress give back what they hold of a budget:
//! first come, first served.
//!
//! A call that fits beside what is spent, but not beside what others were
//! promised, is not refused, for most of a promise comes back. Who waits holds
//! neither a place in front of the models nor a promise, so that everybody it
//! waits for can come to an end. While somebody waits for a budget, nobody who
//! comes later takes of it, however little: a large call is not starved by
//! small ones. Who waits for another budget is not in its way.

use crate::events::Events;
use domain::{BudgetScope, RunId, Update, Waiting};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::table::spend::Account;
use tokio::sync::Notify;

#[derive(Clone)]
pub(crate) struct Waiters {
    line: Arc<Mutex<Line>>,
    events: Events,
}

#[derive(Default)]
struct Line {
    /// The next one's.
    number: u64,
    waiters: BTreeMap<u64, Waiter>,
}

struct Waiter {
    run: RunId,
    at: At,
    /// What it waits for; nothing before it was first told to wait.
    held: Vec<Held>,
    /// The position that was published last; 0 where there is none.
    told: u32,
    look: Arc<Notify>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// On its way to a promise: it looks for itself.
    Tries,
    /// Until there is news for it.
    Waits {
        /// It has seen all that came back.
        looked: bool,
    },
}

/// A budget that has no room for a call yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Held {
    pub account: Account,
    pub scope: BudgetScope,
}

impl Held {
    fn key(&self) -> (&str, i64) {
        (&self.account.scope, self.account.day)
    }
}

/// A call's place in the line, from before it first asks for a promise until it
/// has one; it leaves the line when it is dropped.
pub(crate) struct Ticket {
    waiters: Waiters,
    number: u64,
}

/// Prices and souls change what a call needs, and nobody tells: so everybody
/// looks again now and then.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Up to here every change of a position is published, behind it one of a
/// tenth or more.
const EXACT: u32 = 20;

impl Waiters {
    pub(crate) fn new(events: Events) -> Self {
        Waiters { line: Arc::default(), events }
    }

    /// A place behind everybody who asked before. It keeps nobody from
    /// anything until it has to wait.
    pub(crate) fn line_up(&self, run: RunId) -> Ticket {
        let mut line = self.line();
        let number = line.number;
        line.number += 1;
        let waiter = Waiter { run, at: At::Tries, held: Vec::new(), told: 0, look: Arc::default() };
        line.waiters.insert(number, waiter);
        Ticket { waiters: self.clone(), number }
    }

    /// Whether somebody before this one waits for the budget.
    pub(super) fn is_before(&self, number: u64, account: &Account) -> bool {
        let line = self.line();
        let mut before = line.waiters.range(..number);
        before.any(|(_, waiter)| waiter.held.iter().any(|held| held.account == *account))
    }

    /// The call has to wait for these budgets; `looked` says that it has seen
    /// all that came back of them. To be said in the transaction that looked,
    /// so that what comes back after it is not missed.
    pub(super) fn wait(&self, number: u64, held: Vec<Held>, looked: bool) {
        let mut line = self.line();
        // It may have left while the transaction waited for its turn.
        let Some(waiter) = line.waiters.get_mut(&number) else { return };
        (waiter.at, waiter.held, waiter.told) = (At::Waits { looked }, held, 0);
        self.move_up(&mut line, None);
    }

    /// Something came back, or more may be spent than before.
    pub(crate) fn look_again(&self) {
        let mut line = self.line();
        if line.waiters.is_empty() {
            return;
        }
        for waiter in line.waiters.values_mut() {
            if waiter.at != At::Tries {
                waiter.at = At::Waits { looked: false };
            }
        }
        self.move_up(&mut line, None);
    }

    fn leave(&self, number: u64) {
        let mut line = self.line();
        let gone = line.waiters.remove(&number);
        if let Some(gone) = gone.filter(|gone| !gone.held.is_empty()) {
            self.move_up(&mut line, Some(gone));
        }
    }

    /// Has the first for each budget look, if there is something new to see,
    /// and says who stands where.
    fn move_up(&self, line: &mut Line, gone: Option<Waiter>) {
        let mut news = Vec::new();
        if let Some(gone) = gone.filter(|gone| gone.told > 0) {
            news.push(waiting(gone.run, 0, None));
        }
        let mut before: HashMap<(&str, i64), u32> = HashMap::new();
        for waiter in line.waiters.values_mut() {
            let Waiter { run, at, held, told, look } = waiter;
            let ahead = held.iter().filter_map(|held| before.get(&held.key())).max();
            let position = ahead.map_or(1, |ahead| ahead.saturating_add(1));
            if position == 1 && *at == (At::Waits { looked: false }) {
                *at = At::Tries;
                look.notify_one();
            }
            if *at != At::Tries && is_news(*told, position) {
                *told = position;
                news.push(waiting(*run, position, held.first().map(|held| held.scope)));
            }
            for held in held.iter() {
                let ahead = before.entry(held.key()).or_default();
                *ahead = position.max(*ahead);
            }
        }
        if !news.is_empty() {
            // Still holding the line, so that nobody overtakes the news.
            self.events.publish(news);
        }
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ticket {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns when it is worth asking for a promise again.
    pub(crate) async fn turn(&self) {
        let look = self.waiters.line().waiters.get(&self.number).map(|own| own.look.clone());
        let Some(look) = look else { return };
        tokio::select! {
            () = look.notified() => {}
            () = tokio::time::sleep(LOOK_AGAIN) => {}
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.waiters.leave(self.number);
    }
}

fn is_news(told: u32, position: u32) -> bool {
    let moved = told.saturating_sub(position);
    told == 0 || moved > 0 && (position <= EXACT || moved >= told / 10)
}

fn waiting(run: RunId, position: u32, budget: Option<BudgetScope>) -> Update {
    Update::Waiting { waiting: Waiting { run, position, budget } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::FromOwner;
    use futures::future::join_all;
    use futures::{FutureExt, StreamExt};
    use proptest::prelude::*;
    use std::pin::pin;
    use uuid::Uuid;

    fn run(n: usize) -> RunId {
        RunId(Uuid::from_u128(n as u128))
    }

    fn held(name: &str) -> Held {
        Held { account: account(name), scope: BudgetScope::Day }
    }

    fn account(name: &str) -> Account {
        Account { scope: name.to_owned(), day: 0 }
    }

    /// `(RUN, POSITION)` for each event so far.
    fn told(events: &mut (impl futures::Stream<Item = FromOwner> + Unpin)) -> Vec<(u128, u32)> {
        let mut told = Vec::new();
        while let Some(Some(FromOwner::Event(event))) = events.next().now_or_never() {
            if let Update::Waiting { waiting } = event.update {
                told.push((waiting.run.0.as_u128(), waiting.position));
            }
        }
        told
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_for_each_budget_looks_when_something_came_back() {
        let waiters = Waiters::new(Events::new(1));
        let mut events = Box::pin(waiters.events.subscribe(None));
        let tickets: Vec<Ticket> = (1..=4).map(|n| waiters.line_up(run(n))).collect();
        let [tea, more_tea, cake, both] = &tickets[..] else { panic!("four") };
        assert!(!waiters.is_before(4, &account("tea")), "nobody waits yet");
        waiters.wait(tea.number(), vec![held("tea")], true);
        waiters.wait(more_tea.number(), vec![held("tea")], false);
        waiters.wait(cake.number(), vec![held("cake")], true);
        waiters.wait(both.number(), vec![held("tea"), held("cake")], false);
        assert_eq!(told(&mut events), [(1, 1), (2, 2), (3, 1), (4, 3)]);
        assert!(waiters.is_before(more_tea.number(), &account("tea")));
        assert!(!waiters.is_before(tea.number(), &account("tea")));
        assert!(!waiters.is_before(more_tea.number(), &account("cake")));
        let [mut one, mut two, mut three, mut four] =
            [tea, more_tea, cake, both].map(|ticket| Box::pin(ticket.turn()));
        for turn in [&mut one, &mut two, &mut three, &mut four] {
            assert!(futures::poll!(turn).is_pending());
        }
        waiters.look_again();
        assert!(futures::poll!(&mut one).is_ready() && futures::poll!(&mut three).is_ready());
        assert!(futures::poll!(&mut two).is_pending() && futures::poll!(&mut four).is_pending());

        // It was not enough, and nobody else gets a look for that.
        waiters.wait(tea.number(), vec![held("tea")], true);
        assert!(futures::poll!(&mut two).is_pending());
        drop((one, two, three, four));
        let [tea, more_tea, cake, both] = <[Ticket; 4]>::try_from(tickets).ok().unwrap();
        drop(told(&mut events));
        drop(tea);
        assert_eq!(told(&mut events), [(1, 0), (4, 2)]);
        drop((more_tea, cake, both));
        // The last one is on its way by then.
        assert_eq!(told(&mut events), [(2, 0), (3, 0), (4, 0)]);
        assert!(waiters.line().waiters.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn who_has_left_is_in_nobodys_way() {
        let waiters = Waiters::new(Events::new(1));
        let (gone, next) = (waiters.line_up(run(1)), waiters.line_up(run(2)));
        let number = gone.number();
        drop(gone);
        // Its transaction comes to its turn only now.
        waiters.wait(number, vec![held("tea")], true);
        assert!(!waiters.is_before(next.number(), &account("tea")));
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_nobody_tells_looks_now_and_then() {
        let waiters = Waiters::new(Events::new(1));
        let ticket = waiters.line_up(run(1));
        waiters.wait(ticket.number(), vec![held("tea")], true);
        let mut turn = pin!(ticket.turn());
        assert!(futures::poll!(&mut turn).is_pending());
        tokio::time::advance(LOOK_AGAIN).await;
        turn.await;
    }

    /// A budget, and everybody who takes of it: as the database keeps it.
    struct Till {
        waiters: Waiters,
        left: Mutex<HashMap<&'static str, u32>>,
        served: Mutex<Vec<usize>>,
    }

    impl Till {
        async fn take(&self, n: usize, of: &[&'static str], amount: u32) {
            let ticket = self.waiters.line_up(run(n));
            while !self.try_to(&ticket, of, amount) {
                ticket.turn().await;
            }
            self.served.lock().unwrap().push(n);
        }

        fn try_to(&self, ticket: &Ticket, of: &[&'static str], amount: u32) -> bool {
            let mut left = self.left.lock().unwrap();
            let is_short = |name: &&&str| left[**name] < amount;
            let is_late = |name: &&&str| self.waiters.is_before(ticket.number(), &account(name));
            let waits: Vec<_> = of
                .iter()
                .filter(|name| is_short(name) || is_late(name))
                .map(|name| held(name))
                .collect();
            if !waits.is_empty() {
                let is_crowded = of.iter().any(|name| is_short(&name));
                self.waiters.wait(ticket.number(), waits, is_crowded);
                return false;
            }
            of.iter().for_each(|name| *left.get_mut(name).unwrap() -= amount);
            true
        }

        fn give_back(&self, of: &[&'static str], amount: u32) {
            let mut left = self.left.lock().unwrap();
            of.iter().for_each(|name| *left.get_mut(name).unwrap() += amount);
            drop(left);
            self.waiters.look_again();
        }
    }

    proptest! {
        #[test]
        fn everybody_is_served_in_order_and_nobody_has_to_look_at_the_clock(
            calls in prop::collection::vec((0..3_usize, 1..=10_u32, 0..4_u8, any::<bool>()), 1..30),
        ) {
            const OF: [&[&str]; 3] = [&["tea"], &["cake"], &["tea", "cake"]];
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_time().start_paused(true).build().unwrap();
            runtime.block_on(async {
                let begun = tokio::time::Instant::now();
                let till = Till {
                    waiters: Waiters::new(Events::new(1)),
                    left: Mutex::new(HashMap::from([("tea", 10), ("cake", 10)])),
                    served: Mutex::default(),
                };
                let till = &till;
                let all = calls.iter().enumerate().map(|(n, (of, amount, steps, gives_up))| async move {
                    let of = OF[*of];
                    let taking = till.take(n, of, *amount);
                    if *gives_up {
                        tokio::select! {
                            biased;
                            () = taking => {}
                            () = tokio::task::yield_now() => return,
                        }
                    } else {
                        taking.await;
                    }
                    for _ in 0..*steps {
                        tokio::task::yield_now().await;
                    }
                    till.give_back(of, *amount);
                });
                join_all(all).await;
                assert_eq!(begun.elapsed(), Duration::ZERO, "somebody was forgotten");
                assert_eq!(*till.left.lock().unwrap(), HashMap::from([("tea", 10), ("cake", 10)]));
                assert!(till.waiters.line().waiters.is_empty());
                // Of those who want the same, nobody is overtaken.
                let served = till.served.lock().unwrap();
                for of in 0..OF.len() {
                    let alike: Vec<_> = served.iter().filter(|n| calls[**n].0 == of).collect();
                    assert!(alike.is_sorted(), "{served:?}");
                }
            });
        }
    }
}
