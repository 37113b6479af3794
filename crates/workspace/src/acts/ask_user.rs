//! `ask_user`: asks the person, and waits for the answer.
//!
//! The question's id is made from the call, so a call that is made again after a
//! crash finds it, answered or not, and nobody is asked twice. No model permit is
//! held meanwhile.

use super::{Act, Ground};
use crate::questions::{self, Heard, New, sounds_secret};
use crate::shared::Shared;
use domain::{
    Asks, Choice, Effects, Fault, Field, Given, Question, QuestionId, QuestionState, Takes,
    TextFormat,
};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::table::messages;
use tools::{CallContext, Returned, Tool};
use uuid::Uuid;

/// Asks the person one question and waits for the answer. Use it only for what you
/// need to go on and they alone know or decide. Never ask for passwords or keys.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The question, so that it can be understood alone.
    question: String,
    /// Answers to choose from. Left out, they answer in their own words.
    #[schemars(length(min = 2, max = 20))]
    choices: Option<Vec<String>>,
    /// Whether more than one of the choices may be chosen.
    several: Option<bool>,
    /// What to fill in, where one answer is not enough. Not together with choices.
    #[schemars(length(min = 1, max = 10))]
    fields: Option<Vec<InputField>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InputField {
    /// What is to be entered, in a word or two.
    name: String,
    /// Text when left out.
    kind: Option<Kind>,
    /// What to choose it from.
    choices: Option<Vec<String>>,
    /// Whether it may be left empty.
    optional: Option<bool>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Text,
    Number,
    YesNo,
    Date,
}

pub(crate) const ASK_USER: &str = "ask_user";
const LONGEST_QUESTION: usize = 2_000;
const LONGEST_CHOICE: usize = 200;
/// Of the only field of a plain question.
const ANSWER: &str = "answer";

pub(crate) fn tool(ground: Ground) -> impl Tool {
    // With the same key it is the same question.
    Act::new(ASK_USER, Effects::Repeatable, ground, |shared, input, with| {
        ask(shared, input, with).boxed()
    })
}

async fn ask(shared: Arc<Shared>, input: Input, with: CallContext) -> Result<Returned, Fault> {
    let text = input.question.trim().to_owned();
    let asks = match asked(input) {
        Ok(fields) => Asks::Form { fields },
        Err(wrong) => return Ok(Returned::failed(format!("not asked: {wrong}"))),
    };
    let id = QuestionId(Uuid::new_v5(&with.key.0, b"question"));
    let new = New { id, call: with.key, run: with.run, server: None, text, asks };
    if let Err(refusal) = questions::ask(&shared, new).await? {
        return Ok(Returned::failed(format!("not asked: {refusal}")));
    }
    match questions::heard(&shared, id, &with.stop).await? {
        Heard::Ended(question) => told(&shared, *question),
        Heard::Stopped => Ok(Returned::stopped()),
    }
}

fn asked(input: Input) -> Result<Vec<Field>, String> {
    let Input { question, choices, several, fields } = input;
    if question.trim().is_empty() {
        return Err("there is no question in it".to_owned());
    }
    if question.chars().count() > LONGEST_QUESTION {
        return Err(format!("a question has {LONGEST_QUESTION} characters at most"));
    }
    let fields = match (choices, fields) {
        (Some(_), Some(_)) => return Err("give choices or fields, not both".to_owned()),
        (choices, None) => {
            let takes = match choices {
                Some(choices) => choice(choices, several.unwrap_or(false))?,
                None => text(None),
            };
            vec![field(ANSWER.to_owned(), takes, true, &question)]
        }
        (None, Some(fields)) => {
            let all: Result<Vec<Field>, String> =
                fields.into_iter().map(|one| to_fill_in(one, &question)).collect();
            all?
        }
    };
    let names: BTreeSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    match names.len() == fields.len() {
        true => Ok(fields),
        false => Err("two fields have the same name".to_owned()),
    }
}

fn to_fill_in(input: InputField, question: &str) -> Result<Field, String> {
    let InputField { name, kind, choices, optional } = input;
    let name = name.trim().to_owned();
    if name.is_empty() || name.chars().count() > LONGEST_CHOICE {
        return Err(format!("a field's name has 1 to {LONGEST_CHOICE} characters"));
    }
    let takes = match (choices, kind.unwrap_or(Kind::Text)) {
        (Some(choices), _) => choice(choices, false)?,
        (None, Kind::Text) => text(None),
        (None, Kind::Date) => text(Some(TextFormat::Date)),
        (None, Kind::Number) => Takes::Number { whole: false, least: None, most: None },
        (None, Kind::YesNo) => Takes::YesNo,
    };
    Ok(field(name, takes, !optional.unwrap_or(false), question))
}

fn field(name: String, takes: Takes, required: bool, question: &str) -> Field {
    let secret = matches!(takes, Takes::Text { .. }) && sounds_secret([&name, question]);
    let (title, about, default) = (None, None, None);
    Field { name, title, about, required, takes, default, sounds_secret: secret }
}

fn text(format: Option<TextFormat>) -> Takes {
    Takes::Text { format, least: None, most: None }
}

fn choice(choices: Vec<String>, several: bool) -> Result<Takes, String> {
    let mut options: Vec<Choice> = Vec::new();
    for value in choices {
        let value = value.trim().to_owned();
        if value.is_empty() || value.chars().count() > LONGEST_CHOICE {
            return Err(format!("a choice has 1 to {LONGEST_CHOICE} characters"));
        }
        if options.iter().all(|one| one.value != value) {
            options.push(Choice { value, title: None });
        }
    }
    if options.len() < 2 {
        return Err("there are no two different choices".to_owned());
    }
    Ok(Takes::Choice { options, several, least: several.then_some(1), most: None })
}

/// What the model reads: the person's own words, or that there are none.
fn told(shared: &Shared, question: Question) -> Result<Returned, Fault> {
    const DECLINED: &str =
        "the person would rather not answer this: go on without it, and do not ask it again";
    const EXPIRED: &str = "no answer came: nobody answered in time; go on without it, or end your turn by saying what you need to know";
    const WITHDRAWN: &str = "the question was withdrawn before anybody answered";
    Ok(match (question.state, question.given) {
        (QuestionState::Answered, Some(Given::Values { values })) => {
            Returned::ok(format!("The person answered: {}", in_words(&question.asks, &values)))
        }
        (QuestionState::Answered, Some(Given::Message { message })) => {
            let message = shared.store.read(|read| messages::find(read, message))?;
            let text = message.as_ref().and_then(|message| message.text()).unwrap_or_default();
            Returned::ok(format!("The person answered in the conversation: {text}"))
        }
        (QuestionState::Answered, None) => Returned::ok("The person said yes."),
        (QuestionState::Declined | QuestionState::Dismissed, _) => Returned::failed(DECLINED),
        (QuestionState::Expired | QuestionState::Waiting, _) => Returned::failed(EXPIRED),
        (QuestionState::Withdrawn, _) => Returned::failed(WITHDRAWN),
    })
}

/// In the order in which it was asked for.
fn in_words(asks: &Asks, values: &BTreeMap<String, Value>) -> String {
    let word = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    let fields = match asks {
        Asks::Form { fields } => &fields[..],
        Asks::Page { .. } | Asks::Words { .. } => &[],
    };
    let entered = |field: &Field| Some((field.name.clone(), word(values.get(&field.name)?)));
    let entered: Vec<(String, String)> = fields.iter().filter_map(entered).collect();
    match &entered[..] {
        [(name, value)] if name == ANSWER => value.clone(),
        all => all.iter().map(|(name, value)| format!("\n{name}: {value}")).collect(),
    }
}
