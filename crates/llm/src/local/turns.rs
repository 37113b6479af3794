//! The conversation in the three words that every chat template knows.
//!
//! A template that knows tools is the exception among small models, so calls
//! and results are told in plain text: nothing of the history is lost.

use crate::{Called, Role, Turn, history};
use domain::engine::Said;

pub(super) fn plain(turns: &[Turn]) -> Vec<Said> {
    let turns = history::paired(turns);
    let mut told: Vec<Said> = Vec::new();
    let mut results = false;
    for turn in turns.iter() {
        let (role, content) = match turn.role {
            Role::System => ("system", turn.content.clone()),
            Role::User => ("user", shown(turn)),
            Role::Assistant => ("assistant", calling(turn)),
            Role::Tool => ("user", result(turn, &turns)),
        };
        // Many templates want the speakers to take turns: results and what was
        // said right after them are one.
        match told.last_mut().filter(|_| results && role == "user") {
            Some(last) => {
                last.content.push_str("\n\n");
                last.content.push_str(&content);
            }
            None => told.push(Said { role: role.to_owned(), content }),
        }
        results = turn.role == Role::Tool;
    }
    told
}

/// The model does not see, and is told so rather than left to guess.
fn shown(turn: &Turn) -> String {
    const UNSEEN: &str = "[A picture that I cannot see]";
    let words = Some(&*turn.content).filter(|words| !words.is_empty() || turn.images.is_empty());
    let lines = turn.images.iter().map(|_| UNSEEN).chain(words);
    lines.collect::<Vec<_>>().join("\n\n")
}

fn calling(turn: &Turn) -> String {
    let used = |call: &Called| format!("[I use the tool {} with {}]", call.name, call.arguments);
    let said = Some(turn.content.clone()).filter(|said| !said.is_empty());
    let lines = said.into_iter().chain(turn.calls.iter().map(used));
    lines.collect::<Vec<_>>().join("\n\n")
}

fn result(turn: &Turn, turns: &[Turn]) -> String {
    let id = turn.answers.as_deref().unwrap_or_default();
    let call = turns.iter().flat_map(|turn| &turn.calls).find(|call| call.id == id);
    let name = call.map_or("tool", |call| &call.name);
    format!("[The tool {name} answered: {}]", turn.content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Image, ImageKind};

    #[test]
    fn a_picture_is_told_of_where_nobody_sees_it() {
        let picture =
            Image { name: "a picture".into(), kind: ImageKind::Png, base64: "AAAA".into() };
        let check = |words: &str, expected: &str| {
            let told = plain(&[Turn::showing(words, vec![picture.clone()])]);
            assert_eq!(told[0].content, expected);
        };
        check("What is it?", "[A picture that I cannot see]\n\nWhat is it?");
        check("", "[A picture that I cannot see]");
    }

    #[test]
    fn calls_and_results_are_told_in_plain_text() {
        let call = |id: &str, arguments: &str| Called::new(id, "calculator", arguments);
        let turns = [
            Turn::new(Role::System, "You are Ada."),
            Turn::new(Role::User, "2+2, 3+3?"),
            Turn::calling("Let me see.", vec![call("a", r#"{"expression":"2+2"}"#)]),
            Turn::answering("a", "4"),
            Turn::calling("", vec![call("b", r#"{"expression":"3+3"}"#), call("c", "{}")]),
            Turn::answering("b", "6"),
            Turn::new(Role::User, "和？"),
            Turn::new(Role::Assistant, "4 and 6"),
            Turn::new(Role::User, "Thanks"),
            Turn::new(Role::User, "Bye"),
        ];
        let told: Vec<(String, String)> =
            plain(&turns).into_iter().map(|said| (said.role, said.content)).collect();
        let missing = format!("[The tool calculator answered: {}]", history::NO_RESULT);
        let expected = [
            ("system", "You are Ada."),
            ("user", "2+2, 3+3?"),
            (
                "assistant",
                "Let me see.\n\n[I use the tool calculator with {\"expression\":\"2+2\"}]",
            ),
            ("user", "[The tool calculator answered: 4]"),
            (
                "assistant",
                "[I use the tool calculator with {\"expression\":\"3+3\"}]\n\n[I use the tool calculator with {}]",
            ),
            ("user", &format!("[The tool calculator answered: 6]\n\n{missing}\n\n和？")),
            ("assistant", "4 and 6"),
            ("user", "Thanks"),
            ("user", "Bye"),
        ];
        assert_eq!(told, expected.map(|(role, content)| (role.to_owned(), content.to_owned())));
    }
}
