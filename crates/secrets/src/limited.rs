//! Calls that may hang, each on a thread of its own, waited for only so long.

use crate::Error;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicU8, AtomicUsize};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// So many threads may hang at once; past that nobody is asked any more until
/// one comes back.
const MOST_HANGING: usize = 4;

const WAITED_FOR: u8 = 0;
const GIVEN_UP: u8 = 1;
const DONE: u8 = 2;

#[derive(Clone)]
pub(crate) struct Limited {
    limit: Duration,
    hanging: Arc<AtomicUsize>,
}

/// Whether somebody still waits for the call that it is handed to.
pub(crate) struct Wanted {
    state: AtomicU8,
    hanging: Arc<AtomicUsize>,
}

impl Wanted {
    /// A call of several parts asks before each of them.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.state.load(SeqCst) == WAITED_FOR {
            return Ok(());
        }
        Err(Error::Interrupted { why: "nobody waits for it any more".into() })
    }

    /// False when the call came to its end after all.
    fn give_up(&self) -> bool {
        self.hanging.fetch_add(1, SeqCst);
        let given_up = self.state.compare_exchange(WAITED_FOR, GIVEN_UP, SeqCst, SeqCst).is_ok();
        if !given_up {
            self.hanging.fetch_sub(1, SeqCst);
        }
        given_up
    }
}

/// Marks the end of a call, also when it panics.
struct Running(Arc<Wanted>);

impl Drop for Running {
    fn drop(&mut self) {
        if self.0.state.swap(DONE, SeqCst) == GIVEN_UP {
            self.0.hanging.fetch_sub(1, SeqCst);
        }
    }
}

impl Limited {
    pub(crate) fn new(limit: Duration) -> Self {
        Limited { limit, hanging: Arc::default() }
    }

    /// What the call gives, or that it took too long. A result that comes
    /// later is dropped on the thread it came on.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Wanted) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let timed_out = || Error::TimedOut { seconds: self.limit.as_secs() };
        if self.hanging.load(SeqCst) >= MOST_HANGING {
            return Err(timed_out());
        }
        let (tell, told) = mpsc::sync_channel(1);
        let hanging = self.hanging.clone();
        let wanted = Arc::new(Wanted { state: AtomicU8::new(WAITED_FOR), hanging });
        let running = Running(wanted.clone());
        let on_thread = move || {
            let result = call(&running.0);
            drop(running);
            // A late result has nobody to go to.
            let _ = tell.send(result);
        };
        thread::Builder::new()
            .name("keyring".into())
            .spawn(on_thread)
            .map_err(|error| Error::Keyring { why: format!("start a thread: {error}") })?;
        let broke_off = || Error::Keyring { why: "the call to it broke off".into() };
        match told.recv_timeout(self.limit) {
            Ok(result) => result,
            Err(RecvTimeoutError::Timeout) if wanted.give_up() => Err(timed_out()),
            Err(RecvTimeoutError::Timeout) => told.recv().unwrap_or_else(|_| Err(broke_off())),
            Err(RecvTimeoutError::Disconnected) => Err(broke_off()),
        }
    }

    /// Whether no call is out that nobody waits for.
    pub(crate) fn is_quiet(&self) -> bool {
        self.hanging.load(SeqCst) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(5);

    #[test]
    fn a_call_that_hangs_is_given_up_and_its_late_result_is_dropped() {
        let limited = Limited::new(SHORT);
        let (release, released) = mpsc::channel::<()>();
        let (say, said) = mpsc::channel();
        struct Late(mpsc::Sender<&'static str>);
        impl Drop for Late {
            fn drop(&mut self) {
                self.0.send("dropped").unwrap();
            }
        }

        let result = limited.run(move |wanted| {
            released.recv().unwrap();
            assert!(wanted.check().is_err());
            Ok(Late(say))
        });

        assert!(matches!(result.map(|_| ()), Err(Error::TimedOut { seconds: 0 })));
        assert!(!limited.is_quiet());
        release.send(()).unwrap();
        assert_eq!(said.recv().unwrap(), "dropped");
        assert!(limited.is_quiet());
    }

    #[test]
    fn nobody_is_asked_any_more_when_too_many_calls_hang() {
        let limited = Limited::new(SHORT);
        let releases: Vec<mpsc::Sender<()>> = (0..MOST_HANGING)
            .map(|_| {
                let (release, released) = mpsc::channel::<()>();
                let hung = limited.run(move |_| Ok(released.recv()));
                assert!(matches!(hung, Err(Error::TimedOut { .. })));
                release
            })
            .collect();

        let refused = limited.run(|_| -> Result<(), Error> { panic!("this one is not begun") });

        assert!(matches!(refused, Err(Error::TimedOut { .. })));
        drop(releases);
    }

    #[test]
    fn a_call_that_panics_is_an_error_and_frees_its_place() {
        let limited = Limited::new(Duration::from_secs(60));
        let broken = limited.run(|_| -> Result<(), Error> { panic!("on purpose") });
        assert!(matches!(broken, Err(Error::Keyring { .. })));
        assert!(limited.is_quiet());
    }
}
