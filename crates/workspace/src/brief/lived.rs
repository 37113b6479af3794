//! The order in which an agent has lived what happened in a group.
//!
//! Pure. It is not the order of the messages: while an agent writes, others may
//! speak whom it has not heard yet.

use domain::{Message, MessageId};
use llm::Turn;
use std::collections::HashMap;

/// A piece of what an agent has lived through in a group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lived {
    Heard(Message),
    /// What it did with its tools in one run.
    Did(Vec<Turn>),
}

/// With how far the agent had read by then, as a `seq`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub place: i64,
    pub lived: Lived,
}

/// The history in the order in which the agent lived it: what it did and said
/// right after what it had read by then, and what arrived meanwhile behind it.
/// `done` holds how far it had read when it used its tools, and how.
pub(crate) fn as_lived(
    messages: Vec<Message>,
    read_before: &HashMap<MessageId, i64>,
    done: Vec<(i64, Vec<Turn>)>,
) -> Vec<Placed> {
    let heard = messages.into_iter().map(|message| {
        let place = match read_before.get(&message.id) {
            Some(reads_to) => (*reads_to, 2, message.seq),
            None => (message.seq, 0, 0),
        };
        (place, Lived::Heard(message))
    });
    let done = done.into_iter().map(|(reads_to, turns)| ((reads_to, 1, 0), Lived::Did(turns)));
    let mut lived: Vec<_> = heard.chain(done).collect();
    lived.sort_by_key(|(place, _)| *place);
    lived.into_iter().map(|((place, ..), lived)| Placed { place, lived }).collect()
}

/// Where the messages are that are read as such.
pub(crate) fn places_of_messages(history: &[Placed]) -> impl Iterator<Item = i64> {
    history.iter().filter_map(|placed| match &placed.lived {
        Lived::Heard(message) => message.text().map(|_| placed.place),
        Lived::Did(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brief::tests::{ADA, message};
    use domain::Author;
    use llm::Called;

    #[test]
    fn what_arrived_while_an_answer_was_written_comes_after_it() {
        let (asked, meanwhile) =
            (message(1, Author::User, "One?"), message(2, Author::User, "Two?"));
        let answer = message(3, Author::Agent(ADA), "One.");
        let read_before = HashMap::from([(answer.id, 1)]);
        let work = vec![Turn::calling("", vec![Called::new("c", "look", "{}")])];
        let lived = as_lived(
            vec![asked.clone(), meanwhile.clone(), answer.clone()],
            &read_before,
            vec![(1, work.clone())],
        );
        let expected =
            [Lived::Heard(asked), Lived::Did(work), Lived::Heard(answer), Lived::Heard(meanwhile)];
        let lived: Vec<_> = lived.into_iter().map(|placed| placed.lived).collect();
        assert_eq!(lived, expected);
    }
}
