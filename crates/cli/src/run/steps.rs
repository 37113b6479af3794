//! The steps of a run, one a line.

use super::recalled::Said;
use crate::names::Names;
use crate::screen::Paint;
use crate::table::table;
use crate::words;
use domain::{PlanAction, PlanStep, Run, Step, StepKind};

pub(super) fn steps(paint: Paint, run: &Run, steps: &[Step], names: &Names, said: &Said) -> String {
    let rows = steps.iter().map(|step| {
        let after = words::duration((step.at_ms - run.started_ms).max(0));
        let (name, what) = describe(&step.kind, names, said);
        [step.n.to_string(), after, name.to_owned(), what]
    });
    table(paint, ["step", "after", "", ""], rows.collect())
}

pub(super) fn describe(step: &StepKind, names: &Names, said: &Said) -> (&'static str, String) {
    let name_of = |agent| names.agent_name(agent);
    match step {
        StepKind::Woken { by } => ("woken", format!("by message {by}")),
        StepKind::Decided { verdict, reason } => {
            ("decided", format!("{}: {}", words::verdict(*verdict), words::reason(reason, name_of)))
        }
        StepKind::BriefBuilt { messages, characters } => {
            ("brief built", format!("{messages} messages, {characters} characters"))
        }
        StepKind::StoodInLine { waited_ms } => {
            let waited = i64::try_from(*waited_ms).unwrap_or(i64::MAX);
            ("stood in line", words::duration(waited))
        }
        StepKind::ModelCalled { model } => ("model called", model.clone()),
        StepKind::Delta { text, .. } => ("wrote", on_one_line(text)),
        StepKind::SpokeForAnother { text } => ("left out", on_one_line(text)),
        StepKind::Folded { upto, left_out, tokens_before, tokens_after } => {
            let told = match upto {
                0 => "nothing into notes".to_owned(),
                upto => format!("up to message {upto} into notes"),
            };
            let left_out = match left_out {
                0 => String::new(),
                left_out => format!(", {left_out} messages left out"),
            };
            ("folded", format!("{told}{left_out}: {tokens_before} tokens into {tokens_after}"))
        }
        StepKind::Recalled { query, memories, words_only } => {
            ("recalled", said.told(query, memories, words_only.is_some()))
        }
        StepKind::Planned { plan } => {
            let steps: Vec<_> = plan.steps.iter().map(planned).collect();
            ("planned", steps.join("; "))
        }
        StepKind::Replanned { attempt, because } => {
            ("replanned", format!("time {attempt}: {}", on_one_line(because)))
        }
        StepKind::ToolProposed { tool, arguments, .. } => {
            ("wants", format!("{tool} {}", on_one_line(arguments)))
        }
        StepKind::ApprovalAsked { call, .. } => ("asks first", format!("call {call}")),
        StepKind::ApprovalEnded { call, state } => {
            (words::approval(*state), format!("call {call}"))
        }
        StepKind::Granted { call, grant } => ("may", format!("call {call}, by permission {grant}")),
        StepKind::ToolDispatched { call } => ("begins", format!("call {call}")),
        StepKind::ToolReturned { state, text, .. } => {
            ("returned", returned(words::call_state(*state), on_one_line(text)))
        }
        StepKind::Steered { text, .. } => ("heard", on_one_line(text)),
        StepKind::Kept { kept } => {
            ("kept", format!("{} parts for {}", kept.parts.len(), kept.model))
        }
        StepKind::Reflected { memories } => ("reflected", format!("remembers {}", memories.len())),
        StepKind::UsageRecorded { usage } => ("tokens", words::usage(usage)),
        StepKind::MessagePosted { message } => ("posted", format!("message {message}")),
        StepKind::Retried { fault, attempt, after_ms, replaces } => {
            let (why, anew) = (&fault.message, anew(*replaces));
            match attempt {
                0 => ("waits", format!("{why}; asks after {after_ms} ms")),
                _ => ("failed", format!("try {attempt}: {why}; again after {after_ms} ms{anew}")),
            }
        }
        StepKind::FellBack { from, to, fault, replaces } => {
            let anew = anew(*replaces);
            ("fell back", format!("from {from} to {to}{anew}: {}", fault.message))
        }
        StepKind::FromCache { model, asked_ms } => {
            ("not asked", format!("{model} was asked the same {}", words::ago(*asked_ms)))
        }
        StepKind::Interrupted => ("interrupted", String::new()),
        StepKind::Resumed { by } => ("resumed", format!("by run {by}")),
        StepKind::Settled { outcome } => ("settled", words::outcome(Some(outcome), name_of)),
    }
}

/// What was never begun says so itself.
fn returned(state: &str, text: String) -> String {
    let says_it = text.strip_prefix(state).is_some_and(|rest| rest.starts_with(':'));
    if says_it { text } else { format!("{state}: {text}") }
}

fn anew(replaces: bool) -> &'static str {
    if replaces { ", in the place of what was shown" } else { "" }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn planned(step: &PlanStep) -> String {
    match &step.action {
        PlanAction::Tool { tool, .. } => format!("{} {tool}", step.id),
        PlanAction::Reply { about } => format!("{} reply: {}", step.id, on_one_line(about)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_call_ended_is_said_once() {
        let check = |state: &str, text: &str, expected: &str| {
            assert_eq!(returned(state, text.to_owned()), expected);
        };
        check("skipped", "skipped: something new was said", "skipped: something new was said");
        check("skipped", "skippedly", "skipped: skippedly");
        check("succeeded", "4", "succeeded: 4");
    }
}
