//! Takes keys out of what comes from outside, where it comes in: what models
//! write, what tools return, what went wrong on the other side. Whatever is shown,
//! stored or sent on has come through here, so nothing behind it has to.
//!
//! What a tool is given loses values that are kept alone: it is acted on, and a file
//! that is written without what only looks like a key is another file.

use async_trait::async_trait;
use domain::{Fault, FaultKind, Kept, KeptPart, Need, ToolSpec};
use futures::stream::{self, BoxStream, StreamExt};
use llm::{Delta, Model, ModelFault, ModelRequest, ToolCallDelta};
use secrets::{Redactor, Stream};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use tools::{CallContext, Place, Returned, Stakes, Tool};

pub(crate) fn fault(redactor: &Redactor, fault: Fault) -> Fault {
    let clean = |text: &str| redactor.redact(text).into_owned();
    Fault {
        message: clean(&fault.message),
        fix: clean(&fault.fix),
        kind: kind(redactor, fault.kind),
        ..fault
    }
}

/// What somebody else said is quoted in it too.
fn kind(redactor: &Redactor, kind: Option<Box<FaultKind>>) -> Option<Box<FaultKind>> {
    words(redactor, &kind?)
}

/// A record without keys in any of its texts, the names of fields in JSON among them.
pub(crate) fn words<T: Serialize + DeserializeOwned>(redactor: &Redactor, of: &T) -> Option<T> {
    let all = serde_json::to_value(of).ok()?;
    serde_json::from_value(json(redactor, all)).ok()
}

fn json(redactor: &Redactor, value: Value) -> Value {
    let clean = |text: String| match redactor.redact(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean,
    };
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => items.into_iter().map(|item| json(redactor, item)).collect(),
        Value::Object(fields) => {
            let field = |(name, value)| (clean(name), json(redactor, value));
            fields.into_iter().map(field).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// A model whose answers are without keys.
pub(crate) struct RedactedModel<M> {
    pub model: M,
    pub redactor: Redactor,
}

impl<M: Model> Model for RedactedModel<M> {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let mut answer = Answer::new(&self.redactor);
        let deltas = self.model.ask(request);
        deltas.flat_map(move |delta| stream::iter(answer.clean(delta))).boxed()
    }
}

/// One answer on its way through. The end of what was written waits where it may
/// become a key.
struct Answer {
    redactor: Redactor,
    text: Stream,
    reasoning: Stream,
    /// The arguments of each call, by its id, in the order of the calls.
    calls: Vec<(String, Stream)>,
}

impl Answer {
    fn new(redactor: &Redactor) -> Self {
        let (text, reasoning) = (redactor.stream(), redactor.stream());
        Answer { redactor: redactor.clone(), text, reasoning, calls: Vec::new() }
    }

    fn clean(&mut self, delta: Delta) -> Vec<Delta> {
        match delta {
            Delta::Text(text) => some(Delta::Text(self.text.push(&text))),
            Delta::Reasoning(text) => some(Delta::Reasoning(self.reasoning.push(&text))),
            Delta::ToolCall(piece) => some(Delta::ToolCall(self.call(piece))),
            Delta::Unshown(letters) => vec![Delta::Unshown(letters)],
            Delta::Counted(usage) => vec![Delta::Counted(usage)],
            Delta::Anew => {
                *self = Answer::new(&self.redactor);
                vec![Delta::Anew]
            }
            Delta::Kept(kept) => {
                let mut deltas = self.rest();
                deltas.extend(self.kept(kept).map(Delta::Kept));
                deltas
            }
            Delta::Done { finish, usage } => {
                let mut deltas = self.rest();
                deltas.push(Delta::Done { finish, usage });
                deltas
            }
            Delta::Failed { fault, usage } => {
                let mut deltas = self.rest();
                let clean = |text: &str| self.redactor.redact(text).into_owned();
                let fault = ModelFault {
                    message: clean(&fault.message),
                    fix: clean(&fault.fix),
                    kind: kind(&self.redactor, fault.kind),
                    ..fault
                };
                deltas.push(Delta::Failed { fault, usage });
                deltas
            }
        }
    }

    fn call(&mut self, piece: ToolCallDelta) -> ToolCallDelta {
        let ToolCallDelta { id, name, arguments } = piece;
        let at = match self.calls.iter().rposition(|(known, _)| *known == id) {
            Some(at) => at,
            None => {
                self.calls.push((id.clone(), self.redactor.json_stream()));
                self.calls.len() - 1
            }
        };
        let name = name.map(|name| self.redactor.redact(&name).into_owned());
        let id = self.redactor.redact(&id).into_owned();
        ToolCallDelta { id, name, arguments: self.calls[at].1.push(&arguments) }
    }

    /// What waited.
    fn rest(&mut self) -> Vec<Delta> {
        let reasoning = some(Delta::Reasoning(self.reasoning.finish()));
        let text = some(Delta::Text(self.text.finish()));
        let calls = self.calls.iter_mut().flat_map(|(id, stream)| {
            let arguments = stream.finish();
            let id = self.redactor.redact(id).into_owned();
            some(Delta::ToolCall(ToolCallDelta { id, name: None, arguments }))
        });
        reasoning.into_iter().chain(text).chain(calls).collect()
    }

    /// It fits the answer byte by byte, so a changed answer goes without it.
    fn kept(&self, kept: Kept) -> Option<Kept> {
        let mut streams = [&self.text, &self.reasoning].into_iter();
        let is_changed = streams.any(Stream::has_redacted)
            || self.calls.iter().any(|(_, stream)| stream.has_redacted());
        (!is_changed && !kept.parts.iter().any(|part| self.holds_key(part))).then_some(kept)
    }

    fn holds_key(&self, part: &KeptPart) -> bool {
        // A seal is long and looks like anything: only what is known counts.
        match part {
            KeptPart::Text { seal, .. } | KeptPart::Call { seal, .. } => {
                seal.as_deref().is_some_and(|seal| self.redactor.redact_known(seal) != seal)
            }
            KeptPart::Own { json } => self.redactor.is_known_in_json(json),
        }
    }
}

/// Nothing, where nothing of it is left to tell.
fn some(delta: Delta) -> Vec<Delta> {
    let is_empty = match &delta {
        Delta::Text(text) | Delta::Reasoning(text) => text.is_empty(),
        Delta::ToolCall(piece) => piece.name.is_none() && piece.arguments.is_empty(),
        Delta::Unshown(_)
        | Delta::Counted(_)
        | Delta::Anew
        | Delta::Kept(_)
        | Delta::Done { .. }
        | Delta::Failed { .. } => false,
    };
    if is_empty { Vec::new() } else { vec![delta] }
}

/// A tool that tells no keys: neither in what it says of itself, which goes to every
/// model that may use it, nor in its answers.
pub(crate) struct RedactedTool {
    tool: Arc<dyn Tool>,
    spec: ToolSpec,
    redactor: Redactor,
}

impl RedactedTool {
    pub(crate) fn new(tool: Arc<dyn Tool>, redactor: Redactor) -> Self {
        let told = tool.spec();
        let spec = words(&redactor, told).unwrap_or_else(|| told.clone());
        RedactedTool { tool, spec, redactor }
    }
}

#[async_trait]
impl Tool for RedactedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn needs(&self, place: &Place) -> Vec<Need> {
        self.tool.needs(place)
    }

    fn is_usual(&self) -> bool {
        self.tool.is_usual()
    }

    fn stands_alone(&self) -> bool {
        self.tool.stands_alone()
    }

    fn made_by(&self) -> &str {
        self.tool.made_by()
    }

    fn stakes(&self, arguments: &Value, place: &Place) -> Result<Stakes, String> {
        self.tool.stakes(arguments, place)
    }

    fn replaces(&self, arguments: &Value, place: &Place) -> Option<String> {
        self.tool.replaces(arguments, place)
    }

    fn touches(&self, arguments: &Value, place: &Place) -> Option<String> {
        self.tool.touches(arguments, place)
    }

    fn in_vain(&self, arguments: &Value, place: &Place) -> Option<String> {
        let why = self.tool.in_vain(arguments, place)?;
        Some(self.redactor.redact(&why).into_owned())
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let mut returned = self.tool.call(arguments, with).await;
        returned.text = self.redactor.redact(&returned.text).into_owned();
        returned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{FaultCode, ProviderKind, Usage};
    use llm::{Finish, Trouble};
    use secrets::Secret;

    const KEY: &str = "acme-0123-4567-89ab";

    fn redactor() -> Redactor {
        let redactor = Redactor::default();
        redactor.learn("provider/acme", &Secret::from(KEY));
        redactor
    }

    fn cleaned(deltas: Vec<Delta>) -> Vec<Delta> {
        let mut answer = Answer::new(&redactor());
        deltas.into_iter().flat_map(|delta| answer.clean(delta)).collect()
    }

    fn done() -> Delta {
        Delta::Done { finish: Finish::Stop, usage: Usage::default() }
    }

    fn kept() -> Delta {
        let parts = vec![KeptPart::Text { bytes: 3, seal: Some("c2VhbA==".into()) }];
        Delta::Kept(Kept { by: ProviderKind::Gemini, model: "m".into(), parts })
    }

    fn text_of(deltas: &[Delta]) -> String {
        let texts = deltas.iter().filter_map(|delta| match delta {
            Delta::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    fn in_pieces(text: &str) -> Vec<Delta> {
        text.chars().map(|c| Delta::Text(c.to_string())).collect()
    }

    #[test]
    fn a_key_that_comes_letter_by_letter_is_not_in_the_answer() {
        let mut deltas = in_pieces(&format!("it is {KEY}, yes"));
        deltas.push(done());
        let clean = cleaned(deltas);
        assert_eq!(text_of(&clean), "it is [redacted provider/acme], yes");
        assert_eq!(clean.last(), Some(&done()));
    }

    #[test]
    fn a_key_is_not_in_the_names_of_fields_either() {
        let schema = |key: &str| serde_json::json!({"properties": {key: {"default": key}}, "required": [key]});
        let clean = words(&redactor(), &schema(KEY));
        assert_eq!(clean, Some(schema("[redacted provider/acme]")));
    }

    #[test]
    fn what_has_no_key_in_it_goes_through_as_it_is() {
        let piece = |name: Option<&str>, arguments: &str| {
            let (name, arguments) = (name.map(str::to_owned), arguments.to_owned());
            Delta::ToolCall(ToolCallDelta { id: "1".into(), name, arguments })
        };
        let deltas = vec![
            Delta::Reasoning("hm ".into()),
            Delta::Text("yes ".into()),
            piece(Some("add"), "{\"x\": "),
            piece(None, "1}"),
            kept(),
            done(),
        ];
        assert_eq!(cleaned(deltas.clone()), deltas);
    }

    #[test]
    fn an_answer_that_was_changed_goes_without_what_fits_the_old_one() {
        let mut deltas = in_pieces(KEY);
        deltas.extend([kept(), done()]);
        assert!(!cleaned(deltas).contains(&kept()));

        let parts = vec![KeptPart::Own { json: format!("{{\"text\":\"{KEY}\"}}") }];
        let holds = Delta::Kept(Kept { by: ProviderKind::Anthropic, model: "m".into(), parts });
        assert_eq!(cleaned(vec![holds, done()]), [done()]);
    }

    #[test]
    fn a_key_whose_letters_stand_by_their_numbers_is_not_in_arguments_either() {
        let by_number: String = KEY.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
        let piece = |arguments: String| {
            Delta::ToolCall(ToolCallDelta { id: "1".into(), name: None, arguments })
        };
        let whole = format!("{{\"a\":\"{by_number}\",\"b\":\"x\\/y\"}}");
        let in_letters = whole.chars().map(|c| piece(c.to_string()));
        for deltas in [vec![piece(whole.clone())], in_letters.collect()] {
            let clean = cleaned(deltas.into_iter().chain([kept(), done()]).collect());
            let arguments: String = clean
                .iter()
                .filter_map(|delta| match delta {
                    Delta::ToolCall(call) => Some(call.arguments.as_str()),
                    _ => None,
                })
                .collect();
            assert_eq!(arguments, "{\"a\":\"[redacted provider/acme]\",\"b\":\"x/y\"}");
            assert!(!clean.contains(&kept()), "it fits the answer as it was");
        }
        let json = format!("{{\"text\":\"{by_number}\"}}");
        let parts = vec![KeptPart::Own { json }];
        let own = Delta::Kept(Kept { by: ProviderKind::Anthropic, model: "m".into(), parts });
        assert_eq!(cleaned(vec![own, done()]), [done()]);
    }

    #[test]
    fn a_tool_is_given_what_only_looks_like_a_key() {
        let file = r#"{"text":"hf = 'sk-a1B2c3D4e5F6g7H8i9J0'\napi_key=a1B2c3D4e5F6g7H8"}"#;
        let call = |arguments: String| {
            Delta::ToolCall(ToolCallDelta { id: "1".into(), name: None, arguments })
        };
        let letters = file.chars().map(|letter| call(letter.to_string()));
        let told = cleaned(letters.chain([done()]).collect());
        let arguments: String = told
            .iter()
            .filter_map(|delta| match delta {
                Delta::ToolCall(call) => Some(call.arguments.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(arguments, file);
    }

    #[test]
    fn the_kind_of_a_fault_quotes_no_key_either() {
        let quoting = |key: &str| {
            let detail = format!("bus said {key}");
            Fault::new(FaultCode::Key, format!("failed: {detail}"), "try again")
                .of(FaultKind::KeyringFails { detail })
        };
        let cleaned = fault(&redactor(), quoting(KEY));
        assert_eq!(cleaned, quoting("[redacted provider/acme]"));
    }

    #[test]
    fn a_key_that_stands_for_the_name_of_a_call_is_not_in_the_answer() {
        let piece = |id: &str, arguments: &str| {
            Delta::ToolCall(ToolCallDelta {
                id: id.to_owned(),
                name: None,
                arguments: arguments.to_owned(),
            })
        };
        let mark = "[redacted provider/acme]";
        let told = cleaned(vec![piece(KEY, "{\"a\":"), piece(KEY, "1}"), done()]);
        for delta in &told {
            if let Delta::ToolCall(call) = delta {
                assert_eq!(call.id, mark);
            }
        }
        assert!(told.len() > 1, "{told:?}");
    }

    #[test]
    fn a_fault_that_quotes_the_key_and_arguments_that_hold_it_do_not() {
        let call = |arguments: &str| ToolCallDelta {
            id: "1".into(),
            name: Some("shell".into()),
            arguments: arguments.into(),
        };
        let fault = |key: &str| Delta::Failed {
            fault: ModelFault::new(Trouble::Key, format!("acme refused {key}"), "get another"),
            usage: Usage::default(),
        };
        let deltas = vec![Delta::ToolCall(call(&format!("{{\"a\":\"{KEY}\"}}"))), fault(KEY)];
        let mark = "[redacted provider/acme]";
        let expected = [Delta::ToolCall(call(&format!("{{\"a\":\"{mark}\"}}"))), fault(mark)];
        assert_eq!(cleaned(deltas), expected);
    }
}
