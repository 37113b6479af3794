//! What a run sent to models, word for word.
//!
//! A request begins as the one before it did. What it repeats is not printed
//! again but named, so that a long turn can be read; `--json` prints each whole.

use crate::screen::Paint;
use domain::{AnswerFormat, RunDetail, SentRequest, SentRole, SentTurn, StepKind, ToolSpec};

/// That there is more to see, and how.
pub(super) fn left_out(detail: &RunDetail) -> String {
    let RunDetail { run, sent, .. } = detail;
    match sent {
        0 => format!("\n{}\n", nothing(detail)),
        1 => format!("\nIt sent one request: coterie run show {} --prompt\n", run.id),
        n => format!("\nIt sent {n} requests: coterie run show {} --prompt\n", run.id),
    }
}

pub(super) fn told(paint: Paint, detail: &RunDetail, requests: &[SentRequest]) -> String {
    if requests.is_empty() {
        let prompt = &detail.context.system_prompt;
        let prompt = match prompt.is_empty() {
            true => String::new(),
            false => format!("\n{}\n{prompt}\n", paint.strong("[system]")),
        };
        return format!("\n{}\n{prompt}", nothing(detail));
    }
    let before = std::iter::once(None).chain(requests.iter().map(Some));
    requests.iter().zip(before).map(|(request, before)| one(paint, request, before)).collect()
}

/// Why there is no request to show.
fn nothing(detail: &RunDetail) -> &'static str {
    let is = |wanted: fn(&StepKind) -> bool| detail.steps.iter().any(|step| wanted(&step.kind));
    if is(|step| matches!(step, StepKind::FromCache { .. })) {
        "It sent nothing: the same had been asked a short while before."
    } else if is(|step| matches!(step, StepKind::UsageRecorded { .. })) {
        "What it sent is not on record here, only its system prompt."
    } else {
        "It sent nothing to a model."
    }
}

fn one(paint: Paint, request: &SentRequest, before: Option<&SentRequest>) -> String {
    let SentRequest { n, model, turns, tools, .. } = request;
    let mut text = format!("\n{}\n", paint.strong(&format!("request {n} to {model}")));
    text += &how(paint, request);
    text += &match before {
        Some(before) if before.tools == *tools && !tools.is_empty() => {
            format!("{} as in request {}\n", paint.faint("tools"), before.n)
        }
        Some(_) | None => offered(paint, tools),
    };
    let known = before.map_or(0, |before| {
        let same = before.turns.iter().zip(turns).take_while(|(one, other)| one == other);
        same.count()
    });
    if let Some(before) = before.filter(|_| known > 0) {
        let known = match known {
            1 => "the first message".to_owned(),
            known => format!("the first {known} messages"),
        };
        text += &format!("{}\n", paint.faint(&format!("{known} as in request {}", before.n)));
    }
    text + &turns[known..].iter().map(|turn| said(paint, turn)).collect::<String>()
}

fn how(paint: Paint, request: &SentRequest) -> String {
    let SentRequest { temperature, max_tokens, stop, seed, format, .. } = request;
    let mut how = vec![
        format!("temperature {temperature}"),
        format!("at most {max_tokens} tokens"),
        match stop.as_slice() {
            [] => "no stop sequences".to_owned(),
            stop => {
                format!("stops before {}", stop.iter().map(quoted).collect::<Vec<_>>().join(", "))
            }
        },
    ];
    how.extend(seed.map(|seed| format!("seed {seed}")));
    let form = match format {
        None => "any form of answer".to_owned(),
        Some(AnswerFormat::Gbnf { grammar }) => format!("an answer that matches\n{grammar}"),
        Some(AnswerFormat::JsonSchema { schema }) => {
            format!("JSON as an answer that matches {schema}")
        }
    };
    how.push(form);
    format!("{}\n", paint.faint(&how.join(" · ")))
}

fn quoted(text: &String) -> String {
    format!("{text:?}")
}

fn offered(paint: Paint, tools: &[ToolSpec]) -> String {
    if tools.is_empty() {
        return format!("{} none\n", paint.faint("tools"));
    }
    let one =
        |tool: &ToolSpec| format!("  {}: {}\n    {}\n", tool.name, tool.description, tool.input);
    format!("{}\n{}", paint.faint("tools"), tools.iter().map(one).collect::<String>())
}

fn said(paint: Paint, turn: &SentTurn) -> String {
    let SentTurn { role, content, calls, answers, images, kept } = turn;
    let role = match (role, answers) {
        (SentRole::System, _) => "system".to_owned(),
        (SentRole::User, _) => "user".to_owned(),
        (SentRole::Assistant, _) => "assistant".to_owned(),
        (SentRole::Tool, Some(call)) => format!("tool, result of {call}"),
        (SentRole::Tool, None) => "tool".to_owned(),
    };
    let mut text = format!("{}\n", paint.strong(&format!("[{role}]")));
    if !content.is_empty() {
        text += content;
        text.push('\n');
    }
    for image in images {
        text += &format!("({}, {} bytes of base64)\n", image.media_type, image.bytes);
    }
    for call in calls {
        text += &format!("(calls {} as {}: {})\n", call.name, call.id, call.arguments);
    }
    if let Some(kept) = kept {
        text += &format!(
            "(with {} parts that {} had asked to be kept)\n",
            kept.parts.len(),
            kept.model
        );
    }
    text
}
