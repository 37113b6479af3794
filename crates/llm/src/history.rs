//! What every provider accepts. Calls and their results belong together:
//! providers refuse a history in which a call has no result, or a result no
//! call, and would refuse it for ever. And an answer answers somebody: many
//! refuse, or go on with, a history that ends with what the model said itself.
//!
//! What was stored is never changed. It is made good each time a request is
//! built, and depends only on the turns, so that the same history always gives
//! the same words, and a longer one begins with them.

use crate::{Called, Role, Turn};
use std::borrow::Cow;
use std::collections::HashSet;

/// What a call is answered with when nobody has its result.
pub const NO_RESULT: &str = "no result: it was interrupted, and may or may not have taken effect; check before you repeat it";

/// What stands where nobody spoke, and somebody has to have spoken.
pub const NOTHING_SAID: &str = "…";

/// The turns as every provider is sent them: [`paired`], and with a person's
/// turn, or a result, before each answer, the one that is asked for included.
///
/// Who speaks twice in a row has [`NOTHING_SAID`] said to it in between, in all
/// later requests too, so that they begin with the words of this one.
pub fn sent(turns: &[Turn]) -> Cow<'_, [Turn]> {
    let paired = paired(turns);
    if is_led(&paired) { paired } else { Cow::Owned(led(&paired)) }
}

/// What the system says, said by the person before their own next words.
pub(crate) fn without_system(turns: &[Turn]) -> Vec<Turn> {
    let mut all: Vec<Turn> = Vec::with_capacity(turns.len());
    let mut said: Vec<&str> = Vec::new();
    for turn in turns {
        match turn.role {
            Role::System => said.push(&turn.content),
            Role::User => {
                said.push(&turn.content);
                let content = std::mem::take(&mut said).join("\n\n");
                all.push(Turn { content, ..turn.clone() });
            }
            Role::Assistant | Role::Tool => all.push(turn.clone()),
        }
    }
    all
}

fn is_led(turns: &[Turn]) -> bool {
    let before = std::iter::once(None).chain(turns.iter().map(Some));
    let after = turns.iter().map(Some).chain([None]);
    turns.iter().all(|turn| !says_nothing(turn))
        && before.zip(after).all(|(before, after)| !is_answer(after) || leads(before))
}

fn led(turns: &[Turn]) -> Vec<Turn> {
    let nothing = || Turn::new(Role::User, NOTHING_SAID);
    let mut led: Vec<Turn> = Vec::with_capacity(turns.len() + 1);
    for turn in turns.iter().filter(|turn| !says_nothing(turn)) {
        if is_answer(Some(turn)) && !leads(led.last()) {
            led.push(nothing());
        }
        led.push(turn.clone());
    }
    if !leads(led.last()) {
        led.push(nothing());
    }
    led
}

/// After the last turn comes the answer that is asked for.
fn is_answer(turn: Option<&Turn>) -> bool {
    turn.is_none_or(|turn| turn.role == Role::Assistant)
}

fn leads(before: Option<&Turn>) -> bool {
    before.is_some_and(|turn| matches!(turn.role, Role::User | Role::Tool))
}

/// Some take no turn without a word.
fn says_nothing(turn: &Turn) -> bool {
    let Turn { role, content, calls, answers: _, images, kept } = turn;
    matches!(role, Role::User | Role::Assistant)
        && content.trim().is_empty()
        && calls.is_empty()
        && images.is_empty()
        && kept.is_none()
}

/// Whether each call is answered exactly once, right after the turn that
/// called and in the order of the calls, under an id that no other call has.
/// The message says what is wrong, and where.
pub fn check(turns: &[Turn]) -> Result<(), String> {
    let mut ids = HashSet::new();
    let mut due: Vec<&str> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let wrong = |what: String| Err(format!("turn {at}: {what}"));
        match (turn.role, &turn.answers) {
            (Role::Tool, Some(id)) if due.first() == Some(&id.as_str()) => drop(due.remove(0)),
            (Role::Tool, Some(id)) => return wrong(format!("a result of {id:?} that is not due")),
            (Role::Tool, None) => return wrong("a result of no call".into()),
            (_, Some(id)) => return wrong(format!("answers {id:?} without being a result")),
            (_, None) if !due.is_empty() => return wrong(format!("{:?} is not answered", due[0])),
            (_, None) => {}
        }
        if turn.role != Role::Assistant && !turn.calls.is_empty() {
            return wrong("only an assistant calls".into());
        }
        for call in &turn.calls {
            if call.id.is_empty() || !ids.insert(call.id.as_str()) {
                return wrong(format!("the id {:?} is not its own", call.id));
            }
            due.push(&call.id);
        }
    }
    match due.first() {
        Some(id) => Err(format!("at the end: {id:?} is not answered")),
        None => Ok(()),
    }
}

/// The turns with every call answered as [`check`] wants it. A result that
/// came late moves to its call, a missing one becomes [`NO_RESULT`], and one
/// that nobody called for is left out.
pub fn paired(turns: &[Turn]) -> Cow<'_, [Turn]> {
    match check(turns) {
        Ok(()) => Cow::Borrowed(turns),
        Err(_) => Cow::Owned(repaired(turns)),
    }
}

fn repaired(turns: &[Turn]) -> Vec<Turn> {
    let mut taken = vec![false; turns.len()];
    let mut ids = HashSet::new();
    let mut whole = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        match turn.role {
            // Stands after its call, if it has one.
            Role::Tool => {}
            Role::System | Role::User => {
                let (calls, answers) = (Vec::new(), None);
                whole.push(Turn { calls, answers, ..turn.clone() });
            }
            Role::Assistant => {
                let mut calls = Vec::new();
                let mut answers = Vec::new();
                for call in &turn.calls {
                    let id = own_id(&call.id, &mut ids);
                    let result = result(turns, at, &call.id, &mut taken);
                    answers.push(Turn::answering(&*id, result.unwrap_or(NO_RESULT)));
                    calls.push(Called { id, ..call.clone() });
                }
                whole.push(Turn { calls, answers: None, ..turn.clone() });
                whole.extend(answers);
            }
        }
    }
    whole
}

/// The first result for this id after the turn that called, and before another
/// turn uses the id again.
fn result<'a>(turns: &'a [Turn], at: usize, id: &str, taken: &mut [bool]) -> Option<&'a str> {
    let later = turns.iter().enumerate().skip(at + 1);
    let mut mine = later.take_while(|(_, turn)| turn.calls.iter().all(|call| call.id != id));
    let (found, turn) = mine.find(|(at, turn)| {
        turn.role == Role::Tool && turn.answers.as_deref() == Some(id) && !taken[*at]
    })?;
    taken[found] = true;
    Some(&turn.content)
}

/// Some servers count their calls anew in every answer.
fn own_id(id: &str, ids: &mut HashSet<String>) -> String {
    let id = if id.is_empty() { "call" } else { id };
    let again = (2..).map(|n| format!("{id}_{n}"));
    let own = std::iter::once(id.to_owned()).chain(again).find(|id| !ids.contains(id));
    let own = own.expect("there are more numbers than calls");
    ids.insert(own.clone());
    own
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Image, ImageKind};
    use domain::{Kept, KeptPart, ProviderKind};
    use proptest::prelude::*;

    fn user(text: &str) -> Turn {
        Turn::new(Role::User, text)
    }

    fn calling(ids: &[&str]) -> Turn {
        Turn::calling("", ids.iter().map(|id| Called::new(*id, "look", "{}")).collect())
    }

    fn answer(id: &str, text: &str) -> Turn {
        Turn::answering(id, text)
    }

    #[test]
    fn a_history_says_where_it_is_not_paired() {
        let check = |turns: &[Turn], expected: Result<(), &str>| {
            assert_eq!(check(turns), expected.map_err(str::to_owned), "{turns:?}");
        };
        check(&[], Ok(()));
        check(&[user("hi"), calling(&["a", "b"]), answer("a", "1"), answer("b", "2")], Ok(()));
        check(&[calling(&["a"])], Err("at the end: \"a\" is not answered"));
        check(&[calling(&["a"]), user("hi")], Err("turn 1: \"a\" is not answered"));
        check(
            &[calling(&["a", "b"]), answer("b", "2"), answer("a", "1")],
            Err("turn 1: a result of \"b\" that is not due"),
        );
        check(&[answer("a", "1")], Err("turn 0: a result of \"a\" that is not due"));
        check(&[calling(&["a", "a"])], Err("turn 0: the id \"a\" is not its own"));
        check(
            &[calling(&["a"]), answer("a", "1"), calling(&["a"]), answer("a", "1")],
            Err("turn 2: the id \"a\" is not its own"),
        );
        check(&[Turn::new(Role::Tool, "1")], Err("turn 0: a result of no call"));
    }

    #[test]
    fn what_is_not_paired_is_paired_when_the_request_is_built() {
        let check = |turns: &[Turn], expected: &[Turn]| {
            let paired = paired(turns);
            assert_eq!(*paired, *expected);
            assert_eq!(check(&paired), Ok(()));
        };
        let good = [user("hi"), calling(&["a"]), answer("a", "1"), user("thanks")];
        check(&good, &good);
        assert!(matches!(paired(&good), Cow::Borrowed(_)), "what is good is not copied");
        // Interrupted before, while and after the results came.
        check(&[calling(&["a"])], &[calling(&["a"]), answer("a", NO_RESULT)]);
        check(
            &[calling(&["a", "b"]), answer("b", "2"), user("stop")],
            &[calling(&["a", "b"]), answer("a", NO_RESULT), answer("b", "2"), user("stop")],
        );
        check(
            &[calling(&["a"]), user("still there?"), answer("a", "1")],
            &[calling(&["a"]), answer("a", "1"), user("still there?")],
        );
        // Said twice, and never asked for.
        check(
            &[answer("x", "0"), calling(&["a"]), answer("a", "1"), answer("a", "2")],
            &[calling(&["a"]), answer("a", "1")],
        );
        // Ids that begin anew with each answer.
        check(
            &[calling(&["0"]), answer("0", "first"), calling(&["0"]), answer("0", "second")],
            &[calling(&["0"]), answer("0", "first"), calling(&["0_2"]), answer("0_2", "second")],
        );
        check(
            &[calling(&["0"]), calling(&["0"]), answer("0", "second")],
            &[calling(&["0"]), answer("0", NO_RESULT), calling(&["0_2"]), answer("0_2", "second")],
        );
        check(
            &[calling(&["", ""]), answer("", "1"), answer("", "2")],
            &[calling(&["call", "call_2"]), answer("call", "1"), answer("call_2", "2")],
        );
    }

    #[test]
    fn who_speaks_twice_in_a_row_is_spoken_to_in_between() {
        let said = |text: &str| Turn::new(Role::Assistant, text);
        let system = Turn::new(Role::System, "You are Ada.");
        let nothing = user(NOTHING_SAID);
        let check = |turns: &[Turn], expected: &[Turn]| assert_eq!(*sent(turns), *expected);
        check(&[], std::slice::from_ref(&nothing));
        check(std::slice::from_ref(&system), &[system.clone(), nothing.clone()]);
        let good = [system.clone(), user("hi"), calling(&["a"]), answer("a", "1")];
        check(&good, &good);
        assert!(matches!(sent(&good), Cow::Borrowed(_)), "what is good is not copied");
        check(
            &[system.clone(), said("one"), said("two")],
            &[
                system.clone(),
                nothing.clone(),
                said("one"),
                nothing.clone(),
                said("two"),
                nothing.clone(),
            ],
        );
        check(
            &[user("hi"), said("one"), calling(&["a"])],
            &[user("hi"), said("one"), nothing.clone(), calling(&["a"]), answer("a", NO_RESULT)],
        );
        check(&[user(" ")], std::slice::from_ref(&nothing));
        check(&[user("hi"), user(" "), said("")], &[user("hi")]);
    }

    #[test]
    fn what_stands_beside_the_words_stays_when_a_history_is_paired() {
        let image = Image { name: "a picture".into(), kind: ImageKind::Png, base64: "AAAA".into() };
        let own = KeptPart::Own { json: "{}".into() };
        let kept = Kept { by: ProviderKind::Anthropic, model: "m1".into(), parts: vec![own] };
        let turns = [
            Turn::showing("this?", vec![image]),
            calling(&["a"]).keeping(Some(kept)),
            answer("a", "1"),
            answer("b", "never asked for"),
        ];
        assert_eq!(*paired(&turns), turns[..3]);
    }

    /// Anything at all that could have been stored, however it was cut off.
    pub(crate) fn any_turn() -> impl Strategy<Value = Turn> {
        let id = proptest::sample::select(vec!["a", "b", "c", "0", ""]);
        prop_oneof![
            "[a-z 字]{0,4}".prop_map(|text| Turn::new(Role::User, text)),
            ("[a-z]{0,4}", proptest::collection::vec(id.clone(), 0..4))
                .prop_map(|(text, ids)| { Turn { content: text, ..calling(&ids) } }),
            (id, "[a-z]{0,4}").prop_map(|(id, text)| answer(id, &text)),
            "[a-z]{0,4}".prop_map(|text| Turn::new(Role::Tool, text)),
        ]
    }

    proptest! {
        // Seen in loopstack-ai/loopstack#214.
        #[test]
        fn every_history_becomes_one_in_which_each_call_has_one_result(
            turns in proptest::collection::vec(any_turn(), 0..12)
        ) {
            let paired = paired(&turns);
            prop_assert_eq!(check(&paired), Ok(()));
            // Twice is the same as once, and nothing but results was added or lost.
            prop_assert_eq!(&*super::paired(&paired), &*paired);
            let spoken = |turns: &[Turn]| -> Vec<(Role, String, usize)> {
                let told = turns.iter().filter(|turn| turn.role != Role::Tool);
                told.map(|turn| (turn.role, turn.content.clone(), turn.calls.len())).collect()
            };
            prop_assert_eq!(spoken(&paired), spoken(&turns));
        }

        #[test]
        fn what_is_paired_stays_the_same_when_more_is_said(
            turns in proptest::collection::vec(any_turn(), 0..10), more in "[a-z]{1,4}"
        ) {
            let mut longer = turns.clone();
            longer.push(user(&more));
            let (before, after) = (paired(&turns).into_owned(), paired(&longer).into_owned());
            prop_assert_eq!(&before[..], &after[..before.len()]);
        }

        #[test]
        fn what_is_sent_is_paired_and_every_answer_in_it_answers_somebody(
            turns in proptest::collection::vec(any_turn(), 0..12)
        ) {
            let sent = sent(&turns);
            prop_assert_eq!(check(&sent), Ok(()));
            prop_assert!(is_led(&sent), "{:?}", sent);
            prop_assert_eq!(&*super::sent(&sent), &*sent);
            let told = |turns: &[Turn]| -> Vec<Turn> {
                let is_told = |turn: &&Turn| !says_nothing(turn) && turn.content != NOTHING_SAID;
                turns.iter().filter(is_told).cloned().collect()
            };
            prop_assert_eq!(told(&sent), told(&paired(&turns)), "nothing else is added or lost");
        }

        #[test]
        fn what_was_sent_is_how_the_next_request_begins(
            turns in proptest::collection::vec(any_turn(), 0..10), answers in any::<bool>()
        ) {
            let before = sent(&turns).into_owned();
            let answer = if answers { Turn::new(Role::Assistant, "a") } else { calling(&["new"]) };
            let longer = [turns, vec![answer]].concat();
            prop_assert_eq!(&before[..], &sent(&longer)[..before.len()]);
        }
    }
}
