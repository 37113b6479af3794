//! Asking one model after another, each a few times, until one has answered.

use super::cache::{self, Heard};
use super::circuit::Way;
use super::narrowed::Narrowed;
use super::{Candidate, Gone, retry};
use crate::hands::Handed;
use crate::measured::Measured;
use crate::metered::Metered;
use crate::models::windows;
use crate::recorded::Recorded;
use crate::redacted::RedactedModel;
use crate::shared::Shared;
use crate::sight::Seeing;
use crate::souls::CacheUse;
use crate::unwritten::{Entry, Unwritten};
use crate::window::Window;
use crate::{keys, served, tool_pictures};
use domain::{Fault, FaultCode, Provider, Run, StepKind, Usage};
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use llm::{Delta, Finish, Model, ModelFault, ModelRequest, Trouble};
use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::time::Duration;
use store::Read;
use store::table::response_cache::Key;
use tokio::sync::Mutex;

/// The models that may be asked for one thing, the first one first.
pub(crate) struct Line(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    run: Run,
    unwritten: Unwritten,
    all: Vec<Ready>,
    gone: Gone,
    cache: CacheUse,
}

impl Line {
    /// Of at least one.
    pub(super) fn new(
        shared: &Arc<Shared>,
        run: &Run,
        unwritten: &Unwritten,
        all: Vec<Candidate>,
        gone: Gone,
        cache: CacheUse,
    ) -> Line {
        let all = all.into_iter().map(Ready::new).collect();
        let (shared, run, unwritten) = (shared.clone(), run.clone(), unwritten.clone());
        Line(Arc::new(Inner { shared, run, unwritten, all, gone, cache }))
    }

    /// Returns when somebody can be asked; else why nobody can. A key may have to be
    /// found for that, which takes its time.
    pub(crate) async fn somebody(&self) -> Result<(), Fault> {
        let mut why: Option<Fault> = None;
        for ready in &self.0.all {
            match ready.served(&self.0).await {
                Ok(_) => return Ok(()),
                Err(fault) => {
                    why = Some(match why {
                        Some(first) => neither(first, &ready.name, &fault),
                        None => fault,
                    });
                }
            }
        }
        why.map_or(Ok(()), Err)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.0.all.iter().map(|ready| ready.name.clone()).collect()
    }
}

/// A model, connected when it is first asked.
struct Ready {
    name: String,
    window: Window,
    provider: Result<Provider, Fault>,
    connected: Mutex<Option<Connected>>,
}

type Served = Result<(Arc<Provider>, Arc<dyn Model>), Fault>;

struct Connected {
    served: Served,
    /// As many keys and providers had been changed.
    changes: u64,
}

impl Ready {
    fn new(candidate: Candidate) -> Ready {
        let Candidate { name, window, provider } = candidate;
        Ready { name, window, provider, connected: Mutex::default() }
    }

    /// A turn may last: it goes on with the key, and at the address, that a person gives
    /// meanwhile.
    async fn served(&self, line: &Inner) -> Served {
        let changes = line.shared.safe.changes();
        let mut connected = self.connected.lock().await;
        let provider = match &*connected {
            Some(known) if known.changes == changes => return known.served.clone(),
            Some(_) => {
                let find = |read: &Read<'_>| served::Served::find(read, &self.name);
                line.shared.store.read(find).map(|now| now.provider)
            }
            None => self.provider.clone(),
        };
        let served = match provider {
            Ok(provider) => {
                let model = self.connect(line, &provider).await;
                model.map(|model| (Arc::new(provider), model))
            }
            Err(fault) => Err(fault),
        };
        *connected = Some(Connected { served: served.clone(), changes });
        served
    }

    async fn connect(&self, line: &Inner, provider: &Provider) -> Result<Arc<dyn Model>, Fault> {
        let Inner { shared, run, unwritten, .. } = line;
        keys::known_before_turns(shared).await;
        let model = keys::serve(shared, provider).await?;
        let model = Recorded::over(shared, unwritten, &self.name, model);
        let model = Handed::over(shared, &self.name, model);
        let model = Seeing::over(shared, &self.name, model);
        let model = Measured::over(shared, &self.name, provider, self.window, model);
        let model = Metered {
            shared: shared.clone(),
            name: self.name.clone(),
            model,
            provider: provider.clone(),
            run: run.clone(),
            unwritten: unwritten.clone(),
        };
        Ok(Arc::new(RedactedModel { model, redactor: shared.safe.redactor().clone() }))
    }
}

impl Model for Line {
    fn ask(&self, mut request: ModelRequest) -> BoxStream<'static, Delta> {
        let line = self.0.clone();
        tool_pictures::show(&line.shared.attachments, &mut request.turns);
        let standing = |ready: &Ready| !line.gone.has(&ready.name);
        let at = line.all.iter().position(standing).unwrap_or(line.all.len() - 1);
        let calling = Calling {
            line,
            request,
            at,
            tries: 0,
            heard: Heard::default(),
            is_void: false,
            used: Usage::default(),
            length: Length::AsWanted,
            narrowed: Narrowed::default(),
            first_fault: None,
            stage: Stage::Begins,
        };
        stream::unfold(Some(Box::new(calling)), |calling| async {
            let mut calling = calling?;
            let delta = calling.next().await;
            let is_over = matches!(delta, Delta::Done { .. } | Delta::Failed { .. });
            Some((delta, (!is_over).then_some(calling)))
        })
        .boxed()
    }
}

/// One call, from the question to its end.
struct Calling {
    line: Arc<Inner>,
    request: ModelRequest,
    /// Who is asked, by the place in the line.
    at: usize,
    /// Of that model.
    tries: u32,
    /// In this try.
    heard: Heard,
    /// Something was heard in a try that failed.
    is_void: bool,
    /// In the tries that failed, as far as their providers said.
    used: Usage,
    /// Of the answer that this model is asked for.
    length: Length,
    /// What it was found to read less than.
    narrowed: Narrowed,
    /// Which model was asked first, by its place, and why it is not asked any more.
    first_fault: Option<(usize, ModelFault)>,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    AsWanted,
    Shorter,
}

enum Stage {
    Begins,
    Hears(Box<Asked>),
    Plays(VecDeque<Delta>),
}

struct Asked {
    answer: BoxStream<'static, Delta>,
    /// Where the answer is kept, with what was asked.
    keep: Option<(Key, ModelRequest)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    /// The provider was asked.
    Asked,
    /// Nobody was, and the same would come of another try.
    NotAsked,
}

impl Calling {
    async fn next(&mut self) -> Delta {
        loop {
            let delta = match &mut self.stage {
                Stage::Begins => {
                    if mem::take(&mut self.is_void) {
                        return Delta::Anew;
                    }
                    match self.begin().await {
                        Ok(stage) => self.stage = stage,
                        Err(fault) => {
                            if let Some(fault) = self.failed(fault, Tried::NotAsked).await {
                                return self.fails(fault);
                            }
                        }
                    }
                    continue;
                }
                Stage::Plays(deltas) => deltas.pop_front().unwrap_or_else(ended_too_early),
                Stage::Hears(asked) => asked.answer.next().await.unwrap_or_else(ended_too_early),
            };
            match delta {
                Delta::Done { finish, usage } => {
                    if let Some(done) = self.done(finish, usage).await {
                        return done;
                    }
                }
                Delta::Failed { mut fault, usage } => {
                    self.used = self.used.plus(usage);
                    if fault.trouble == Trouble::Key
                        && let Ok(provider) = &self.line.all[self.at].provider
                    {
                        let fix = keys::fix_of_refused(&self.line.shared.safe, provider);
                        fault.fix = fix.unwrap_or(fault.fix);
                    }
                    self.stage = Stage::Begins;
                    let tried = match fault.unasked {
                        true => Tried::NotAsked,
                        false => Tried::Asked,
                    };
                    if fault.unasked {
                        self.tries -= 1;
                        // It was left alone while this call stood in line: it waits.
                        if self.another().is_none() {
                            continue;
                        }
                    }
                    if let Some(fault) = self.failed(fault, tried).await {
                        return self.fails(fault);
                    }
                }
                piece => {
                    self.heard.hear(&piece);
                    return piece;
                }
            }
        }
    }

    /// Asks whoever's turn it is, unless the same was answered a short while
    /// ago. Fails where nobody can be asked.
    async fn begin(&mut self) -> Result<Stage, ModelFault> {
        let Inner { shared, all, cache, .. } = &*self.line;
        let ready = &all[self.at];
        let served = ready.served(&self.line).await;
        let (provider, model) = served.map_err(|fault| unservable(&fault))?;
        let request = self.as_asked(ready);
        let key = cache::fits(*cache, &request).then(|| cache::key(&provider, &request));
        if self.tries == 0
            && let Some((deltas, asked_ms)) = key.and_then(|key| cache::look(shared, &key))
        {
            self.hold(StepKind::FromCache { model: ready.name.clone(), asked_ms });
            return Ok(Stage::Plays(deltas.into()));
        }
        self.way_is_free(&provider).await?;
        let keep = key.map(|key| (key, request.clone()));
        let answer = model.ask(request);
        self.tries += 1;
        Ok(Stage::Hears(Box::new(Asked { answer, keep })))
    }

    /// Who has nobody else to ask waits for a provider that is left alone, for as often
    /// as it may try: what others find out meanwhile is as good as a try of its own.
    async fn way_is_free(&mut self, provider: &Provider) -> Result<(), ModelFault> {
        let line = self.line.clone();
        let (circuits, name) = (&line.shared.circuits, &line.all[self.at].name);
        while let Way::Shut(fault, left) = circuits.look(provider, name) {
            if self.another().is_some() || self.tries >= retry::TRIES {
                return Err(fault);
            }
            if !left.is_zero() {
                let after_ms = whole_ms(left);
                let (fault, attempt) = (fault.into(), self.tries);
                self.write(StepKind::Retried { fault, attempt, after_ms, replaces: false }).await;
            }
            let since_ms = line.shared.now_ms();
            let found = circuits.found_out(provider, name).await;
            let waited_ms = u64::try_from(line.shared.now_ms() - since_ms).unwrap_or(0);
            self.hold(StepKind::StoodInLine { waited_ms });
            self.tries += u32::from(found.is_err());
        }
        Ok(())
    }

    /// Whoever stands behind this model and may be asked in its place.
    fn another(&self) -> Option<usize> {
        let Inner { all, gone, .. } = &*self.line;
        (self.at + 1..all.len()).find(|at| !gone.has(&all[*at].name))
    }

    /// The request as this model is asked: in its own name, and with room for
    /// the answer in its window.
    fn as_asked(&self, ready: &Ready) -> ModelRequest {
        let name = ready.name.split_once('/').map_or(&*ready.name, |(_, name)| name);
        let max_tokens = ready.window.answer(self.request.max_tokens);
        let max_tokens = match self.length {
            Length::AsWanted => max_tokens,
            Length::Shorter => ready.window.shorter(max_tokens).unwrap_or(max_tokens),
        };
        let request = ModelRequest { model: name.to_owned(), max_tokens, ..self.request.clone() };
        self.narrowed.fit(ready.window, request)
    }

    /// Nobody knows how much this model reads and writes, and it may have refused
    /// to write so much: it is asked once more for less.
    async fn asks_for_less(&mut self, fault: &ModelFault) -> bool {
        let window = self.line.all[self.at].window;
        let may_be_for_that = match fault.trouble {
            Trouble::TooLong => true,
            Trouble::Refused => fault.kind.is_none(),
            _ => false,
        };
        let can_be_less = window.shorter(self.request.max_tokens).is_some();
        if !may_be_for_that || !can_be_less || self.length == Length::Shorter {
            return false;
        }
        self.length = Length::Shorter;
        self.asks_again_at_once(fault).await;
        true
    }

    /// It has refused what ought to have fitted: it is asked again for what fits less. What it
    /// said that it reads counts from now on, whoever asks.
    async fn asks_with_less(&mut self, fault: &ModelFault) -> bool {
        let ready = &self.line.all[self.at];
        let request = self.as_asked(ready);
        if fault.trouble != Trouble::TooLong
            || !self.narrowed.narrow(ready.window, &request, fault.window)
        {
            return false;
        }
        if let Some(tokens) = fault.window {
            let line = self.line.clone();
            windows::learn(&line.shared, &line.all[self.at].name, tokens).await;
        }
        self.asks_again_at_once(fault).await;
        true
    }

    async fn asks_again_at_once(&mut self, fault: &ModelFault) {
        let (fault, attempt) = (fault.clone().into(), self.tries);
        self.write(StepKind::Retried { fault, attempt, after_ms: 0, replaces: false }).await;
    }

    /// `None` where the answer does not count and another one is on its way.
    async fn done(&mut self, finish: Finish, usage: Usage) -> Option<Delta> {
        let stage = mem::replace(&mut self.stage, Stage::Begins);
        let Stage::Hears(asked) = stage else {
            self.tell_who_stands_in(&self.line.all[self.at].name);
            return Some(Delta::Done { finish, usage: self.used.plus(usage) });
        };
        let Asked { answer, keep } = *asked;
        // Gives back the place in the queue before anything is waited for.
        drop(answer);
        self.used = self.used.plus(usage);
        let done = Delta::Done { finish, usage: self.used };
        if finish == Finish::Stop && self.heard.says_nothing() {
            let fault = ModelFault::wordless(&self.line.all[self.at].name);
            // Who never finds a word has said so: what that means is for the run.
            return self.failed(fault, Tried::Asked).await.map(|_| done);
        }
        let Inner { shared, run, unwritten, all, .. } = &*self.line;
        let name = &all[self.at].name;
        if shared.stand_ins.is_back(run.agent, name) {
            unwritten.hold([Entry::Back { model: name.clone() }]);
        }
        self.tell_who_stands_in(name);
        if let Some((key, request)) = keep
            && matches!(finish, Finish::Stop | Finish::ToolCalls)
        {
            cache::keep(shared, key, run, name, &request, &self.heard).await;
        }
        Some(done)
    }

    /// Where this model has answered for one that only a person can bring back.
    fn tell_who_stands_in(&self, by: &str) {
        let Some((first, why)) = &self.first_fault else { return };
        let Inner { shared, run, unwritten, all, .. } = &*self.line;
        let (agent, model) = (run.agent, all[*first].name.clone());
        if shared.stand_ins.is_news(agent, &model, why.trouble) {
            let fault = Box::new(Fault::from(why.clone()));
            let (by, at_ms) = (by.to_owned(), shared.now_ms());
            unwritten.hold([Entry::StoodIn { model, by, fault, at_ms }]);
        }
    }

    /// Waits for the next try, or goes on to the next model; gives the fault
    /// back where there is neither.
    async fn failed(&mut self, fault: ModelFault, tried: Tried) -> Option<ModelFault> {
        let heard = mem::take(&mut self.heard);
        let replaces = heard.has_words();
        self.is_void = !heard.is_nothing();
        if tried == Tried::Asked
            && !self.is_void
            && (self.asks_for_less(&fault).await || self.asks_with_less(&fault).await)
        {
            return None;
        }
        let Inner { shared, all, gone, .. } = &*self.line;
        let pause = retry::pause(self.tries, fault.trouble, (shared.chance)());
        if let Some(pause) = pause.filter(|_| tried == Tried::Asked) {
            let after_ms = whole_ms(pause);
            let (fault, attempt) = (fault.into(), self.tries);
            self.write(StepKind::Retried { fault, attempt, after_ms, replaces }).await;
            tokio::time::sleep(pause).await;
            return None;
        }
        let fault = with_pause(fault);
        let another = retry::lets_another(fault.trouble);
        let Some(next) = self.another().filter(|_| another) else { return Some(fault) };
        let (from, to) = (all[self.at].name.clone(), all[next].name.clone());
        gone.add(&from);
        let said = Fault::from(fault.clone());
        self.write(StepKind::FellBack { from, to, fault: said, replaces }).await;
        self.first_fault.get_or_insert((self.at, fault));
        (self.at, self.tries, self.length) = (next, 0, Length::AsWanted);
        self.narrowed = Narrowed::default();
        None
    }

    /// What the person is told once, whoever was asked.
    fn fails(&mut self, fault: ModelFault) -> Delta {
        let fault = match self.first_fault.take() {
            Some((_, first)) if !matches!(fault.trouble, Trouble::Budget { .. }) => {
                let name = &self.line.all[self.at].name;
                let message = in_its_place(&first.message, name, &fault.message);
                ModelFault { message, ..first }
            }
            Some(_) | None => fault,
        };
        Delta::Failed { fault, usage: self.used }
    }

    fn hold(&self, kind: StepKind) {
        let Inner { shared, unwritten, .. } = &*self.line;
        unwritten.hold([Entry::Step { kind, at_ms: shared.now_ms() }]);
    }

    /// Written before the pause, so that everybody can see why nothing moves.
    fn write(&self, kind: StepKind) -> impl Future<Output = ()> + Send + use<> {
        self.hold(kind);
        let Inner { shared, run, unwritten, .. } = &*self.line;
        let (with, run, unwritten) = (shared.clone(), run.clone(), unwritten.clone());
        // A run that is stopped here must not lose what it has taken to write.
        let writing = shared.tasks.spawn(async move { unwritten.write(&with, &run).await });
        writing.map(|written| {
            if let Err(error) = written {
                tracing::error!(%error, "steps were not written");
            }
        })
    }
}

fn whole_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Says how long a provider wants to be left alone, if nobody waits for it.
fn with_pause(fault: ModelFault) -> ModelFault {
    match fault.trouble {
        Trouble::Busy { retry_after: Some(pause) } if pause.as_secs() >= 60 => {
            let minutes = pause.as_secs().div_ceil(60);
            let message = format!("{}; it asks for a pause of {minutes} min", fault.message);
            ModelFault { message, ..fault }
        }
        _ => fault,
    }
}

/// One sentence of both: whichever is put right first, somebody can be asked. What the
/// window has words of its own for is only one of them.
fn neither(first: Fault, name: &str, other: &Fault) -> Fault {
    let message = in_its_place(&first.message, name, &other.message);
    let fix = match other.fix == first.fix {
        true => first.fix,
        false => format!("{}; or for {name}: {}", first.fix, other.fix),
    };
    Fault { message, fix, kind: None, ..first }
}

fn in_its_place(first: &str, name: &str, other: &str) -> String {
    format!("{first}; {name} in its place: {other}")
}

/// A provider that cannot be asked at all, for want of a key for example.
fn unservable(fault: &Fault) -> ModelFault {
    let trouble = match fault.code {
        FaultCode::Key => Trouble::Key,
        FaultCode::NoModel => Trouble::UnknownModel,
        FaultCode::Engine => Trouble::ModelFile,
        _ => Trouble::Refused,
    };
    let kind = fault.kind.clone();
    ModelFault { kind, ..ModelFault::new(trouble, fault.message.clone(), fault.fix.clone()) }
}

fn ended_too_early() -> Delta {
    let message = "the model's answer ended without an end";
    Delta::failed(ModelFault::new(Trouble::BrokenAnswer, message, "try again"))
}
