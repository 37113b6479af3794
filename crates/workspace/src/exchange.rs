//! What an agent did with its tools in a run, as the turns that a model reads.
//!
//! Pure: it looks at the run's steps. Each call has exactly one result, right
//! after the answer that made it, whatever cut the run off: a provider takes
//! no history without that.
//!
//! A turn that was cut off and taken up again is several runs. Their steps in
//! their order read as those of one.

mod planned;

use agent::{Open, Spoken, Unanswered};
use domain::{CallId, Kept, MessageId, RunId, Step, StepKind};
use llm::{Called, Role, Turn};
use std::collections::{HashMap, HashSet};

/// The part of a turn that later requests repeat.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Exchange {
    /// Answers with calls and their results; without the final answer, which
    /// is a message.
    pub turns: Vec<Turn>,
    /// How often the model had answered.
    pub rounds: u32,
    /// What was begun and has not ended.
    pub unanswered: Unanswered,
}

pub(crate) const CUT_OFF: &str = "interrupted: no result came";

/// What a turn that is over has done. A call without a result is said to have
/// none. Gives also what was said beside the calls: its message begins with that.
pub(crate) fn done(steps: &[Step]) -> (Vec<Turn>, Spoken) {
    let Exchange { mut turns, unanswered, .. } = read(steps);
    let missing = unanswered.calls.iter();
    turns.extend(missing.map(|open| Turn::answering(&open.called.id, CUT_OFF)));
    turns.extend(unanswered.meanwhile);
    (turns, unanswered.said)
}

/// How far a turn had come that is to go on. One that had begun nothing begins
/// anew.
pub(crate) fn read(steps: &[Step]) -> Exchange {
    let Some(turn) = begun_in(steps) else { return Exchange::default() };
    let first = steps.iter().position(|step| step.run == turn).unwrap_or(0);
    let steps = &steps[first..];
    let known = Known::of(steps);
    let mut exchange = Exchange::default();
    exchange.unanswered.turn = Some(turn);
    exchange.unanswered.plan = planned::so_far(steps);
    let mut answer: Option<Answer> = None;
    // How far the newest question has come. Who was cut off in the middle of an answer is
    // asked again.
    let mut question = Question::None;
    let mut run = turn;
    for step in steps {
        if std::mem::replace(&mut run, step.run) != step.run {
            question = Question::None;
        }
        if question == Question::Heard && comes_of_an_answer(&step.kind) {
            exchange.rounds += 1;
            question = Question::None;
        }
        match &step.kind {
            StepKind::ModelCalled { .. } => question = Question::Asked,
            StepKind::Delta { text, .. } => {
                if question == Question::Asked {
                    question = Question::Heard;
                }
                finish(&mut exchange, answer.take(), &known);
                answer = Some(Answer { text: text.clone(), ..Answer::default() });
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
                let said = Turn::new(Role::User, text.clone());
                match &mut answer {
                    Some(answer) if !answer.calls.is_empty() => answer.meanwhile.push(said),
                    Some(_) | None => exchange.turns.push(said),
                }
            }
            _ => {}
        }
    }
    finish(&mut exchange, answer, &known);
    exchange
}

#[derive(PartialEq)]
enum Question {
    None,
    Asked,
    /// Perhaps not to its end.
    Heard,
}

/// Whether the answer before it had come to its end.
fn comes_of_an_answer(kind: &StepKind) -> bool {
    matches!(
        kind,
        StepKind::ToolProposed { .. }
            | StepKind::Planned { .. }
            | StepKind::Replanned { .. }
            | StepKind::ModelCalled { .. }
    )
}

/// The run in which a turn first wanted to do something; what it was only
/// asked is asked again.
fn begun_in(steps: &[Step]) -> Option<RunId> {
    let begins = |step: &&Step| {
        matches!(
            step.kind,
            StepKind::ToolProposed { .. } | StepKind::Planned { .. } | StepKind::Replanned { .. }
        )
    };
    steps.iter().find(begins).map(|step| step.run)
}

/// The messages that were read in the middle of a run: its exchange has them.
pub(crate) fn steered(steps: &[Step]) -> impl Iterator<Item = MessageId> {
    steps.iter().flat_map(|step| match &step.kind {
        StepKind::Steered { messages, .. } => messages.clone(),
        _ => Vec::new(),
    })
}

#[derive(Default)]
struct Answer {
    text: String,
    calls: Vec<(CallId, Called)>,
    kept: Option<Kept>,
    /// What was said before all of them had ended.
    meanwhile: Vec<Turn>,
}

/// What became of the calls.
#[derive(Default)]
struct Known<'a> {
    begun: HashSet<CallId>,
    results: HashMap<CallId, &'a str>,
}

impl<'a> Known<'a> {
    fn of(steps: &'a [Step]) -> Self {
        let mut known = Known::default();
        for step in steps {
            match &step.kind {
                // Somebody was asked about it, and may have answered.
                StepKind::ToolDispatched { call } | StepKind::ApprovalAsked { call, .. } => {
                    known.begun.insert(*call);
                }
                StepKind::ToolReturned { call, text, .. } => {
                    known.results.insert(*call, text.as_str());
                }
                _ => {}
            }
        }
        known
    }
}

/// Adds an answer that made calls, with the results that came.
fn finish(exchange: &mut Exchange, answer: Option<Answer>, known: &Known<'_>) {
    let Some(Answer { text, calls, kept, meanwhile }) =
        answer.filter(|answer| !answer.calls.is_empty())
    else {
        return;
    };
    exchange.unanswered.said.add(&text);
    let made = calls.iter().map(|(_, called)| called.clone()).collect();
    exchange.turns.push(Turn::calling(text, made).keeping(kept));
    let open = &mut exchange.unanswered;
    for (id, called) in calls {
        match known.results.get(&id) {
            Some(text) => exchange.turns.push(Turn::answering(&called.id, *text)),
            None => open.calls.push(Open { id, called, begun: known.begun.contains(&id) }),
        }
    }
    if open.calls.is_empty() {
        exchange.turns.extend(meanwhile);
    } else {
        open.meanwhile.extend(meanwhile);
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
        assert_eq!(done(&steps).0, expected);
        assert_eq!(read(&steps).rounds, 1, "what goes on had not come to its last answer");
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
        assert_eq!(done(&steps).0, expected);
    }

    #[test]
    fn what_was_cut_off_is_still_to_be_made_or_said_to_have_no_result() {
        let steps = steps(vec![wrote(""), proposed(1), proposed(2), returned(1, "one")]);
        let calls = Turn::calling("", vec![called(1), called(2)]);
        let exchange = read(&steps);
        assert_eq!(exchange.turns, [calls.clone(), Turn::answering("c1", "one")]);
        let open = Open { id: id(2), called: called(2), begun: false };
        assert_eq!(exchange.unanswered.calls, [open]);
        let expected = [calls, Turn::answering("c1", "one"), Turn::answering("c2", CUT_OFF)];
        assert_eq!(done(&steps).0, expected);
    }

    #[test]
    fn tries_of_one_turn_read_as_if_nothing_had_cut_them_off() {
        let run = |n: u128| RunId(Uuid::from_u128(n));
        let dispatched = |n| StepKind::ToolDispatched { call: id(n) };
        let asked = || StepKind::ModelCalled { model: "lab/m".into() };
        let steered = StepKind::Steered { messages: Vec::new(), text: "Still there?".into() };
        let tries = [
            (6, vec![asked()]),
            (7, vec![asked(), wrote(""), proposed(1), proposed(2), dispatched(1), dispatched(2)]),
            (8, vec![steered, dispatched(1), dispatched(2), returned(2, "two")]),
            (9, vec![StepKind::Interrupted]),
        ];
        let steps: Vec<Step> = tries
            .into_iter()
            .flat_map(|(n, kinds)| steps(kinds).into_iter().map(move |step| (n, step)))
            .map(|(n, step)| Step { run: run(n), ..step })
            .collect();
        let exchange = read(&steps);
        let calls = Turn::calling("", vec![called(1), called(2)]);
        assert_eq!(exchange.turns, [calls, Turn::answering("c2", "two")]);
        assert_eq!(exchange.rounds, 1, "who was cut off is asked again");
        let left = exchange.unanswered;
        assert_eq!(left.turn, Some(run(7)), "the one before it had begun nothing");
        assert_eq!(left.calls, [Open { id: id(1), called: called(1), begun: true }]);
        assert_eq!(left.meanwhile, [Turn::new(Role::User, "Still there?")]);
        assert_eq!(read(&steps[..1]), Exchange::default());
    }

    #[test]
    fn an_answer_that_was_cut_off_is_no_round_of_the_turn_that_goes_on() {
        let asked = || StepKind::ModelCalled { model: "lab/m".into() };
        let plan = || StepKind::Planned { plan: domain::Plan { steps: Vec::new() } };
        let tries = [
            (7, vec![asked(), wrote("{}"), plan(), asked(), wrote(""), proposed(1)]),
            (8, vec![returned(1, "one"), asked(), wrote("hal")]),
            (9, vec![asked(), wrote("")]),
            (10, vec![asked(), wrote("And two."), proposed(2), returned(2, "two")]),
            (11, vec![asked()]),
        ];
        let of_run = |(n, kinds): (u128, Vec<StepKind>)| {
            let of = move |step| Step { run: RunId(Uuid::from_u128(n)), ..step };
            steps(kinds).into_iter().map(of)
        };
        let steps: Vec<Step> = tries.into_iter().flat_map(of_run).collect();
        assert_eq!(read(&steps).rounds, 3);
    }

    #[test]
    fn what_was_said_meanwhile_stands_behind_the_results_before_it() {
        let steered = StepKind::Steered { messages: Vec::new(), text: "Stop that.".into() };
        let steps =
            steps(vec![wrote(""), proposed(1), returned(1, "one"), steered, wrote("Fine.")]);
        let expected = [
            Turn::calling("", vec![called(1)]),
            Turn::answering("c1", "one"),
            Turn::new(Role::User, "Stop that."),
        ];
        assert_eq!(done(&steps).0, expected);
    }
}
