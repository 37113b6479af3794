//! One life of a child, up to its end.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

const SIGKILL: i32 = 9;

/// How a child ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Death {
    At(&'static str, u64),
    /// From outside, after so many lines of output.
    AfterLines(u64),
    No,
}

pub(crate) enum Ended {
    Killed,
    /// It has done all there was to do.
    Quiet,
}

/// Starts it, with where it is to kill itself as its last arguments, and hears all
/// that it says but of events.
pub(crate) fn live(
    mut child: Command,
    death: Death,
    mut hear: impl FnMut(&str),
) -> Result<Ended, String> {
    let (failpoint, hits) = match death {
        Death::At(failpoint, hits) => (failpoint, hits),
        Death::AfterLines(_) | Death::No => ("nowhere", 0),
    };
    let child = child.args([failpoint.to_owned(), hits.to_string()]).stdout(Stdio::piped());
    let mut child = child.spawn().expect("the child starts");
    let stdout = child.stdout.take().expect("it is piped");
    let mut said = String::new();
    for (line, n) in lines(stdout).zip(1..) {
        if line != "event" {
            hear(&line);
            if !line.starts_with("ack ") {
                said = line;
            }
        }
        if matches!(death, Death::AfterLines(last) if n == last) {
            child.kill().expect("it is ours");
        }
    }
    let status = child.wait().expect("it is ours");
    match status.signal() {
        Some(SIGKILL) => Ok(Ended::Killed),
        _ if status.success() && said == "quiet" => Ok(Ended::Quiet),
        _ => Err(format!("ended with {status} and said {said}")),
    }
}

/// Whole lines only: a kill can cut the last one.
fn lines(stdout: impl std::io::Read) -> impl Iterator<Item = String> {
    let mut reader = BufReader::new(stdout);
    std::iter::from_fn(move || {
        let mut line = String::new();
        reader.read_line(&mut line).expect("the child writes text");
        line.ends_with('\n').then(|| line.trim_end().to_owned())
    })
}
