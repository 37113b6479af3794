//! The conversation in what a template takes. Calls and results have no place
//! in most templates of small models, so they are told in words there: nothing
//! of the history is lost.

use ::gguf::chat::{Call, Message, Template, Tool};
use serde::Serialize;

/// Where calls and results stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    /// In the template's own places.
    Own,
    /// Between the marks that the system prompt explains.
    Tagged,
    /// In plain words, where nothing can be called.
    InWords,
}

/// Stands where a template wants somebody to have spoken.
const NOTHING_SAID: &str = "…";

pub(crate) fn as_template_takes(
    messages: &[Message],
    tools: &[Tool],
    calls: Calls,
    template: &Template,
) -> Vec<Message> {
    let mut told = match calls {
        Calls::Own => one_by_one(messages),
        Calls::Tagged => told_of(tools, in_words(messages, calls)),
        Calls::InWords => in_words(messages, calls),
    };
    if !template.takes_system() {
        fold_system(&mut told);
    }
    told
}

/// The same as strict templates want it: the system prompt at the beginning
/// only, a person first, and nobody twice in a row.
pub(crate) fn by_turns(messages: &[Message]) -> Vec<Message> {
    let mut turns: Vec<Message> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let mut message = message.clone();
        if message.role == "system" && at > 0 {
            message.role = "user".into();
        }
        let begins = turns.last().is_none_or(|last| last.role == "system");
        if message.role == "assistant" && begins {
            turns.push(said("user", NOTHING_SAID));
        }
        match turns.last_mut().filter(|last| joins(last, &message)) {
            Some(last) => append(&mut last.content, &message.content),
            None => turns.push(message),
        }
    }
    turns
}

fn joins(last: &Message, next: &Message) -> bool {
    let plain = |message: &Message| message.calls.is_empty() && message.role != "tool";
    last.role == next.role && plain(last) && plain(next)
}

/// Each call with its result after it, as templates have it that take one call
/// a turn.
fn one_by_one(messages: &[Message]) -> Vec<Message> {
    let mut told: Vec<Message> = Vec::new();
    let mut rest = messages.iter();
    while let Some(message) = rest.next() {
        let Some((first, later)) = message.calls.split_first() else {
            told.push(message.clone());
            continue;
        };
        let results: Vec<&Message> = rest.by_ref().take(message.calls.len()).collect();
        told.push(Message { calls: vec![first.clone()], ..message.clone() });
        told.extend(results.first().map(|&result| result.clone()));
        for (call, result) in later.iter().zip(results.into_iter().skip(1)) {
            told.push(Message { calls: vec![call.clone()], ..said("assistant", "") });
            told.push(result.clone());
        }
    }
    told
}

fn in_words(messages: &[Message], calls: Calls) -> Vec<Message> {
    let mut told: Vec<Message> = Vec::new();
    let mut results = false;
    for message in messages {
        let result = message.role == "tool";
        let next = match message.role.as_str() {
            "tool" => said("user", &answered(message, calls)),
            _ if message.calls.is_empty() => said(&message.role, &message.content),
            _ => said(&message.role, &calling(message, calls)),
        };
        // Many templates want the speakers to take turns: results and what was
        // said right after them are one.
        match told.last_mut().filter(|_| results && next.role == "user") {
            Some(last) => append(&mut last.content, &next.content),
            None => told.push(next),
        }
        results = result;
    }
    told
}

fn calling(message: &Message, calls: Calls) -> String {
    let mut text = message.content.clone();
    for Call { name, arguments, .. } in &message.calls {
        let call = match calls {
            Calls::Own | Calls::InWords => format!("[I use the tool {name} with {arguments}]"),
            Calls::Tagged => format!(
                "<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>"
            ),
        };
        append(&mut text, &call);
    }
    text
}

fn answered(message: &Message, calls: Calls) -> String {
    let content = &message.content;
    let name = message.answers.as_ref().map_or("tool", |(_, name)| name);
    match calls {
        Calls::Own | Calls::InWords => format!("[The tool {name} answered: {content}]"),
        Calls::Tagged => format!("<tool_response>\n{content}\n</tool_response>"),
    }
}

/// With what can be called at the end of the system prompt.
fn told_of(tools: &[Tool], mut messages: Vec<Message>) -> Vec<Message> {
    #[derive(Serialize)]
    struct Line<'a> {
        name: &'a str,
        description: &'a str,
        parameters: &'a serde_json::Value,
    }
    let line = |tool: &Tool| {
        let Tool { name, description, input } = tool;
        serde_json::to_string(&Line { name, description, parameters: input })
            .expect("texts and JSON can be written")
    };
    let lines: Vec<String> = tools.iter().map(line).collect();
    let section = include_str!("tools.md").trim_end().replace("{tools}", &lines.join("\n"));
    match messages.first_mut().filter(|first| first.role == "system") {
        Some(first) => append(&mut first.content, &section),
        None => messages.insert(0, said("system", &section)),
    }
    messages
}

/// The system prompt goes in front of what a person says first, and what comes
/// later from it is said by the person.
fn fold_system(messages: &mut Vec<Message>) {
    for message in messages.iter_mut().skip(1).filter(|message| message.role == "system") {
        message.role = "user".into();
    }
    if messages.first().is_none_or(|first| first.role != "system") {
        return;
    }
    match messages.get(1).map(|second| second.role.as_str()) {
        Some("user") => {
            let system = messages.remove(0).content;
            let first = &mut messages[0].content;
            *first = format!("{system}\n\n{first}");
        }
        Some(_) | None => messages[0].role = "user".into(),
    }
}

fn append(text: &mut String, more: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

fn said(role: &str, content: &str) -> Message {
    Message { role: role.into(), content: content.into(), ..Message::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn calls(content: &str, ids: &[&str]) -> Message {
        let call = |id: &&str| Call {
            id: (*id).into(),
            name: "add".into(),
            arguments: json!({ "to": id }),
        };
        Message { calls: ids.iter().map(call).collect(), ..said("assistant", content) }
    }

    fn result(id: &str, content: &str) -> Message {
        Message { answers: Some((id.into(), "add".into())), ..said("tool", content) }
    }

    fn talk() -> Vec<Message> {
        vec![
            said("system", "You are Ada."),
            said("user", "a, b?"),
            calls("Let me see.", &["a", "b"]),
            result("a", "1"),
            result("b", "2"),
            said("user", "和？"),
            calls("", &["c"]),
            result("c", "3"),
            said("assistant", "So."),
            said("user", "Thanks"),
            said("user", "Bye"),
        ]
    }

    #[test]
    fn a_template_with_places_for_calls_gets_them_one_a_turn() {
        let told = one_by_one(&talk());
        let shape: Vec<(&str, usize)> =
            told.iter().map(|message| (message.role.as_str(), message.calls.len())).collect();
        let expected = "system0 user0 assistant1 tool0 assistant1 tool0 user0 assistant1 tool0 \
            assistant0 user0 user0";
        let shape: Vec<String> =
            shape.iter().map(|(role, calls)| format!("{role}{calls}")).collect();
        assert_eq!(shape.join(" "), expected);
        assert_eq!((&*told[2].content, &*told[4].content), ("Let me see.", ""));
    }

    #[test]
    fn calls_and_results_are_told_in_plain_words_where_nothing_can_be_called() {
        let told: Vec<(String, String)> = in_words(&talk(), Calls::InWords)
            .into_iter()
            .map(|message| (message.role, message.content))
            .collect();
        let expected = [
            ("system", "You are Ada."),
            ("user", "a, b?"),
            (
                "assistant",
                "Let me see.\n\n[I use the tool add with {\"to\":\"a\"}]\n\n[I use the tool add with {\"to\":\"b\"}]",
            ),
            ("user", "[The tool add answered: 1]\n\n[The tool add answered: 2]\n\n和？"),
            ("assistant", "[I use the tool add with {\"to\":\"c\"}]"),
            ("user", "[The tool add answered: 3]"),
            ("assistant", "So."),
            ("user", "Thanks"),
            ("user", "Bye"),
        ];
        assert_eq!(told, expected.map(|(role, content)| (role.to_owned(), content.to_owned())));
    }

    #[test]
    fn where_the_template_has_no_place_for_tools_the_system_prompt_tells_of_them() {
        let tools = [Tool {
            name: "add".into(),
            description: "Adds.".into(),
            input: json!({ "type": "object" }),
        }];
        let told = as_template_takes(&talk(), &tools, Calls::Tagged, &Template::chatml());
        assert!(told[0].content.starts_with("You are Ada.\n\n# Tools"), "{}", told[0].content);
        let line =
            "{\"name\":\"add\",\"description\":\"Adds.\",\"parameters\":{\"type\":\"object\"}}";
        assert!(told[0].content.contains(line), "{}", told[0].content);
        assert_eq!(
            told[4].content,
            "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"to\":\"c\"}}\n</tool_call>"
        );
        assert_eq!(told[5].content, "<tool_response>\n3\n</tool_response>");
        let alone = told_of(&tools, vec![said("user", "hi")]);
        assert_eq!((&*alone[0].role, &*alone[1].content), ("system", "hi"));
    }
}
