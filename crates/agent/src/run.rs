//! One turn: plan if that is worth it, ask the model, make the calls it wants,
//! show it what came of them, and ask again, until it answers.

use crate::act::{self, Beside, Way, act};
use crate::brief::{Brief, Hands, Journal, Minds, Open};
use crate::listen::{Ear, Ended, Heard, listen};
use crate::planner::{add_said, is_planned};
use crate::{Speech, Spoken, fallback};
use domain::{CallId, CallState, StepKind, Usage};
use llm::{Called, ModelRequest, Turn};
use std::collections::HashMap;
use std::mem;
use tokio_util::sync::CancellationToken;

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// In the last answer; `None` when the agent chose silence.
    pub text: Option<String>,
    /// In those before it, beside calls.
    pub before: Spoken,
    /// In whose name its model wrote, where there is nothing else.
    pub for_another: Option<String>,
    /// Over all calls of the model.
    pub usage: Usage,
    pub ended: Ended,
}

/// Runs one turn. Returns within 100 ms of `stop`, whatever the model and the
/// tools do.
pub async fn run(
    mut brief: Brief,
    minds: Minds<'_>,
    hands: Hands<'_>,
    journal: &mut dyn Journal,
    stop: &CancellationToken,
) -> Said {
    let mut running = Running {
        // The request is copied for each call, and they are the most of it.
        turns: mem::take(&mut brief.request.turns),
        rounds: brief.rounds_before,
        usage: Usage::default(),
        last_failure: None,
        ended: brief.unanswered.plan.ended.clone(),
        spoken: brief.unanswered.said.clone(),
        speech: Speech::new(&brief.own_name, &brief.other_names),
        brief: &brief,
        minds,
        hands,
        stop,
    };
    let said = running.until_it_ends(journal).await;
    fail::fail_point!("agent.answered");
    said
}

pub(crate) struct Running<'a> {
    pub(crate) brief: &'a Brief,
    minds: Minds<'a>,
    pub(crate) hands: Hands<'a>,
    pub(crate) stop: &'a CancellationToken,
    /// Before a word is said.
    speech: Speech,
    /// The conversation as it grows; only its end changes.
    pub(crate) turns: Vec<Turn>,
    /// Answers of the model so far, those of earlier tries included.
    pub(crate) rounds: u32,
    usage: Usage,
    /// What was said beside calls, in earlier tries too.
    spoken: Spoken,
    /// What the newest thing that failed said.
    pub(crate) last_failure: Option<String>,
    /// How the calls of the turn have ended, those of earlier tries included.
    pub(crate) ended: HashMap<CallId, (CallState, String)>,
}

impl Running<'_> {
    async fn until_it_ends(&mut self, journal: &mut dyn Journal) -> Said {
        self.go_on(journal).await;
        let mut instead = None;
        let planned = is_planned(self.brief, self.hands.tools);
        if planned {
            instead = self.work_by_plan(journal).await;
        }
        loop {
            if self.stop.is_cancelled() {
                return self.says(None, Ended::Stopped);
            }
            let heard = match instead.take() {
                Some(heard) => heard,
                None => {
                    // A tool may have taken long, and longer the person who was asked about it.
                    if self.rounds > 0 {
                        add_said(&mut self.turns, journal.news().await);
                    }
                    self.ask(journal).await
                }
            };
            if heard.ended != Ended::Finished {
                return self.says(heard.text, heard.ended);
            }
            if heard.calls.is_empty() {
                if planned && self.is_a_plan(heard.text.as_deref()) {
                    return self.gives_up();
                }
                let alone = heard.for_another.filter(|other| other.is_alone);
                let for_another = alone.map(|other| self.named_in(&other.text));
                return Said { for_another, ..self.answers(heard.text) };
            }
            let text = heard.text.unwrap_or_default();
            if !text.is_empty() {
                self.spoken.add(&text);
                journal.says_more();
            }
            let calls = self.named(heard.calls.clone());
            if self.rounds >= self.brief.limits.max_iterations {
                act::leave(&calls, self.hands).await;
                return self.gives_up();
            }
            let turn = Turn::calling(text, heard.calls);
            self.turns.push(turn.keeping(heard.kept));
            self.make(calls, Beside::WhatOnlyLooks, journal).await;
        }
    }

    /// Makes the calls that earlier tries of the turn left open.
    async fn go_on(&mut self, journal: &mut dyn Journal) {
        let left = &self.brief.unanswered;
        self.make_open(left.calls.clone(), Beside::WhatOnlyLooks.into(), journal).await;
        add_said(&mut self.turns, left.meanwhile.clone());
    }

    /// Asks the model once, with everything that was said and done so far.
    async fn ask(&mut self, journal: &mut dyn Journal) -> Heard {
        let request = ModelRequest { turns: self.turns.clone(), ..self.brief.request.clone() };
        self.put(request, Ear::Speech(Box::new(self.speech.clone())), journal).await
    }

    /// Puts a question to the model and writes down what it said.
    pub(crate) async fn put(
        &mut self,
        request: ModelRequest,
        ear: Ear,
        journal: &mut dyn Journal,
    ) -> Heard {
        self.rounds += 1;
        let (mind, name) = match ear {
            Ear::Speech(_) => (self.minds.answers, &self.brief.model),
            Ear::Plan(_) => (self.minds.plans, &self.brief.plans_with),
        };
        journal.steps(vec![StepKind::ModelCalled { model: name.clone() }]).await;
        let heard = listen(ear, mind, request, journal, self.stop).await;
        self.usage = self.usage.plus(heard.usage);
        journal.steps(self.heard_as_steps(&heard)).await;
        heard
    }

    fn heard_as_steps(&self, heard: &Heard) -> Vec<StepKind> {
        let text = heard.text.clone().unwrap_or_default();
        let mut steps = vec![StepKind::Delta { text, reasoning: heard.reasoning.clone() }];
        let for_another = heard.for_another.clone();
        steps.extend(for_another.map(|other| StepKind::SpokeForAnother { text: other.text }));
        // What comes after an answer without calls is told from its message.
        let kept = heard.kept.clone().filter(|_| !heard.calls.is_empty());
        steps.extend(kept.map(|kept| StepKind::Kept { kept }));
        let calls = self.named(heard.calls.clone());
        steps.extend(calls.iter().map(|(id, called)| act::proposed(*id, called)));
        steps.push(StepKind::UsageRecorded { usage: heard.usage });
        steps
    }

    /// The calls of the newest answer with their identities.
    fn named(&self, calls: Vec<Called>) -> Vec<(CallId, Called)> {
        let name =
            |(place, called)| (act::call_id(self.brief.run, self.rounds, place, &called), called);
        calls.into_iter().enumerate().map(name).collect()
    }

    /// Makes the calls, and gives how each of them ended and what it said.
    pub(crate) async fn make(
        &mut self,
        calls: Vec<(CallId, Called)>,
        way: impl Into<Way>,
        journal: &mut dyn Journal,
    ) -> Vec<(CallState, String)> {
        let open = |(id, called)| Open { id, called, begun: false };
        self.make_open(calls.into_iter().map(open).collect(), way.into(), journal).await
    }

    async fn make_open(
        &mut self,
        calls: Vec<Open>,
        way: Way,
        journal: &mut dyn Journal,
    ) -> Vec<(CallState, String)> {
        if calls.is_empty() {
            return Vec::new();
        }
        let ids: Vec<CallId> = calls.iter().map(|open| open.id).collect();
        let beside = if self.brief.limits.parallel_tools { way.beside } else { Beside::Nothing };
        let acted = act(calls, Way { beside, ..way }, self.hands, journal, self.stop).await;
        self.last_failure = acted.last_failure();
        let texts = acted.turns.iter().map(|turn| turn.content.clone());
        let ended: Vec<_> = acted.states.iter().copied().zip(texts).collect();
        self.ended.extend(ids.into_iter().zip(ended.iter().cloned()));
        self.turns.extend(acted.turns);
        ended
    }

    /// In whose name a text begins.
    fn named_in(&self, text: &str) -> String {
        let line = text.lines().next().unwrap_or(text);
        // The time of day in front of a name has colons of its own.
        let ends = line.match_indices([':', '：']).map(|(end, _)| end).chain([line.len()]);
        let labels = || ends.clone().map(|end| &line[..end]);
        let named = labels().find_map(|label| {
            let folded = label.to_lowercase();
            let mut names = self.brief.other_names.iter();
            names.find(|name| folded.contains(&name.to_lowercase())).cloned()
        });
        let word = |label: &str| {
            let mut words = label.split(|c: char| !c.is_alphanumeric());
            words.find(|word| word.contains(char::is_alphabetic)).map(str::to_owned)
        };
        named.or_else(|| labels().find_map(word)).unwrap_or_default()
    }

    /// An answer without a word after tools were used still says what failed. What was said
    /// before them is an answer.
    fn answers(&self, text: Option<String>) -> Said {
        let is_answered = !self.spoken.is_empty() && self.last_failure.is_none();
        match text {
            Some(text) if text.is_empty() && self.rounds > 1 && !is_answered => self.gives_up(),
            text => self.says(text, Ended::Finished),
        }
    }

    fn gives_up(&self) -> Said {
        let language = &self.brief.language;
        let text = fallback::words(language, self.rounds, self.last_failure.as_deref());
        self.says(Some(text), Ended::GaveUp)
    }

    fn says(&self, text: Option<String>, ended: Ended) -> Said {
        let before = self.spoken.clone();
        Said { text, before, for_another: None, usage: self.usage, ended }
    }
}
