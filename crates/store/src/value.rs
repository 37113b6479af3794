//! How the domain's words stand in a column, and come out of it again.

use domain::{AgentId, Author, Participant};
use rusqlite::types::Type;
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

/// A structured value, as JSON text.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    serde_json::to_string(value)
}

pub(crate) fn from_json<T: DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_str(text).map_err(|error| conversion(column, Type::Text, error))
}

/// A unit variant, as its bare word.
pub(crate) fn word<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string(value)?.trim_matches('"').to_owned())
}

pub(crate) fn from_word<T: DeserializeOwned>(column: usize, text: &str) -> rusqlite::Result<T> {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
        .map_err(|error| conversion(column, Type::Text, error))
}

/// The person is the nil id: a member and an author like any other, in one
/// column that can be compared and indexed.
pub(crate) fn participant(who: Participant) -> Uuid {
    match who {
        Participant::User => Uuid::nil(),
        Participant::Agent(agent) => agent.0,
    }
}

pub(crate) fn from_participant(id: Uuid) -> Participant {
    if id.is_nil() { Participant::User } else { Participant::Agent(AgentId(id)) }
}

/// The workspace itself, as an author, is NULL.
pub(crate) fn author(author: Author) -> Option<Uuid> {
    match author {
        Author::User => Some(Uuid::nil()),
        Author::Agent(agent) => Some(agent.0),
        Author::System => None,
    }
}

pub(crate) fn from_author(id: Option<Uuid>) -> Author {
    match id {
        None => Author::System,
        Some(id) if id.is_nil() => Author::User,
        Some(id) => Author::Agent(AgentId(id)),
    }
}

fn conversion(column: usize, from: Type, error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, from, Box::new(error))
}
