//! How the domain's words stand in a column, and come out of it again.

use domain::{AgentId, Author, FeedSourceId, Participant, PassId};
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, Type, ValueRef};
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

/// The person, written out: what is only handed in does not find the index of their messages.
pub(crate) const USER: &str = "x'00000000000000000000000000000000'";

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

/// Stands before the id of a program from outside.
const OUTSIDE: u8 = b'P';
/// Stands before the id of a source.
const SOURCE: u8 = b'S';

/// The workspace itself, as an author, is NULL; a program from outside and a source are
/// longer than any agent's id.
pub(crate) fn author(author: Author) -> Option<Vec<u8>> {
    match author {
        Author::User => Some(Uuid::nil().as_bytes().to_vec()),
        Author::Agent(agent) => Some(agent.0.as_bytes().to_vec()),
        Author::Outside(pass) => Some([&[OUTSIDE], pass.0.as_bytes().as_slice()].concat()),
        Author::Source(source) => Some([&[SOURCE], source.0.as_bytes().as_slice()].concat()),
        Author::System => None,
    }
}

pub(crate) fn from_author(row: &Row<'_>, column: usize) -> rusqlite::Result<Author> {
    Ok(row.get::<_, Whose>(column)?.0)
}

struct Whose(Author);

impl FromSql for Whose {
    fn column_result(value: ValueRef<'_>) -> Result<Self, FromSqlError> {
        let Some(bytes) = value.as_blob_or_null()? else { return Ok(Whose(Author::System)) };
        let (kind, id) = match bytes.split_first() {
            Some((kind @ (&OUTSIDE | &SOURCE), id)) if id.len() == 16 => (Some(*kind), id),
            Some(_) | None => (None, bytes),
        };
        let id = Uuid::from_slice(id).map_err(FromSqlError::other)?;
        Ok(Whose(match kind {
            Some(OUTSIDE) => Author::Outside(PassId(id)),
            Some(_) => Author::Source(FeedSourceId(id)),
            None if id.is_nil() => Author::User,
            None => Author::Agent(AgentId(id)),
        }))
    }
}

fn conversion(column: usize, from: Type, error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, from, Box::new(error))
}
