//! What a program said from its start to its end, within limits.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use crate::{Ended, Patience, Process};

/// How much a program may say and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    /// Of stdout and stderr each. What is more is read and left out.
    pub output_bytes: usize,
}

/// A program that was run to its end, or to where its time was over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// `None` when its time was over and it was killed.
    pub ended: Option<Ended>,
    pub stdout: Captured,
    pub stderr: Captured,
}

/// The beginning and the end of an output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    pub head: Vec<u8>,
    pub tail: Vec<u8>,
    /// How many bytes there were between the two.
    pub left_out: u64,
}

impl Process {
    /// Gives it `stdin`, hears what it says until it ends, and kills it when it
    /// takes too long. Dropped meanwhile, everything is killed.
    pub async fn finish(mut self, stdin: &[u8], limits: Limits) -> Finished {
        let (input, stdout, stderr) = (self.stdin.take(), self.stdout.take(), self.stderr.take());
        let most = limits.output_bytes;
        let stdout = tokio::spawn(async move { Captured::of(stdout, most).await });
        let stderr = tokio::spawn(async move { Captured::of(stderr, most).await });
        let feed = async {
            if let Some(mut input) = input {
                // Who does not read to the end has what it wants.
                let _ = input.write_all(stdin).await;
            }
        };
        let run = async { tokio::join!(feed, self.ended()).1 };
        let ended = timeout(limits.time, run).await.ok();
        if ended.is_none() {
            self.end(Patience { closed: Duration::ZERO, asked: Duration::from_millis(500) }).await;
        }
        // Nobody is left who could hold them open.
        let (stdout, stderr) = tokio::join!(stdout, stderr);
        Finished { ended, stdout: stdout.unwrap_or_default(), stderr: stderr.unwrap_or_default() }
    }
}

impl Captured {
    /// Three quarters of the most are for the beginning.
    async fn of(from: Option<impl AsyncRead + Unpin>, most: usize) -> Self {
        let Some(mut from) = from else { return Captured::default() };
        let head_most = most - most / 4;
        let mut captured = Captured::default();
        let mut tail = VecDeque::new();
        let mut chunk = vec![0; 16 * 1024];
        while let Ok(length @ 1..) = from.read(&mut chunk).await {
            let room = head_most.saturating_sub(captured.head.len()).min(length);
            captured.head.extend_from_slice(&chunk[..room]);
            tail.extend(&chunk[room..length]);
            let over = tail.len().saturating_sub(most - head_most);
            captured.left_out += tail.drain(..over).len() as u64;
        }
        captured.tail = tail.into();
        captured
    }

    /// Everything as text, with a line where something was left out.
    pub fn text(&self) -> String {
        if self.left_out == 0 {
            let whole = [self.head.as_slice(), &self.tail].concat();
            return String::from_utf8_lossy(&whole).into_owned();
        }
        let (head, tail) =
            (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&self.tail));
        format!("{head}\n[{} bytes left out here]\n{tail}", self.left_out)
    }
}
