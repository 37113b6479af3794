//! A soul for somebody of whom a name and a sentence are known.
//!
//! An agent whose model can do it writes the persona, in a turn like any other, with its
//! budget and its record. Where nobody can, the sentence itself stands in the usual soul.
//! Nothing is saved: a person reads it first.

use crate::shared::Shared;
use crate::souls::{MAX_BYTES, effective, name_of, one_line, parse, soul_text};
use crate::workspace::Start;
use crate::{once, seen, served::Served};
use domain::{Agent, AgentState, Fault, Line, RequestId, RunOnce, SoulDraft, Speaker};
use std::sync::Arc;
use store::table::{agents, settings};
use store::{Read, StoreError};

const LONGEST_SENTENCE: usize = 1_000;
const LONGEST_ROLE: usize = 100;
/// A shorter answer is no persona.
const SHORTEST: usize = 80;
const SILENCE: (Option<&str>, &str) = (
    Some("When you stay silent"),
    "Pass when somebody already said what you would say, or when nobody needs you.",
);

pub(crate) async fn draft(
    shared: &Arc<Shared>,
    request: RequestId,
    name: String,
    sentence: String,
) -> Result<SoulDraft, Fault> {
    let name = name_of(&name).ok_or_else(|| {
        Fault::bad_input("a soul needs a name", "give one of 1 to 64 characters, without @")
    })?;
    let sentence = sentence.trim().to_owned();
    let length = sentence.chars().count();
    if seen::is_blank(&sentence) || length > LONGEST_SENTENCE {
        return Err(Fault::bad_input(
            format!("who {name} is takes 1 to {LONGEST_SENTENCE} characters, not {length}"),
            "say it in a sentence, and write the rest into the soul",
        ));
    }
    let usual = || usual(&name, &sentence);
    // Where this process only does one thing, nobody takes a turn.
    let writer = match shared.start {
        Start::Working => shared.store.read(|read| writer(read, shared))?,
        Start::Still => None,
    };
    let Some(writer) = writer else {
        return Ok(SoulDraft { text: usual(), by: None, why_not: None });
    };
    let told = shared.prompts.draft_soul(&name, &sentence)?;
    let line = Line { role: Speaker::User, content: told };
    Ok(match once::run(shared, request, writer.id, vec![line]).await {
        Ok(RunOnce { reply: Some(reply), .. }) => match written(&name, &reply) {
            Some(text) => SoulDraft { text, by: Some(writer.id), why_not: None },
            None => SoulDraft { text: usual(), by: None, why_not: Some(unusable(&writer)) },
        },
        Ok(RunOnce { run, .. }) => {
            let why = match run.outcome {
                Some(domain::Outcome::Failed { fault }) => fault,
                Some(_) | None => unusable(&writer),
            };
            SoulDraft { text: usual(), by: None, why_not: Some(why) }
        }
        Err(fault) => SoulDraft { text: usual(), by: None, why_not: Some(fault) },
    })
}

fn usual(name: &str, sentence: &str) -> String {
    let (heading, silence) = SILENCE;
    soul_text(name, None, &[(None, sentence.to_owned()), (heading, silence.to_owned())])
}

fn unusable(writer: &Agent) -> Fault {
    Fault::bad_input(
        format!("what {} wrote is no persona", writer.name),
        "write it yourself, or choose a larger model and try again",
    )
}

/// The first agent that is free and has a model which can write a page.
fn writer(read: &Read<'_>, shared: &Shared) -> Result<Option<Agent>, StoreError> {
    let settings = settings::get(read)?;
    let can_write = |agent: &Agent| {
        let Some(soul) = shared.souls.in_force(&agent.soul) else { return false };
        let model = effective(agent.model.as_deref(), &soul.front, &settings).model;
        let served = model.and_then(|model| Served::find(read, &model).ok());
        agent.state == AgentState::Idle && served.is_some_and(|served| !served.is_demo())
    };
    Ok(agents::living(read)?.into_iter().find(can_write))
}

/// The soul out of an answer; `None` where it is none.
fn written(name: &str, answer: &str) -> Option<String> {
    let mut persona = answer.trim();
    if let Some(inside) = persona.strip_prefix("```") {
        let inside = inside.split_once('\n')?.1.trim_end();
        persona = inside.strip_suffix("```").unwrap_or(inside).trim();
    }
    // Whatever it says about tools and models is not its to say.
    if let Some(front) = persona.strip_prefix("---\n") {
        persona = front.split_once("\n---")?.1.split_once('\n')?.1.trim();
    }
    let mut role = None;
    if let Some((first, rest)) = persona.split_once('\n')
        && let Some(said) = first.trim_matches(['*', ' ']).strip_prefix("Role:")
    {
        role = Some(one_line(said.trim_matches(['*', ' ']), LONGEST_ROLE));
        persona = rest.trim();
    }
    if persona.chars().count() < SHORTEST || persona.len() > MAX_BYTES / 2 {
        return None;
    }
    let text = soul_text(name, role.as_deref(), &[(None, persona.to_owned())]);
    parse("draft", &text).is_ok().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERSONA: &str = "You are Mara. You look after gardens and the people in them, and you \
                           say plainly what will not grow.\n\n# How you speak\n\nBriefly.";

    #[test]
    fn a_persona_is_taken_out_of_whatever_stands_around_it() {
        let check = |answer: String, role: Option<&str>| {
            let text = written("Mara", &answer).expect("a soul");
            let soul = parse("mara", &text).expect("a valid one");
            assert_eq!((soul.front.name.as_str(), soul.front.tools), ("Mara", None));
            assert_eq!(soul.front.role, role.unwrap_or_default());
            assert_eq!(soul.persona, PERSONA);
        };
        check(PERSONA.to_owned(), None);
        check(format!("Role: Gardener\n\n{PERSONA}"), Some("Gardener"));
        check(format!("```markdown\n**Role:** Gardener\n{PERSONA}\n```"), Some("Gardener"));
        check(format!("---\nname: Eve\ntools: [\"*\"]\n---\n{PERSONA}"), None);
    }

    #[test]
    fn what_is_no_persona_is_not_taken_for_one() {
        for answer in ["", "I cannot do that.", "```", "---\nname: Mara", "Role: Gardener\nYes."] {
            assert_eq!(written("Mara", answer), None, "{answer}");
        }
    }
}
