//! What the local model's process and its parent say to each other: one JSON
//! object a line, [`Ask`] on the engine's stdin, [`Tell`] on its stdout.
//!
//! Plain data, shared so that both sides cannot drift apart. The engine holds
//! one model and writes one answer at a time: a `Generate` that arrives during
//! another waits its turn, a `Cancel` does not wait. Every `Generate` is
//! answered by any number of `Piece`s and `Progress`es and then exactly one
//! `Done` or `Failed` with its id. The end of stdin means quit, so the engine
//! never outlives its parent.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A line from the parent to the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Ask {
    Load(Load),
    Generate(Generate),
    /// Stops that generation, or takes it out of the queue. Its `Done` says
    /// `cancelled`; an id that is unknown or already done is ignored.
    Cancel {
        id: u64,
    },
    Quit,
}

/// Which model to hold. A second one replaces the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// A GGUF file.
    pub path: PathBuf,
    /// Tokens that prompt and answer may take together; the model's own
    /// training length when absent, and never more than that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// A fixed number of threads. Absent, the engine chooses by how busy the
    /// machine is, which is nearly always right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    #[serde(default, skip_serializing_if = "Words::are_own")]
    pub words: Words,
}

/// In whose words the conversation is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Words {
    /// In the chat template that the GGUF carries, as far as it can be used.
    #[default]
    Own,
    /// In ChatML, whatever it carries.
    Chatml,
}

impl Words {
    fn are_own(&self) -> bool {
        *self == Words::Own
    }
}

/// One answer to write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generate {
    /// Chosen by the parent, never used twice.
    pub id: u64,
    /// Told in the model's own words; see [`Loaded::template_wrong`].
    pub messages: Vec<Said>,
    /// What the model may call, in the form that [`Loaded::calls`] says. An
    /// answer with a grammar calls nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Tool>,
    pub max_tokens: u32,
    /// 0 always takes the likeliest token.
    pub temperature: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f32>,
    /// The same seed gives the same answer to the same prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Texts that end the answer; they are not part of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// What the whole answer must match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grammar: Option<Grammar>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grammar {
    /// llama.cpp's notation; the rule to start with is `root`.
    Gbnf(String),
    JsonSchema(serde_json::Value),
}

/// One turn of the conversation: `role` is the template's word (`system`,
/// `user`, `assistant`, `tool`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    pub role: String,
    pub content: String,
    /// What an assistant called. Each call is answered by one of the next turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// The id of the call whose result this is; for `tool` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// A JSON object.
    pub arguments: serde_json::Value,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON Schema of an object.
    pub input: serde_json::Value,
}

/// What a call looks like among the pieces of an answer: the trigger, the rest
/// up to the tool's name, the name, what stands in between, and the JSON object
/// of the arguments, with which the answer ends. Blanks within may differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallForm {
    pub trigger: String,
    pub rest: String,
    pub between: String,
    /// The trigger is a trigger only where the answer begins with it.
    pub only_first: bool,
}

/// For templates that have no form of their own: the one that most models know.
impl Default for CallForm {
    fn default() -> Self {
        CallForm {
            trigger: "<tool_call>".into(),
            rest: "\n{\"name\": \"".into(),
            between: "\", \"arguments\": ".into(),
            only_first: false,
        }
    }
}

/// A line from the engine to the parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "tell", rename_all = "snake_case")]
pub enum Tell {
    Loaded(Loaded),
    /// The prompt is being read; sent at most once a second, so that a long
    /// prompt on a slow machine does not look like a hang.
    Progress {
        id: u64,
        read_tokens: u32,
        prompt_tokens: u32,
    },
    /// Whole characters only, never a part of a stop text. Where the template has
    /// begun to think for the model, the first one is that beginning, `<think>`.
    Piece {
        id: u64,
        text: String,
    },
    Done(Done),
    /// With an id that generation failed; without one the last `Load` did, or
    /// a line that could not be read.
    Failed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u64>,
        #[serde(flatten)]
        fault: Fault,
        message: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// The name the GGUF gives itself, else its file name.
    pub model: String,
    /// Tokens that prompt and answer may take together.
    pub context: u32,
    pub size_bytes: u64,
    pub load_ms: u64,
    #[serde(default)]
    pub calls: CallForm,
    /// Why the chat template that the GGUF carries cannot be used: conversations
    /// are told in ChatML instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_wrong: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    pub id: u64,
    pub finish: Finish,
    pub prompt_tokens: u32,
    /// How many of the prompt's tokens were still in memory from before.
    pub cached_tokens: u32,
    pub generated_tokens: u32,
    pub prompt_ms: u64,
    pub generate_ms: u64,
    /// Threads at the end of the answer; they change with the machine's load.
    pub threads: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model ended its turn, or a stop text came.
    Stop,
    /// `max_tokens` or the context was used up.
    Length,
    Cancelled,
}

/// Why the engine could not do it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Fault {
    ModelMissing,
    /// The file does not start as a GGUF does.
    NotGguf,
    /// The file ends before its last tensor: a download that broke off.
    Truncated {
        needed_bytes: u64,
        actual_bytes: u64,
    },
    /// A whole GGUF that llama.cpp cannot run.
    ModelUnusable,
    OutOfMemory,
    /// Nothing is loaded.
    NoModel,
    ContextTooLong {
        prompt_tokens: u32,
        context: u32,
    },
    BadGrammar,
    /// The model's chat template refuses to tell the conversation.
    BadTemplate,
    /// A line that is no `Ask`, or an `Ask` that makes no sense.
    BadRequest,
    Internal,
}

/// What `coterie-engine pdf` reads out of the PDF on its stdin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PdfText {
    /// How many the file has.
    pub pages: u32,
    /// Of the first ones, as far as it read; empty for a page that is a picture.
    pub texts: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_ask(line: &str, ask: Ask) {
        assert_eq!(serde_json::from_str::<Ask>(line).unwrap(), ask);
        assert_eq!(serde_json::to_string(&ask).unwrap(), line);
    }

    #[track_caller]
    fn check_tell(line: &str, tell: Tell) {
        assert_eq!(serde_json::from_str::<Tell>(line).unwrap(), tell);
        assert_eq!(serde_json::to_string(&tell).unwrap(), line);
    }

    #[test]
    fn asks_are_flat_objects() {
        check_ask(r#"{"ask":"quit"}"#, Ask::Quit);
        check_ask(r#"{"ask":"cancel","id":7}"#, Ask::Cancel { id: 7 });
        check_ask(
            r#"{"ask":"load","path":"/m.gguf","context":2048}"#,
            Ask::Load(Load {
                path: "/m.gguf".into(),
                context: Some(2048),
                threads: None,
                words: Words::Own,
            }),
        );
        check_ask(
            r#"{"ask":"generate","id":1,"messages":[{"role":"user","content":"hi"}],"max_tokens":8,"temperature":0.0,"stop":["\n"]}"#,
            Ask::Generate(Generate {
                id: 1,
                messages: vec![Said {
                    role: "user".into(),
                    content: "hi".into(),
                    ..Said::default()
                }],
                tools: vec![],
                max_tokens: 8,
                temperature: 0.0,
                top_p: None,
                seed: None,
                stop: vec!["\n".into()],
                grammar: None,
            }),
        );
    }

    #[test]
    fn what_is_called_and_what_may_be_called_stand_with_the_turns() {
        let line = r#"{"ask":"load","path":"/m.gguf","words":"chatml"}"#;
        let path = "/m.gguf".into();
        check_ask(
            line,
            Ask::Load(Load { path, context: None, threads: None, words: Words::Chatml }),
        );
        let said: Said = serde_json::from_str(
            r#"{"role":"assistant","content":"","calls":[{"id":"a","name":"f","arguments":{}}]}"#,
        )
        .unwrap();
        let call = Call { id: "a".into(), name: "f".into(), arguments: serde_json::json!({}) };
        assert_eq!(said, Said { role: "assistant".into(), calls: vec![call], ..Said::default() });
        let loaded: Loaded =
            serde_json::from_str(r#"{"model":"m","context":9,"size_bytes":1,"load_ms":1}"#)
                .unwrap();
        assert_eq!((loaded.calls.trigger.as_str(), loaded.template_wrong), ("<tool_call>", None));
    }

    #[test]
    fn a_grammar_says_which_notation_it_is_in() {
        let grammar: Grammar = serde_json::from_str(r#"{"gbnf":"root ::= [a-z]"}"#).unwrap();
        assert_eq!(grammar, Grammar::Gbnf("root ::= [a-z]".into()));
        let grammar: Grammar = serde_json::from_str(r#"{"json_schema":{"type":"null"}}"#).unwrap();
        assert_eq!(grammar, Grammar::JsonSchema(serde_json::json!({ "type": "null" })));
    }

    #[test]
    fn tells_are_flat_objects() {
        check_tell(
            r#"{"tell":"piece","id":1,"text":"é"}"#,
            Tell::Piece { id: 1, text: "é".into() },
        );
        check_tell(
            r#"{"tell":"failed","id":1,"code":"context_too_long","prompt_tokens":9000,"context":2048,"message":"m"}"#,
            Tell::Failed {
                id: Some(1),
                fault: Fault::ContextTooLong { prompt_tokens: 9000, context: 2048 },
                message: "m".into(),
            },
        );
        check_tell(
            r#"{"tell":"failed","code":"not_gguf","message":"m"}"#,
            Tell::Failed { id: None, fault: Fault::NotGguf, message: "m".into() },
        );
    }
}
