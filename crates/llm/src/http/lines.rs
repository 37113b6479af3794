//! Bytes to lines, each a JSON document of its own.

use super::broken::Broken;
use super::events::{Chunks, Event, MOST_PER_EVENT};
use futures::stream::{self, BoxStream, StreamExt};
use std::collections::VecDeque;

/// The lines of a body; blank ones mean nothing. What stands after the last
/// line break is the last line, whole or broken off.
pub(super) fn of(chunks: Chunks) -> BoxStream<'static, Result<Event, Broken>> {
    let cutting = Cutting { chunks, line: Vec::new(), ready: VecDeque::new(), over: false };
    stream::unfold(cutting, Cutting::next).boxed()
}

struct Cutting {
    chunks: Chunks,
    /// The line that is still coming.
    line: Vec<u8>,
    ready: VecDeque<Result<Event, Broken>>,
    over: bool,
}

impl Cutting {
    async fn next(mut self) -> Option<(Result<Event, Broken>, Self)> {
        while self.ready.is_empty() && !self.over {
            match self.chunks.next().await {
                Some(Ok(chunk)) => self.cut(&chunk),
                Some(Err(broken)) => self.fail(broken),
                None => self.end(),
            }
        }
        let event = self.ready.pop_front()?;
        Some((event, self))
    }

    fn cut(&mut self, chunk: &[u8]) {
        let mut pieces = chunk.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            if self.line.len() + piece.len() > MOST_PER_EVENT {
                return self.fail(Broken::TooBig(MOST_PER_EVENT));
            }
            self.line.extend_from_slice(piece);
            if pieces.peek().is_some() {
                let line = std::mem::take(&mut self.line);
                match String::from_utf8(line) {
                    Ok(line) if line.trim().is_empty() => {}
                    Ok(line) => self.ready.push_back(Ok(Event::Data(line))),
                    Err(_) => return self.fail(not_text()),
                }
            }
        }
    }

    fn end(&mut self) {
        self.over = true;
        match String::from_utf8(std::mem::take(&mut self.line)) {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => self.ready.push_back(Ok(Event::Last(line))),
            Err(error) if error.utf8_error().error_len().is_none() => {
                self.ready.push_back(Err(Broken::Ended));
            }
            Err(_) => self.ready.push_back(Err(not_text())),
        }
    }

    fn fail(&mut self, broken: Broken) {
        self.over = true;
        self.ready.push_back(Err(broken));
    }
}

fn not_text() -> Broken {
    Broken::Garbled("its text is not UTF-8".into())
}
