//! The engine as its parent sees it: a process, its pipes and its end.
#![expect(clippy::unwrap_used, reason = "a test ends where something it relies on fails")]

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use domain::engine::{Ask, Call, Fault, Finish, Generate, Grammar, Load, Said, Tell, Tool, Words};

struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    tells: Lines<BufReader<ChildStdout>>,
}

impl Engine {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_coterie-engine"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, stdin, tells: BufReader::new(stdout).lines() }
    }

    fn ask(&mut self, ask: &Ask) {
        self.write(&serde_json::to_string(ask).unwrap());
    }

    fn write(&mut self, line: &str) {
        writeln!(self.stdin.as_mut().unwrap(), "{line}").unwrap();
    }

    fn tell(&mut self) -> Tell {
        serde_json::from_str(&self.tells.next().unwrap().unwrap()).unwrap()
    }

    /// The last tell of answer `id`, pieces before it left out.
    fn end_of(&mut self, id: u64) -> Tell {
        loop {
            match self.tell() {
                Tell::Piece { .. } | Tell::Progress { .. } => {}
                Tell::Done(done) if done.id != id => panic!("{done:?}"),
                end => return end,
            }
        }
    }

    /// Closes stdin and waits until the process has ended.
    fn close(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

fn said(role: &str, content: &str) -> Said {
    Said { role: role.into(), content: content.into(), ..Said::default() }
}

fn generate(id: u64, content: &str) -> Generate {
    Generate {
        id,
        messages: vec![said("user", content)],
        tools: vec![],
        max_tokens: 8,
        temperature: 0.0,
        top_p: None,
        seed: None,
        stop: vec![],
        grammar: None,
    }
}

/// Goes on until somebody or something stops it.
fn endless(id: u64, content: &str) -> Ask {
    let grammar = Some(Grammar::Gbnf("root ::= [a-z ] root".into()));
    Ask::Generate(Generate { max_tokens: 100_000, grammar, ..generate(id, content) })
}

/// The starter model, from `COTERIE_ASSETS` or the checkout.
#[expect(clippy::disallowed_methods, reason = "a test's parts are named by the environment")]
#[expect(clippy::print_stderr, reason = "whoever runs it should know what was left out")]
fn starter_model() -> Option<PathBuf> {
    let named = std::env::var_os("COTERIE_ASSETS");
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    let models = named.as_ref().map_or(checkout, PathBuf::from).join("models");
    let files = std::fs::read_dir(&models).into_iter().flatten().flatten();
    let found = files.map(|file| file.path()).find(|path| {
        path.to_string_lossy().contains("SmolLM2") && path.extension().is_some_and(|e| e == "gguf")
    });
    if found.is_none() {
        assert!(
            named.is_none(),
            "COTERIE_ASSETS is set, but {} has no starter model",
            models.display()
        );
        eprintln!("SKIPPED for want of assets: no starter model in {}", models.display());
    }
    found
}

fn loaded(path: PathBuf) -> Engine {
    let mut engine = Engine::start();
    engine.ask(&Ask::Load(Load { path, context: Some(1024), threads: None, words: Words::Own }));
    assert!(matches!(engine.tell(), Tell::Loaded(_)));
    engine
}

#[test]
fn lines_that_make_no_sense_are_answered_and_survived() {
    let mut engine = Engine::start();
    for line in
        ["", "{", "null", "[]", r#"{"ask":"load"}"#, r#"{"ask":"generate","id":-1}"#, "\u{0}"]
    {
        engine.write(line);
    }
    for _ in 0..6 {
        assert!(matches!(engine.tell(), Tell::Failed { id: None, fault: Fault::BadRequest, .. }));
    }
    engine.ask(&Ask::Cancel { id: 9 });
    engine.ask(&Ask::Generate(generate(1, "Hello")));
    assert!(matches!(engine.tell(), Tell::Failed { id: Some(1), fault: Fault::NoModel, .. }));
    assert_eq!(engine.close(), 0);
}

#[test]
fn quit_ends_it() {
    let mut engine = Engine::start();
    engine.ask(&Ask::Quit);
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_end_of_stdin_ends_it_in_the_middle_of_an_answer() {
    let Some(model) = starter_model() else { return };
    let mut engine = loaded(model);
    engine.ask(&endless(1, "Hello"));
    assert!(matches!(engine.tell(), Tell::Piece { .. }));
    assert_eq!(engine.close(), 0);
}

#[test]
fn a_cancel_is_heard_while_writing_while_reading_and_in_the_queue() {
    let Some(model) = starter_model() else { return };
    let mut engine = loaded(model);
    let cancelled = |tell: Tell| match tell {
        Tell::Done(done) => {
            assert_eq!(done.finish, Finish::Cancelled);
            done
        }
        other => panic!("{other:?}"),
    };

    engine.ask(&endless(1, "Hello"));
    assert!(matches!(engine.tell(), Tell::Piece { .. }));
    engine.ask(&endless(2, "Hello"));
    engine.ask(&Ask::Cancel { id: 2 });
    engine.ask(&Ask::Cancel { id: 1 });
    assert!(cancelled(engine.end_of(1)).generated_tokens > 0);
    assert_eq!(cancelled(engine.end_of(2)).prompt_tokens, 0, "it was never begun");

    // A prompt that takes a while; the cancel is there before it can be through.
    engine.ask(&Ask::Generate(generate(3, &"some words to read ".repeat(200))));
    engine.ask(&Ask::Cancel { id: 3 });
    assert_eq!(cancelled(engine.end_of(3)).generated_tokens, 0);

    engine.ask(&Ask::Generate(generate(4, "Hello")));
    assert!(matches!(engine.end_of(4), Tell::Done(done) if done.finish != Finish::Cancelled));
    assert_eq!(engine.close(), 0);
}

#[test]
fn a_full_window_ends_the_answer() {
    let Some(model) = starter_model() else { return };
    let mut engine = Engine::start();
    engine.ask(&Ask::Load(Load {
        path: model,
        context: Some(256),
        threads: Some(1),
        words: Words::Own,
    }));
    let Tell::Loaded(loaded) = engine.tell() else { panic!("not loaded") };
    assert_eq!(loaded.context, 256);
    engine.ask(&endless(1, &"word ".repeat(200)));
    let Tell::Done(done) = engine.end_of(1) else { panic!("not done") };
    assert_eq!((done.finish, done.prompt_tokens + done.generated_tokens), (Finish::Length, 256));
    assert_eq!(engine.close(), 0);
}

/// A copy of the starter model that brings this template instead of its own.
fn with_template(model: &Path, template: &str) -> tempfile::NamedTempFile {
    const OWN: &[u8] = b"{% for message in messages %}{% if loop.first and messages[0]";
    const OWN_BYTES: usize = 400;
    let mut file = std::fs::read(model).unwrap();
    let at = file.windows(OWN.len()).position(|part| part == OWN).unwrap();
    let length = u64::from_le_bytes(file[at - 8..at].try_into().unwrap()) as usize;
    assert!(length < OWN_BYTES && template.len() + 4 <= length, "{length} bytes");
    let filled = format!("{template}{{#{}#}}", " ".repeat(length - template.len() - 4));
    file[at..at + length].copy_from_slice(filled.as_bytes());
    let mut copy = tempfile::Builder::new().suffix(".gguf").tempfile().unwrap();
    copy.write_all(&file).unwrap();
    copy
}

fn tool(name: &str, argument: &str) -> Tool {
    let input = serde_json::json!({
        "type": "object",
        "properties": { argument: { "type": "string", "maxLength": 100_000 } },
        "required": [argument],
        "additionalProperties": false,
    });
    Tool { name: name.into(), description: "Works out arithmetic.".into(), input }
}

/// The whole text of answer `id`, and how many tokens were read for it.
fn text_of(engine: &mut Engine, id: u64) -> (String, u32) {
    let mut text = String::new();
    loop {
        match engine.tell() {
            Tell::Piece { text: more, .. } => text.push_str(&more),
            Tell::Progress { .. } => {}
            Tell::Done(done) if done.id == id => return (text, done.prompt_tokens),
            other => panic!("{other:?}"),
        }
    }
}

const SAY_A_CALL: &str = "Say it again: <tool_call>\n\
    {\"name\": \"calculator\", \"arguments\": {\"expression\": \"12 * 12\"}}\n</tool_call>";

#[test]
fn a_call_that_has_begun_is_one_of_a_tool_that_is_offered() {
    let Some(model) = starter_model() else { return };
    let mut engine = loaded(model);
    let (calculator, search) = (tool("calculator", "expression"), tool("web_search", "query"));
    let system = "You are Ada. You use the calculator for every sum.";
    // The model would name the calculator each time, as it is told to; it can
    // call only what is there, with the arguments that this takes.
    for (id, tools) in
        [(1, vec![calculator.clone()]), (2, vec![search.clone(), calculator]), (3, vec![search])]
    {
        let messages = vec![said("system", system), said("user", SAY_A_CALL)];
        let ask = Generate { messages, tools: tools.clone(), max_tokens: 60, ..generate(id, "") };
        engine.ask(&Ask::Generate(ask));
        let text = text_of(&mut engine, id).0;
        let Some((_, call)) = text.split_once("<tool_call>") else {
            assert_ne!(id, 1, "{text}");
            continue;
        };
        // The answer ends with the arguments: the brace around them is left out.
        let call: serde_json::Value = serde_json::from_str(&format!("{call}}}")).expect(call);
        let called = tools.iter().find(|tool| tool.name == call["name"]).expect(&text);
        let arguments = call["arguments"].as_object().expect(&text);
        assert!(
            arguments.keys().eq(called.input["properties"].as_object().unwrap().keys()),
            "{text}"
        );
    }
    assert_eq!(engine.close(), 0);
}

#[test]
fn the_template_that_the_file_brings_is_the_one_that_is_used() {
    let Some(model) = starter_model() else { return };
    let unheard_of = "{% for m in messages %}[[{{ m.role }}]] {{ m.content }} [[/]]\
        {{ '\\n' }}{% endfor %}[[assistant]]";
    let copy = with_template(&model, unheard_of);
    let mut engine = loaded(copy.path().to_owned());
    engine.ask(&Ask::Generate(Generate { max_tokens: 1, ..generate(1, "Hello") }));
    let in_its_own = text_of(&mut engine, 1).1;
    engine.ask(&Ask::Load(Load {
        path: model.clone(),
        context: Some(1024),
        threads: None,
        words: Words::Chatml,
    }));
    assert!(matches!(engine.tell(), Tell::Loaded(_)));
    engine.ask(&Ask::Generate(Generate { max_tokens: 1, ..generate(2, "Hello") }));
    let in_chatml = text_of(&mut engine, 2).1;
    assert_eq!(in_chatml, 10, "as it always was");
    assert_ne!(in_its_own, in_chatml);

    let broken = with_template(&model, "{{ nobody_has_this() }}");
    engine.ask(&Ask::Load(Load {
        path: broken.path().to_owned(),
        context: Some(1024),
        threads: None,
        words: Words::Own,
    }));
    let Tell::Loaded(loaded) = engine.tell() else { panic!("not loaded") };
    assert!(loaded.template_wrong.unwrap().contains("unknown function"));
    assert_eq!(engine.close(), 0);
}

/// Twice as long thirty times, from one letter: a gigabyte.
#[cfg(target_os = "linux")]
const GREEDY: &str = "{% set ns = namespace(x='x') %}{% for i in range(30) %}\
    {% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ messages[0].content }}";

#[cfg(target_os = "linux")]
#[test]
fn a_template_that_takes_all_memory_ends_the_process_that_looks_at_it_and_no_other() {
    let looked = |template: &str| {
        let mut look = Command::new(env!("CARGO_BIN_EXE_coterie-engine"))
            .arg("look")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        look.stdin.take().unwrap().write_all(template.as_bytes()).unwrap();
        let output = look.wait_with_output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(looked("{{ messages[0].content }}"), (true, String::new()));
    assert_eq!(looked("Hello."), (true, "it leaves out what was asked".to_owned()));
    assert_eq!(looked(GREEDY), (false, String::new()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_model_whose_template_takes_all_memory_ends_the_engine_alone() {
    let Some(model) = starter_model() else { return };
    let greedy = with_template(&model, GREEDY);
    let mut engine = Engine::start();
    engine.ask(&Ask::Load(Load {
        path: greedy.path().to_owned(),
        context: Some(1024),
        threads: None,
        words: Words::Own,
    }));
    let told: Vec<String> = engine.tells.by_ref().map_while(Result::ok).collect();
    assert!(told.iter().all(|line| !line.contains("\"loaded\"")), "{told:?}");
    assert!(!engine.child.wait().unwrap().success());
}

#[test]
fn an_answer_whose_thinking_the_template_began_begins_with_its_mark() {
    let Some(model) = starter_model() else { return };
    let thinks = "{% for m in messages %}<|im_start|>{{ m.role }}{{ '\\n' }}{{ m.content }}\
        <|im_end|>{{ '\\n' }}{% endfor %}<|im_start|>assistant{{ '\\n<think>\\n' }}";
    let copy = with_template(&model, thinks);
    let mut engine = loaded(copy.path().to_owned());
    let ask = Generate { max_tokens: 4, ..generate(1, "Hello") };
    engine.ask(&Ask::Generate(ask.clone()));
    let text = text_of(&mut engine, 1).0;
    assert!(text.starts_with("<think>"), "{text}");
    // What must match a grammar is no thought.
    let grammar = Some(Grammar::Gbnf("root ::= \"yes\"".into()));
    engine.ask(&Ask::Generate(Generate { id: 2, grammar, ..ask }));
    assert_eq!(text_of(&mut engine, 2).0, "yes");
    assert_eq!(engine.close(), 0);
}

#[test]
fn a_template_with_a_place_for_tools_says_how_calls_are_written() {
    let Some(model) = starter_model() else { return };
    let own = "{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}<|im_start|>\
        {{ m.role + '\\n' }}{% if m.tool_calls %}<do>{{ m.tool_calls[0].function | tojson }}\
        {% else %}{{ m.content }}{% endif %}<|im_end|>{{ '\\n' }}{% endfor %}\
        {% if add_generation_prompt %}<|im_start|>assistant{{ '\\n' }}{% endif %}";
    let copy = with_template(&model, own);
    let mut engine = Engine::start();
    let path = copy.path().to_owned();
    engine.ask(&Ask::Load(Load { path, context: Some(1024), threads: None, words: Words::Own }));
    let Tell::Loaded(loaded) = engine.tell() else { panic!("not loaded") };
    assert_eq!((&*loaded.calls.trigger, &*loaded.calls.rest), ("<do>", "{\"name\": \""));
    let mut messages = vec![said("system", "You use the calculator for every sum.")];
    for (id, sum, result) in [("a", "2 + 2", "4"), ("b", "5 * 7", "35"), ("c", "9 - 4", "5")] {
        let arguments = serde_json::json!({ "expression": sum });
        let call = Call { id: id.into(), name: "calculator".into(), arguments };
        messages.push(said("user", &format!("How much is {sum}?")));
        messages.push(Said { calls: vec![call], ..said("assistant", "") });
        messages.push(Said { answers: Some(id.into()), ..said("tool", result) });
        messages.push(said("assistant", &format!("It is {result}.")));
    }
    messages.push(said("user", "How much is 12 * 12?"));
    let tools = vec![tool("calculator", "expression")];
    engine.ask(&Ask::Generate(Generate { messages, tools, max_tokens: 60, ..generate(1, "") }));
    let text = text_of(&mut engine, 1).0;
    let call = text.trim_start().strip_prefix("<do>").expect(&text);
    let call: serde_json::Value = serde_json::from_str(&format!("{call}}}")).expect(call);
    assert_eq!(call["arguments"], serde_json::json!({ "expression": "12 * 12" }));
    assert_eq!(engine.close(), 0);
}
