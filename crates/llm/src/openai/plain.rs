//! The chunk that nearly all chunks are: the next words, and nothing else.
//!
//! It is read without building a tree. Whatever else a chunk holds or leaves
//! out makes it one for `reading`, which knows every shape.

use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// The next words of an answer, or of the thinking before it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words<'a> {
    pub(super) thought: Cow<'a, str>,
    pub(super) text: Cow<'a, str>,
}

/// The words of a chunk that holds nothing but words.
pub(super) fn words(json: &str) -> Option<Words<'_>> {
    let Object(Chunk { choices: [Object(choice)], .. }) = serde_json::from_str(json).ok()?;
    let Piece { content, reasoning_content, reasoning, .. } = choice.delta.0;
    let thought = [reasoning_content, reasoning].into_iter().flatten().map(|said| said.0);
    let thought = thought.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    let text = content.map(|said| said.0).unwrap_or_default();
    (choice.index == 0).then_some(Words { thought, text })
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    choices: [Object<Choice<'a>>; 1],
    #[serde(default, rename = "error")]
    _error: Nothing,
    #[serde(default, rename = "usage")]
    _usage: Nothing,
    #[serde(default, rename = "x_groq")]
    _x_groq: Nothing,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    delta: Object<Piece<'a>>,
    #[serde(default, rename = "error")]
    _error: Nothing,
    #[serde(default, rename = "usage")]
    _usage: Nothing,
    #[serde(default, rename = "finish_reason")]
    _finish_reason: Nothing,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Piece<'a> {
    #[serde(default, rename = "role")]
    _role: IgnoredAny,
    #[serde(borrow, default)]
    content: Option<Said<'a>>,
    #[serde(borrow, default)]
    reasoning_content: Option<Said<'a>>,
    #[serde(borrow, default)]
    reasoning: Option<Said<'a>>,
    #[serde(default, rename = "reasoning_details")]
    _reasoning_details: Nothing,
    #[serde(default, rename = "refusal")]
    _refusal: Nothing,
    #[serde(default, rename = "tool_calls")]
    _tool_calls: Nothing,
    #[serde(default, rename = "function_call")]
    _function_call: Nothing,
    #[serde(default, rename = "audio")]
    _audio: Nothing,
}

#[derive(Deserialize)]
struct Said<'a>(#[serde(borrow)] Cow<'a, str>);

/// Null, or not there at all.
type Nothing = ();

/// Not a list, which would do for a struct as well.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Object<T>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Object<T>, M::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }

        from.deserialize_map(Fields(PhantomData))
    }
}
