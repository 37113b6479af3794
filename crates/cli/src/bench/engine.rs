//! The starter model in its real process: how fast it is there, how soon it
//! begins, how fast it writes with the machine to itself and beside others.
//!
//! Speaks the engine's own protocol, so that nothing is measured but the
//! engine. The prompt is the one that an agent of a new workspace would send.
//! How many threads to use is left to the engine, as it is in the product.

use super::stage::Stage;
use super::{BUDGET, broken, tell};
use crate::arguments::Global;
use crate::environment;
use crate::screen::{Failure, Screen};
use domain::engine::{Ask, Done, Generate, Load, Loaded, Said, Tell, Words};
use domain::{Call, Command, GroupKind, ModelRole, Query, Reply};
use door::{Durability, Places};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const QUESTION: &str = "Tell me a long story about a lighthouse and the people who keep it.";
/// As the workspace has it for the starter model.
const CONTEXT: u32 = 4096;
const STARTS: usize = 5;
const STOPS: usize = 10;
/// What one answer may take at most, and what it takes to tell a speed.
const ANSWER_TOKENS: u32 = 200;
const ENOUGH_TOKENS: u32 = 600;
const BUSY_LOOPS: usize = 2;

pub(super) async fn run(screen: &Screen, program: Option<PathBuf>) -> Result<(), Failure> {
    let places = environment::find_places(&Global::default())?.places;
    let program = program.unwrap_or_else(|| places.engine.clone());
    let system_prompt = prompt(&places).await?;
    let measured = tokio::task::spawn_blocking(move || {
        measure(&program, &places.starter_model(), &system_prompt)
    });
    let measured = measured.await.map_err(|error| broken("measure the engine", error))??;

    tell(screen, "engine_load", "ms", measured.load_ms, None);
    tell(screen, "engine_first_token", "ms", measured.first_token_ms, Some((BUDGET, 2000.0)));
    tell(screen, "engine_stop", "ms", measured.stop_ms, Some((BUDGET, 100.0)));
    tell(screen, "engine_alone", "tokens/s", measured.alone, Some((BUDGET, 40.0)));
    tell(screen, "engine_beside_two", "tokens/s", measured.beside_two, Some((BUDGET, 20.0)));
    Ok(())
}

/// What the first agent is told when the starter model is to answer for it.
async fn prompt(places: &Places) -> Result<String, Failure> {
    let file = places.starter_model();
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let stage = Stage::open(Durability::Process).await?;
    let model = format!("local/{name}");
    stage.order(Command::UseModel { role: ModelRole::Default, model }).await?;
    let overview = stage.overview().await?;
    let direct = overview.groups.iter().find(|view| view.group.kind == GroupKind::Direct);
    let direct = direct.ok_or_else(|| broken("find a direct chat", "there is none"))?;
    let (agent, group) = (overview.agents[0].id, direct.group.id);
    let reply = stage.door.ask(Call::Query(Query::Prompt { agent, group, soul: None })).await?;
    stage.door.close().await;
    match reply {
        Reply::Prompt(prompt) => Ok(prompt.text),
        other => Err(broken("ask for a prompt", format!("{other:?}"))),
    }
}

struct Measured {
    load_ms: f64,
    /// From the question to the first text, with the model loaded and nothing
    /// of the prompt in its memory.
    first_token_ms: f64,
    /// From being told to stop until it says that it has, the longest of all.
    stop_ms: f64,
    /// Tokens a second.
    alone: f64,
    beside_two: f64,
}

fn measure(program: &Path, model: &Path, system_prompt: &str) -> Result<Measured, Failure> {
    let mut engine = Engine::start(program)?;
    let (mut loads, mut first_tokens) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        loads.push(engine.load(model)?.load_ms as f64);
        first_tokens.push(engine.answer(system_prompt, 8)?.first_text.as_secs_f64() * 1e3);
    }
    let stop_ms = engine.longest_stop(system_prompt)?;
    let alone = engine.speed(system_prompt)?;
    let busy = Busy::start();
    let beside_two = engine.speed(system_prompt)?;
    drop(busy);
    let (load_ms, first_token_ms) = (median(loads), median(first_tokens));
    Ok(Measured { load_ms, first_token_ms, stop_ms, alone, beside_two })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A running `coterie-engine`, ended with this value.
struct Engine {
    child: Child,
    stdin: ChildStdin,
    tells: Lines<BufReader<ChildStdout>>,
    next_id: u64,
}

struct Answered {
    first_text: Duration,
    done: Done,
}

impl Engine {
    fn start(program: &Path) -> Result<Engine, Failure> {
        let starting = || format!("start {}", program.display());
        let mut child = std::process::Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| broken(&starting(), error))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both were asked for above");
        };
        Ok(Engine { child, stdin, tells: BufReader::new(stdout).lines(), next_id: 1 })
    }

    /// Anew, even if it has the model already: nothing is left in its memory.
    fn load(&mut self, model: &Path) -> Result<Loaded, Failure> {
        let load = Load {
            path: model.to_owned(),
            context: Some(CONTEXT),
            threads: None,
            words: Words::Chatml,
        };
        self.ask(&Ask::Load(load))?;
        match self.tell()? {
            Tell::Loaded(loaded) => Ok(loaded),
            other => Err(broken("load the starter model", said(&other))),
        }
    }

    /// Gives the number of what it was asked.
    fn question(&mut self, system_prompt: &str, max_tokens: u32) -> Result<u64, Failure> {
        let turn = |role: &str, content: &str| Said {
            role: role.into(),
            content: content.into(),
            ..Said::default()
        };
        let id = self.next_id;
        let ask = Ask::Generate(Generate {
            id,
            messages: vec![turn("system", system_prompt), turn("user", QUESTION)],
            tools: Vec::new(),
            max_tokens,
            temperature: 0.0,
            top_p: None,
            seed: None,
            stop: Vec::new(),
            grammar: None,
        });
        self.next_id += 1;
        self.ask(&ask)?;
        Ok(id)
    }

    /// In milliseconds.
    fn longest_stop(&mut self, system_prompt: &str) -> Result<f64, Failure> {
        let mut longest = Duration::ZERO;
        for _ in 0..STOPS {
            let id = self.question(system_prompt, CONTEXT)?;
            let mut stopped = None;
            loop {
                match self.tell()? {
                    Tell::Piece { .. } if stopped.is_none() => {
                        stopped = Some(Instant::now());
                        self.ask(&Ask::Cancel { id })?;
                    }
                    Tell::Piece { .. } | Tell::Progress { .. } => {}
                    Tell::Done(_) => break,
                    other => return Err(broken("stop", said(&other))),
                }
            }
            let stopped = stopped.ok_or_else(|| broken("stop", "no text came"))?;
            longest = longest.max(stopped.elapsed());
        }
        Ok(longest.as_secs_f64() * 1e3)
    }

    fn answer(&mut self, system_prompt: &str, max_tokens: u32) -> Result<Answered, Failure> {
        let asked = Instant::now();
        self.question(system_prompt, max_tokens)?;
        let mut first_text = None;
        loop {
            match self.tell()? {
                Tell::Piece { .. } => first_text = first_text.or_else(|| Some(asked.elapsed())),
                Tell::Progress { .. } => {}
                Tell::Done(done) if done.generated_tokens == 0 => {
                    return Err(broken("answer", "not a word was written"));
                }
                Tell::Done(done) => {
                    let first_text = first_text.ok_or_else(|| broken("answer", "no text came"))?;
                    return Ok(Answered { first_text, done });
                }
                other => return Err(broken("answer", said(&other))),
            }
        }
    }

    /// Tokens a second, the reading of the prompt left out.
    fn speed(&mut self, system_prompt: &str) -> Result<f64, Failure> {
        // With this one the engine finds out how busy the machine is.
        self.answer(system_prompt, ANSWER_TOKENS)?;
        let (mut tokens, mut took) = (0, Duration::ZERO);
        while tokens < ENOUGH_TOKENS {
            let done = self.answer(system_prompt, ANSWER_TOKENS)?.done;
            tokens += done.generated_tokens;
            took += Duration::from_millis(done.generate_ms);
        }
        Ok(f64::from(tokens) / took.as_secs_f64())
    }

    fn ask(&mut self, ask: &Ask) -> Result<(), Failure> {
        let line = serde_json::to_string(ask).map_err(|error| broken("ask the engine", error))?;
        writeln!(self.stdin, "{line}").map_err(|_| self.ended())
    }

    fn tell(&mut self) -> Result<Tell, Failure> {
        let Some(Ok(line)) = self.tells.next() else { return Err(self.ended()) };
        serde_json::from_str(&line).map_err(|error| broken("understand the engine", error))
    }

    fn ended(&mut self) -> Failure {
        match self.child.wait() {
            Ok(status) => broken("the engine ended", status),
            Err(error) => broken("the engine ended", error),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It is gone either way.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

fn said(tell: &Tell) -> String {
    match tell {
        Tell::Failed { message, .. } => message.clone(),
        other => format!("it said {other:?}"),
    }
}

/// Threads that do nothing, as fast as they can, until this value is dropped.
struct Busy {
    enough: Arc<AtomicBool>,
    loops: Vec<JoinHandle<()>>,
}

impl Busy {
    fn start() -> Busy {
        let enough = Arc::new(AtomicBool::new(false));
        let spin = |_| {
            let enough = enough.clone();
            thread::spawn(move || while !enough.load(Ordering::Relaxed) {})
        };
        let loops = (0..BUSY_LOOPS).map(spin).collect();
        Busy { enough, loops }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.enough.store(true, Ordering::Relaxed);
        for one in self.loops.drain(..) {
            // It cannot panic, and nothing is lost if it did.
            let _ = one.join();
        }
    }
}
