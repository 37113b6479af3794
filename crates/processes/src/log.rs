//! The last of what a process said on its stderr.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

/// The last lines that a process logged; the oldest go first. A handle, cheap
/// to clone.
#[derive(Debug, Clone, Default)]
pub struct Log {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<String>,
    bytes: usize,
    /// How many there were in all.
    counted: u64,
}

const MOST_BYTES: usize = 128 * 1024;
const LONGEST_LINE: usize = 2000;

impl Log {
    /// Keeps what comes until there is no more.
    pub fn follow(&self, mut from: impl AsyncRead + Unpin + Send + 'static) -> JoinHandle<()> {
        let log = self.clone();
        tokio::spawn(async move {
            let mut chunk = vec![0; 8 * 1024];
            let mut line = Vec::new();
            while let Ok(length @ 1..) = from.read(&mut chunk).await {
                for byte in &chunk[..length] {
                    match byte {
                        b'\n' => log.push(&String::from_utf8_lossy(&std::mem::take(&mut line))),
                        // The rest of a long line is left out.
                        _ if line.len() < LONGEST_LINE => line.push(*byte),
                        _ => {}
                    }
                }
            }
            if !line.is_empty() {
                log.push(&String::from_utf8_lossy(&line));
            }
        })
    }

    /// Adds a line of ours.
    pub fn push(&self, line: &str) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let line = line.trim_end_matches('\r').to_owned();
        kept.bytes += line.len() + 1;
        kept.counted += 1;
        kept.lines.push_back(line);
        while kept.bytes > MOST_BYTES
            && let Some(oldest) = kept.lines.pop_front()
        {
            kept.bytes -= oldest.len() + 1;
        }
    }

    pub fn lines(&self) -> Vec<String> {
        self.since(0)
    }

    /// How many lines there were until now, for [`Self::since`].
    pub fn counted(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).counted
    }

    /// What was logged after so many lines, as far as it is still kept.
    pub fn since(&self, counted: u64) -> Vec<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let newer = usize::try_from(kept.counted.saturating_sub(counted)).unwrap_or(usize::MAX);
        kept.lines.iter().skip(kept.lines.len().saturating_sub(newer)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_flood_leaves_its_last_lines_and_a_long_line_its_beginning() {
        let log = Log::default();
        let mut flood = "x".repeat(10 * LONGEST_LINE) + "\n";
        flood.extend((0..100_000).map(|n| format!("line {n}\r\n")));
        log.follow(std::io::Cursor::new(flood + "the end")).await.unwrap();
        let lines = log.lines();
        assert_eq!(lines[lines.len() - 2..], ["line 99999", "the end"]);
        assert!(lines.iter().map(|line| line.len() + 1).sum::<usize>() <= MOST_BYTES);
        let counted = log.counted();
        log.push("afterwards");
        assert_eq!(log.since(counted), ["afterwards"]);
        let short = Log::default();
        short.follow(std::io::Cursor::new("y".repeat(10 * LONGEST_LINE))).await.unwrap();
        assert_eq!(short.lines(), ["y".repeat(LONGEST_LINE)]);
    }
}
