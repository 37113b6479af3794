//! A run as a file: its record as lines of JSON, and the models' part of it as
//! a trace that can be played.
//!
//! A record that was cut off at its end is read as far as its lines are whole,
//! and says so. One that is damaged anywhere else is refused: nothing after
//! the damage could be trusted.

use crate::screen::line;
use domain::{Fault, Outcome, Run, RunContext, RunDetail, RunState, Step, StepKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The first line. Readers refuse a version they do not know.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    format: String,
    version: u32,
    run: Run,
    context: RunContext,
}

const FORMAT: &str = "coterie-run";
const VERSION: u32 = 1;

/// The run on a line, and then each of its steps.
pub(super) fn write(detail: RunDetail) -> String {
    let RunDetail { run, context, steps, .. } = detail;
    let mut text = line(&Header { format: FORMAT.into(), version: VERSION, run, context });
    steps.iter().for_each(|step| text += &line(step));
    text
}

/// A run as it was read from a file.
#[derive(Debug, PartialEq)]
pub(super) struct Exported {
    pub run: Run,
    pub context: RunContext,
    pub steps: Vec<Step>,
    /// Bytes of a last line without its end. They are nobody's.
    pub torn: usize,
}

/// Reads what [`write`] wrote.
pub(super) fn read(bytes: &[u8]) -> Result<Exported, Fault> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let (text, tail) = bytes.split_at(whole);
    let mut lines = text.split_inclusive(|byte| *byte == b'\n').zip(1..);
    let Some((first, _)) = lines.next() else {
        return Err(Fault::bad_input("it ends before its first line does", AGAIN));
    };
    let Header { run, context, .. } = header(first)?;
    let mut steps = Vec::new();
    for (line, number) in lines {
        let step: Step = serde_json::from_slice(line).map_err(|error| damaged(number, error))?;
        if step.run != run.id {
            return Err(damaged(number, "it belongs to another run"));
        }
        let due = steps.last().map_or(1, |last: &Step| last.n + 1);
        if step.n != due {
            return Err(damaged(number, format!("step {due} is missing")));
        }
        steps.push(step);
    }
    Ok(Exported { run, context, steps, torn: tail.len() })
}

const AGAIN: &str = "export the run again: coterie run export";

fn header(line: &[u8]) -> Result<Header, Fault> {
    #[derive(Deserialize)]
    struct Kind {
        format: String,
        version: u32,
    }
    let kind: Kind = serde_json::from_slice(line).map_err(|error| damaged(1, error))?;
    if kind.format != FORMAT {
        return Err(Fault::bad_input(format!("it is no {FORMAT}, but {:?}", kind.format), AGAIN));
    }
    if kind.version != VERSION {
        return Err(Fault::bad_input(
            format!("it has version {}, and this Coterie reads version {VERSION}", kind.version),
            "use the Coterie that wrote it",
        ));
    }
    serde_json::from_slice(line).map_err(|error| damaged(1, error))
}

fn damaged(line: u32, why: impl std::fmt::Display) -> Fault {
    Fault::bad_input(format!("line {line} is damaged: {why}"), AGAIN)
}

/// What the model answered, as a trace for the provider `scripted`
/// (docs/scripted-traces.md): the nth request gets the nth answer.
pub(super) fn as_trace(detail: &RunDetail) -> String {
    let mut answers = answers(&detail.steps);
    if let Some(last) = answers.last_mut() {
        last.lines.extend(ending(&detail.run));
    }
    let exchanges: Vec<Value> = answers
        .into_iter()
        .zip(1..)
        .map(|(Answer { lines, usage }, nth)| {
            json!({ "when": { "call": nth }, "answer": { "lines": lines, "usage": usage } })
        })
        .collect();
    line(&json!({ "format": "coterie-trace", "version": 1, "exchanges": exchanges }))
}

struct Answer {
    lines: Vec<Value>,
    usage: Value,
}

fn answers(steps: &[Step]) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::new();
    // What stands between two questions and is not from the model, such as a
    // wave of a plan's steps, is not played.
    let mut is_asked = false;
    for step in steps {
        if let StepKind::ModelCalled { .. } = step.kind {
            answers.push(Answer { lines: Vec::new(), usage: json!({}) });
            is_asked = true;
        }
        let Some(answer) = answers.last_mut().filter(|_| is_asked) else { continue };
        match &step.kind {
            StepKind::Delta { text, reasoning } => {
                let said = [("reasoning", reasoning), ("text", text)];
                let said = said.into_iter().filter(|(_, text)| !text.is_empty());
                answer.lines.extend(said.map(|(kind, text)| json!({ kind: text })));
            }
            StepKind::ToolProposed { model_id, tool, arguments, .. } => {
                // What is no JSON is no object either, so the tool refuses it.
                let arguments: Value =
                    serde_json::from_str(arguments).unwrap_or_else(|_| arguments.as_str().into());
                let call = json!({ "id": model_id, "name": tool, "arguments": arguments });
                answer.lines.push(json!({ "tool_call": call }));
            }
            StepKind::UsageRecorded { usage } => {
                let counted = [
                    ("input_tokens", usage.input_tokens),
                    ("output_tokens", usage.output_tokens),
                    ("cached_tokens", usage.cached_tokens),
                ];
                let counted = counted.into_iter().filter_map(|(name, n)| Some((name, n?)));
                answer.usage = counted.collect::<Vec<_>>().into_iter().collect();
                is_asked = false;
            }
            _ => {}
        }
    }
    answers
}

/// How the last answer ends that did not end by itself.
fn ending(run: &Run) -> Option<Value> {
    match (run.state, &run.outcome) {
        (RunState::Failed, Some(Outcome::Failed { fault })) => {
            let trouble = match fault.code {
                domain::FaultCode::Key => "key",
                _ => "broken_answer",
            };
            let fault = json!({ "trouble": trouble, "message": fault.message, "fix": fault.fix });
            Some(json!({ "fault": fault }))
        }
        (RunState::Settled | RunState::Failed, _) => None,
        _ => Some(json!({ "hang": true })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{
        AgentId, Author, Caps, Cause, GroupId, MessageId, Reason, RunId, RunLimits, TurnPolicy,
        Usage,
    };
    use uuid::Uuid;

    fn exported() -> (Run, RunContext, Vec<Step>) {
        let id = RunId(Uuid::from_u128(1));
        let message = MessageId(Uuid::from_u128(2));
        let cause = Cause { message, author: Author::User, reason: Reason::AskedByUser };
        let [agent, group] = [3, 4].map(Uuid::from_u128);
        let run = Run::beginning(id, AgentId(agent), GroupId(group), cause, 1);
        let run = Run { state: RunState::Settled, ended_ms: Some(2), ..run };
        let context = RunContext {
            workspace: "/home/ann/coterie".into(),
            user: "Ann".into(),
            agent_name: "Ada".into(),
            agent_role: "Gardener".into(),
            agent_language: "en".into(),
            agent_model: None,
            parent: None,
            soul: "ada".into(),
            soul_version: 1,
            soul_hash: String::new(),
            group_name: "Tee & 茶".into(),
            members: vec!["Ann".into()],
            members_with_role: Vec::new(),
            members_before: Vec::new(),
            policy: TurnPolicy::Manual,
            caps: Caps::default(),
            model: "test/script".into(),
            plans_with: None,
            fallback: None,
            temperature: 0.5,
            max_tokens: 10,
            limits: RunLimits::default(),
            tools: domain::ToolSpecs::default(),
            skills: Vec::new(),
            mcp_servers: Vec::new(),
            roots: Vec::new(),
            system_prompt: "You are Ada.\nBe kind.".into(),
            links: Vec::new(),
        };
        let kinds = [
            StepKind::Woken { by: message },
            StepKind::ModelCalled { model: "test/script".into() },
            StepKind::Delta { text: "Tee\nund 茶 ☕".into(), reasoning: String::new() },
            StepKind::UsageRecorded { usage: Usage::default() },
        ];
        let steps = kinds.into_iter().zip(1..).map(|(kind, n)| Step { run: id, n, at_ms: 1, kind });
        (run, context, steps.collect())
    }

    fn text() -> Vec<u8> {
        let (run, context, steps) = exported();
        let (decisions, calls) = (Vec::new(), Vec::new());
        write(RunDetail { run, context, steps, decisions, calls, sent: 0 }).into_bytes()
    }

    // Seen in claude-code#53821, claude-code#49876, prime-agent#1785.
    #[test]
    fn wherever_it_is_cut_off_all_whole_lines_are_read_and_the_rest_is_told() {
        let text = text();
        let (run, context, steps) = exported();
        for cut in 0..=text.len() {
            let left = &text[..cut];
            let whole = left.iter().filter(|byte| **byte == b'\n').count();
            let last_end = left.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            match read(left) {
                Ok(read) => {
                    let steps = steps[..whole - 1].to_vec();
                    let (run, context) = (run.clone(), context.clone());
                    assert_eq!(read, Exported { run, context, steps, torn: cut - last_end });
                }
                Err(fault) => assert_eq!(
                    (whole, fault.message.as_str()),
                    (0, "it ends before its first line does"),
                    "cut at {cut}"
                ),
            }
        }
    }

    #[test]
    fn what_is_damaged_in_the_middle_is_refused_with_its_line() {
        let text = String::from_utf8(text()).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let check = |changed: &[&str], said: &str| {
            let fault = read(changed.concat().as_bytes()).unwrap_err();
            assert!(fault.message.contains(said), "{fault}");
        };
        check(&[lines[0], lines[1], lines[3]], "line 3 is damaged: step 2 is missing");
        check(&[lines[0], lines[1], lines[1]], "line 3 is damaged: step 2 is missing");
        check(&[lines[0], "\n", lines[1]], "line 2 is damaged");
        check(&[lines[0], &lines[1][..20], "\n", lines[2]], "line 2 is damaged");
        check(&[lines[0], &lines[1][..20], lines[2], lines[3]], "line 2 is damaged");
        check(&[lines[1], lines[2]], "line 1 is damaged");
        let other = lines[1].replace("00000001\"", "00000009\"");
        check(&[lines[0], &other], "line 2 is damaged: it belongs to another run");
        check(&[&lines[0].replace("coterie-run", "coterie-walk")], "it is no coterie-run");
        check(&[&lines[0].replace("\"version\":1", "\"version\":2")], "it has version 2");
    }

    /// Each byte of a line that is not the last, changed into what no JSON has.
    #[test]
    fn no_changed_byte_in_the_middle_goes_unnoticed() {
        let text = text();
        let last = text[..text.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
        for at in 0..last {
            let mut changed = text.clone();
            changed[at] = 0;
            assert!(read(&changed).is_err(), "byte {at}");
        }
    }
}
