//! What templates expect of Jinja, as Python has it.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Value};
use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};
use std::error::Error as _;
use std::io::{self, Write};

/// Steps that a template may take; the longest conversations need a hundredth.
const FUEL: u64 = 20_000_000;

pub(super) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_syntax(as_hugging_face());
    environment.set_fuel(Some(FUEL));
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    environment.add_filter("tojson", tojson);
    environment.add_test("iterable", iterable);
    environment.add_function("raise_exception", raise_exception);
    environment.add_function("strftime_now", strftime_now);
    environment
}

fn as_hugging_face() -> SyntaxConfig {
    let blocks = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    blocks.expect("only the marks of blocks can clash, and these are the usual ones")
}

/// In one line, without what only a template's author understands.
pub(super) fn plainly(error: &Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(deeper) = source {
        words = format!("{words}: {deeper}");
        source = deeper.source();
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The marks around what a model is trained to say, which Hugging Face adds to
/// Jinja, become blocks that change nothing.
pub(super) fn without_training_marks(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    let mut rest = source;
    while let Some((before, after)) = rest.split_once("{%") {
        let Some((tag, behind)) = after.split_once("%}") else { break };
        plain.push_str(before);
        plain.push_str("{%");
        match tag.trim_matches(['-', '+', ' ', '\n', '\t']) {
            "generation" => plain.push_str(&tag.replace("generation", "if true")),
            "endgeneration" => plain.push_str(&tag.replace("endgeneration", "endif")),
            _ => plain.push_str(tag),
        }
        plain.push_str("%}");
        rest = behind;
    }
    plain + rest
}

/// For Python nothing is not a list without entries.
fn iterable(value: &Value) -> bool {
    matches!(
        value.kind(),
        ValueKind::Seq | ValueKind::Map | ValueKind::Iterable | ValueKind::String
    )
}

fn raise_exception(why: String) -> Result<Value, Error> {
    Err(Error::new(ErrorKind::InvalidOperation, why))
}

fn strftime_now(format: &str) -> Result<String, Error> {
    jiff::fmt::strtime::format(format, &jiff::Zoned::now())
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))
}

/// As Python's `json.dumps` writes it: spaces after commas and colons, and
/// nothing escaped that need not be.
fn tojson(value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent").unwrap_or_default();
    let mut text = Vec::new();
    let written = match indent {
        Some(width) => {
            let indent = b" ".repeat(width.min(16));
            let pretty = PrettyFormatter::with_indent(&indent);
            value.serialize(&mut Serializer::with_formatter(&mut text, pretty))
        }
        None => value.serialize(&mut Serializer::with_formatter(&mut text, Spaced)),
    };
    written.map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
    Ok(String::from_utf8(text).expect("JSON is UTF-8"))
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}
