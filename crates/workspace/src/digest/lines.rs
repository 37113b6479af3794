//! What happened, one thing after the other, and how that is said: to the agent that is
//! to tell of it, or to the person where there is no such agent. Pure.

use crate::brief::frame;
use domain::GroupKind;
use std::fmt::Display;

/// What happened, and where each thing that has a number is shown: the first link is
/// that of number 1.
#[derive(Debug, Default)]
pub(crate) struct Told {
    things: Vec<Thing>,
    pub links: Vec<String>,
}

/// Texts are as short as a digest has them.
#[derive(Debug)]
pub(super) enum Thing {
    In {
        kind: GroupKind,
        name: String,
        messages: usize,
    },
    Said {
        who: String,
        text: String,
    },
    Failed {
        name: String,
        why: String,
    },
    Contested(String),
    Remembered(String),
    Approval {
        name: String,
        tool: String,
    },
    Question {
        name: String,
        text: String,
    },
    /// What there is no room for; the link leads to the next of them.
    More {
        count: usize,
        of: Of,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Conversations,
    Failures,
    Contradictions,
    Memories,
}

impl Of {
    const fn in_english(self) -> &'static str {
        match self {
            Of::Conversations => "conversations and threads with news",
            Of::Failures => "answers that failed",
            Of::Contradictions => "contradictions in memory that wait for a decision",
            Of::Memories => "new memories",
        }
    }

    const fn in_chinese(self) -> &'static str {
        match self {
            Of::Conversations => "个有新消息的对话和帖子",
            Of::Failures => "次没能回答",
            Of::Contradictions => "条互相矛盾、等待决定的记忆",
            Of::Memories => "条新记忆",
        }
    }
}

/// Which language the person reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tongue {
    English,
    Chinese,
}

pub(super) const WAITS: &str = "Waits for a decision, contradicts what was remembered before: ";
pub(super) const IS_REMEMBERED: &str = "Is remembered now: ";

impl Told {
    pub(super) fn add(&mut self, is: &str, id: impl Display, thing: Thing) {
        self.links.push(format!("coterie://{is}/{id}"));
        self.things.push(thing);
    }

    /// For an agent, a line for each thing behind its number; empty where nothing did.
    pub(crate) fn text(&self) -> String {
        let line = |(n, thing): (usize, &Thing)| match thing {
            Thing::In { kind, name, messages } => {
                let place = match kind {
                    GroupKind::Direct => "With",
                    GroupKind::Group | GroupKind::Task => "In the group",
                    GroupKind::Post => "In the feed, under",
                };
                format!("[{n}] {place} {name}, {messages} messages:")
            }
            Thing::Said { who, text } => frame::said(&format!("[{n}] {who}"), text),
            Thing::Failed { name, why } => format!("[{n}] {name} could not answer: {why}"),
            Thing::Contested(text) => format!("[{n}] {WAITS}{text}"),
            Thing::Remembered(text) => format!("[{n}] {IS_REMEMBERED}{text}"),
            Thing::Approval { name, tool } => {
                format!("[{n}] Waits for a yes or no: {name} wants to use {tool}")
            }
            Thing::Question { name, text } => {
                format!("[{n}] Waits for an answer: {name} asks: {text}")
            }
            Thing::More { count, of } => {
                format!("[{n}] And {count} more {}, which are not shown here", of.in_english())
            }
        };
        let lines: Vec<String> = self.numbered().map(line).collect();
        lines.join("\n")
    }

    /// For the person, with what it is. Memories stand behind their links alone: what is
    /// forgotten later is not to stay here.
    pub(crate) fn record(&self, tongue: Tongue) -> String {
        let (intro, nothing) = match tongue {
            Tongue::English => (
                "The starter model cannot tell what happened in words of its own, so this is the record itself:",
                "Nothing has happened meanwhile.",
            ),
            Tongue::Chinese => (
                "入门模型无法用自己的话说清发生了什么，所以这里就是记录本身：",
                "这段时间没有发生什么。",
            ),
        };
        if self.things.is_empty() {
            return nothing.to_owned();
        }
        let line = |(n, thing): (usize, &Thing)| match tongue {
            Tongue::English => in_english(n, thing),
            Tongue::Chinese => in_chinese(n, thing),
        };
        let lines: Vec<String> = self.numbered().map(line).collect();
        format!("{intro}\n\n{}", lines.join("\n"))
    }

    fn numbered(&self) -> impl Iterator<Item = (usize, &Thing)> {
        (1..).zip(&self.things)
    }
}

fn in_english(n: usize, thing: &Thing) -> String {
    match thing {
        Thing::In { kind, name, messages } => {
            let place = match kind {
                GroupKind::Direct => "Chat with",
                GroupKind::Group | GroupKind::Task => "Group",
                GroupKind::Post => "Feed:",
            };
            format!("- {place} {} (messages: {messages}) [{n}]", plain(name))
        }
        Thing::Said { who, text } => format!("  - {}: {} [{n}]", plain(who), plain(text)),
        Thing::Failed { name, why } => {
            format!("- {} could not answer: {} [{n}]", plain(name), plain(why))
        }
        Thing::Contested(_) => format!("- A contradiction in memory waits for you [{n}]"),
        Thing::Remembered(_) => format!("- Something new is remembered [{n}]"),
        Thing::Approval { name, tool } => {
            format!(
                "- Waits for your yes or no: {} wants to use {} [{n}]",
                plain(name),
                plain(tool)
            )
        }
        Thing::Question { name, text } => {
            format!("- Waits for your answer: {} asks: {} [{n}]", plain(name), plain(text))
        }
        Thing::More { count, of } => format!("- And {count} more {} [{n}]", of.in_english()),
    }
}

fn in_chinese(n: usize, thing: &Thing) -> String {
    match thing {
        Thing::In { kind, name, messages } => {
            let place = match kind {
                GroupKind::Direct => "聊天",
                GroupKind::Group | GroupKind::Task => "群组",
                GroupKind::Post => "动态",
            };
            format!("- {place}“{}”（{messages} 条消息）[{n}]", plain(name))
        }
        Thing::Said { who, text } => format!("  - {}：{} [{n}]", plain(who), plain(text)),
        Thing::Failed { name, why } => format!("- {}没能回答：{} [{n}]", plain(name), plain(why)),
        Thing::Contested(_) => format!("- 有一条记忆互相矛盾，等你决定 [{n}]"),
        Thing::Remembered(_) => format!("- 记住了新的内容 [{n}]"),
        Thing::Approval { name, tool } => {
            format!("- 等你同意或拒绝：{}想使用 {} [{n}]", plain(name), plain(tool))
        }
        Thing::Question { name, text } => {
            format!("- 等你回答：{}问：{} [{n}]", plain(name), plain(text))
        }
        Thing::More { count, of } => format!("- 还有 {count} {} [{n}]", of.in_chinese()),
    }
}

/// What others wrote has no links of its own here.
fn plain(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace('<', "\\<")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> Told {
        let mut told = Told::default();
        let name = "Square".to_owned();
        told.add("group", "a", Thing::In { kind: GroupKind::Group, name, messages: 2 });
        let text = "See [1](coterie://run/x).".to_owned();
        told.add("message", "b", Thing::Said { who: "Bo".to_owned(), text });
        told.add("memory", "c", Thing::Remembered("The pipe leaks.".to_owned()));
        told
    }

    #[test]
    fn the_record_has_a_link_for_each_thing_and_no_other() {
        let linked = |tongue| {
            let told = told();
            crate::digest::linked(&told.record(tongue), &told.links)
        };
        let english = "The starter model cannot tell what happened in words of its own, so this is the record itself:\n\n\
            - Group Square (messages: 2) [[1]](coterie://group/a)\n  \
            - Bo: See \\[1]. [[2]](coterie://message/b)\n\
            - Something new is remembered [[3]](coterie://memory/c)";
        assert_eq!(linked(Tongue::English), english);
        let chinese = "入门模型无法用自己的话说清发生了什么，所以这里就是记录本身：\n\n\
            - 群组“Square”（2 条消息）[[1]](coterie://group/a)\n  \
            - Bo：See \\[1]. [[2]](coterie://message/b)\n\
            - 记住了新的内容 [[3]](coterie://memory/c)";
        assert_eq!(linked(Tongue::Chinese), chinese);
    }

    #[test]
    fn where_nothing_happened_the_record_says_so() {
        assert_eq!(Told::default().record(Tongue::English), "Nothing has happened meanwhile.");
        assert_eq!(Told::default().text(), "");
    }
}
