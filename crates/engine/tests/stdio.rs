//! The engine as its parent sees it: a process, its pipes and its end.
#![expect(clippy::unwrap_used, reason = "a test ends where something it relies on fails")]

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use domain::engine::{Ask, Fault, Finish, Generate, Grammar, Load, Said, Tell};

struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    tells: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_coterie-engine"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, stdin, tells: BufReader::new(stdout).lines() }
    }

    fn ask(&mut self, ask: &Ask) {
        self.write(&serde_json::to_string(ask).unwrap());
    }

    fn write(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn tell(&mut self) -> Tell {
        serde_json::from_str(&self.tells.next().unwrap().unwrap()).unwrap()
    }

    /// The last tell of answer `id`, pieces before it left out.
    fn end_of(&mut self, id: u64) -> Tell {
        loop {
            match self.tell() {
                Tell::Piece { .. } | Tell::Progress { .. } => {}
                Tell::Done(done) if done.id != id => panic!("{done:?}"),
                end => return end,
            }
        }
    }

    /// Closes stdin and waits until the process has ended.
    fn close(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

fn generate(id: u64, content: &str) -> Generate {
    Generate {
        id,
        messages: vec![Said { role: "user".into(), content: content.into() }],
        max_tokens: 8,
        temperature: 0.0,
        top_p: None,
        seed: None,
        stop: vec![],
        grammar: None,
    }
}

/// Goes on until somebody or something stops it.
fn endless(id: u64, content: &str) -> Ask {
    let grammar = Some(Grammar::Gbnf("root ::= [a-z ] root".into()));
    Ask::Generate(Generate { max_tokens: 100_000, grammar, ..generate(id, content) })
}

/// The starter model, from `COTERIE_ASSETS` or the checkout.
#[expect(clippy::disallowed_methods, reason = "a test's parts are named by the environment")]
#[expect(clippy::print_stderr, reason = "whoever runs it should know what was left out")]
fn starter_model() -> Option<PathBuf> {
    let named = std::env::var_os("COTERIE_ASSETS");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let models = named.as_ref().map_or(checkout, PathBuf::from).join("models");
    let files = std::fs::read_dir(&models).into_iter().flatten().flatten();
    let found = files.map(|file| file.path()).find(|path| {
        path.to_string_lossy().contains("SmolLM2") && path.extension().is_some_and(|e| e == "gguf")
    });
    if found.is_none() {
        assert!(
            named.is_none(),
            "COTERIE_ASSETS is set, but {} has no starter model",
            models.display()
        );
        eprintln!("SKIPPED for want of assets: no starter model in {}", models.display());
    }
    found
}

fn loaded(path: PathBuf) -> Engine {
    let mut engine = Engine::start();
    engine.ask(&Ask::Load(Load { path, context: Some(1024), threads: None }));
    assert!(matches!(engine.tell(), Tell::Loaded(_)));
    engine
}

#[test]
fn lines_that_make_no_sense_are_answered_and_survived() {
    let mut engine = Engine::start();
    for line in
        ["", "{", "null", "[]", r#"{"ask":"load"}"#, r#"{"ask":"generate","id":-1}"#, "\u{0}"]
    {
        engine.write(line);
    }
    for _ in 0..6 {
        assert!(matches!(engine.tell(), Tell::Failed { id: None, fault: Fault::BadRequest, .. }));
    }
    engine.ask(&Ask::Cancel { id: 9 });
    engine.ask(&Ask::Generate(generate(1, "Hello")));
    assert!(matches!(engine.tell(), Tell::Failed { id: Some(1), fault: Fault::NoModel, .. }));
    assert_eq!(engine.close(), 0);
}

#[test]
fn quit_ends_it() {
    let mut engine = Engine::start();
    engine.ask(&Ask::Quit);
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_end_of_stdin_ends_it_in_the_middle_of_an_answer() {
    let Some(model) = starter_model() else { return };
    let mut engine = loaded(model);
    engine.ask(&endless(1, "Hello"));
    assert!(matches!(engine.tell(), Tell::Piece { .. }));
    assert_eq!(engine.close(), 0);
}

#[test]
fn a_cancel_is_heard_while_writing_while_reading_and_in_the_queue() {
    let Some(model) = starter_model() else { return };
    let mut engine = loaded(model);
    let cancelled = |tell: Tell| match tell {
        Tell::Done(done) => {
            assert_eq!(done.finish, Finish::Cancelled);
            done
        }
        other => panic!("{other:?}"),
    };

    engine.ask(&endless(1, "Hello"));
    assert!(matches!(engine.tell(), Tell::Piece { .. }));
    engine.ask(&endless(2, "Hello"));
    engine.ask(&Ask::Cancel { id: 2 });
    engine.ask(&Ask::Cancel { id: 1 });
    assert!(cancelled(engine.end_of(1)).generated_tokens > 0);
    assert_eq!(cancelled(engine.end_of(2)).prompt_tokens, 0, "it was never begun");

    // A prompt that takes a while; the cancel is there before it can be through.
    engine.ask(&Ask::Generate(generate(3, &"some words to read ".repeat(200))));
    engine.ask(&Ask::Cancel { id: 3 });
    assert_eq!(cancelled(engine.end_of(3)).generated_tokens, 0);

    engine.ask(&Ask::Generate(generate(4, "Hello")));
    assert!(matches!(engine.end_of(4), Tell::Done(done) if done.finish != Finish::Cancelled));
    assert_eq!(engine.close(), 0);
}

#[test]
fn a_full_window_ends_the_answer() {
    let Some(model) = starter_model() else { return };
    let mut engine = Engine::start();
    engine.ask(&Ask::Load(Load { path: model, context: Some(256), threads: Some(1) }));
    let Tell::Loaded(loaded) = engine.tell() else { panic!("not loaded") };
    assert_eq!(loaded.context, 256);
    engine.ask(&endless(1, &"word ".repeat(200)));
    let Tell::Done(done) = engine.end_of(1) else { panic!("not done") };
    assert_eq!((done.finish, done.prompt_tokens + done.generated_tokens), (Finish::Length, 256));
    assert_eq!(engine.close(), 0);
}
