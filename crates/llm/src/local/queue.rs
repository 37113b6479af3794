//! Answers requests one after the other, in the order they came, with an
//! engine that is started when it is needed and stopped when it is not.

use std::path::PathBuf;
use std::time::Duration;

use domain::Usage;
use domain::engine::{self as wire, Ask, CallForm, Generate, Load, Tell, Tool, Words};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::calls::Reading;
use super::engine::Engine;
use super::{Setup, State, fault, program, turns};
use crate::thoughts::Thoughts;
use crate::{Delta, Finish, Grammar, ModelFault, ModelRequest};

/// How long the engine may take to hear a cancel before it is killed instead.
/// It listens between two tokens, so this is only reached when it is stuck, or
/// the model far too large for the machine.
const TO_CANCEL: Duration = Duration::from_secs(5);

/// One request in the queue. Whoever asked is gone when `deltas` is closed.
pub(super) struct Job {
    pub request: ModelRequest,
    pub path: PathBuf,
    /// What the model is to read and write at once, where that was said.
    pub context: Option<u32>,
    /// Unbounded, so that a slow reader does not hold up the next request; an
    /// answer is as long as `max_tokens` allows.
    pub deltas: mpsc::UnboundedSender<Delta>,
}

/// Runs until nobody can ask any more.
pub(super) async fn run(setup: Setup, mut jobs: mpsc::Receiver<Job>, state: watch::Sender<State>) {
    let mut keeper = Keeper { setup, state, held: None };
    loop {
        tokio::select! {
            job = jobs.recv() => match job {
                Some(job) => keeper.serve(job).await,
                None => break,
            },
            // Ready also when the engine died while nobody needed it.
            () = keeper.unwanted() => keeper.stop().await,
        }
    }
    keeper.stop().await;
}

/// Has the engine, if there is one.
struct Keeper {
    setup: Setup,
    state: watch::Sender<State>,
    held: Option<Held>,
}

struct Held {
    engine: Engine,
    model: PathBuf,
    /// Asked for when it was loaded.
    context: u32,
    calls: CallForm,
}

/// How an answer went.
enum Went {
    /// The engine is ready for the next one.
    Well(Delta),
    /// The engine is of no use any more; whoever asked, if still there, gets this.
    Badly(ModelFault),
    /// Nobody wants the answer any more.
    Unwanted,
}

impl Keeper {
    async fn serve(&mut self, job: Job) {
        if job.deltas.is_closed() {
            return;
        }
        let mut usage = Usage::default();
        let last = match self.answer(&job, &mut usage).await {
            Went::Well(delta) => delta,
            Went::Badly(fault) => {
                self.let_go();
                Delta::Failed { fault, usage }
            }
            Went::Unwanted => return,
        };
        // Nobody may be there to hear it.
        let _ = job.deltas.send(last);
    }

    /// Leaves in `usage` what is known of an answer that goes badly.
    async fn answer(&mut self, job: &Job, usage: &mut Usage) -> Went {
        let mut held = match self.ready(job).await {
            Ok(held) => held,
            Err(fault) => return Went::Badly(fault),
        };
        let went = converse(&mut held, job, self.setup.stall, usage).await;
        match went {
            Ok(went) => {
                self.held = Some(held);
                went
            }
            Err(Broken::Ended) => Went::Badly(held.engine.crashed().await),
            // Dropping the engine kills it.
            Err(Broken::Stuck(after)) => Went::Badly(fault::stuck(after)),
        }
    }

    /// An engine that holds the model that is asked for.
    async fn ready(&mut self, job: &Job) -> Result<Held, ModelFault> {
        let ships = job.path.starts_with(&self.setup.models);
        let usual = if ships { self.setup.context } else { self.setup.own_context };
        let context = job.context.unwrap_or(usual);
        if let Some(held) = self.held.take() {
            if held.model == job.path && held.context == context {
                return Ok(held);
            }
            held.engine.stop().await;
        }
        let model = job.request.model.clone();
        self.state.send_replace(State::Starting { model: model.clone() });
        let program = program::choose(&self.setup.engine)?;
        // What ships is told in the same words whatever its file says.
        let words = if ships { Words::Chatml } else { Words::Own };
        let load = Load { path: job.path.clone(), context: Some(context), threads: None, words };
        let (engine, loaded) = Engine::start(&program, load, self.setup.stall).await?;
        if let Some(why) = &loaded.template_wrong {
            tracing::warn!(model = loaded.model, why, "its chat template cannot be used");
        }
        tracing::info!(model = loaded.model, load_ms = loaded.load_ms, "local model ready");
        self.state.send_replace(State::Ready { model, pid: engine.pid(), context: loaded.context });
        Ok(Held { engine, model: job.path.clone(), context, calls: loaded.calls })
    }

    /// Comes back once the engine has been idle for long enough, or has died.
    async fn unwanted(&mut self) {
        match &mut self.held {
            None => std::future::pending().await,
            Some(held) => tokio::select! {
                () = sleep(self.setup.idle) => {}
                // It has nothing to say when nobody asks: this is its end.
                _ = held.engine.tell() => {}
            },
        }
    }

    async fn stop(&mut self) {
        if let Some(held) = self.held.take() {
            held.engine.stop().await;
        }
        self.let_go();
    }

    fn let_go(&mut self) {
        self.held = None;
        self.state.send_replace(State::Off);
    }
}

enum Broken {
    Ended,
    Stuck(Duration),
}

/// Asks and passes on what comes, until the end or until nobody listens.
async fn converse(
    Held { engine, calls, .. }: &mut Held,
    job: &Job,
    stall: Duration,
    usage: &mut Usage,
) -> Result<Went, Broken> {
    let may_call = !job.request.tools.is_empty() && job.request.grammar.is_none();
    let mut reading = Reading::new(may_call.then_some(&*calls));
    let mut thoughts = Thoughts::new();
    let id = engine.fresh_id();
    engine.send(&Ask::Generate(generate(id, &job.request))).await.map_err(|_| Broken::Ended)?;
    loop {
        let tell = tokio::select! {
            biased;
            () = job.deltas.closed() => {
                engine.send(&Ask::Cancel { id }).await.map_err(|_| Broken::Ended)?;
                return cancelled(engine, id).await;
            }
            tell = timeout(stall, engine.tell()) => tell.map_err(|_| Broken::Stuck(stall))?.ok_or(Broken::Ended)?,
        };
        match tell {
            Tell::Piece { text, .. } => tell_apart(reading.hear(&text), &mut thoughts, job),
            Tell::Progress { read_tokens, .. } => usage.input_tokens = Some(read_tokens),
            Tell::Done(done) => {
                let mut end = finished(&done)?;
                let called = reading.has_called();
                tell_apart(reading.end(), &mut thoughts, job);
                let is_whole = done.finish == wire::Finish::Stop;
                thoughts.end(is_whole, |delta| drop(job.deltas.send(delta)));
                if let Delta::Done { finish: finish @ Finish::Stop, .. } = &mut end
                    && called
                {
                    *finish = Finish::ToolCalls;
                }
                return Ok(Went::Well(end));
            }
            Tell::Failed { fault, message, .. } => {
                let fault = fault::told(&fault, message);
                return Ok(Went::Well(Delta::Failed { fault, usage: *usage }));
            }
            Tell::Loaded(_) => return Err(Broken::Ended),
        }
    }
}

/// Passes on what came, words and thoughts apart. A channel that is closed is
/// noticed by whoever waits for the next piece.
fn tell_apart(deltas: Vec<Delta>, thoughts: &mut Thoughts, job: &Job) {
    let tell = |delta| drop(job.deltas.send(delta));
    for delta in deltas {
        match delta {
            Delta::Text(text) => thoughts.hear(text, tell),
            Delta::ToolCall(_) => {
                thoughts.called(tell);
                tell(delta);
            }
            other => tell(other),
        }
    }
}

/// Waits until the engine has put that answer away.
async fn cancelled(engine: &mut Engine, id: u64) -> Result<Went, Broken> {
    let put_away = async {
        loop {
            match engine.tell().await {
                Some(Tell::Done(done)) if done.id == id => return Ok(Went::Unwanted),
                Some(Tell::Failed { id: Some(failed), .. }) if failed == id => {
                    return Ok(Went::Unwanted);
                }
                Some(_) => {}
                None => return Err(Broken::Ended),
            }
        }
    };
    timeout(TO_CANCEL, put_away).await.unwrap_or(Err(Broken::Stuck(TO_CANCEL)))
}

fn generate(id: u64, request: &ModelRequest) -> Generate {
    Generate {
        id,
        messages: turns::said(&request.turns),
        tools: request
            .tools
            .iter()
            .map(|tool| Tool {
                name: tool.name.clone(),
                description: tool.description.clone(),
                input: tool.input.clone(),
            })
            .collect(),
        max_tokens: request.max_tokens,
        temperature: request.temperature,
        top_p: None,
        seed: request.seed,
        stop: request.stop.clone(),
        grammar: request.grammar.as_ref().map(|grammar| match grammar {
            Grammar::Gbnf(text) => wire::Grammar::Gbnf(text.clone()),
            Grammar::JsonSchema(schema) => wire::Grammar::JsonSchema(schema.clone()),
        }),
    }
}

fn finished(done: &wire::Done) -> Result<Delta, Broken> {
    let finish = match done.finish {
        wire::Finish::Stop => Finish::Stop,
        wire::Finish::Length => Finish::Length,
        // Nobody cancelled it from here: the engine is on its way out.
        wire::Finish::Cancelled => return Err(Broken::Ended),
    };
    tracing::debug!(?done, "local answer");
    let usage = Usage {
        input_tokens: Some(done.prompt_tokens),
        output_tokens: Some(done.generated_tokens),
        cached_tokens: Some(done.cached_tokens),
        cache_write_tokens: None,
    };
    Ok(Delta::Done { finish, usage })
}
