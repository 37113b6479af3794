//! Lines in, lines out.
//!
//! Reading has a thread of its own, so that a cancel or the end of stdin is
//! noticed while an answer is being written. A line that makes no sense is
//! answered and skipped.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use domain::engine::{Ask, Fault, Generate, Load, Tell};

use crate::open::Open;

/// How long the answering thread has to stop by itself once stdin has ended.
const GRACE: Duration = Duration::from_secs(1);

/// What has to wait its turn; the other asks are dealt with at once.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Job {
    Load(Load),
    Generate(Generate),
}

/// Where tells go, one line each, never mixed.
#[derive(Clone)]
pub(crate) struct Out(Arc<Mutex<Box<dyn Write + Send>>>);

impl Out {
    pub(crate) fn new(sink: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(sink))))
    }

    pub(crate) fn tell(&self, tell: &Tell) {
        let mut line =
            serde_json::to_vec(tell).expect("a tell has no map with keys other than text");
        line.push(b'\n');
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody reads any more: then stdin has ended too, or is about to, and that ends us.
        let _ = sink.write_all(&line).and_then(|()| sink.flush());
    }
}

/// Reads to the end of `input` and makes sure the process ends after it.
pub(crate) fn read_on_a_thread(
    input: impl Read + Send + 'static,
    open: &Open,
    out: &Out,
) -> Receiver<Job> {
    let (jobs, queue) = channel();
    let (open, out) = (open.clone(), out.clone());
    thread::spawn(move || {
        read(BufReader::new(input), &jobs, &open, &out);
        open.end();
        drop(jobs);
        // Loading a model and reading one batch cannot be interrupted; leaving can.
        thread::sleep(GRACE);
        std::process::exit(0);
    });
    queue
}

fn read(mut input: impl BufRead, jobs: &Sender<Job>, open: &Open, out: &Out) {
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) if line.trim_ascii().is_empty() => continue,
            Ok(_) => {}
        }
        let ask = match serde_json::from_slice::<Ask>(&line) {
            Ok(ask) => ask,
            Err(error) => {
                refuse(out, format!("read a line: {error}"));
                continue;
            }
        };
        let job = match ask {
            Ask::Quit => return,
            Ask::Cancel { id } => {
                open.cancel(id);
                continue;
            }
            Ask::Generate(generate) if !open.begin(generate.id) => {
                refuse(out, format!("answer {}: that id is in use", generate.id));
                continue;
            }
            Ask::Generate(generate) => Job::Generate(generate),
            Ask::Load(load) => Job::Load(load),
        };
        if jobs.send(job).is_err() {
            return;
        }
    }
}

fn refuse(out: &Out, message: String) {
    out.tell(&Tell::Failed { id: None, fault: Fault::BadRequest, message });
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use domain::engine::Words;
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// What reading `input` passes on and what it answers itself.
    fn read_all(input: &[u8], open: &Open) -> (Vec<Job>, Vec<Tell>) {
        let paper = Paper::default();
        let (jobs, queue) = channel();
        read(Cursor::new(input), &jobs, open, &Out::new(paper.clone()));
        drop(jobs);
        let written = paper.0.lock().unwrap().clone();
        let tells = written.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        (queue.iter().collect(), tells.map(|line| serde_json::from_slice(line).unwrap()).collect())
    }

    fn generate(id: u64) -> Generate {
        Generate {
            id,
            messages: vec![],
            tools: vec![],
            max_tokens: 1,
            temperature: 0.0,
            top_p: None,
            seed: None,
            stop: vec![],
            grammar: None,
        }
    }

    #[test]
    fn a_bad_line_is_answered_and_the_next_one_is_read() {
        let (jobs, tells) = read_all(
            b"{\"ask\":\"dance\"}\n\xff\xfe\n\n{\"ask\":\"load\",\"path\":\"m\"}\n{\"ask\":\"load\"",
            &Open::new(),
        );
        assert_eq!(
            jobs,
            [Job::Load(Load { path: "m".into(), context: None, threads: None, words: Words::Own })]
        );
        let faults: Vec<_> = tells
            .iter()
            .map(|tell| match tell {
                Tell::Failed { id: None, fault, .. } => fault.clone(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(faults, [Fault::BadRequest, Fault::BadRequest, Fault::BadRequest]);
    }

    #[test]
    fn a_cancel_overtakes_the_queue_and_an_id_is_used_once() {
        let open = Open::new();
        let one = serde_json::to_string(&Ask::Generate(generate(1))).unwrap();
        let (jobs, tells) =
            read_all(format!("{one}\n{one}\n{{\"ask\":\"cancel\",\"id\":1}}\n").as_bytes(), &open);
        assert_eq!(jobs, [Job::Generate(generate(1))]);
        assert_eq!(tells.len(), 1);
        assert!(open.is_cancelled(1));
    }

    #[test]
    fn nothing_after_quit_is_read() {
        let (jobs, tells) =
            read_all(b"{\"ask\":\"quit\"}\n{\"ask\":\"load\",\"path\":\"m\"}\n", &Open::new());
        assert_eq!((jobs, tells), (vec![], vec![]));
    }

    proptest! {
        #[test]
        fn no_line_is_too_strange(input in proptest::collection::vec(any::<u8>(), 0..400)) {
            read_all(&input, &Open::new());
        }
    }
}
