//! Builds what a model is asked: the stable part first, then the group's
//! history as the agent may see it.
//!
//! Pure. The system prompt and the history change only at their ends from turn
//! to turn, so that a provider's prompt cache keeps hitting.

use crate::souls::Effective;
use agent::Brief;
use domain::{
    Agent, Author, Body, CallId, Group, GroupKind, Message, MessageId, ModelInfo, RunId, ToolSpec,
};
use llm::{Called, ModelRequest, Role, Turn};
use std::collections::HashMap;

/// What a brief is built from.
pub(crate) struct Material<'a> {
    pub run: RunId,
    pub agent: &'a Agent,
    pub group: &'a Group,
    pub system_prompt: &'a str,
    /// What the agent may see and what it has done, in the order it lived it.
    pub history: &'a [Lived],
    /// What an earlier try of this turn left to be done.
    pub left: Left,
    /// By name.
    pub tools: Vec<ToolSpec>,
    /// What somebody is called.
    pub names: &'a dyn Fn(Author) -> String,
    /// Everybody else who can be heard in the group.
    pub others: &'a [String],
    pub effective: &'a Effective,
    /// `provider/model`.
    pub model: &'a str,
    pub model_info: Option<&'a ModelInfo>,
}

/// A piece of what an agent has lived through in a group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Lived {
    Heard(Message),
    /// What it did with its tools in one run.
    Did(Vec<Turn>),
}

/// What an earlier try of a turn left to be done.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Left {
    /// How often the model had answered.
    pub rounds: u32,
    /// Calls of its last answer that have no result.
    pub unanswered: Vec<(CallId, Called)>,
}

/// Assumed where a provider does not say how much its model can read.
const USUAL_WINDOW: u32 = 8192;
/// OpenAI-compatible servers take no more.
const MOST_STOPS: usize = 4;
/// A demo model has nothing more to say after this many tokens.
const DEMO_TOKENS: u32 = 200;
/// Warmer than this it wanders.
const DEMO_TEMPERATURE: f32 = 0.4;
/// How much of a quoted message is repeated.
const QUOTE_CHARACTERS: usize = 280;

pub(crate) fn build(material: &Material<'_>) -> Brief {
    let window = material.model_info.and_then(|info| info.context_tokens).unwrap_or(USUAL_WINDOW);
    let demo = material.model_info.is_some_and(|info| info.demo);
    let most = if demo { DEMO_TOKENS } else { window / 4 };
    let max_tokens = material.effective.max_tokens.min(most).max(1);
    let room = window.saturating_sub(max_tokens).saturating_sub(tokens(material.system_prompt));

    let mut turns = vec![Turn::new(Role::System, material.system_prompt)];
    for lived in newest_that_fit(material.history, room) {
        match lived {
            Lived::Heard(message) => add_turn(&mut turns, message, material),
            Lived::Did(done) => turns.extend(done.iter().cloned()),
        }
    }
    let stop = match material.group.kind {
        GroupKind::Direct | GroupKind::Task => Vec::new(),
        GroupKind::Group => {
            material.others.iter().take(MOST_STOPS).map(|name| format!("\n{name}:")).collect()
        }
    };
    let request = ModelRequest {
        model: material.model.split_once('/').map_or(material.model, |(_, name)| name).to_owned(),
        turns,
        temperature: if demo {
            material.effective.temperature.min(DEMO_TEMPERATURE)
        } else {
            material.effective.temperature
        },
        max_tokens,
        stop,
        seed: None,
        grammar: None,
        tools: material.tools.clone(),
    };
    Brief {
        run: material.run,
        own_name: material.agent.name.clone(),
        other_names: material.others.to_vec(),
        request,
        model: material.model.to_owned(),
        language: material.agent.language.clone(),
        limits: material.effective.limits,
        rounds_before: material.left.rounds,
        unanswered: material.left.unanswered.clone(),
    }
}

/// The history in the order in which the agent lived it: what it did and said
/// right after what it had read by then, and what arrived meanwhile behind it.
/// `done` holds how far it had read when it used its tools, and how.
pub(crate) fn as_lived(
    messages: Vec<Message>,
    read_before: &HashMap<MessageId, i64>,
    done: Vec<(i64, Vec<Turn>)>,
) -> Vec<Lived> {
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
    lived.into_iter().map(|(_, lived)| lived).collect()
}

/// Tokens by rule of thumb: four characters each, a Han character one.
pub(crate) fn tokens(text: &str) -> u32 {
    let (wide, narrow) = text.chars().fold((0_u32, 0_u32), |(wide, narrow), c| {
        if c as u32 >= 0x2E80 { (wide + 1, narrow) } else { (wide, narrow + 1) }
    });
    wide + narrow.div_ceil(4)
}

/// The end of the history, as much as fits; the newest piece always.
fn newest_that_fit(history: &[Lived], room: u32) -> &[Lived] {
    let mut left = room;
    let mut first = history.len();
    for (at, lived) in history.iter().enumerate().rev() {
        let cost = lived.tokens();
        if cost > left && first < history.len() {
            break;
        }
        left = left.saturating_sub(cost);
        first = at;
    }
    &history[first..]
}

/// The roles and the name in front cost a few tokens too.
const AROUND: u32 = 8;

impl Lived {
    pub(crate) fn tokens(&self) -> u32 {
        match self {
            Lived::Heard(message) => tokens(message.text().unwrap_or_default()) + AROUND,
            Lived::Did(turns) => turns.iter().map(turn_tokens).sum(),
        }
    }
}

fn turn_tokens(turn: &Turn) -> u32 {
    let calls = turn.calls.iter().map(|call| tokens(&call.name) + tokens(&call.arguments) + AROUND);
    tokens(&turn.content) + AROUND + calls.sum::<u32>()
}

fn add_turn(turns: &mut Vec<Turn>, message: &Message, material: &Material<'_>) {
    let Body::Text { text, .. } = &message.body else { return };
    let own = message.author == Author::Agent(material.agent.id);
    let mut content = String::new();
    if let Some(quoted) = quoted(message, material.history) {
        content.push_str(&quoted);
    }
    if !own && material.group.kind == GroupKind::Group {
        content.push_str(&(material.names)(message.author));
        content.push_str(": ");
    }
    content.push_str(text);
    let role = if own { Role::Assistant } else { Role::User };
    match turns.last_mut() {
        // Providers want the roles to take turns.
        Some(last) if last.role == role && last.calls.is_empty() => {
            last.content.push_str("\n\n");
            last.content.push_str(&content);
        }
        Some(_) | None => turns.push(Turn::new(role, content)),
    }
}

fn quoted(message: &Message, history: &[Lived]) -> Option<String> {
    let heard = history.iter().filter_map(|lived| match lived {
        Lived::Heard(earlier) => Some(earlier),
        Lived::Did(_) => None,
    });
    let parent = heard.into_iter().find(|earlier| Some(earlier.id) == message.parent)?;
    let start: String = parent.text()?.chars().take(QUOTE_CHARACTERS).collect();
    Some(start.lines().map(|line| format!("> {line}\n")).chain(["\n".to_owned()]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{AgentId, AgentState, Caps, GroupId, MessageId, TurnPolicy};
    use uuid::Uuid;

    const ADA: AgentId = AgentId(Uuid::from_u128(1));
    const BO: AgentId = AgentId(Uuid::from_u128(2));

    fn message(seq: i64, author: Author, text: &str) -> Message {
        let id = MessageId(Uuid::from_u128(seq as u128));
        Message {
            seq,
            id,
            group: GroupId(Uuid::nil()),
            parent: None,
            author,
            body: Body::Text { text: text.into(), cut_short: false },
            chain_depth: 0,
            root: id,
            run: None,
            at_ms: 0,
        }
    }

    fn turns(kind: GroupKind, history: &[Message], window: u32) -> Vec<(Role, String)> {
        let agent = Agent {
            id: ADA,
            name: "Ada".into(),
            soul: "ada".into(),
            soul_version: 1,
            role: String::new(),
            description: String::new(),
            language: "en".into(),
            avatar: "ada".into(),
            model: None,
            state: AgentState::Idle,
            parent: None,
            problem: None,
            created_ms: 0,
        };
        let group = Group {
            id: GroupId(Uuid::nil()),
            name: "Tea".into(),
            kind,
            policy: TurnPolicy::Broadcast,
            default_agent: None,
            supervisor: None,
            caps: Caps::default(),
            archived: false,
            created_ms: 0,
        };
        let effective = crate::souls::effective(
            Some("lab/m"),
            &crate::souls::Front::of("ada"),
            &domain::Settings::default(),
        );
        let info = ModelInfo { name: "m".into(), context_tokens: Some(window), demo: false };
        let names =
            |author| if author == Author::User { "Lin".to_owned() } else { "Bo".to_owned() };
        let history: Vec<Lived> = history.iter().cloned().map(Lived::Heard).collect();
        let brief = build(&Material {
            run: RunId(Uuid::nil()),
            agent: &agent,
            group: &group,
            system_prompt: "You are Ada.",
            history: &history,
            left: Left::default(),
            tools: Vec::new(),
            names: &names,
            others: &["Lin".into(), "Bo".into()],
            effective: &effective,
            model: "lab/m",
            model_info: Some(&info),
        });
        brief.request.turns.into_iter().map(|turn| (turn.role, turn.content)).collect()
    }

    #[test]
    fn in_a_group_everybody_else_is_named() {
        let history = [
            message(1, Author::User, "Tea?"),
            message(2, Author::Agent(BO), "Yes."),
            message(3, Author::Agent(ADA), "No."),
        ];
        assert_eq!(
            turns(GroupKind::Group, &history, 8192),
            [
                (Role::System, "You are Ada.".to_owned()),
                (Role::User, "Lin: Tea?\n\nBo: Yes.".to_owned()),
                (Role::Assistant, "No.".to_owned()),
            ]
        );
    }

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
        assert_eq!(lived, expected);
    }

    #[test]
    fn what_does_not_fit_is_left_out_from_the_start() {
        let long = "word ".repeat(100);
        let history: Vec<Message> = (1..=9).map(|seq| message(seq, Author::User, &long)).collect();
        let turns = turns(GroupKind::Direct, &history, 512);
        assert_eq!(
            turns[1].1.matches("word").count(),
            200,
            "two of nine messages of 133 tokens fit 372"
        );
    }

    #[test]
    fn a_quoted_message_stands_before_the_answer_to_it() {
        let mut answer = message(2, Author::User, "Why?");
        let first = message(1, Author::Agent(ADA), "Because.\nYes.");
        answer.parent = Some(first.id);
        let turns = turns(GroupKind::Direct, &[first, answer], 8192);
        assert_eq!(turns[2].1, "> Because.\n> Yes.\n\nWhy?");
    }
}
