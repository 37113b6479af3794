//! Lines of JSON over a stream of bytes: one value a line, of a limited
//! length.
//!
//! What cannot be read is reported and skipped; the next line is read as if
//! nothing had happened. A line without its end is nobody's: whoever wrote it
//! died in the middle.

use serde::Serialize;
use std::io;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Bytes in one line, its end included.
pub(crate) const LINE_LIMIT: usize = 16 * 1024 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// A value as a line, or nothing if it would be too long.
pub(crate) fn encode(value: &impl Serialize) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(value).expect("the words of the door have string keys only");
    line.push(b'\n');
    (line.len() <= LINE_LIMIT).then_some(line)
}

pub(crate) struct Lines<R> {
    from: BufReader<R>,
    limit: usize,
    begun: Vec<u8>,
    /// The line that has begun is too long already.
    skipping: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(from: R) -> Self {
        Lines::with_limit(from, LINE_LIMIT)
    }

    fn with_limit(from: R, limit: usize) -> Self {
        Lines { from: BufReader::new(from), limit, begun: Vec::new(), skipping: false }
    }

    /// The next line without its end; nothing at the end of the stream.
    ///
    /// Cancel safe: what was read so far is kept for the next call.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let piece = self.from.fill_buf().await?;
            if piece.is_empty() {
                return Ok(None);
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let text = &piece[..end.unwrap_or(piece.len())];
            if self.begun.len() + text.len() >= self.limit {
                self.skipping = true;
                self.begun = Vec::new();
            }
            if !self.skipping {
                self.begun.extend_from_slice(text);
            }
            let used = text.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() {
                let line = std::mem::take(&mut self.begun);
                let too_long = std::mem::take(&mut self.skipping);
                return Ok(Some(if too_long { Line::TooLong } else { Line::Whole(line) }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    async fn lines(bytes: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::with_limit(bytes, limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        all
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_end_with_a_newline_and_a_rest_is_dropped() {
        assert_eq!(lines(b"one\n\ntwo\nthr", 100).await, [whole("one"), whole(""), whole("two")]);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_and_the_next_one_is_read() {
        assert_eq!(
            lines(b"1234\n12345\n123\n", 5).await,
            [whole("1234"), Line::TooLong, whole("123")]
        );
        let mut long = vec![b'x'; 100_000];
        long.extend_from_slice(b"\nok\n");
        assert_eq!(lines(&long, 10).await, [Line::TooLong, whole("ok")]);
    }

    #[tokio::test]
    async fn a_line_that_comes_in_pieces_survives_a_cancelled_read() {
        let (mut write, read) = tokio::io::duplex(64);
        let mut lines = Lines::new(read);
        write.write_all(b"hal").await.unwrap();
        tokio::select! {
            biased;
            line = lines.next() => panic!("no line yet: {line:?}"),
            () = tokio::task::yield_now() => {}
        }
        write.write_all(b"ves\n").await.unwrap();
        assert_eq!(lines.next().await.unwrap(), Some(whole("halves")));
    }

    #[test]
    fn what_is_encoded_is_one_line() {
        assert_eq!(encode(&"a\nb").unwrap(), b"\"a\\nb\"\n");
        assert_eq!(encode(&"x".repeat(LINE_LIMIT)), None);
    }
}
