//! Which tool call a fragment belongs to.
//!
//! Servers disagree about what marks a call: an index, an id, both, neither,
//! or the same for all. The rules, in order:
//!
//! 1. An id that is known means its call, the one on the fragment's index before
//!    others, unless that is complete and the fragment brings a whole other one,
//!    or names one on another index.
//! 2. A new id begins a call, on a used index too. Without a name, on a call
//!    that is still being written, it is the same call under a changed id.
//! 3. A fragment without id and index goes to the last call; so does one
//!    whose index nobody has used, unless it brings a name.
//! 4. A name on a call whose JSON is complete begins a call; so does a name
//!    that differs.

use crate::ToolCallDelta;
use crate::http::Broken;
use serde_json::Value;
use std::borrow::Cow;

pub(super) type Mint = Box<dyn FnMut() -> String + Send>;

pub(super) struct Calls {
    calls: Vec<Call>,
    mint: Mint,
}

struct Call {
    /// What we call it: the first id the server gave, or one of ours.
    id: String,
    /// What the server calls it now.
    server_id: Option<String>,
    index: Option<u64>,
    name: String,
    arguments: String,
    closing: Closing,
    /// Arguments that wait for the name.
    unsent: String,
    sent: bool,
    /// Perhaps no call at all, only the last one's name said again.
    echo: bool,
}

/// What one entry of `tool_calls` brings.
struct Fragment<'a> {
    id: Option<&'a str>,
    index: Option<u64>,
    name: Option<&'a str>,
    arguments: Cow<'a, str>,
}

impl Calls {
    pub(super) fn new(mint: Mint) -> Self {
        Calls { calls: Vec::new(), mint }
    }

    /// Takes one entry of `tool_calls`.
    pub(super) fn take(&mut self, entry: &Value) -> Option<ToolCallDelta> {
        let fragment = Fragment::of(entry)?;
        let at = match self.continues(&fragment) {
            Some(at) => at,
            None if fragment.is_blank() => return None,
            None => self.begin(&fragment),
        };
        self.calls[at].grow(&fragment)
    }

    /// The last pieces, when the answer is over: a call without arguments gets
    /// the empty object, so that all that is handed out is JSON.
    pub(super) fn end(&mut self) -> Result<Vec<ToolCallDelta>, Broken> {
        if self.calls.iter().any(|call| call.name.is_empty()) {
            return Err(Broken::NamelessCall);
        }
        let bare =
            self.calls.iter_mut().filter(|call| call.sent && call.arguments.trim().is_empty());
        Ok(bare
            .map(|call| {
                call.arguments.push_str("{}");
                ToolCallDelta { id: call.id.clone(), name: None, arguments: "{}".into() }
            })
            .collect())
    }

    /// The call that the fragment continues, if it begins none.
    fn continues(&self, fragment: &Fragment) -> Option<usize> {
        let last_where = |belongs: &dyn Fn(&Call) -> bool| self.calls.iter().rposition(belongs);
        let has_its_id =
            |call: &Call| fragment.id.is_some() && call.server_id.as_deref() == fragment.id;
        let known = last_where(&|call| has_its_id(call) && call.index == fragment.index)
            .or_else(|| last_where(&has_its_id));
        if let Some(at) = known {
            let call = &self.calls[at];
            let begins = call.is_followed_by(fragment) || call.is_beside(fragment);
            return (!begins).then_some(at);
        }
        let indexed =
            fragment.index.and_then(|index| last_where(&|call| call.index == Some(index)));
        let at = indexed.or(self.calls.len().checked_sub(1))?;
        let on_unused_index = fragment.index.is_some() && indexed.is_none();
        let call = &self.calls[at];
        let begins = match (fragment.id, fragment.name) {
            (Some(_), Some(_)) => true,
            (Some(_), None) => on_unused_index || call.closing.complete(),
            (None, Some(_)) => {
                on_unused_index || call.is_renamed_by(fragment) || call.closing.complete()
            }
            (None, None) => on_unused_index && call.closing.complete(),
        };
        (!begins).then_some(at)
    }

    fn begin(&mut self, fragment: &Fragment) -> usize {
        let taken = |id: &str| self.calls.iter().any(|call| call.id == id);
        let id = match fragment.id {
            Some(id) if !taken(id) => id.to_owned(),
            Some(_) | None => (self.mint)(),
        };
        let echo = fragment.id.is_none()
            && fragment.arguments.is_empty()
            && self.calls.last().is_some_and(|last| Some(last.name.as_str()) == fragment.name);
        self.calls.push(Call {
            id,
            server_id: None,
            index: fragment.index,
            name: String::new(),
            arguments: String::new(),
            closing: Closing::default(),
            unsent: String::new(),
            sent: false,
            echo,
        });
        self.calls.len() - 1
    }
}

impl Call {
    fn is_renamed_by(&self, fragment: &Fragment) -> bool {
        fragment.name.is_some_and(|name| !self.name.is_empty() && name != self.name)
    }

    /// Whether a fragment names a call on another index than this one's.
    fn is_beside(&self, fragment: &Fragment) -> bool {
        let indexed = self.index.is_some() && fragment.index.is_some();
        indexed && self.index != fragment.index && fragment.name.is_some()
    }

    /// Whether a fragment under this call's own id cannot be part of it.
    fn is_followed_by(&self, fragment: &Fragment) -> bool {
        let arguments = fragment.arguments.trim();
        let more = !arguments.is_empty() && arguments != self.arguments.trim();
        self.closing.complete() && fragment.name.is_some() && (self.is_renamed_by(fragment) || more)
    }

    fn grow(&mut self, fragment: &Fragment) -> Option<ToolCallDelta> {
        if let Some(id) = fragment.id {
            self.server_id = Some(id.to_owned());
        }
        if let Some(name) = fragment.name.filter(|_| self.name.is_empty()) {
            name.clone_into(&mut self.name);
        }
        // Some servers end by saying the whole arguments again.
        let again = self.closing.complete() && fragment.arguments.trim() == self.arguments.trim();
        if !again {
            self.arguments.push_str(&fragment.arguments);
            self.unsent.push_str(&fragment.arguments);
            self.closing.read(&fragment.arguments);
        }
        self.echo &= self.arguments.is_empty();
        if self.name.is_empty() || self.echo || (self.sent && self.unsent.is_empty()) {
            return None;
        }
        let name = (!self.sent).then(|| self.name.clone());
        self.sent = true;
        Some(ToolCallDelta {
            id: self.id.clone(),
            name,
            arguments: std::mem::take(&mut self.unsent),
        })
    }
}

impl<'a> Fragment<'a> {
    fn of(entry: &'a Value) -> Option<Self> {
        let entry = entry.as_object()?;
        let word = |value: Option<&'a Value>| {
            value.and_then(Value::as_str).filter(|text| !text.is_empty())
        };
        let function = entry.get("function").and_then(Value::as_object);
        let arguments = match function.and_then(|function| function.get("arguments")) {
            None | Some(Value::Null) => Cow::Borrowed(""),
            Some(Value::String(text)) => Cow::Borrowed(text.as_str()),
            Some(value) => Cow::Owned(value.to_string()),
        };
        Some(Fragment {
            id: word(entry.get("id")),
            index: entry.get("index").and_then(Value::as_u64),
            name: word(function.and_then(|function| function.get("name"))),
            arguments,
        })
    }

    fn is_blank(&self) -> bool {
        self.id.is_none() && self.name.is_none() && self.arguments.trim().is_empty()
    }
}

/// Follows JSON text as it grows and knows when its outermost object closed.
/// Reads each byte once: asking a parser anew for each piece is quadratic.
#[derive(Default)]
struct Closing {
    depth: usize,
    begun: bool,
    in_string: bool,
    escaped: bool,
}

impl Closing {
    fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.in_string {
                self.in_string = self.escaped || byte != b'"';
                self.escaped = !self.escaped && byte == b'\\';
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => {
                    self.begun = true;
                    self.depth += 1;
                }
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn complete(&self) -> bool {
        self.begun && self.depth == 0 && !self.in_string
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_complete_when_its_outermost_object_closed() {
        let check = |text: &str, expected: bool| {
            let mut closing = Closing::default();
            closing.read(text);
            assert_eq!(closing.complete(), expected, "{text}");
        };
        check("", false);
        check("{", false);
        check("{}", true);
        check(r#"{"a": "}"#, false);
        check(r#"{"a": "\"}"#, false);
        check(r#"{"a": "\\"}"#, true);
        check(r#"{"a": {"b": []}"#, false);
        check(r#"{"a": {"b": []}}"#, true);
    }
}
