//! The front matter of a soul file: which fields there are, and what they may say.
//!
//! Every mistake is found in one pass, each with its place and a sentence that
//! says what would be right. A field that is left empty counts as left out.

use super::effective::NO_MODEL;
use super::nearest::distance;
use super::policy;
use super::yaml::{Field, Node, Value};
use crate::lifecycle::stands_for_another;
use domain::{PlanMode, SoulForm, SoulMistake, SoulProblem, SoulValue};
use serde_json::{Map, Value as Json};
use tools::Allowed;

/// What a soul says about its agent. `None` means that it says nothing, and the
/// workspace's setting or the default holds (see `effective`).
#[derive(Debug, Clone, PartialEq)]
pub struct Front {
    /// The file stem if the soul does not say.
    pub name: String,
    pub role: String,
    pub description: String,
    /// BCP 47 tag, such as `en` or `zh-CN`.
    pub language: Option<String>,
    /// Seed of the generated avatar.
    pub avatar: Option<String>,
    /// `default`, `fast`, `reasoning`, or `provider/model`.
    pub model: Option<String>,
    /// Who plans and decides, and who makes notes; as `model`.
    pub reasoning: Option<String>,
    pub fast: Option<String>,
    /// As `model`, or `none`.
    pub fallback: Option<String>,
    pub temperature: Option<f32>,
    pub max_tokens: Option<u32>,
    pub tools: Option<Vec<String>>,
    pub skills: Option<Vec<String>>,
    pub mcp: Option<Vec<String>>,
    pub roots: Option<Vec<String>>,
    pub delegates: Option<Vec<String>>,
    pub interests: Option<Vec<String>>,
    /// From 0 to 100.
    pub talkativeness: Option<u8>,
    pub plan: Option<PlanMode>,
    /// Kept as written (see `policy`).
    pub policy: Option<Map<String, Json>>,
    /// Kept as written: `tokens_per_day`, `usd_per_day`, `tokens_per_run` and
    /// `usd_per_run`, each a number or `off`. What is left out is as for any
    /// agent; 0 means that nothing may be spent.
    pub budget: Option<Map<String, Json>>,
    /// Kept as written: true or false, a span of time, or a block of `every`, `hours` and
    /// `zone` (see `heartbeat`).
    pub heartbeat: Option<Json>,
    pub response_cache: Option<bool>,
    /// Keys that mean nothing to this version, kept as written.
    pub other: Map<String, Json>,
}

pub(super) const KEYS: [&str; 23] = [
    "name",
    "role",
    "description",
    "language",
    "avatar",
    "model",
    "reasoning",
    "fast",
    "fallback",
    "temperature",
    "max_tokens",
    "tools",
    "skills",
    "mcp",
    "roots",
    "delegates",
    "interests",
    "talkativeness",
    "plan",
    "policy",
    "budget",
    "heartbeat",
    "response_cache",
];

impl Front {
    /// What holds when the file has no front matter.
    pub(crate) fn of(stem: &str) -> Front {
        Front {
            name: stem.to_owned(),
            role: String::new(),
            description: String::new(),
            language: None,
            avatar: None,
            model: None,
            reasoning: None,
            fast: None,
            fallback: None,
            temperature: None,
            max_tokens: None,
            tools: None,
            skills: None,
            mcp: None,
            roots: None,
            delegates: None,
            interests: None,
            talkativeness: None,
            plan: None,
            policy: None,
            budget: None,
            heartbeat: None,
            response_cache: None,
            other: Map::new(),
        }
    }
}

/// Errors and warnings about one file.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) errors: Vec<SoulProblem>,
    pub(crate) warnings: Vec<SoulProblem>,
}

impl Findings {
    pub(crate) fn fill<T>(&mut self, slot: &mut T, found: Result<T, SoulProblem>) {
        match found {
            Ok(value) => *slot = value,
            Err(problem) => self.errors.push(problem),
        }
    }
}

pub(super) fn read(stem: &str, fields: &[Field], findings: &mut Findings) -> Front {
    let mut front = Front::of(stem);
    for field in fields {
        let known = KEYS.contains(&field.key.as_str());
        if !known {
            findings.warnings.push(field.place.problem(unknown(field.key.clone())));
            front.other.insert(field.key.clone(), field.node.to_json());
        } else if !matches!(field.node.value, Value::Nothing) {
            read_field(field, &mut front, findings);
        }
    }
    findings.warnings.extend(delegates_idly(fields, &front));
    front
}

/// Whoever has no tool for it gives nobody a task.
fn delegates_idly(fields: &[Field], front: &Front) -> Option<SoulProblem> {
    let field = fields.iter().find(|field| field.key == "delegates")?;
    let names_some = front.delegates.as_ref().is_some_and(|names| !names.is_empty());
    let lists = match Allowed::from_list(front.tools.as_ref()?) {
        Allowed::Usual | Allowed::Everything => return None,
        Allowed::Listed(lists) => lists,
    };
    let is_idle = names_some && !lists.contains("delegate");
    is_idle.then(|| field.place.problem(SoulMistake::DelegatesIdle))
}

fn read_field(field: &Field, front: &mut Front, findings: &mut Findings) {
    match field.key.as_str() {
        "name" => findings.fill(&mut front.name, name(field)),
        "role" => findings.fill(&mut front.role, line(field, 100)),
        "description" => findings.fill(&mut front.description, line(field, 300)),
        "language" => findings.fill(&mut front.language, language(field).map(Some)),
        "avatar" => findings.fill(&mut front.avatar, line(field, 100).map(Some)),
        "model" => findings.fill(&mut front.model, model(field).map(Some)),
        "reasoning" => findings.fill(&mut front.reasoning, model(field).map(Some)),
        "fast" => findings.fill(&mut front.fast, model(field).map(Some)),
        "fallback" => findings.fill(&mut front.fallback, fallback(field).map(Some)),
        "temperature" => findings.fill(&mut front.temperature, temperature(field).map(Some)),
        "max_tokens" => findings.fill(&mut front.max_tokens, whole(field, 1, 1_000_000).map(Some)),
        "tools" => findings.fill(&mut front.tools, list(field).map(Some)),
        "skills" => findings.fill(&mut front.skills, list(field).map(Some)),
        "mcp" => findings.fill(&mut front.mcp, list(field).map(Some)),
        "roots" => findings.fill(&mut front.roots, list(field).map(Some)),
        "delegates" => findings.fill(&mut front.delegates, list(field).map(Some)),
        "interests" => findings.fill(&mut front.interests, list(field).map(Some)),
        "talkativeness" => {
            findings.fill(&mut front.talkativeness, whole(field, 0, 100).map(|n| Some(n as u8)))
        }
        "plan" => findings.fill(&mut front.plan, plan(field).map(Some)),
        "policy" => {
            front.policy = policy::read(field, findings);
        }
        "budget" => {
            findings.warnings.extend(not_a_budget(field));
            findings.fill(&mut front.budget, budget(field).map(Some));
        }
        "heartbeat" => {
            findings.warnings.extend(says_no_heartbeat(field));
            findings.fill(&mut front.heartbeat, heartbeat(field).map(Some));
        }
        "response_cache" => findings.fill(&mut front.response_cache, truth(field).map(Some)),
        other => unreachable!("{other} is in KEYS and has no arm"),
    }
}

fn name(field: &Field) -> Result<String, SoulProblem> {
    let name = text(field)?;
    let problem = |mistake: SoulMistake| Err(field.node.place.problem(mistake));
    let found = shown(&field.node);
    let length = name.chars().count();
    if name.contains(['\n', '\r']) || length == 0 || length > 64 {
        return problem(SoulMistake::NameLength { most: 64, found });
    }
    if name.contains('@') {
        return problem(SoulMistake::NameHas { character: '@', found });
    }
    if name.chars().any(|c| c.is_whitespace() || invisible(c)) {
        return problem(SoulMistake::NameSpaces { found });
    }
    if stands_for_another(name) {
        return problem(SoulMistake::NameReserved { found });
    }
    Ok(name.to_owned())
}

/// Characters that would make two names look the same.
fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn line(field: &Field, longest: u32) -> Result<String, SoulProblem> {
    let text = text(field)?.trim();
    if text.contains(['\n', '\r']) {
        let mistake = SoulMistake::FieldLines { field: field.key.clone() };
        return Err(field.node.place.problem(mistake));
    }
    let length = text.chars().count();
    if length > longest as usize {
        let mistake = SoulMistake::FieldLong {
            field: field.key.clone(),
            length: u32::try_from(length).unwrap_or(u32::MAX),
            most: longest,
        };
        return Err(field.node.place.problem(mistake));
    }
    Ok(text.to_owned())
}

fn language(field: &Field) -> Result<String, SoulProblem> {
    let tag = text(field)?;
    let mut parts = tag.split('-');
    let first = parts.next().unwrap_or_default();
    let fits = (2..=8).contains(&first.len())
        && first.chars().all(|c| c.is_ascii_alphabetic())
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric())
        });
    if fits { Ok(tag.to_owned()) } else { Err(wrong(field, SoulForm::Language)) }
}

fn model(field: &Field) -> Result<String, SoulProblem> {
    let model = text(field)?;
    let role = matches!(model, "default" | "fast" | "reasoning");
    let id = model.split_once('/').is_some_and(|(provider, name)| {
        // A server may call a model by words, or by a path with blanks in it.
        let is_word = !provider.is_empty() && !provider.contains(char::is_whitespace);
        is_word && !name.trim().is_empty() && !model.contains(char::is_control)
    });
    if role || id { Ok(model.to_owned()) } else { Err(wrong(field, SoulForm::Model)) }
}

fn fallback(field: &Field) -> Result<String, SoulProblem> {
    if text(field)? == NO_MODEL {
        return Ok(NO_MODEL.to_owned());
    }
    model(field).map_err(|_| wrong(field, SoulForm::Fallback))
}

fn temperature(field: &Field) -> Result<f32, SoulProblem> {
    match &field.node.value {
        Value::Number { value, .. } if (0.0..=2.0).contains(value) => Ok(*value as f32),
        Value::Number { .. } => Err(field.node.place.problem(SoulMistake::FieldRange {
            field: field.key.clone(),
            from: 0,
            to: 2,
            found: shown(&field.node),
        })),
        Value::Nothing | Value::Truth(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => {
            Err(wrong(field, SoulForm::Number { from: 0, to: 2 }))
        }
    }
}

pub(super) fn whole(field: &Field, lowest: u32, highest: u32) -> Result<u32, SoulProblem> {
    let found = match &field.node.value {
        Value::Number { raw, .. } => raw.parse().ok().filter(|n| (lowest..=highest).contains(n)),
        Value::Nothing | Value::Truth(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => None,
    };
    found.ok_or_else(|| wrong(field, SoulForm::Whole { from: lowest, to: highest }))
}

fn plan(field: &Field) -> Result<PlanMode, SoulProblem> {
    let word = if let Value::Text(word) = &field.node.value { word.as_str() } else { "" };
    match word {
        "never" => Ok(PlanMode::Never),
        "auto" => Ok(PlanMode::Auto),
        "always" => Ok(PlanMode::Always),
        _ => Err(wrong(field, SoulForm::Plan)),
    }
}

pub(super) fn truth(field: &Field) -> Result<bool, SoulProblem> {
    if let Value::Truth(truth) = field.node.value {
        Ok(truth)
    } else {
        Err(wrong(field, SoulForm::Truth))
    }
}

pub(crate) fn list(field: &Field) -> Result<Vec<String>, SoulProblem> {
    let Value::List(items) = &field.node.value else {
        return Err(wrong(field, SoulForm::List));
    };
    items
        .iter()
        .map(|item| match &item.value {
            Value::Text(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            Value::Truth(_) | Value::Number { .. } => {
                Err(item.place.problem(SoulMistake::ItemUnquoted {
                    field: field.key.clone(),
                    found: shown(item),
                }))
            }
            Value::Nothing | Value::Text(_) | Value::List(_) | Value::Map(_) => Err(item
                .place
                .problem(SoulMistake::ItemForm { field: field.key.clone(), found: shown(item) })),
        })
        .collect()
}

pub(super) fn map(field: &Field) -> Result<Map<String, Json>, SoulProblem> {
    match field.node.to_json() {
        Json::Object(map) => Ok(map),
        _ => Err(wrong(field, SoulForm::Block)),
    }
}

const BUDGETS: [&str; 4] = ["tokens_per_day", "usd_per_day", "tokens_per_run", "usd_per_run"];

/// A limit that cannot be read must not pass for one that is not there.
fn budget(field: &Field) -> Result<Map<String, Json>, SoulProblem> {
    let limits: &[Field] = if let Value::Map(limits) = &field.node.value { limits } else { &[] };
    for limit in limits.iter().filter(|limit| BUDGETS.contains(&limit.key.as_str())) {
        let fits = match &limit.node.value {
            Value::Nothing | Value::Truth(false) => true,
            Value::Number { value, .. } => *value >= 0.0,
            Value::Text(text) => text.eq_ignore_ascii_case("off"),
            Value::Truth(true) | Value::List(_) | Value::Map(_) => false,
        };
        if !fits {
            return Err(wrong(limit, SoulForm::Limit));
        }
    }
    map(field)
}

fn not_a_budget(budget: &Field) -> impl Iterator<Item = SoulProblem> {
    let limits: &[Field] = if let Value::Map(limits) = &budget.node.value { limits } else { &[] };
    limits.iter().filter(|limit| !BUDGETS.contains(&limit.key.as_str())).map(|limit| {
        limit.place.problem(SoulMistake::LimitUnknown {
            field: limit.key.clone(),
            known: BUDGETS.join(", "),
        })
    })
}

fn heartbeat(field: &Field) -> Result<Json, SoulProblem> {
    match &field.node.value {
        Value::Truth(_) | Value::Text(_) | Value::Map(_) => Ok(field.node.to_json()),
        Value::Nothing | Value::Number { .. } | Value::List(_) => {
            Err(wrong(field, SoulForm::Heartbeat))
        }
    }
}

/// One that nobody can tell the times of: there is none then.
fn says_no_heartbeat(field: &Field) -> Option<SoulProblem> {
    let said = heartbeat(field).ok()?;
    super::heartbeat::read(&said).is_err().then(|| wrong(field, SoulForm::Heartbeat))
}

pub(crate) fn text(field: &Field) -> Result<&str, SoulProblem> {
    match &field.node.value {
        Value::Text(text) => Ok(text),
        Value::Nothing | Value::Truth(_) | Value::Number { .. } => {
            Err(field.node.place.problem(SoulMistake::FieldUnquoted {
                field: field.key.clone(),
                found: shown(&field.node),
            }))
        }
        Value::List(_) | Value::Map(_) => Err(wrong(field, SoulForm::Text)),
    }
}

pub(crate) fn wrong(field: &Field, form: SoulForm) -> SoulProblem {
    field.node.place.problem(SoulMistake::FieldForm {
        field: field.key.clone(),
        form,
        found: shown(&field.node),
    })
}

/// A value as a message names it.
pub(crate) fn shown(node: &Node) -> SoulValue {
    match &node.value {
        Value::Nothing => SoulValue::Nothing,
        Value::Truth(truth) => SoulValue::Word { text: truth.to_string() },
        Value::Number { raw, .. } => SoulValue::Word { text: raw.clone() },
        Value::Text(text) if text.is_empty() => SoulValue::EmptyText,
        Value::Text(text) => {
            let text = text.trim();
            let short: String =
                text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(40).collect();
            let rest = if text.chars().count() > 40 { "…" } else { "" };
            SoulValue::Text { text: format!("{short}{rest}") }
        }
        Value::List(_) => SoulValue::List,
        Value::Map(_) => SoulValue::Block,
    }
}

fn unknown(field: String) -> SoulMistake {
    match KEYS.iter().find(|known| distance(known, &field) <= 2) {
        Some(close) => SoulMistake::FieldMisspelt { field, close: (*close).to_owned() },
        None => SoulMistake::FieldUnknown { field },
    }
}

/// The map that front matter is.
pub(crate) fn fields(node: Option<Node>) -> Result<Vec<Field>, SoulProblem> {
    match node {
        None | Some(Node { value: Value::Nothing, .. }) => Ok(Vec::new()),
        Some(Node { value: Value::Map(fields), .. }) => Ok(fields),
        Some(node) => Err(node.place.problem(SoulMistake::FrontForm { found: shown(&node) })),
    }
}
