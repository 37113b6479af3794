//! `coterie question …`: what agents, and servers that they use, want to know.

mod entered;

use crate::ids;
use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::visible::line;
use crate::words;
use clap::Subcommand;
use domain::{
    Asks, Command as Order, Fault, Field, Query, Question, QuestionAnswer, QuestionState, Takes,
};
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// What waits for your answer, and what was answered
    List {
        /// How many of those that nobody waits for any more to show too
        #[arg(long, default_value_t = 0, value_name = "N")]
        answered: u32,
    },
    /// One question in full, with what may be entered
    Show {
        /// The question: its id, or either end of it
        id: String,
    },
    /// Answer it, or say yes where nothing is to be entered
    Answer {
        /// The question: its id, or either end of it
        id: String,
        /// The answer; of several fields, FIELD=ANSWER for each
        answer: Vec<String>,
    },
    /// Say that you will not answer; whoever asked is told so
    Decline {
        /// The question: its id, or either end of it
        id: String,
    },
    /// Put it away without a yes or a no
    Dismiss {
        /// The question: its id, or either end of it
        id: String,
    },
}

const MOST: u32 = 500;

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    let names = session.names().await?;
    match command {
        Command::List { answered } => {
            let mut all = newest(session).await?;
            let mut more = answered;
            all.retain(|question| {
                let waits = question.state == QuestionState::Waiting;
                let shown = waits || more > 0;
                more = more.saturating_sub(u32::from(!waits));
                shown
            });
            session.screen.many(&all, |paint| list(&all, &names, paint));
            Ok(())
        }
        Command::Show { id } => {
            let question = find(newest(session).await?, &id, &names)?;
            session.screen.one(&question, |_| shown(&question, &names));
            Ok(())
        }
        Command::Answer { id, answer } => {
            let question = find(newest(session).await?, &id, &names)?;
            let values = match &question.asks {
                Asks::Form { fields } => entered::values(fields, answer)?,
                Asks::Page { .. } | Asks::Words { .. } if answer.is_empty() => BTreeMap::new(),
                Asks::Page { .. } | Asks::Words { .. } => {
                    return Err(Fault::bad_input(
                        "nothing is to be entered here",
                        "leave the answer out to say yes",
                    )
                    .into());
                }
            };
            say(session, &names, question, QuestionAnswer::Given { values }).await
        }
        Command::Decline { id } => {
            let question = find(newest(session).await?, &id, &names)?;
            say(session, &names, question, QuestionAnswer::Declined).await
        }
        Command::Dismiss { id } => {
            let question = find(newest(session).await?, &id, &names)?;
            say(session, &names, question, QuestionAnswer::Dismissed).await
        }
    }
}

async fn newest(session: &Session) -> Result<Vec<Question>, Fault> {
    answered!(session.ask(Query::Questions { limit: MOST }).await?, Questions)
}

async fn say(
    session: &Session,
    names: &Names,
    question: Question,
    answer: QuestionAnswer,
) -> Result<(), Failure> {
    let order = Order::AnswerQuestion { question: question.id, answer };
    let answered = answered!(session.order(order).await?, Question)?;
    session.screen.one(&answered, |_| {
        let who = asker(&answered, names);
        match (answered.state, &answered.asks) {
            (QuestionState::Declined, _) => format!("{who} is told that you will not answer"),
            (QuestionState::Dismissed, _) => format!("{who} gets no answer"),
            // Nothing here goes to the page.
            (_, Asks::Page { url, .. }) => {
                format!("{who} is told that you go there: {}", line(url))
            }
            (_, Asks::Form { .. } | Asks::Words { .. }) => format!("{who} has your answer"),
        }
    });
    Ok(())
}

fn find(all: Vec<Question>, wanted: &str, names: &Names) -> Result<Question, Fault> {
    const LIST: &str = "coterie question list";
    ids::one_of("question", all, wanted, LIST, |one| one.id, |one| what(one, names))
}

/// For whoever waits for an answer of the agent.
pub(crate) fn asks(question: &Question, names: &Names) -> String {
    format!("{}; {}", what(question, names), way(question))
}

/// How it is answered.
pub(crate) fn way(question: &Question) -> String {
    let id = ids::end_of(question.id);
    format!(
        "coterie question show {id} says more; answer with coterie question answer {id}, or \
         decline {id}, in another terminal"
    )
}

pub(crate) fn what(question: &Question, names: &Names) -> String {
    format!("{} asks: {}", asker(question, names), line(&text(question)))
}

/// Who wants a model to answer puts nothing of it into words.
fn text(question: &Question) -> String {
    match &question.asks {
        Asks::Words { model, .. } if question.text.is_empty() => {
            format!("may {model} answer something?")
        }
        Asks::Form { .. } | Asks::Page { .. } | Asks::Words { .. } => question.text.clone(),
    }
}

fn asker(question: &Question, names: &Names) -> String {
    match &question.server {
        Some(server) => format!("the server {server}"),
        None => names.agent_name(question.agent),
    }
}

fn list(all: &[Question], names: &Names, paint: Paint) -> String {
    if all.is_empty() {
        return "nothing waits for your answer".to_owned();
    }
    let short = ids::shorter(all.iter().map(|question| question.id));
    let row = |question: &Question| {
        [
            short(question.id),
            asker(question, names),
            names.agent_name(question.agent),
            names.group_name_of(question.group),
            text(question),
            state(question),
        ]
    };
    let columns = ["id", "asked by", "agent", "group", "question", "state"];
    table(paint, columns, all.iter().map(row).collect())
}

/// What others wrote stands in one line, or behind our own words or further in than they:
/// nothing of it begins a line as ours do.
fn shown(question: &Question, names: &Names) -> String {
    let asks = format!("{} asks: {}", asker(question, names), indented(&text(question)));
    let mut lines =
        vec![format!("{asks} (for {})", names.agent_name(question.agent)), state(question)];
    match &question.asks {
        Asks::Form { fields } => lines.extend(fields.iter().map(field)),
        Asks::Page { url, host } => {
            lines.push(format!("wants you to go to {}: {}", line(host), line(url)));
        }
        Asks::Words { model, system, messages, tokens, microusd } => {
            let cost = microusd.map_or("no price is known".to_owned(), |cost| {
                format!("{} at most", crate::money::dollars(cost))
            });
            let model = line(model);
            lines.push(format!("wants an answer of {model}, {tokens} tokens at most, {cost}"));
            lines.extend(system.iter().map(|said| format!("  system: {}", indented(said))));
            lines.extend(messages.iter().map(|line| {
                let who = if line.by_model { "model" } else { "server" };
                format!("  {who}: {}", indented(&line.text))
            }));
        }
    }
    lines.join("\n")
}

fn indented(text: &str) -> String {
    let breaks = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    let text = text.replace("\r\n", "\n");
    text.trim_end_matches(breaks).split(breaks).collect::<Vec<_>>().join("\n      ")
}

fn field(field: &Field) -> String {
    let title = field.title.as_ref().map(|title| format!(" ({})", line(title)));
    let title = title.unwrap_or_default();
    let optional = if field.required { "" } else { ", may be left out" };
    let about = field
        .about
        .as_ref()
        .map(|about| format!("\n      {}", indented(about)))
        .unwrap_or_default();
    let warning = match field.sounds_secret {
        true => "\n      careful: this sounds like a password or a key, which no question is for",
        false => "",
    };
    let (name, takes, held) = (line(&field.name), line(&field.takes.to_string()), held(field));
    let each = match &field.takes {
        Takes::Choice { several: true, .. } => format!("; {name}=… once for each"),
        _ => String::new(),
    };
    format!("  {name}{title}: {takes}{each}{optional}{held}{about}{warning}")
}

/// What is answered where nothing is said.
fn held(field: &Field) -> String {
    let said = |value: &Value| match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => line(text),
        other => line(&other.to_string()),
    };
    let held = match &field.default {
        None => return String::new(),
        Some(Value::Array(several)) => several.iter().map(said).collect::<Vec<_>>().join(", "),
        Some(one) => said(one),
    };
    let none = match field.required {
        true => String::new(),
        false => format!(", and nothing with {}=", line(&field.name)),
    };
    format!("; {held} if you do not say{none}")
}

fn state(question: &Question) -> String {
    let left_ms = question.expires_ms - words::now_ms();
    match question.state {
        QuestionState::Waiting if left_ms > 0 => {
            format!("waits, {} left", words::duration(left_ms))
        }
        QuestionState::Waiting | QuestionState::Expired => "nobody answered in time".to_owned(),
        QuestionState::Answered => "answered".to_owned(),
        QuestionState::Declined => "declined".to_owned(),
        QuestionState::Dismissed => "put away".to_owned(),
        QuestionState::Withdrawn => "its turn ended first".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Choice;
    use serde_json::json;

    #[test]
    fn what_a_server_writes_begins_no_line_as_ours_do() {
        let text = "hello\nserver: I am done\r\nwants an answer of nobody\u{2028}x\ry\n";
        let told =
            "hello\n      server: I am done\n      wants an answer of nobody\n      x\n      y";
        assert_eq!(indented(text), told);
    }

    #[test]
    fn nothing_of_a_field_begins_a_line_either() {
        let evil = || "T\nwaits, 9 min left\r\n\u{2028}Coterie asks: allow it".to_owned();
        let choice = Choice { value: evil(), title: Some(evil()) };
        let several =
            Takes::Choice { options: vec![choice], several: true, least: None, most: None };
        let text = Takes::Text { format: None, least: None, most: None };
        for takes in [several, text, Takes::YesNo] {
            for default in [json!(evil()), json!([evil(), evil()]), json!({ "a": evil() })] {
                let shown = field(&Field {
                    name: evil(),
                    title: Some(evil()),
                    about: Some(evil()),
                    required: false,
                    takes: takes.clone(),
                    default: Some(default),
                    sounds_secret: true,
                });
                let lines: Vec<&str> = shown.split(['\n', '\r', '\u{2028}']).collect();
                assert!(lines[0].starts_with("  T\\nwaits"), "{shown}");
                assert!(lines[1..].iter().all(|line| line.starts_with("      ")), "{shown}");
            }
        }
    }
}
