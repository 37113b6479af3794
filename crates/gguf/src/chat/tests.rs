//! What templates of real models make of a conversation.

use super::*;
use serde_json::{Value as Json, from_str};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/templates")
}

fn text<'a>(from: &'a Json, key: &str) -> &'a str {
    from[key].as_str().unwrap_or_default()
}

/// The conversation that the expected texts were made of.
fn given() -> (Vec<Message>, Vec<Tool>) {
    let file = std::fs::read_to_string(folder().join("conversation.json")).unwrap();
    let given: Json = from_str(&file).unwrap();
    let list = |from: &Json| from.as_array().cloned().unwrap_or_default();
    let messages = list(&given["messages"]).into_iter().map(|message| {
        let calls = list(&message["calls"]).into_iter().map(|call| Call {
            id: text(&call, "id").into(),
            name: text(&call, "name").into(),
            arguments: call["arguments"].clone(),
        });
        let answers = message["answers"].as_array();
        Message {
            role: text(&message, "role").into(),
            content: text(&message, "content").into(),
            calls: calls.collect(),
            answers: answers
                .map(|both| (both[0].as_str().unwrap().into(), both[1].as_str().unwrap().into())),
        }
    });
    let tools = list(&given["tools"]).into_iter().map(|tool| Tool {
        name: text(&tool, "name").into(),
        description: text(&tool, "description").into(),
        input: tool["input"].clone(),
    });
    (messages.collect(), tools.collect())
}

fn sections(template: &Template) -> String {
    let (messages, tools) = given();
    let plain = |message: &&Message| message.role != "tool" && message.calls.is_empty();
    let talk: Vec<Message> = messages.iter().filter(plain).cloned().collect();
    let asked: Vec<Message> = talk.iter().filter(|m| m.role != "system").cloned().collect();
    let mut out = String::new();
    for (name, messages, tools) in [
        ("asked", &asked[..1], &[][..]),
        ("told and asked", &talk[..2], &[]),
        ("a conversation", &talk, &[]),
        ("with tools", &messages, &tools),
    ] {
        let rendered = template.render(messages, tools).unwrap_or("REFUSED".into());
        writeln!(out, "=== {name}\n{rendered}").unwrap();
    }
    out
}

fn tokens() -> Tokens {
    Tokens { bos: "<s>".into(), eos: "</s>".into() }
}

fn read(name: &str) -> Template {
    let source = std::fs::read_to_string(folder().join(format!("{name}.jinja"))).unwrap();
    Template::read(&source, tokens()).unwrap()
}

#[test]
fn real_templates_are_rendered_as_jinja_renders_them() {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jinja"))
        .collect();
    names.sort();
    assert_eq!(names.len(), 9);
    for path in names {
        let expected = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        let ours = sections(&read(path.file_stem().unwrap().to_str().unwrap()));
        assert_eq!(ours, expected, "{}", path.display());
    }
}

#[test]
fn what_a_template_takes_is_seen_from_what_it_makes_of_a_conversation() {
    let check = |name: &str, system: bool, form: Option<(&str, &str, &str)>| {
        let template = read(name);
        let form = form.map(|(trigger, rest, between)| Form {
            trigger: trigger.into(),
            rest: rest.into(),
            between: between.into(),
            only_first: trigger.starts_with('{'),
        });
        assert_eq!((template.takes_system(), template.form()), (system, form.as_ref()), "{name}");
    };
    let tagged = ("<tool_call>", "\n{\"name\": \"", "\", \"arguments\": ");
    check("qwen2.5", true, Some(tagged));
    check("qwen3", true, Some(tagged));
    check("llama-3", true, Some(("{\"name\": \"", "", "\", \"parameters\": ")));
    let listed = ("[TOOL_CALLS]", "[{\"name\": \"", "\", \"arguments\": ");
    check("mistral-nemo", true, Some(listed));
    check("chatml", true, None);
    check("phi-3.5", true, None);
    check("deepseek-r1-distill", true, None);
    check("unheard-of", true, None);
    check("gemma", false, None);
}

#[test]
fn text_of_arguments_and_content_in_parts_are_given_to_templates_that_want_them() {
    let parts = "{% for m in messages %}{{ m.role }}: {% for part in m.content %}\
        {{ part['text'] }}{% endfor %}; {% endfor %}";
    let template = Template::read(parts, tokens()).unwrap();
    assert!(template.takes_system());
    let asked = Message { role: "user".into(), content: "hi".into(), ..Message::default() };
    assert_eq!(template.render(&[asked], &[]).unwrap(), "user: hi; ");

    let text = "{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}\
        {% if m.tool_calls %}{% if m.content is not none %}{{ raise_exception('no') }}{% endif %}\
        {% for call in m.tool_calls %}<do>{{ call.function.name + '|' + call.function.arguments }}\
        {% endfor %}{% else %}{{ '<' + m.role + '>' + m.content }}{% endif %}{% endfor %}";
    let template = Template::read(text, tokens()).unwrap();
    let habits = Habits { parts: false, no_content: true, arguments_text: true };
    assert_eq!(template.habits, habits);
    assert_eq!(template.form().unwrap().trigger, "<do>");
}

#[test]
fn a_template_that_cannot_be_used_says_why_in_one_line() {
    let check = |source: &str, why: &str| {
        let error = Template::read(source, tokens()).err().expect(source);
        assert!(error.contains(why) && !error.contains('\n'), "{source}: {error}");
    };
    check("", "it leaves out what was asked");
    check("{{ messages[0].role }}", "it leaves out what was asked");
    check("{% for m in messages %}", "unexpected end of input");
    check("{{ raise_exception('not\nme') }}", "not me");
    check("{{ nobody_has_this() }}", "unknown function");
    check(
        "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
        "fuel",
    );
    check(
        "{% for a in range(10000) %}{{ 'a' * 10000000 }}{% endfor %}",
        "the template writes without end",
    );
    check("{% include 'etc/passwd' %}", "template not found");
}

#[test]
fn marks_of_training_change_nothing_of_what_is_rendered() {
    let source = "{% for m in messages %}{%- generation -%} {{ m.content }} {% endgeneration %}\
        {% endfor %}";
    let template = Template::read(source, tokens()).unwrap();
    let asked = Message { role: "user".into(), content: "hi".into(), ..Message::default() };
    assert_eq!(template.render(&[asked], &[]).unwrap(), "hi ");
}

#[test]
fn json_and_days_are_written_as_python_writes_them() {
    let source = "{{ messages[0].content }}{{ {'a': [1, 2.0, none], 'é<': 'x\\n'} | tojson }}\
        {{ {'a': [1]} | tojson(indent=2) }}{{ strftime_now('%Y') | length }}{{ none is iterable }}";
    let template = Template::read(source, tokens()).unwrap();
    let asked = Message { role: "user".into(), content: "=".into(), ..Message::default() };
    let expected = "={\"a\": [1, 2.0, null], \"é<\": \"x\\n\"}{\n  \"a\": [\n    1\n  ]\n}4False";
    assert_eq!(template.render(&[asked], &[]).unwrap(), expected);
}
