//! Finds the plan in what a model wrote.
//!
//! Models put plans into fences, behind a preface, into an object of their own
//! making, and call the parts by other names. What they mean is plain; only
//! what is not plain is refused. Half of a plan is never taken for a whole one.

use super::loose::{self, Broken};
use domain::{Plan, PlanAction, PlanStep, ToolSpec};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Why there is no plan in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It was never meant as one.
    NoPlan,
    Wrong(Vec<String>),
}

type Fields = Map<String, Value>;

/// Places in a text that are looked at as the beginning of a plan.
const MOST_BEGINNINGS: usize = 64;
/// Objects around a plan that are looked through.
const MOST_WRAPPINGS: usize = 3;

/// `specs` are the tools that the plan may use.
pub(crate) fn read(text: &str, specs: &[ToolSpec]) -> Result<Plan, Unread> {
    let steps = raw_steps(without_thoughts(text))?;
    let mut problems = Vec::new();
    let mut plan = Plan::default();
    let mut taken: BTreeSet<String> =
        steps.iter().filter_map(|step| own_id(step.as_object()?)).collect();
    let reading = Reading { specs };
    for (at, step) in steps.iter().enumerate() {
        match reading.step(step) {
            Ok(mut step) => {
                if step.id.is_empty() {
                    step.id = free_id(at + 1, &mut taken);
                }
                plan.steps.push(step);
            }
            Err(problem) => problems.push(format!("step {}: {problem}", at + 1)),
        }
    }
    if problems.is_empty() { Ok(plan) } else { Err(Unread::Wrong(problems)) }
}

/// Whether this is a plan and nothing else, of steps that name these tools or a
/// reply: what merely looks like one is somebody's answer.
pub(crate) fn is_nothing_else(text: &str, specs: &[ToolSpec]) -> bool {
    let text = without_fence(without_thoughts(text).trim());
    let Ok((Value::Object(fields), length)) = loose::value(text) else { return false };
    let Found::Plan(steps) = found(Value::Object(fields), 0) else { return false };
    let is_all = length == text.len() && !steps.is_empty();
    is_all && steps.iter().all(|step| Reading { specs }.names_its_action(step))
}

/// What stands in the only fence of a text that is nothing else.
fn without_fence(text: &str) -> &str {
    let fenced = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let inside = fenced.and_then(|fenced| fenced.split_once('\n'));
    inside.map_or(text, |(_, inside)| inside.trim())
}

/// Some models think aloud before they answer.
fn without_thoughts(text: &str) -> &str {
    let ends = ["</think>", "</thinking>", "</thought>"];
    let after = ends.iter().filter_map(|end| text.rfind(end).map(|at| at + end.len())).max();
    &text[after.unwrap_or(0)..]
}

/// The steps of the last plan in the text, or of all steps that stand alone.
fn raw_steps(text: &str) -> Result<Vec<Value>, Unread> {
    let mut plan = None;
    let mut alone = Vec::new();
    let mut broken = false;
    let mut from = 0;
    for _ in 0..MOST_BEGINNINGS {
        let Some(at) = text[from..].find(['{', '[']).map(|at| at + from) else { break };
        match loose::value(&text[at..]) {
            Ok((value, length)) => {
                from = at + length;
                match found(value, MOST_WRAPPINGS) {
                    Found::Plan(steps) => plan = Some(steps),
                    // They may be what is left of a plan that nobody can read.
                    Found::Steps(steps) if !broken => alone.extend(steps),
                    Found::Steps(_) | Found::Nothing => {}
                }
            }
            // What follows a whole plan is no part of it.
            Err(Broken::Off) if plan.is_some() => break,
            Err(Broken::Off) => {
                return Err(wrong("it breaks off before its end; write a shorter one"));
            }
            Err(Broken::Wrong) => {
                broken |=
                    text[at..].trim_start_matches(['{', '[', ' ', '\n']).starts_with(['"', '\'']);
                from = at + 1;
            }
        }
    }
    match plan {
        Some(steps) => Ok(steps),
        None if !alone.is_empty() => Ok(alone),
        None if broken => Err(wrong("it is not valid JSON")),
        None => Err(Unread::NoPlan),
    }
}

fn wrong(problem: &str) -> Unread {
    Unread::Wrong(vec![problem.to_owned()])
}

enum Found {
    /// Something that says of itself that it is a plan.
    Plan(Vec<Value>),
    Steps(Vec<Value>),
    Nothing,
}

fn found(value: Value, wrappings: usize) -> Found {
    match value {
        Value::Array(items) if items.iter().any(is_like_a_step) => Found::Steps(items),
        Value::Object(mut fields) => {
            for name in PLAN.iter().chain(WRAPPINGS).copied() {
                match fields.get(name) {
                    Some(Value::Array(_)) if PLAN.contains(&name) => {
                        if let Some(Value::Array(steps)) = fields.remove(name) {
                            return Found::Plan(steps);
                        }
                    }
                    Some(Value::Object(_)) if wrappings > 0 => {
                        let inner = fields.get(name).cloned().unwrap_or_default();
                        match found(inner, wrappings - 1) {
                            Found::Plan(steps) | Found::Steps(steps) => return Found::Plan(steps),
                            Found::Nothing => {}
                        }
                    }
                    _ => {}
                }
            }
            let step = Value::Object(fields);
            if is_like_a_step(&step) { Found::Steps(vec![step]) } else { Found::Nothing }
        }
        _ => Found::Nothing,
    }
}

const PLAN: &[&str] = &["steps", "plan", "actions", "tasks", "tool_calls"];
const WRAPPINGS: &[&str] = &["result", "output", "data"];
const TOOL: &[&str] = &["tool", "tool_name", "function", "action", "name"];
const ARGUMENTS: &[&str] =
    &["arguments", "args", "input", "inputs", "parameters", "params", "tool_input", "action_input"];
const REPLY: &[&str] = &["reply", "answer", "final_answer", "respond", "response"];
const ABOUT: &[&str] = &["about", "text", "content", "message", "description"];
const AFTER: &[&str] = &["after", "depends_on", "dependsOn", "dependencies", "depends", "needs"];
const ID: &[&str] = &["id", "step_id", "key", "step"];
/// What some call the step that answers.
const REPLIES: &[&str] = &["reply", "respond", "answer", "final_answer", "finish", "none"];

fn is_like_a_step(value: &Value) -> bool {
    let Value::Object(fields) = value else { return false };
    TOOL.iter().chain(REPLY).any(|name| fields.contains_key(*name))
}

fn own_id(fields: &Fields) -> Option<String> {
    let id = ID.iter().find_map(|name| short_text(fields.get(*name)?));
    id.map(|id| id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// A step without an id goes by its place, since that is what others call it.
fn free_id(place: usize, taken: &mut BTreeSet<String>) -> String {
    let again = (2..).map(|n| format!("{place}_{n}"));
    let id = std::iter::once(place.to_string()).chain(again).find(|id| !taken.contains(id));
    let id = id.expect("there are more numbers than steps");
    taken.insert(id.clone());
    id
}

fn short_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

struct Reading<'s> {
    specs: &'s [ToolSpec],
}

impl Reading<'_> {
    fn step(&self, value: &Value) -> Result<PlanStep, String> {
        let Value::Object(outer) = value else { return Err("it is not an object".into()) };
        let fields = flat(outer);
        let id = own_id(outer).unwrap_or_default();
        let after = after(&fields)?;
        let required = required(&fields);
        Ok(PlanStep { id, action: self.action(&fields)?, after, required })
    }

    /// Whether it says which of the tools it uses, or that it is the reply.
    fn names_its_action(&self, step: &Value) -> bool {
        let Value::Object(outer) = step else { return false };
        let fields = flat(outer);
        let named =
            TOOL.iter().chain(&["kind", "type"]).filter_map(|name| fields.get(*name)?.as_str());
        named.map(bare_name).any(|name| self.spec(name).is_some() || REPLIES.contains(&name))
    }

    fn action(&self, fields: &Fields) -> Result<PlanAction, String> {
        let names: Vec<&str> =
            TOOL.iter().filter_map(|name| fields.get(*name)?.as_str()).map(bare_name).collect();
        if let Some(spec) = names.iter().find_map(|name| self.spec(name)) {
            let arguments = arguments(fields, spec)?;
            return Ok(PlanAction::Tool { tool: spec.name.clone(), arguments });
        }
        let reply = REPLY.iter().find_map(|name| fields.get(*name)?.as_str());
        let kind = ["kind", "type"].iter().find_map(|name| fields.get(*name)?.as_str());
        let is_reply = names.iter().copied().chain(kind).any(|name| REPLIES.contains(&name));
        if reply.is_some() || is_reply {
            return Ok(PlanAction::Reply { about: about(reply, fields) });
        }
        let name = names.first().ok_or("it names no tool")?;
        // It is refused later, with the names that there are.
        let arguments = given_arguments(fields).unwrap_or_default();
        Ok(PlanAction::Tool { tool: (*name).to_owned(), arguments: Value::Object(arguments) })
    }

    fn spec(&self, name: &str) -> Option<&ToolSpec> {
        let exactly = self.specs.iter().find(|spec| spec.name == name);
        exactly.or_else(|| self.specs.iter().find(|spec| spec.name.eq_ignore_ascii_case(name)))
    }
}

/// With what stands in `{"action": {"tool": …}}` and `{"function": {"name": …}}`.
fn flat(outer: &Fields) -> Fields {
    let inner =
        ["action", "function", "tool"].iter().find_map(|name| outer.get(*name)?.as_object());
    match inner {
        Some(inner) => outer.iter().chain(inner).map(|(k, v)| (k.clone(), v.clone())).collect(),
        None => outer.clone(),
    }
}

fn bare_name(name: &str) -> &str {
    let name = name.trim().trim_matches('`');
    name.strip_prefix("functions.").unwrap_or(name).trim_end_matches("()")
}

fn about(reply: Option<&str>, fields: &Fields) -> String {
    let arguments = given_arguments(fields).unwrap_or_default();
    let told = |fields: &Fields| {
        ABOUT.iter().find_map(|name| fields.get(*name)?.as_str().map(str::to_owned))
    };
    let about = reply.map(str::to_owned);
    about.or_else(|| told(&arguments)).or_else(|| told(fields)).unwrap_or_default()
}

/// As an object, also where its text was given, where the only argument was
/// given without its name, or where the arguments stand in the step itself.
fn arguments(fields: &Fields, spec: &ToolSpec) -> Result<Value, String> {
    if let Some(given) = given_arguments(fields) {
        return Ok(Value::Object(given));
    }
    let known: Vec<&String> =
        spec.input["properties"].as_object().into_iter().flat_map(Map::keys).collect();
    let given = ARGUMENTS.iter().find_map(|name| fields.get(*name).filter(|v| !v.is_null()));
    match (given, &known[..]) {
        (Some(Value::Array(items)), [only]) if items.len() == 1 => {
            Ok(Value::Object(Map::from_iter([((*only).clone(), items[0].clone())])))
        }
        (Some(Value::String(_) | Value::Number(_) | Value::Bool(_)), [only]) => {
            let value = given.cloned().unwrap_or_default();
            Ok(Value::Object(Map::from_iter([((*only).clone(), value)])))
        }
        (Some(_), _) => Err("its arguments are not an object".into()),
        (None, _) => {
            let inline = known.into_iter().filter(|name| {
                let reserved = [ID, TOOL, AFTER, REPLY];
                !reserved.iter().any(|names| names.contains(&name.as_str()))
            });
            let inline = inline.filter_map(|name| Some((name.clone(), fields.get(name)?.clone())));
            Ok(Value::Object(inline.collect()))
        }
    }
}

fn given_arguments(fields: &Fields) -> Option<Fields> {
    match ARGUMENTS.iter().find_map(|name| fields.get(*name))? {
        Value::Object(given) => Some(given.clone()),
        Value::String(text) => match loose::value(text.trim()) {
            Ok((Value::Object(given), length)) if length == text.trim().len() => Some(given),
            _ => None,
        },
        _ => None,
    }
}

fn after(fields: &Fields) -> Result<Vec<String>, String> {
    let Some(given) = AFTER.iter().find_map(|name| fields.get(*name)) else {
        return Ok(Vec::new());
    };
    let ids: Option<Vec<String>> = match given {
        Value::Null | Value::Bool(false) => Some(Vec::new()),
        Value::Array(items) => items.iter().map(short_text).collect(),
        Value::String(text) => Some(text.split([',', '，', '、']).map(str::to_owned).collect()),
        one => short_text(one).map(|id| vec![id]),
    };
    let ids = ids.ok_or("what it waits for is not a list of ids")?;
    let said =
        |id: &String| !id.is_empty() && !["none", "null"].contains(&id.to_lowercase().as_str());
    Ok(ids.into_iter().map(|id| id.trim().to_owned()).filter(said).collect())
}

fn required(fields: &Fields) -> bool {
    let is = |value: &Value, word: &str| {
        value.as_str().is_some_and(|text| text.trim().eq_ignore_ascii_case(word))
            || value.as_bool().is_some_and(|given| given.to_string() == word)
    };
    let not_required = fields.get("required").is_some_and(|value| is(value, "false"));
    let optional = fields.get("optional").is_some_and(|value| is(value, "true"));
    !not_required && !optional
}
