//! What happened, as the model reads it that makes notes of it: one JSON object
//! a line, so that no text can step out of its own.
//!
//! Pure.

use crate::brief::{Piece, frame};
use crate::tokens;
use llm::Role;
use serde_json::{Value, json};

/// Parts that are read for one summary, each with a call of the model.
const MOST_PARTS: usize = 3;
/// What remains of a tool's arguments and of its result.
const RESULT_TOKENS: u32 = 150;

/// A record to be read, and how much of it is not.
pub(super) struct Parts {
    pub parts: Vec<String>,
    pub left_out: usize,
}

/// The record of what happened, in parts that fit; the newest, if that is more
/// than a summary may cost.
pub(super) fn parts(name: &str, pieces: &[&Piece], room: u32) -> Parts {
    let mut parts: Vec<(String, u32, usize)> = Vec::new();
    for line in lines(name, pieces, room / 4) {
        let tokens = tokens::of(&line) + 1;
        match parts.last_mut() {
            Some((part, taken, lines)) if *taken + tokens <= room => {
                part.push_str(&line);
                part.push('\n');
                *taken += tokens;
                *lines += 1;
            }
            Some(_) | None => parts.push((line + "\n", tokens, 1)),
        }
    }
    let too_many = parts.len().saturating_sub(MOST_PARTS);
    let left_out: usize = parts.drain(..too_many).map(|(_, _, lines)| lines).sum();
    let mut parts: Vec<String> = parts.into_iter().map(|(part, ..)| part).collect();
    if let (Some(first), true) = (parts.first_mut(), left_out > 0) {
        *first = format!("{}\n{first}", json!({ "entries_left_out_before_this": left_out }));
    }
    Parts { parts, left_out }
}

fn lines(name: &str, pieces: &[&Piece], most: u32) -> Vec<String> {
    let short = |text: &str, most| tokens::shortened(text, most);
    let mut lines: Vec<Value> = Vec::new();
    let mut day = None;
    for piece in pieces {
        if piece.day.is_some() && piece.day != day {
            day.clone_from(&piece.day);
            lines.push(json!({ "day": day }));
        }
        for turn in &piece.turns {
            let who = if turn.role == Role::Assistant { name } else { &piece.who };
            let said = frame::words_of(who, &turn.content).unwrap_or(turn.content.clone());
            match turn.role {
                Role::Tool => {
                    let result = tokens::shortened_result(&said, most.min(RESULT_TOKENS));
                    lines.push(json!({ "result": result }))
                }
                _ if said.is_empty() => {}
                _ => lines.push(json!({ "who": who, "said": short(&said, most) })),
            }
            for call in &turn.calls {
                let with = short(&call.arguments, most.min(RESULT_TOKENS));
                lines.push(json!({ "who": name, "used": call.name, "with": with }));
            }
        }
    }
    lines.iter().map(Value::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::relief::tests::relief;

    #[test]
    fn a_record_is_read_in_parts_and_says_what_it_leaves_out() {
        let relief = relief(40, 0, 1_000);
        let pieces: Vec<&Piece> = relief.pieces.iter().collect();
        let Parts { parts, left_out } = parts("Ada", &pieces, 500);
        assert!(left_out > 0);
        assert_eq!(parts.len(), MOST_PARTS);
        assert!(parts[0].starts_with("{\"entries_left_out_before_this\":"));
        assert!(parts[2].contains("\"said\":\"40 word"));
    }
}
