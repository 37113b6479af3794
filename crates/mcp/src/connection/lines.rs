//! What a program says, line by line.
//!
//! The SDK passes over a line that is too long, or whose parts lie too deep in each other. An
//! answer that was in it is told to have been that, right after it. It passes over what is nothing of the protocol too: the log has the
//! first of that.

use processes::Log;
use rmcp::model::RequestId;
use tokio::io::{self, AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader, DuplexStream};

use crate::depth::{Depth, too_deep};
use crate::instead::{instead, too_long};

/// The same with what comes instead of answers of more than `most` bytes, or too deep ones.
pub(super) fn with_excuses<R>(said: R, most: usize, log: Log) -> DuplexStream
where
    R: AsyncRead + Send + Unpin + 'static,
{
    let (heard, told) = io::duplex(AT_ONCE);
    tokio::spawn(pass_on(BufReader::new(said), told, most, log));
    heard
}

const AT_ONCE: usize = 64 << 10;

async fn pass_on<R>(
    mut said: BufReader<R>,
    mut told: DuplexStream,
    most: usize,
    log: Log,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
{
    let (mut line, mut strange) = (Line::default(), Strange { log, lines: 0 });
    loop {
        let heard = said.fill_buf().await?;
        let end = heard.iter().position(|byte| *byte == b'\n');
        let piece = &heard[..end.map_or(heard.len(), |end| end + 1)];
        if piece.is_empty() {
            strange.note(&line);
            return Ok(());
        }
        told.write_all(piece).await?;
        line.add(piece);
        let read = piece.len();
        said.consume(read);
        if end.is_some() {
            let line = std::mem::take(&mut line);
            strange.note(&line);
            if let Some(why) = line.unread(most)
                && let Some(id) = line.answers()
            {
                let mut excuse = serde_json::to_vec(&instead(id, why))?;
                excuse.push(b'\n');
                told.write_all(&excuse).await?;
            }
        }
    }
}

/// What a program writes that is no server, or a page of help, or a greeting.
struct Strange {
    log: Log,
    lines: usize,
}

/// The next one is only said to be there.
const MOST_STRANGE: usize = 5;

impl Strange {
    fn note(&mut self, line: &Line) {
        let head = String::from_utf8_lossy(&line.head);
        let said = head.trim_start_matches('\u{feff}').trim();
        // Several messages may come in one line; a time in brackets is no such thing.
        let several = said.strip_prefix('[').map(str::trim_start);
        let is_several = several.is_some_and(|first| first.starts_with(['{', ']']));
        if said.is_empty() || said.starts_with('{') || is_several {
            return;
        }
        self.lines += 1;
        if self.lines <= MOST_STRANGE {
            self.log.push(&format!("[coterie] it wrote what is nothing of the protocol: {said}"));
        } else if self.lines == MOST_STRANGE + 1 {
            self.log.push("[coterie] and it wrote more of that");
        }
    }
}

/// So much of it as says what it answers.
#[derive(Default)]
struct Line {
    length: usize,
    depth: Depth,
    head: Vec<u8>,
    tail: Vec<u8>,
}

/// Of its head, and of its tail.
const KEPT: usize = 256;

impl Line {
    fn add(&mut self, piece: &[u8]) {
        self.length += piece.len();
        self.depth.add(piece);
        let to_head = piece.len().min(KEPT - self.head.len());
        self.head.extend_from_slice(&piece[..to_head]);
        self.tail.extend_from_slice(&piece[piece.len().saturating_sub(KEPT)..]);
        let too_much = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..too_much);
    }

    /// Why the SDK passes over it.
    fn unread(&self, most: usize) -> Option<String> {
        let is_long = self.length > most;
        is_long.then(|| too_long(most)).or_else(|| self.depth.is_too_deep().then(too_deep))
    }

    /// Some write the number before the answer, and some behind it. A quote within a text has
    /// a `\` before it, so that none of this is found there.
    fn answers(&self) -> Option<RequestId> {
        let (head, tail) =
            (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&self.tail));
        let before = head.split(r#""result""#).next()?;
        if before.contains(r#""method""#) {
            return None;
        }
        let number = |text: &str| {
            let mut rest = serde_json::Deserializer::from_str(text).into_iter::<RequestId>();
            let id = rest.next()?.ok()?;
            Some((id, text[rest.byte_offset()..].trim().to_owned()))
        };
        let named = |text: &str| {
            let (_, behind) = text.rsplit_once(r#""id""#)?;
            number(behind.trim_start().strip_prefix(':')?)
        };
        let first = named(before).map(|(id, _)| id);
        first.or_else(|| named(&tail).filter(|(_, rest)| rest == "}").map(|(id, _)| id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn what_is_nothing_of_the_protocol_is_passed_on_and_begins_in_the_log() {
        let said = format!("[INFO] usage\n\n{{\"id\":1}}\n{}> ", "y\n".repeat(100));
        let log = Log::default();
        let mut heard = with_excuses(Cursor::new(said.clone().into_bytes()), 1 << 20, log.clone());
        let mut all = String::new();
        heard.read_to_string(&mut all).await.expect("it is text");
        assert_eq!(all, said);
        let wrote =
            |said: &str| format!("[coterie] it wrote what is nothing of the protocol: {said}");
        let more = "[coterie] and it wrote more of that".to_owned();
        let expected =
            [wrote("[INFO] usage"), wrote("y"), wrote("y"), wrote("y"), wrote("y"), more];
        assert_eq!(log.lines(), expected);
    }

    #[tokio::test]
    async fn an_answer_that_lies_too_deep_in_itself_has_that_said_behind_it() {
        let deep = "[".repeat(5_000) + &"]".repeat(5_000);
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"x\":{deep}}}}}\n");
        let shallow = "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"x\":\"[[[[\"}}\n";
        let said = format!("{answer}{shallow}");
        let mut heard = with_excuses(Cursor::new(said.into_bytes()), 1 << 20, Log::default());
        let mut all = String::new();
        heard.read_to_string(&mut all).await.expect("it is text");
        let rest = all.strip_prefix(&answer).expect("it is passed on");
        let (excuse, rest) = rest.split_once('\n').expect("an answer of our own");
        assert!(excuse.contains("\"id\":7") && excuse.contains("127 levels"), "{excuse}");
        assert_eq!(rest, shallow);
    }

    #[test]
    fn a_long_line_is_known_by_its_beginning_or_its_end() {
        let check = |head: &str, tail: &str, expected: Option<RequestId>| {
            let mut line = Line::default();
            for piece in [head, &"x".repeat(3 * KEPT), tail, "\n"] {
                line.add(piece.as_bytes());
            }
            assert_eq!(line.answers(), expected, "{head} {tail}");
        };
        let seven = || Some(RequestId::Number(7));
        check(r#"{"jsonrpc":"2.0","id":7,"result":{"text":""#, r#""}}"#, seven());
        check(
            r#"{"jsonrpc": "2.0", "id": "a", "result": ""#,
            r#""}"#,
            Some(RequestId::String("a".into())),
        );
        check(r#"{"result":{"text":""#, r#""},"jsonrpc":"2.0","id":7}"#, seven());
        check(r#"{"result":{"id":3,"text":""#, r#""},"jsonrpc":"2.0","id":7 } "#, seven());
        // What is its own, and what only stands in it.
        check(r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","x":""#, r#""}"#, None);
        check(r#"{"result":{"thing":{"x":""#, r#"","id":7}},"jsonrpc":"2.0"}"#, None);
        check(r#"{"result":{"x":""#, r#"\"id\":7}"#, None);
        check("nothing of the protocol", "", None);
    }
}
