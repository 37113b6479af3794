//! Bytes to deltas, over any source of bytes: a connection, a recording.

use super::broken::Broken;
use super::events::{Event, events};
use super::reading::{Heard, Reading};
use crate::Delta;
use futures::stream::{self, BoxStream, Stream, StreamExt};
use std::collections::VecDeque;
use std::fmt::Display;
use std::time::Duration;
use tokio::time::timeout;

/// After the model's last word only usage is due, and it is not worth waiting for.
const FOR_USAGE: Duration = Duration::from_secs(5);

/// The deltas of one answer, ending in exactly one `Done` or `Failed`.
///
/// How the bytes are split does not matter. The answer fails when for `idle`
/// nothing came that moved it on: a connection that carries only comments and
/// pings is a dead one.
pub fn decode<B, E>(
    body: impl Stream<Item = Result<B, E>> + Send + 'static,
    reading: Reading,
    idle: Duration,
) -> impl Stream<Item = Delta> + Send
where
    B: AsRef<[u8]> + Send,
    E: Display + Send,
{
    let listening =
        Listening { events: events(body), reading, ready: VecDeque::new(), over: false, idle };
    stream::unfold(listening, Listening::next)
}

struct Listening {
    events: BoxStream<'static, Result<Event, Broken>>,
    reading: Reading,
    ready: VecDeque<Delta>,
    over: bool,
    idle: Duration,
}

impl Listening {
    async fn next(mut self) -> Option<(Delta, Self)> {
        while self.ready.is_empty() && !self.over {
            let patience =
                if self.reading.finished() { FOR_USAGE.min(self.idle) } else { self.idle };
            if timeout(patience, self.progress()).await.is_err() {
                self.close(Some(Broken::Silent(patience)));
            }
        }
        let delta = self.ready.pop_front()?;
        Some((delta, self))
    }

    /// Comes back when an event moved the answer on or ended it.
    async fn progress(&mut self) {
        loop {
            let event = match self.events.next().await {
                Some(Ok(event)) => event,
                Some(Err(broken)) => return self.close(Some(broken)),
                None => return self.close(None),
            };
            match self.reading.hear(&event, &mut self.ready) {
                Ok(Heard::Nothing) => {}
                Ok(Heard::Progress) => return,
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

    fn fail(&mut self, fault: crate::ModelFault) {
        self.ready.push_back(self.reading.failed(fault));
        self.hang_up();
    }

    /// Lets go of the connection at once, not when the last delta is taken.
    fn hang_up(&mut self) {
        self.over = true;
        self.events = stream::empty().boxed();
    }
}
