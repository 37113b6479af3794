//! What is remembered, in the words that people type and read.

use crate::ids::end_of;
use crate::names::Names;
use crate::words::{ago, now_ms, quoted};
use domain::{
    GroupKind, Judgement, Memory, MemoryChange, MemoryKind, MemoryScope, MemoryState, Source,
    Statement, Trust,
};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

pub(crate) fn kind(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Fact => "fact",
        MemoryKind::Preference => "preference",
        MemoryKind::Skill => "skill",
        MemoryKind::Relationship => "relationship",
        MemoryKind::Episode => "episode",
        MemoryKind::Summary => "summary",
    }
}

/// As it is typed after `--scope`.
pub(crate) fn scope(scope: MemoryScope, names: &Names) -> String {
    match scope {
        MemoryScope::User => "user".to_owned(),
        MemoryScope::Workspace => "workspace".to_owned(),
        MemoryScope::Agent(agent) => format!("agent:{}", quoted(&names.agent_name(agent))),
        MemoryScope::Group(group) => format!("group:{}", quoted(&names.group_name_of(group))),
    }
}

/// Who can read what is of this scope.
pub(crate) fn readers(scope: MemoryScope, names: &Names) -> String {
    match scope {
        MemoryScope::User => "about you: every agent reads it".to_owned(),
        MemoryScope::Workspace => "about the work as a whole: every agent reads it".to_owned(),
        MemoryScope::Agent(agent) => {
            format!("{}'s own: no other agent reads it", names.agent_name(agent))
        }
        MemoryScope::Group(group) => {
            let view = names.overview.groups.iter().find(|view| view.group.id == group);
            let agents = view.map(|view| names.agents_of(view)).unwrap_or_default();
            let direct = view.is_some_and(|view| view.group.kind == GroupKind::Direct);
            let whose = match direct {
                true => format!("of your conversation with {}", names.group_name_of(group)),
                false => format!("of the group {}", names.group_name_of(group)),
            };
            match agents.as_slice() {
                [] => format!("{whose}: no agent reads it while none is in there"),
                [only] => format!("{whose}: {only} reads it"),
                [all @ .., last] => format!("{whose}: {} and {last} read it", all.join(", ")),
            }
        }
    }
}

pub(crate) fn trust(trust: Trust) -> &'static str {
    match trust {
        Trust::Untrusted => "as far as a tool, a file or a page can be",
        Trust::Agent => "as far as an agent can be",
        Trust::Person => "it is your word",
    }
}

pub(crate) fn statement(statement: &Statement) -> String {
    let Statement { subject, attribute, value } = statement;
    format!("{subject} · {attribute} · {value}")
}

/// Whether it holds.
pub(crate) fn standing(memory: &Memory) -> String {
    let now = now_ms();
    match memory.state {
        MemoryState::Current if memory.is_over(now) => "held once".to_owned(),
        MemoryState::Current if memory.valid_from_ms.is_some_and(|from| from > now) => {
            "will hold".to_owned()
        }
        // No agent is reminded of it.
        MemoryState::Current if memory.trust == Trust::Untrusted => {
            "unconfirmed until you judge it right".to_owned()
        }
        MemoryState::Current => "holds".to_owned(),
        MemoryState::Superseded(by) => format!("gave way to {}", end_of(by)),
        MemoryState::Contested(with) => {
            format!("contradicts {}, and waits until you judge", end_of(with))
        }
        MemoryState::Wrong => "was never so".to_owned(),
        MemoryState::Forgotten => "forgotten".to_owned(),
    }
}

/// From when to when it was so; nothing where nobody knows.
pub(crate) fn validity(memory: &Memory) -> String {
    match (memory.valid_from_ms, memory.valid_to_ms) {
        (None, None) => String::new(),
        (Some(from), None) => format!("from {}", moment(from)),
        (None, Some(to)) => format!("to {}", last_moment(to)),
        (Some(from), Some(to)) => format!("from {} to {}", moment(from), last_moment(to)),
    }
}

pub(crate) fn source(source: &Source) -> String {
    let Source { message, run, tool, file, conversation: _ } = source;
    let parts = [
        message.map(|message| format!("message {message}")),
        run.map(|run| format!("run {run}")),
        tool.as_ref().map(|tool| format!("the tool {tool}")),
        file.as_ref().map(|file| format!("the file {file}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "you".to_owned() } else { parts.join(", ") }
}

pub(crate) fn change(change: MemoryChange) -> &'static str {
    match change {
        MemoryChange::Added => "added",
        MemoryChange::Edited => "edited",
        MemoryChange::Repeated => "said again",
        MemoryChange::Merged => "merged",
        MemoryChange::Superseded => "gave way",
        MemoryChange::Contested => "contested",
        MemoryChange::Settled => "settled with another",
        MemoryChange::Wrong => "judged wrong",
        MemoryChange::Outdated => "judged outdated",
        MemoryChange::Pinned => "pinned",
        MemoryChange::Unpinned => "unpinned",
        MemoryChange::Forgotten => "forgotten",
        MemoryChange::Undone => "undone",
    }
}

pub(crate) fn judgement(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Right => "holds, by your word",
        Judgement::Wrong => "was never so",
        Judgement::Outdated => "was so, and is no longer",
    }
}

/// The first words of a text, on one line.
pub(crate) fn beginning(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

pub(crate) fn said(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// In how many turns it was read, and when last.
pub(crate) fn recalled(memory: &Memory) -> String {
    match (memory.recalled, memory.recalled_at_ms) {
        (0, _) => "never".to_owned(),
        (count, None) => said(count),
        (count, Some(at_ms)) => format!("{}, {}", said(count), ago(at_ms)),
    }
}

/// A day, with the time where it is not the beginning of it.
pub(crate) fn moment(at_ms: i64) -> String {
    let Some(at) = here(at_ms) else { return format!("{at_ms} ms") };
    match is_midnight(&at) {
        true => at.date().to_string(),
        false => at.strftime("%Y-%m-%d %H:%M").to_string(),
    }
}

/// The same with the time in any case: something is to happen then.
pub(crate) fn moment_to_the_minute(at_ms: i64) -> String {
    here(at_ms)
        .map_or_else(|| format!("{at_ms} ms"), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}

/// The same of an end: what ends with a day ends on it.
fn last_moment(end_ms: i64) -> String {
    match here(end_ms) {
        Some(at) if is_midnight(&at) => moment_of_day_before(&at),
        _ => moment(end_ms),
    }
}

fn moment_of_day_before(at: &Zoned) -> String {
    at.date().yesterday().map_or_else(|_| at.date().to_string(), |day| day.to_string())
}

fn is_midnight(at: &Zoned) -> bool {
    at.time() == jiff::civil::Time::midnight()
}

fn here(at_ms: i64) -> Option<Zoned> {
    Some(Timestamp::from_millisecond(at_ms).ok()?.to_zoned(TimeZone::system()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_text_is_one_line_of_whole_characters() {
        assert_eq!(beginning("tea\n  and cake", 20), "tea and cake");
        assert_eq!(beginning("tea and cake", 4), "tea…");
        assert_eq!(beginning("养了一只叫咪咪的猫", 4), "养了一只…");
    }
}
