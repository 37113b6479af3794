//! Questions: what an agent, or a server that it uses, wants to know from the
//! person.

use crate::{AgentId, CallId, GroupId, MessageId, QuestionId, RunId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use ts_rs::TS;

/// Something that only the person can answer. It is on record before anybody
/// sees it, and ends with the use of a tool that waits for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Question {
    pub id: QuestionId,
    /// The use that waits.
    pub call: CallId,
    pub run: RunId,
    pub agent: AgentId,
    pub group: GroupId,
    /// Who asks; the agent itself, where no server does.
    pub server: Option<String>,
    /// In the words of whoever asks.
    pub text: String,
    pub asks: Asks,
    pub state: QuestionState,
    /// Without what was entered in fields that sound like a secret.
    pub given: Option<Given>,
    pub asked_ms: i64,
    /// Nobody waits for an answer after that.
    pub expires_ms: i64,
    pub answered_ms: Option<i64>,
}

/// What an answer consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Asks {
    /// What the fields hold.
    Form { fields: Vec<Field> },
    /// That the person goes to a page, where nobody here sees what they do.
    Page {
        url: String,
        /// Where that really leads.
        host: String,
    },
    /// That a model answers these messages for the server.
    Words {
        /// As `provider/model`.
        model: String,
        system: Option<String>,
        messages: Vec<AskedLine>,
        /// The most that it may write.
        tokens: u32,
        /// The most that it may cost; `None` where the model has no price.
        microusd: Option<i64>,
    },
}

/// A line of what a server wants a model to answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AskedLine {
    /// Whether the model itself is to have said it.
    pub by_model: bool,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Field {
    /// What the answer calls it.
    pub name: String,
    /// What a person reads; the name, where there is none.
    pub title: Option<String>,
    pub about: Option<String>,
    pub required: bool,
    pub takes: Takes,
    /// What it holds at first.
    #[ts(type = "unknown")]
    pub default: Option<Value>,
    /// Its name says that a password or a key is to be entered, which no form is
    /// for.
    pub sounds_secret: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Takes {
    /// Limits are in characters.
    Text {
        format: Option<TextFormat>,
        least: Option<u32>,
        most: Option<u32>,
    },
    Number {
        whole: bool,
        least: Option<f64>,
        most: Option<f64>,
    },
    YesNo,
    /// Limits are for how many of several are chosen.
    Choice {
        options: Vec<Choice>,
        several: bool,
        least: Option<u32>,
        most: Option<u32>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TextFormat {
    Email,
    Uri,
    Date,
    DateTime,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Choice {
    pub value: String,
    /// What a person reads; the value, where there is none.
    pub title: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum QuestionState {
    Waiting,
    Answered,
    /// The person said that they will not.
    Declined,
    /// The person put it away without a yes or a no.
    Dismissed,
    /// Nobody answered in time.
    Expired,
    /// The turn ended before anybody answered.
    Withdrawn,
}

/// What the person said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Given {
    Values {
        #[ts(type = "{ [name: string]: unknown }")]
        values: BTreeMap<String, Value>,
    },
    /// They wrote to the agent in the conversation instead.
    Message { message: MessageId },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum QuestionAnswer {
    /// What each field holds; nothing where the answer is yes.
    Given {
        #[ts(type = "{ [name: string]: unknown }")]
        values: BTreeMap<String, Value>,
    },
    Declined,
    Dismissed,
}

/// For a sentence: "it takes …".
impl fmt::Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Takes::Text { format, least, most } => {
                f.write_str(match format {
                    None => "text",
                    Some(TextFormat::Email) => "an e-mail address",
                    Some(TextFormat::Uri) => "an address such as https://example.org",
                    Some(TextFormat::Date) => "a date such as 2026-01-31",
                    Some(TextFormat::DateTime) => "a moment such as 2026-01-31T12:00:00Z",
                })?;
                limits(f, " of ", *least, *most, " characters")
            }
            Takes::Number { whole, least, most } => {
                f.write_str(if *whole { "a whole number" } else { "a number" })?;
                limits(f, ", ", *least, *most, "")
            }
            Takes::YesNo => f.write_str("yes or no"),
            Takes::Choice { options, several, least, most } => {
                f.write_str(if *several { "some of these" } else { "one of these" })?;
                limits(f, ", ", *least, *most, "")?;
                let options: Vec<String> = options.iter().map(Choice::to_string).collect();
                write!(f, ": {}", options.join(", "))
            }
        }
    }
}

/// Its value, which an answer may consist of, with what a person reads.
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.value)?;
        match &self.title {
            Some(title) if *title != self.value => write!(f, " ({title})"),
            Some(_) | None => Ok(()),
        }
    }
}

fn limits<N: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    before: &str,
    least: Option<N>,
    most: Option<N>,
    after: &str,
) -> fmt::Result {
    match (least, most) {
        (None, None) => Ok(()),
        (Some(least), None) => write!(f, "{before}{least} or more{after}"),
        (None, Some(most)) => write!(f, "{before}{most} or less{after}"),
        (Some(least), Some(most)) => write!(f, "{before}{least} to {most}{after}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_field_takes_is_said_in_words() {
        let check = |takes: Takes, expected: &str| assert_eq!(takes.to_string(), expected);
        check(Takes::Text { format: None, least: None, most: None }, "text");
        check(
            Takes::Text { format: None, least: Some(2), most: Some(9) },
            "text of 2 to 9 characters",
        );
        check(
            Takes::Number { whole: true, least: Some(1.0), most: None },
            "a whole number, 1 or more",
        );
        check(
            Takes::Number { whole: false, least: Some(0.5), most: Some(1.5) },
            "a number, 0.5 to 1.5",
        );
        let options = ["a", "b"].map(|value| Choice { value: value.into(), title: None }).to_vec();
        let choice = |several| Takes::Choice {
            options: options.clone(),
            several,
            least: None,
            most: Some(2).filter(|_| several),
        };
        check(choice(false), "one of these: a, b");
        check(choice(true), "some of these, 2 or less: a, b");
        let titled = |(value, title): (&str, &str)| Choice {
            value: value.into(),
            title: Some(title.into()),
        };
        let options = [("a", "Ant"), ("Bee", "Bee")].map(titled).to_vec();
        let titled = Takes::Choice { options, several: false, least: None, most: None };
        check(titled, "one of these: a (Ant), Bee");
    }
}
