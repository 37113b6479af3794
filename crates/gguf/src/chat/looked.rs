//! What a template takes, seen from what it makes of a few conversations.

use super::{Call, Form, Habits, Message, Template, Tool};
use serde_json::{Value, json};

const ASKED: &str = "asked-of-the-model";
const TOLD: &str = "told-to-the-model";
const ANSWERED: &str = "answered-by-the-model";
const TOOL: &str = "tool_for_the_model";
const PURPOSE: &str = "what-the-tool-is-for";
const INPUT: &str = "input_of_the_tool";
const VALUE: &str = "value-for-the-tool";
const RESULT: &str = "result-of-the-tool";
/// Some templates insist on nine letters or digits.
const ID: &str = "a1b2c3d4e";

/// The template with what it takes; why it cannot be used, if it cannot.
pub(super) fn at(mut template: Template) -> Result<Template, String> {
    let asked = [said("user", ASKED)];
    let tells = |template: &Template| {
        let text = template.render(&asked, &[])?;
        match text.contains(ASKED) {
            true => Ok(()),
            false => Err("it leaves out what was asked".to_owned()),
        }
    };
    if let Err(why) = tells(&template) {
        template.habits.parts = true;
        tells(&template).map_err(|_| why)?;
    }
    let with_system = [said("system", TOLD), said("user", ASKED)];
    template.takes_system =
        template.render(&with_system, &[]).is_ok_and(|text| shows(&text, &[TOLD, ASKED]));
    let Habits { parts, .. } = template.habits;
    for (arguments_text, no_content) in [(false, false), (false, true), (true, false), (true, true)]
    {
        template.habits = Habits { parts, no_content, arguments_text };
        template.form = form(&template);
        if template.form.is_some() {
            return Ok(template);
        }
    }
    template.habits = Habits { parts, ..Habits::default() };
    Ok(template)
}

/// How a call is written, where tools, calls and results are all told.
fn form(template: &Template) -> Option<Form> {
    let tools = [Tool {
        name: TOOL.into(),
        description: PURPOSE.into(),
        input: json!({
            "type": "object",
            "properties": { (INPUT): { "type": "string", "description": "any" } },
            "required": [INPUT],
        }),
    }];
    let arguments = json!({ (INPUT): VALUE });
    let call = Call { id: ID.into(), name: TOOL.into(), arguments: arguments.clone() };
    let calling = Message { calls: vec![call], ..said("assistant", "") };
    let result = Message { answers: Some((ID.into(), TOOL.into())), ..said("tool", RESULT) };
    let asked = said("user", ASKED);

    let offered = template.told(std::slice::from_ref(&asked), &tools, true).ok()?;
    let answered = [asked.clone(), said("assistant", ANSWERED)];
    let answered = template.told(&answered, &tools, false).ok()?;
    let called = template.told(&[asked.clone(), calling.clone()], &tools, false).ok()?;
    let done = template.told(&[asked, calling, result], &tools, true).ok()?;
    if !shows(&offered, &[TOOL, PURPOSE, INPUT]) || !shows(&done, &[VALUE, RESULT]) {
        return None;
    }
    // Before the model's first word both are alike.
    let (head, tail) = answered.split_once(ANSWERED)?;
    let written = &called[before_word(&called, common(head, &called))..];
    let (open, rest) = written.split_once(TOOL)?;
    let key = rest.find(&format!("\"{INPUT}\""))?;
    let (between, object) = rest.split_at(rest[..key].rfind('{')?);
    let first = serde_json::Deserializer::from_str(object).into_iter::<Value>().next();
    let whole = first.is_some_and(|first| first.is_ok_and(|first| first == arguments));
    let (trigger, rest) = trigger(open.trim())?;
    // What ends an answer as well announces no call.
    let own = !tail.contains(trigger) && !between.contains('{') && !between.trim().is_empty();
    (whole && own).then(|| Form {
        trigger: trigger.to_owned(),
        rest: rest.to_owned(),
        between: between.to_owned(),
        only_first: trigger.starts_with('{'),
    })
}

/// The mark that announces a call, and what follows it. A template that has
/// none, but begins its calls with bare JSON, announces them by that.
fn trigger(open: &str) -> Option<(&str, &str)> {
    let closing = match open.chars().next()? {
        '<' => '>',
        '[' => ']',
        '{' => return Some((open, "")),
        _ => return None,
    };
    let end = open.find(closing).map_or(open.len(), |at| at + closing.len_utf8());
    Some(open.split_at(end))
}

/// Where the mark `<…>` begins that the cut would go through.
fn before_word(text: &str, cut: usize) -> usize {
    match text[..cut].rfind(['<', '>']) {
        Some(at) if text[at..].starts_with('<') => at,
        Some(_) | None => cut,
    }
}

fn said(role: &str, content: &str) -> Message {
    Message { role: role.into(), content: content.into(), ..Message::default() }
}

fn shows(text: &str, words: &[&str]) -> bool {
    words.iter().all(|word| text.contains(word))
}

/// How many bytes two texts begin alike with.
fn common(one: &str, other: &str) -> usize {
    let alike = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    alike.map(|(one, _)| one.len_utf8()).sum()
}
