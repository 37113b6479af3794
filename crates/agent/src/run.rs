//! Asking the model and listening until it has finished, failed or been
//! stopped.

use crate::Speech;
use async_trait::async_trait;
use domain::{StepKind, Usage};
use futures::StreamExt;
use llm::{Delta, Finish, Model, ModelFault, ModelRequest, Trouble};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What a run is to think about.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The speaker's name, and the names of everybody else in the group.
    pub own_name: String,
    pub other_names: Vec<String>,
    pub request: ModelRequest,
    /// `provider/model`, for the journal.
    pub model: String,
}

/// Where a run leaves what happens in it.
#[async_trait]
pub trait Journal: Send {
    /// Returns when the step is safe; the run goes on only then.
    async fn step(&mut self, step: StepKind);
    /// A batch of what the model is writing. Must not wait.
    fn wrote(&mut self, text: &str, reasoning: &str);
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// `None` when the agent chose silence.
    pub text: Option<String>,
    pub usage: Usage,
    pub ended: Ended,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    Finished,
    /// The model hit its limit in the middle.
    CutShort,
    Stopped,
    Failed(ModelFault),
}

/// A batch goes out when it has this many pieces or is this old.
const BATCH_PIECES: usize = 10;
const BATCH_AGE: Duration = Duration::from_millis(16);

/// Runs one turn. Returns within 100 ms of `stop`, whatever the model does.
pub async fn run(
    brief: Brief,
    model: &dyn Model,
    journal: &mut dyn Journal,
    stop: &CancellationToken,
) -> Said {
    journal.step(StepKind::ModelCalled { model: brief.model.clone() }).await;
    let speech = Speech::new(&brief.own_name, &brief.other_names);
    let mut listener = Listener { speech, reasoning: String::new(), batch: Batch::default() };
    let (ended, usage) = listener.listen(model, brief.request, journal, stop).await;
    listener.batch.flush(journal);

    let text = listener.speech.text().map(str::to_owned);
    let shown = text.clone().unwrap_or_default();
    journal.step(StepKind::Delta { text: shown, reasoning: listener.reasoning }).await;
    journal.step(StepKind::UsageRecorded { usage }).await;
    fail::fail_point!("agent.answered");
    Said { text, usage, ended }
}

struct Listener {
    speech: Speech,
    reasoning: String,
    batch: Batch,
}

impl Listener {
    async fn listen(
        &mut self,
        model: &dyn Model,
        request: ModelRequest,
        journal: &mut dyn Journal,
        stop: &CancellationToken,
    ) -> (Ended, Usage) {
        let mut stream = model.ask(request);
        loop {
            let delta = tokio::select! {
                biased;
                () = stop.cancelled() => {
                    self.hold_back_no_more();
                    return (Ended::Stopped, Usage::default());
                }
                () = self.batch.is_old() => {
                    self.batch.flush(journal);
                    continue;
                }
                delta = stream.next() => delta,
            };
            match delta {
                Some(Delta::Text(piece)) => {
                    let released = self.speech.push(&piece);
                    self.batch.add(&released, "");
                    if self.speech.is_over() {
                        // Dropping the stream cancels the rest of the call.
                        return (Ended::Finished, Usage::default());
                    }
                }
                Some(Delta::Reasoning(piece)) => {
                    self.reasoning.push_str(&piece);
                    self.batch.add("", &piece);
                }
                // No tool was offered, so there is nothing this could call.
                Some(Delta::ToolCall(call)) => {
                    tracing::debug!(?call, "the model called a tool that it was not given")
                }
                Some(Delta::Done { finish, usage }) => {
                    self.hold_back_no_more();
                    return (ended_by(finish), usage);
                }
                Some(Delta::Failed { fault, usage }) => {
                    self.hold_back_no_more();
                    return (Ended::Failed(fault), usage);
                }
                None => {
                    self.hold_back_no_more();
                    return (Ended::Failed(ended_without_end()), Usage::default());
                }
            }
            if self.batch.pieces >= BATCH_PIECES {
                self.batch.flush(journal);
            }
        }
    }

    fn hold_back_no_more(&mut self) {
        let released = self.speech.finish();
        self.batch.add(&released, "");
    }
}

fn ended_by(finish: Finish) -> Ended {
    match finish {
        Finish::Stop | Finish::ToolCalls => Ended::Finished,
        Finish::Length | Finish::Filtered => Ended::CutShort,
    }
}

fn ended_without_end() -> ModelFault {
    ModelFault::new(Trouble::BrokenAnswer, "the model's answer ended without an end", "try again")
}

/// What has been written since the last batch went out.
#[derive(Default)]
struct Batch {
    text: String,
    reasoning: String,
    pieces: usize,
    since: Option<Instant>,
}

impl Batch {
    fn add(&mut self, text: &str, reasoning: &str) {
        if text.is_empty() && reasoning.is_empty() {
            return;
        }
        self.text.push_str(text);
        self.reasoning.push_str(reasoning);
        self.pieces += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    /// Returns when the oldest piece has waited long enough; never for an
    /// empty batch.
    async fn is_old(&self) {
        match self.since {
            Some(since) => tokio::time::sleep_until(since + BATCH_AGE).await,
            None => std::future::pending().await,
        }
    }

    fn flush(&mut self, journal: &mut dyn Journal) {
        if self.pieces > 0 {
            journal.wrote(&self.text, &self.reasoning);
            *self = Batch::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llm::scripted::{Beat, Scripted};

    /// Keeps the usage that was recorded.
    #[derive(Default)]
    struct Notes(Vec<Usage>);

    #[async_trait]
    impl Journal for Notes {
        async fn step(&mut self, step: StepKind) {
            if let StepKind::UsageRecorded { usage } = step {
                self.0.push(usage);
            }
        }

        fn wrote(&mut self, _: &str, _: &str) {}
    }

    #[tokio::test]
    async fn what_a_broken_answer_had_used_is_recorded() {
        let usage = Usage { input_tokens: Some(20), output_tokens: Some(3), cached_tokens: None };
        let fault = ModelFault::new(Trouble::BrokenAnswer, "cut", "try again");
        let beats = [Beat::Text("I".into()), Beat::Usage(usage), Beat::Fail(fault.clone())];
        let model = Scripted::from_fn(move |_, _| beats.to_vec());
        let request = ModelRequest {
            model: "m".into(),
            turns: vec![],
            temperature: 0.0,
            max_tokens: 9,
            stop: vec![],
            seed: None,
            grammar: None,
            tools: vec![],
        };
        let brief =
            Brief { own_name: "Ada".into(), other_names: vec![], request, model: "test/m".into() };
        let mut notes = Notes::default();
        let said = run(brief, &model, &mut notes, &CancellationToken::new()).await;
        assert_eq!((said.ended, said.usage), (Ended::Failed(fault), usage));
        assert_eq!(notes.0, [usage]);
    }
}
