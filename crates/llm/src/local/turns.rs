//! The conversation as the engine is told it. How its model's template takes
//! calls and results, the engine sees.

use crate::accepted::{IdForm, arguments_object, id, name};
use crate::{Called, Role, Turn, history};
use domain::engine::{Call, Said};

pub(super) fn said(turns: &[Turn]) -> Vec<Said> {
    history::sent(turns).iter().map(of).collect()
}

fn of(turn: &Turn) -> Said {
    let (role, content) = match turn.role {
        Role::System => ("system", turn.content.clone()),
        Role::User => ("user", shown(turn)),
        Role::Assistant => ("assistant", turn.content.clone()),
        Role::Tool => ("tool", turn.content.clone()),
    };
    Said {
        role: role.to_owned(),
        content,
        calls: turn.calls.iter().map(call).collect(),
        answers: turn.answers.as_deref().map(own_id),
    }
}

/// The model does not see, and is told so rather than left to guess.
fn shown(turn: &Turn) -> String {
    const UNSEEN: &str = "[A picture that I cannot see]";
    let words = Some(&*turn.content).filter(|words| !words.is_empty() || turn.images.is_empty());
    let lines = turn.images.iter().map(|_| UNSEEN).chain(words);
    lines.collect::<Vec<_>>().join("\n\n")
}

fn call(call: &Called) -> Call {
    Call {
        id: own_id(&call.id),
        name: name(&call.name).into_owned(),
        arguments: arguments_object(&call.arguments),
    }
}

/// Mistral's templates insist on nine letters or digits, and no other minds.
fn own_id(given: &str) -> String {
    id(given, IdForm::Nine).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Image, ImageKind};
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_picture_is_told_of_where_nobody_sees_it() {
        let picture =
            Image { name: "a picture".into(), kind: ImageKind::Png, base64: "AAAA".into() };
        let check = |words: &str, expected: &str| {
            let told = said(&[Turn::showing(words, vec![picture.clone()])]);
            assert_eq!(told[0].content, expected);
        };
        check("What is it?", "[A picture that I cannot see]\n\nWhat is it?");
        check("", "[A picture that I cannot see]");
    }

    #[test]
    fn calls_are_told_with_their_results_under_ids_that_every_template_takes() {
        let call = Called::new("call_1", "calculator", r#"{"expression":"2+2"}"#);
        let broken = Called::new("call_2", "no such tool", "{\"a\":");
        let turns = [
            Turn::new(Role::System, "You are Ada."),
            Turn::calling("Let me see.", vec![call, broken]),
            Turn::answering("call_1", "4"),
        ];
        let told = said(&turns);
        let roles: Vec<&str> = told.iter().map(|said| said.role.as_str()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"]);
        let [first, second] = &told[2].calls[..] else { panic!("{told:?}") };
        assert_eq!(first.arguments, json!({ "expression": "2+2" }));
        assert_eq!(second.name, "no_such_tool");
        assert!(second.arguments.is_object());
        assert!(first.id.len() == 9 && first.id != second.id);
        assert_eq!(told[3].answers.as_ref(), Some(&first.id));
        assert_eq!(
            (told[4].answers.as_ref(), &*told[4].content),
            (Some(&second.id), history::NO_RESULT)
        );
    }

    proptest! {
        #[test]
        fn every_history_ends_with_what_is_to_be_answered(
            turns in proptest::collection::vec(history::tests::any_turn(), 0..12)
        ) {
            let told = said(&turns);
            let last = told.last().expect("a last one");
            prop_assert!(matches!(&*last.role, "user" | "tool"), "{:?}", told);
        }
    }
}
