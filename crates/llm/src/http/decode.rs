//! Bytes to deltas, over any source of bytes: a connection, a recording.

use super::answer::{Heard, Reads};
use super::broken::Broken;
use super::events::{Event, events};
use crate::{Delta, ModelFault};
use futures::poll;
use futures::stream::{self, BoxStream, Stream, StreamExt};
use std::collections::VecDeque;
use std::fmt::Display;
use std::pin::pin;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// After the model's last word only usage is due, and it is not worth waiting for.
const FOR_USAGE: Duration = Duration::from_secs(5);

/// How long an answer may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long it may stand still.
    pub idle: Duration,
    /// From its beginning to its end.
    pub whole: Duration,
}

/// The deltas of one answer, ending in exactly one `Done` or `Failed`.
///
/// How the bytes are split does not matter. The answer fails when for `idle`
/// nothing came that moved it on: a connection that carries only comments, pings
/// and empty pieces is a dead one. It fails as well when it goes on for ever.
pub fn decode<B, E, R>(
    body: impl Stream<Item = Result<B, E>> + Send + 'static,
    reading: R,
    patience: Patience,
) -> impl Stream<Item = Delta> + Send
where
    B: AsRef<[u8]> + Send + 'static,
    E: Display + Send + 'static,
    R: Reads,
{
    let events = events(reading.frames(), body);
    let (ready, over, until) = (VecDeque::new(), false, None);
    let listening = Listening { events, reading, ready, over, patience, until };
    stream::unfold(listening, Listening::next)
}

struct Listening<R> {
    events: BoxStream<'static, Result<Event, Broken>>,
    reading: R,
    ready: VecDeque<Delta>,
    over: bool,
    patience: Patience,
    /// When the whole answer has to be there; known from the first look on.
    until: Option<Instant>,
}

impl<R: Reads> Listening<R> {
    async fn next(mut self) -> Option<(Delta, Self)> {
        while self.ready.is_empty() && !self.over {
            let Patience { idle, whole } = self.patience;
            let idle = if self.reading.finished() { FOR_USAGE.min(idle) } else { idle };
            let until = *self.until.get_or_insert_with(|| Instant::now() + whole);
            let mut limit = until;
            let late = {
                let mut progress = pin!(self.progress());
                // What is there already needs no clock.
                poll!(progress.as_mut()).is_pending() && {
                    limit = until.min(Instant::now() + idle);
                    timeout_at(limit, progress).await.is_err()
                }
            };
            if late {
                let why =
                    if limit == until { Broken::Endless(whole) } else { Broken::Silent(idle) };
                self.close(Some(why));
            }
        }
        let delta = self.ready.pop_front()?;
        Some((delta, self))
    }

    /// Comes back when an event moved the answer on or ended it. One that brings
    /// nothing moves nothing, whatever it looks like.
    async fn progress(&mut self) {
        loop {
            let event = match self.events.next().await {
                Some(Ok(event)) => event,
                Some(Err(broken)) => return self.close(Some(broken)),
                None => return self.close(None),
            };
            let had_finished = self.reading.finished();
            match self.reading.hear(&event, &mut self.ready) {
                Ok(Heard::Nothing | Heard::Progress) => {
                    let finishes = self.reading.finished() && !had_finished;
                    if finishes || !self.ready.is_empty() {
                        return;
                    }
                }
                Ok(Heard::End) => return self.close(None),
                Err(_) if self.reading.finished() => return self.close(None),
                Err(fault) => return self.fail(fault),
            }
        }
    }

    fn close(&mut self, why: Option<Broken>) {
        self.reading.end(why, &mut self.ready);
        self.hang_up();
    }

    fn fail(&mut self, fault: ModelFault) {
        self.ready.push_back(self.reading.failed(fault));
        self.hang_up();
    }

    /// Lets go of the connection at once, not when the last delta is taken.
    fn hang_up(&mut self) {
        self.over = true;
        self.events = stream::empty().boxed();
    }
}
