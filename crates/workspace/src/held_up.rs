//! When the disk takes nothing: what a turn has to write waits until there is
//! room, and everybody is told why nothing moves.

use crate::events::Events;
use crate::shared::Shared;
use domain::{Fault, FaultCode, Update};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How long to wait before the database is tried again.
pub(crate) const CANNOT_WRITE: Duration = Duration::from_secs(2);

pub(crate) struct HeldUp {
    why: Mutex<Option<Fault>>,
    events: Events,
    /// How often somebody wanted it tried again at once.
    wanted: watch::Sender<u64>,
    /// The last try in vain.
    in_vain: watch::Sender<Option<InVain>>,
}

#[derive(Clone)]
struct InVain {
    /// What had been wanted when it began.
    wanted: u64,
    fault: Fault,
}

impl HeldUp {
    pub(crate) fn new(events: Events) -> Self {
        let (wanted, in_vain) = (watch::Sender::new(0), watch::Sender::new(None));
        HeldUp { why: Mutex::default(), events, wanted, in_vain }
    }

    /// What keeps turns from going on, if anything does.
    pub(crate) fn why(&self) -> Option<Fault> {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Has whatever waits for the disk tried again at once, and gives what
    /// waits for a try that began after this and was in vain. What a try before
    /// it met says nothing any more.
    pub(crate) fn try_now(&self) -> impl Future<Output = Fault> + use<> {
        let mut in_vain = self.in_vain.subscribe();
        let mut now = 0;
        self.wanted.send_modify(|wanted| {
            *wanted += 1;
            now = *wanted;
        });
        async move {
            let since = |last: &Option<InVain>| last.as_ref().is_some_and(|one| one.wanted >= now);
            match in_vain.wait_for(since).await.map(|last| last.clone()) {
                Ok(Some(InVain { fault, .. })) => fault,
                // Nobody tries any more: the workspace is gone.
                Ok(None) | Err(_) => std::future::pending().await,
            }
        }
    }

    async fn insist<T, Doing>(
        &self,
        leave: &CancellationToken,
        work: &mut impl FnMut() -> Doing,
    ) -> Result<T, Fault>
    where
        Doing: Future<Output = Result<T, Fault>>,
    {
        let mut again = self.wanted.subscribe();
        loop {
            let wanted = *again.borrow_and_update();
            let fault = match work().await {
                Ok(done) => {
                    self.tell(None);
                    return Ok(done);
                }
                Err(fault) if fault.code != FaultCode::Storage => return Err(fault),
                Err(fault) => fault,
            };
            tracing::warn!(%fault, "a turn waits for the disk");
            self.tell(Some(&fault));
            self.in_vain.send_replace(Some(InVain { wanted, fault: fault.clone() }));
            tokio::select! {
                () = leave.cancelled() => return Err(fault),
                _ = again.changed() => {}
                () = tokio::time::sleep(CANNOT_WRITE) => {}
            }
        }
    }

    /// Publishes it where it is news.
    fn tell(&self, now: Option<&Fault>) {
        let mut why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        if why.as_ref() != now {
            *why = now.cloned();
            self.events.publish(vec![Update::HeldUp { why: why.clone() }]);
        }
    }
}

/// Does it, again and again while the disk does not take it. A fault of any
/// other kind is given back, and so is the disk's when it is time to leave.
pub(crate) async fn insist<T, Doing>(
    shared: &Shared,
    leave: &CancellationToken,
    mut work: impl FnMut() -> Doing,
) -> Result<T, Fault>
where
    Doing: Future<Output = Result<T, Fault>>,
{
    let held_up = &shared.held_up;
    held_up.insist(leave, &mut work).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use std::sync::Arc;
    use tokio::sync::Mutex as Turns;
    use tokio::sync::mpsc;

    fn full() -> Fault {
        Fault::new(FaultCode::Storage, "the disk is full", "free some space")
    }

    /// Something that waits for the disk, and what each try of it is to meet.
    fn waiting(held_up: &Arc<HeldUp>) -> (mpsc::Sender<Result<(), Fault>>, mpsc::Receiver<()>) {
        let (meets, met) = mpsc::channel(1);
        let (begins, begun) = mpsc::channel(1);
        let (held_up, met) = (held_up.clone(), Arc::new(Turns::new(met)));
        tokio::spawn(async move {
            let mut work = || {
                let (begins, met) = (begins.clone(), met.clone());
                async move {
                    begins.send(()).await.expect("the test listens");
                    met.lock().await.recv().await.expect("the test says what it meets")
                }
            };
            held_up.insist(&CancellationToken::new(), &mut work).await
        });
        (meets, begun)
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_try_from_before_meets_says_nothing_of_now() {
        let held_up = Arc::new(HeldUp::new(Events::new(1)));
        let (meets, mut begun) = waiting(&held_up);
        begun.recv().await.unwrap();
        let mut hears = Box::pin(held_up.try_now());
        meets.send(Err(full())).await.unwrap();
        // It is tried again at once, not after the pause.
        let before = tokio::time::Instant::now();
        begun.recv().await.unwrap();
        assert_eq!(before.elapsed(), Duration::ZERO);
        assert_eq!(hears.as_mut().now_or_never(), None);
        meets.send(Err(full())).await.unwrap();
        assert_eq!(hears.await, full());
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_for_the_disk_tries_at_once_when_somebody_wants_it() {
        let held_up = Arc::new(HeldUp::new(Events::new(1)));
        let (meets, mut begun) = waiting(&held_up);
        begun.recv().await.unwrap();
        meets.send(Err(full())).await.unwrap();
        while held_up.why().is_none() {
            tokio::task::yield_now().await;
        }
        let before = tokio::time::Instant::now();
        let hears = held_up.try_now();
        begun.recv().await.unwrap();
        assert_eq!(before.elapsed(), Duration::ZERO);
        meets.send(Ok(())).await.unwrap();
        while held_up.why().is_some() {
            tokio::task::yield_now().await;
        }
        assert_eq!(hears.now_or_never(), None);
    }
}
