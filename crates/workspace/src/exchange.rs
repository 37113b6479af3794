//! What an agent did with its tools in a run, as the turns that a model reads.
//!
//! Pure: it looks at the run's steps. Each call has exactly one result, right
//! after the answer that made it, whatever cut the run off: a provider takes
//! no history without that.

use domain::{CallId, Kept, MessageId, Step, StepKind};
use llm::{Called, Turn};
use std::collections::HashMap;

/// The part of a run that later requests repeat.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Exchange {
    /// Answers with calls and their results; without the final answer, which
    /// is a message.
    pub turns: Vec<Turn>,
    /// How often the model had answered.
    pub rounds: u32,
    /// Calls of the last answer without a result.
    pub unanswered: Vec<(CallId, Called)>,
}

pub(crate) const CUT_OFF: &str = "interrupted: no result came";

/// What a run that is over has done. A call without a result is said to have
/// none.
pub(crate) fn done(steps: &[Step]) -> Vec<Turn> {
    let mut exchange = read(steps);
    let missing = std::mem::take(&mut exchange.unanswered);
    exchange.turns.extend(missing.iter().map(|(_, called)| Turn::answering(&called.id, CUT_OFF)));
    exchange.turns
}

/// How far a run had come that is to go on.
pub(crate) fn read(steps: &[Step]) -> Exchange {
    let results = results(steps);
    let mut exchange = Exchange::default();
    let mut answer: Option<Answer> = None;
    for step in steps {
        match &step.kind {
            StepKind::ModelCalled { .. } => exchange.rounds += 1,
            StepKind::Delta { text, .. } => {
                finish(&mut exchange, answer.take(), &results);
                answer = Some(Answer { text: text.clone(), calls: Vec::new(), kept: None });
            }
            StepKind::Kept { kept } => {
                if let Some(answer) = &mut answer {
                    answer.kept = Some(kept.clone());
                }
            }
            StepKind::ToolProposed { call, model_id, tool, arguments } => {
                let called = Called {
                    id: model_id.clone(),
                    name: tool.clone(),
                    arguments: arguments.clone(),
                };
                if let Some(answer) = &mut answer {
                    answer.calls.push((*call, called));
                }
            }
            StepKind::Steered { text, .. } => {
                finish(&mut exchange, answer.take(), &results);
                exchange.turns.push(Turn::new(llm::Role::User, text.clone()));
            }
            _ => {}
        }
    }
    finish(&mut exchange, answer, &results);
    exchange
}

/// The messages that were read in the middle of a run: its exchange has them.
pub(crate) fn steered(steps: &[Step]) -> impl Iterator<Item = MessageId> {
    steps.iter().flat_map(|step| match &step.kind {
        StepKind::Steered { messages, .. } => messages.clone(),
        _ => Vec::new(),
    })
}

struct Answer {
    text: String,
    calls: Vec<(CallId, Called)>,
    kept: Option<Kept>,
}

type Results<'a> = HashMap<CallId, &'a str>;

fn results(steps: &[Step]) -> Results<'_> {
    let ended = steps.iter().filter_map(|step| match &step.kind {
        StepKind::ToolReturned { call, text, .. } => Some((*call, text.as_str())),
        _ => None,
    });
    ended.collect()
}

/// Adds an answer that made calls, with the results that came.
fn finish(exchange: &mut Exchange, answer: Option<Answer>, results: &Results<'_>) {
    let Some(Answer { text, calls, kept }) = answer.filter(|answer| !answer.calls.is_empty())
    else {
        return;
    };
    let made = calls.iter().map(|(_, called)| called.clone()).collect();
    exchange.turns.push(Turn::calling(text, made).keeping(kept));
    for (id, called) in calls {
        match results.get(&id) {
            Some(text) => exchange.turns.push(Turn::answering(&called.id, *text)),
            None => exchange.unanswered.push((id, called)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{CallState, KeptPart, ProviderKind, RunId};
    use uuid::Uuid;

    fn id(n: u128) -> CallId {
        CallId(Uuid::from_u128(n))
    }

    fn steps(kinds: Vec<StepKind>) -> Vec<Step> {
        let number = |(n, kind)| Step { run: RunId(Uuid::nil()), n: n as u32 + 1, at_ms: 0, kind };
        kinds.into_iter().enumerate().map(number).collect()
    }

    fn wrote(text: &str) -> StepKind {
        StepKind::Delta { text: text.into(), reasoning: String::new() }
    }

    fn proposed(n: u128) -> StepKind {
        let (model_id, tool) = (format!("c{n}"), "calculator".into());
        StepKind::ToolProposed { call: id(n), model_id, tool, arguments: "{}".into() }
    }

    fn returned(n: u128, text: &str) -> StepKind {
        StepKind::ToolReturned { call: id(n), state: CallState::Succeeded, text: text.into() }
    }

    fn called(n: u128) -> Called {
        Called { id: format!("c{n}"), name: "calculator".into(), arguments: "{}".into() }
    }

    #[test]
    fn each_answer_stands_before_its_results_in_the_order_of_its_calls() {
        let asked = || StepKind::ModelCalled { model: "lab/m".into() };
        let steps = steps(vec![
            asked(),
            wrote("Let me see."),
            proposed(1),
            proposed(2),
            returned(2, "two"),
            returned(1, "one"),
            asked(),
            wrote("It is three."),
        ]);
        let expected = [
            Turn::calling("Let me see.", vec![called(1), called(2)]),
            Turn::answering("c1", "one"),
            Turn::answering("c2", "two"),
        ];
        assert_eq!(done(&steps), expected);
        assert_eq!(read(&steps).rounds, 2);
    }

    #[test]
    fn what_the_model_wants_back_comes_back_with_the_answer_that_it_came_with() {
        let own = KeptPart::Own { json: "{\"signature\":\"Eq+/==\"}".into() };
        let kept = Kept { by: ProviderKind::Anthropic, model: "m".into(), parts: vec![own] };
        let keeps = StepKind::Kept { kept: kept.clone() };
        let steps = steps(vec![
            wrote("One."),
            keeps,
            proposed(1),
            returned(1, "one"),
            wrote("Two."),
            proposed(2),
            returned(2, "two"),
        ]);
        let expected = [
            Turn::calling("One.", vec![called(1)]).keeping(Some(kept)),
            Turn::answering("c1", "one"),
            Turn::calling("Two.", vec![called(2)]),
            Turn::answering("c2", "two"),
        ];
        assert_eq!(done(&steps), expected);
    }

    #[test]
    fn what_was_cut_off_is_still_to_be_made_or_said_to_have_no_result() {
        let steps = steps(vec![wrote(""), proposed(1), proposed(2), returned(1, "one")]);
        let calls = Turn::calling("", vec![called(1), called(2)]);
        let exchange = read(&steps);
        assert_eq!(exchange.turns, [calls.clone(), Turn::answering("c1", "one")]);
        assert_eq!(exchange.unanswered, [(id(2), called(2))]);
        let expected = [calls, Turn::answering("c1", "one"), Turn::answering("c2", CUT_OFF)];
        assert_eq!(done(&steps), expected);
    }

    #[test]
    fn what_was_said_meanwhile_stands_behind_the_results_before_it() {
        let steered = StepKind::Steered { messages: Vec::new(), text: "Stop that.".into() };
        let steps =
            steps(vec![wrote(""), proposed(1), returned(1, "one"), steered, wrote("Fine.")]);
        let expected = [
            Turn::calling("", vec![called(1)]),
            Turn::answering("c1", "one"),
            Turn::new(llm::Role::User, "Stop that."),
        ];
        assert_eq!(done(&steps), expected);
    }
}
