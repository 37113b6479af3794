//! The template of its conversations that a model brings along, rendered as
//! the Python programs do that it was written for.
//!
//! Templates differ in what they take: a system prompt, offered tools, calls in
//! the past, and the form of these. Nothing says so but the template itself, so
//! a few made-up conversations are rendered when it is read, and what comes of
//! them shows it.

mod jinja;
mod looked;

use minijinja::value::Serde;
use minijinja::{Environment, Value, context};
use serde::Serialize;
use std::io;

/// Conversations without a template of their own are told in this one.
pub const CHATML: &str = "{% for message in messages %}\
    {{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}\
    {% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/// One turn of the conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Message {
    /// `system`, `user`, `assistant` or `tool`.
    pub role: String,
    pub content: String,
    /// What an assistant called; most templates take one call a turn.
    pub calls: Vec<Call>,
    /// For `tool`: the id and the name of what was called.
    pub answers: Option<(String, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// A JSON object.
    pub arguments: serde_json::Value,
}

/// What the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON Schema of an object.
    pub input: serde_json::Value,
}

/// The texts of the tokens that templates ask for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tokens {
    pub bos: String,
    pub eos: String,
}

/// What the model writes for a call: the trigger, the rest up to the tool's
/// name, the name, what stands in between, and the JSON object of the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    pub trigger: String,
    pub rest: String,
    pub between: String,
    /// The trigger is a trigger only where the answer begins with it.
    pub only_first: bool,
}

pub struct Template {
    environment: Environment<'static>,
    tokens: Tokens,
    habits: Habits,
    takes_system: bool,
    form: Option<Form>,
}

/// In which of the common forms the template wants what a turn holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Habits {
    /// A list of parts instead of a text.
    parts: bool,
    /// Nothing at all where a turn only calls, instead of an empty text.
    no_content: bool,
    /// The arguments as JSON text instead of an object.
    arguments_text: bool,
}

const NAME: &str = "chat";

impl Template {
    /// Fails, and says why, for one that cannot tell even the simplest
    /// conversation.
    pub fn read(source: &str, tokens: Tokens) -> Result<Template, String> {
        let mut environment = jinja::environment();
        environment
            .add_template_owned(NAME, jinja::without_training_marks(source))
            .map_err(|error| jinja::plainly(&error))?;
        let template = Template {
            environment,
            tokens,
            habits: Habits::default(),
            takes_system: false,
            form: None,
        };
        looked::at(template)
    }

    pub fn chatml() -> Template {
        Template::read(CHATML, Tokens::default()).expect("it is tested")
    }

    /// Whether a system prompt has a place of its own.
    pub fn takes_system(&self) -> bool {
        self.takes_system
    }

    /// How calls are written; nothing where tools and calls have no place in
    /// the template, or calls are no JSON.
    pub fn form(&self) -> Option<&Form> {
        self.form.as_ref()
    }

    /// The text that the model goes on from. Fails for a conversation that the
    /// template refuses to tell.
    pub fn render(&self, messages: &[Message], tools: &[Tool]) -> Result<String, String> {
        self.told(messages, tools, true)
    }

    fn told(&self, messages: &[Message], tools: &[Tool], go_on: bool) -> Result<String, String> {
        let template = self.environment.get_template(NAME).expect("it was added when it was read");
        let messages: Vec<Value> =
            messages.iter().map(|message| self.habits.told(message)).collect();
        let tools = match tools {
            [] => Value::from(()),
            tools => tools.iter().map(offered).collect(),
        };
        let mut text = Bounded(Vec::new());
        let told = context! {
            messages,
            tools,
            add_generation_prompt => go_on,
            bos_token => self.tokens.bos.as_str(),
            eos_token => self.tokens.eos.as_str(),
        };
        template.render_captured_to(told, &mut text).map_err(|error| jinja::plainly(&error))?;
        String::from_utf8(text.0).map_err(|error| error.to_string())
    }
}

/// More than any conversation; a template that repeats itself ends here.
const MOST_BYTES: usize = 32 << 20;

struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if self.0.len() + more.len() > MOST_BYTES {
            return Err(io::Error::other("the template writes without end"));
        }
        self.0.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Habits {
    fn told(self, message: &Message) -> Value {
        #[derive(Serialize)]
        struct Told<'a> {
            role: &'a str,
            content: Value,
            #[serde(skip_serializing_if = "Vec::is_empty")]
            tool_calls: Vec<Calling<'a>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            tool_call_id: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            name: Option<&'a str>,
        }
        #[derive(Serialize)]
        struct Calling<'a> {
            id: &'a str,
            r#type: &'static str,
            function: Function<'a>,
        }
        #[derive(Serialize)]
        struct Function<'a> {
            name: &'a str,
            arguments: Value,
        }
        let Message { role, content, calls, answers } = message;
        let content = match self {
            Habits { no_content: true, .. } if content.is_empty() && !calls.is_empty() => {
                Value::from(())
            }
            Habits { parts: true, .. } => {
                Value::from_iter([context! { type => "text", text => content }])
            }
            Habits { .. } => Value::from(content.as_str()),
        };
        let arguments = |call: &Call| match self.arguments_text {
            true => Value::from(call.arguments.to_string()),
            false => Value::from(Serde(&call.arguments)),
        };
        let tool_calls = calls.iter().map(|call| {
            let function = Function { name: &call.name, arguments: arguments(call) };
            Calling { id: &call.id, r#type: "function", function }
        });
        let (tool_call_id, name) = answers.as_ref().map(|(id, name)| (&**id, &**name)).unzip();
        let tool_calls = tool_calls.collect();
        Value::from(Serde(Told { role, content, tool_calls, tool_call_id, name }))
    }
}

fn offered(tool: &Tool) -> Value {
    #[derive(Serialize)]
    struct Offered<'a> {
        r#type: &'static str,
        function: Function<'a>,
    }
    #[derive(Serialize)]
    struct Function<'a> {
        name: &'a str,
        description: &'a str,
        parameters: &'a serde_json::Value,
    }
    let Tool { name, description, input } = tool;
    let function = Function { name, description, parameters: input };
    Value::from(Serde(Offered { r#type: "function", function }))
}

#[cfg(test)]
mod tests;
