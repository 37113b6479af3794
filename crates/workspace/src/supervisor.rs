//! Asking a supervisor who speaks next, and reading the answer.
//!
//! Pure. The question stands behind the history, so that the prefix of the
//! supervisor's prompt stays the same whether it speaks or decides. What it
//! writes is never posted: only the name in it counts.

use crate::turn_policy::{Seat, is_able};
use agent::{Brief, Unanswered};
use domain::{PlanMode, RunLimits, ToolSpecs};
use llm::{Grammar, Role, Turn};
use serde_json::{Value, json};

/// What a supervisor has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The place among those who were offered.
    Next(usize),
    /// The conversation is to rest.
    Nobody,
    /// It names nobody that it could have named.
    Unusable,
}

/// Those whom a supervisor may name: whoever could speak at once, itself
/// included.
pub(crate) fn offered(seats: &[Seat]) -> Vec<&Seat> {
    seats.iter().filter(|seat| is_able(seat)).collect()
}

/// Makes of a brief the question who speaks next: one answer in JSON, no
/// tools, and no line that is cut off because it begins with a name.
pub(crate) fn ask(brief: &mut Brief, question: &str, seats: &[Seat]) {
    let offered = offered(seats);
    let lines = offered.iter().map(|seat| match seat.role.as_str() {
        "" => format!("- {}", seat.name),
        role => format!("- {}, {role}", seat.name),
    });
    let lines: Vec<String> = lines.collect();
    let question = format!("{}\n{}", question.trim_end(), lines.join("\n"));
    match brief.request.turns.last_mut() {
        // Providers want the roles to take turns.
        Some(last) if last.role == Role::User => {
            last.content = format!("{}\n\n{question}", last.content);
        }
        Some(_) | None => brief.request.turns.push(Turn::new(Role::User, question)),
    }
    // The likeliest decision, and the same one for the same question.
    brief.request.temperature = 0.0;
    brief.request.grammar = Some(Grammar::JsonSchema(schema(&offered)));
    brief.request.tools = ToolSpecs::default();
    brief.request.stop.clear();
    brief.other_names.clear();
    only_decides(&mut brief.limits);
    brief.rounds_before = 0;
    brief.unanswered = Unanswered::default();
}

/// One answer is all that is asked of who decides.
pub(crate) fn only_decides(limits: &mut RunLimits) {
    limits.max_iterations = 1;
    limits.plan = PlanMode::Never;
}

fn schema(offered: &[&Seat]) -> Value {
    let names = offered.iter().map(|seat| Value::from(seat.name.as_str()));
    let choices: Vec<Value> = names.chain([Value::Null]).collect();
    json!({
        "type": "object",
        "properties": { "next": { "enum": choices }, "why": { "type": "string" } },
        "required": ["next"],
        "additionalProperties": false
    })
}

/// Reads what a supervisor wrote: its JSON, also inside a fence or among other
/// words, or a name alone. Silence means that nobody is to speak.
pub(crate) fn read_answer(text: Option<&str>, offered: &[&Seat]) -> Answer {
    let Some(text) = text else { return Answer::Nobody };
    let Some(object) = object_in(text) else { return by_name(text, offered) };
    match object.get("next") {
        Some(Value::Null) => Answer::Nobody,
        Some(Value::String(name)) => by_name(name, offered),
        Some(_) | None => Answer::Unusable,
    }
}

/// The first JSON object in a text.
fn object_in(text: &str) -> Option<Value> {
    text.match_indices('{').find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>();
        values.next()?.ok().filter(Value::is_object)
    })
}

fn by_name(text: &str, offered: &[&Seat]) -> Answer {
    let around = |c: char| c.is_whitespace() || "@\"'`*.:：。".contains(c);
    let name = text.trim_matches(around).to_lowercase();
    match offered.iter().position(|seat| seat.name.to_lowercase() == name) {
        Some(at) => Answer::Next(at),
        None if matches!(name.as_str(), "null" | "none" | "nobody") => Answer::Nobody,
        None => Answer::Unusable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{AgentId, AgentState};
    use uuid::Uuid;

    fn seats() -> Vec<Seat> {
        let seat = |n: u8, name: &str, role: &str| Seat {
            agent: AgentId(Uuid::from_u128(n.into())),
            name: name.into(),
            role: role.into(),
            position: n.into(),
            state: AgentState::Idle,
            muted: false,
            weight: 0,
        };
        vec![
            seat(1, "Ada", "maths"),
            seat(2, "Bo", ""),
            Seat { muted: true, ..seat(3, "Otto", "") },
            seat(4, "林夏", ""),
            Seat { state: AgentState::Paused, ..seat(5, "Ines", "") },
        ]
    }

    fn check(text: &str, expected: Answer) {
        let seats = seats();
        assert_eq!(read_answer(Some(text), &offered(&seats)), expected, "{text}");
    }

    #[test]
    fn an_answer_is_read_however_it_is_wrapped() {
        check(r#"{"next": "Bo"}"#, Answer::Next(1));
        check(r#"{"next":"ada","why":"she counts {well}"}"#, Answer::Next(0));
        check("```json\n{\"next\": \"林夏\"}\n```", Answer::Next(2));
        check(r#"I think {as always} that {"next": "@Bo"} is right."#, Answer::Next(1));
        check("Bo", Answer::Next(1));
        check("**@ada.**", Answer::Next(0));
        check("Bo:", Answer::Next(1));
        check(r#"{"next": null, "why": "all is said"}"#, Answer::Nobody);
        check(r#"{"next": "nobody"}"#, Answer::Nobody);
        check("null", Answer::Nobody);
        assert_eq!(read_answer(None, &offered(&seats())), Answer::Nobody);
    }

    #[test]
    fn what_names_nobody_who_may_speak_is_unusable() {
        for text in [
            "",
            "Let us think about it.",
            r#"{"next": "Zoe"}"#,
            r#"{"next": "Otto"}"#,
            r#"{"next": "Ines"}"#,
            r#"{"next": 7}"#,
            r#"{"speaker": "Bo"}"#,
            r#"{"next": "Bo""#,
            "{}",
            "[\"Bo\"]",
            "Bo and Ada",
        ] {
            check(text, Answer::Unusable);
        }
    }

    #[test]
    fn the_schema_holds_exactly_those_who_may_speak() {
        let seats = seats();
        let schema = schema(&offered(&seats));
        assert_eq!(schema["properties"]["next"]["enum"], json!(["Ada", "Bo", "林夏", null]));
    }
}
