//! One turn: ask the model, make the calls it wants, show it what came of
//! them, and ask again, until it answers.

use crate::act::{self, act};
use crate::brief::{Brief, Hands, Journal};
use crate::listen::{Ended, Heard, listen};
use crate::{Speech, fallback};
use domain::{CallId, StepKind, Usage};
use llm::{Called, Model, ModelRequest, Turn};
use tokio_util::sync::CancellationToken;

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// `None` when the agent chose silence.
    pub text: Option<String>,
    /// Over all calls of the model.
    pub usage: Usage,
    pub ended: Ended,
}

/// Runs one turn. Returns within 100 ms of `stop`, whatever the model and the
/// tools do.
pub async fn run(
    brief: Brief,
    model: &dyn Model,
    hands: Hands<'_>,
    journal: &mut dyn Journal,
    stop: &CancellationToken,
) -> Said {
    let mut running = Running {
        turns: brief.request.turns.clone(),
        rounds: brief.rounds_before,
        usage: Usage::default(),
        last_failure: None,
        brief: &brief,
        model,
        hands,
        stop,
    };
    let said = running.to_its_end(journal).await;
    fail::fail_point!("agent.answered");
    said
}

struct Running<'a> {
    brief: &'a Brief,
    model: &'a dyn Model,
    hands: Hands<'a>,
    stop: &'a CancellationToken,
    /// The conversation as it grows; only its end changes.
    turns: Vec<Turn>,
    /// Answers of the model so far, those of earlier tries included.
    rounds: u32,
    usage: Usage,
    /// What the newest call that failed said.
    last_failure: Option<String>,
}

impl Running<'_> {
    async fn to_its_end(&mut self, journal: &mut dyn Journal) -> Said {
        self.make(self.brief.unanswered.clone(), journal).await;
        loop {
            if self.stop.is_cancelled() {
                return self.says(None, Ended::Stopped);
            }
            let heard = self.ask(journal).await;
            if heard.ended != Ended::Finished {
                return self.says(heard.text, heard.ended);
            }
            if heard.calls.is_empty() {
                return self.answers(heard.text);
            }
            if self.rounds >= self.brief.limits.max_iterations {
                return self.gives_up();
            }
            journal.begins_anew();
            let calls = self.named(heard.calls.clone());
            self.turns.push(Turn::calling(heard.text.unwrap_or_default(), heard.calls));
            self.make(calls, journal).await;
        }
    }

    /// Asks the model once, with everything that was said and done so far.
    async fn ask(&mut self, journal: &mut dyn Journal) -> Heard {
        self.rounds += 1;
        journal.steps(vec![StepKind::ModelCalled { model: self.brief.model.clone() }]).await;
        let speech = Speech::new(&self.brief.own_name, &self.brief.other_names);
        let request = ModelRequest { turns: self.turns.clone(), ..self.brief.request.clone() };
        let heard = listen(speech, self.model, request, journal, self.stop).await;
        self.usage = self.usage.plus(heard.usage);
        journal.steps(self.heard_as_steps(&heard)).await;
        heard
    }

    fn heard_as_steps(&self, heard: &Heard) -> Vec<StepKind> {
        let text = heard.text.clone().unwrap_or_default();
        let mut steps = vec![StepKind::Delta { text, reasoning: heard.reasoning.clone() }];
        steps.extend(self.named(heard.calls.clone()).into_iter().map(|(call, called)| {
            let Called { id: model_id, name: tool, arguments } = called;
            StepKind::ToolProposed { call, model_id, tool, arguments }
        }));
        steps.push(StepKind::UsageRecorded { usage: heard.usage });
        steps
    }

    /// The calls of the newest answer with their identities.
    fn named(&self, calls: Vec<Called>) -> Vec<(CallId, Called)> {
        let name =
            |(place, called)| (act::call_id(self.brief.run, self.rounds, place, &called), called);
        calls.into_iter().enumerate().map(name).collect()
    }

    async fn make(&mut self, calls: Vec<(CallId, Called)>, journal: &mut dyn Journal) {
        if calls.is_empty() {
            return;
        }
        let together = self.brief.limits.parallel_tools;
        let acted = act(calls, together, self.hands, journal, self.stop).await;
        self.last_failure = acted.last_failure();
        self.turns.extend(acted.turns);
    }

    /// An answer without a word after tools were used still says what failed.
    fn answers(&self, text: Option<String>) -> Said {
        match text {
            Some(text) if text.is_empty() && self.rounds > 1 => self.gives_up(),
            text => self.says(text, Ended::Finished),
        }
    }

    fn gives_up(&self) -> Said {
        let language = &self.brief.language;
        let text = fallback::words(language, self.rounds, self.last_failure.as_deref());
        self.says(Some(text), Ended::Finished)
    }

    fn says(&self, text: Option<String>, ended: Ended) -> Said {
        Said { text, usage: self.usage, ended }
    }
}
