//! A workspace as it stands before a story begins: with a scripted model.

use domain::{Call, Command, McpSetup, ModelInfo, ModelRole, Provider, ProviderKind};
use door::{Door, Parts, Places};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What the agents are going to say, in the words of docs/scripted-traces.md.
#[derive(Default)]
pub(crate) struct Seed {
    exchanges: Vec<Value>,
    /// By the name of its file.
    souls: Vec<(&'static str, String)>,
    servers: Vec<McpSetup>,
}

/// Agents that answer with their names.
pub(crate) fn seed() -> Seed {
    Seed::default()
}

impl Seed {
    /// To a message with these words, all agents answer so.
    pub(crate) fn answer(self, to: &str, with: &str) -> Seed {
        let usage = json!({"input_tokens": 812, "output_tokens": 64, "cached_tokens": 640});
        self.exchange(to, json!({"lines": [{"text": with}], "word_ms": 5, "usage": usage}))
    }

    /// The same, a word at a time.
    pub(crate) fn slow_answer(self, to: &str, with: &str, word_ms: u64) -> Seed {
        self.exchange(to, json!({"lines": [{"text": with}], "word_ms": word_ms}))
    }

    /// Whoever has these words in their soul answers so, whatever they hear.
    pub(crate) fn answer_of_soul(mut self, words: &str, with: &str) -> Seed {
        let answer = json!({"lines": [{"text": with}]});
        self.exchanges.push(json!({"when": {"system": {"contains": words}}, "answer": answer}));
        self
    }

    /// Begins so, and then nothing more comes.
    pub(crate) fn endless_answer(self, to: &str, begins: &str) -> Seed {
        self.exchange(to, json!({"lines": [{"text": begins}, {"hang": true}]}))
    }

    /// To a message with these words, asks the calculator, and says so once it knows.
    pub(crate) fn calculation(self, to: &str, expression: &str, result: &str) -> Seed {
        let arguments = json!({"expression": expression});
        let call = json!({"id": "sum", "name": "calculator", "arguments": arguments});
        self.exchange(to, json!({"lines": [{"tool_call": call}]}))
            .answer(result, &format!("It is {result}."))
    }

    /// To a message with these words, Ada wants to write into a file of her folder
    /// `desk`, and says so once it is written.
    pub(crate) fn writing(mut self, to: &str, file: &str, content: &str) -> Seed {
        let soul =
            "---\nname: Ada\nrole: Helper\ntools: [write_file]\nroots: [desk]\n---\nYou are Ada.\n";
        self.souls.push(("ada.md", soul.to_owned()));
        let arguments = json!({"path": file, "content": content, "replace": true});
        let call = json!({"id": "note", "name": "write_file", "arguments": arguments});
        self.exchange(to, json!({"lines": [{"tool_call": call}]}))
            .answer("1 line", "It is written.")
    }

    /// To a message with these words, Ada asks this, and says so once she knows.
    pub(crate) fn asking(mut self, to: &str, arguments: Value) -> Seed {
        let soul = "---\nname: Ada\nrole: Helper\ntools: [ask_user]\n---\nYou are Ada.\n";
        self.souls.push(("ada.md", soul.to_owned()));
        let call = json!({"id": "ask", "name": "ask_user", "arguments": arguments});
        self.exchange(to, json!({"lines": [{"tool_call": call}]}))
            .answer("The person answered: ", "Now I know.")
            .answer("would rather not", "Then I guess.")
    }

    /// To a message with these words, Ada proposes how she should speak, and says so.
    pub(crate) fn proposing(mut self, to: &str, text: &str) -> Seed {
        let soul = "---\nname: Ada\nrole: Helper\ntools: [soul_propose]\n---\nYou are Ada.\n\n# How you speak\n\nIn long sentences.\n";
        self.souls.push(("ada.md", soul.to_owned()));
        let arguments =
            json!({"section": "How you speak", "text": text, "why": "You asked me to be brief."});
        let call = json!({"id": "wish", "name": "soul_propose", "arguments": arguments});
        self.exchange(to, json!({"lines": [{"tool_call": call}]}))
            .answer("until the person says yes", "I have proposed it.")
    }

    /// To a message with these words, Ada has this tool of the server `things` give
    /// a word back, and says so once it has.
    pub(crate) fn echoing(self, to: &str, tool: &str) -> Seed {
        self.using(to, tool, json!({"text": "tea"})).answer("tea", "It came back.")
    }

    /// To a message with these words, Ada uses this tool of the server `things`.
    pub(crate) fn using(mut self, to: &str, tool: &str, arguments: Value) -> Seed {
        let soul = "---\nname: Ada\nrole: Helper\nmcp: [things]\n---\nYou are Ada.\n";
        self.souls.push(("ada.md", soul.to_owned()));
        let call = json!({"id": "use", "name": tool, "arguments": arguments});
        self.exchange(to, json!({"lines": [{"tool_call": call}]}))
    }

    /// A server that is set up.
    pub(crate) fn server(mut self, setup: McpSetup) -> Seed {
        self.servers.push(setup);
        self
    }

    /// Whoever leads a group names these, one after the other, and then nobody.
    pub(crate) fn leads(mut self, names: &[&str]) -> Seed {
        let names = names.iter().map(|name| (json!(name), json!(1)));
        for (next, times) in names.chain([(Value::Null, Value::Null)]) {
            let says = json!({ "next": next }).to_string();
            let mut exchange = json!({
                "when": {"last": {"contains": "You lead this group"}},
                "answer": {"lines": [{"text": says}]},
            });
            if !times.is_null() {
                exchange["times"] = times;
            }
            self.exchanges.push(exchange);
        }
        self
    }

    /// Fails, and says this about it.
    pub(crate) fn failing_answer(self, to: &str, message: &str, fix: &str) -> Seed {
        let fault = json!({"trouble": "key", "message": message, "fix": fix});
        self.exchange(to, json!({"lines": [{"fault": fault}]}))
    }

    fn exchange(mut self, to: &str, answer: Value) -> Seed {
        self.exchanges.push(json!({"when": {"last": {"contains": to}}, "answer": answer}));
        self
    }

    fn trace(self) -> Value {
        let mut exchanges = self.exchanges;
        for name in ["Ada", "Bo", "Ines", "Otto", "林夏", "老陈"] {
            let is_asked = json!({"system": {"contains": format!("You are {name}")}});
            let answer = json!({"lines": [{"text": format!("{name} is here.")}]});
            exchanges.push(json!({"when": is_asked, "answer": answer}));
        }
        let fallback = json!({"lines": [{"text": "Somebody is here."}]});
        json!({"format": "coterie-trace", "version": 1, "exchanges": exchanges, "fallback": fallback})
    }

    pub(crate) async fn plant(mut self, data: &Path, trace: &Path) {
        for (name, text) in std::mem::take(&mut self.souls) {
            for folder in ["souls", "desk"] {
                std::fs::create_dir_all(data.join(folder)).expect("a folder");
            }
            std::fs::write(data.join("souls").join(name), text).expect("a soul");
        }
        let servers = std::mem::take(&mut self.servers);
        std::fs::write(trace, self.trace().to_string()).expect("the trace is written");
        let places = Places::bare(data.to_owned());
        let parts = |places: &Places| Parts::real(places, Arc::new(|_| None));
        let door = Door::open(places, parts).await.expect("the workspace opens");
        let provider = Provider {
            name: "scripted".into(),
            kind: ProviderKind::Scripted,
            base_url: Some(trace.display().to_string()),
            key_env: None,
            key: None,
            models: vec![ModelInfo::new("play", Some(32_000))],
        };
        let model = "scripted/play".to_owned();
        let set_up = [
            Command::save_provider(provider),
            Command::UseModel { role: ModelRole::Default, model },
        ];
        let put = |setup| Command::PutServer { setup, values: BTreeMap::new(), replaces: false };
        for command in set_up.into_iter().chain(servers.into_iter().map(put)) {
            door.ask(Call::Command(command)).await.expect("the seed is planted");
        }
        door.close().await;
    }
}
